"""Environments of their own under build/, for programs that ours should not share libraries with."""

import shutil
import subprocess
import sys
from pathlib import Path

from local.template import ROOT


def environment(name: str, *pins: Path, interpreter: str = sys.executable) -> Path:
    """The Python of build/``name``, which is made where it is not there yet, or was made from other pins."""
    home = ROOT / "build" / name
    python = home / "bin" / "python"
    made_from = home / ".made-from"
    wanted = "".join(one.read_text("utf-8") for one in pins)
    if made_from.exists() and made_from.read_text("utf-8") == wanted:
        return python
    print(f"Setting up {home.relative_to(ROOT)} (once) ...", file=sys.stderr, flush=True)
    if uv := shutil.which("uv"):
        _run(uv, "venv", "--quiet", "--clear", "--python", interpreter, str(home))
        install = [uv, "pip", "install", "--quiet", "--python", str(python)]
    else:
        _run(interpreter, "-m", "venv", "--clear", str(home))
        install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    _run(*install, *(part for one in pins for part in ("--requirement", str(one))))
    made_from.write_text(wanted, "utf-8")
    return python


def _run(*command: str) -> None:
    subprocess.run(command, check=True, stdout=sys.stderr)
