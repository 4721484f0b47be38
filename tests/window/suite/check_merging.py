"""Near-duplicates merged, lineage drawn, merges taken back."""

import pytest
from playwright.sync_api import Page, expect

from tests.window.suite.acting import Tools, enter, go, settle

OAT = "Maya takes oat milk in her coffee", "Maya takes oat milk in her coffee every morning"


def check_duplicates_are_merged_as_edited_and_taken_back(page: Page, tools: Tools) -> None:
    tools.remember(*OAT)
    enter(page, tools, "duplicates")
    expect(page.locator(".card")).to_have_count(1)
    page.get_by_label("Text of the merged memory").fill("Oat milk, every morning")
    page.get_by_role("button", name="Merge", exact=True).click()
    expect(page.locator(".card .content")).to_have_text("Oat milk, every morning")
    assert [one["content"] for one in tools.list()["results"]] == ["Oat milk, every morning"]
    page.get_by_role("button", name="Undo the merge").click()
    expect(page.get_by_role("button", name="Merge", exact=True)).to_be_visible()
    assert sorted(one["content"] for one in tools.list()["results"]) == sorted(OAT)


def check_a_text_is_taken_over(page: Page, tools: Tools) -> None:
    tools.remember(*OAT)
    enter(page, tools, "duplicates")
    page.get_by_role("button", name="Use this text").first.click()
    expect(page.get_by_label("Text of the merged memory")).to_have_value(OAT[0])


def check_fewer_than_two_are_refused_as_the_api_words_it(page: Page, tools: Tools) -> None:
    (one, _) = tools.remember(*OAT)
    enter(page, tools, "duplicates")
    page.get_by_role("checkbox").nth(1).uncheck()
    page.get_by_role("button", name="Merge", exact=True).click()
    expect(page.get_by_role("alert").locator("p")).to_have_text(
        tools.merge(traceIds=[one], mergedContent=OAT[1])["detail"]
    )


@pytest.fixture
def family(tools: Tools) -> tuple[str, str, str]:
    """Two were merged, and the one that stayed with a third: the survivor, the middle one, the first to go."""
    one, two, three = tools.remember("Maya sails", "Maya sails a dinghy", "Maya sails a dinghy on Sundays")
    tools.search(query="Maya sails a dinghy on Sundays", limit=1)
    middle = tools.merge(traceIds=[one, two])["survivorId"]
    last = tools.merge(traceIds=[three, middle], mergedContent="Sails on Sundays")["survivorId"]
    return last, three if last == middle else middle, two if middle == one else one


def check_lineage_is_drawn_and_a_merge_taken_back(page: Page, tools: Tools, family: tuple[str, str, str]) -> None:
    survivor, middle, _ = family
    enter(page, tools, f"trace/{middle}")
    expect(page.locator(".family > li")).to_have_count(3)
    expect(page.locator(".branches path.joined")).to_have_count(2)
    expect(page.locator(".branches circle.live")).to_have_count(1)
    go(page, f"trace/{survivor}")
    page.locator(".family").get_by_role("button", name="Undo the last merge").click()
    expect(page.locator(".statement .content")).not_to_have_text("Sails on Sundays")
    settle(page)
    assert middle in [one["id"] for one in tools.list()["results"]]


def check_one_that_was_merged_away_is_brought_back_from_the_drawing(
    page: Page, tools: Tools, family: tuple[str, str, str]
) -> None:
    survivor, _, first = family
    enter(page, tools, f"trace/{survivor}")
    said = tools.history(traceId=first)["versions"][0]["content"]
    page.locator(".family").get_by_role("button", name=f"Restore: {said}", exact=True).click()
    expect(page.locator(".branches path.parted")).to_have_count(1)
    assert first in [one["id"] for one in tools.list()["results"]]
