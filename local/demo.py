"""``python -m local.demo``: a short story through the real handlers, every expectation of it checked.

Exits non-zero where anything was not as expected.
"""

import json
import logging
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import requests
from memtools_cli.local import settings_of
from memtools_cli.service.running import running
from rich.console import Console
from rich.text import Text

_AGENT = "demo"
_FACTS = (
    "Maya is allergic to walnuts",
    "Maya's sister Ines lives in Porto with two cats",
    "Maya takes oat milk in her coffee",
    "Maya drinks her coffee with oat milk, never with sugar",
    "Maya books the window seat on long train rides",
)
_WALNUTS, _SISTER, _OAT, _SUGAR, _SEAT = _FACTS
_MERGED = "Maya drinks her coffee with oat milk and without sugar"


@contextmanager
def warnings_only() -> Iterator[None]:
    """Keep the handlers' log line a call out of standard output; for use while the service runs, which made them."""
    from memtools.handler import logger

    before = logger.log_level
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(before)


@dataclass(slots=True)
class Story:
    """Calls tools over HTTP, tells what comes back, and keeps account of what was verified."""

    url: str
    console: Console
    verified: list[tuple[str, bool]] = field(default_factory=list)

    def chapter(self, title: str) -> None:
        """Begin a part."""
        self.console.print(f"\n[bold]{title}[/bold]", highlight=False)

    def call(self, tool: str, *, user: str = "maya", **arguments: Any) -> dict[str, Any]:
        """Call a tool and tell of it; its reply, or the error."""
        self._line("→", f"{tool} {json.dumps(arguments, ensure_ascii=False)}", "cyan")
        reply = self._post(tool, user, arguments)
        if "code" in reply:
            self._line("✗", f"{reply['status']} {reply['code']}: {reply['detail']}", "yellow")
        return reply

    def _post(self, tool: str, user: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """A request as API Gateway would let a signed caller's through."""
        headers = {"x-memory-agent": _AGENT, "x-memory-user": user}
        answer = requests.post(f"{self.url}/tools/{tool}", json=arguments, headers=headers, timeout=30)
        reply: dict[str, Any] = answer.json()
        return reply

    def show(self, text: str) -> None:
        """A line of what came back."""
        self._line("←", text, "green")

    def verify(self, claim: str, holds: bool) -> None:
        """Note whether the claim held."""
        self.verified.append((claim, holds))

    def search(self, query: str, *, user: str = "maya") -> list[str]:
        """What a search finds, best first."""
        results = self.call("memory_search", query=query, limit=3, user=user).get("results", [])
        for hit in results:
            self.show(f"{hit['score']:.2f}  {hit['content']}")
        if not results:
            self.show("nothing relevant")
        return [hit["content"] for hit in results]

    def edit(self, **arguments: Any) -> dict[str, Any]:
        """An edit, told in its own words."""
        reply = self.call("memory_edit", **arguments)
        if "message" in reply:
            self.show(reply["message"])
        return reply

    def document(self, target: str) -> dict[str, Any]:
        """A document as it stands, without telling."""
        return self._post("memory_read", "maya", {"target": target})

    def _line(self, sign: str, text: str, style: str) -> None:
        for number, line in enumerate(text.splitlines()):
            self.console.print(Text(f"  {' ' if number else sign} {line}", style=style), soft_wrap=True)


def _adds(story: Story) -> Mapping[str, str]:
    """Facts go in, once each; their ids."""
    story.chapter("The agent learns something about Maya, and is told a part of it twice")
    first = story.call("memory_add", facts=list(_FACTS))
    story.show(first.get("message", ""))
    again = story.call("memory_add", facts=[_WALNUTS.upper()])
    story.show(f"{again.get('message')} CachedIndex already: {[one['content'] for one in again.get('duplicates', [])]}")
    ids = {one["content"]: one["id"] for one in first.get("saved", [])}
    story.verify("all facts of a call are stored", list(ids) == list(_FACTS))
    known = [one["id"] for one in again.get("duplicates", [])]
    story.verify("a known fact is not stored twice", again.get("saved") == [] and known == [ids.get(_WALNUTS)])
    return ids


def _searches(story: Story) -> None:
    """Found by meaning; what is not relevant is not returned."""
    story.chapter("It looks for it in other words")
    food = story.search("Which nuts could make her sick?")
    family = story.search("Does anybody in the family keep pets?")
    nothing = story.search("boiling point of tungsten")
    story.verify("a search in other words finds the fact", food[:1] == [_WALNUTS] and family[:1] == [_SISTER])
    story.verify("what nothing remembered answers finds nothing", nothing == [])


def _edits(story: Story) -> None:
    """The few things that are always present: Markdown files, edited in place."""
    story.chapter("It keeps notes in MEMORY.md, and what is always true of Maya in USER.md")
    story.edit(action="add", text="Ask before booking a train")
    noted = story.edit(action="add", text="Ask before sending a message")
    about = story.edit(action="add", target="user", text="Speaks Portuguese and English")
    story.edit(action="replace", text="sending a message", **{"with": "writing to her sister"})
    expected = "- Ask before booking a train\n- Ask before writing to her sister\n"
    story.verify("MEMORY.md says what was edited into it, to the letter", story.document("self")["text"] == expected)
    story.verify("USER.md likewise", about.get("text") == "- Speaks Portuguese and English\n")
    _refusals(story, old=noted.get("version", ""))


def _refusals(story: Story, old: str) -> None:
    """What cannot be done exactly as asked is not done at all."""
    story.chapter("An edit that fits two places is refused, and so is one made on an old version")
    before = story.document("self")
    ambiguous = story.edit(action="replace", text="Ask before", **{"with": "Think before"})
    for place in ambiguous.get("details", {}).get("occurrences", []):
        story.show(f"line {place['line']}: {place['text']}")
    story.verify("an ambiguous edit is refused", ambiguous.get("code") == "ambiguous")
    story.verify("the file is as it was", story.document("self") == before)
    stale = story.edit(action="remove", text="booking a train", version=old)
    current = stale.get("details", {})
    story.verify("an edit of an old version is refused", stale.get("code") == "conflict")
    told = {name: current.get(name) for name in ("text", "version")}
    story.verify("the refusal tells the current text", told == {name: before[name] for name in told})
    story.verify("the file is still as it was", story.document("self") == before)


def _merges(story: Story, ids: Mapping[str, str]) -> None:
    """Two facts become one, all of it or nothing."""
    story.chapter("Two facts say much the same: they become one")
    pair = [ids.get(_OAT, ""), ids.get(_SUGAR, "")]
    merged = story.call("memory_merge", traceIds=pair, mergedContent=_MERGED)
    story.show(f"{merged.get('survivorId')} lives on; into it went {', '.join(merged.get('deletedIds', []))}")
    named = {merged.get("survivorId"), *merged.get("deletedIds", [])}
    story.verify("a merge keeps one and names the other", len(pair) == len(named) and named == set(pair))
    found = story.search("How does she like her coffee?")
    story.verify("the merged fact is found at once", found[:1] == [_MERGED])
    story.verify("what went into it is no longer found", not {_OAT, _SUGAR} & set(found))


def _reads(story: Story) -> None:
    """A new conversation begins."""
    story.chapter("The next conversation begins: the agent reads what it is and knows")
    soul = story.call("memory_read")
    story.show(soul.get("text", ""))
    story.verify("the soul holds both files", soul.get("found") == ["USER.md", "MEMORY.md"])
    both = all(part in soul.get("text", "") for part in ("Speaks Portuguese", "Ask before writing to her sister"))
    story.verify("the soul says what they say", both)


def _stranger(story: Story) -> None:
    """Somebody else's memory is empty."""
    story.chapter("Noor talks to the same agent")
    found = story.search("Which nuts could make her sick?", user="noor")
    soul = story.call("memory_read", user="noor")
    story.show(f"files: {soul.get('found')}")
    story.verify("another user sees nothing of it", found == [] and soul.get("text") == "" and soul.get("found") == [])


def tell(story: Story) -> None:
    """The whole story."""
    ids = _adds(story)
    _searches(story)
    _edits(story)
    _merges(story, ids)
    _reads(story)
    _stranger(story)


def main(floor: float | None = None) -> int:
    """Tell the story on a memory that is gone afterwards; 0 where everything was as expected.

    ``floor`` is another relevance floor than the usual one.
    """
    console = Console()
    with tempfile.TemporaryDirectory() as folder:
        settings = settings_of(folder)
        settings = settings if floor is None else replace(settings, relevance_floor=floor)
        with running(settings) as url, warnings_only():
            story = Story(url, console)
            tell(story)
    story.chapter("Verified")
    for claim, holds in story.verified:
        console.print(Text(f"  {'✓' if holds else '✗'} {claim}", style="green" if holds else "bold red"))
    failed = sum(not holds for _, holds in story.verified)
    console.print(f"\n{failed} of {len(story.verified)} not as expected." if failed else "\nAll as expected.")
    return 1 if failed or not story.verified else 0


if __name__ == "__main__":
    sys.exit(main())
