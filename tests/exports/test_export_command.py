"""``python -m memtools.catalogue``: what it prints, what it writes, and what it says of a wrong call."""

import json
from pathlib import Path

import pytest
from memtools.catalogue import TOOLS
from memtools.catalogue.__main__ import as_text, main
from memtools.catalogue.exports import FORMATS, explain, tools_of

every_format = pytest.mark.parametrize("form", FORMATS)


@every_format
def test_the_command_prints_the_export(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["--format", form, "--function", "search"])
    assert json.loads(capsys.readouterr().out) == FORMATS[form](tools_of("search"))


@every_format
def test_the_command_explains(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["--format", form, "--explain"])
    assert json.loads(capsys.readouterr().out) == explain(form, TOOLS.values())


def test_the_command_writes_all_formats(tmp_path: Path) -> None:
    main(["--write", str(tmp_path / "new")])
    for form in FORMATS:
        assert (tmp_path / "new" / f"{form}.json").read_text(encoding="utf-8") == as_text(FORMATS[form](tools_of(None)))


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--format", "soap"], "soap"),
        (["--format", "openai", "--function", "forget"], "forget"),
        ([], "--format"),
        (["--write", "exports", "--function", "add"], "--write"),
    ],
)
def test_a_wrong_call_is_told_in_one_line(arguments: list[str], named: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert named in printed.err
