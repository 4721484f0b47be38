"""memory_edit and memory_read: whole or refused, to the letter."""

from dataclasses import replace
from typing import Any

import pytest
from memtools.backend import Backend
from memtools.domain.document import Document
from memtools.domain.scope import Scope
from memtools.errors import Conflict, NotFound, TooLarge, Unavailable

from tests.calls import Caller
from tests.fakes import FakePersonas


def text_of(caller: Caller, target: str = "self") -> str:
    text: str = caller.read(target=target)["text"]
    return text


def test_an_edit_returns_the_document_and_its_text(ana: Caller) -> None:
    reply = ana.edit(action="add", text="likes tea")
    assert reply["message"] == "ok (add → MEMORY.md); loads next session"
    assert reply["text"] == "- likes tea\n"
    assert ana.read(target="self") == {"text": "- likes tea\n", "version": reply["version"], "found": ["MEMORY.md"]}
    assert ana.edit(action="add", text="Ana", target="user")["message"] == "ok (add → USER.md); loads next session"


def test_an_exact_duplicate_is_a_success_that_writes_nothing(ana: Caller) -> None:
    first = ana.edit(action="add", text="likes tea")
    ana.edit(action="add", text="likes jam")
    again = ana.edit(action="add", text="- likes tea")
    assert "nothing written" in again["message"]
    assert again["text"] == "- likes tea\n- likes jam\n"
    assert again["version"] != first["version"]


@pytest.mark.parametrize("action", [{"action": "remove"}, {"action": "replace", "with_": "b"}])
def test_an_edit_that_finds_nothing_tells_the_entries(ana: Caller, action: dict[str, str]) -> None:
    ana.edit(action="add", text="one")
    before = ana.edit(action="add", text="two\nlines")
    with pytest.raises(NotFound) as refused:
        ana.edit(text="three", **action)
    assert refused.value.details["entries"] == ["one", "two\nlines"]
    assert ana.read(target="self")["version"] == before["version"]


def test_an_edit_of_a_document_that_is_not_there_is_not_found(ana: Caller) -> None:
    with pytest.raises(NotFound):
        ana.edit(action="remove", text="x")
    assert ana.read(target="self") == {"text": "", "version": "none", "found": []}


def test_a_stale_version_is_refused_with_the_current_text(ana: Caller) -> None:
    old = ana.edit(action="add", text="one")
    new = ana.edit(action="add", text="two")
    with pytest.raises(Conflict) as refused:
        ana.edit(action="replace", text="one", with_="1", version=old["version"])
    assert refused.value.details == {"version": new["version"], "text": "- one\n- two\n"}
    assert text_of(ana) == "- one\n- two\n"
    assert ana.edit(action="replace", text="one", with_="1", version=new["version"])["text"] == "- 1\n- two\n"


def test_without_a_version_an_edit_applies_to_the_fresh_text(ana: Caller) -> None:
    ana.edit(action="add", text="one")
    ana.edit(action="add", text="x" * 8000)
    assert ana.edit(action="replace", text="one", with_="1")["text"].startswith("- 1\n- xxx")


def test_the_same_replace_sent_again_is_one_replace(ana: Caller) -> None:
    ana.edit(action="add", text="tea")
    first = ana.edit(action="replace", text="tea", with_="tea and jam")
    again = ana.edit(action="replace", text="tea", with_="tea and jam")
    assert (again["text"], again["version"]) == (first["text"], first["version"])


def test_a_repeated_edit_with_its_old_version_does_not_conflict(ana: Caller) -> None:
    base = ana.edit(action="add", text="tea")["version"]
    first = ana.edit(action="replace", text="tea", with_="jam", version=base)
    again = ana.edit(action="replace", text="tea", with_="jam", version=base)
    assert again["version"] == first["version"]


def test_every_kind_of_edit_respects_the_limit(ana: Caller) -> None:
    ana.edit(action="add", text="a" * 9000)
    ana.edit(action="add", text="short")
    before = ana.read(target="self")
    for arguments in (
        {"action": "add", "text": "b" * 9000},
        {"action": "replace", "text": "short", "with_": "b" * 9000},
    ):
        with pytest.raises(TooLarge) as refused:
            ana.edit(**arguments)
        assert refused.value.details["limit"] == 16_000
        assert refused.value.details["size"] > 16_000
        assert max(one["length"] for one in refused.value.details["longest"]) == 9000
    assert ana.read(target="self") == before


def test_a_document_beyond_the_limit_can_be_read_and_trimmed(ana: Caller) -> None:
    """A document that grew beyond the limit elsewhere is returned whole, and edits can make it shorter."""
    large = "".join(f"- entry {number} {'x' * 1000}\n" for number in range(20))
    ana.memory.personas.write(ana.scope, Document(name="MEMORY.md", text=large, writes=("w",)), None)
    assert text_of(ana) == large
    trimmed = ana.edit(action="remove", text=f"- entry 3 {'x' * 1000}\n")["text"]
    assert len(trimmed) == len(large) - len(f"- entry 3 {'x' * 1000}\n")
    with pytest.raises(TooLarge):
        ana.edit(action="add", text="one more")


def test_undo_says_what_it_took_back(ana: Caller) -> None:
    """A6: each undo goes one change further back, names it, and makes a new version."""
    versions = [ana.edit(action="add", text=text)["version"] for text in ("one", "two", "three")]
    ana.edit(action="replace", text="three", with_="3")
    changed = ana.read(target="self")["version"]
    steps = [ana.edit(action="undo") for _ in range(4)]
    assert [one["text"] for one in steps] == ["- one\n- two\n- three\n", "- one\n- two\n", "- one\n", ""]
    assert [one["undone"] for one in steps] == [
        {"change": "replace", "version": changed, "backTo": versions[2]},
        {"change": "add", "version": versions[2], "backTo": versions[1]},
        {"change": "add", "version": versions[1], "backTo": versions[0]},
        {"change": "add", "version": versions[0], "backTo": "none"},
    ]
    assert f"took back `replace`, which had made version {changed}" in steps[0]["message"]
    assert [one["change"] for one in ana.history(target="self")["versions"]][:5] == [*["undo"] * 4, "replace"]
    with pytest.raises(NotFound):
        ana.edit(action="undo")
    assert text_of(ana) == ""


def test_an_edit_after_undos_starts_a_new_line(ana: Caller) -> None:
    """A6: undo takes that edit back first, then goes on before the ones that were undone."""
    for text in ("one", "two", "three"):
        ana.edit(action="add", text=text)
    ana.edit(action="undo")
    ana.edit(action="undo")
    ana.edit(action="add", text="four")
    assert [ana.edit(action="undo")["text"] for _ in range(2)] == ["- one\n", ""]
    ana.edit(action="add", text="five")
    assert ana.edit(action="undo")["text"] == ""
    with pytest.raises(NotFound):
        ana.edit(action="undo")


def test_an_undo_with_its_old_version_is_the_same_undo(ana: Caller) -> None:
    """A5: without a key, the version tells an undo sent again from the next one."""
    for text in ("one", "two", "three"):
        version = ana.edit(action="add", text=text)["version"]
    first = ana.edit(action="undo", version=version)
    assert ana.edit(action="undo", version=version) == first
    assert ana.edit(action="undo", version=first["version"])["text"] == "- one\n"
    with pytest.raises(Conflict):
        ana.edit(action="undo", version=version)


def test_undo_takes_back_what_somebody_wrote_past_the_tools(memory: Backend, scope: Scope) -> None:
    """An operator's write names no version that it replaced: the order of the versions tells."""
    ana = Caller(memory, scope)
    first = ana.edit(action="add", text="one")["version"]
    outside = [written_outside(memory, scope, text) for text in ("theirs\n", "theirs again\n")]
    ana.edit(action="add", text="two")
    steps = [ana.edit(action="undo") for _ in range(4)]
    assert [one["text"] for one in steps] == ["theirs again\n", "theirs\n", "- one\n", ""]
    assert [one["undone"]["change"] for one in steps] == ["add", "outside", "outside", "add"]
    assert [one["undone"]["backTo"] for one in steps] == [outside[1], outside[0], first, "none"]


def test_a_document_with_crlf_keeps_it(memory: Backend, scope: Scope) -> None:
    """E4: text given with either line end is found, and what is added has the document's."""
    ana = Caller(memory, scope)
    written_outside(memory, scope, "# Notes\r\n\r\n- one\r\n  more\r\n")
    ana.edit(action="add", text="two\nlines")
    ana.edit(action="replace", text="one\nmore", with_="1\n2\r\n3")
    assert ana.edit(action="add", text="two\r\nlines")["changed"] is False
    assert text_of(ana) == "# Notes\r\n\r\n- 1\r\n  2\r\n  3\r\n- two\r\n  lines\r\n"
    assert ana.edit(action="remove", text="two\nlines")["text"] == "# Notes\r\n\r\n- 1\r\n  2\r\n  3\r\n"


def test_undo_of_what_somebody_wrote_first_is_refused(memory: Backend, scope: Scope) -> None:
    ana = Caller(memory, scope)
    written_outside(memory, scope, "theirs\n")
    ana.edit(action="add", text="one")
    assert ana.edit(action="undo")["text"] == "theirs\n"
    with pytest.raises(NotFound):
        ana.edit(action="undo")
    assert text_of(ana) == "theirs\n"


def written_outside(memory: Backend, scope: Scope, text: str) -> str:
    """Write MEMORY.md as an operator does, past the tools; its version."""
    personas: Any = memory.personas
    if isinstance(personas, FakePersonas):
        current = personas.read(scope, ["MEMORY.md"]).get("MEMORY.md")
        stored = personas.write(scope, Document(name="MEMORY.md", text=text), current)
        personas._versions[scope.agent, scope.user, "MEMORY.md"][-1] = replace(stored, replaces=None)
        return stored.version
    if hasattr(personas, "_file"):
        current = personas.read(scope, ["MEMORY.md"]).get("MEMORY.md")
        stored = personas.write(scope, Document(name="MEMORY.md", text=text), current)
        with personas._file.writing() as connection:
            connection.execute("UPDATE documents SET replaces = NULL WHERE version = ?", [stored.version])
        return str(stored.version)
    from memtools.adapters.documents import document_key

    answer = personas._client.put_object(
        Bucket=personas._bucket, Key=document_key(scope, "MEMORY.md"), Body=text.encode()
    )
    return str(answer["VersionId"])


def test_undo_ends_where_versions_are_no_longer_kept(ana: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    ana.edit(action="add", text="one")
    ana.edit(action="add", text="two")
    monkeypatch.setattr(ana.memory.personas, "version", lambda *_: None)
    with pytest.raises(NotFound, match="kept"):
        ana.edit(action="undo")
    assert text_of(ana) == "- one\n- two\n"


def test_undo_without_a_document_or_with_a_stale_version_is_refused(ana: Caller) -> None:
    with pytest.raises(NotFound):
        ana.edit(action="undo")
    old = ana.edit(action="add", text="one")["version"]
    ana.edit(action="add", text="two")
    with pytest.raises(Conflict):
        ana.edit(action="undo", version=old)
    assert text_of(ana) == "- one\n- two\n"


def test_an_undo_overtaken_by_an_edit_undoes_that_edit(ana: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody writes between its reads: it starts again, and goes back one step from what is there then."""
    ana.edit(action="add", text="one")
    ana.edit(action="add", text="two")
    plain, others = ana.memory.personas.version, iter(["three"])

    def version(*arguments: Any) -> Document | None:
        for text in others:
            ana.edit(action="add", text=text)
        return plain(*arguments)

    monkeypatch.setattr(ana.memory.personas, "version", version)
    assert ana.edit(action="undo")["text"] == "- one\n- two\n"
    assert [one["change"] for one in ana.history(target="self")["versions"]] == ["undo", "add", "add", "add"]


def test_a_replacement_that_is_there_already_is_not_made_again(ana: Caller) -> None:
    """A4: without a key, the state decides, unless the call names a version."""
    ana.edit(action="add", text="a cat")
    edit = {"action": "replace", "text": "cat", "with_": "cat and dog"}
    ana.edit(**edit)
    version = ana.edit(action="add", text="milk")["version"]
    assert ana.edit(**edit)["changed"] is False
    assert text_of(ana) == "- a cat and dog\n- milk\n"
    assert ana.edit(**edit, version=version)["text"] == "- a cat and dog and dog\n- milk\n"


@pytest.mark.parametrize("action", ["undo", "add"])
def test_an_unanswered_undo_without_key_or_version_is_told_as_uncertain(
    ana: Caller, action: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sent again, it could be a second undo; with a key or a version, and for other edits, it could not."""
    version = ana.edit(action="add", text="one")["version"]

    def write(*_: Any) -> Document:
        raise Unavailable("No answer.")

    monkeypatch.setattr(ana.memory.personas, "write", write)
    text = {} if action == "undo" else {"text": "two"}
    told = []
    for caller, more in ((ana, {}), (ana.keyed("k"), {}), (ana, {"version": version})):
        with pytest.raises(Unavailable) as refused:
            caller.edit(action=action, **text, **more)
        told.append(refused.value.retryable)
    assert told == [action != "undo", True, True]


def test_the_history_of_a_document_tells_every_version(ana: Caller) -> None:
    ana.edit(action="add", text="one")
    ana.edit(action="replace", text="one", with_="1")
    versions = ana.history(target="self")["versions"]
    assert [(one["change"], one["content"]) for one in versions] == [("replace", "- 1\n"), ("add", "- one\n")]
    assert versions[0]["version"] == ana.read(target="self")["version"]
    assert ana.history(target="user") == {"versions": []}
    assert len(ana.history(target="self", limit=1)["versions"]) == 1


def test_the_soul_has_its_parts_in_order_and_skips_what_is_absent(memory: Backend, scope: Scope) -> None:
    ana = Caller(memory, scope)
    assert ana.read() == {"text": "", "version": "none", "found": []}
    for name in ("SOUL.md", "AGENTS.md", "HEARTBEAT.md"):
        memory.personas.write(scope, Document(name=name, text=f"\n{name} text \n", writes=("w",)), None)
    first = ana.edit(action="add", text="note")
    soul = ana.read()
    assert soul["found"] == ["AGENTS.md", "SOUL.md", "HEARTBEAT.md", "MEMORY.md"]
    assert soul["text"] == (
        "## AGENTS.md\n\nAGENTS.md text\n\n## SOUL.md\n\nSOUL.md text\n\n## HEARTBEAT.md\n\nHEARTBEAT.md text"
        "\n\n## MEMORY.md\n\n- note"
    )
    ana.edit(action="add", text="another", version=first["version"])
    assert ana.read()["version"] != soul["version"]


def test_the_limit_of_a_document_is_a_setting(memory: Backend, scope: Scope) -> None:
    with pytest.raises(TooLarge):
        Caller(replace(memory, document_limit=10), scope).edit(action="add", text="0123456789")
