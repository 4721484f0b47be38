import pytest
from memtools.backend import Backend
from memtools.domain.scope import Scope

from tests.calls import Caller


@pytest.fixture
def ana(memory: Backend, scope: Scope) -> Caller:
    return Caller(memory, scope)


@pytest.fixture
def bob(memory: Backend, scope: Scope) -> Caller:
    return Caller(memory, Scope(scope.agent, "bob"))
