"""``python -m generate``: write every generated file; ``--check`` names those that are out of date.

``--format`` prints the tools as one consumer takes them, as JSON.
"""

import argparse
import sys
from pathlib import Path
from typing import Any, NoReturn

from generate import client, readme, templates
from generate.exports import FORMATS, FUNCTIONS, as_text, explain, tools_of

ROOT = Path(__file__).parents[1]


def files() -> dict[Path, str]:
    """The text of every generated file, and of every file that has a generated part."""
    exports = {ROOT / "exports" / f"{name}.json": as_text(export(tools_of(None))) for name, export in FORMATS.items()}
    return {
        **exports,
        **{ROOT / "clients/python/memtools_client" / name: text for name, text in client.files().items()},
        **{path: templates.updated(path) for path in sorted((ROOT / "integrations").glob("*.yaml"))},
        ROOT / "README.md": readme.updated((ROOT / "README.md").read_text("utf-8")),
    }


def stale() -> list[Path]:
    """The files that are not as the catalogue has them."""
    return [path for path, text in files().items() if not path.exists() or path.read_text("utf-8") != text]


class _Parser(argparse.ArgumentParser):
    """One line says what was wrong."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\n")


def _parsed(arguments: list[str] | None) -> Any:
    parser = _Parser(prog="python -m generate", description="Write all that is made from the catalogue.")
    parser.add_argument("--check", action="store_true", help="write nothing; name what is out of date")
    parser.add_argument("--format", choices=FORMATS, help="print the tools in this form instead")
    parser.add_argument("--function", choices=FUNCTIONS, help="with --format: only the tools of this function")
    parser.add_argument("--explain", action="store_true", help="with --format: what the form leaves out, and why")
    given = parser.parse_args(arguments)
    if not given.format and (given.function or given.explain):
        parser.error("--function and --explain go with --format")
    if given.format and given.check:
        parser.error("--check goes with no other option")
    return given


def main(arguments: list[str] | None = None) -> int:
    """Do what the arguments say; the exit status."""
    given = _parsed(arguments)
    if given.format:
        tools = tools_of(given.function)
        sys.stdout.write(as_text(explain(given.format, tools) if given.explain else FORMATS[given.format](tools)))
        return 0
    if given.check:
        found = [str(path.relative_to(ROOT)) for path in stale()]
        sys.stdout.writelines(f"{name} is out of date: run make generate\n" for name in found)
        return 1 if found else 0
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
