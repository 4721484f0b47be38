"""``python -m tests.races``."""

import sys

if __name__ == "__main__":
    # Here, since the workers import this module again and need nothing of the command.
    from tests.races.command import main

    sys.exit(main())
