"""What the replies of reading tools have to hold: what is there, and never less than their caller was told before."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from memtools.domain.document import ABSENT, Document

from tests.races.state import Finding, State, lost, untrue
from tests.races.workers import Told


def shown(told: Sequence[Told], end: State) -> Iterator[Finding]:
    """What was shown of facts and of MEMORY.md stood there at some time, and was made of what it expected."""
    texts = {ABSENT: "", **{one.version: one.text for one in end.document}}
    for one in told:
        if one.reply is None:
            continue
        for version in _versions_of_facts(one):
            there = end.version(*version[:2])
            if there is None or there.content != version[2]:
                yield lost(f"shown, but never there: {one}")
        for number, text in _versions_of_document(one):
            if texts.get(number) != text:
                yield lost(f"shown, but never there: {one}")
        if one.call.tool == "edit":
            yield from _made_of(one, end.document, texts)


def _versions_of_facts(told: Told) -> Iterator[tuple[str, int, str]]:
    """Each version that the reply shows: id, version, content."""
    reply = told.reply or {}
    traces = [*reply.get("results", []), *(trace for group in reply.get("groups", []) for trace in group["traces"])]
    yield from ((one["id"], one["version"], one["content"]) for one in [*traces, *filter(None, [reply.get("trace")])])
    if name := told.call.arguments.get("trace_id"):
        yield from ((name, one["version"], one["content"]) for one in reply.get("versions", []))


def _versions_of_document(told: Told) -> Iterator[tuple[str, str]]:
    """Each version of MEMORY.md that the reply of a reading tool shows. Nobody writes USER.md, so it stays absent."""
    given, reply = told.call.arguments, told.reply or {}
    if told.call.tool == "read" and given["target"] != "soul":
        yield reply["version"], reply["text"]
    if told.call.tool == "history" and "target" in given:
        yield from ((one["version"], one["content"]) for one in reply["versions"])


def _made_of(told: Told, document: Sequence[Document], texts: Mapping[str, str]) -> Iterator[Finding]:
    """An edit of a version that was named replaced that one, or one of the same text: S3 compares texts."""
    expected = told.call.arguments.get("version")
    made = next((one for one in document if told.call.mark and told.call.mark in one.text), None)
    if expected and made and texts.get(made.replaces or ABSENT) != texts.get(expected):
        yield untrue(f"made of another version than it named: {told}")


class Witness:
    """What one client knows of one memory, from the replies to its calls in their order.

    It holds because no other client deletes, restores, merges or unmerges what this one added, and every tool reads
    what the table has at that moment. ``alone``: nobody else writes to this memory.
    """

    def __init__(self, *, alone: bool) -> None:
        self._alone = alone
        self._versions: dict[str, int] = {}
        self._contents: dict[str, str] = {}
        self._before_merge: dict[str, str] = {}
        self._live: set[str] = set()
        self._gone: set[str] = set()
        self._newest = ""

    def hear(self, told: Sequence[Told]) -> Iterator[Finding]:
        """What in these replies contradicts what the client was told before."""
        for one in told:
            if one.reply is None:
                continue
            yield from (untrue(f"{what}: {one}") for what in self._contradictions(one, one.reply))
            self._remember(one, one.reply)

    def _contradictions(self, told: Told, reply: Mapping[str, Any]) -> Iterator[str]:
        given, tool = told.call.arguments, told.call.tool
        facts = list(_versions_of_facts(told))
        if tool == "history":
            facts = facts[:1]  # the others are older, and have to be
        if any(version < self._versions.get(name, 0) for name, version, _ in facts):
            yield "older than what was told before"
        if tool in ("search", "list", "duplicates") and any(name in self._gone for name, _, _ in facts):
            yield "told to be gone, and shown"
        if tool == "update" and "version" in given and reply["trace"]["version"] != given["version"] + 1:
            yield "made of another version than it named"
        if tool == "restore" and reply["trace"]["content"] != self._contents[given["trace_id"]]:
            yield "restored to what it was not"
        if tool == "unmerge" and reply["trace"]["content"] != self._before_merge[given["survivor_id"]]:
            yield "unmerged to what it was not"
        if tool == "list" and self._alone:
            yield from self._list_lacks(given["limit"], [name for name, _, _ in facts])

    def _list_lacks(self, limit: int, names: Sequence[str]) -> Iterator[str]:
        if len(names) != min(limit, len(self._live)) or not self._live.issuperset(names):
            yield f"{len(self._live)} live, and listed otherwise"
        if self._newest and names[:1] != [self._newest]:
            yield f"the newest is {self._newest}, and listed otherwise"

    def _remember(self, told: Told, reply: Mapping[str, Any]) -> None:
        given = told.call.arguments
        if told.call.tool == "merge":
            self._before_merge[reply["survivorId"]] = self._contents[reply["survivorId"]]
        for name, version, content in _versions_of_facts(told):
            if version >= self._versions.get(name, 0):
                self._versions[name], self._contents[name] = version, content
        match told.call.tool:
            case "add":
                self._contents |= {one["id"]: one["content"] for one in reply["saved"]}
                self._come(one["id"] for one in reply["saved"])
                self._newest = reply["saved"][-1]["id"]
            case "delete":
                self._go([given["trace_id"]])
            case "restore":
                self._come([given["trace_id"]])
            case "merge":
                self._go(reply["deletedIds"])
            case "unmerge":
                self._come(reply["restoredIds"])

    def _come(self, names: Iterable[str]) -> None:
        names = set(names)
        self._live |= names
        self._gone -= names

    def _go(self, names: Iterable[str]) -> None:
        names = set(names)
        self._live -= names
        self._gone |= names
        if self._newest in names:
            self._newest = ""  # which one is now is not worth knowing
