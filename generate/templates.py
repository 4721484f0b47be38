"""The generated parts of the integrations' templates: tools from the catalogue, and the interceptor's code.

A block begins after a line that ends with ``# from <source>`` and includes all lines that are indented more. A source
is ``bedrock-functions search``, ``agentcore search`` and so on, or a file next to the template.
"""

import json
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from memtools.catalogue import TOOLS
from memtools.tools.tool import AnyTool

from generate.exports import FORMATS, tools_of

WIDTH: Final = 120
_MARK: Final = re.compile(r"^(?P<indent> *)\S.*  # from (?P<source>[\w/.-]+( \w+)?)$")


def pascal(value: Any, *, of_names: bool = False) -> Any:
    """An export in CloudFormation's spelling. Names of parameters and properties do not change."""
    if isinstance(value, list):
        return [pascal(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        (name if of_names else name[0].upper() + name[1:]): pascal(
            part, of_names=not of_names and name in ("properties", "parameters")
        )
        for name, part in value.items()
    }


def as_yaml(value: Any, indent: int) -> Iterator[str]:
    """``value`` as lines of block YAML."""
    space = " " * indent
    if isinstance(value, list):
        for item in value:
            first, *others = as_yaml(item, indent + 2)
            yield f"{space}- {first.lstrip()}"
            yield from others
    elif isinstance(value, dict):
        for name, part in value.items():
            yield from _entry(json.dumps(name) if name in ("with", "on", "yes", "no") else name, part, indent)
    else:
        yield space + json.dumps(value, ensure_ascii=False)


def _entry(name: str, part: Any, indent: int) -> Iterator[str]:
    space = " " * indent
    if isinstance(part, list) and not any(isinstance(item, dict) for item in part):
        yield f"{space}{name}: [{', '.join(part)}]"
    elif isinstance(part, dict | list):
        yield f"{space}{name}:"
        yield from as_yaml(part, indent + 2)
    elif isinstance(part, str) and not re.fullmatch(r"[\w-]+", part):
        yield f"{space}{name}: >-"
        yield from textwrap.wrap(
            part,
            WIDTH,
            initial_indent=space + "  ",
            subsequent_indent=space + "  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
    else:
        yield f"{space}{name}: {part if isinstance(part, str) else json.dumps(part)}"


def _block(source: str, indent: int, folder: Path) -> list[str]:
    """The block for ``source``."""
    if source.endswith(".py"):
        code = (folder / source).read_text(encoding="utf-8").splitlines()
        return [" " * indent + line if line else "" for line in code]
    form, function = source.split()
    tools = FORMATS[form](tools_of(function))
    content = tools[0]["functionSchema"]["functions"] if form == "bedrock-functions" else tools
    return list(as_yaml(pascal(content), indent))


_ROUTES_BEGIN: Final = "  # A route for each tool, from the catalogue; make generate writes them.\n"
_ROUTES_END: Final = "  # The end of the routes from the catalogue.\n"


def with_routes(template: Path) -> str:
    """The stack's template with a route for each tool."""
    text = template.read_text(encoding="utf-8")
    routes = "\n".join(_route(tool) for tool in TOOLS.values())
    return f"{text.partition(_ROUTES_BEGIN)[0]}{_ROUTES_BEGIN}{routes}{_ROUTES_END}{text.partition(_ROUTES_END)[2]}"


def _route(tool: AnyTool) -> str:
    name = "".join(part.capitalize() for part in tool.name.split("_"))
    return f"""\
  {name}Route:
    Type: AWS::ApiGatewayV2::Route
    Properties:
      ApiId: !Ref HttpApi
      RouteKey: POST /tools/{tool.name}
      Target: !Sub integrations/${{{tool.function.capitalize()}Integration}}
      AuthorizationType: !If [UseJwt, JWT, AWS_IAM]
      AuthorizerId: !If [UseJwt, !Ref JwtAuthorizer, !Ref AWS::NoValue]
"""


def updated(template: Path) -> str:
    """The template with new blocks."""
    lines: list[str] = []
    inside: int | None = None
    blank = False
    for line in template.read_text(encoding="utf-8").splitlines():
        if inside is not None:
            if not line or len(line) - len(line.lstrip()) > inside:
                blank = not line
                continue
            inside = None
            lines += [""] if blank else []
        lines.append(line)
        if marked := _MARK.match(line):
            inside, blank = len(marked["indent"]), False
            lines += _block(marked["source"], inside + 2, template.parent)
    return "\n".join(lines) + "\n"
