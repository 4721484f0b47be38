"""Which function of the stack serves which tool. Made from the catalogue by `make generate`: change it there."""

from typing import Final

FUNCTIONS: Final = {
    "memory_search": "search",
    "memory_list": "search",
    "memory_read": "search",
    "memory_history": "search",
    "memory_duplicates": "search",
    "memory_add": "add",
    "memory_edit": "edit",
    "memory_update": "edit",
    "memory_delete": "edit",
    "memory_restore": "edit",
    "memory_merge": "merge",
    "memory_unmerge": "merge",
}
