"""From a Lambda event to its reply: decode, validate, run, encode, log. The same for all functions."""

import itertools
import time
import traceback
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, cast

from aws_lambda_powertools import Logger
from aws_lambda_powertools.metrics import EphemeralMetrics, MetricUnit

from memtools.backend import Backend
from memtools.catalogue import TOOLS
from memtools.config import Settings
from memtools.current_call import Metric, increment, running_call
from memtools.errors import Fault, InvalidArguments, NotFound, ToolError
from memtools.tools.tool import Reply
from memtools.transports import agentcore, bedrock_functions, bedrock_openapi, direct, http
from memtools.wire.incoming import Call, Event, Transport, custom_context, object_of, size_of
from memtools.wire.shortening import Answer, shortened
from memtools.wiring import backend_of

Handler = Callable[[Any, Any], dict[str, Any]]

_UNRECOGNIZED_EVENT = (
    "Unrecognized event. The function accepts a call from a Bedrock agent's action group (function details or OpenAPI"
    " schema), a call from an AgentCore Gateway, a request from an API Gateway HTTP API or function URL (payload 2.0)"
    " or REST API (payload 1.0), or a direct call:"
    ' {"tool": ..., "arguments": {...}, "context": {"agent": ..., "user": ...}}.'
)
# Only the gateway can put these names into Lambda's client context.
_GATEWAY_PREFIX: Final = "bedrockAgentCore"
logger = Logger()


def handler_for(function: str, settings: Settings | None = None) -> Handler:
    """The handler of one function of the template: ``search``, ``add``, ``edit`` or ``merge``.

    Settings are read from the environment, unless given, and clients made here, while Lambda initialises the function.
    """
    served = [name for name, tool in TOOLS.items() if tool.function == function]
    answer, _ = _answering(function, served, settings)

    def handler(event: Any, context: Any) -> dict[str, Any]:
        transport = recognise(event, context)
        if transport is None:
            return direct.encode({}, InvalidArguments(_UNRECOGNIZED_EVENT))
        return answer(transport, event, context, by_gateway=transport is http)

    return handler


def mcp_handler(settings: Settings | None = None) -> Handler:
    """The handler of the function that serves all tools over the Model Context Protocol; ``settings`` as above."""
    from memtools.transports import mcp  # no other function needs it

    answer, settings = _answering("mcp", list(TOOLS), settings)

    def handler(event: Any, context: Any) -> dict[str, Any]:
        if recognise(event, context) is not http:
            return direct.encode({}, InvalidArguments("This function accepts only requests to /mcp of an HTTP API."))
        received = mcp.Received(event, settings.agent_id)
        # Lists and greetings need no tool. They are no calls, so they are neither logged nor measured.
        return received.response or answer(received, event, context, by_gateway=True)

    return handler


def recognise(event: Any, context: Any = None) -> Transport | None:
    """The envelope of an event, if it is a known one; ``context`` is Lambda's.

    AgentCore is checked first: there the model writes the whole event, and could imitate an envelope that names any
    user. It cannot write to the context, where the gateway's names are. Direct calls are checked last, because a caller
    who may make them may name any user anyway.
    """
    fields = object_of(event)
    request = object_of(fields.get("requestContext"))
    known = (
        (agentcore, any(str(name).startswith(_GATEWAY_PREFIX) for name in custom_context(context))),
        (bedrock_functions, "actionGroup" in fields and "function" in fields),
        (bedrock_openapi, "actionGroup" in fields and "apiPath" in fields),
        (http, isinstance(request.get("http"), dict)),
        # Payload 1.0. A load balancer's event looks similar, but nothing has checked the caller's identity.
        (http, "httpMethod" in fields and isinstance(request.get("identity"), dict)),
        (direct, "tool" in fields),
    )
    return next((cast("Transport", transport) for transport, matches in known if matches), None)


def encoded(transport: Transport, event: Event, outcome: Answer) -> dict[str, Any]:
    """The envelope's reply, with as much of the outcome as fits."""
    encode = partial(transport.encode, event)
    reply = encode(outcome if isinstance(outcome, ToolError) else outcome.as_dict())
    if size_of(reply) <= transport.REPLY_LIMIT:
        return reply
    return encode(shortened(outcome, transport.REPLY_LIMIT, encode))


def _answering(
    function: str, served: list[str], settings: Settings | None
) -> tuple[Callable[..., dict[str, Any]], Settings]:
    """What answers the calls of a function, and its settings."""
    settings = settings or Settings.from_environment()
    backend = backend_of(settings)
    cold = itertools.chain([True], itertools.repeat(False))

    def answer(transport: Transport, event: Any, context: Any, *, by_gateway: bool) -> dict[str, Any]:
        start = time.perf_counter()
        with running_call() as counts:
            if next(cold):
                increment(Metric.COLD_START)
            outcome, entry = _outcome(lambda: transport.decode(event, settings.agent_id, context), served, backend)
        entry["duration_ms"] = round((time.perf_counter() - start) * 1000, 1)
        logger.info(
            "call", extra={"function": function, **_ids(event, context, by_gateway=by_gateway), **entry, **counts}
        )
        _measure(entry, outcome, counts)
        return encoded(transport, event, outcome)

    return answer, settings


def _outcome(
    decode: Callable[[], Call], served: list[str], backend: Backend
) -> tuple[Reply | ToolError, dict[str, Any]]:
    """The tool's reply or error, and what the log may contain about it: names and codes, no content."""
    entry: dict[str, Any] = {"tool": None}
    try:
        call = decode()
        entry["tool"] = call.tool if call.tool in TOOLS else "unknown"
        return _run(served, backend, call), {**entry, "outcome": "ok"}
    except ToolError as error:
        cause = {"cause": str(error.__cause__)} if error.__cause__ else {}
        return error, {**entry, "outcome": error.code, **cause}
    except Exception as error:  # noqa: BLE001 - a bug; its text may have content, so only its location is logged
        frames = [f"{frame.name}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)]
        fault = Fault("The memory failed because of an internal error. Sending the call again will not help.")
        return fault, {**entry, "outcome": "fault", "cause": type(error).__name__, "at": frames}


def _run(served: list[str], backend: Backend, call: Call) -> Reply:
    if call.tool not in served:
        raise NotFound(f"Unknown tool. This function serves {', '.join(served)}.", tools=served)
    return TOOLS[call.tool].call(backend, call.scope, call.arguments, call.key)


def _ids(event: Any, context: Any, *, by_gateway: bool) -> dict[str, Any]:
    """The ids in a log line: Lambda's id of the invocation and API Gateway's id of the request.

    The latter only if API Gateway made the event, because in other events a model could write anything there.
    """
    request_id = getattr(context, "aws_request_id", None)
    gateway_id = event["requestContext"].get("requestId") if by_gateway else None
    return {"request_id": request_id, "correlation_id": gateway_id if isinstance(gateway_id, str) else request_id}


def _measure(entry: Mapping[str, Any], outcome: Reply | ToolError, counts: Mapping[str, int]) -> None:
    """Send the call's metrics to CloudWatch, by tool and for all tools together, which alarms use.

    They are its duration, its error code, and everything counted during the call. Each call has its own metrics object,
    because Powertools' default one is shared and would mix the calls of several threads.
    """
    metrics = EphemeralMetrics(namespace="memtools")
    metrics.add_dimension(name="tool", value=entry["tool"] or "unknown")
    if metrics.service:
        metrics.add_dimensions(service=metrics.service)
    metrics.add_metric("calls", MetricUnit.Count, 1)
    metrics.add_metric("duration", MetricUnit.Milliseconds, entry["duration_ms"])
    if isinstance(outcome, ToolError):
        metrics.add_metric(outcome.code, MetricUnit.Count, 1)
    found = {} if isinstance(outcome, ToolError) else outcome.metrics()
    for name, count in {**found, **counts}.items():
        metrics.add_metric(name, MetricUnit.Count, count)
    metrics.flush_metrics()
