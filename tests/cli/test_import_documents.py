"""MEMORY.md and USER.md are imported to the byte, all of them or none."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from memtools_cli import documents
from memtools_cli.documents import combined
from memtools_cli.formats.blocks import blocks_of, lines_of

from tests.calls import Caller
from tests.cli.worlds import Run

TEXTS = {
    "marks": "C# for the win\n\nRoom # 12\n\n> # quoted\n\n\\# no heading\n\n    # indented code\n",
    "fence": "# Notes\n\n```sh\n# a comment\n- no entry\n```\n",
    "items": "- One\n  - nested # 1\n\n  more\n* Two\n1. Three\n",
    "line ends": "# A\r\n\r\n- One\r\n- Two\r\n",
    "no end": "- One",
    "other marks": "a\x0bb\x0cc\u2028d\u0085e\n\n[link]: http://example.com\n\n<!-- a comment -->\n",
    "other scripts": "# 日本語\n\n- كتاب\n- Ünïcode 😀\n",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_document_arrives_to_the_byte(text: str, api: Run, ana: Caller, tmp_path: Path) -> None:
    """Structure and all, with the line ends of the document; imported again, nothing changes."""
    (tmp_path / "MEMORY.md").write_bytes(text.encode())
    text = text.replace("\r\n", "\n")
    assert api("import", tmp_path, "--strict").code == 0
    assert ana.read(target="self")["text"] == text
    ended = api("import", tmp_path)
    assert (ended.code, ended.reply["entries"], ana.read(target="self")["text"]) == (0, 0, text)


def test_new_blocks_come_below_what_is_there(api: Run, ana: Caller, tmp_path: Path) -> None:
    ana.edit(action="add", text="Brief")
    (tmp_path / "MEMORY.md").write_text("# Style\n\n- Brief\n- Kind\n\n# Tools\n\n- make\n", "utf-8")
    ended = api("import", tmp_path)
    assert (ended.reply["entries"], ended.reply["knownEntries"]) == (2, 1)
    assert ana.read(target="self")["text"] == "- Brief\n\n# Style\n\n- Kind\n\n# Tools\n\n- make\n"


@pytest.mark.parametrize("known", ["", "Brief"])
def test_without_room_nothing_is_written(known: str, api: Run, ana: Caller, tmp_path: Path) -> None:
    """Neither the other document nor a fact, though they come first."""
    if known:
        ana.edit(action="add", text=known)
    before = ana.read(target="self")["text"], ana.read(target="user")["text"]
    (tmp_path / "MEMORY.md").write_text("- Fits\n", "utf-8")
    (tmp_path / "USER.md").write_text("".join(f"- Entry {number}\n" for number in range(20_000)), "utf-8")
    (tmp_path / "notes.md").write_text("A fact", "utf-8")
    ended = api("import", tmp_path)
    assert (ended.code, ended.reply["error"]["code"]) == (1, "too_large")
    assert (ana.read(target="self")["text"], ana.read(target="user")["text"]) == before
    assert ana.all() == []


def test_parts_between_section_signs_are_entries(api: Run, ana: Caller, tmp_path: Path) -> None:
    (tmp_path / "memories").mkdir()
    (tmp_path / "memories" / "MEMORY.md").write_text("One\n§\nTwo\nlines\n§\nPrice § 5\n", "utf-8")
    assert api("import", tmp_path).code == 0
    assert ana.read(target="self")["text"] == "- One\n- Two\n  lines\n- Price § 5\n"


def test_front_matter_is_named(api: Run, ana: Caller, tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text("---\ntitle: Mine\n---\n- One\n", "utf-8")
    ended = api("import", tmp_path)
    assert [one.partition(":")[0] for one in ended.reply["leftOut"]] == ["MEMORY.md, front matter `title`"]
    assert ana.read(target="self")["text"] == "- One\n"


markdown = st.text(st.sampled_from("ab -*#\n`1.>[]:\r\t"), max_size=60)


@given(markdown)
def test_blocks_hold_every_line_that_says_something(text: str) -> None:
    """Whatever the parser makes of it."""
    said = [line.strip() for line in lines_of(text) if line.strip()]
    held = [line.strip() for block in blocks_of(text) for line in lines_of(block.source) if line.strip()]
    assert held == said


@settings(max_examples=300)
@given(markdown, markdown)
def test_a_second_import_changes_nothing(before: str, text: str) -> None:
    once = combined(before, text)[0]
    assert combined(once, text)[0] == once


def test_an_import_killed_between_two_writes_goes_on(ana: Caller) -> None:
    """The line that stood in the document meanwhile is replaced, whatever is there besides."""

    class Killed(BaseException):
        pass

    def until_replaced(tool: str, arguments: Mapping[str, Any]) -> Any:
        if arguments.get("action") == "replace":
            raise Killed
        return call(tool, arguments)

    def call(tool: str, arguments: Mapping[str, Any]) -> Any:
        return getattr(ana, tool.removeprefix("memory_"))(**arguments)

    with pytest.raises(Killed):
        documents.write(until_replaced, {"self": "# A\n\n- One\n"})
    ana.edit(action="add", text="Two")
    documents.write(call, {"self": "# A\n\n- One\n"})
    assert ana.read(target="self")["text"] == "- Two\n\n# A\n\n- One\n"
