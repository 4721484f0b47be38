import pytest
from memtools.domain.scope import Scope
from memtools.tools.memory import Memory

from tests.calls import Caller


@pytest.fixture
def ana(memory: Memory, scope: Scope) -> Caller:
    return Caller(memory, scope)


@pytest.fixture
def bob(memory: Memory, scope: Scope) -> Caller:
    return Caller(memory, Scope(scope.agent, "bob"))
