"""The window in the template: there where it is asked for, behind the authorizer, with no hand on the memory."""

from typing import Any

import pytest

from tests.template.test_template import actions, parameters, permissions, resources, routes, statements, template

ROUTES = {"WindowPageRoute": "GET /", "WindowFilesRoute": "GET /window/{file+}"}
of_window = {name: one for name, one in resources.items() if name.startswith("Window")}


def test_it_is_there_only_where_it_is_asked_for() -> None:
    assert parameters["Window"]["Default"] == "no"
    assert template["Conditions"]["UseWindow"] == {"Fn::Equals": [{"Ref": "Window"}, "yes"]}
    assert {one.get("Condition") for one in of_window.values()} == {"UseWindow"}
    assert {name for name, one in resources.items() if one.get("Condition") == "UseWindow"} == set(of_window)


def test_it_may_write_its_log_and_nothing_else() -> None:
    (statement,) = statements("WindowRole")
    assert actions(statement) == ["logs:CreateLogStream", "logs:PutLogEvents"]
    assert statement["Resource"] == {"Fn::GetAtt": ["WindowLogs", "Arn"]}


def test_the_function_knows_neither_layer_nor_stores() -> None:
    properties = of_window["WindowFunction"]["Properties"]
    assert of_window["WindowFunction"]["Type"] == "AWS::Lambda::Function"  # of SAM's, all have the globals
    assert not {"Layers", "Environment"} & set(properties)
    assert properties["Runtime"] == template["Globals"]["Function"]["Runtime"]
    assert properties["LoggingConfig"] == {"LogGroup": {"Ref": "WindowLogs"}}


@pytest.mark.parametrize(("route", "key"), ROUTES.items())
def test_its_routes_read_only_and_lead_to_it(route: Any, key: Any) -> None:
    assert routes[route]["Properties"]["RouteKey"] == key
    assert routes[route]["Properties"]["Target"] == {"Fn::Sub": "integrations/${WindowIntegration}"}
    integration = of_window["WindowIntegration"]["Properties"]
    assert integration["IntegrationUri"] == {"Fn::GetAtt": ["WindowFunction", "Arn"]}


def test_the_api_may_call_it_to_read() -> None:
    permission = permissions["WindowInvokePermission"]["Properties"]
    assert permission["FunctionName"] == {"Ref": "WindowFunction"}
    assert permission["Principal"] == "apigateway.amazonaws.com"
    assert permission["SourceArn"]["Fn::Sub"].endswith(":${HttpApi}/*/GET/*")
