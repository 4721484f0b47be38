"""ministack, a second emulator of AWS, as the suites use it.

    python -m tests.emulator COMMAND...

runs a command with MEMTOOLS_TEST_ENDPOINT set to its address.
"""

import os
import subprocess
import sys
from typing import Final

from local.environments import environment
from local.ministack import PINS, ministack_endpoint, settings_for

__all__ = ["ENDPOINT", "PINS", "environment", "ministack_endpoint", "settings_for"]

ENDPOINT: Final = "MEMTOOLS_TEST_ENDPOINT"


def main() -> int:
    """Run the command; its exit code."""
    command = sys.argv[1:]
    if not command:
        sys.exit(__doc__)
    with ministack_endpoint() as address:
        variables = {**os.environ, **settings_for(address), ENDPOINT: address}
        return subprocess.run(command, env=variables, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
