"""The use cases: a function a tool, from typed arguments to a typed reply."""

from collections.abc import Callable
from typing import Any, Final

from memtools.catalogue.replies import Reply
from memtools.domain.scope import Scope
from memtools.tools.add import memory_add
from memtools.tools.backend import Backend
from memtools.tools.delete import memory_delete
from memtools.tools.duplicates import memory_duplicates
from memtools.tools.edit import memory_edit
from memtools.tools.history import memory_history
from memtools.tools.list import memory_list
from memtools.tools.merge import memory_merge
from memtools.tools.read import memory_read
from memtools.tools.restore import memory_restore
from memtools.tools.search import memory_search
from memtools.tools.unmerge import memory_unmerge
from memtools.tools.update import memory_update

UseCase = Callable[[Backend, Scope, Any], Reply]

USE_CASES: Final[dict[str, UseCase]] = {
    use_case.__name__: use_case
    for use_case in (
        memory_search,
        memory_list,
        memory_read,
        memory_history,
        memory_duplicates,
        memory_add,
        memory_edit,
        memory_update,
        memory_delete,
        memory_restore,
        memory_merge,
        memory_unmerge,
    )
}
