"""``python -m tests.window [pytest's options]``: the window in a real browser, on the local service.

Needs Chromium, which is installed where that is possible. Screenshots are left in build/window-screenshots.
"""

import os
import subprocess
import sys
from pathlib import Path

from local.demo import warnings_only
from local.service import running
from local.template import ROOT
from tests.emulator import environment
from tests.window import browser, many

_SUITE = Path(__file__).with_name("suite")
_PINS = Path(__file__).with_name("constraints.txt")
_SHOTS = ROOT / "build" / "window-screenshots"


def main() -> int:
    """Run it; its exit status."""
    try:
        chromium = browser.found() or browser.installed()
    except RuntimeError as error:
        sys.exit(str(error))
    python = environment("window", _PINS)
    _SHOTS.mkdir(parents=True, exist_ok=True)
    with running() as service, many.running() as large, warnings_only():
        told = {
            "PYTHONPATH": str(ROOT),
            "WINDOW_URL": service.url,
            "WINDOW_LARGE_URL": large.url,
            "WINDOW_CHROMIUM": chromium,
            "WINDOW_SHOTS": str(_SHOTS),
        }
        command = [str(python), "-m", "pytest", "-q", "-c", str(_SUITE / "pytest.ini"), "--confcutdir", str(_SUITE)]
        given = [*sys.argv[1:], str(_SUITE)]
        return subprocess.run([*command, *given], cwd=ROOT, env={**os.environ, **told}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
