"""Whether the settings of a stack's functions are valid, and agree with its outputs and with each other."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from memtools.adapters.archive.errors import translated
from memtools.config import Settings

from memtools_cli.checks.finding import Finding, checked, finding
from memtools_cli.stack import functions_of

_REDEPLOY = "Deploy the stack again."


def findings(lambda_client: Any, outputs: Mapping[str, str]) -> Iterator[Finding]:
    """For each function whether it can run, its settings are valid, and its stores are the stack's."""
    found: dict[str, Settings] = {}
    for function, arn in functions_of(outputs).items():
        yield from checked(f"settings of {function}", partial(_function, lambda_client, outputs, function, arn, found))
    if found:
        same = len(set(found.values())) == 1
        yield finding("settings", same, "the same for all" if same else "not the same for all functions", _REDEPLOY)


def _function(
    lambda_client: Any, outputs: Mapping[str, str], function: str, arn: str, found: dict[str, Settings]
) -> Iterator[Finding]:
    check = f"settings of {function}"
    with translated(f"read the settings of the function {function}"):
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
    yield finding(check, good, ", ".join([state, *other]), _REDEPLOY)
