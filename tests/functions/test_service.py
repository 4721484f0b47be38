"""The service on this machine is there for this machine."""

from urllib.parse import urlsplit

import pytest
import requests

from local.service import Service

SCOPE = {"x-memory-agent": "helper", "x-memory-user": "maya"}


@pytest.mark.parametrize(
    "name", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil.example"]
)
@pytest.mark.parametrize(("method", "path"), [("GET", "/"), ("POST", "/tools/memory_list")])
def test_a_name_that_somebody_else_lets_lead_here_is_refused(
    running: Service, name: str, method: str, path: str
) -> None:
    reply = requests.request(method, running.url + path, json={}, headers={**SCOPE, "host": name}, timeout=60)
    assert reply.status_code == 403
    assert reply.json() == {"message": "Forbidden"}


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])
def test_this_machine_is_answered_by_any_of_its_names(running: Service, name: str) -> None:
    host = f"{name}:{urlsplit(running.url).port}"
    reply = requests.post(running.url + "/tools/memory_list", json={}, headers={**SCOPE, "host": host}, timeout=60)
    assert reply.status_code == 200
