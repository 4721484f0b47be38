"""Makes the generated part of the Python client: replies, a method for each tool, functions, ``tools.json``."""

import subprocess
import sys
import textwrap
from datetime import datetime
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from memtools.catalogue import TOOLS
from memtools.tools.tool import AnyTool
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from generate.exports import anthropic, as_text

_LINE: Final = 110
_BY: Final = "Made from the catalogue by `make generate`: change it there."


def files() -> dict[str, str]:
    """The text of every generated file, by name."""
    return {
        "replies.py": _formatted(_replies()),
        "tools.py": _formatted(_tools()),
        "functions.py": _formatted(_functions()),
        "tools.json": as_text(anthropic(TOOLS.values())),
    }


def _formatted(source: str) -> str:
    ruff = Path(sys.executable).with_name("ruff")
    command = [str(ruff), "format", "--config", "line-length=120", "--stdin-filename", "generated.py", "-"]
    return subprocess.run(command, input=source, capture_output=True, text=True, check=True).stdout


def _replies() -> str:
    """A frozen dataclass for each reply, after those that it uses."""
    found: dict[str, type[BaseModel]] = {}
    for tool in TOOLS.values():
        _collect(tool.reply, found)
    head = f'''
        """The reply of each tool. Absent values are None. {_BY}"""

        from dataclasses import dataclass
        from datetime import datetime

        from memtools_client.decoding import Decoded
    '''
    return "\n\n".join((textwrap.dedent(head).lstrip(), *map(_dataclass, found.values())))


def _collect(model: type[BaseModel], found: dict[str, type[BaseModel]]) -> None:
    if base := _base(model):
        _collect(base, found)
    for field in model.model_fields.values():
        for part in _models_in(field.annotation):
            _collect(part, found)
    found.setdefault(model.__name__, model)


def _base(model: type[BaseModel]) -> type[BaseModel] | None:
    """The model whose fields this one inherits, if any."""
    base = model.__bases__[0]
    return base if issubclass(base, BaseModel) and base.model_fields else None


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in get_args(annotation) for model in _models_in(part)]


def _dataclass(model: type[BaseModel]) -> str:
    base = _base(model)
    doc = model.__doc__ or next(f"Reply of {tool.name}" for tool in TOOLS.values() if tool.reply is model)
    summary = doc.splitlines()[0].partition(". ")[0].removesuffix(".")
    fields = [
        f"    {name}: {_type(field.annotation)}"
        + (" = None" if NoneType in get_args(field.annotation) else "")
        + (f'\n    """{field.description}"""' if field.description else "")
        for name, field in model.model_fields.items()
        if base is None or name not in base.model_fields
    ]
    return "\n".join(
        (
            "@dataclass(frozen=True, slots=True, kw_only=True)",
            f"class {model.__name__}({base.__name__ if base else 'Decoded'}):",
            f'    """{summary}."""',
            "",
            *fields,
        )
    )


def _type(kind: Any) -> str:
    """The annotation as a client writes it: without pydantic, without bounds."""
    if get_origin(kind) is Annotated:
        return _type(get_args(kind)[0])
    if get_origin(kind) in (UnionType, Union):
        return " | ".join(_type(part) for part in get_args(kind))
    if get_origin(kind) is list:
        return f"list[{_type(get_args(kind)[0])}]"
    return "None" if kind is NoneType else str(kind.__name__)


def _tools() -> str:
    """The methods, once; the class for asyncio wraps each."""
    head = f'''
        """One method for each tool. {_BY}"""

        from abc import ABC, abstractmethod
        from collections.abc import Callable, Mapping, Sequence
        from typing import Any, Literal, TypeVar

        from memtools_client import replies
        from memtools_client.awaiting import awaitable
        from memtools_client.wire import Moment

        Reply = TypeVar("Reply")


        class Tools(ABC):
            """The tools of the catalogue; what is None is not sent, so that the service's default applies."""

            @abstractmethod
            def _ask(
                self, tool: str, arguments: Mapping[str, Any], reply: Callable[[Mapping[str, Any]], Reply]
            ) -> Reply: ...
    '''
    awaitable = '''

        class AsyncTools:
            """The same tools, each to be awaited."""

    '''
    methods = [textwrap.indent(_method(tool), "    ") for tool in TOOLS.values()]
    wrapped = "\n".join(f"    {name} = awaitable(Tools.{name})" for name in TOOLS)
    return "\n\n".join((textwrap.dedent(head).strip(), *methods, textwrap.dedent(awaitable) + wrapped)) + "\n"


def _functions() -> str:
    """The Lambda function that serves each tool, for direct invokes."""
    named = {tool.name: tool.function for tool in TOOLS.values()}
    return textwrap.dedent(f'''
        """Which function of the stack serves which tool. {_BY}"""

        from typing import Final

        FUNCTIONS: Final = {named!r}
    ''').lstrip()


def _method(tool: AnyTool) -> str:
    fields = tool.arguments.model_fields
    required = [f"{name}: {_argument_type(tool, name, field)}" for name, field in fields.items() if field.is_required()]
    optional = [
        f"{name}: {_argument_type(tool, name, field)} | None = None"
        for name, field in fields.items()
        if not field.is_required()
    ]
    parameters = ", ".join(("self", *required, *(["*"] if optional else []), *optional))
    sent = ", ".join(f'"{field.alias or name}": {name}' for name, field in fields.items())
    return "\n".join(
        (
            f"def {tool.name}({parameters}) -> replies.{tool.reply.__name__}:",
            f'    """{_docstring(tool)}',
            '    """',
            f"    arguments = {{{sent}}}",
            f'    return self._ask("{tool.name}", arguments, replies.{tool.reply.__name__}.of)',
        )
    )


def _docstring(tool: AnyTool) -> str:
    """What the tool does, and its arguments. The first sentence, or its first part, has its own line."""
    first, _, rest = tool.description.partition(". ")
    if len(first) > _LINE:
        first, _, rest = tool.description.partition(": ")
        rest = rest[0].upper() + rest[1:]
    described = [
        first + ("." if rest else ""),
        "",
        *textwrap.wrap(rest, _LINE, initial_indent="    ", subsequent_indent="    "),
    ]
    arguments = ["", "    Args:"]
    for name, field in tool.arguments.model_fields.items():
        text = f"{name}: {field.description}"
        arguments += textwrap.wrap(text, _LINE, initial_indent=" " * 8, subsequent_indent=" " * 12)
    return "\n".join((*described, *arguments))


def _argument_type(tool: AnyTool, name: str, field: FieldInfo) -> str:
    """The type of an argument in a client's signature."""
    node = tool.arguments.model_json_schema()["properties"][field.alias or name]
    if "$ref" in node:
        return f"Literal[{', '.join(repr(str(one.value)) for one in _bare(field.annotation))}]"
    branches = [branch for branch in node.get("anyOf", [node]) if branch.get("type") != "null"]
    if "enum" in branches[0]:
        return f"Literal[{', '.join(map(repr, branches[0]['enum']))}]"
    if _bare(field.annotation) is datetime:
        return "Moment"
    return {
        "string": "str",
        "integer": "int",
        "number": "float",
        "boolean": "bool",
        "array": "Sequence[str]",
    }[branches[0]["type"]]


def _bare(kind: Any) -> Any:
    """The type inside optional and annotated ones."""
    parts = [part for part in get_args(kind) if part is not NoneType]
    wraps = get_origin(kind) in (Annotated, UnionType, Union)
    return _bare(parts[0]) if wraps and get_origin(kind) is not Literal else kind
