"""``python -m tests.clients``: the Python client's adapters in the real frameworks, on the service of this machine.

ant-ai has an environment of its own, since it asks for Python 3.14. Where there is none, Python 3.13 has to do, on
which it runs all the same; without either its adapter is not tested, and this says so.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from local.demo import warnings_only
from local.service import Service, running
from local.template import ROOT, Template
from tests.built import stack
from tests.emulator import environment, settings_for

_HERE: Final = Path(__file__).parent
_CLIENT: Final = ROOT / "clients" / "python"
_ANT_AI: Final = "ant-ai==1.13.1"
_ANT_AI_FILES: Final = ("memtools_client/ant_ai_memory.py", "tests/test_ant_ai.py")


def main() -> int:
    """Types, then tests, in one environment after the other; the first exit status that is not 0."""
    frameworks = environment("clients", _HERE / "frameworks.txt")
    ant_ai = _ant_ai()
    with running(parameters={"Embedder": "none"}) as service, warnings_only():
        runs = [(frameworks, ["mypy"]), (frameworks, ["pytest", "-q", f"--ignore={_ANT_AI_FILES[1]}"])]
        if ant_ai:
            runs += [(ant_ai, ["mypy", *_ANT_AI_FILES]), (ant_ai, ["pytest", "-q", _ANT_AI_FILES[1]])]
        settings = _settings(service)
        return next(filter(None, (_run(python, command, settings) for python, command in runs)), 0)


def _ant_ai() -> Path | None:
    """The Python of its environment. pip has to be told that the interpreter may be another one; uv cannot be."""
    interpreter = _fit_for_it()
    if interpreter is None:
        print("The adapter for ant-ai is not tested: there is neither Python 3.14 nor 3.13.", file=sys.stderr)
        return None
    python = environment("clients-ant-ai", _HERE / "ant-ai.txt", interpreter=interpreter)
    if not list(python.parents[1].glob("lib/*/site-packages/ant_ai")):
        install = (interpreter, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps")
        subprocess.run((*install, "--ignore-requires-python", _ANT_AI), check=True, stdout=sys.stderr)
    return python


def _fit_for_it() -> str | None:
    """Python 3.14, where the name is one that runs, else 3.13."""
    named = shutil.which("python3.14")
    if named and subprocess.run([named, "-c", ""], capture_output=True, check=False).returncode == 0:
        return named
    found = stack.interpreter()
    return str(found) if found else None


def _settings(service: Service) -> dict[str, str]:
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "PYTHON"))}
    bucket = Template().environment["BUCKET_NAME"]
    return {**ours, **settings_for(service.emulator), "MEMTOOLS_URL": service.url, "MEMTOOLS_BUCKET": bucket}


def _run(python: Path, command: Sequence[str], settings: dict[str, str]) -> int:
    return subprocess.run([str(python), "-m", *command], cwd=_CLIENT, env=settings, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
