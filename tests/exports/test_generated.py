"""``python -m generate``: what is committed is what the catalogue makes, and what the command answers."""

import json
import subprocess
import sys

import pytest
from memtools.catalogue import TOOLS

from generate import readme
from generate.__main__ import files, main, stale
from generate.exports import FORMATS, explain, tools_of

every_format = pytest.mark.parametrize("form", FORMATS)


def test_every_generated_file_is_up_to_date() -> None:
    """After a change of the catalogue: make generate."""
    assert stale() == []


def test_every_format_has_its_file() -> None:
    assert set(FORMATS) <= {path.stem for path in files()}


@every_format
def test_the_command_prints_an_export(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--format", form, "--function", "search"]) == 0
    assert json.loads(capsys.readouterr().out) == FORMATS[form](tools_of("search"))


@every_format
def test_the_command_explains_an_export(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--format", form, "--explain"]) == 0
    assert json.loads(capsys.readouterr().out) == explain(form, TOOLS.values())


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--format", "soap"], "soap"),
        (["--format", "openai", "--function", "forget"], "forget"),
        (["--function", "add"], "--format"),
        (["--format", "openai", "--check"], "--check"),
    ],
)
def test_a_wrong_call_gets_one_line(arguments: list[str], named: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert named in printed.err


def test_no_function_imports_what_generates() -> None:
    """It lies outside the layer, and json schemas are for build time."""
    code = "import sys, memtools.handler; print(*sys.modules, sep='\\n')"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "memtools.catalogue" in loaded
    assert not [name for name in loaded if name.partition(".")[0] == "generate"]


def test_the_readme_has_a_row_for_each_tool() -> None:
    rows = readme.table().splitlines()[2:]
    assert [row.split("`")[1] for row in rows] == list(TOOLS)
    assert all(row.count(" | ") == 3 and row.endswith(". |") for row in rows)
    search = rows[list(TOOLS).index("memory_search")]
    assert (
        "| `query`, `limit?` = 20, `tokenBudget?`, `tags?`, `anyTags?`, `withoutTags?`, `since?`, `until?`," in search
    )
