"""A shell in which the blocks of a page are run, one after the other, as a reader pastes them."""

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

# Blocks come on descriptor 3, each ended by a zero byte, and an answer to each goes to descriptor 4: so a program that
# asks something reads the standard input, which says yes.
_LOOP = """
set -euo pipefail
while IFS= read -r -d '' block <&3; do
  eval "$block" >"$SAID" 2>&1
  echo done >&4
done
"""
_YES = b"y\n" * 100_000


class Failed(Exception):
    """A block ended with an error; the message is what it said."""


class Shell:
    """Variables and functions stay from block to block; the first command that fails ends it."""

    def __init__(self, blocks: int, answers: int, said: Path) -> None:
        self._blocks = blocks
        self._answers = os.fdopen(answers, "rb", closefd=False)
        self._said = said

    def run(self, text: str) -> str:
        """What the commands say, on both channels. Raises Failed."""
        os.write(self._blocks, text.encode() + b"\0")
        ended = self._answers.readline() != b"done\n"
        said = self._said.read_text("utf-8", errors="replace")
        if ended:
            raise Failed(said)
        return said


@contextmanager
def shell(folder: Path, environment: Mapping[str, str]) -> Iterator[Shell]:
    """A shell in the folder, which knows nothing but this environment."""
    said, yes = folder / ".said", folder / ".yes"
    yes.write_bytes(_YES)
    (block_out, block_in), (answer_out, answer_in) = os.pipe(), os.pipe()
    ends = f"exec 3<&{block_out} 4>&{answer_in}\n"
    with yes.open("rb") as answers:
        process = subprocess.Popen(
            ["bash", "-c", ends + _LOOP],
            cwd=folder,
            env={**environment, "SAID": str(said)},
            stdin=answers,
            pass_fds=(block_out, answer_in),
        )
    os.close(block_out)
    os.close(answer_in)
    try:
        yield Shell(block_in, answer_out, said)
    finally:
        os.close(block_in)
        process.wait()
        os.close(answer_out)
