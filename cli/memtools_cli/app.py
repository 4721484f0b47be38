"""The command line: its commands, and how they end."""

import os
import sys
from collections.abc import Sequence

import typer
from memtools.errors import ToolError
from typer.exceptions import Abort, TyperException

from memtools_cli.commands import doctor, erase, moving, tools
from memtools_cli.failures import Exit, Failure, bad_usage, told_by_tool
from memtools_cli.output import show, tell

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


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; its exit code. What went wrong is a line on standard error, and with ``--json`` an object too."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        ended = app(given or ["--help"], standalone_mode=False, prog_name="memtools")
    except (Abort, KeyboardInterrupt):
        tell("Stopped. The same command goes on from here.")
        return Exit.INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.OK
    except Exception as error:
        failure = _failure(error)
        if failure.exit is Exit.FAULT and os.environ.get("MEMTOOLS_DEBUG"):
            raise
        if "--json" in given:
            show(failure.as_dict(), as_json=True)
        tell(failure.message)
        return failure.exit
    return ended if isinstance(ended, int) else Exit.OK


def _failure(error: Exception) -> Failure:
    match error:
        case Failure():
            return error
        case ToolError():
            return told_by_tool(error.code, error.message, error.details)
        case TyperException():
            return bad_usage(f"{error.format_message()} See memtools --help.")
        case _:
            message = f"A fault of memtools itself ({type(error).__name__}); MEMTOOLS_DEBUG=1 shows where."
            return Failure(message, "fault", Exit.FAULT)
