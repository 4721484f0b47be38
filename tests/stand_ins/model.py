"""A model that says what a script says, one thing after the other, and keeps what it was asked.

It speaks OpenAI's chat completions, which ministack asks on behalf of Bedrock's Converse.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from memtools_cli.service.serving import serving
from werkzeug.wrappers import Request, Response

# How ministack is told of it.
SETTING: Final = "MINISTACK_BEDROCK_PROXY_URL"

Messages = list[dict[str, Any]]
# A tool and its arguments, or what makes them of the messages so far; or a text, which ends the turn.
Step = str | tuple[str, dict[str, Any] | Callable[[Messages], dict[str, Any]]]


class Model:
    """The script that is left, and every request in full."""

    def __init__(self, script: Sequence[Step]) -> None:
        self.left = list(script)
        self.asked: list[dict[str, Any]] = []

    def found(self) -> str:
        """What searches answered, and reading the persona documents."""
        last = (asked["messages"][-1] for asked in self.asked)
        told = [message["content"] for message in last if message["role"] == "tool"]
        system = [one["content"] for asked in self.asked for one in asked["messages"] if one["role"] == "system"]
        return "\n".join([one for one in told if '"saved"' not in one] + system)

    def says(self, asked: dict[str, Any]) -> dict[str, Any]:
        """The next message of the script."""
        self.asked.append(asked)
        step = self.left.pop(0)
        if isinstance(step, str):
            return {"role": "assistant", "content": step}
        tool, arguments = step
        given = arguments(asked["messages"]) if callable(arguments) else arguments
        call = {"name": tool, "arguments": json.dumps(given)}
        return {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": f"call-{len(self.asked)}", "type": "function", "function": call}],
        }


@contextmanager
def speaking(model: Model) -> Iterator[str]:
    """The address at which the model answers."""

    def respond(request: Request) -> Response:
        message = model.says(request.get_json())
        return Response(json.dumps({"choices": [{"message": message}]}), content_type="application/json")

    with serving(Request.application(respond)) as address:
        yield address
