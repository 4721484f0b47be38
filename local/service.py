"""The template's routes and functions on this machine, over an emulator of AWS: for work on what is deployed."""

import importlib
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from memtools.wiring import backend_of
from memtools_cli.service.http import Handler, application
from memtools_cli.service.serving import serving

from local import store
from local.guard import KEY
from local.template import ROOT, Function, Template

# Metrics are lines on standard output, which CloudWatch reads. Here nobody does.
_UNMEASURED = {"POWERTOOLS_METRICS_DISABLED": "true"}
# The window is always there: here it is for whoever started the service.
_WINDOW = {"WindowFunction": Function(ROOT / "functions" / "memtools_window", "window_handler", "handler")}


@dataclass(frozen=True)
class Service:
    """The running service: its address, that of its stores with their key, and the handlers by logical id."""

    url: str
    emulator: str
    handlers: Mapping[str, Handler]


def load_handler(function: Function) -> Handler:
    """The function's handler, made anew in the present environment."""
    sys.path.insert(0, str(function.code))
    try:
        sys.modules.pop(function.module, None)
        handler: Handler = getattr(importlib.import_module(function.module), function.attribute)
    finally:
        sys.path.remove(str(function.code))
    return handler


@contextmanager
def running(port: int = 0, parameters: Mapping[str, str] | None = None) -> Iterator[Service]:
    """The service on ``port`` (0: a free one), over stores made from the template."""
    template = Template(parameters)
    with store.endpoint() as emulator, store.environment({**template.environment, **_UNMEASURED}):
        store.create(template)
        backend_of.cache_clear()  # a memory made before has clients of other stores
        handlers = {name: load_handler(function) for name, function in template.functions.items()}
        shown = {name: load_handler(function) for name, function in _WINDOW.items()}
        with serving(application(template.routes, {**handlers, **shown}), port) as url:
            yield Service(url, _with_key(emulator), handlers)


def _with_key(emulator: str) -> str:
    """The address with the access key id in it, as ``settings_for`` takes it, if the store is one that we started."""
    key = os.environ.get("AWS_ACCESS_KEY_ID")
    return emulator.replace("//", f"//{key}@") if key == KEY else emulator
