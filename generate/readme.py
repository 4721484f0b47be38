"""Makes the README's table of tools."""

import re
from typing import Final

from memtools.catalogue import TOOLS
from memtools.tools.tool import AnyTool
from pydantic.fields import FieldInfo

_START: Final = "<!-- tools -->"
_END: Final = "<!-- /tools -->"
_SENTENCE = re.compile(r".*?\.(?=\s|$)", re.DOTALL)


def _argument(name: str, field: FieldInfo) -> str:
    """The argument's name on the wire, with ``?`` if it is optional, and its default."""
    wire = field.alias or name
    if field.is_required():
        return f"`{wire}`"
    default = field.get_default()
    return f"`{wire}?` = {default}" if default else f"`{wire}?`"


def _row(tool: AnyTool) -> str:
    arguments = ", ".join(_argument(name, field) for name, field in tool.arguments.model_fields.items())
    sentence = _SENTENCE.match(tool.description)
    purpose = sentence[0] if sentence else tool.description
    return f"| {tool.function} | `{tool.name}` | {arguments} | {purpose} |"


def table() -> str:
    """The table in Markdown: function, tool, arguments, and the first sentence of the description."""
    head = ["| function | tool | arguments | what it does |", "|---|---|---|---|"]
    return "\n".join([*head, *(_row(tool) for tool in TOOLS.values())])


def updated(readme: str) -> str:
    """The README with a new table between its marks."""
    return f"{readme.partition(_START)[0]}{_START}\n{table()}\n{_END}{readme.partition(_END)[2]}"
