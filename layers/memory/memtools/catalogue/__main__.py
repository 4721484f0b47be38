"""``python -m memtools.catalogue --format …``: the catalogue as others want it, as JSON."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any, NoReturn

from memtools.catalogue.exports import FORMATS, FUNCTIONS, explain, tools_of


class _Parser(argparse.ArgumentParser):
    """One line says what was wrong."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m memtools.catalogue", description="The tools in the form that a consumer takes.")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--format", choices=FORMATS, help="the form, printed as JSON")
    what.add_argument("--write", metavar="DIR", type=Path, help="write every form to DIR/<format>.json")
    parser.add_argument("--function", choices=FUNCTIONS, help="only the tools of this function")
    parser.add_argument("--explain", action="store_true", help="print what the form leaves out, and why, instead")
    return parser


def as_text(export: Any) -> str:
    """The export as it is printed and committed."""
    return json.dumps(export, ensure_ascii=False, indent=2) + "\n"


def write(folder: Path) -> None:
    """Every form, of all tools, into its file."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, export in FORMATS.items():
        (folder / f"{name}.json").write_text(as_text(export(tools_of(None))), encoding="utf-8")


def main(arguments: list[str] | None = None) -> None:
    """Print one form, or write all of them."""
    parser = _parser()
    given = parser.parse_args(arguments)
    if given.write:
        if given.function or given.explain:
            parser.error("--write writes every form of all tools: it goes with no other option")
        write(given.write)
        return
    tools = tools_of(given.function)
    sys.stdout.write(as_text(explain(given.format, tools) if given.explain else FORMATS[given.format](tools)))


if __name__ == "__main__":
    main()
