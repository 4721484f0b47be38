"""memory_edit and memory_read: whole or refused, to the letter."""

from dataclasses import replace
from typing import Any

import pytest
from memtools.backend import Backend
from memtools.domain.document import Document
from memtools.domain.scope import Scope
from memtools.errors import Conflict, NotFound, TooLarge

from tests.calls import Caller


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


def test_undo_puts_back_the_previous_version_as_a_new_one(ana: Caller) -> None:
    ana.edit(action="add", text="one")
    second = ana.edit(action="add", text="two")
    undone = ana.edit(action="undo")
    assert undone["text"] == "- one\n"
    assert undone["message"] == "ok (undo → MEMORY.md); loads next session"
    again = ana.edit(action="undo")
    assert again["version"] == undone["version"]
    assert ana.edit(action="undo", version=undone["version"])["text"] == second["text"]
    assert [one["change"] for one in ana.history(target="self")["versions"]] == ["undo", "undo", "add", "add"]


def test_undo_of_the_first_version_leaves_nothing(ana: Caller) -> None:
    ana.edit(action="add", text="one")
    assert ana.edit(action="undo")["text"] == ""


def test_undo_without_a_document_or_with_a_stale_version_is_refused(ana: Caller) -> None:
    with pytest.raises(NotFound):
        ana.edit(action="undo")
    old = ana.edit(action="add", text="one")["version"]
    ana.edit(action="add", text="two")
    with pytest.raises(Conflict):
        ana.edit(action="undo", version=old)
    assert text_of(ana) == "- one\n- two\n"


def test_an_undo_overtaken_by_an_edit_undoes_that_edit(ana: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody writes between its two reads: it starts again, and goes back one step from what stands there."""
    ana.edit(action="add", text="one")
    ana.edit(action="add", text="two")
    plain, others = ana.memory.personas.versions, iter(["three"])

    def versions(*arguments: Any) -> list[Document]:
        for text in others:
            ana.edit(action="add", text=text)
        return plain(*arguments)

    monkeypatch.setattr(ana.memory.personas, "versions", versions)
    assert ana.edit(action="undo")["text"] == "- one\n- two\n"
    assert [one["change"] for one in ana.history(target="self")["versions"]] == ["undo", "add", "add", "add"]


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
