"""The blocks of code on the pages about the client run."""

import pytest
from memtools_client import MemoryClient

from tests.conftest import example


@pytest.fixture(autouse=True)
def _here(client: MemoryClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """The service on this machine takes the place of a deployed one."""
    monkeypatch.setattr(MemoryClient, "signed", lambda *_, **__: client)


def test_the_client_of_the_page(client: MemoryClient, capsys: pytest.CaptureFixture[str]) -> None:
    """The block on docs/clients.md finds a fact and reports an ambiguous edit."""
    for text in ("likes tea", "likes rain"):
        client.memory_edit("add", text=text)
    exec(example("docs/clients.md", "from memtools_client import Ambiguous"), {"api_url": "https://example.com"})
    found, refused = capsys.readouterr().out.splitlines()
    assert "Maya takes oat milk in her coffee" in found
    assert "likes tea" in refused
    assert "likes rain" in refused


def test_the_client_of_the_packages_own_page(capsys: pytest.CaptureFixture[str]) -> None:
    """The block on the package's README finds a fact."""
    exec(example("clients/python/README.md", "from memtools_client import"), {"api_url": "https://example.com"})
    assert "Maya takes oat milk in her coffee" in capsys.readouterr().out
