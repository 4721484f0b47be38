"""Values against botocore's models of AWS's operations: names and types, and also what ParamValidator leaves out."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import botocore.session
from botocore.validate import ParamValidator

_session = botocore.session.get_session()


def complaints(service: str, operation: str, value: Any, member: tuple[str, ...] = ()) -> list[str]:
    """What AWS would have against ``value`` as the operation's input, or as a member of it."""
    shape: Any = _session.get_service_model(service).operation_model(operation).input_shape
    for name in member:
        shape = shape.members[name]
    report = ParamValidator().validate(value, shape).generate_report()
    return [report] if report else list(_beyond(shape, value, operation))


def _beyond(shape: Any, value: Any, place: str) -> Iterator[str]:
    """Patterns, allowed values, upper bounds and unions, which ParamValidator does not look at."""
    if getattr(shape, "is_document_type", False):
        return
    if shape.type_name == "structure":
        for name, part in value.items():
            yield from _beyond(shape.members[name], part, f"{place}.{name}")
    elif shape.type_name == "map":
        for name, part in value.items():
            yield from _beyond(shape.key, name, f"{place}.{name}")
            yield from _beyond(shape.value, part, f"{place}.{name}")
    elif shape.type_name == "list":
        for index, part in enumerate(value):
            yield from _beyond(shape.member, part, f"{place}[{index}]")
    if shape.type_name in ("list", "string") and len(value) > shape.metadata.get("max", len(value)):
        yield f"{place}: more than {shape.metadata['max']}"
    if shape.type_name == "string" and not re.fullmatch(shape.metadata.get("pattern", ".*"), value, re.DOTALL):
        yield f"{place}: {value!r} does not match {shape.metadata['pattern']}"
    if value not in shape.metadata.get("enum", [value]):
        yield f"{place}: {value!r} is none of {shape.metadata['enum']}"


def is_action(name: str) -> bool:
    """Whether IAM has the action. cfn-lint knows them, but keeps quiet about them where a template uses SAM."""
    service, _, action = name.lower().partition(":")
    return action in _services()[service]["Actions"]


@cache
def _services() -> Any:
    from cfnlint.data import AdditionalSpecs
    from cfnlint.helpers import load_resource

    return load_resource(AdditionalSpecs, "Policies.json")
