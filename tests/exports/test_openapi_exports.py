"""The OpenAPI exports: valid, complete, and in step with what the HTTP transport answers."""

import json
import re
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from memtools.catalogue import TOOLS
from memtools.errors import ToolError
from memtools.transports import http
from openapi_spec_validator import OpenAPIV30SpecValidator, OpenAPIV31SpecValidator

from generate.exports import FUNCTIONS
from generate.openapi import ERRORS
from tests.exports.test_exports import exported, words


@pytest.mark.parametrize("function", [None, *FUNCTIONS])
def test_the_openapi_documents_are_valid(function: str | None) -> None:
    OpenAPIV31SpecValidator(exported("openapi", function)).validate()
    OpenAPIV30SpecValidator(exported("bedrock-openapi", function)).validate()


def test_bedrock_s_document_is_3_0_and_plain() -> None:
    document = exported("bedrock-openapi")
    assert re.fullmatch(r"3\.0\.\d", document["openapi"])
    assert not {"$ref", "anyOf", "oneOf", "allOf", "enum", "default", "nullable", "const"} & words(document)
    for tool in TOOLS.values():
        (method,) = document["paths"][f"/tools/{tool.name}"]
        operation = document["paths"][f"/tools/{tool.name}"][method]
        assert method == "post"
        assert operation["operationId"] == tool.name
        assert operation["description"] == tool.description
        properties = operation["requestBody"]["content"]["application/json"]["schema"]["properties"]
        assert list(properties) == tool.argument_names
        assert all(node["description"] for node in properties.values())
        assert all(response["description"] for response in operation["responses"].values())


def test_the_http_api_has_every_tool_every_status_and_both_ways_in() -> None:
    document = exported("openapi")
    assert document["openapi"].startswith("3.1.")
    assert document["security"] == [{"sigv4": []}, {"jwt": []}]
    assert set(document["components"]["securitySchemes"]) == {"sigv4", "jwt"}
    assert set(document["paths"]) == {f"/tools/{name}" for name in TOOLS}
    for path, methods in document["paths"].items():
        operation = methods["post"]
        assert path == f"/tools/{operation['operationId']}"
        assert set(operation["responses"]) == {"200", "429", *map(str, ERRORS)}


@pytest.mark.parametrize("error", ToolError.__subclasses__(), ids=lambda error: error.code)
def test_every_error_s_status_and_form_are_documented(error: type[ToolError]) -> None:
    response: dict[str, Any] = dict(http.encode({}, error("No.", about="it")))
    codes, _ = ERRORS[response["statusCode"]]
    assert error.code in codes
    document = exported("openapi")
    (name,) = [
        answer["$ref"].rpartition("/")[2]
        for status, answer in document["paths"]["/tools/memory_add"]["post"]["responses"].items()
        if status == str(response["statusCode"])
    ]
    schema = document["components"]["responses"][name]["content"]["application/problem+json"]["schema"]
    problem = json.loads(response["body"])
    jsonschema.validate(problem, {**schema, "components": document["components"]})
