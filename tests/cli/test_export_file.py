"""The file of an export: what is damaged is refused by line, without a store."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from memtools.adapters.archive.records import DocumentVersion, Record, Replaced, values_of
from memtools.domain.trace import Embedding, Trace
from memtools_cli.export_file import HEADER, line_of, read_export
from memtools_cli.failures import BadUsage

NOW = datetime(2026, 11, 30, tzinfo=UTC)
TRACE = Trace(id="mt_1", content="One", created_at=NOW, changed_at=NOW, embedding=Embedding("m", b"\x01\xff"))
RECORDS: list[Record] = [TRACE, Replaced(TRACE, 1_800_000_000), DocumentVersion(name="MEMORY.md", data=b"- Brief\n")]
FIRST, ONE, *REST = (
    *map(line_of, [HEADER, *map(values_of, RECORDS)]),
    line_of({"kind": "end", "traces": 1, "history": 1, "documentVersions": 1}),
)


def test_lines_come_back_as_records(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("".join([FIRST, ONE, *REST]), "utf-8")
    found = read_export(file)
    assert [*found.records, *found.documents["MEMORY.md"]] == RECORDS


@pytest.mark.parametrize(
    "lines",
    {
        "cut off": [FIRST, ONE[:20]],
        "cut at a line": [FIRST, ONE],
        "without an end": [FIRST, ONE, *REST[:-1]],
        "without a line": [FIRST, *REST],
        "a line twice": [FIRST, ONE, ONE, *REST],
        "a line of another kind": [FIRST, '{"kind": "friend"}\n', *REST],
        "unknown attribute": [FIRST, line_of({**values_of(TRACE), "mood": "good"}), *REST],
        "content that is no text": [FIRST, line_of({**values_of(TRACE), "content": 5}), *REST],
        "half a character": [FIRST, json.dumps({**values_of(TRACE), "content": "\ud800"}) + "\n", *REST],
        "not JSON": [FIRST, "x\n", *REST],
        "another version": ['{"kind":"memtools-export","format":2}\n', ONE, *REST],
        "nothing": [],
    }.values(),
    ids=str,
)
def test_a_damaged_export_is_refused(lines: list[str], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("".join(lines), "utf-8")
    with pytest.raises(BadUsage):
        read_export(tmp_path / "file")
