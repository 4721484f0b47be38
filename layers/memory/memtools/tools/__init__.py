"""The use cases: a function a tool, from typed arguments to a typed reply."""

from collections.abc import Callable
from typing import Any, Final

from memtools.catalogue.replies import Reply
from memtools.domain.scope import Scope
from memtools.tools.add import memory_add
from memtools.tools.edit import memory_edit
from memtools.tools.memory import Memory
from memtools.tools.merge import memory_merge
from memtools.tools.read import memory_read
from memtools.tools.search import memory_search

UseCase = Callable[[Memory, Scope, Any], Reply]

USE_CASES: Final[dict[str, UseCase]] = {
    use_case.__name__: use_case for use_case in (memory_search, memory_read, memory_add, memory_edit, memory_merge)
}
