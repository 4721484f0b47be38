"""`make local` and `memtools serve`: whose memory lasts, and who ends them without harm."""

import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
import requests
from memtools.config import Settings
from memtools_cli.service.running import ROUTES, running

from local.__main__ import main
from local.template import Template
from tests.deployed import Deployed
from tests.local.doors import HOSTILE, ask
from tests.served import SECONDS, ended, local_service

CALLER = {"x-memory-agent": "helper", "x-memory-user": "maya"}


def call(url: str, tool: str, **arguments: Any) -> Any:
    reply = requests.post(f"{url}/tools/memory_{tool}", json=arguments, headers=CALLER, timeout=SECONDS)
    reply.raise_for_status()
    return reply.json()


@pytest.mark.parametrize("by", [signal.SIGHUP, signal.SIGTERM, signal.SIGINT, signal.SIGKILL], ids=str)
def test_what_was_told_is_there_when_it_starts_again_however_it_ended(tmp_path: Path, by: signal.Signals) -> None:
    with local_service(tmp_path) as service:
        call(service.url, "add", facts=["Maya sails", "Maya is allergic to walnuts"])
        call(service.url, "edit", action="add", target="user", text="Speaks Portuguese")
        call(service.url, "edit", action="add", target="user", text="Speaks English")
        assert (ended(service, by) == 0) is (by is not signal.SIGKILL)
    with local_service(tmp_path) as service:
        found = call(service.url, "search", query="Is Maya allergic to walnuts?")["results"]
        assert found[0]["content"] == "Maya is allergic to walnuts"
        assert call(service.url, "edit", action="undo", target="user")["text"] == "- Speaks Portuguese\n"
        assert len(call(service.url, "history", target="user")["versions"]) == 3


def test_it_has_one_socket_on_loopback(tmp_path: Path) -> None:
    with local_service(tmp_path) as service:
        listening = subprocess.run(["ss", "-Hltnp"], capture_output=True, text=True, check=True).stdout
        (line,) = [one for one in listening.splitlines() if f"pid={service.process.pid}," in one]
        assert line.split()[3].startswith("127.0.0.1:")


def test_its_routes_and_settings_are_those_of_the_template(tmp_path: Path) -> None:
    assert ROUTES.keys() == Template().routes.keys()
    named = {**Deployed().environment, "STORE_ADDRESS": f"sqlite:{tmp_path}/memory.db"}
    assert Settings.from_environment(named) == Settings.local(tmp_path / "memory.db")


@pytest.mark.parametrize("sent", HOSTILE.values(), ids=HOSTILE)
def test_it_answers_no_other_sites_page(tmp_path: Path, sent: dict[str, str]) -> None:
    with running(Settings.local(tmp_path / "memory.db")) as url:
        for method, path in (("GET", "/"), ("POST", "/tools/memory_list"), ("POST", "/mcp"), ("GET", "/none")):
            answer = ask(url, method, path, {**CALLER, **sent})
            assert (answer.status, answer.permissions) == (403, [])


@pytest.mark.parametrize(("kind", "folder"), [("moto", "memories"), ("sqlite", "")])
def test_an_unknown_store_or_a_folder_for_an_emulator_is_refused(
    kind: str, folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STORE", kind)
    monkeypatch.setenv("DATA", folder)
    with pytest.raises(SystemExit, match="STORE"):
        main()
