"""What the template says of running it: alarms, dashboard, the key, concurrency, and what each parameter switches."""

import itertools
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from memtools import errors
from memtools.catalogue import TOOLS
from memtools.current_call import Metric
from memtools.errors import ToolError, Unavailable
from memtools.handler import _measure
from memtools.tools.search import Found

from tests.aws_shapes import complaints
from tests.deployed import Deployed
from tests.template.test_template import (
    ROOT,
    TEMPLATE,
    actions,
    functions,
    globals_of_functions,
    log_groups,
    of_type,
    parameters,
    resources,
    statements,
    template,
    tool_functions,
    tool_roles,
)

KEY = "arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab"
TOPIC = "arn:aws:sns:eu-central-1:111122223333:alarms"
NOTHING = {"Ref": "AWS::NoValue"}
# A value of each parameter that changes what there is, beside the default.
SWITCHES: Mapping[str, tuple[str, str]] = {
    "KmsKeyArn": ("", KEY),
    "ReservedConcurrency": ("0", "5"),
    "Monitoring": ("metrics", "alarms"),
    "AlarmEmail": ("", "ops@example.com"),
    "AlarmTopicArn": ("", TOPIC),
    "Embedder": ("minilm", "none"),
    "Window": ("no", "yes"),
}
STACK = {"Ref": "AWS::StackName"}

alarms = of_type("AWS::CloudWatch::Alarm")
each_alarm = pytest.mark.parametrize("alarm", alarms)
each_parameter = pytest.mark.parametrize("name", SWITCHES)


def combinations() -> Iterator[dict[str, str]]:
    """Every combination of the switches, one value each."""
    for values in itertools.product(*SWITCHES.values()):
        yield dict(zip(SWITCHES, values, strict=True))


def measured_by(alarm: str) -> Iterator[tuple[str, str, Any]]:
    """Namespace, name and dimensions of each metric that the alarm goes by."""
    properties = alarms[alarm]["Properties"]
    for given in properties.get("Metrics", [{"MetricStat": {"Metric": properties}}]):
        one = given["Fn::If"][1] if "Fn::If" in given else given
        if metric := one.get("MetricStat", {}).get("Metric"):
            yield metric["Namespace"], metric["MetricName"], metric["Dimensions"]


def dashboard() -> list[dict[str, Any]]:
    """The widgets, with names that stand for themselves in the place of resources."""
    body = resources["Dashboard"]["Properties"]["DashboardBody"]["Fn::Sub"]
    widgets: list[dict[str, Any]] = json.loads(re.sub(r"\$\{([\w:.]+)}", r"\1", body))["widgets"]
    return widgets


# ---------------------------------------------------------------- conditions


def with_defaults(values: Mapping[str, str]) -> str:
    """The template with these values for defaults, which cfn-lint judges where it meets them."""
    text = TEMPLATE.read_text(encoding="utf-8")
    for name, value in values.items():
        text, found = re.subn(
            rf"(?ms)^(  {name}:\n(?:(?!^  \w).)*?^    Default: )[^\n]*$", rf"\g<1>{json.dumps(value)}", text, count=1
        )
        assert found == 1, name
    return text


@pytest.mark.parametrize("switched", [*([name] for name in SWITCHES), list(SWITCHES)], ids=" ".join)
def test_cfn_lint_finds_nothing_whatever_is_switched(switched: Any) -> None:
    """One switch at a time, and all at once: what is there in each combination is looked at below."""
    from cfnlint.api import lint

    text = with_defaults({name: SWITCHES[name][1] for name in switched})
    assert [str(match) for match in lint(text)] == []


def test_in_every_combination_nothing_refers_to_what_is_not_there() -> None:
    for values in combinations():
        chosen = Deployed(values)
        there = {name for name, one in resources.items() if "Condition" not in one or chosen.holds(one["Condition"])}
        for name in there:
            assert references(chosen.chosen(resources[name])) <= there | set(parameters), (name, values)
        for output in template["Outputs"].values():
            if "Condition" not in output or chosen.holds(output["Condition"]):
                assert references(output["Value"]) <= there | set(parameters), values


def references(value: Any) -> set[str]:
    """The logical ids that a value needs."""
    match value:
        case {"Ref": str(name)}:
            return {str(name)} - {one for one in [str(name)] if "::" in one}
        case {"Fn::GetAtt": [str(name), _]}:
            return {str(name)}
        case {"Fn::Sub": str(text)}:
            found = re.findall(r"\$\{(\w+)(?:\.\w+)?}", text)
            return set(found)
        case dict():
            return set().union(*map(references, value.values()))
        case list():
            return set().union(*map(references, value))
    return set()


@each_parameter
def test_a_parameter_takes_the_values_it_is_for(name: Any) -> None:
    allowed = parameters[name]
    for value in SWITCHES[name]:
        assert re.fullmatch(allowed.get("AllowedPattern", ".*"), value)
        assert "AllowedValues" not in allowed or value in allowed["AllowedValues"]
    assert str(allowed["Default"]) == SWITCHES[name][0]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("KmsKeyArn", "*"),
        ("KmsKeyArn", "arn:aws:kms:eu-central-1:111122223333:key/*"),
        ("KmsKeyArn", "arn:aws:kms:eu-central-1:111122223333:alias/memory"),
        ("AlarmEmail", "nobody"),
        ("AlarmTopicArn", "arn:aws:sns:eu-central-1:111122223333:*"),
    ],
)
def test_a_parameter_takes_nothing_that_stands_for_several(name: Any, value: Any) -> None:
    assert not re.fullmatch(parameters[name]["AllowedPattern"], value)


# ---------------------------------------------------------------- the customer's key


def test_table_bucket_and_every_log_are_under_the_key_where_one_is_given() -> None:
    given, none = Deployed({"KmsKeyArn": KEY}), Deployed()
    assert given.table["SSESpecification"] == {
        "SSEEnabled": True,
        "SSEType": "KMS",
        "KMSMasterKeyId": {"Ref": "KmsKeyArn"},
    }
    assert "SSESpecification" not in none.table
    (rule,) = given.bucket["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    assert rule["ServerSideEncryptionByDefault"] == {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": {"Ref": "KmsKeyArn"}}
    assert rule["BucketKeyEnabled"] is True
    (rule,) = none.bucket["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    assert rule == {"ServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}
    for group in log_groups.values():
        assert group["Properties"]["KmsKeyId"] == {"Fn::If": ["UseKey", {"Ref": "KmsKeyArn"}, NOTHING]}


@pytest.mark.parametrize("role", tool_roles)
def test_a_role_uses_that_one_key_through_the_stores_that_it_uses_and_no_other_way(role: Any) -> None:
    (keys,) = [one for one in statements(role) if any(action.startswith("kms:") for action in actions(one))]
    assert keys["Resource"] == {"Ref": "KmsKeyArn"}
    used = {action.split(":")[0] for one in statements(role) for action in actions(one)} & {"dynamodb", "s3"}
    assert keys["Condition"] == {
        "StringEquals": {
            "kms:ViaService": [{"Fn::Sub": f"{store}.${{AWS::Region}}.${{AWS::URLSuffix}}"} for store in sorted(used)]
        }
    }


def test_no_role_may_use_a_key_where_none_is_given() -> None:
    roles = Deployed().chosen({name: resources[name] for name in tool_roles})
    assert "kms:" not in json.dumps(roles)


def test_the_page_has_the_policy_that_the_key_needs() -> None:
    """Each service that uses the key for us, and the log groups by the beginning of their names."""
    text = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    (policy,) = re.findall(r"```json\n(\{\s+\"Version\".*?)```", text, re.DOTALL)
    written = json.loads(policy)["Statement"]
    arns = [
        one["Condition"]["ArnLike"]["kms:EncryptionContext:aws:logs:arn"] for one in written if "ArnLike" in str(one)
    ]
    patterns = [arn.split(":log-group:")[1] for arn in arns[0]]
    for group in log_groups.values():
        name = group["Properties"]["LogGroupName"]["Fn::Sub"].replace("${AWS::StackName}", "memtools")
        assert any(re.fullmatch(pattern.replace("*", ".*"), name) for pattern in patterns), name


# ---------------------------------------------------------------- concurrency


def test_concurrency_is_reserved_where_asked_for_and_never_none_at_all() -> None:
    wanted = globals_of_functions["ReservedConcurrentExecutions"]
    assert wanted == {"Fn::If": ["ReserveConcurrency", {"Ref": "ReservedConcurrency"}, NOTHING]}
    assert not Deployed().holds("ReserveConcurrency")  # a reservation of 0 would switch the functions off
    assert Deployed({"ReservedConcurrency": "1"}).holds("ReserveConcurrency")
    assert all("ReservedConcurrentExecutions" not in one["Properties"] for one in functions.values())


# ---------------------------------------------------------------- alarms


@each_alarm
def test_an_alarm_says_what_it_is_about_and_where_no_calls_are_nothing_is_wrong(alarm: Any) -> None:
    properties = alarms[alarm]["Properties"]
    assert properties["AlarmDescription"].endswith(".")
    assert properties["TreatMissingData"] == "notBreaching"
    assert "AlarmName" not in properties
    assert properties["EvaluationPeriods"] <= 3
    assert alarms[alarm]["Condition"] in ("UseAlarms", "WatchEmbedder")


@each_alarm
def test_an_alarm_goes_where_the_parameters_say_and_else_nowhere(alarm: Any) -> None:
    def told(**values: str) -> Any:
        properties = Deployed({"Monitoring": "alarms", **values}).chosen(alarms[alarm]["Properties"])
        assert properties["AlarmActions"] == properties["OKActions"]
        return properties["AlarmActions"]

    assert told() == []
    assert told(AlarmEmail="ops@example.com") == [{"Ref": "AlarmTopic"}]
    assert told(AlarmTopicArn=TOPIC) == [{"Ref": "AlarmTopicArn"}]
    assert len(told(AlarmEmail="ops@example.com", AlarmTopicArn=TOPIC)) == 2


@each_alarm
def test_cloudwatch_takes_an_alarm(alarm: Any) -> None:
    properties = Deployed().chosen(alarms[alarm]["Properties"])
    given = json.loads(json.dumps(properties), object_hook=lambda one: "named" if set(one) == {"Ref"} else one)
    given["Threshold"] = float(given["Threshold"])
    assert complaints("cloudwatch", "PutMetricAlarm", {"AlarmName": alarm, **given}) == []


@each_alarm
def test_an_alarm_hears_of_this_stack_alone_and_of_no_more_metrics_than_it_may(alarm: Any) -> None:
    metrics = list(measured_by(alarm))
    assert 1 <= len(metrics) <= 10
    for namespace, _, dimensions in metrics:
        dimension, *by_tool = dimensions
        if namespace == "memtools":
            assert dimension == {"Name": "service", "Value": STACK}
            assert all(one["Name"] == "tool" and one["Value"] in TOOLS for one in by_tool)
        else:
            assert dimension["Value"]["Ref"] in {*functions, "TracesTable"}
            assert not by_tool


def test_crashes_and_throttles_of_every_function_are_heard_of() -> None:
    for alarm, metric in (("CrashAlarm", "Errors"), ("ThrottleAlarm", "Throttles")):
        heard = {(name, dimensions[0]["Value"]["Ref"]) for _, name, dimensions in measured_by(alarm)}
        assert heard == {(metric, function) for function in functions}


def emitted(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The names of all metrics that the handler may write, from every outcome there is."""
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "false")
    monkeypatch.setenv("POWERTOOLS_SERVICE_NAME", "memtools")
    entry = {"tool": "memory_search", "outcome": "ok", "duration_ms": 1.0}
    _measure(entry, Found(results=[]), dict.fromkeys(Metric, 1))
    _measure({**entry, "outcome": "fault"}, Unavailable("a fault"), {})
    for kind in ToolError.__subclasses__():
        _measure({**entry, "outcome": kind.code}, kind("no"), {})
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    sets = [line["_aws"]["CloudWatchMetrics"][0] for line in lines]
    assert all(["service"] in one["Dimensions"] and one["Namespace"] == "memtools" for one in sets)
    return {metric["Name"] for one in sets for metric in one["Metrics"]}


def test_alarms_and_dashboard_go_by_metrics_that_are_there(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    there = emitted(capsys, monkeypatch)
    variables = globals_of_functions["Environment"]["Variables"]
    assert variables["POWERTOOLS_SERVICE_NAME"] == STACK  # what the dimension `service` is
    heard = {name for alarm in alarms for space, name, _ in measured_by(alarm) if space == "memtools"}
    assert heard <= there
    shown = set(re.findall(r'"memtools", "(\w+)"', json.dumps(dashboard())))
    shown |= set(re.findall(r'MetricName=\\\\\\"(\w+)', json.dumps(json.dumps(dashboard()))))
    assert shown == there


@pytest.mark.parametrize("monitoring", ["metrics", "none"])
def test_what_costs_while_nobody_calls_is_there_for_those_alone_who_ask_for_it(monitoring: Any) -> None:
    off = Deployed({"Monitoring": monitoring, "AlarmEmail": "ops@example.com"})
    assert off.environment["POWERTOOLS_METRICS_DISABLED"] == {"metrics": "false", "none": "true"}[monitoring]
    kinds = ("AWS::CloudWatch::", "AWS::SNS::")
    watching = {name: one for name, one in resources.items() if one["Type"].startswith(kinds)}
    assert {"Dashboard", "AlarmTopic", *alarms} == set(watching)
    assert not any(off.holds(one["Condition"]) for one in watching.values())


def test_words_alone_are_an_alarm_only_where_there_is_a_model() -> None:
    on = {"Monitoring": "alarms"}
    assert Deployed({**on, "Embedder": "bedrock"}).holds("WatchEmbedder")
    assert not Deployed({**on, "Embedder": "none"}).holds("WatchEmbedder")


def test_nobody_waits_for_alarms_that_are_not_there() -> None:
    rule = template["Rules"]["SomethingRaisesAlarms"]
    (assertion,) = rule["Assertions"]
    assert assertion["Assert"] == template["Conditions"]["UseAlarms"]
    empty = [{"Fn::Equals": [{"Ref": name}, ""]} for name in ("AlarmEmail", "AlarmTopicArn")]
    assert rule["RuleCondition"] == {"Fn::Not": [{"Fn::And": empty}]}


def test_the_page_says_what_to_do_about_every_alarm() -> None:
    text = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(\w+Alarm)` \|", text, re.MULTILINE)) == set(alarms)


def test_every_code_is_on_the_dashboard() -> None:
    (widget,) = [one["properties"] for one in dashboard() if one["properties"]["title"] == "Errors by code"]
    codes = {kind.code for kind in vars(errors).values() if isinstance(kind, type) and hasattr(kind, "code")}
    assert {metric[1] for metric in widget["metrics"]} == {*codes, "fault"}


def test_the_dashboard_covers_each_part_of_the_stack() -> None:
    text = resources["Dashboard"]["Properties"]["DashboardBody"]["Fn::Sub"]
    logs = (name.replace("Function", "Logs") for name in tool_functions)
    for one in (*tool_functions, "TracesTable", "HttpApi", *logs):
        assert f"${{{one}}}" in text
    always = {name for name in alarms if alarms[name]["Condition"] == "UseAlarms"}
    assert set(re.findall(r"\$\{(\w+)\.Arn}", text)) == always


def test_no_two_widgets_lie_on_each_other() -> None:
    taken = [
        (column, row)
        for one in dashboard()
        for column in range(one["x"], one["x"] + one["width"])
        for row in range(one["y"], one["y"] + one["height"])
    ]
    assert len(taken) == len(set(taken))
    assert max(column for column, _ in taken) < 24
