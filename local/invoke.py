"""``python -m local.invoke ENVELOPE TOOL``: an event of ``events/`` through the function that serves it."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from memtools.catalogue import TOOLS

from local.service import running
from local.template import ROOT

EVENTS = ROOT / "events"


def client_context(custom: Any) -> Any:
    """Lambda's context of a call that brought this client context, as AgentCore Gateway's do."""
    return SimpleNamespace(aws_request_id="request", client_context=SimpleNamespace(custom=custom))


def load(path: Path) -> tuple[Any, Any]:
    """The event of a file in ``events/`` and the context in which it arrives."""
    content = json.loads(path.read_text("utf-8"))
    if path.parent.name != "agentcore":
        return content, None
    return content["event"], client_context(content["clientContext"]["custom"])


def main(arguments: list[str]) -> int:
    """Print the reply. The memory is empty: an id that an event names is not found."""
    paths = {(path.parent.name, path.stem): path for path in EVENTS.glob("*/*.json")}
    path = paths.get(tuple(arguments)) if len(arguments) == 2 else None  # type: ignore[arg-type]
    if path is None:
        envelopes = sorted({envelope for envelope, _ in paths})
        print(f"Name an envelope ({', '.join(envelopes)}) and a tool ({', '.join(TOOLS)}).", file=sys.stderr)
        return 2
    function = TOOLS[path.stem.partition("-")[0]].function
    event, context = load(path)
    with running() as service:
        reply = service.handlers[f"{function.capitalize()}Function"](event, context)
    print(json.dumps(reply, indent=2, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
