"""An AgentCore Gateway as far as AWS documents it: MCP over HTTP, the template's targets and its interceptor.

It asks for a token, and does not check it: that is the gateway's own, and nobody else's.
"""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final
from unittest import mock

from memtools.catalogue import TOOLS
from memtools_cli.service.serving import serving
from werkzeug.wrappers import Request, Response

from local.invoke import client_context
from local.template import ROOT, loaded

_RESOURCES: Final = loaded((ROOT / "integrations" / "agentcore-gateway.yaml").read_text("utf-8"))["Resources"]
_ALLOWED: Final = _RESOURCES["SearchTarget"]["Properties"]["MetadataConfiguration"]["AllowedRequestHeaders"]

# What a function answers: by its logical id, to an event in a context.
Ask = Callable[[str, Any, Any], Any]


@contextmanager
def gateway(ask: Ask, agent: str) -> Iterator[str]:
    """The address of a gateway in front of the functions, for this agent."""
    code: dict[str, Any] = {}
    exec(compile(str(_RESOURCES["Interceptor"]["Properties"]["Code"]["ZipFile"]), "interceptor", "exec"), code)

    def respond(request: Request) -> Response:
        if request.method != "POST":
            return Response(status=405)
        if not request.authorization:
            return Response(status=401, headers={"www-authenticate": "Bearer"})
        sent = {"headers": dict(request.headers), "body": request.get_json()}
        with mock.patch.dict(os.environ, {"AGENT_ID": agent}):
            told = code["handler"]({"mcp": {"gatewayRequest": sent}}, None)["mcp"]
        if refused := told.get("transformedGatewayResponse"):
            return _json(refused["body"], refused["statusCode"])
        passed = told["transformedGatewayRequest"]
        return _answered(ask, passed["headers"], passed["body"])

    with serving(Request.application(respond)) as address:
        yield f"{address}/mcp"


def _answered(ask: Ask, headers: dict[str, str], body: Any) -> Response:
    """One message of MCP; what needs no answer gets none."""
    match body:
        case {"id": asked, "method": "initialize", "params": {"protocolVersion": version}}:
            about = {"capabilities": {"tools": {}}, "serverInfo": {"name": "memtools-gateway", "version": "1"}}
            return _json({"jsonrpc": "2.0", "id": asked, "result": {"protocolVersion": version, **about}})
        case {"id": asked, "method": "tools/list"}:
            return _json({"jsonrpc": "2.0", "id": asked, "result": {"tools": _tools()}})
        case {"id": asked, "method": "tools/call", "params": {"name": name, "arguments": arguments}}:
            return _json({"jsonrpc": "2.0", "id": asked, "result": _called(ask, headers, name, arguments)})
        case {"id": asked, "method": method}:
            return _json({"jsonrpc": "2.0", "id": asked, "error": {"code": -32601, "message": method}})
    return Response(status=202)


def _tools() -> list[dict[str, Any]]:
    """As the gateway names them: by target."""
    tools = json.loads((ROOT / "exports" / "agentcore.json").read_text("utf-8"))
    return [{**one, "name": f"{TOOLS[one['name']].function}___{one['name']}"} for one in tools]


def _called(ask: Ask, headers: dict[str, str], name: str, arguments: Any) -> dict[str, Any]:
    """The function's reply as text; whether it is an error, the reply says itself."""
    allowed = {header: value for header, value in headers.items() if header.lower() in _ALLOWED}
    custom = {"bedrockAgentCoreToolName": name, "bedrockAgentCorePropagatedHeaders": allowed}
    target, _, _ = name.partition("___")
    reply = ask(f"{target.capitalize()}Function", arguments, client_context(custom))
    content = [{"type": "text", "text": json.dumps(reply, ensure_ascii=False)}]
    return {"content": content, "isError": bool(reply.get("isError"))}


def _json(body: Any, status: int = 200) -> Response:
    return Response(json.dumps(body), status, content_type="application/json")
