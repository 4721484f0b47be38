"""ministack with two of Lambda's ways that it lacks; run by ministack's Python, with the functions' Python named.

It runs functions with its own Python, where much is installed that Lambda lacks. And it drops the client context of a
call, in which AgentCore Gateway says everything but the arguments.
"""

import base64
import contextvars
import importlib
import json
import sys
from typing import Any, Final

_NAME: Final = "clientContext"
# How its worker makes Lambda's context, and how it has to. `_ms_durable` goes from call to worker as it is.
_WITHOUT: Final = '"client_context": None,'
_WITH: Final = f"""\
"client_context": _ms_durable.get("{_NAME}") and __import__("types").SimpleNamespace(**_ms_durable["{_NAME}"]),"""

_context: contextvars.ContextVar[dict[str, Any]] = contextvars.ContextVar("client context")


def run_functions_with(python: str, runtime: Any) -> None:
    """Functions run with this Python, and get the client context of their call."""
    script: str = runtime._PYTHON_WORKER_SCRIPT
    if script.count(_WITHOUT) != 1:
        raise RuntimeError("this ministack makes Lambda's context in another way than the one that is mended here")
    mended = script.replace(_WITHOUT, _WITH)
    runtime._detect_runtime_binary = lambda _: (python, mended)
    invoke = runtime.Worker.invoke

    def with_context(self: Any, *arguments: Any, durable: Any = None, **named: Any) -> Any:
        return invoke(self, *arguments, durable={**(durable or {}), **_context.get({})}, **named)

    runtime.Worker.invoke = with_context


def keep_client_context(service: Any) -> None:
    """Each call's client context is there while it runs."""
    invoke = service._invoke

    async def keeping(name: str, event: Any, headers: Any, *arguments: Any) -> Any:
        given = headers.get("x-amz-client-context")
        _context.set({_NAME: json.loads(base64.b64decode(given))} if given else {})
        return await invoke(name, event, headers, *arguments)

    service._invoke = keeping


def main() -> None:
    """Start ministack."""
    run_functions_with(sys.argv.pop(), importlib.import_module("ministack.core.lambda_runtime"))
    keep_client_context(importlib.import_module("ministack.services.lambda_svc"))
    importlib.import_module("ministack.app").main()


if __name__ == "__main__":
    main()
