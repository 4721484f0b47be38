"""Whether the caller may export, import and erase."""

from collections.abc import Iterator

from memtools.adapters.archive.permissions import failed_calls
from memtools.adapters.archive.stores import Stores
from memtools.errors import ToolError, Unscoped

from memtools_cli.checks.finding import Finding


def findings(stores: Stores) -> Iterator[Finding]:
    """For each command whether its calls are allowed."""
    for command, results in failed_calls(stores).items():
        check = f"permission to {command}"
        failed = [f"{action}: {_reason(error)}" for action, error in results.items() if error]
        if failed:
            advice = f"{command} needs it; the tools themselves work without it."
            yield Finding(check, "warning", "; ".join(failed), advice)
        else:
            yield Finding(check, "ok", ", ".join(results))


def _reason(error: ToolError) -> str:
    return "not allowed" if isinstance(error, Unscoped) else str(error)
