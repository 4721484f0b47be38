"""Every command on a memory in a file on this machine, without table, bucket or service; and moves up and down."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from memtools.domain.scope import Scope
from memtools.ports import ConditionFailed
from memtools_cli.options import ToolsOptions

from tests.calls import Caller
from tests.cli.worlds import Run, lines, live_a_life, runner, whose
from tests.fakes import FakeClock
from tests.memories import over_file

ANA = Scope("helper", "ana")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "memory of ana"


@pytest.fixture
def here(capsys: pytest.CaptureFixture[str], folder: Path) -> Run:
    """The command line on the folder."""
    return runner(capsys, "--data", str(folder), "--json")


@pytest.fixture
def ana_here(folder: Path, clock: FakeClock) -> Caller:
    """Somebody with a memory in the folder."""
    return Caller(over_file(folder / "memory.db", clock.now), ANA)


def test_tools_work_on_the_file_from_one_command_to_the_next(here: Run) -> None:
    assert here("add", "Ana sails", *whose(ANA)).reply["saved"][0]["content"] == "Ana sails"
    assert [one["content"] for one in here("search", "who sails?", *whose(ANA)).reply["results"]] == ["Ana sails"]
    assert here("edit", "add", "--text", "Brief", *whose(ANA)).code == 0
    assert here("read", "--target", "self", *whose(ANA)).reply["text"] == "- Brief\n"
    assert here("call", "memory_fly", *whose(ANA)).reply["error"]["code"] == "not_found"


def test_what_is_not_named_is_the_home_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("MEMTOOLS_DATA")
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert ToolsOptions().chosen() == ("data", str(tmp_path / ".memtools"))
    monkeypatch.setenv("MEMTOOLS_STACK", "s")
    assert ToolsOptions().chosen() == ("stack", "s")
    assert ToolsOptions(data="other").chosen() == ("data", "other")


def test_an_export_up_and_down_again_is_the_identity(
    ana_here: Caller, here: Run, run: Run, ana: Caller, tmp_path: Path
) -> None:
    """From the file to table and bucket, and back into another file."""
    live_a_life(ana_here, 36, quiet=30)
    first, second, third = (tmp_path / name for name in ("first", "second", "third"))
    assert here("export", first, *whose(ANA)).code == 0
    assert run("import", first, *whose(ana.scope)).code == 0
    assert run("export", second, *whose(ana.scope)).code == 0
    other = Scope("helper", "other/2 %")
    assert here("import", second, *whose(other)).code == 0
    assert here("export", third, *whose(other)).code == 0
    assert first.read_bytes() == second.read_bytes() == third.read_bytes()
    assert {line["kind"] for line in lines(first)} == {"memtools-export", "trace", "history", "document", "end"}
    assert {"live", "deleted", "merged"} == {one["status"] for one in lines(first) if one["kind"] == "trace"}


def test_a_deployed_memory_down_and_up_again_is_the_identity(ana: Caller, here: Run, run: Run, tmp_path: Path) -> None:
    live_a_life(ana, 18)
    first, second = tmp_path / "first", tmp_path / "second"
    assert run("export", first, *whose(ana.scope)).code == 0
    assert here("import", first, *whose(ANA)).code == 0
    assert here("export", second, *whose(ANA)).code == 0
    assert first.read_bytes() == second.read_bytes()


def test_an_imported_memory_lives_on(ana_here: Caller, here: Run, folder: Path, tmp_path: Path) -> None:
    """Merges and edits are undone, texts are known; a warm index sees the import; a second import changes nothing."""
    one, two, three = ana_here.remember("The oboe is hers", "She plays the oboe", "She left")
    ana_here.merge(traceIds=[one, two])
    ana_here.delete(traceId=three)
    for text in ("Brief", "Kind"):
        ana_here.edit(action="add", text=text)
    other = Caller(ana_here.memory, Scope("helper", "other"))
    assert other.contents("oboe") == []
    here("export", tmp_path / "file", *whose(ANA))
    for _ in range(2):
        assert here("import", tmp_path / "file", *whose(other.scope)).code == 0
    assert len(other.contents("oboe")) == 1
    assert other.unmerge(survivorId=one)["restoredIds"] == [two]
    assert other.restore(traceId=three)["restored"]
    assert other.add(facts=["SHE PLAYS THE OBOE"])["saved"] == []
    assert other.edit(action="undo")["text"] == "- Brief\n"
    assert here("import", tmp_path / "file", *whose(other.scope)).reply["error"]["code"] == "conflict"


def test_what_was_erased_is_nowhere_and_a_warm_process_forgets_it(
    ana_here: Caller, here: Run, folder: Path, clock: FakeClock, tmp_path: Path
) -> None:
    """No byte is left in the file or beside it, not even of what was changed or replaced before."""
    bob = Caller(ana_here.memory, Scope("helper", "bob"))
    (name,) = ana_here.remember("Ana owns a xylophone")
    ana_here.update(traceId=name, content="Ana sold the xylophone")
    ana_here.edit(action="add", text="Ask about the xylophone")
    bob.remember("Bob owns a marimba")
    warm = Caller(over_file(folder / "memory.db", clock.now), ANA)
    assert warm.contents("xylophone")
    ended = here("erase", *whose(ANA), "--yes", "--receipt", tmp_path / "receipt")
    assert (ended.code, ended.reply["verified"]) == (0, True)
    assert ended.reply["place"] == {"file": str(folder / "memory.db")}
    assert warm.contents("xylophone") == warm.all() == []
    assert warm.read(target="self")["text"] == ""
    assert bob.contents("marimba") == ["Bob owns a marimba"]
    stored = b"".join(file.read_bytes() for file in folder.iterdir())
    assert b"xylophone" not in stored
    assert b"marimba" in stored


def test_a_segment_made_before_an_erasure_is_not_saved_after_it(ana_here: Caller, here: Run, tmp_path: Path) -> None:
    """Neither the first one nor one that replaces another."""
    segments = ana_here.memory.segments
    for number, told in enumerate((None, segments.save(Scope("helper", "bob"), b"", None))):
        ana_here.remember("Ana owns a xylophone")
        assert here("erase", *whose(ANA), "--yes", "--receipt", tmp_path / f"receipt {number}").code == 0
        with pytest.raises(ConditionFailed):
            segments.save(ANA, b"xylophone", told)


def test_an_mcp_client_has_the_memory_without_a_service(here: Run, folder: Path) -> None:
    """Standard input and output alone; what it adds is there for every other command."""
    call = {"name": "memory_add", "arguments": {"facts": ["Ana sails"]}}
    lines = [{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}]
    command = [sys.executable, "-m", "memtools_cli", "mcp", "--data", str(folder), *whose(ANA)]
    said = subprocess.run(command, input=json.dumps(lines[0]) + "\n", capture_output=True, text=True, check=True)
    (reply,) = map(json.loads, said.stdout.splitlines())
    assert reply["result"]["structuredContent"]["saved"][0]["content"] == "Ana sails"
    assert here("list", *whose(ANA)).reply["results"][0]["content"] == "Ana sails"


def test_a_check_up_of_the_file(here: Run, ana_here: Caller, folder: Path) -> None:
    ana_here.remember("Ana sails")
    assert here("doctor").code == 0
    data = bytearray((folder / "memory.db").read_bytes())
    folder.joinpath("memory.db-wal").unlink(missing_ok=True)
    del ana_here
    folder.joinpath("memory.db").write_bytes(b"no database" + bytes(data[11:]))
    ended = here("doctor")
    assert ended.code == 1
    problems = [one for one in ended.reply["findings"] if one["state"] == "problem"]
    assert any(one["check"].startswith("file") for one in problems)
    assert all("copy of the file" in one["advice"] for one in problems)


def test_documents_of_the_agent_come_with_a_folder(here: Run, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "SOUL.md").write_text("Be kind.\n")
    (source / "MEMORY.md").write_text("- Brief\n")
    assert here("import", source, *whose(ANA)).reply["agentDocuments"] == 1
    assert "Be kind." in here("read", *whose(ANA)).reply["text"]


def test_the_file_and_its_log_are_for_their_owner_alone(ana_here: Caller, folder: Path) -> None:
    ana_here.remember("Ana sails")
    if os.name == "posix":
        assert {file.name: file.stat().st_mode & 0o777 for file in folder.iterdir()} == dict.fromkeys(
            ("memory.db", "memory.db-wal", "memory.db-shm"), 0o600
        )
        assert folder.stat().st_mode & 0o777 == 0o700


def test_a_memory_on_this_machine_loads_no_boto3() -> None:
    """It takes a third of a second that nobody has when an MCP client starts."""
    script = "import memtools.adapters.sqlite.traces, memtools.wiring, sys; print('boto3' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "False\n"
    )


def test_a_function_loads_no_sqlite() -> None:
    script = "import memtools.handler, sys; print('sqlite3' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "False\n"
    )
