"""How a command ends: in any encoding, at a signal, with nothing to erase."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from memtools.domain.scope import Scope
from memtools_cli import connection
from memtools_cli.signals import Stopped, raised

from local.service import Service
from local.template import ROOT
from tests.calls import Caller
from tests.cli.worlds import Run, whose

ODD = "Arrow → 😀 é 日本"


def separately(encoding: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """The command line in a process with this encoding."""
    paths = os.pathsep.join(str(ROOT / one) for one in ("cli", "clients/python", "layers/memory"))
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONPATH": paths}
    command = [sys.executable, "-m", "memtools_cli", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, check=False)


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "cp932", "latin-1", "utf-8"])
def test_a_reply_is_printed_in_any_encoding(encoding: str, running: Service, ana: Caller) -> None:
    """Exit code 0; what the encoding lacks comes as escapes, and JSON stays JSON with the same text."""
    ana.remember(ODD)
    where = ("--url", running.url, *whose(ana.scope))
    ended = separately(encoding, "list", *where, "--json")
    assert ended.returncode == 0
    assert json.loads(ended.stdout.decode(encoding))["results"][0]["content"] == ODD
    ended = separately(encoding, "list", *where)
    assert (ended.returncode, b"Arrow" in ended.stdout) == (0, True)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_says_how_to_go_on(number: int, bare: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def long_call(*_: object) -> None:
        os.kill(os.getpid(), number)

    monkeypatch.setattr(connection, "call", long_call)
    before = signal.signal(number, signal.SIG_DFL)  # whoever runs the tests may ignore it
    try:
        ended = bare("list", "--url", "http://127.0.0.1:9", "--agent", "a", "--user", "u", "--json")
        assert signal.getsignal(number) is signal.SIG_DFL
    finally:
        signal.signal(number, before)
    assert ended.code == 128 + number
    assert "same command" in ended.err
    assert ended.reply["error"]["code"] == "interrupted"


def test_a_second_signal_does_not_disturb_the_end() -> None:
    """`make` sends one to what it runs, and the terminal another."""
    with raised():
        with pytest.raises(Stopped):
            os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGINT)


def test_an_ignored_signal_stays_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with raised():
            os.kill(os.getpid(), signal.SIGHUP)
            with pytest.raises(Stopped):
                os.kill(os.getpid(), signal.SIGTERM)
    finally:
        signal.signal(signal.SIGHUP, before)


def test_erasing_nothing_is_told(ana: Caller, run: Run, tmp_path: Path) -> None:
    """A typing error in a name does not look like an erasure, and leaves no receipt."""
    ana.remember("One")
    receipt = tmp_path / "receipt"
    ended = run("erase", *whose(Scope(ana.scope.agent, f"{ana.scope.user}x")), "--yes", "--receipt", receipt)
    assert (ended.code, ended.reply["error"]["code"], receipt.exists()) == (1, "not_found", False)
    assert run("erase", *whose(ana.scope), "--yes", "--receipt", receipt).code == 0
    assert run("erase", *whose(ana.scope), "--yes", "--receipt", tmp_path / "again").code == 1


def test_the_version_is_printed(bare: Run) -> None:
    ended = bare("--version")
    assert (ended.code, ended.out) == (0, "memtools 0.1.0\n")


def test_problems_come_first(run: Run) -> None:
    """`doctor` on a table that is not there."""
    findings = run("doctor", "--index", "none").reply["findings"]
    states = [one["state"] for one in findings]
    assert states == sorted(states, key=["problem", "warning", "ok"].index)
    assert states[0] == "problem"
