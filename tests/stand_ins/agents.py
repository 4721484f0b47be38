"""A Bedrock agent as far as its callers see it: it remembers what it is told to, and tells all else from its memory.

It calls the functions in the envelope of its action groups, with the session's attributes, as Bedrock does.
"""

import base64
import json
import zlib
from typing import Any, Final

from werkzeug.wrappers import Request, Response

from local.template import ROOT
from tests.stand_ins.gateway import Ask

PATH: Final = "/agents/"
_EVENTS: Final = ROOT / "events" / "bedrock-functions"


def agents(ask: Ask, request: Request) -> Response:
    """The answer to InvokeAgent, or to UpdateAgentAlias."""
    parts = request.path.strip("/").split("/")
    if request.method == "PUT":
        alias = {"agentAliasId": parts[3], "agentId": parts[1], "agentAliasName": request.get_json()["agentAliasName"]}
        return Response(json.dumps({"agentAlias": alias}), 202, content_type="application/json")
    said = request.get_json()
    told = _of_the_memory(ask, parts[1], said["sessionState"]["sessionAttributes"], said["inputText"])
    headers = {"x-amzn-bedrock-agent-content-type": "application/json"}
    return Response(_chunk(told), content_type="application/vnd.amazon.eventstream", headers=headers)


def _of_the_memory(ask: Ask, agent: str, attributes: dict[str, str], text: str) -> str:
    if text.startswith("Remember"):
        tool, name, value = "memory_add", "facts", json.dumps([text])
    else:
        tool, name, value = "memory_search", "query", text
    event: dict[str, Any] = json.loads((_EVENTS / f"{tool}.json").read_text("utf-8"))
    event["agent"]["id"] = agent
    event["sessionAttributes"] = attributes
    event["parameters"] = [{"name": name, "type": "string", "value": value}]
    reply = ask(f"{tool.removeprefix('memory_').capitalize()}Function", event, None)
    body: str = reply["response"]["functionResponse"]["responseBody"]["TEXT"]["body"]
    return body


def _chunk(text: str) -> bytes:
    """One event of AWS's event stream encoding: lengths, headers, payload, each with a checksum."""
    payload = json.dumps({"bytes": base64.b64encode(text.encode()).decode()}).encode()
    told = {":event-type": "chunk", ":content-type": "application/json", ":message-type": "event"}
    headers = b"".join(
        bytes([len(name)]) + name.encode() + b"\x07" + len(value).to_bytes(2) + value.encode()
        for name, value in told.items()
    )
    start = (16 + len(headers) + len(payload)).to_bytes(4) + len(headers).to_bytes(4)
    message = start + zlib.crc32(start).to_bytes(4) + headers + payload
    return message + zlib.crc32(message).to_bytes(4)
