"""The same call with the same idempotency key has one effect, and one reply, whatever happens in between."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from memtools.errors import InvalidArguments, Unavailable

from tests.calls import Caller
from tests.fakes import FakeClock

MANY = 20
"""So many later writes of others a key has to survive."""


def everything(ana: Caller) -> Any:
    """The whole memory: every live memory with its version, and both documents."""
    return [
        [(one["id"], one["version"], one["content"]) for one in ana.list(limit=100)["results"]],
        [ana.history(target=target, limit=100)["versions"] for target in ("self", "user")],
    ]


def twice(ana: Caller, tool: str, meanwhile: Callable[[], object], **arguments: Any) -> dict[str, Any]:
    """Call, let something happen, call again with the same key: nothing changes and the reply is the same."""
    sent = ana.keyed("k-1")
    first: dict[str, Any] = getattr(sent, tool)(**arguments)
    meanwhile()
    before = everything(ana)
    again = getattr(sent, tool)(**arguments)
    assert everything(ana) == before
    assert again == first
    return first


def updates(ana: Caller, trace: str) -> Callable[[], object]:
    """Others change the memory many times."""

    def run() -> None:
        for number in range(MANY):
            ana.update(traceId=trace, content=f"of others {number}")

    return run


def edits(ana: Caller) -> Callable[[], object]:
    """Others write many entries."""

    def run() -> None:
        for number in range(MANY):
            ana.edit(action="add", text=f"of others {number}")

    return run


def nothing() -> None:
    """Nothing happens."""


# Adding


def test_an_add_sent_again_names_what_it_saved(ana: Caller) -> None:
    ana.remember("milk")
    first = twice(ana, "add", nothing, facts=["tea", "milk", "jam", "tea"])
    assert [one["content"] for one in first["saved"]] == ["tea", "jam"]
    assert [one["content"] for one in first["duplicates"]] == ["milk", "tea"]


@pytest.mark.parametrize("fate", ["delete", "update", "merge", "many updates", "delete and restore"])
def test_an_add_sent_again_brings_nothing_back(ana: Caller, fate: str) -> None:
    """What happened to the facts since stays: they are neither saved again nor restored."""
    other, known = ana.remember("water", "milk")

    def happens() -> None:
        saved = {one["content"]: one["id"] for one in ana.list()["results"]}
        if "delete" in fate:
            ana.delete(traceId=saved["tea"])
            ana.delete(traceId=known)
        if fate == "delete and restore":
            ana.restore(traceId=saved["tea"])
        if fate == "update":
            ana.update(traceId=saved["tea"], content="coffee")
        if fate == "many updates":
            updates(ana, saved["tea"])()
        if fate == "merge":
            ana.merge(traceIds=[other, saved["tea"], saved["jam"]], mergedContent="drinks")

    twice(ana, "add", happens, facts=["tea", "jam", "milk"])


@pytest.mark.parametrize("fate", ["nothing", "delete", "update", "delete both", "update, delete the other"])
def test_an_add_sent_again_knows_a_fact_saved_beside_its_key(ana: Caller, fate: str) -> None:
    """The memory that was born with the text says something else, so the fact is saved under another id."""
    (born,) = ana.remember("tea")
    ana.update(traceId=born, content="coffee")

    def happens() -> None:
        spare = next(one["id"] for one in ana.list()["results"] if one["content"] == "tea")
        if fate.startswith("update"):
            ana.update(traceId=spare, content="cocoa")
        if fate.startswith("delete"):
            ana.delete(traceId=spare)
        if fate in ("delete both", "update, delete the other"):
            ana.delete(traceId=born)

    assert twice(ana, "add", happens, facts=["tea"])["saved"]


def test_an_add_whose_key_is_forgotten_still_ends(ana: Caller) -> None:
    """After more writes than a key survives, the call counts as new; it does not run in circles."""
    (born,) = ana.remember("tea")
    ana.update(traceId=born, content="coffee")
    sent = ana.keyed("k")
    spare = sent.add(facts=["tea"])["saved"][0]["id"]
    for number in range(40):
        ana.update(traceId=spare, content=f"of others {number}")
    assert sent.add(facts=["tea"])["saved"][0]["id"] not in (born, spare)


# Changing


@pytest.mark.parametrize("fate", ["nothing", "many updates", "delete"])
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [("update", {"content": "jam"}), ("update", {"tags": ["a"]}), ("delete", {}), ("restore", {"version": 1})],
)
def test_a_change_sent_again_is_one_change(ana: Caller, tool: str, arguments: dict[str, Any], fate: str) -> None:
    (trace,) = ana.remember("tea")
    ana.update(traceId=trace, content="coffee")

    def happens() -> None:
        if tool == "delete" and fate != "nothing":
            ana.restore(traceId=trace)
        if fate == "many updates":
            updates(ana, trace)()
        if fate == "delete":
            ana.delete(traceId=trace)

    first = twice(ana, tool, happens, traceId=trace, **arguments)
    assert first[{"update": "updated", "delete": "deleted", "restore": "restored"}[tool]] is True


# Merging


@pytest.mark.parametrize("fate", ["nothing", "unmerge", "delete", "many updates", "merged away"])
def test_a_merge_sent_again_merges_nothing_more(ana: Caller, fate: str) -> None:
    a, b, c = ana.remember("a", "b", "c")

    def happens() -> None:
        if fate == "unmerge":
            ana.unmerge(survivorId=a)
        if fate == "delete":
            ana.delete(traceId=a)
            ana.remember("b")
        if fate == "many updates":
            updates(ana, a)()
        if fate == "merged away":
            ana.search(query="c", limit=1)
            ana.merge(traceIds=[c, a])

    assert twice(ana, "merge", happens, traceIds=[a, "mt_none", b])["deletedIds"] == [b]


@pytest.mark.parametrize("order", [[0, 1, 2], [1, 2, 0], [2, 0, 1]])
def test_a_merge_sent_again_names_the_same_survivor(ana: Caller, order: list[int]) -> None:
    """Whichever of its memories is looked at first, and whatever became of the survivor."""
    ids = ana.remember("apple", "banana", "cherry")
    ana.search(query="apple", limit=1)

    def happens() -> None:
        ana.update(traceId=ids[0], content="date")
        ana.remember("banana")

    told = twice(ana, "merge", happens, traceIds=[ids[place] for place in order])
    assert told["survivorId"] == ids[0]


@pytest.mark.parametrize("fate", ["nothing", "merge again", "delete", "many updates"])
def test_an_unmerge_sent_again_undoes_no_other_merge(ana: Caller, fate: str) -> None:
    """A2: one call, however often it is sent, undoes one merge."""
    a, b, c = ana.remember("a", "b", "c")
    ana.merge(traceIds=[a, b])
    ana.merge(traceIds=[a, c])

    def happens() -> None:
        if fate == "merge again":
            ana.merge(traceIds=[a, c])
        if fate == "delete":
            ana.delete(traceId=c)
        if fate == "many updates":
            updates(ana, a)()

    assert twice(ana, "unmerge", happens, survivorId=a)["restoredIds"] == [c]


def test_an_unmerge_with_a_version_undoes_that_merge_alone(ana: Caller) -> None:
    """A2: without a key, the version makes it exact."""
    a, b, c = ana.remember("a", "b", "c")
    ana.merge(traceIds=[a, b])
    version = ana.merge(traceIds=[a, c])["trace"]["version"]
    first = ana.unmerge(survivorId=a, version=version)
    assert ana.unmerge(survivorId=a, version=version) == first
    with pytest.raises(Exception, match=f"is at version {version + 1}"):
        ana.unmerge(survivorId=a, version=version - 1)
    assert ana.unmerge(survivorId=a, version=version + 1)["restoredIds"] == [b]


def test_an_unanswered_unmerge_that_would_undo_another_merge_is_uncertain(
    ana: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a key or a version, or where no other merge is left, it can be sent again."""
    a, b, c, d = ana.remember("a", "b", "c", "d")
    ana.merge(traceIds=[a, b])
    ana.merge(traceIds=[a, c])
    last = ana.merge(traceIds=[a, d])["trace"]["version"]

    def commit(*_: Any) -> None:
        raise Unavailable("No answer.")

    def told(caller: Caller, **more: Any) -> bool:
        with monkeypatch.context() as patch:
            patch.setattr(ana.memory.traces, "commit", commit)
            with pytest.raises(Unavailable) as refused:
                caller.unmerge(survivorId=a, **more)
        return refused.value.retryable

    assert [told(ana), told(ana.keyed("k")), told(ana, version=last)] == [False, True, True]
    ana.unmerge(survivorId=a)
    ana.unmerge(survivorId=a)
    assert told(ana) is True


# Documents


@pytest.mark.parametrize("later", [0, 1, MANY])
@pytest.mark.parametrize(
    "arguments",
    [
        {"action": "add", "text": "tea"},
        {"action": "replace", "text": "cat", "with_": "cat and dog"},
        {"action": "replace", "text": "cat", "with_": "dog"},
        {"action": "remove", "text": "cat"},
        {"action": "undo"},
    ],
)
def test_an_edit_sent_again_is_one_edit(ana: Caller, arguments: dict[str, str], later: int) -> None:
    """A4, A5: neither a replacement is made again, nor an entry of others taken back."""
    ana.edit(action="add", text="milk")
    ana.edit(action="add", text="cat")

    def happens() -> None:
        for number in range(later):
            ana.edit(action="add", text=f"of others {number}, and a cat")
        if later and arguments["action"] == "add":
            ana.edit(action="remove", text="tea")

    assert twice(ana, "edit", happens, **arguments)["changed"] is True


def test_an_edit_sent_again_while_others_write_is_answered_alike(ana: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    """Others write between its look at the document and its look at the versions."""
    sent = ana.keyed("k-1")
    first = sent.edit(action="add", text="jam")
    ana.edit(action="add", text="of others")
    versions = ana.memory.personas.versions

    def overtaken(*arguments: Any) -> Any:
        monkeypatch.undo()
        edits(ana)()
        return versions(*arguments)

    monkeypatch.setattr(ana.memory.personas, "versions", overtaken)
    assert sent.edit(action="add", text="jam") == first


def test_two_undos_with_two_keys_are_two_steps(ana: Caller) -> None:
    for text in "abc":
        ana.edit(action="add", text=text)
    assert [ana.keyed(key).edit(action="undo")["text"] for key in ("k1", "k1", "k2")] == ["- a\n- b\n"] * 2 + ["- a\n"]


# The key of another call


def calls_of(ana: Caller) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """Two calls of each tool that touch the same memory or document."""
    a, b, c, d, e = ana.remember("a", "b", "c", "d", "e")
    ana.edit(action="add", text="one")
    ana.edit(action="add", text="two")
    ana.update(traceId=a, content="a2")
    ana.update(traceId=a, content="a3")
    ana.merge(traceIds=[d, e])
    return {
        "add": ({"facts": ["new"]}, {"facts": ["new"], "tags": ["x"]}),
        "update": ({"traceId": a, "content": "x"}, {"traceId": a, "content": "y"}),
        "delete": ({"traceId": a}, {"traceId": a, "reason": "why"}),
        "restore": ({"traceId": a, "version": 1}, {"traceId": a, "version": 2}),
        "merge": ({"traceIds": [b, c]}, {"traceIds": [b, c], "mergedContent": "both"}),
        "unmerge": ({"survivorId": d}, {"survivorId": d, "version": 2}),
        "edit": ({"action": "add", "text": "three"}, {"action": "remove", "text": "one"}),
    }


@pytest.mark.parametrize("tool", ["add", "update", "delete", "restore", "merge", "unmerge", "edit"])
def test_a_key_with_other_arguments_is_refused(ana: Caller, tool: str) -> None:
    first, other = calls_of(ana)[tool]
    sent = ana.keyed("k")
    getattr(sent, tool)(**first)
    before = everything(ana)
    with pytest.raises(InvalidArguments, match="key"):
        getattr(sent, tool)(**other)
    assert everything(ana) == before


def test_a_key_belongs_to_a_scope_and_a_tool(ana: Caller, bob: Caller) -> None:
    """The same key of another user, or for another tool, is another key."""
    for who in (ana, bob):
        trace = who.keyed("k").add(facts=["tea"])["saved"][0]["id"]
        assert who.keyed("k").update(traceId=trace, content="jam")["updated"] is True
        assert who.keyed("k").delete(traceId=trace)["deleted"] is True


def test_equal_arguments_may_be_written_differently(ana: Caller) -> None:
    """Null is the same as absent, and 7.0 is 7."""
    (trace,) = ana.remember("tea")
    sent = ana.keyed("k")
    first = sent.update(traceId=trace, content="jam", version=1)
    assert sent.update(version=1.0, content="jam", tags=None, traceId=trace) == first


def test_a_call_that_changed_nothing_leaves_its_key_free(ana: Caller, clock: FakeClock) -> None:
    """Only writes are remembered, so the call has its one effect when it is sent again."""
    (trace,) = ana.remember("tea")
    sent = ana.keyed("k")
    assert sent.update(traceId=trace, content="tea")["updated"] is False
    ana.update(traceId=trace, content="jam")
    clock.advance(timedelta(minutes=1))
    assert sent.update(traceId=trace, content="tea")["updated"] is True
