"""``call``, and a command for each tool of the catalogue: a new tool needs nothing here."""

import json
from collections.abc import Callable
from inspect import Parameter
from typing import Annotated, Any, Literal

import typer
from memtools.catalogue import TOOLS
from memtools.tools.tool import AnyTool

from generate.schemas import arguments_of, described
from memtools_cli.failures import bad_usage
from memtools_cli.options import Form, Reach, Whose, flattened, with_options
from memtools_cli.output import show
from memtools_cli.targets import target_of

_TYPES: dict[str, Any] = {"string": str, "integer": int, "number": float, "boolean": bool}
_GROUPS = {"whose": Whose, "reach": Reach, "form": Form}


def add_to(app: typer.Typer) -> None:
    """Add ``call`` and the tools' commands."""
    app.command("call", rich_help_panel="Any tool")(flattened(call))
    for tool in TOOLS.values():
        panel = {"rich_help_panel": "Tools"}
        app.command(command_name(tool), help=tool.description, **panel)(_command(tool))  # type: ignore[arg-type]


def command_name(tool: AnyTool) -> str:
    """``memory_search`` is ``search`` here."""
    return tool.name.removeprefix("memory_").replace("_", "-")


def call(
    *,
    whose: Whose,
    reach: Reach,
    form: Form,
    tool: Annotated[str, typer.Argument(help="The tool's name, such as memory_search.")],
    json_args: Annotated[str, typer.Option("--json-args", help="All arguments, as one JSON object.")] = "",
    arg: Annotated[
        list[str] | None, typer.Option("--arg", help="One argument, NAME=VALUE; again for each item of a list.")
    ] = None,
) -> None:
    """Call any tool, with arguments just as given: those too that this command line does not know."""
    if json_args and arg:
        raise bad_usage("Give the arguments by --json-args or by --arg, not by both.")
    arguments = _object(json_args) if json_args else _named(tool, arg or [])
    show(target_of(reach, whose).call(tool, arguments), as_json=form.json)


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise bad_usage("--json-args is no valid JSON.") from None
    if not isinstance(found, dict):
        raise bad_usage("--json-args has to be a JSON object.")
    return found


def _named(tool: str, given: list[str]) -> dict[str, Any]:
    """The arguments by name; those of the same name are the items of a list."""
    kinds = _kinds(TOOLS[tool]) if tool in TOOLS else {}
    values: dict[str, list[Any]] = {}
    for one in given:
        name, equals, text = one.partition("=")
        if not equals or not name:
            raise bad_usage("--arg takes NAME=VALUE.")
        values.setdefault(name, []).append(_value(text, kinds.get(name)))
    return {name: some[0] if len(some) == 1 else some for name, some in values.items()}


def _value(text: str, kind: Any) -> Any:
    """JSON, unless the argument is a text, or the value is no JSON."""
    if kind == "string":
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _kinds(tool: AnyTool) -> dict[str, Any]:
    """What type each argument is; a list of texts takes one text too."""
    found: dict[str, Any] = {}
    for name, schema in arguments_of(tool)["properties"].items():
        found[name] = schema.get("type")
    return found


def _command(tool: AnyTool) -> Callable[..., None]:
    schema = arguments_of(tool)
    required = schema.get("required", [])
    names = {_python_name(name): name for name in schema["properties"]}
    own = [
        _parameter(python, name, schema["properties"][name], required=name in required, first=name in required[:1])
        for python, name in names.items()
    ]

    def run(whose: Whose, reach: Reach, form: Form, **given: Any) -> None:
        arguments = {names[python]: value for python, value in given.items() if value not in (None, [])}
        show(target_of(reach, whose).call(tool.name, arguments), as_json=form.json)

    return with_options(run, _GROUPS, own)


def _parameter(python: str, name: str, schema: dict[str, Any], *, required: bool, first: bool) -> Parameter:
    """An argument of the tool as one of the command: the first that is required by its place, the others by name."""
    kind = _type(schema)
    flag = "--" + "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in name)
    if schema.get("type") == "boolean":
        flag = f"{flag}/--no-{flag.removeprefix('--')}"
    how = (
        typer.Argument(metavar=name.upper(), help=described(schema))
        if first
        else typer.Option(flag, help=described(schema))
    )
    annotation = Annotated[kind if required else kind | None, how]  # type: ignore[valid-type]
    default = Parameter.empty if required else None
    return Parameter(python, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _type(schema: dict[str, Any]) -> Any:
    if "enum" in schema:
        return Literal[tuple(schema["enum"])]
    if schema.get("type") == "array":
        return list[_type(schema["items"])]  # type: ignore[misc]
    return _TYPES[schema["type"]]


def _python_name(name: str) -> str:
    return name.lower() + "_"
