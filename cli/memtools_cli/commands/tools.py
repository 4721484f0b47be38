"""``call``, and a command for each tool that the client knows: a new tool needs nothing here."""

import json
from collections.abc import Callable
from inspect import Parameter
from typing import Annotated, Any, Literal

import typer
from memtools_client.specs import specs

from memtools_cli import connection
from memtools_cli.commands.words import help_of
from memtools_cli.failures import BadUsage
from memtools_cli.options import MemoryOptions, OutputOptions, ToolsOptions, flattened, with_options
from memtools_cli.output import show
from memtools_cli.streams import input_lines

Schema = dict[str, Any]
_TYPES: dict[str, Any] = {"string": str, "integer": int, "number": float, "boolean": bool}
_GROUPS = {"memory": MemoryOptions, "tools": ToolsOptions, "output": OutputOptions}


def add_to(app: typer.Typer) -> None:
    """Add ``call`` and the tools' commands."""
    app.command("call", rich_help_panel="Any tool")(flattened(call))
    for spec in specs():
        add_tool = app.command(
            command_name(spec["name"]), help=help_of(spec["name"], spec["description"]), rich_help_panel="Tools"
        )
        add_tool(_command(spec["name"], spec["input_schema"]))


def command_name(tool: str) -> str:
    """``memory_search`` is ``search`` here."""
    return tool.removeprefix("memory_").replace("_", "-")


def call(
    *,
    memory: MemoryOptions,
    tools: ToolsOptions,
    output: OutputOptions,
    tool: Annotated[str, typer.Argument(help="The tool's name, such as memory_search.")],
    json_args: Annotated[str, typer.Option("--json-args", help="All arguments, as one JSON object.")] = "",
    arg: Annotated[
        list[str] | None, typer.Option("--arg", help="One argument, NAME=VALUE; again for each item of a list.")
    ] = None,
) -> None:
    """Call any tool with the arguments as they are, even those that this command line does not know."""
    if json_args and arg:
        raise BadUsage("Give the arguments by --json-args or by --arg, not by both.")
    arguments = _object(json_args) if json_args else _named(tool, arg or [])
    show(connection.call(connection.connect(tools, memory), tool, arguments), as_json=output.json)


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise BadUsage("--json-args is not valid JSON.") from None
    if not isinstance(found, dict):
        raise BadUsage("--json-args has to be a JSON object.")
    return found


def _named(tool: str, given: list[str]) -> dict[str, Any]:
    """The arguments by name; those of the same name are the items of a list."""
    known: Schema = next((spec["input_schema"]["properties"] for spec in specs() if spec["name"] == tool), {})
    values: dict[str, list[Any]] = {}
    for one in given:
        name, equals, text = one.partition("=")
        if not equals or not name:
            raise BadUsage("--arg takes NAME=VALUE.")
        values.setdefault(name, []).append(_value(text, known.get(name, {})))
    return {name: some[0] if len(some) == 1 else some for name, some in values.items()}


def _value(text: str, schema: Schema) -> Any:
    """JSON, unless the argument is a text, or the value is not JSON."""
    if schema.get("type") == "string":
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _command(tool: str, schema: Schema) -> Callable[..., None]:
    required = schema.get("required", [])
    names = {_python_name(name): name for name in schema["properties"]}
    own = [
        _parameter(python, name, schema["properties"][name], required=name in required, first=name in required[:1])
        for python, name in names.items()
    ]

    def run(memory: MemoryOptions, tools: ToolsOptions, output: OutputOptions, **given: Any) -> None:
        for python, value in given.items():
            if value == ["-"]:
                given[python] = input_lines()
        arguments = {names[python]: value for python, value in given.items() if value not in (None, [])}
        show(connection.call(connection.connect(tools, memory), tool, arguments), as_json=output.json)

    return with_options(run, _GROUPS, own)


def _parameter(python: str, name: str, schema: Schema, *, required: bool, first: bool) -> Parameter:
    """The command's parameter for a tool's argument: the first required one is positional, the others are options."""
    kind = _type(schema)
    flag = "--" + "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in name)
    if schema.get("type") == "boolean":
        flag = f"{flag}/--no-{flag.removeprefix('--')}"
    help_ = schema.get("description", "") + (f" Default: {schema['default']}." if schema.get("default") else "")
    how = typer.Argument(metavar=name.upper(), help=help_) if first else typer.Option(flag, help=help_)
    annotation = Annotated[kind if required else kind | None, how]  # type: ignore[valid-type]
    default = Parameter.empty if required else None
    return Parameter(python, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _type(schema: Schema) -> Any:
    if "enum" in schema:
        return Literal[tuple(schema["enum"])]
    if schema.get("type") == "array":
        return list[_type(schema["items"])]  # type: ignore[misc]
    return _TYPES[schema["type"]]


def _python_name(name: str) -> str:
    return name.lower() + "_"
