"""Whose memory, what is refused, and content that would like to be more than text."""

from playwright.sync_api import Page, Route, expect

from tests.window.suite.acting import URL, Tools, enter, go, search

HOSTILE = (
    "<script>window.hacked=1</script><img src=x onerror='window.hacked=1'>"
    " [a](javascript:window.hacked=1) \u202eright to left\u202c <b>bold</b>"
)
ACTIVE = "main script, main img, main b, main iframe, main a[href^='javascript'], main [onerror]"


def check_hostile_content_is_text_on_every_view(page: Page, tools: Tools) -> None:
    one, two = tools.remember(HOSTILE, f"{HOSTILE} again", tags=["<img src=x onerror='window.hacked=1'>"])
    tools.edit(action="add", target="user", text=HOSTILE)
    tools.edit(action="add", target="user", text=f"{HOSTILE} again")
    enter(page, tools)
    assert HOSTILE in page.locator(".row-text").all_inner_texts()
    search(page, "script img onerror")
    for place in ("today", "duplicates", "documents/user", "documents/soul", f"trace/{one}"):
        go(page, place)
        expect(page.locator("main")).to_contain_text("<script>")
        assert page.locator(ACTIVE).count() == 0, place
    tools.merge(traceIds=[one, two])
    tools.delete(traceId=one, reason=HOSTILE)
    for name in (one, two):
        go(page, f"trace/{name}")
        assert page.locator(ACTIVE).count() == 0
    assert page.evaluate("window.hacked") is None


def check_text_of_a_memory_keeps_its_direction_to_itself(page: Page, tools: Tools) -> None:
    tools.remember("مايا تحب القهوة", "Maya \u202e sails")
    enter(page, tools)
    for bidi in page.locator(".row-text bdi").all():
        assert bidi.evaluate("one => getComputedStyle(one).unicodeBidi") == "isolate"
        assert bidi.get_attribute("dir") == "auto"


def check_a_change_that_came_too_late_is_refused_as_the_api_words_it(page: Page, tools: Tools) -> None:
    (id_,) = tools.remember("Maya sails")
    enter(page, tools, f"trace/{id_}")
    page.get_by_role("button", name="Edit").click()
    tools.update(traceId=id_, content="Maya rows")
    page.get_by_label("Content", exact=True).fill("Maya swims")
    page.get_by_role("button", name="Save").click()
    refused = tools.update(traceId=id_, content="Maya swims", version=1)
    alert = page.get_by_role("alert")
    expect(alert.locator("p")).to_have_text(refused["detail"])
    expect(alert.locator("pre")).not_to_be_visible()
    alert.locator("summary").click()
    expect(alert.locator("pre")).to_contain_text('"code": "conflict"')
    expect(page.get_by_label("Content", exact=True)).to_have_value("Maya swims")


def check_a_memory_that_is_not_there_is_told_as_the_api_words_it(page: Page, tools: Tools) -> None:
    enter(page, tools, "trace/mt_none")
    expect(page.get_by_role("alert").locator("p")).to_have_text(tools.history(traceId="mt_none")["detail"])


def check_an_api_that_does_not_answer_is_told(page: Page, tools: Tools) -> None:
    enter(page, tools)
    page.route("**/tools/**", lambda route: route.abort())
    go(page, "duplicates")
    expect(page.get_by_role("alert")).to_contain_text("The API did not answer")


def check_another_user_sees_nothing_of_it(page: Page, tools: Tools) -> None:
    tools.remember("Maya sails")
    enter(page, tools)
    expect(page.locator(".row")).to_have_count(1)
    enter(page, Tools(tools.agent, "ben"))
    expect(page.locator(".row")).to_have_count(0)


def check_a_token_is_sent_in_the_place_of_names_and_kept_nowhere(page: Page, tools: Tools) -> None:
    sent: list[dict[str, str]] = []

    def answer(route: Route) -> None:
        sent.append(route.request.headers)
        route.fulfill(json={"results": []})

    page.route("**/tools/**", answer)
    page.goto(URL)
    page.get_by_label("Agent").fill(tools.agent)
    page.get_by_text("Token", exact=True).click()
    page.get_by_label("Token (JWT)").fill("a.b.c")
    page.get_by_role("button", name="Open", exact=True).click()
    expect(page.locator(".empty")).to_be_visible()
    assert sent[0]["authorization"] == "Bearer a.b.c"
    assert not [name for name in sent[0] if name.startswith("x-memory")]
    assert "a.b.c" not in page.evaluate("JSON.stringify([{...sessionStorage}, {...localStorage}, document.cookie])")
