"""Plays the task of a folder in one system, and puts what was seen beside it.

It runs as ``python -m benchmarks.peer_systems MODULE CLASS FOLDER``, in the environment that has the system.
"""

import json
import sys
from dataclasses import asdict
from importlib import import_module
from pathlib import Path

from benchmarks.peer_systems import task
from benchmarks.peer_systems.player import play


def main(module: str, name: str, folder: Path) -> None:
    """Each stage in a system of its own, so that one does not weigh on the next."""
    system = import_module(f"benchmarks.peer_systems.{module}")
    stages, vectors = task.read(folder)
    seen = {stage: asdict(play(getattr(system, name)(vectors), scopes)) for stage, scopes in stages.items()}
    (folder / f"{name}.json").write_text(json.dumps({"version": system.version(), "seen": seen}), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
