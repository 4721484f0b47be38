"""All tools by name, in the order in which they are listed everywhere."""

from typing import Final

from memtools.tools import add, delete, duplicates, edit, history, merge, read, restore, search, unmerge, update
from memtools.tools import list as list_tool
from memtools.tools.tool import AnyTool

_MODULES: Final = (
    search,
    list_tool,
    read,
    history,
    duplicates,
    add,
    edit,
    update,
    delete,
    restore,
    merge,
    unmerge,
)
TOOLS: Final[dict[str, AnyTool]] = {module.TOOL.name: module.TOOL for module in _MODULES}
