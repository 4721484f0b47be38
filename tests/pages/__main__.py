"""``python -m tests.pages [PAGE ...]``: every block of code that the pages tell a reader to run is run.

In a clone, with the real AWS and SAM command lines, against the local service and a deployed stack on an emulator. A
line for each page; exits non-zero where a block fails or does not say what the page promises.
"""

import argparse
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.built.stack import hindrance, interpreter
from tests.pages.blocks import Block, blocks
from tests.pages.pictures import draw
from tests.pages.place import Place, place
from tests.pages.proofs import By, Draw, Prepared, Proof, Run, Save, Serve
from tests.pages.shell import Failed, Shell
from tests.pages.table import DEPLOYING, LEFT_OUT, LOCAL, PROOFS, SCRIPTS
from tests.served import Served, started

_LOCAL_ADDRESS = "127.0.0.1:8765"  # as the pages have it


class Untrue(Exception):
    """A page promises what is not so."""


def run_page(page: str, here: Place) -> Counter[str]:
    """Prove the blocks of a page; how many in which way."""
    done: Counter[str] = Counter()
    here.model.left = list(SCRIPTS.get(page, ()))
    with _tidied(here.clone), _local_service(page, here) as local, here.shell() as shell:
        for block, proof in zip(blocks(page), PROOFS[page], strict=True):
            try:
                _prove(block, proof, shell, here, local)
            except (Failed, Untrue) as error:
                raise SystemExit(f"{block} {proof.begins}\n{error}") from None
            done[type(proof).__name__] += 1
    return done


@contextmanager
def _tidied(clone: Path) -> Iterator[None]:
    """What a page leaves in the clone is taken away again, so that the next one begins as its reader does."""
    before = set(clone.iterdir())
    yield
    for left in set(clone.iterdir()) - before:
        shutil.rmtree(left) if left.is_dir() else left.unlink()


@contextmanager
def _local_service(page: str, here: Place) -> Iterator[str]:
    """Where the page's own local service answers, if it has one."""
    if not any(_LOCAL_ADDRESS in block.text for block in blocks(page)):
        yield ""
        return
    with _started(_block(*LOCAL), here) as service:
        yield service.url.removeprefix("http://")


@contextmanager
def _started(command: str, here: Place) -> Iterator[Served]:
    """The local service, with a memory of its own."""
    with tempfile.TemporaryDirectory() as folder:
        settings = _without_aws(here.settings) | {"DATA": folder}
        with started(["bash", "-c", command], here.clone, settings) as service:
            yield service


def _prove(block: Block, proof: Proof, shell: Shell, here: Place, local: str) -> None:
    match proof:
        case Run():
            here.model.asked.clear()
            text = _filled_in(block.text, proof.filled_in)
            said = "".join(shell.run(one.replace(_LOCAL_ADDRESS, local)) for one in (proof.first, text, proof.then))
            _check(said, here.model.found(), proof)
        case Serve():
            with _started(block.text, here) as service:
                if not service.url:
                    raise Untrue("it does not say where it listens")
        case Save(name=name):
            (here.clone / name).write_text(block.text.replace(_LOCAL_ADDRESS, local), "utf-8")
        case By() | Prepared() | Draw():
            pass


def _draw(*, needed: bool) -> None:
    """Draw all pictures; where that is impossible and not needed, say so."""
    try:
        wrong = draw([one for page in PROOFS for one in blocks(page) if one.language == "mermaid"])
    except RuntimeError as error:
        wrong = str(error) if needed else ""
        print(f"The pictures were not drawn: {error}")
    if wrong:
        raise SystemExit(wrong)


def _filled_in(text: str, by_the_reader: Mapping[str, str]) -> str:
    for old, new in by_the_reader.items():
        if old not in text:
            raise Untrue(f"there is nothing to fill in for {old!r}")
        text = text.replace(old, new)
    return text


def _check(said: str, found: str, proof: Run) -> None:
    for text in proof.says:
        if text not in said:
            raise Untrue(f"it does not say {text!r}:\n{said}")
    for text in proof.lacks:
        if text in said:
            raise Untrue(f"it says {text!r}:\n{said}")
    for text in proof.finds:
        if text not in found:
            raise Untrue(f"the agent does not find {text!r}:\n{found}")


def _without_aws(settings: Mapping[str, str]) -> dict[str, str]:
    """The local service brings stores of its own."""
    return {name: value for name, value in settings.items() if not name.startswith("AWS_")}


def _block(page: str, begins: str) -> str:
    (found,) = [one.text for one in blocks(page) if one.text.startswith(begins)]
    return found


def main() -> int:
    """Run the pages; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.pages", description="What the pages show, run.")
    parser.add_argument("pages", nargs="*", help="only these")
    parser.add_argument("--if-possible", action="store_true", help="do nothing, and say so, where it cannot be run")
    given = parser.parse_args()
    python = interpreter()
    reason = hindrance()
    if reason or python is None:
        print(f"The pages were not run: {reason}.")
        return 0 if given.if_possible else 1
    with ExitStack() as around:
        folder = Path(around.enter_context(tempfile.TemporaryDirectory()))
        here = around.enter_context(place(folder, python))
        with here.bare_shell() as shell:
            shell.run(_block(*DEPLOYING))
        with here.shell() as shell:
            shell.run(LEFT_OUT)
        _draw(needed=not given.if_possible)
        total: Counter[str] = Counter()
        for page in given.pages or PROOFS:
            done = run_page(page, here)
            print(f"{page}: {', '.join(f'{kind.lower()} {count}' for kind, count in done.items())}", flush=True)
            total += done
    print(f"blocks: {total.total()}, {', '.join(f'{kind.lower()} {count}' for kind, count in total.items())}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
