"""An AWS account on loopback: an emulator, and beside it what the emulator has not.

That is: stacks of given names, whose resources no emulator knows, and the services that are called for them. Their
templates and parameters are held against each other, and nothing is made.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import parse_qsl

import requests
from memtools_cli.service.serving import serving
from werkzeug.wrappers import Request, Response

from local.template import loaded

_SECONDS: Final = 300
_NAMESPACE: Final = 'xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"'
_HOP_BY_HOP: Final = ("host", "connection", "content-length", "transfer-encoding", "content-encoding")

Answer = Callable[[Request], Response]


@dataclass
class Stack:
    """A stack that is only kept in mind: what its outputs would be, and the parameters it was deployed with."""

    outputs: Mapping[str, str]
    parameters: dict[str, str] = field(default_factory=dict)
    there: bool = False


@dataclass
class Account:
    """The stacks by their names, and what answers for other services, by how its paths begin."""

    stacks: Mapping[str, Stack]
    paths: Mapping[str, Answer] = field(default_factory=dict)


@contextmanager
def account(emulator: str, beside: Account) -> Iterator[str]:
    """The address of the account."""

    def respond(request: Request) -> Response:
        body = request.get_data()
        for begins, answer in beside.paths.items():
            if request.path.startswith(begins):
                return answer(request)
        if "/cloudformation/" in request.headers.get("authorization", ""):
            asked = dict(parse_qsl(body.decode()))
            name = asked.get("StackName", "").rpartition("stack/")[2].partition("/")[0]
            if stack := beside.stacks.get(name):
                return _of_stack(name, stack, asked)
        return _forwarded(emulator, request, body)

    with serving(Request.application(respond)) as address:
        yield address


def _forwarded(emulator: str, request: Request, body: bytes) -> Response:
    headers = {name: value for name, value in request.headers.items() if name.lower() not in _HOP_BY_HOP[1:]}
    path = request.environ["RAW_URI"]
    reply = requests.request(
        request.method, f"{emulator}{path}", headers=headers, data=body, timeout=_SECONDS, allow_redirects=False
    )
    kept = {name: value for name, value in reply.headers.items() if name.lower() not in _HOP_BY_HOP}
    return Response(reply.content, reply.status_code, headers=kept)


def _of_stack(name: str, stack: Stack, asked: Mapping[str, str]) -> Response:
    """CloudFormation's answer, as far as `aws cloudformation deploy` and `delete-stack` need one."""
    action = asked["Action"]
    if action == "DescribeStacks" and not stack.there:
        return _error(f"Stack with id {name} does not exist")
    if action == "CreateChangeSet":
        if complaint := _complaint(asked):
            return _error(complaint)
        stack.parameters = _parameters(asked)
    stack.there = (stack.there or action == "ExecuteChangeSet") and action != "DeleteStack"
    arn = f"arn:aws:cloudformation:us-east-1:000000000000:stack/{name}/1"
    described = {
        "CreateChangeSet": f"<Id>{arn}/changes</Id><StackId>{arn}</StackId>",
        "DescribeChangeSet": f"<Status>CREATE_COMPLETE</Status><StackId>{arn}</StackId>",
        "DescribeStacks": f"<Stacks><member><StackId>{arn}</StackId><StackName>{name}</StackName><CreationTime>"
        f"2026-01-01T00:00:00Z</CreationTime><StackStatus>CREATE_COMPLETE</StackStatus><Outputs>{_members(stack)}"
        "</Outputs></member></Stacks>",
    }
    result = f"<{action}Result>{described.get(action, '')}</{action}Result>"
    return Response(f"<{action}Response {_NAMESPACE}>{result}</{action}Response>", content_type="text/xml")


def _members(stack: Stack) -> str:
    pairs = (f"<OutputKey>{key}</OutputKey><OutputValue>{value}</OutputValue>" for key, value in stack.outputs.items())
    return "".join(f"<member>{pair}</member>" for pair in pairs)


def _parameters(asked: Mapping[str, str]) -> dict[str, str]:
    keys = [name for name in asked if re.fullmatch(r"Parameters\.member\.\d+\.ParameterKey", name)]
    return {asked[name]: asked.get(name.replace("ParameterKey", "ParameterValue"), "") for name in keys}


def _complaint(asked: Mapping[str, str]) -> str:
    """What CloudFormation would say against the parameters."""
    wanted: dict[str, Any] = loaded(asked["TemplateBody"])["Parameters"]
    given = _parameters(asked)
    for name in given.keys() - wanted.keys():
        return f"Parameters: [{name}] do not exist in the template"
    for name, one in wanted.items():
        value = given.get(name, one.get("Default"))
        if value is None:
            return f"Parameters: [{name}] must have values"
        if not re.search(one.get("AllowedPattern", ""), str(value)):
            return f"Parameter {name} failed to satisfy constraint: {one['AllowedPattern']}"
    return ""


def _error(message: str) -> Response:
    text = f"<ErrorResponse {_NAMESPACE}><Error><Type>Sender</Type><Code>ValidationError</Code><Message>{message}"
    return Response(f"{text}</Message></Error></ErrorResponse>", 400, content_type="text/xml")
