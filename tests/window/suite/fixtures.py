"""One browser for all checks; a page, and an agent of its own, for each."""

import itertools
import os
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright

from tests.window.suite.acting import Tools

_WATCH = """
    window.violations = [];
    document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
        window.violations.push(`${violatedDirective} ${blockedURI}`));
"""
# Chromium notes in its console what the API refused; the page shows it, and it is looked for there.
_EXPECTED = "Failed to load resource: "
_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        # Its sandbox wants what containers rarely give; the pages are our own.
        browser = playwright.chromium.launch(executable_path=os.environ["WINDOW_CHROMIUM"], args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page on which nothing may go wrong unseen."""
    context = browser.new_context(viewport={"width": 1000, "height": 900}, locale="en-GB")
    context.add_init_script(_WATCH)
    page = context.new_page()
    page.set_default_timeout(20_000)
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))

    def heard(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not message.text.startswith(_EXPECTED):
            wrong.append(message.text)

    page.on("console", heard)
    yield page
    assert page.evaluate("window.violations") == []
    assert wrong == []
    context.close()


@pytest.fixture
def tools() -> Tools:
    """The tools for an agent that no other check uses."""
    return Tools(f"helper-{next(_numbers)}")
