"""What integrations/ promises: schemas as the catalogue has them, resources as AWS's service models take them."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from generate.exports import FORMATS, FUNCTIONS, tools_of
from local.template import loaded
from tests.aws_shapes import complaints, is_action

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "integrations"
core = loaded((ROOT / "template.yaml").read_text("utf-8"))
templates: dict[str, Any] = {path.stem: loaded(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.yaml"))}
agent, gateway = templates["bedrock-agent"], templates["agentcore-gateway"]

each_template = pytest.mark.parametrize("name", templates)
each_function = pytest.mark.parametrize("function", FUNCTIONS)

# What the functions of CloudFormation would give.
KNOWN: Mapping[str, str] = {
    "AWS::StackName": "memory-agent",
    "AWS::AccountId": "111122223333",
    "Gateway.GatewayIdentifier": "memory-gateway-a1b2c3d4e5",
    "Agent.AgentId": "AGENT12345",
    "AgentRole.Arn": "arn:aws:iam::111122223333:role/agent",
    "GatewayRole.Arn": "arn:aws:iam::111122223333:role/gateway",
    "Interceptor.Arn": "arn:aws:lambda:eu-central-1:111122223333:function:interceptor",
    **{f"{one.title()}FunctionArn": f"arn:aws:lambda:eu-central-1:111122223333:function:{one}" for one in FUNCTIONS},
    "FoundationModel": "anthropic.claude-3-5-haiku-20241022-v1:0",
    "DiscoveryUrl": "https://id.example.com/.well-known/openid-configuration",
}
LISTS: Mapping[str, list[str]] = {"AllowedAudience": ["memory"], "AllowedClients": ["app"]}


def of_type(template: Any, kind: str) -> dict[str, Any]:
    """The properties of the resources of one type, by logical id."""
    return {name: one["Properties"] for name, one in template["Resources"].items() if one["Type"] == f"AWS::{kind}"}


def the_only(template: Any, kind: str) -> Any:
    (properties,) = of_type(template, kind).values()
    return properties


def resolved(value: Any, parameters: Any) -> Any:
    """The value with everything of CloudFormation in it worked out; conditions hold."""
    match value:
        case {"Ref": name}:
            default = parameters.get(name, {}).get("Default")
            return KNOWN.get(name) or LISTS.get(name) or default
        case {"Fn::GetAtt": [name, attribute]}:
            return KNOWN[f"{name}.{attribute}"]
        case {"Fn::If": [_, one, _]}:
            return resolved(one, parameters)
        case dict():
            return {str(name): resolved(part, parameters) for name, part in value.items()}
        case list():
            return [resolved(part, parameters) for part in value]
        case _:
            return value


def camel(value: Any, *, of_names: bool = False) -> Any:
    """CloudFormation's spelling as the API's; names of parameters and properties stay what they are."""
    if isinstance(value, list):
        return [camel(part) for part in value]
    if not isinstance(value, dict):
        return str(value) if isinstance(value, str) else value
    return {
        str(name if of_names else name[0].lower() + name[1:]): camel(
            part, of_names=not of_names and name in ("Properties", "Parameters")
        )
        for name, part in value.items()
    }


def as_input(template: Any, properties: Any) -> Any:
    return camel(resolved(properties, template["Parameters"]))


def statements(role: Any) -> list[Any]:
    return [one for policy in role["Policies"] for one in policy["PolicyDocument"]["Statement"]]


# Both templates


def test_the_interceptor_s_code_is_short_enough_to_stand_in_a_template() -> None:
    function = gateway["Resources"]["Interceptor"]["Properties"]
    assert function["Handler"] == "index.handler"
    assert len(function["Code"]["ZipFile"]) <= 4096


@each_template
def test_a_template_can_be_deployed_without_a_bucket(name: str) -> None:
    assert (FOLDER / f"{name}.yaml").stat().st_size < 51_200


@each_template
def test_the_functions_are_outputs_of_the_core_under_the_same_names(name: str) -> None:
    wanted = {parameter for parameter in templates[name]["Parameters"] if parameter.endswith("FunctionArn")}
    assert wanted == {f"{function.title()}FunctionArn" for function in FUNCTIONS}
    assert wanted <= set(core["Outputs"])


@each_template
def test_parameters_and_outputs_are_described(name: str) -> None:
    for one in [*templates[name]["Parameters"].values(), *templates[name]["Outputs"].values()]:
        assert one["Description"]


@each_template
def test_roles_allow_what_exists_on_what_is_named(name: str) -> None:
    roles = of_type(templates[name], "IAM::Role").values()
    policies = of_type(templates[name], "IAM::RolePolicy").values()
    granted = [one for role in roles for one in statements({"Policies": [], **role})]
    granted += [one for policy in policies for one in policy["PolicyDocument"]["Statement"]]
    assert granted
    for statement in granted:
        assert statement["Resource"] != "*"
        actions = statement["Action"] if isinstance(statement["Action"], list) else [statement["Action"]]
        assert [action for action in actions if not is_action(action)] == []


@each_template
def test_only_the_service_itself_takes_its_role_and_for_this_account_only(name: str) -> None:
    for role in of_type(templates[name], "IAM::Role").values():
        (statement,) = role["AssumeRolePolicyDocument"]["Statement"]
        service = statement["Principal"]["Service"]
        if service != "lambda.amazonaws.com":
            assert statement["Condition"]["StringEquals"] == {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}
            assert statement["Condition"]["ArnLike"]["aws:SourceArn"]


# The Bedrock agent


def test_the_action_groups_are_the_export() -> None:
    groups = as_input(agent, the_only(agent, "Bedrock::Agent"))["actionGroups"]
    given = [{name: one[name] for name in ("actionGroupName", "description", "functionSchema")} for one in groups]
    assert given == FORMATS["bedrock-functions"](tools_of(None))


def test_bedrock_takes_the_agent_its_groups_and_its_alias() -> None:
    properties = as_input(agent, the_only(agent, "Bedrock::Agent"))
    groups = properties.pop("actionGroups")
    # CloudFormation's own: PrepareAgent after a change.
    assert properties.pop("autoPrepare") is True
    assert complaints("bedrock-agent", "CreateAgent", properties) == []
    for group in groups:
        named = {"agentId": KNOWN["Agent.AgentId"], "agentVersion": "DRAFT", **group}
        assert complaints("bedrock-agent", "CreateAgentActionGroup", named) == []
    alias = as_input(agent, the_only(agent, "Bedrock::AgentAlias"))
    assert complaints("bedrock-agent", "CreateAgentAlias", alias) == []


@each_function
def test_each_group_calls_its_function_which_lets_this_agent_in(function: str) -> None:
    groups = {one["ActionGroupName"]: one for one in the_only(agent, "Bedrock::Agent")["ActionGroups"]}
    reference = {"Ref": f"{function.title()}FunctionArn"}
    assert groups[f"memory-{function}"]["ActionGroupExecutor"] == {"Lambda": reference}
    (permission,) = [one for one in of_type(agent, "Lambda::Permission").values() if one["FunctionName"] == reference]
    assert permission == {
        "FunctionName": reference,
        "Action": "lambda:InvokeFunction",
        "Principal": "bedrock.amazonaws.com",
        "SourceAccount": {"Ref": "AWS::AccountId"},
        "SourceArn": {"Fn::GetAtt": ["Agent", "AgentArn"]},
    }


# The AgentCore gateway


@each_function
def test_a_target_is_the_export_of_its_function(function: str) -> None:
    target = of_type(gateway, "BedrockAgentCore::GatewayTarget")[f"{function.title()}Target"]
    given = as_input(gateway, target)
    called = given["targetConfiguration"]["mcp"]["lambda"]
    assert called["toolSchema"]["inlinePayload"] == FORMATS["agentcore"](tools_of(function))
    assert target["TargetConfiguration"]["Mcp"]["Lambda"]["LambdaArn"] == {"Ref": f"{function.title()}FunctionArn"}
    allowed = ["x-memory-agent", "x-memory-user", "x-memory-idempotency-key"]
    assert given["metadataConfiguration"] == {"allowedRequestHeaders": allowed}
    assert given["credentialProviderConfigurations"] == [{"credentialProviderType": "GATEWAY_IAM_ROLE"}]
    # The model sees <target>___<tool>, and the function splits at the first of them.
    assert "_" not in given["name"]
    assert complaints("bedrock-agentcore-control", "CreateGatewayTarget", given) == []


def test_each_function_has_one_target() -> None:
    assert len(of_type(gateway, "BedrockAgentCore::GatewayTarget")) == len(FUNCTIONS)


def test_agentcore_takes_the_gateway() -> None:
    given = as_input(gateway, the_only(gateway, "BedrockAgentCore::Gateway"))
    assert complaints("bedrock-agentcore-control", "CreateGateway", given) == []
    assert given["authorizerType"] == "CUSTOM_JWT"
    (configuration,) = given["interceptorConfigurations"]
    assert configuration["interceptionPoints"] == ["REQUEST"]
    assert configuration["inputConfiguration"] == {"passRequestHeaders": True}


def test_tokens_made_for_others_are_never_accepted() -> None:
    (rule,) = gateway["Rules"].values()
    (assertion,) = rule["Assertions"]
    assert {
        condition["Fn::Not"][0]["Fn::EachMemberEquals"][0]["Ref"] for condition in assertion["Assert"]["Fn::Or"]
    } == {"AllowedAudience", "AllowedClients"}


def test_the_gateway_may_call_the_functions_and_its_interceptor_and_nothing_else() -> None:
    (policy,) = of_type(gateway, "IAM::RolePolicy").values()
    (statement,) = policy["PolicyDocument"]["Statement"]
    assert statement["Action"] == "lambda:InvokeFunction"
    names = [one.get("Ref") or ".".join(one["Fn::GetAtt"]) for one in statement["Resource"]]
    assert sorted(names) == sorted(["Interceptor.Arn", *(f"{function.title()}FunctionArn" for function in FUNCTIONS)])
    assert of_type(gateway, "Lambda::Permission") == {}


# The pages


@each_template
def test_a_page_names_every_parameter_and_output_and_none_that_does_not_exist(name: str) -> None:
    text = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    assert f"integrations/{name}.yaml" in text
    for one in [*templates[name]["Parameters"], *templates[name]["Outputs"]]:
        assert one in text
    known = set(templates[name]["Parameters"]) | set(core["Parameters"])
    assert set(re.findall(r"^ +([A-Z]\w+)=", text, re.MULTILINE)) <= known
