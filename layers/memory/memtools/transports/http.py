"""``POST /tools/<tool>`` with the arguments as JSON body, over an HTTP API, a function URL or a REST API."""

from http import HTTPStatus
from typing import Any, Final

from memtools.errors import NotFound, ToolError
from memtools.wire.incoming import LAMBDA_REPLY_LIMIT, Call, Event, Outcome, parse_json
from memtools.wire.requests import body_of, request_of, response

REPLY_LIMIT: Final = LAMBDA_REPLY_LIMIT
_ROOT: Final = "/tools/"
_KEY_HEADER: Final = "idempotency-key"


def decode(event: Event, default_agent: str, context: Any = None) -> Call:  # noqa: ARG001
    """The call. Its scope comes only from what the authorizer checked."""
    request = request_of(event)
    request.require_post()
    scope = request.scope(default_agent)
    root, _, tool = str(request.path).partition(_ROOT)
    if root.count("/") > 1 or not tool:
        raise NotFound(f"Unknown path. Call tools at {_ROOT}<tool name>.")
    request.require_json()
    return Call(tool, parse_json(body_of(event)), scope, request.headers.all(_KEY_HEADER))


def encode(event: Event, outcome: Outcome) -> dict[str, Any]:  # noqa: ARG001 - the envelope echoes nothing
    """The result as JSON, or the error as a problem (RFC 9457); the same for both payloads."""
    if not isinstance(outcome, ToolError):
        return response(HTTPStatus.OK, "application/json", dict(outcome))
    problem = {
        "type": f"urn:memtools:error:{outcome.code}",
        "title": outcome.code.replace("_", " ").capitalize(),
        "status": outcome.status.value,
        "detail": outcome.message,
        "code": outcome.code,
        "details": dict(outcome.details),
    }
    answer = response(outcome.status, "application/problem+json", problem)
    if outcome.retryable:
        answer["headers"]["retry-after"] = "1"
    if outcome.status is HTTPStatus.METHOD_NOT_ALLOWED:
        answer["headers"]["allow"] = "POST"
    return answer
