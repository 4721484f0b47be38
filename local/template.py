"""What ``template.yaml`` says, read rather than repeated: environment, table, bucket, routes, handlers."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cfnlint.decode import cfn_yaml

ROOT = Path(__file__).resolve().parent.parent
PATH = ROOT / "template.yaml"
_NOTHING = {"Ref": "AWS::NoValue"}


@dataclass(frozen=True)
class Function:
    """A function of the template: where its handler is."""

    code: Path
    module: str
    attribute: str


class Template:
    """The template with its parameters' defaults, or other values for some of them."""

    def __init__(self, parameters: Mapping[str, str] | None = None, path: Path = PATH) -> None:
        self._template: dict[str, Any] = cfn_yaml.load(str(path))
        defaults = {name: one.get("Default", "") for name, one in self._template["Parameters"].items()}
        self._parameters = {**defaults, **(parameters or {})}

    @property
    def environment(self) -> dict[str, str]:
        """The environment of all functions, with local names in the place of resources."""
        variables = self._template["Globals"]["Function"]["Environment"]["Variables"]
        return {name: self.resolve(value) for name, value in variables.items()}

    def holds(self, condition: str) -> bool:
        """Whether a condition of the template holds for these parameters."""
        return self._holds(self._template["Conditions"][condition])

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

    def resolve(self, value: Any) -> str:
        """A value of the template as text: parameters by their value, resources by their local name."""
        chosen = self.chosen(value)
        if isinstance(chosen, dict):
            name = chosen["Ref"]
            return str(self._parameters.get(name, local_name(name)))
        return str(chosen)

    def chosen(self, value: Any) -> Any:
        """The value with each choice in it made; what is chosen to be nothing is left out."""
        match value:
            case {"Fn::If": [condition, one, other]}:
                return self.chosen(one if self.holds(condition) else other)
            case dict():
                chosen = {name: self.chosen(part) for name, part in value.items()}
                return {name: part for name, part in chosen.items() if part != _NOTHING}
            case list():
                return [part for part in map(self.chosen, value) if part != _NOTHING]
        return value

    def _holds(self, condition: Any) -> bool:
        ((kind, parts),) = condition.items()
        match kind:
            case "Condition":
                return self.holds(parts)
            case "Fn::Equals":
                return len({self.resolve(part) for part in parts}) == 1
            case "Fn::Not":
                return not self._holds(parts[0])
            case "Fn::And":
                return all(map(self._holds, parts))
        raise ValueError(f"{kind} is not understood here")

    def _resources(self, kind: str) -> dict[str, Any]:
        resources = self._template["Resources"].items()
        return {name: one.get("Properties", {}) for name, one in resources if one["Type"] == kind}

    def _only(self, kind: str) -> dict[str, Any]:
        ((name, properties),) = self._resources(kind).items()
        return {"Name": local_name(name), **self.chosen(properties)}


def local_name(logical_id: str) -> str:
    """The name of a resource, or of the stack, on this machine; buckets take lower case only."""
    return f"memtools-local-{logical_id.removeprefix('AWS::').lower()}"
