"""``python -m tests.api``: schemathesis against the local service. No server error, no status or body undocumented."""

import os
import subprocess
import sys
from pathlib import Path

from local.service import running
from local.template import ROOT
from tests.emulator import environment

_PINS = Path(__file__).with_name("constraints.txt")
_CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
_EXAMPLES = "25"
# On CI the same requests each time: there a failure has to be that of the change.
_SEED = "20261130"


def main() -> int:
    """Run it, bounded in examples; its exit status."""
    python = environment("schemathesis", _PINS)
    with running() as service:
        command = [
            str(python.with_name("schemathesis")),
            "run",
            str(ROOT / "exports" / "openapi.json"),
            f"--url={service.url}",
            "--header=x-memory-agent: api",
            "--header=x-memory-user: ana",
            f"--checks={_CHECKS}",
            f"--max-examples={_EXAMPLES}",
            *([f"--seed={_SEED}"] if os.environ.get("CI") else []),
            "--no-color",
        ]
        return subprocess.run(command, cwd=ROOT / "build", check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
