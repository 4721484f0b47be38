"""What template.yaml promises, read from the template itself: no account, no deployment."""

import re
from pathlib import Path
from typing import Any

import pytest
from memtools.adapters.archive.erasing import MARKER_SIZE
from memtools.adapters.documents import document_key
from memtools.adapters.segments import segment_key
from memtools.catalogue import TOOLS
from memtools.config import Settings
from memtools.domain.scope import Scope
from memtools.freshness.segment import Segment
from memtools.ranking.columns import Columns
from packaging.requirements import Requirement

from local.template import Template, loaded
from tests.aws_shapes import complaints, is_action
from tests.fakes import START

ROOT = Path(__file__).parents[2]
TEMPLATE = ROOT / "template.yaml"
LAYER = ROOT / "layers" / "memory"

# Short forms arrive spelled out: `!GetAtt A.B` is {"Fn::GetAtt": ["A", "B"]}, `!Ref A` is {"Ref": "A"}.
template = loaded(TEMPLATE.read_text("utf-8"))
parameters = template["Parameters"]
resources = template["Resources"]
globals_of_functions = template["Globals"]["Function"]


def of_type(kind: str) -> dict[str, Any]:
    """The resources of one type, by logical id."""
    return {name: resource for name, resource in resources.items() if resource["Type"] == kind}


def the_only(kind: str) -> dict[str, Any]:
    """The one resource of a type."""
    resource: dict[str, Any]
    (resource,) = of_type(kind).values()
    return resource


def as_list(value: Any) -> list[Any]:
    """IAM takes one or many, here and there; many are easier to go through."""
    return list(value) if isinstance(value, list) else [value]


def written_statements(role: str) -> list[dict[str, Any]]:
    """A role's statements as they are written, those that hang on a condition too."""
    policies = resources[role]["Properties"]["Policies"]
    return [statement for policy in policies for statement in as_list(policy["PolicyDocument"]["Statement"])]


def statements(role: str) -> list[dict[str, Any]]:
    """What a role may do at most, where all conditions hold."""
    return [one["Fn::If"][1] if "Fn::If" in one else one for one in written_statements(role)]


def actions(statement: dict[str, Any]) -> list[str]:
    return as_list(statement["Action"])


functions = of_type("AWS::Serverless::Function")
roles = of_type("AWS::IAM::Role")
routes = of_type("AWS::ApiGatewayV2::Route")
integrations = of_type("AWS::ApiGatewayV2::Integration")
permissions = of_type("AWS::Lambda::Permission")
log_groups = of_type("AWS::Logs::LogGroup")
table = the_only("AWS::DynamoDB::Table")
bucket = the_only("AWS::S3::Bucket")

# The window is files: it has no part in the memory, and test_window.py has what is said of it alone.
of_window = {name for name, resource in resources.items() if resource.get("Condition") == "UseWindow"}
# So has test_mcp_function.py for the function that serves all tools.
of_mcp = {name for name, resource in resources.items() if resource.get("Condition") == "UseMcp"}
tool_roles = sorted(set(roles) - of_window)
tool_routes = sorted(set(routes) - of_window - of_mcp)
tool_permissions = [permissions[name] for name in sorted(set(permissions) - of_window - of_mcp)]
tool_functions = sorted(set(functions) - of_mcp)

each_function = pytest.mark.parametrize("function", functions)
each_role = pytest.mark.parametrize("role", roles)
each_route = pytest.mark.parametrize("route", routes)


def role_of(function: str) -> str:
    return str(functions[function]["Properties"]["Role"]["Fn::GetAtt"][0])


def function_behind(route: str) -> str:
    """The function a route leads to, through its integration."""
    integration = routes[route]["Properties"]["Target"]["Fn::Sub"].removeprefix("integrations/${").removesuffix("}")
    return str(integrations[integration]["Properties"]["IntegrationUri"]["Fn::GetAtt"][0])


# ---------------------------------------------------------------- permissions


@each_role
def test_no_action_has_a_wildcard(role: Any) -> None:
    assert [action for statement in statements(role) for action in actions(statement) if "*" in action] == []


@each_role
def test_every_action_exists(role: Any) -> None:
    written = [action for statement in statements(role) for action in actions(statement)]
    assert [action for action in written if not is_action(action)] == []


@each_role
def test_only_xray_is_allowed_on_every_resource(role: Any) -> None:
    for statement in statements(role):
        if "*" in as_list(statement["Resource"]):
            assert all(action.startswith("xray:") for action in actions(statement))


@each_role
def test_a_role_only_allows_and_names_what_it_allows(role: Any) -> None:
    for statement in statements(role):
        assert statement["Effect"] == "Allow"
        assert not {"NotAction", "NotResource"} & set(statement)


@each_role
def test_a_role_holds_no_managed_policies(role: Any) -> None:
    assert "ManagedPolicyArns" not in resources[role]["Properties"]


@each_role
def test_only_lambda_may_take_a_role(role: Any) -> None:
    (statement,) = resources[role]["Properties"]["AssumeRolePolicyDocument"]["Statement"]
    assert statement["Principal"] == {"Service": "lambda.amazonaws.com"}
    assert actions(statement) == ["sts:AssumeRole"]


@each_role
def test_no_role_can_delete_data_or_scan_the_table(role: Any) -> None:
    allowed = {action for statement in statements(role) for action in actions(statement)}
    assert [action for action in allowed if action.split(":")[1].startswith(("Delete", "Scan"))] == []


def test_each_function_has_a_role_of_its_own() -> None:
    assert sorted(role_of(function) for function in functions) == tool_roles


@each_function
def test_sam_adds_no_permissions(function: Any) -> None:
    """Policies, templates of policies and events would each make SAM write permissions that stand nowhere here."""
    assert not {"Policies", "Events"} & (set(functions[function]["Properties"]) | set(globals_of_functions))
    assert "Connectors" not in functions[function]
    assert of_type("AWS::Serverless::Connector") == {}


@each_function
def test_a_function_writes_to_its_own_log_group_only(function: Any) -> None:
    log_group = functions[function]["Properties"]["LoggingConfig"]["LogGroup"]["Ref"]
    assert log_group == function.replace("Function", "Logs")
    logging = [
        statement
        for statement in statements(role_of(function))
        if any(action.startswith("logs:") for action in actions(statement))
    ]
    assert [statement["Resource"] for statement in logging] == [{"Fn::GetAtt": [log_group, "Arn"]}]


def test_only_memory_and_user_documents_can_be_written_and_only_by_edit() -> None:
    written = {
        (role, path["Fn::Sub"])
        for role in set(roles) - of_mcp
        for statement in statements(role)
        if any(action.startswith("s3:Put") for action in actions(statement))
        for path in as_list(statement["Resource"])
        if "/agents/" in path["Fn::Sub"]
    }
    assert written == {
        ("EditRole", "${MemoryBucket.Arn}/agents/*/users/*/MEMORY.md"),
        ("EditRole", "${MemoryBucket.Arn}/agents/*/users/*/USER.md"),
    }


def test_only_searches_touch_segments_and_nothing_else_of_what_is_written() -> None:
    touching = {
        (role, action)
        for role in set(roles) - of_mcp
        for statement in statements(role)
        for path in as_list(statement["Resource"])
        for action in actions(statement)
        if isinstance(path, dict) and "/segments/" in path.get("Fn::Sub", "")
    }
    assert touching == {("SearchRole", "s3:GetObject"), ("SearchRole", "s3:PutObject")}
    writing = [one for one in statements("SearchRole") if "s3:PutObject" in actions(one)]
    assert [one["Resource"] for one in writing] == [{"Fn::Sub": "${MemoryBucket.Arn}/segments/*"}]


@pytest.mark.parametrize("role", tool_roles)
def test_a_model_may_be_called_where_bedrock_is_asked_for_and_no_other_than_that_one(role: Any) -> None:
    place = "arn:${AWS::Partition}:bedrock:${AWS::Region}::foundation-model/${EmbeddingModelId}"
    allowed = {"Sid": "Embed", "Effect": "Allow", "Action": "bedrock:InvokeModel", "Resource": {"Fn::Sub": place}}
    conditional = [one["Fn::If"] for one in written_statements(role) if "Fn::If" in one]
    assert [one for one in conditional if one[0] != "UseKey"] == [["UseBedrock", allowed, {"Ref": "AWS::NoValue"}]]
    assert sum(action.startswith("bedrock:") for one in statements(role) for action in actions(one)) == 1
    assert template["Conditions"]["UseBedrock"] == {"Fn::Equals": [{"Ref": "Embedder"}, "bedrock"]}


# ---------------------------------------------------------------- the table


@pytest.mark.parametrize(
    ("name", "promised"),
    [
        ("BillingMode", "PAY_PER_REQUEST"),  # costs nothing while idle
        ("TimeToLiveSpecification", {"AttributeName": "purgeAt", "Enabled": True}),
        ("PointInTimeRecoverySpecification", {"PointInTimeRecoveryEnabled": True}),
    ],
)
def test_the_table_is_billed_by_use_expires_and_can_be_restored(name: str, promised: Any) -> None:
    assert table["Properties"][name] == promised


def test_the_table_is_encrypted_and_protected() -> None:
    assert "SSEEnabled" not in table["Properties"]  # DynamoDB encrypts every table; test_operations.py has whose key
    assert table["Properties"]["DeletionProtectionEnabled"] == {"Ref": "DeletionProtection"}
    assert parameters["DeletionProtection"]["Default"] == "true"


def test_the_index_of_changes_is_local_and_carries_no_counts() -> None:
    """Local: searches read it consistently. No counts: counting a retrieval must not write to it."""
    assert "GlobalSecondaryIndexes" not in table["Properties"]
    (index,) = table["Properties"]["LocalSecondaryIndexes"]
    assert index["IndexName"] == globals_of_functions["Environment"]["Variables"]["INDEX_NAME"]
    assert {key["KeyType"]: key["AttributeName"] for key in index["KeySchema"]} == {"HASH": "pk", "RANGE": "changedAt"}
    assert index["Projection"]["ProjectionType"] == "INCLUDE"
    carried = set(index["Projection"]["NonKeyAttributes"])
    assert {"id", "content", "tags", "version", "status", "embedding"} <= carried
    assert not {"retrievalCount", "lastRetrievedAt"} & carried


# ---------------------------------------------------------------- the bucket


def test_the_bucket_blocks_public_access() -> None:
    assert set(bucket["Properties"]["PublicAccessBlockConfiguration"].items()) == {
        ("BlockPublicAcls", True),
        ("BlockPublicPolicy", True),
        ("IgnorePublicAcls", True),
        ("RestrictPublicBuckets", True),
    }
    assert bucket["Properties"]["OwnershipControls"]["Rules"] == [{"ObjectOwnership": "BucketOwnerEnforced"}]


def expiring_versions() -> dict[str | None, Any]:
    """How long replaced versions are kept, by the beginning of their keys; ``None``: all."""
    rules = bucket["Properties"]["LifecycleConfiguration"]["Rules"]
    assert all(rule["Status"] == "Enabled" and "Filter" not in rule for rule in rules)
    return {
        rule.get("Prefix"): rule["NoncurrentVersionExpiration"]
        for rule in rules
        if "NoncurrentVersionExpiration" in rule
    }


def test_the_bucket_keeps_versions_for_as_long_as_changes_can_be_undone() -> None:
    assert bucket["Properties"]["VersioningConfiguration"]["Status"] == "Enabled"
    assert expiring_versions()[None] == {"NoncurrentDays": {"Ref": "RetentionDays"}}


def test_only_segments_that_were_replaced_are_dropped_earlier() -> None:
    """They are derived data."""
    assert {place: rule for place, rule in expiring_versions().items() if place} == {"segments/": {"NoncurrentDays": 1}}
    assert segment_key(Scope("a", "b")).startswith("segments/")
    assert not document_key(Scope("segments", "b"), "SOUL.md").startswith("segments/")


def test_current_documents_never_expire() -> None:
    for rule in bucket["Properties"]["LifecycleConfiguration"]["Rules"]:
        of_segments = rule.get("Prefix") == "segments/"
        assert of_segments or not {"ExpirationInDays", "ExpirationDate", "Transitions"} & set(rule)


def test_unfinished_uploads_are_dropped() -> None:
    rules = bucket["Properties"]["LifecycleConfiguration"]["Rules"]
    days = [rule["AbortIncompleteMultipartUpload"] for rule in rules if "AbortIncompleteMultipartUpload" in rule]
    assert days == [{"DaysAfterInitiation": 1}]


def test_the_bucket_is_encrypted_with_keys_of_s3_where_no_key_is_given() -> None:
    (rule,) = bucket["Properties"]["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    condition, _, otherwise = rule["ServerSideEncryptionByDefault"]["Fn::If"]
    assert (condition, otherwise) == ("UseKey", {"SSEAlgorithm": "AES256"})


def test_the_bucket_refuses_unencrypted_connections() -> None:
    policy = the_only("AWS::S3::BucketPolicy")["Properties"]
    assert policy["Bucket"] == {"Ref": "MemoryBucket"}
    (statement,) = policy["PolicyDocument"]["Statement"]
    assert statement["Effect"] == "Deny"
    assert statement["Principal"] == "*"
    assert statement["Action"] == "s3:*"
    assert statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
    assert as_list(statement["Resource"]) == [
        {"Fn::GetAtt": ["MemoryBucket", "Arn"]},
        {"Fn::Sub": "${MemoryBucket.Arn}/*"},
    ]


@pytest.mark.parametrize("name", ["TracesTable", "MemoryBucket", "MemoryBucketPolicy"])
def test_memory_outlives_the_stack(name: Any) -> None:
    assert resources[name]["DeletionPolicy"] == "Retain"
    assert resources[name]["UpdateReplacePolicy"] == "Retain"


# ---------------------------------------------------------------- the HTTP API


@each_route
def test_every_route_is_authorized(route: Any) -> None:
    """By a token where an issuer is set, by IAM where none is; never by nothing."""
    assert routes[route]["Properties"]["AuthorizationType"] == {"Fn::If": ["UseJwt", "JWT", "AWS_IAM"]}
    assert routes[route]["Properties"]["AuthorizerId"] == {
        "Fn::If": ["UseJwt", {"Ref": "JwtAuthorizer"}, {"Ref": "AWS::NoValue"}]
    }


def test_there_are_no_ways_in_beside_the_routes() -> None:
    """No quick-create route of the API itself, no function address, no API that SAM would make."""
    assert not {"Target", "RouteKey", "Body"} & set(the_only("AWS::ApiGatewayV2::Api")["Properties"])
    assert not any("FunctionUrlConfig" in function["Properties"] for function in functions.values())
    assert "FunctionUrlConfig" not in globals_of_functions
    assert of_type("AWS::Serverless::HttpApi") == of_type("AWS::Serverless::Api") == {}


def test_the_routes_are_the_catalogue_s_tools_each_to_its_function() -> None:
    served = {routes[route]["Properties"]["RouteKey"]: function_behind(route) for route in tool_routes}
    assert served == {f"POST /tools/{tool.name}": f"{tool.function.capitalize()}Function" for tool in TOOLS.values()}


@pytest.mark.parametrize("integration", integrations)
def test_functions_get_the_events_they_understand(integration: Any) -> None:
    assert integrations[integration]["Properties"]["IntegrationType"] == "AWS_PROXY"
    assert integrations[integration]["Properties"]["PayloadFormatVersion"] == "2.0"


def test_the_api_may_call_each_function_for_its_tools_only() -> None:
    allowed = [permission["Properties"]["FunctionName"]["Ref"] for permission in tool_permissions]
    assert sorted(allowed) == tool_functions
    for permission in tool_permissions:
        assert permission["Properties"]["Principal"] == "apigateway.amazonaws.com"
        assert permission["Properties"]["Action"] == "lambda:InvokeFunction"
        assert permission["Properties"]["SourceArn"]["Fn::Sub"].endswith(":${HttpApi}/*/POST/tools/*")


def test_tokens_are_accepted_for_a_known_audience_and_agent_only() -> None:
    rule = template["Rules"]["JwtIsComplete"]
    assert rule["RuleCondition"] == template["Conditions"]["UseJwt"]
    assert [assertion["Assert"] for assertion in rule["Assertions"]] == [
        {"Fn::Not": [{"Fn::EachMemberEquals": [{"Ref": "JwtAudience"}, ""]}]},
        {"Fn::Not": [{"Fn::Equals": [{"Ref": "AgentId"}, ""]}]},
    ]


def test_calls_are_throttled() -> None:
    settings = the_only("AWS::ApiGatewayV2::Stage")["Properties"]["DefaultRouteSettings"]
    assert settings["ThrottlingRateLimit"] > 0
    assert settings["ThrottlingBurstLimit"] > 0


# ---------------------------------------------------------------- logs


@pytest.mark.parametrize("log_group", log_groups)
def test_every_log_group_forgets(log_group: Any) -> None:
    assert log_groups[log_group]["Properties"]["RetentionInDays"] == {"Ref": "LogRetentionDays"}


def test_access_logs_hold_nothing_of_the_request_and_nobody_s_address() -> None:
    stage = the_only("AWS::ApiGatewayV2::Stage")["Properties"]
    log_format = stage["AccessLogSettings"]["Format"]
    for variable in ("path", "query", "body", "identity", "claims", "header", "integration"):
        assert variable not in log_format
    assert "\n" not in log_format
    assert "$context.requestId" in log_format


# ---------------------------------------------------------------- functions and layer


def test_functions_give_up_before_the_http_api_does() -> None:
    assert globals_of_functions["Timeout"] < 30
    assert all(function["Properties"].get("Timeout", 0) < 30 for function in functions.values())


@each_function
def test_a_function_is_described_and_has_its_own_handler_file(function: Any) -> None:
    properties = functions[function]["Properties"]
    name = function.removesuffix("Function").lower()
    assert properties["Description"]
    assert properties["CodeUri"] == f"functions/{name}"
    assert properties["Handler"] == f"{name}_handler.handler"


def test_all_functions_share_the_runtime_the_layer_and_the_settings() -> None:
    assert globals_of_functions["Layers"] == [{"Ref": "MemoryLayer"}]
    assert globals_of_functions["Architectures"] == [{"Ref": "Architecture"}]
    for function in functions.values():
        assert not {"Runtime", "Layers", "Architectures", "Environment"} & set(function["Properties"])
    layer = the_only("AWS::Serverless::LayerVersion")["Properties"]
    assert layer["CompatibleRuntimes"] == [globals_of_functions["Runtime"]]


@pytest.mark.parametrize("architecture", parameters["Architecture"]["AllowedValues"])
def test_the_layer_can_be_built_for_every_architecture(architecture: Any) -> None:
    metadata = the_only("AWS::Serverless::LayerVersion")["Metadata"]
    folder = metadata["WorkingDirectory"]["Fn::Sub"].replace("${Architecture}", architecture)
    machine = {"arm64": "aarch64"}.get(architecture, architecture)
    platforms = (ROOT / folder / "platforms").read_text().split()
    assert platforms
    assert all(platform.endswith(f"_{machine}") for platform in platforms)


def test_every_library_of_the_layer_is_pinned_to_a_version_it_accepts() -> None:
    def read(name: str) -> list[Requirement]:
        lines = (line.strip() for line in (LAYER / name).read_text().splitlines())
        return [Requirement(line) for line in lines if line and not line.startswith("#")]

    pins = {}
    for pin in read("constraints.txt"):
        (specifier,) = pin.specifier
        assert specifier.operator == "=="
        pins[pin.name] = specifier.version
    for library in read("requirements.txt"):
        assert library.specifier.contains(pins[library.name]), library.name


# ---------------------------------------------------------------- parameters and outputs


@pytest.mark.parametrize("parameter", parameters)
def test_every_parameter_is_described_and_has_a_default(parameter: Any) -> None:
    assert parameters[parameter]["Description"]
    assert "Default" in parameters[parameter]


@pytest.mark.parametrize("choice", parameters["Embedder"]["AllowedValues"])
def test_the_functions_understand_each_choice_of_an_embedder(choice: Any) -> None:
    environment = Template({"Embedder": choice, "EmbeddingModelId": "a.b"}).environment
    settings = Settings.from_environment(environment)
    assert (settings.embedder, settings.embedding_model) == (choice, "a.b")


def test_the_models_id_is_one_that_bedrock_takes_and_never_stands_for_several() -> None:
    model = parameters["EmbeddingModelId"]
    assert re.fullmatch(model["AllowedPattern"], model["Default"])
    assert complaints("bedrock-runtime", "InvokeModel", {"modelId": str(model["Default"])}) == []
    for several in ("*", "amazon.*", "amazon.titan-embed-text-v?:0", "amazon.titan/other", ""):
        assert not re.fullmatch(model["AllowedPattern"], several)


@pytest.mark.parametrize("output", template["Outputs"])
def test_every_output_is_described(output: Any) -> None:
    assert template["Outputs"][output]["Description"]


def test_the_outputs_name_what_an_integration_needs() -> None:
    needed = {"ApiUrl", "ApiId", "AuthorizationType", "TableName", "TableArn", "BucketName", "LayerArn"}
    needed |= {f"{function}Arn" for function in tool_functions}
    assert needed <= set(template["Outputs"])


def test_a_day_after_an_erasure_nothing_is_in_place_of_its_segment() -> None:
    """The rule is for the marker that an erasure leaves, and for no segment: the smallest has a header."""
    (rule,) = [one for one in bucket["Properties"]["LifecycleConfiguration"]["Rules"] if "ExpirationInDays" in one]
    smallest = len(Segment(Columns.of([], ""), START).to_bytes())
    assert (rule["Prefix"], rule["ExpirationInDays"]) == ("segments/", 1)
    assert MARKER_SIZE < int(rule["ObjectSizeLessThan"]) < smallest
