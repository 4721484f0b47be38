"""``python -m memtools_cli``."""

import sys

from memtools_cli.app import main

if __name__ == "__main__":
    sys.exit(main())
