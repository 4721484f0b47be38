"""What ``template.yaml`` says, read rather than repeated: environment, table, bucket, routes, handlers."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import yaml

ROOT = Path(__file__).resolve().parent.parent
PATH = ROOT / "template.yaml"


class _Loader(yaml.SafeLoader):  # type: ignore[misc]
    """YAML as CloudFormation reads it: short forms are spelled out, and dates are text."""

    yaml_implicit_resolvers: ClassVar = {
        first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(":timestamp")]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


def _spelled_out(loader: _Loader, name: str, node: yaml.Node) -> dict[str, Any]:
    """``!Sub x`` is {"Fn::Sub": "x"}, ``!GetAtt A.B`` is {"Fn::GetAtt": ["A", "B"]}, ``!Ref A`` is {"Ref": "A"}."""
    value: Any
    match node:
        case yaml.ScalarNode():
            value = loader.construct_scalar(node)
        case yaml.SequenceNode():
            value = loader.construct_sequence(node, deep=True)
        case _:
            value = loader.construct_mapping(node, deep=True)
    if name == "GetAtt" and isinstance(value, str):
        value = value.split(".", 1)
    return {name if name in ("Ref", "Condition") else f"Fn::{name}": value}


_Loader.add_multi_constructor("!", _spelled_out)


def loaded(text: str) -> dict[str, Any]:
    """A template's text as plain values."""
    value: dict[str, Any] = yaml.load(text, _Loader)
    return value


@cache
def _template() -> dict[str, Any]:
    return loaded(PATH.read_text("utf-8"))


@dataclass(frozen=True)
class Function:
    """A function of the template: where its handler is."""

    code: Path
    module: str
    attribute: str


class Template:
    """The template with its parameters' defaults, or other values for some of them.

    What its conditions choose between is left out: nothing that runs here depends on it.
    """

    def __init__(self, parameters: Mapping[str, str] | None = None) -> None:
        self._template = _template()
        defaults = {name: one.get("Default", "") for name, one in self._template["Parameters"].items()}
        self._parameters = {**defaults, **(parameters or {})}

    @property
    def environment(self) -> dict[str, str]:
        """The environment of all functions, with local names in the place of resources."""
        variables = self._chosen(self._template["Globals"]["Function"]["Environment"]["Variables"])
        return {name: self._text(value) for name, value in variables.items()}

    @property
    def functions(self) -> dict[str, Function]:
        """The functions by logical id."""
        found = {}
        for name, properties in self._resources("AWS::Serverless::Function").items():
            module, attribute = properties["Handler"].rsplit(".", 1)
            found[name] = Function(ROOT / properties["CodeUri"], module, attribute)
        return found

    @property
    def routes(self) -> dict[str, str]:
        """The logical id of the function behind each route (``POST /tools/...``)."""
        integrations = self._resources("AWS::ApiGatewayV2::Integration")
        found = {}
        for properties in self._resources("AWS::ApiGatewayV2::Route").values():
            integration = properties["Target"]["Fn::Sub"].removeprefix("integrations/").strip("${}")
            found[properties["RouteKey"]] = integrations[integration]["IntegrationUri"]["Fn::GetAtt"][0]
        return found

    @property
    def table(self) -> dict[str, Any]:
        """The table's name and properties."""
        return self._only("AWS::DynamoDB::Table")

    @property
    def bucket(self) -> dict[str, Any]:
        """The bucket's name and properties."""
        return self._only("AWS::S3::Bucket")

    def _text(self, value: Any) -> str:
        """A value of the template as text: parameters by their value, resources by their local name."""
        if isinstance(value, dict):
            name = value["Ref"]
            return str(self._parameters.get(name, local_name(name)))
        return str(value)

    def _chosen(self, properties: Mapping[str, Any]) -> dict[str, Any]:
        """The properties without those that are a choice."""
        return {name: value for name, value in properties.items() if not _is_choice(value)}

    def _resources(self, kind: str) -> dict[str, Any]:
        resources = self._template["Resources"].items()
        return {name: one.get("Properties", {}) for name, one in resources if one["Type"] == kind}

    def _only(self, kind: str) -> dict[str, Any]:
        ((name, properties),) = self._resources(kind).items()
        return {"Name": local_name(name), **self._chosen(properties)}


def _is_choice(value: Any) -> bool:
    return isinstance(value, dict) and "Fn::If" in value


def local_name(logical_id: str) -> str:
    """The name of a resource, or of the stack, on this machine; buckets take lower case only."""
    return f"memtools-local-{logical_id.removeprefix('AWS::').lower()}"
