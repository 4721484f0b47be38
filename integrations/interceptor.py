"""Tells the memory functions who is calling: the subject of the token that the gateway verified, and nobody else.

A REQUEST interceptor of an AgentCore Gateway with a CUSTOM_JWT authorizer. The gateway verifies the token first, and
only the gateway's role may invoke this function, so the token is read here without verifying it again.
"""

import base64
import json
import os
from typing import Any

AGENT = "x-memory-agent"
USER = "x-memory-user"


def handler(event: Any, _context: Any) -> dict[str, Any]:
    """The request with new headers for the scope, or a refusal."""
    request = event["mcp"]["gatewayRequest"]
    headers = request.get("headers") or {}
    body = request.get("body")
    try:
        user = subject(headers)
    except (AttributeError, KeyError, TypeError, ValueError):
        return refusal(body)
    # Drop what the client sent under these names, in any case.
    kept = {name: value for name, value in headers.items() if name.lower() not in (AGENT, USER)}
    headers = {**kept, AGENT: os.environ["AGENT_ID"], USER: user}
    return reply("transformedGatewayRequest", {"headers": headers, "body": body})


def subject(headers: dict[str, Any]) -> str:
    """The claim `sub` of the only token. Raises one of the errors that the handler catches if it is not usable."""
    (value,) = {value for name, value in headers.items() if name.lower() == "authorization"}
    scheme, _, token = value.partition(" ")
    _, payload, _ = token.strip().split(".")
    claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    user: str = claims["sub"]
    # A header cannot carry other characters, a comma joins two headers, and white space at the ends is lost.
    fits = user.isascii() and user.isprintable() and "," not in user and user == user.strip()
    if scheme.lower() != "bearer" or not user or not fits:
        raise ValueError
    return user


def refusal(body: Any) -> dict[str, Any]:
    """A JSON-RPC error in place of the call."""
    asked = body.get("id") if isinstance(body, dict) else None
    error = {"code": -32001, "message": "The token has no usable user name (claim `sub`)."}
    answer = {"jsonrpc": "2.0", "id": asked, "error": error}
    return reply("transformedGatewayResponse", {"statusCode": 403, "body": answer})


def reply(kind: str, content: dict[str, Any]) -> dict[str, Any]:
    """The response of an interceptor."""
    return {"interceptorOutputVersion": "1.0", "mcp": {kind: content}}
