"""What the pages tell to paste for MCP: each configuration reaches a server."""

import ast
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
from memtools.catalogue import TOOLS
from memtools.wire.mcp.offer import SMALL

from local.service import Service
from tests.mcp.conftest import environment
from tests.pages.blocks import Block, blocks

ADDRESS = "http://127.0.0.1:8765"
REQUEST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
CONFIGURATIONS = [
    one for page in ("README.md", "docs/mcp.md") for one in blocks(page) if one.language in ("json", "toml")
]
PROGRAMS = [one for one in blocks("docs/mcp.md") if one.language == "python"]


def parsed(block: Block) -> Any:
    return tomllib.loads(block.text) if block.language == "toml" else json.loads(block.text)


def servers(value: Any) -> Iterator[dict[str, Any]]:
    """The servers that are named anywhere in a configuration."""
    if isinstance(value, dict):
        if "command" in value or "url" in value:
            yield value
        else:
            for part in value.values():
                yield from servers(part)


def answers(server: dict[str, Any], running: Service, folder: Path) -> bool:
    """Whether the server lists the small profile, with its memory in another folder or at another address."""
    if "command" in server:
        assert server["command"] == "memtools"
        command = [argument.replace(ADDRESS, running.url) for argument in server["args"]]
        ended = subprocess.run(
            [sys.executable, "-m", "memtools_cli", *command],
            input=json.dumps(REQUEST).encode(),
            capture_output=True,
            check=True,
            env=environment() | {"MEMTOOLS_DATA": str(folder)},
            timeout=60,
        )
        reply = json.loads(ended.stdout)
    else:
        address = server["url"].replace(ADDRESS, running.url)
        reply = requests.post(address, json=REQUEST, headers=server["headers"], timeout=60).json()
    return [tool["name"] for tool in reply["result"]["tools"]] == [name for name in TOOLS if name in SMALL]


def literals(block: Block) -> Iterator[dict[str, Any]]:
    """The servers in a program: dictionaries with a command, and calls with an address and headers."""
    for node in ast.walk(ast.parse(block.text)):
        if isinstance(node, ast.Dict):
            yield from servers(ast.literal_eval(node) if _is_constant(node) else {})
        if isinstance(node, ast.Call):
            given = {one.arg: ast.literal_eval(one.value) for one in node.keywords if one.arg in ("url", "headers")}
            if "headers" in given:
                yield {"url": given.get("url") or ast.literal_eval(node.args[0]), **given}


def _is_constant(node: ast.Dict) -> bool:
    return all(isinstance(one, ast.Constant | ast.Dict | ast.List) for one in node.values)


@pytest.mark.parametrize("block", CONFIGURATIONS, ids=str)
def test_each_configuration_starts_a_server_or_leads_to_one(running: Service, block: Block, tmp_path: Path) -> None:
    (server,) = servers(parsed(block))
    assert answers(server, running, tmp_path)


@pytest.mark.parametrize("block", PROGRAMS, ids=str)
def test_each_program_names_a_server_that_answers(running: Service, block: Block, tmp_path: Path) -> None:
    """The frameworks themselves are not here."""
    found = list(literals(block))
    assert found
    assert all(answers(server, running, tmp_path) for server in found)


def test_the_lines_for_a_model_name_tools_that_are_there() -> None:
    (block,) = blocks("docs/prompting.md")
    assert set(re.findall(r"memory_\w+", block.text)) <= set(SMALL)
