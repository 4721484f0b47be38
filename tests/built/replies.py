"""Every event of events/, sent to the functions of one side, and what both sides answered compared."""

import base64
import io
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any, Final

from memtools.catalogue import TOOLS

from local import service, store
from local.invoke import client_context, load
from local.template import ROOT
from tests.built.stack import AGENT, client

EVENTS: Final = sorted((ROOT / "events").glob("*/*.json"))
# An order in which each tool finds what it is about.
_LIFE: Final = (
    "add",
    "search",
    "list",
    "duplicates",
    "update",
    "delete",
    "restore",
    "merge",
    "unmerge",
    "history",
    "edit",
    "read",
)
_USER = "maya"
_ID = re.compile(r"mt_[0-9a-f]{32}")
# S3's versions are text, also where the reply is text within text; the numbers of versions are compared.
_VERSION = re.compile(r"""(?<=version)(\\*": \\*")([^"\\]+)""")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
_ERROR = re.compile(r"""FunctionError|"code\\*":""")

# What a function answers: by its logical id, to an event in a context.
Ask = Callable[[str, Any, Any], Any]
Replies = dict[str, Any]


def _tool(path: Path) -> str:
    return path.stem.partition("-")[0]


def _asked(ask: Ask, path: Path, names: Mapping[str, str]) -> Any:
    """The answer to an event, in which what is named one way is named another way."""
    event, context = load(path)
    if names:
        event, custom = json.loads(_renamed(json.dumps([event, context and context.client_context.custom]), names))
        context = context and client_context(custom)
    return ask(f"{TOOLS[_tool(path)].function.capitalize()}Function", event, context)


def _renamed(text: str, names: Mapping[str, str]) -> str:
    for old, new in names.items():
        text = text.replace(old, new)
    return text


def as_they_are(ask: Ask) -> Replies:
    """The replies to all events, by the event's place."""
    return {f"{path.parent.name}/{path.stem}": _plain(_asked(ask, path, {})) for path in EVENTS}


def about_what_is_there(ask: Ask) -> Replies:
    """The same, with ids of facts that were just saved and, for each envelope, a user of its own: so tools succeed."""
    replies: Replies = {}
    for envelope in sorted({path.parent.name for path in EVENTS}):
        replies |= _life(ask, envelope)
    return replies


def _life(ask: Ask, envelope: str) -> Replies:
    """One envelope's events, in an order in which each tool finds what it is about."""
    names = {f'"{_USER}"': f'"{_USER}-{envelope}"'}
    replies = {}
    paths = [path for path in EVENTS if path.parent.name == envelope]
    for path in sorted(paths, key=lambda one: _LIFE.index(_tool(one).removeprefix("memory_"))):
        reply = _asked(ask, path, names)
        replies[f"{envelope}/{path.stem}"] = _plain(reply)
        if _tool(path) == "memory_add":
            names |= dict(zip(_ids_of_events(), dict.fromkeys(_ID.findall(json.dumps(reply))), strict=False))
    return replies


def _ids_of_events() -> list[str]:
    """The ids that the events name."""
    return sorted({found for path in EVENTS for found in _ID.findall(path.read_text("utf-8"))})


def _plain(reply: Any) -> Any:
    """The reply without what differs from run to run: times, and which ids chance made."""
    numbers: dict[str, str] = {}

    def number(name: str) -> str:
        return numbers.setdefault(name, f"<{len(numbers)}>")

    text = _TIME.sub("<time>", json.dumps(reply, ensure_ascii=False))
    text = _ID.sub(lambda found: number(found[0]), text)
    return json.loads(_VERSION.sub(lambda found: found[1] + number(found[2]), text))


def refused(replies: Replies) -> list[str]:
    """The events whose reply is an error, of any envelope's or of Lambda's."""
    return [name for name, reply in replies.items() if _ERROR.search(json.dumps(reply))]


def differences(ours: Replies, theirs: Replies) -> dict[str, tuple[Any, Any]]:
    """The events that the two sides answered differently, with both replies."""
    names = [*ours, *(theirs.keys() - ours.keys())]
    pairs = {name: (ours.get(name), theirs.get(name)) for name in names}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def deployed(address: str, outputs: dict[str, str]) -> Ask:
    """The functions of a stack, through Lambda's API."""
    functions = client("lambda", address)

    def ask(function: str, event: Any, context: Any) -> Any:
        custom = {"custom": context.client_context.custom} if context else None
        sent = {"ClientContext": base64.b64encode(json.dumps(custom).encode()).decode()} if custom else {}
        reply = functions.invoke(FunctionName=outputs[f"{function}Arn"], Payload=json.dumps(event), **sent)
        payload = json.loads(reply["Payload"].read())
        return {"FunctionError": reply["FunctionError"], "payload": payload} if "FunctionError" in reply else payload

    return ask


@contextmanager
def local() -> Iterator[Ask]:
    """The functions of the service that `make local` runs, over stores of their own; what they log is dropped."""
    with store.environment({}), redirect_stdout(io.StringIO()):
        for name in [name for name in os.environ if name.startswith("AWS_")]:
            del os.environ[name]
        with service.running(parameters={"AgentId": AGENT}) as running:
            yield lambda function, event, context: running.handlers[function](event, context)
