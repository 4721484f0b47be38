"""Each block of code is proved in one way, and what a block merely shows is so."""

import json
import re
import tomllib

import pytest
from memtools.errors import NotFound
from memtools.transports import agentcore, bedrock_functions

from local.template import ROOT
from tests.built.stack import source_files
from tests.pages.blocks import PAGES, Block, blocks
from tests.pages.proofs import By, Draw
from tests.pages.table import GENERATED, PROOFS

NAMED = sorted({proof.test for proofs in PROOFS.values() for proof in proofs if isinstance(proof, By)})


def block(page: str, begins: str) -> Block:
    (found,) = [one for one in blocks(page) if one.text.startswith(begins)]
    return found


@pytest.mark.parametrize("page", [page for page in PAGES if page not in GENERATED])
def test_every_block_of_a_page_has_its_proof(page: str) -> None:
    shown = [str(one.text[: len(proof.begins)]) for one, proof in zip(blocks(page), PROOFS.get(page, []), strict=False)]
    assert shown == [proof.begins for proof in PROOFS.get(page, [])]
    assert [str(one) for one in blocks(page)[len(shown) :]] == []


def test_there_is_no_proof_for_a_page_that_is_not_there() -> None:
    assert set(PROOFS) <= {page for page in PAGES if blocks(page)}
    assert set(GENERATED) <= set(PAGES)


def test_pictures_are_drawn_and_nothing_else_is() -> None:
    for page, proofs in PROOFS.items():
        for one, proof in zip(blocks(page), proofs, strict=True):
            assert isinstance(proof, Draw) is (one.language == "mermaid"), one


def test_commands_are_run() -> None:
    """Nothing that a reader pastes into a shell is proved by looking at it."""
    for page, proofs in PROOFS.items():
        assert not [
            one
            for one, proof in zip(blocks(page), proofs, strict=True)
            if one.language == "sh" and isinstance(proof, By)
        ]


@pytest.mark.parametrize("name", [*NAMED, *GENERATED.values()])
def test_a_test_that_proves_a_block_is_there(name: str) -> None:
    path, _, test = name.partition("::")
    text = (ROOT / path).read_text("utf-8")
    assert f"def {test}(" in text if test else "def test_" in text


def test_the_layout_names_what_is_there() -> None:
    lines = block("README.md", "template.yaml").text.splitlines()
    top = [line.split()[0] for line in lines if not line.startswith(" ")]
    assert [name for name in top if not (ROOT / name).exists()] == []
    folders = {path.split("/")[0] for path in source_files() if "/" in path and not path.startswith(".")}
    assert folders == {name.split("/")[0] for name in top if "/" in name}
    inside = [word for line in lines if line.startswith(" ") for word in line.split() if word.endswith("/")]
    layer = ROOT / "layers" / "memory"
    assert [name for name in inside if not (layer / name).is_dir() and not (layer / "memtools" / name).is_dir()] == []


def test_the_layout_names_every_suite() -> None:
    named = re.search(r"^tests/ +(.*?)^\w", block("README.md", "template.yaml").text, re.DOTALL | re.MULTILINE)
    suites = {path.split("/")[1] for path in source_files("tests") if re.search(r"/(test_\w+|__main__)\.py$", path)}
    assert named
    assert set(re.findall(r"\w+", named[1])) == suites


def test_imports_point_as_contributors_are_told() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    (layers,) = [one["layers"] for one in contracts if one["name"] == "Imports point one way"]
    shown = block("CONTRIBUTING.md", "handler >").text.split()
    assert " ".join(shown) == " > ".join(layers).replace("memtools.", "")


def test_queries_of_the_log_ask_for_fields_that_are_there() -> None:
    table = (ROOT / "docs" / "security.md").read_text("utf-8").partition("## What is logged")[2].partition("\n## ")[0]
    fields = set(re.findall(r"`(\w+)`", table))
    for begins in ("filter outcome", "filter correlation"):
        query = block("docs/operations.md", begins).text
        asked = set(re.findall(r"(?:filter|by|,) (\w+)(?=,| not|\n| =)", query))
        assert asked, query
        assert asked <= fields


@pytest.mark.parametrize("page", ["docs/agentcore-gateway.md", "docs/bedrock-agent.md"])
def test_errors_look_as_they_are_shown(page: str) -> None:
    (shown,) = [json.loads(one.text) for one in blocks(page) if one.language == "json"]
    error = NotFound("…")
    reply = bedrock_functions.encode({"actionGroup": "memory-search", "function": "memory_search"}, error)
    body = reply["response"]["functionResponse"]["responseBody"]["TEXT"]["body"]
    told = {"docs/agentcore-gateway.md": agentcore.encode({}, error), "docs/bedrock-agent.md": json.loads(body)}
    assert shown == told[page]
