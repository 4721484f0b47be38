"""The README's table of tools, made from the catalogue.

    python -m local.tools_table [--write]

Prints it; with --write it also takes the place of the one in README.md.
"""

import argparse
import re
from collections.abc import Sequence
from typing import Final

from memtools.catalogue import TOOLS, Tool
from pydantic.fields import FieldInfo

from local.template import ROOT

README: Final = ROOT / "README.md"
START: Final = "<!-- tools -->"
END: Final = "<!-- /tools -->"
_SENTENCE = re.compile(r".*?\.(?=\s|$)", re.DOTALL)


def _argument(name: str, field: FieldInfo) -> str:
    """The argument as on the wire, with ``?`` where it may be left out, and what it then is."""
    wire = field.alias or name
    if field.is_required():
        return f"`{wire}`"
    default = field.get_default()
    return f"`{wire}?` = {default}" if default else f"`{wire}?`"


def _row(tool: Tool) -> str:
    arguments = ", ".join(_argument(name, field) for name, field in tool.arguments.model_fields.items())
    sentence = _SENTENCE.match(tool.description)
    purpose = sentence[0] if sentence else tool.description
    return f"| {tool.function} | `{tool.name}` | {arguments} | {purpose} |"


def table() -> str:
    """The table in Markdown: function, tool, arguments, and the first sentence of what a model reads about it."""
    head = ["| function | tool | arguments | what it does |", "|---|---|---|---|"]
    return "\n".join([*head, *(_row(tool) for tool in TOOLS.values())])


def current(readme: str) -> str:
    """The table that stands between the markers."""
    return readme.partition(START)[2].partition(END)[0].strip()


def main(given: Sequence[str] | None = None) -> None:
    """Print the table, or write it."""
    parser = argparse.ArgumentParser(prog="python -m local.tools_table", description="The README's table of tools.")
    parser.add_argument("--write", action="store_true", help="put it into README.md")
    if parser.parse_args(given).write:
        text = README.read_text("utf-8")
        README.write_text(f"{text.partition(START)[0]}{START}\n{table()}\n{END}{text.partition(END)[2]}", "utf-8")
    print(table())


if __name__ == "__main__":
    main()
