"""Whether the functions of a stack are set as their outputs and each other say."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from memtools.config import Settings

from memtools_cli.checks.finding import Finding, judged, survived
from memtools_cli.failures import told
from memtools_cli.targets.functions import functions_of

_REDEPLOY = "Deploy the stack again."


def findings(lambda_client: Any, outputs: Mapping[str, str]) -> Iterator[Finding]:
    """For each function: it can run, its settings make sense, its stores are the stack's."""
    found: dict[str, Settings] = {}
    for function, arn in functions_of(outputs).items():
        yield from survived(f"settings of {function}", partial(_function, lambda_client, outputs, function, arn, found))
    if found:
        same = len(set(found.values())) == 1
        yield judged("settings", same, "the same for all" if same else "not the same for all functions", _REDEPLOY)


def _function(
    lambda_client: Any, outputs: Mapping[str, str], function: str, arn: str, found: dict[str, Settings]
) -> Iterator[Finding]:
    check = f"settings of {function}"
    with told(f"read the settings of the function {function}"):
        configuration = lambda_client.get_function_configuration(FunctionName=arn)
    try:
        settings = Settings.from_environment(configuration.get("Environment", {}).get("Variables", {}))
    except ValueError as error:
        yield Finding(check, "problem", str(error), _REDEPLOY)
        return
    found[function] = settings
    state = configuration.get("State", "Active")
    stores = {
        "table": (settings.table, outputs.get("TableName")),
        "bucket": (settings.bucket, outputs.get("BucketName")),
    }
    other = [f"another {what} ({is_})" for what, (is_, should) in stores.items() if is_ != should]
    good = state == "Active" and not other
    yield judged(check, good, ", ".join([state, *other]), _REDEPLOY)
