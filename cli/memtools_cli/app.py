"""The command line: its commands, and how they end."""

import os
import signal
import sys
from collections.abc import Sequence

import typer
from typer.exceptions import Abort, TyperException

from memtools_cli.commands import doctor, erase, mcp, moving, serve, tools
from memtools_cli.failures import BadUsage, Failure, Interrupted, failure_of
from memtools_cli.options import VersionOption
from memtools_cli.output import escape_what_no_encoding_has, print_error, show
from memtools_cli.signals import Stopped, raised

app = typer.Typer(
    name="memtools",
    help="Memory for LLM agents: the tools by hand, and export, import, erasure and a check-up of a deployment.",
    no_args_is_help=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.callback()
def _app(version: VersionOption = False) -> None:
    """Take the options that belong to no command."""


tools.add_to(app)
moving.add_to(app)
erase.add_to(app)
doctor.add_to(app)
mcp.add_to(app)
serve.add_to(app)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; its exit code. A failure is a line on standard error, and with ``--json`` an object too."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    escape_what_no_encoding_has()
    try:
        with raised():
            result = app(given or ["--help"], standalone_mode=False, prog_name="memtools")
    except Stopped as stopped:
        return _end(Interrupted(stopped.number), given)
    except Abort:  # the input ended at a question
        return _end(Interrupted(signal.SIGINT), given)
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
