"""Lambda and CloudFormation as far as the command line asks them: one stack, whose functions are the local ones."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote
from xml.sax.saxutils import escape

from memtools_cli.service.http import Context, Handler
from memtools_cli.service.serving import serving
from werkzeug.wrappers import Request, Response

STACK = "memtools"
FUNCTIONS = {
    name: f"memtools-{name}-1A2B3C" for name in ("SearchFunction", "AddFunction", "EditFunction", "MergeFunction")
}


@dataclass
class StandIn:
    """What it answers with; ``address`` is where it listens."""

    handlers: Mapping[str, Handler]
    outputs: dict[str, str]
    variables: dict[str, str]
    more_functions: list[str] = field(default_factory=list)
    address: str = ""

    def answer(self, request: Request) -> Response:
        if request.path == "/":
            return self._stack(request.form["StackName"])
        if request.path.rstrip("/") == "/2015-03-31/functions":
            names = [*FUNCTIONS.values(), *self.more_functions]
            return _json({"Functions": [{"FunctionName": name} for name in names]})
        _, _, _, arn, what = request.path.split("/")
        name = next(name for name, full in FUNCTIONS.items() if unquote(arn).endswith(full))
        if what == "configuration":
            return _json({"State": "Active", "Environment": {"Variables": self.variables}})
        return _json(self.handlers[name](json.loads(request.get_data()), Context("request")))

    def _stack(self, name: str) -> Response:
        if name != STACK:
            text = (
                "<ErrorResponse><Error><Code>ValidationError</Code><Message>no stack</Message></Error></ErrorResponse>"
            )
            return Response(text, 400, content_type="text/xml")
        members = "".join(
            f"<member><OutputKey>{key}</OutputKey><OutputValue>{escape(value)}</OutputValue></member>"
            for key, value in self.outputs.items()
        )
        return Response(
            "<DescribeStacksResponse><DescribeStacksResult><Stacks><member>"
            f"<StackName>{name}</StackName><Outputs>{members}</Outputs>"
            "</member></Stacks></DescribeStacksResult></DescribeStacksResponse>",
            content_type="text/xml",
        )


def _json(values: Any) -> Response:
    return Response(json.dumps(values), content_type="application/json")


def outputs(names: Mapping[str, str]) -> dict[str, str]:
    """The stack's outputs, as the template names them."""
    arns = {f"{name}Arn": f"arn:aws:lambda:us-east-1:1:function:{full}" for name, full in FUNCTIONS.items()}
    return {"TableName": names["TABLE_NAME"], "BucketName": names["BUCKET_NAME"], **arns}


@contextmanager
def listening(stand_in: StandIn) -> Iterator[StandIn]:
    """The stand-in behind an address on loopback."""
    with serving(Request.application(stand_in.answer)) as stand_in.address:
        yield stand_in
