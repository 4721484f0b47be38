"""The command line: its commands, and how they end."""

import os
import sys
from collections.abc import Sequence
from typing import Final

import typer
from typer.exceptions import Abort, TyperException

from memtools_cli.commands import doctor, erase, mcp, moving, tools
from memtools_cli.failures import BadUsage, Failure, failure_of
from memtools_cli.output import print_error, show

_INTERRUPTED: Final = 130

app = typer.Typer(
    name="memtools",
    help="Memory for LLM agents: the tools by hand, and export, import, erasure and a check-up of a deployment.",
    no_args_is_help=False,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
tools.add_to(app)
moving.add_to(app)
erase.add_to(app)
doctor.add_to(app)
mcp.add_to(app)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; its exit code. A failure is a line on standard error, and with ``--json`` an object too."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        result = app(given or ["--help"], standalone_mode=False, prog_name="memtools")
    except (Abort, KeyboardInterrupt):
        print_error("Stopped. The same command continues from here.")
        return _INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except TyperException as error:
        return _end(BadUsage(f"{error.format_message()} See memtools --help."), given)
    except Exception as error:
        failure = failure_of(error)
        if type(failure) is Failure and os.environ.get("MEMTOOLS_DEBUG"):
            raise
        return _end(failure, given)
    return result if isinstance(result, int) else 0


def _end(failure: Failure, given: Sequence[str]) -> int:
    if "--json" in given:
        show(failure.as_dict(), as_json=True)
    print_error(failure.message)
    return failure.exit_code
