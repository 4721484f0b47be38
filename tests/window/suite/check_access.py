"""For everyone: by keyboard alone, on a phone, in the dark, for a screen reader."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.window.suite.acting import SHOTS, Tools, enter, go, search, settle, tab_to

LONG = "https://example.com/" + "a-very-long-address-without-a-space" * 4


@pytest.fixture
def places(tools: Tools) -> dict[str, str]:
    """Every view by name, of a memory in which there is something to see."""
    coffee = tools.remember(
        "Maya takes oat milk in her coffee",
        "Maya takes oat milk in her coffee, never cow's milk",
        "Maya's sister Inês lives in Porto and visits every August",
        "مايا تحب القهوة مع حليب الشوفان",
        f"Maya's page is {LONG}",
        tags=["home", "food and drink"],
    )
    work = tools.remember("Maya works on the harbour survey", "The harbour survey ends in March", "The survey is late")
    tools.update(traceId=coffee[2], content="Maya's sister Inês lives in Porto and visits every September")
    middle = tools.merge(traceIds=work[:2], mergedContent="Maya works on the harbour survey until March")["survivorId"]
    last = tools.merge(traceIds=[middle, work[2]], mergedContent="Maya works on the harbour survey, which is late")
    for text in ("Speaks Portuguese and English", "Prefers short answers", f"Keeps her notes at {LONG}"):
        tools.edit(action="add", target="user", text=text)
    tools.edit(action="replace", target="user", text="short answers", with_="short answers, with examples")
    gone = tools.remember("Maya has a bicycle")
    tools.delete(traceId=gone[0], reason="It was stolen")
    return {
        "memories": "memories",
        "today": "today",
        "duplicates": "duplicates",
        "documents": "documents/user",
        "soul": "documents/soul",
        "memory": f"trace/{last['survivorId']}",
        "deleted": f"trace/{gone[0]}",
        "missing": "trace/mt_none",
    }


def serious(page: Page) -> list[Any]:
    # The whole page, dialogs too, in what WCAG 2.2 A and AA ask for and good practice besides.
    found = Axe().run(page).response["violations"]
    return [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in ("serious", "critical")]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def check_axe_finds_nothing_serious_on_any_view(page: Page, tools: Tools, places: dict[str, str], scheme: Any) -> None:
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.goto("about:blank")
    enter(page, tools)
    for name, place in places.items():
        go(page, place)
        assert serious(page) == [], name
        page.screenshot(path=SHOTS / f"{name}-{scheme}.png", full_page=True)
    go(page, "memories")
    search(page, "What does Maya drink?")
    page.locator(".score summary").first.click()
    assert serious(page) == []
    page.screenshot(path=SHOTS / f"search-{scheme}.png")
    go(page, places["memory"])
    for doing in ("Edit", "Delete"):
        page.get_by_role("button", name=doing, exact=True).click()
        assert serious(page) == [], doing
        page.screenshot(path=SHOTS / f"{doing.lower()}-{scheme}.png")
        page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


def check_a_phone_shows_all_without_scrolling_sideways(page: Page, tools: Tools, places: dict[str, str]) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    enter(page, tools)
    for name, place in places.items():
        go(page, place)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, name
        page.screenshot(path=SHOTS / f"{name}-phone.png", full_page=True)
    go(page, places["memory"])
    page.get_by_role("button", name="Edit").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.screenshot(path=SHOTS / "edit-phone.png")


def check_everything_goes_by_keyboard(page: Page, tools: Tools) -> None:
    tools.remember("Maya is allergic to walnuts")
    page.goto("about:blank")
    enter(page, tools)
    page.reload()
    settle(page)
    keys = page.keyboard
    tab_to(page, page.get_by_role("link", name="Skip to the content"))
    tab_to(page, page.get_by_label("User"))
    keys.press("Enter")
    settle(page)
    tab_to(page, page.get_by_label("Search as the agent does"))
    keys.type("walnuts")
    keys.press("Enter")
    page.locator(".score").wait_for()
    tab_to(page, page.locator(".row-text"))
    keys.press("Enter")
    page.get_by_role("button", name="Edit").wait_for()
    tab_to(page, page.get_by_role("button", name="Edit"))
    keys.press("Enter")
    expect(page.get_by_label("Content", exact=True)).to_be_focused()
    keys.press("Control+End")
    keys.type(" and pecans")
    tab_to(page, page.get_by_role("button", name="Save"))
    keys.press("Enter")
    expect(page.locator(".statement .content")).to_have_text("Maya is allergic to walnuts and pecans")
    expect(page.get_by_role("heading", level=1)).to_be_focused()
    tab_to(page, page.get_by_role("button", name="Delete"))
    keys.press("Enter")
    keys.press("Escape")
    expect(page.get_by_role("button", name="Delete")).to_be_focused()


def check_landmarks_and_the_place_are_told(page: Page, tools: Tools) -> None:
    enter(page, tools, "duplicates")
    for role in ("banner", "main", "navigation"):
        expect(page.get_by_role(role).first).to_be_visible()
    expect(page.get_by_role("link", name="Duplicates")).to_have_attribute("aria-current", "page")
    expect(page).to_have_title("Near-duplicates – Memory")
