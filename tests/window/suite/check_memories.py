"""Traces: listed, found, opened, mended, deleted and brought back."""

from playwright.sync_api import Page, expect

from tests.window.suite.acting import LARGE_URL, Tools, enter, go, search, settle


def check_list_is_newest_first_with_tags(page: Page, tools: Tools) -> None:
    tools.remember("Maya likes tea", occurredAt="2026-11-01", tags=["drinks"])
    tools.remember("Maya likes figs", occurredAt="2026-11-02")
    enter(page, tools)
    expect(page.locator(".row-text")).to_have_text(["Maya likes figs", "Maya likes tea"])
    page.get_by_role("button", name="Only with tag drinks").click()
    expect(page.locator(".row-text")).to_have_text(["Maya likes tea"])
    page.get_by_role("button", name="Show all again").click()
    expect(page.locator(".row-text")).to_have_count(2)


def check_nothing_there_is_said(page: Page, tools: Tools) -> None:
    enter(page, tools)
    expect(page.locator(".empty")).to_have_text("Nothing is remembered here yet.")


def check_search_explains_its_scores(page: Page, tools: Tools) -> None:
    tools.remember("Maya is allergic to walnuts", "The harbour survey ends in March")
    enter(page, tools)
    search(page, "Is Maya allergic to walnuts?")
    first = page.locator(".row").first
    expect(first.locator(".row-text")).to_have_text("Maya is allergic to walnuts")
    first.locator(".score summary").click()
    parts = first.locator(".score li")
    expect(parts).to_have_count(4)
    for number, word in enumerate(("Words", "Meaning", "Time", "Names")):
        expect(parts.nth(number)).to_contain_text(word)
    assert tools.list()["results"][0]["retrievalCount"] + tools.list()["results"][1]["retrievalCount"] >= 1


def check_the_way_back_keeps_what_was_found_without_searching_again(page: Page, tools: Tools) -> None:
    tools.remember("Maya is allergic to walnuts")
    enter(page, tools)
    search(page, "walnuts")
    page.locator(".row-text").click()
    page.get_by_role("link", name="All memories").click()
    expect(page.locator(".score")).to_have_count(1)
    expect(page.get_by_label("Search as the agent does")).to_have_value("walnuts")
    assert tools.list()["results"][0]["retrievalCount"] == 1


def check_edit_changes_content_and_tags(page: Page, tools: Tools) -> None:
    (id_,) = tools.remember("Maya likes tea")
    enter(page, tools)
    page.locator(".row-text").click()
    page.get_by_role("button", name="Edit").click()
    page.get_by_label("Content", exact=True).fill("Maya likes green tea")
    page.get_by_label("Tags").fill("drinks, drinks ,green")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".statement .content")).to_have_text("Maya likes green tea")
    expect(page.locator(".versions strong")).to_have_text(["2. Corrected", "1. Added"])
    assert tools.history(traceId=id_)["versions"][0]["tags"] == ["drinks", "green"]
    go(page, "memories")
    expect(page.locator(".row-text")).to_have_text(["Maya likes green tea"])


def check_an_earlier_version_is_restored(page: Page, tools: Tools) -> None:
    (id_,) = tools.remember("Maya likes tea")
    tools.update(traceId=id_, content="Maya likes coffee")
    enter(page, tools, f"trace/{id_}")
    page.get_by_role("button", name="Restore version 1").click()
    expect(page.locator(".statement .content")).to_have_text("Maya likes tea")
    expect(page.locator(".versions strong").first).to_have_text("3. Restored")


def check_delete_and_bring_back(page: Page, tools: Tools) -> None:
    (id_,) = tools.remember("Maya likes tea")
    enter(page, tools, f"trace/{id_}")
    page.get_by_role("button", name="Delete").click()
    page.get_by_label("Reason").fill("She said so")
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.locator(".state")).to_contain_text("She said so")
    assert tools.list()["results"] == []
    page.get_by_role("button", name="Restore", exact=True).click()
    expect(page.locator(".statement.gone")).to_have_count(0)
    settle(page)
    assert [one["id"] for one in tools.list()["results"]] == [id_]


def check_only_a_page_of_many_is_ever_there(page: Page) -> None:
    """Ten thousand: as many rows and elements on the fifth page as on the first."""
    enter(page, Tools("helper", "many"), url=LARGE_URL)
    sizes, first = [], set()
    for number in range(1, 6):
        expect(page.locator(".where")).to_contain_text(f"Page {number}")
        sizes.append(page.locator(".row").count())
        first.add(page.locator(".row-text").first.inner_text())
        page.get_by_role("button", name="Older").click()
    assert sizes == [50] * 5
    assert len(first) == 5
    page.get_by_role("button", name="Newer").click()
    expect(page.locator(".where")).to_contain_text("Page 5")
    assert page.locator("*").count() < 1_000


def check_today_looks_through_many_step_by_step(page: Page) -> None:
    enter(page, Tools("helper", "many"), "today", LARGE_URL)
    expect(page.locator(".today")).to_contain_text("Looked through the newest 1,000 memories so far")
    page.get_by_role("button", name="Look further back").click()
    expect(page.locator(".today")).to_contain_text("the newest 2,000")
