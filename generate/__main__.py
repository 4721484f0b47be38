"""``python -m generate``: write every generated file; with ``--check``, name those that are out of date.

``--format`` prints the tools in a consumer's format, as JSON.
"""

import argparse
import sys
from pathlib import Path
from typing import Any, NoReturn

from generate import client, mcp, readme, replies, templates
from generate.exports import FORMATS, FUNCTIONS, as_text, explain, tools_of

ROOT = Path(__file__).parents[1]


def files() -> dict[Path, str]:
    """The text of every generated file, and of every file that has a generated part."""
    exports = {ROOT / "exports" / f"{name}.json": as_text(export(tools_of(None))) for name, export in FORMATS.items()}
    return {
        **exports,
        **{ROOT / "clients/python/memtools_client" / name: text for name, text in client.files().items()},
        **{path: templates.updated(path) for path in sorted((ROOT / "integrations").glob("*.yaml"))},
        ROOT / "layers/memory/memtools/wire/mcp/tools.json": mcp.text(),
        ROOT / "template.yaml": templates.with_routes(ROOT / "template.yaml"),
        **replies.files(),
        ROOT / "README.md": readme.updated((ROOT / "README.md").read_text("utf-8")),
    }


def stale() -> list[Path]:
    """The files that differ from what the catalogue makes."""
    return [path for path, text in files().items() if not path.exists() or path.read_text("utf-8") != text]


class _Parser(argparse.ArgumentParser):
    """Errors are one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\n")


def _parsed(arguments: list[str] | None) -> Any:
    parser = _Parser(prog="python -m generate", description="Write all files that are made from the catalogue.")
    parser.add_argument("--check", action="store_true", help="write nothing; name the files that are out of date")
    parser.add_argument("--format", choices=FORMATS, help="print the tools in this format instead")
    parser.add_argument("--function", choices=FUNCTIONS, help="with --format: only the tools of this function")
    parser.add_argument("--explain", action="store_true", help="with --format: what the format leaves out, and why")
    options = parser.parse_args(arguments)
    if not options.format and (options.function or options.explain):
        parser.error("--function and --explain need --format")
    if options.format and options.check:
        parser.error("--check cannot be combined with --format")
    return options


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return the exit status."""
    options = _parsed(arguments)
    if options.format:
        tools = tools_of(options.function)
        sys.stdout.write(as_text(explain(options.format, tools) if options.explain else FORMATS[options.format](tools)))
        return 0
    if options.check:
        found = [str(path.relative_to(ROOT)) for path in stale()]
        sys.stdout.writelines(f"{name} is out of date: run make generate\n" for name in found)
        return 1 if found else 0
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
