"""Whether the file of a memory on this machine is sound, and its owner's alone."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from memtools_cli.checks.finding import Finding, finding
from memtools_cli.local import problems_in, settings_of

# What to do with a file that SQLite cannot read, or not as a whole.
ADVICE: Final = "Put back a copy of the file from before, or export what can be read."


def findings(folder: Path) -> Iterator[Finding]:
    """The file, who may read it, and whether SQLite finds it whole."""
    file = settings_of(str(folder)).file
    if file is None or not file.exists():
        yield Finding("file", "ok", f"{file}: nothing is remembered yet")
        return
    yield Finding("file", "ok", f"{file}, {file.stat().st_size / 1e6:.1f} MB")
    if os.name == "posix":
        mode = stat.S_IMODE(file.stat().st_mode)
        advice = "Use the memory once: that takes from others what they may do with the file."
        yield finding("file access", not mode & 0o077, f"mode {mode:o}", advice)
    problems = problems_in(file)
    yield finding("file integrity", not problems, "; ".join(problems) or "whole", ADVICE)
