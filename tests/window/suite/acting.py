"""What the checks do in the browser, and how they call the tools beside it."""

import json
import os
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, expect

URL = os.environ["WINDOW_URL"]
LARGE_URL = os.environ["WINDOW_LARGE_URL"]
SHOTS = Path(os.environ["WINDOW_SHOTS"])
_GO = """place => new Promise((done) => {
    if (location.hash === `#/${place}`) return done();
    addEventListener("hashchange", () => done(), { once: true });
    location.hash = `#/${place}`;
})"""


@dataclass(frozen=True)
class Tools:
    """The tools as a program calls them, for one agent and user."""

    agent: str
    user: str = "maya"

    def __getattr__(self, tool: str) -> Any:
        def call(**arguments: Any) -> Any:
            headers = {"content-type": "application/json", "x-memory-agent": self.agent, "x-memory-user": self.user}
            given = {name.rstrip("_"): value for name, value in arguments.items()}
            request = urllib.request.Request(f"{URL}/tools/memory_{tool}", json.dumps(given).encode(), headers)
            try:
                with urllib.request.urlopen(request) as reply:
                    return json.load(reply)
            except urllib.error.HTTPError as error:
                return json.load(error)

        return call

    def remember(self, *facts: str, **arguments: Any) -> list[str]:
        """Add the facts; their ids."""
        return [one["id"] for one in self.add(facts=list(facts), **arguments)["saved"]]


def enter(page: Page, tools: Tools, place: str = "memories", url: str = URL) -> None:
    """Open the window on the tools' memory, at a place."""
    page.goto(f"{url}/#/{place}")
    page.get_by_label("Agent", exact=True).fill(tools.agent)
    page.get_by_label("User").fill(tools.user)
    page.get_by_role("button", name="Open", exact=True).click()
    page.locator(".view h1").wait_for()
    go(page, place)


def go(page: Page, place: str) -> None:
    """To another view, which has what it shows."""
    page.evaluate(_GO, place)
    settle(page)


def settle(page: Page) -> None:
    """Wait until nothing is on its way any more."""
    expect(page.locator("[aria-busy=true], [aria-disabled=true]")).to_have_count(0, timeout=20_000)


def search(page: Page, query: str) -> None:
    page.get_by_label("Search as the agent does").fill(query)
    page.get_by_role("button", name="Search", exact=True).click()
    page.locator(".score, .empty, .found .hint").first.wait_for()
    settle(page)


def tab_to(page: Page, wanted: Locator, most: int = 60) -> None:
    """Press Tab until it has the focus, which has to be visible all the way."""
    for _ in range(most):
        page.keyboard.press("Tab")
        style = "getComputedStyle(document.activeElement).outlineStyle"
        assert page.evaluate(f"document.activeElement === document.body || {style} !== 'none'"), "focus is not seen"
        if wanted.evaluate("one => one === document.activeElement"):
            return
    raise AssertionError(f"not reached by Tab: {wanted}")
