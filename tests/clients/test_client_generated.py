"""What is generated for the Python client is what the catalogue says now."""

import generate
import pytest


@pytest.mark.parametrize("name", generate.files())
def test_the_committed_file_is_the_generated_one(name: str) -> None:
    """A change of the catalogue reaches the client."""
    committed = (generate.PACKAGE / name).read_text("utf-8")
    assert committed == generate.files()[name], "run: .venv/bin/python clients/python/generate.py"
