"""The shortest lives in which an answer was wrong, each by what it protects."""

import pytest
from memtools.backend import Backend
from memtools.domain.scope import Scope

from tests.calls import Caller
from tests.model.answers import answer


@pytest.fixture
def ana(fake_memory: Backend, scope: Scope) -> Caller:
    return Caller(fake_memory, scope)


@pytest.mark.parametrize("way", ["restore", "add"])
def test_a_source_that_came_back_is_merged_again(ana: Caller, way: str) -> None:
    """A1: done before is only what is still in the survivor."""
    a, b = ana.remember("a", "b")
    ana.merge(traceIds=[a, b])
    ana.restore(traceId=b) if way == "restore" else ana.remember("b")
    assert ana.merge(traceIds=[a, b])["deletedIds"] == [b]
    assert ana.all() == ["a | b | b"]


def test_a_merge_of_what_was_deleted_since_is_not_done(ana: Caller) -> None:
    """A1: a source that came back and was deleted is not in the survivor, so too few are left to merge."""
    a, b = ana.remember("a", "b")
    ana.merge(traceIds=[a, b])
    ana.restore(traceId=b)
    ana.delete(traceId=b)
    assert answer(lambda: ana.merge(traceIds=[a, b])).code == "not_found"  # type: ignore[union-attr]


def test_a_merge_of_what_is_in_another_memory_is_not_done(ana: Caller) -> None:
    """A1: what was merged elsewhere is not in the one memory that lives, so too few are left to merge."""
    a, b, c = ana.remember("a", "b", "c")
    ana.merge(traceIds=[a, b])
    assert answer(lambda: ana.merge(traceIds=[b, c])).code == "not_found"  # type: ignore[union-attr]


@pytest.mark.parametrize("content", [None, "both"])
@pytest.mark.parametrize("since", ["nothing", "update"])
def test_a_merge_whose_sources_are_in_the_survivor_is_done(ana: Caller, since: str, content: str | None) -> None:
    """A1: the state decides, not how the call was written, nor what the survivor says since."""
    a, b = ana.remember("a", "b")
    ana.merge(traceIds=[a, b], mergedContent=content)
    if since == "update":
        ana.update(traceId=a, content="c")
    named = [b, a] if since == "nothing" else [a, b]
    told = ana.merge(traceIds=named, mergedContent=content)
    assert (told["survivorId"], told["deletedIds"], told["missingIds"]) == (a, [b], [])


def test_an_unmerge_tells_only_what_it_brought_back(ana: Caller) -> None:
    """A3: a source that came back by itself stays as it is, and is not told, not by a second call either."""
    a, b, c = ana.remember("a", "b", "c")
    ana.merge(traceIds=[a, b, c])
    ana.restore(traceId=b)
    ana.update(traceId=b, content="newer")
    assert [ana.unmerge(survivorId=a)["restoredIds"] for _ in range(2)] == [[c], [c]]
    assert sorted(ana.all()) == ["a", "c", "newer"]


def test_undo_goes_back_step_by_step(ana: Caller) -> None:
    """A6: each undo takes back one edit more."""
    for text in "abc":
        ana.edit(action="add", text=text)
    assert [ana.edit(action="undo")["text"] for _ in range(2)] == ["- a\n- b\n", "- a\n"]


def test_undo_of_the_version_told_goes_on_back(ana: Caller) -> None:
    """A6: with the version of the undo before, the next one goes back further and brings nothing again."""
    for text in "abc":
        version = ana.edit(action="add", text=text)["version"]
    for _ in range(2):
        told = ana.edit(action="undo", version=version)
        version = told["version"]
    assert told["text"] == "- a\n"
