"""Persona documents: text, versions side by side, undo; and what changed today."""

from playwright.sync_api import Page, expect

from tests.window.suite.acting import Tools, enter, go


def edited(tools: Tools) -> None:
    tools.edit(action="add", target="user", text="Speaks Portuguese")
    tools.edit(action="add", target="user", text="Prefers short answers")
    tools.edit(action="replace", target="user", text="short answers", with_="short answers and examples")


def check_the_difference_is_marked_and_the_change_undone(page: Page, tools: Tools) -> None:
    edited(tools)
    enter(page, tools, "documents/user")
    expect(page.locator(".document")).to_contain_text("short answers and examples")
    expect(page.locator(".comparison tr.differs")).to_have_count(1)
    expect(page.locator(".comparison mark")).to_have_text([" and examples"])
    page.get_by_label("Before").select_option(index=2)
    expect(page.locator(".comparison ins")).to_have_text(["- Prefers short answers and examples"])
    page.get_by_role("button", name="Undo the last change").click()
    expect(page.locator(".document")).not_to_contain_text("examples")
    assert "examples" not in tools.read(target="user")["text"]


def check_the_soul_is_read_only(page: Page, tools: Tools) -> None:
    edited(tools)
    enter(page, tools, "documents/soul")
    expect(page.locator(".document")).to_contain_text("## USER.md")
    expect(page.locator("main button, main textarea, main input")).to_have_count(0)


def check_an_undo_that_came_too_late_is_refused_as_the_api_words_it(page: Page, tools: Tools) -> None:
    edited(tools)
    enter(page, tools, "documents/user")
    seen = tools.read(target="user")["version"]
    tools.edit(action="add", target="user", text="Sails")
    page.get_by_role("button", name="Undo the last change").click()
    refused = tools.edit(action="undo", target="user", version=seen)
    expect(page.get_by_role("alert").locator("p")).to_have_text(refused["detail"])


def check_today_tells_what_is_new_and_what_was_edited_and_what_it_cannot_know(page: Page, tools: Tools) -> None:
    tools.remember("Maya sails")
    edited(tools)
    enter(page, tools, "today")
    expect(page.locator(".row-text")).to_have_text(["Maya sails"])
    expect(page.locator(".today")).to_contain_text("Looked through all 1 memory.")
    expect(page.locator(".plain-list li")).to_have_count(3)
    expect(page.locator(".unknown")).to_contain_text("deleted or merged away")
    go(page, "memories")
    expect(page.locator(".row-text")).to_have_count(1)
