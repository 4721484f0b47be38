"""Options that several commands share, in groups, and how a command takes a group."""

import os
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from importlib.metadata import version
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, get_type_hints

from memtools.domain.scope import Scope
from memtools.errors import Unscoped
from typer import Exit, Option, echo

from memtools_cli.failures import BadUsage

_STACK = Annotated[
    str, Option("--stack", envvar="MEMTOOLS_STACK", help="The CloudFormation stack: its outputs name the rest.")
]


DataOption = Annotated[
    str,
    Option("--data", help="The folder of a memory on this machine; ~/.memtools unless named. [env: MEMTOOLS_DATA]"),
]


def _print_version(wanted: bool) -> None:
    if wanted:
        echo(f"memtools {version('memtools')}")
        raise Exit


VersionOption = Annotated[bool, Option("--version", callback=_print_version, is_eager=True, help="Print the version.")]


@dataclass(frozen=True, slots=True)
class MemoryOptions:
    """Whose memory."""

    agent: Annotated[str, Option("--agent", envvar="MEMTOOLS_AGENT", help="The agent whose memory it is.")] = ""
    user: Annotated[str, Option("--user", envvar="MEMTOOLS_USER", help="The user that the memory is about.")] = ""

    def scope(self) -> Scope:
        """The scope of these names. Raises Failure where one is missing or not allowed."""
        if missing := [f"--{name}" for name in ("agent", "user") if not getattr(self, name).strip()]:
            raise BadUsage(f"Whose memory? Name {' and '.join(missing)}.")
        try:
            return Scope(self.agent, self.user)
        except Unscoped as error:
            raise BadUsage(error.message) from None


@dataclass(frozen=True, slots=True)
class ToolsOptions:
    """How to reach the tools."""

    url: Annotated[str, Option("--url", help="Address of the HTTP API or the local service. [env: MEMTOOLS_URL]")] = ""
    token: Annotated[
        str, Option("--token", envvar="MEMTOOLS_TOKEN", help="A JWT: sent instead of a signature.", show_envvar=True)
    ] = ""
    sign: Annotated[bool, Option("--sign", help="Sign requests (SigV4) to an address of your own domain too.")] = False
    stack: _STACK = ""
    function_prefix: Annotated[
        str, Option("--function-prefix", help="Invoke the functions whose names begin with this.")
    ] = ""
    data: DataOption = ""

    def chosen(self) -> tuple[str, str]:
        """The one way that is named, and its value; options precede the environment. Raises Failure.

        Unless a way is named, it is the folder of a memory on this machine.
        """
        environment = {"url": os.environ.get("MEMTOOLS_URL", ""), "stack": os.environ.get("MEMTOOLS_STACK", "")}
        ways = {"url": self.url, "stack": self.stack, "function_prefix": self.function_prefix, "data": self.data}
        typed = {name: value for name, value in ways.items() if value and value != environment.get(name)}
        if len(typed) > 1:
            raise BadUsage("Name one of --url, --stack, --function-prefix and --data, not several.")
        named = [(name, value) for name, value in (typed or environment).items() if value]
        return named[0] if named else ("data", folder_of(""))


@dataclass(frozen=True, slots=True)
class StoreOptions:
    """Where the memory is stored."""

    stack: _STACK = ""
    table: Annotated[str, Option("--table", envvar="MEMTOOLS_TABLE", help="The table of traces.")] = ""
    bucket: Annotated[str, Option("--bucket", envvar="MEMTOOLS_BUCKET", help="The bucket of documents.")] = ""
    index: Annotated[str, Option("--index", help="The table's index by time of change.")] = "changed"
    data: DataOption = ""

    @property
    def is_deployed(self) -> bool:
        """Whether the memory is that of a deployment; else it is on this machine. Raises Failure where both are named.

        Options precede the environment.
        """
        names = {name: getattr(self, name) for name in ("stack", "table", "bucket")}
        if not self.data:
            return any(names.values())
        if any(value and value != os.environ.get(f"MEMTOOLS_{name.upper()}") for name, value in names.items()):
            raise BadUsage("Name --data, or --stack, or --table and --bucket, not several.")
        return False


def folder_of(data: str) -> str:
    """The folder of the memory on this machine, if ``--data`` is ``data``."""
    return data or os.environ.get("MEMTOOLS_DATA", "") or str(Path.home() / ".memtools")


@dataclass(frozen=True, slots=True)
class OutputOptions:
    """What is printed."""

    json: Annotated[bool, Option("--json", help="Print one JSON document, for programs.")] = False


def flattened(command: Callable[..., None]) -> Callable[..., None]:
    """The command with its groups of options replaced by their options."""
    hints = get_type_hints(command, include_extras=True)
    groups = {name: kind for name, kind in hints.items() if is_dataclass(kind)}
    single = [one.replace(annotation=hints[one.name]) for one in signature(command).parameters.values()]
    return with_options(command, groups, [one for one in single if one.name not in groups])


def with_options(command: Callable[..., None], groups: dict[str, Any], own: list[Parameter]) -> Callable[..., None]:
    """A command with the parameters ``own`` and all options of the groups; it passes each group on as one argument."""
    flat = {one.name: one.replace(kind=Parameter.KEYWORD_ONLY) for one in own}
    for kind in groups.values():
        hints = get_type_hints(kind, include_extras=True)
        for field in fields(kind):
            option = Parameter(field.name, Parameter.KEYWORD_ONLY, default=field.default, annotation=hints[field.name])
            flat.setdefault(field.name, option)

    def run(**given: Any) -> None:
        grouped = {name: kind(**{one.name: given[one.name] for one in fields(kind)}) for name, kind in groups.items()}
        command(**grouped, **{one.name: given[one.name] for one in own})

    run.__name__, run.__doc__ = command.__name__, command.__doc__
    run.__annotations__ = {name: one.annotation for name, one in flat.items()}
    run.__signature__ = Signature(list(flat.values()))  # type: ignore[attr-defined]
    return run
