"""What the tools' commands do, in words for people; the tools' own descriptions are for models."""

from typing import Final

_HELP: Final = {
    "memory_add": "Remember facts. Known ones are not stored twice; `-` reads them from standard input, one a line.",
    "memory_search": "Find memories by words and by meaning.",
    "memory_list": "List memories, newest first, page by page.",
    "memory_read": "Print the persona documents, or one of them.",
    "memory_history": "Show the versions of a memory or of a document.",
    "memory_duplicates": "Find memories that probably say the same thing.",
    "memory_edit": "Edit MEMORY.md or USER.md: add, replace, remove, undo.",
    "memory_update": "Correct a memory's text or its tags.",
    "memory_delete": "Forget a memory; `restore` brings it back.",
    "memory_restore": "Bring back a deleted memory, or an earlier version.",
    "memory_merge": "Merge memories that say the same thing into one.",
    "memory_unmerge": "Undo the last merge of a memory.",
}


def help_of(tool: str, description: str) -> str:
    """The help of the tool's command; for a tool that has none, the first sentence for models."""
    return _HELP.get(tool) or description.partition(". ")[0].rstrip(".") + "."
