"""``template.yaml`` as CloudFormation deploys it: each choice made by the parameters."""

from collections.abc import Mapping
from typing import Any

from local.template import Template

_NOTHING = {"Ref": "AWS::NoValue"}


class Deployed(Template):
    """The template with what its conditions choose."""

    def holds(self, condition: str) -> bool:
        """Whether a condition of the template holds for these parameters."""
        return self._holds(self._template["Conditions"][condition])

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

    def _chosen(self, properties: Mapping[str, Any]) -> dict[str, Any]:
        chosen: dict[str, Any] = self.chosen(properties)
        return chosen

    def _holds(self, condition: Any) -> bool:
        ((kind, parts),) = condition.items()
        match kind:
            case "Condition":
                return self.holds(parts)
            case "Fn::Equals":
                return len({self._text(part) for part in parts}) == 1
            case "Fn::Not":
                return not self._holds(parts[0])
            case "Fn::And":
                return all(map(self._holds, parts))
        raise ValueError(f"{kind} is not understood here")
