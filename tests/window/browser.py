"""The Chromium of this machine; Debian's is installed where it is missing and we may."""

import os
import shutil
import subprocess
import sys
from typing import Final

_NAMES: Final = ("chromium", "chromium-browser", "google-chrome")
_PACKAGES: Final = ("chromium", "fonts-noto-core")


def found() -> str | None:
    """The command, if there is one."""
    return next(filter(None, map(shutil.which, _NAMES)), None)


def installed() -> str:
    """The command, once the package is there. Raises RuntimeError where it cannot be had."""
    if shutil.which("apt-get") is None or os.geteuid():
        raise RuntimeError(f"the window is tested in a browser: install one of {', '.join(_NAMES)}")
    print("Installing Chromium (once) ...", file=sys.stderr, flush=True)
    settings = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for step in (["update"], ["install", "--yes", "--no-install-recommends", *_PACKAGES]):
        said = subprocess.run(["apt-get", "-qq", *step], env=settings, capture_output=True, text=True, check=False)
        if said.returncode:
            raise RuntimeError(f"apt-get {step[0]} failed:\n{said.stderr}")
    command = found()
    if command is None:
        raise RuntimeError("the package chromium has no command")
    return command
