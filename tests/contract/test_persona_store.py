"""What every PersonaStore does; run against the fake and against S3 on moto."""

from dataclasses import replace
from typing import Any

import pytest
from botocore.exceptions import ClientError
from memtools.adapters.documents import document_key
from memtools.backend import Backend
from memtools.domain.document import ABSENT, SOUL, Document
from memtools.domain.scope import Scope
from memtools.domain.undoing import Step, edit_of
from memtools.domain.writes import with_name
from memtools.errors import Fault
from memtools.ports import ConditionFailed, PersonaStore


@pytest.fixture
def store(memory: Backend) -> PersonaStore:
    return memory.personas


def write(
    store: PersonaStore, scope: Scope, text: str, replaces: Document | None = None, name: str = "MEMORY.md"
) -> Document:
    return store.write(scope, Document(name=name, text=text, edit="add:1", writes=("w-" + text[:4],)), replaces)


@pytest.mark.parametrize("text", ["", "- a\n", "é 東京 🏳️‍🌈\r\n\tx  ", "x" * 50_000])
def test_what_was_written_is_what_is_read(store: PersonaStore, scope: Scope, text: str) -> None:
    document = store.write(scope, Document(name="USER.md", text=text, edit="add:1", writes=("a", "b")), None)
    found = store.read(scope, SOUL)["USER.md"]
    assert (found.text, found.edit, found.writes, found.version) == (text, "add:1", ("a", "b"), document.version)


def test_what_is_not_there_is_left_out(store: PersonaStore, scope: Scope) -> None:
    assert store.read(scope, SOUL) == {}
    assert store.versions(scope, "MEMORY.md", 5) == []


def test_memory_and_user_belong_to_agent_and_user_the_rest_to_the_agent(store: PersonaStore, scope: Scope) -> None:
    other = Scope(scope.agent, "bob")
    for name in SOUL:
        write(store, scope, name, name=name)
    assert set(store.read(other, SOUL)) == set(SOUL) - {"MEMORY.md", "USER.md"}
    assert store.read(Scope(scope.agent + "x", scope.user), SOUL) == {}


def test_each_write_is_a_new_version_that_names_the_one_it_replaced(store: PersonaStore, scope: Scope) -> None:
    first = write(store, scope, "one")
    second = write(store, scope, "two", first)
    assert first.version != second.version
    found = store.versions(scope, "MEMORY.md", 5)
    assert [one.text for one in found] == ["two", "one"]
    assert [one.replaces for one in found] == [first.version, ABSENT]
    assert all(one.written_at for one in found)
    assert [one.text for one in store.versions(scope, "MEMORY.md", 1)] == ["two"]


def test_creating_what_is_there_loses_and_writes_nothing(store: PersonaStore, scope: Scope) -> None:
    write(store, scope, "one")
    with pytest.raises(ConditionFailed):
        write(store, scope, "two")
    assert store.read(scope, ["MEMORY.md"])["MEMORY.md"].text == "one"


def test_replacing_what_has_changed_loses_and_writes_nothing(store: PersonaStore, scope: Scope) -> None:
    first = write(store, scope, "one")
    write(store, scope, "two", first)
    with pytest.raises(ConditionFailed):
        write(store, scope, "three", first)
    assert [one.text for one in store.versions(scope, "MEMORY.md", 5)] == ["two", "one"]


def test_replacing_what_was_never_there_loses(store: PersonaStore, scope: Scope) -> None:
    ghost = replace(Document(name="MEMORY.md", text=""), tag='"0123456789abcdef0123456789abcdef"')
    with pytest.raises(ConditionFailed):
        write(store, scope, "one", ghost)
    assert store.read(scope, SOUL) == {}


def test_names_that_begin_alike_are_kept_apart(store: PersonaStore) -> None:
    first, second = Scope("look-alike", "u1"), Scope("look-alike", "u10")
    write(store, first, "one")
    assert store.versions(second, "MEMORY.md", 5) == []
    assert store.read(second, SOUL) == {}


def test_an_object_beside_a_document_is_none_of_its_versions(moto_memory: Backend, scope: Scope) -> None:
    """Somebody may keep a copy such as MEMORY.md.bak in the bucket; S3 lists it with the document."""
    store: Any = moto_memory.personas
    first = write(store, scope, "one")
    key = document_key(scope, "MEMORY.md") + ".bak"
    store._client.put_object(Bucket=store._bucket, Key=key, Body=b"copy")
    asked: list[str] = []
    store._client.meta.events.register("before-call.s3.GetObject", lambda **_: asked.append("version"))
    assert [one.version for one in store.versions(scope, "MEMORY.md", 5)] == [first.version]
    assert asked == ["version"]


def test_a_write_sent_again_is_named_by_what_is_there(store: PersonaStore, scope: Scope) -> None:
    """Its answer was lost, and another write followed: it fails, and a read finds its name."""
    mine = Document(name="MEMORY.md", text="- a\n", edit="add:1", writes=("mine",))
    first = store.write(scope, mine, None)
    theirs = replace(mine, text="- a\n- b\n", edit="add:2", writes=("theirs", *first.writes))
    store.write(scope, theirs, first)
    with pytest.raises(ConditionFailed):
        store.write(scope, mine, None)
    assert store.read(scope, ["MEMORY.md"])["MEMORY.md"].writes == ("theirs", "mine")
    assert [one.text for one in store.versions(scope, "MEMORY.md", 5)] == ["- a\n- b\n", "- a\n"]


def test_any_version_that_is_kept_can_be_read(store: PersonaStore, scope: Scope) -> None:
    first = write(store, scope, "one")
    second = write(store, scope, "two", first)
    for version in (first, second):
        found = store.version(scope, "MEMORY.md", version.version)
        assert found
        assert (found.version, found.text, found.edit) == (version.version, version.text, version.edit)
        assert (found.replaces, found.writes) == (version.replaces, version.writes)
    assert store.version(scope, "USER.md", first.version) is None
    assert store.version(Scope(scope.agent, "bob"), "MEMORY.md", first.version) is None


@pytest.mark.parametrize("name", ["none", "#7", "?", "imported", "é", "x" * 900])
def test_a_version_that_never_was_is_none(store: PersonaStore, scope: Scope, name: str) -> None:
    write(store, scope, "one")
    assert store.version(scope, "MEMORY.md", name) is None


@pytest.mark.parametrize(("code", "known"), [("InvalidArgument", True), ("MethodNotAllowed", True), ("Odd", False)])
def test_what_s3_says_of_a_version_that_is_none(
    moto_memory: Backend, scope: Scope, monkeypatch: pytest.MonkeyPatch, code: str, known: bool
) -> None:
    """A text that cannot name a version, and a deletion marker, are no versions; anything else is a failure."""
    store: Any = moto_memory.personas

    def get_object(**_: Any) -> Any:
        raise ClientError({"Error": {"Code": code, "Message": ""}}, "GetObject")

    monkeypatch.setattr(store._client, "get_object", get_object)
    if known:
        assert store.version(scope, "MEMORY.md", "x") is None
    else:
        with pytest.raises(Fault):
            store.version(scope, "MEMORY.md", "x")


def test_all_names_of_writes_fit_beside_the_longest_edit(store: PersonaStore, scope: Scope) -> None:
    """S3 takes 2 KB of metadata; the versions of its documents have names of 32 characters."""
    names: tuple[str, ...] = ()
    for number in range(200):
        names = with_name(f"{number:020}", names)
    step = Step("replace", "v" * 32, "w" * 32)
    document = Document(name="MEMORY.md", text="x", edit=edit_of(step), writes=names)
    first = store.write(scope, document, None)
    assert store.read(scope, ["MEMORY.md"])["MEMORY.md"].writes == names == first.writes
    metadata = {"edit": document.edit, "replaces": "v" * 32, "writes": ",".join(names), "written": "t" * 27}
    assert sum(len(name) + len(value) for name, value in metadata.items()) < 2048


def test_deletion_markers_and_neighbours_take_no_place_among_versions(moto_memory: Backend, scope: Scope) -> None:
    """FAULTS A13: a history of two has the two newest versions, whatever else the bucket lists between them."""
    store: Any = moto_memory.personas
    key = document_key(scope, "MEMORY.md")
    write(store, scope, "one")
    for _ in range(3):
        store._client.delete_object(Bucket=store._bucket, Key=key)
        store._client.put_object(Bucket=store._bucket, Key=key + ".bak", Body=b"copy")
    write(store, scope, "two")
    assert [one.text for one in store.versions(scope, "MEMORY.md", 2)] == ["two", "one"]
    assert [one.text for one in store.versions(scope, "MEMORY.md", 1)] == ["two"]
