"""MCP in the template: there where it is asked for, behind the authorizer, with the rights of the four roles."""

from collections.abc import Iterable
from typing import Any

from tests.template.test_template import (
    actions,
    as_list,
    integrations,
    parameters,
    permissions,
    resources,
    routes,
    statements,
    template,
)

FOUR = ("SearchRole", "AddRole", "EditRole", "MergeRole")
of_mcp = {name: one for name, one in resources.items() if name.startswith("Mcp")}


def rights(roles: Iterable[str]) -> set[tuple[str, str, str]]:
    """Each action with a resource and the condition; the log group is each function's own."""
    return {
        (action, str(resource), str(statement.get("Condition")))
        for role in roles
        for statement in statements(role)
        for action in actions(statement)
        if not action.startswith("logs:")
        for resource in as_list(statement["Resource"])
    }


def widest(found: set[tuple[str, str, str]]) -> set[tuple[str, str, str]]:
    """Without the rights that a wider one includes: reading any document includes reading MEMORY.md."""
    every = str({"Fn::Sub": "${MemoryBucket.Arn}/agents/*"})
    included = {one for one in found if "/agents/*/users/" in one[1] and (one[0], every, one[2]) in found}
    return found - included


def test_it_is_there_only_where_it_is_asked_for() -> None:
    assert parameters["Mcp"]["Default"] == "no"
    assert template["Conditions"]["UseMcp"] == {"Fn::Equals": [{"Ref": "Mcp"}, "yes"]}
    assert {one.get("Condition") for one in of_mcp.values()} == {"UseMcp"}
    assert {name for name, one in resources.items() if one.get("Condition") == "UseMcp"} == set(of_mcp)


def test_its_role_is_the_union_of_the_four() -> None:
    """No tool lacks a right over MCP, and none has one that it lacks elsewhere."""
    # A key is for the stores that a function uses, so the narrower conditions of two roles are in the wider one.
    own, four = rights(["McpRole"]), widest(rights(FOUR))
    assert {one for one in four if not one[0].startswith("kms:")} == {
        one for one in own if not one[0].startswith("kms:")
    }
    assert own <= four


def test_every_method_leads_to_it_behind_the_authorizer() -> None:
    route: Any = routes["McpRoute"]["Properties"]
    assert route["RouteKey"] == "ANY /mcp"
    assert route["AuthorizationType"] == {"Fn::If": ["UseJwt", "JWT", "AWS_IAM"]}
    assert route["Target"] == {"Fn::Sub": "integrations/${McpIntegration}"}
    assert integrations["McpIntegration"]["Properties"]["IntegrationUri"] == {"Fn::GetAtt": ["McpFunction", "Arn"]}


def test_the_api_may_call_it_for_its_address_only() -> None:
    permission = permissions["McpInvokePermission"]["Properties"]
    assert permission["FunctionName"] == {"Ref": "McpFunction"}
    assert permission["Principal"] == "apigateway.amazonaws.com"
    assert permission["SourceArn"]["Fn::Sub"].endswith(":${HttpApi}/*/*/mcp")
