"""The events in events/: one for each way to call each tool, as AWS's own models have them."""

from pathlib import Path
from typing import Any

import pytest
from aws_lambda_powertools.utilities.parser.models import (
    APIGatewayProxyEventModel,
    APIGatewayProxyEventV2Model,
    BedrockAgentEventModel,
    BedrockAgentFunctionEventModel,
)
from memtools import transports
from memtools.catalogue import TOOLS
from memtools.domain.scope import Scope
from memtools.handler import recognise

from local.invoke import load
from local.template import ROOT
from tests.functions.wrapping import ENVELOPES

EVENTS = sorted((ROOT / "events").glob("*/*.json"))
MODELS: dict[str, Any] = {
    "bedrock-functions": BedrockAgentFunctionEventModel,
    "bedrock-openapi": BedrockAgentEventModel,
    "http": APIGatewayProxyEventV2Model,
    "rest": APIGatewayProxyEventModel,
}


def name_of(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


@pytest.mark.parametrize("envelope", ENVELOPES)
def test_there_is_an_event_for_each_tool(envelope: str) -> None:
    assert {path.stem.partition("-")[0] for path in EVENTS if path.parent.name == envelope} == set(TOOLS)


@pytest.mark.parametrize("path", [path for path in EVENTS if path.parent.name in MODELS], ids=name_of)
def test_powertools_models_take_the_event(path: Path) -> None:
    event, _ = load(path)
    parsed = MODELS[path.parent.name].model_validate(event)
    assert parsed.model_dump(by_alias=True)


@pytest.mark.parametrize("path", EVENTS, ids=name_of)
def test_an_event_is_of_its_folders_envelope_and_fits_its_tool(path: Path) -> None:
    event, context = load(path)
    transport: Any = recognise(event, context)
    name = path.parent.name.replace("-", "_")
    assert transport is getattr(transports, "http" if name == "rest" else name)
    call = transport.decode(event, "helper", context)
    assert call.tool == path.stem.partition("-")[0]
    TOOLS[call.tool].parse(call.arguments)
    agent = "K7EXAMPLE1" if path.parent.name.startswith("bedrock") else "helper"
    user = "7d0c6f0e-52a1-4f7e-9d35-0a4f1c2b8e61" if path.stem.endswith("-jwt") else "maya"
    assert call.scope == Scope(agent, user)


@pytest.mark.parametrize("tool", TOOLS)
def test_all_envelopes_say_the_same(tool: str) -> None:
    """The six events of a tool bring the same arguments, once they are typed."""
    calls = []
    for envelope in ENVELOPES:
        event, context = load(ROOT / "events" / envelope / f"{tool}.json")
        transport: Any = recognise(event, context)
        calls.append(TOOLS[tool].parse(transport.decode(event, "helper", context).arguments))
    assert calls == [calls[0]] * len(ENVELOPES)
