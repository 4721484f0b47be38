"""The tools by direct invoke of the Lambda functions."""

import json
from collections.abc import Mapping
from typing import Any

from memtools.catalogue import TOOLS

from memtools_cli.failures import bad_usage, refused, told, told_by_tool, unavailable
from memtools_cli.options import Whose
from memtools_cli.stack import client, outputs_of

FUNCTIONS = tuple(dict.fromkeys(tool.function for tool in TOOLS.values()))


class FunctionTarget:
    """The tools as functions; see ``Target``. ``names``: what Lambda knows each function by."""

    def __init__(self, lambda_client: Any, names: Mapping[str, str], context: Mapping[str, str]) -> None:
        self._client = lambda_client
        self._names = names
        self._context = context

    @classmethod
    def of(cls, way: str, name: str, whose: Whose) -> "FunctionTarget":
        """The functions of a stack, or those whose names begin with ``name``. Raises Failure where one is missing."""
        scope = whose.scope()
        lambda_client = client("lambda")
        names = functions_of(outputs_of(name)) if way == "stack" else _named(lambda_client, name)
        if missing := [one for one in FUNCTIONS if one not in names]:
            raise refused(
                f"No function found for {', '.join(missing)}: check --stack or --function-prefix.", "not_found"
            )
        return cls(lambda_client, names, {"agent": scope.agent, "user": scope.user})

    def call(self, tool: str, arguments: Any) -> dict[str, Any]:
        """The tool's reply."""
        if tool not in TOOLS:
            raise refused(f"There is no tool {tool}; there are {', '.join(TOOLS)}.", "not_found")
        return self.invoke(TOOLS[tool].function, tool, arguments)

    def invoke(self, function: str, tool: str, arguments: Any) -> dict[str, Any]:
        """What the function answers to a call of any tool, also of one that the catalogue here does not know."""
        event = {"tool": tool, "arguments": arguments, "context": self._context}
        with told(f"invoke the function {function}"):
            answer = self._client.invoke(FunctionName=self._names[function], Payload=json.dumps(event).encode())
            payload = answer["Payload"].read()
        if answer.get("FunctionError"):
            raise unavailable(f"The function {function} failed before it could answer: its log says why.")
        match json.loads(payload):
            case {"ok": True, "result": dict(result)}:
                return result
            case {"ok": False, "error": {"code": str(code), "message": str(message), **more}}:
                raise told_by_tool(code, message, more.get("details"))
        raise refused(f"What answers as the function {function} is no function of memtools.")


def functions_of(outputs: Mapping[str, str]) -> dict[str, str]:
    """The functions' ARNs out of the stack's outputs."""
    arns = {name: outputs.get(f"{name.capitalize()}FunctionArn", "") for name in FUNCTIONS}
    return {name: arn for name, arn in arns.items() if arn}


def _named(lambda_client: Any, prefix: str) -> dict[str, str]:
    """The functions whose names begin with the prefix and go on with what they serve: memtools-SearchFunction-1a2b."""
    with told("list the functions"):
        pages = lambda_client.get_paginator("list_functions").paginate()
        names = [one["FunctionName"] for page in pages for one in page["Functions"]]
    rests = {name: name.removeprefix(prefix).lstrip("-_").lower() for name in names if name.startswith(prefix)}
    found: dict[str, str] = {}
    for function in FUNCTIONS:
        matching = [name for name, rest in rests.items() if rest.startswith(function)]
        if len(matching) > 1:
            raise bad_usage(f"--function-prefix fits several functions: {', '.join(matching)}. Name more of it.")
        if matching:
            found[function] = matching[0]
    return found
