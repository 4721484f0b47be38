"""The pictures that GitHub draws of the pages' Mermaid blocks, drawn here by the same library, in Chromium.

They are left in build/pictures, to be looked at.
"""

import json
import os
import shutil
import subprocess
import tarfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from local.environments import environment
from local.template import ROOT
from tests.pages.blocks import Block
from tests.window import browser

_MERMAID: Final = "mermaid@12.3.0"
_LIBRARY: Final = "package/dist/mermaid.min.js"
_BUILD: Final = ROOT / "build" / "pictures"
_PINS: Final = Path(browser.__file__).with_name("constraints.txt")
# Run by the Python of the browser's tests, which has playwright.
_DRAW: Final = """
import json, os, sys
from playwright.sync_api import sync_playwright

given = json.load(sys.stdin)
with sync_playwright() as playwright:
    chromium = playwright.chromium.launch(executable_path=given["chromium"], args=["--no-sandbox"])
    page = chromium.new_page(viewport={"width": 1000, "height": 800})
    page.set_content("<div id=drawn></div>")
    page.add_script_tag(path=given["library"])
    page.evaluate("mermaid.initialize({startOnLoad: false})")
    for name, text in given["pictures"].items():
        draw = "async text => { drawn.innerHTML = (await mermaid.render('picture', text)).svg }"
        try:
            page.evaluate(draw, text)
        except Exception as error:
            sys.exit(f"{name}: {error}")
        page.locator("#drawn").screenshot(path=os.path.join(given["folder"], f"{name}.png"))
"""


def draw(blocks: Sequence[Block]) -> str:
    """Draw them; what is wrong with one of them, if anything is. Raises RuntimeError where that cannot be told."""
    _BUILD.mkdir(parents=True, exist_ok=True)
    told = {
        "chromium": browser.found() or browser.installed(),
        "library": str(_library()),
        "folder": str(_BUILD),
        "pictures": {f"{block.page.replace('/', '-')}-{block.line}": block.text for block in blocks},
    }
    python = environment("window", _PINS)
    drawn = subprocess.run(
        [str(python), "-c", _DRAW], input=json.dumps(told), capture_output=True, text=True, check=False
    )
    return drawn.stderr if drawn.returncode else ""


def _library() -> Path:
    """Mermaid, from npm's registry; nothing of the package is run while it is fetched."""
    made = _BUILD / _LIBRARY
    if made.exists():
        return made
    if shutil.which("npm") is None:
        raise RuntimeError("npm is needed, to draw the pages' pictures with mermaid")
    settings = {**os.environ, "npm_config_update_notifier": "false"}
    command = ["npm", "pack", _MERMAID, "--silent", "--ignore-scripts", "--pack-destination", str(_BUILD)]
    packed = subprocess.run(command, env=settings, capture_output=True, text=True, check=True).stdout.strip()
    archive = _BUILD / packed.splitlines()[-1]
    with tarfile.open(archive) as members:
        members.extract(_LIBRARY, _BUILD, filter="data")
    archive.unlink()
    return made
