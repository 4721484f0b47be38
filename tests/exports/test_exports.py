"""The catalogue's exports: each valid for its consumer, and the committed ones as the catalogue has them."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from memtools.catalogue import TOOLS
from memtools.tools.tool import AnyTool, Arguments
from pydantic import Field

from generate.exports import (
    FORMATS,
    FUNCTIONS,
    LEFT_OUT,
    MAX_PARAMETERS,
    agentcore,
    as_text,
    bedrock_functions,
    explain,
    tools_of,
)
from generate.schemas import arguments_of, described, plain, reply_of
from tests.aws_shapes import complaints

ROOT = Path(__file__).parents[2]
# AWS's name for a resource; it has no room for two underscores in a row.
NAME = re.compile(r"([0-9a-zA-Z][_-]?){1,100}")
SIMPLE_TYPES = {"string", "number", "integer", "boolean", "array"}

every_tool = pytest.mark.parametrize("tool", TOOLS.values(), ids=lambda tool: tool.name)
every_format = pytest.mark.parametrize("form", FORMATS)


def exported(form: str, function: str | None = None) -> Any:
    return FORMATS[form](tools_of(function))


def functions() -> dict[str, Any]:
    """Bedrock's functions by name."""
    groups = exported("bedrock-functions")
    return {one["name"]: one for group in groups for one in group["functionSchema"]["functions"]}


def nodes(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """The schema and all schemas in it."""
    inner = [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]
    return [schema, *(node for one in inner for node in nodes(one))]


def words(value: Any) -> set[str]:
    """Every key anywhere in it."""
    if isinstance(value, list):
        return set().union(*map(words, value))
    return set(value).union(*map(words, value.values())) if isinstance(value, dict) else set()


class Six(Arguments):
    """One argument more than Bedrock takes."""

    one: str = Field(description="One.")
    two: int = Field(2, description="Two.")
    three: int = Field(3, description="Three.")
    four: int = Field(4, description="Four.")
    five: int = Field(5, description="Five.")
    six: int = Field(6, description="Six.")


def tool_of_six() -> AnyTool:
    return replace(TOOLS["memory_add"], name="memory_six", arguments=Six)


# Every format


def test_nothing_else_is_committed_as_an_export() -> None:
    assert {path.name for path in (ROOT / "exports").iterdir()} == {f"{form}.json" for form in FORMATS}


@every_format
@pytest.mark.parametrize("function", FUNCTIONS)
def test_an_export_of_one_function_has_its_tools_and_no_others(form: str, function: str) -> None:
    names = set(re.findall(r'"(?:name|operationId)": "(memory_\w+)"', as_text(exported(form, function))))
    assert names == {name for name, tool in TOOLS.items() if tool.function == function}


@every_tool
def test_a_schema_is_in_one_piece(tool: AnyTool) -> None:
    for schema in (arguments_of(tool), reply_of(tool)):
        jsonschema.Draft202012Validator.check_schema(schema)
        assert not {"$ref", "$defs", "title", "ge", "le"} & words(schema)
        assert "null" not in as_text(schema)


@every_tool
def test_a_schema_says_every_argument_and_whether_it_is_required(tool: AnyTool) -> None:
    schema = arguments_of(tool)
    assert list(schema["properties"]) == tool.argument_names
    assert schema["additionalProperties"] is False
    required = [field.alias for field in tool.arguments.model_fields.values() if field.is_required()]
    assert schema.get("required", []) == required
    assert all(node["description"] for node in schema["properties"].values())


def test_limits_defaults_and_allowed_values_are_kept() -> None:
    search = arguments_of(TOOLS["memory_search"])["properties"]
    assert search["limit"] | {"description": ""} == {
        "type": "integer",
        "minimum": 1,
        "maximum": 100,
        "default": 20,
        "description": "",
    }
    assert search["tags"]["maxItems"] == 50
    assert search["tags"]["items"] == {"type": "string", "maxLength": 100}
    assert arguments_of(TOOLS["memory_update"])["properties"]["version"]["minimum"] == 1
    assert arguments_of(TOOLS["memory_read"])["properties"]["target"]["enum"] == ["soul", "self", "user"]


# Narrow languages: the description says what has no word


def test_descriptions_include_limits_and_defaults() -> None:
    node = {"description": "Up to 100.", "maxItems": 100, "minItems": 2, "enum": ["a", "b"], "default": "a"}
    assert described(node) == "Up to 100. One of `a`, `b`. At least 2. Default: `a`."
    assert described({"description": "`a` or `b`.", "enum": ["a", "b"]}) == "`a` or `b`."
    assert described({"type": "string", "minLength": 1}) == ""


def test_a_schema_that_cannot_be_simplified_is_refused() -> None:
    with pytest.raises(ValueError, match="no single type"):
        plain({"anyOf": [{"type": "string"}, {"type": "integer"}]})


@every_tool
def test_descriptions_have_every_allowed_value_and_default(tool: AnyTool) -> None:
    for name, parameter in functions()[tool.name]["parameters"].items():
        description, node = parameter["description"], arguments_of(tool)["properties"][name]
        for value in [*node.get("enum", []), *([node["default"]] if node.get("default") else [])]:
            assert f"`{value}`" in description


# Bedrock, function details


@every_tool
def test_bedrock_functions_keep_the_limits(tool: AnyTool) -> None:
    function = functions()[tool.name]
    assert NAME.fullmatch(tool.name)
    assert "__" not in tool.name
    assert 1 <= len(function["description"]) <= 1200
    assert len(function["parameters"]) <= MAX_PARAMETERS
    for name, parameter in function["parameters"].items():
        assert NAME.fullmatch(name)
        assert set(parameter) == {"type", "description", "required"}
        assert parameter["type"] in SIMPLE_TYPES
        assert 1 <= len(parameter["description"]) <= 500


def test_bedrock_action_groups_keep_the_limits_and_botocore_takes_them() -> None:
    for group in exported("bedrock-functions"):
        assert NAME.fullmatch(group["actionGroupName"])
        assert 1 <= len(group["description"]) <= 200
        assert len(group["functionSchema"]["functions"]) <= 11
        given = {"agentId": "AGENT12345", "agentVersion": "DRAFT", **group}
        assert complaints("bedrock-agent", "CreateAgentActionGroup", given) == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"actionGroupName": "memory__search"},
        {"description": "x" * 201},
        {"functionSchema": {"functions": [{"name": "a", "parameters": {"b": {"type": "object"}}}]}},
        {"functionSchema": {"functions": [{"name": "a", "parameters": {"b": {"type": "string", "default": 1}}}]}},
        {"functionSchema": {"functions": [{"name": "a", "parameters": {"b": {}}}]}},
    ],
)
def test_botocore_s_models_would_show_what_is_wrong(wrong: dict[str, Any]) -> None:
    given = {"agentId": "AGENT12345", "agentVersion": "DRAFT", "actionGroupName": "memory", **wrong}
    assert complaints("bedrock-agent", "CreateAgentActionGroup", given) != []


def test_the_description_of_an_array_has_its_item_type() -> None:
    for function in functions().values():
        for parameter in function["parameters"].values():
            assert ("JSON array of strings" in parameter["description"]) == (parameter["type"] == "array")


def test_a_tool_with_too_many_arguments_needs_a_decision() -> None:
    with pytest.raises(ValueError, match="LEFT_OUT"):
        bedrock_functions([tool_of_six()])
    with pytest.raises(ValueError, match="LEFT_OUT"):
        bedrock_functions([tool_of_six()], {"memory_six": {"one": "it is required"}})
    (group,) = bedrock_functions([tool_of_six()], {"memory_six": {"six": "nobody needs it"}})
    assert list(group["functionSchema"]["functions"][0]["parameters"]) == ["one", "two", "three", "four", "five"]


def test_arguments_left_out_exist_and_are_explained() -> None:
    for name, arguments in LEFT_OUT.items():
        assert set(arguments) <= set(TOOLS[name].argument_names)
        assert all(arguments.values())
    left_out = explain("bedrock-functions", TOOLS.values())["leftOut"]
    assert len(left_out) == sum(len(arguments) for arguments in LEFT_OUT.values())
    for tool in TOOLS.values():
        told_of = {one["argument"] for one in left_out if one["tool"] == tool.name}
        assert told_of | set(functions()[tool.name]["parameters"]) == set(tool.argument_names)


# AgentCore


def test_agentcore_has_the_words_of_its_language_and_botocore_takes_it() -> None:
    tools = exported("agentcore")
    for tool in tools:
        assert set(tool) == {"name", "description", "inputSchema"}
        for node in nodes(tool["inputSchema"]):
            assert set(node) <= {"type", "properties", "required", "items", "description"}
            assert node["type"] in SIMPLE_TYPES | {"object"}
    place = ("targetConfiguration", "mcp", "lambda", "toolSchema", "inlinePayload")
    assert complaints("bedrock-agentcore-control", "CreateGatewayTarget", tools, place) == []


@every_tool
def test_agentcore_s_schema_takes_what_the_tool_takes(tool: AnyTool) -> None:
    (export,) = agentcore([tool])
    whole = arguments_of(tool)
    assert list(export["inputSchema"]["properties"]) == list(whole["properties"])
    assert export["inputSchema"].get("required") == whole.get("required")
    for name, node in whole["properties"].items():
        assert export["inputSchema"]["properties"][name]["type"] == node["type"]


# Tool lists


def test_openai() -> None:
    for one in exported("openai"):
        assert set(one) == {"type", "function"}
        assert one["type"] == "function"
        assert set(one["function"]) == {"name", "description", "parameters"}
        assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", one["function"]["name"])
        assert len(one["function"]["description"]) <= 1024
        assert one["function"]["parameters"] == arguments_of(TOOLS[one["function"]["name"]])


def test_anthropic() -> None:
    for one in exported("anthropic"):
        assert set(one) == {"name", "description", "input_schema"}
        assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", one["name"])
        assert one["input_schema"] == arguments_of(TOOLS[one["name"]])


def test_converse_and_botocore_takes_it() -> None:
    configuration = exported("converse")
    assert complaints("bedrock-runtime", "Converse", configuration, ("toolConfig",)) == []
    for one in configuration["tools"]:
        assert one["toolSpec"]["inputSchema"]["json"] == arguments_of(TOOLS[one["toolSpec"]["name"]])
