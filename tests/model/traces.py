"""One scope's traces in plain Python: what each tool has to answer, from the design alone."""

import unicodedata
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from tests.model.answers import CONFLICT, NOT_FOUND, Answer, Refused


def same_fact(text: str) -> str:
    """Two facts are the same if this is equal for both."""
    return " ".join(unicodedata.normalize("NFC", text).split()).casefold()


@dataclass(frozen=True)
class Merge:
    """What a merge did: the traces that went in, and what the survivor said before."""

    sources: tuple[str, ...]
    before: "Version"


@dataclass(frozen=True)
class Version:
    """What is known of a fact at one version."""

    change: str
    content: str
    tags: tuple[str, ...] = ()
    expires: datetime | None = None
    live: bool = True
    merged_from: frozenset[str] = frozenset()
    merged_into: str | None = None
    merge: Merge | None = None
    """The last merge that was not undone."""
    outcome: bool = False
    """Whether this version is what that merge made."""
    brought_back: tuple[tuple[str, int], ...] = ()
    """The traces that the unmerge which made this version brought back, and their versions then."""

    def expired(self, now: datetime) -> bool:
        return self.expires is not None and self.expires <= now


@dataclass
class Trace:
    id: str
    count: int = 0
    versions: list[Version] = field(default_factory=list)

    @property
    def now(self) -> Version:
        return self.versions[-1]

    @property
    def last_live(self) -> Version:
        return next(version for version in reversed(self.versions) if version.live)

    def alive(self, now: datetime) -> bool:
        return self.now.live and not self.now.expired(now)

    def push(self, change: str, base: Version | None = None, **changes: Any) -> None:
        """The next version: like ``base``, or else like the current one, but for the changes."""
        self.versions.append(replace(base or self.now, change=change, **{"brought_back": (), **changes}))

    def shown(self) -> dict[str, Any]:
        """The trace as replies show it."""
        ends = self.now.expires and self.now.expires.astimezone(UTC).isoformat().replace("+00:00", "Z")
        return {
            "id": self.id,
            "content": self.now.content,
            "tags": list(self.now.tags),
            "version": len(self.versions),
            "retrievalCount": self.count,
            "expiresAt": ends,
            "mergedFrom": set(self.now.merged_from),
        }

    def history(self) -> list[dict[str, Any]]:
        """The versions as ``memory_history`` tells them, newest first."""
        return [
            {
                "version": number,
                "change": one.change,
                "content": one.content,
                "tags": list(one.tags),
                "mergedFrom": set(one.merged_from),
                "mergedInto": one.merged_into,
            }
            for number, one in reversed(list(enumerate(self.versions, 1)))
        ]


class Traces:
    """One scope's traces by id, the oldest first. Each method changes them as its tool does and says the answer."""

    def __init__(self) -> None:
        self.by_id: dict[str, Trace] = {}

    def alive(self, now: datetime) -> list[Trace]:
        return [trace for trace in self.by_id.values() if trace.alive(now)]

    def saying(self, fact: str, now: datetime) -> list[Trace]:
        """The live traces that say this fact."""
        return [trace for trace in self.alive(now) if same_fact(trace.now.content) == same_fact(fact)]

    def born_as(self, fact: str) -> Trace | None:
        """The first trace that was added with this fact."""
        born = (trace for trace in self.by_id.values() if same_fact(trace.versions[0].content) == same_fact(fact))
        return next(born, None)

    def save(self, name: str, version: Version) -> None:
        """A new fact under the id that the reply gave it: that of a trace that died, or a new one."""
        self.by_id.setdefault(name, Trace(name)).versions.append(version)

    def update(
        self, name: str, content: str | None, tags: list[str] | None, version: int | None, now: datetime
    ) -> Answer:
        trace = self.by_id.get(name)
        if trace is None or not trace.alive(now):
            return NOT_FOUND
        wanted: dict[str, Any] = {
            "content": trace.now.content if content is None else content,
            "tags": trace.now.tags if tags is None else tuple(tags),
        }
        if wanted == {"content": trace.now.content, "tags": trace.now.tags}:
            return {"updated": False, "trace": trace.shown()}
        if version not in (None, len(trace.versions)):
            return CONFLICT
        trace.push("updated", **wanted, outcome=False)
        return {"updated": True, "trace": trace.shown()}

    def delete(self, name: str, version: int | None, now: datetime) -> Answer:
        """Deleted is deleted, however often it is said; what never was, or went into another one, is not."""
        trace = self.by_id.get(name)
        if trace is None or trace.now.expired(now):
            return NOT_FOUND
        if trace.now.merged_into:
            return Refused("not_found", {"mergedInto": trace.now.merged_into})
        if not trace.now.live:
            return {"deleted": False, "id": name}
        if version not in (None, len(trace.versions)):
            return CONFLICT
        trace.push("deleted", live=False, expires=None)
        return {"deleted": True, "id": name}

    def restore(self, name: str, version: int | None, now: datetime) -> Answer:
        trace = self.by_id.get(name)
        if trace is None or trace.now.expired(now):
            return NOT_FOUND
        if trace.now.live and version in (None, len(trace.versions)):
            return {"restored": False, "trace": trace.shown()}
        found = [
            one
            for number, one in enumerate(trace.versions, 1)
            if one.live and not one.expired(now) and version in (None, number)
        ]
        if not found:
            return NOT_FOUND
        earlier = found[-1]
        if trace.now.live and self._as_before(trace.now, earlier):
            return {"restored": False, "trace": trace.shown()}
        merge = (earlier if earlier.outcome else trace.now).merge
        trace.push("restored", earlier, merge=merge, merged_from=trace.now.merged_from)
        return {"restored": True, "trace": trace.shown()}

    @staticmethod
    def _as_before(current: Version, earlier: Version) -> bool:
        """Whether the current version says what the earlier one said, and can be unmerged if that could."""
        same = (current.content, current.tags, current.expires) == (earlier.content, earlier.tags, earlier.expires)
        return same and (current.outcome or not earlier.outcome)

    def inside(self, trace: Trace, survivor: Trace) -> bool:
        """Whether the trace is still merged into the survivor, at once or through others."""
        while trace.now.merged_into:
            trace = self.by_id[trace.now.merged_into]
            if trace is survivor:
                return True
        return False

    def merge(self, names: list[str], content: str | None, now: datetime) -> tuple[Answer, ...]:
        there = [self.by_id[name] for name in names if name in self.by_id]
        live = [trace for trace in there if trace.alive(now)]
        if len(live) == 1:
            return self._merged_before(names, there, live[0], content)
        if not live:
            return (NOT_FOUND,)
        survivor = max(live, key=lambda trace: trace.count)
        sources = [trace for trace in live if trace is not survivor]
        ends = [trace.now.expires for trace in live if trace.now.expires]
        names_of_sources = [trace.id for trace in sources]
        survivor.push(
            "merged",
            content=content if content and content.strip() else " | ".join(trace.now.content for trace in live),
            tags=tuple(dict.fromkeys(tag for trace in live for tag in trace.now.tags)),
            expires=max(ends) if len(ends) == len(live) else None,
            merged_from=frozenset().union(names_of_sources, *(one.now.merged_from for one in live)) - {survivor.id},
            merge=Merge(tuple(names_of_sources), survivor.now),
            outcome=True,
        )
        survivor.count += sum(trace.count for trace in sources)
        for trace in sources:
            trace.push("merged_away", live=False, expires=None, merged_into=survivor.id)
        missing = [name for name in names if name not in {trace.id for trace in live}]
        return (self._merged(survivor, names_of_sources, missing),)

    def _merged_before(
        self, names: list[str], there: list[Trace], survivor: Trace, content: str | None
    ) -> tuple[Answer, ...]:
        """All that can be found is in the survivor already: done, though it may say something else by now."""
        inside = [trace.id for trace in there if self.inside(trace, survivor)]
        if not inside:
            return (NOT_FOUND,)
        done = self._merged(survivor, inside, [name for name in names if name not in {survivor.id, *inside}])
        elsewhere = any(trace.now.merged_into and trace.id not in inside for trace in there)
        open_ = elsewhere or content not in (None, survivor.now.content)
        return (done, NOT_FOUND) if open_ else (done,)

    @staticmethod
    def _merged(survivor: Trace, deleted: list[str], missing: list[str]) -> Answer:
        return {"survivorId": survivor.id, "deletedIds": deleted, "missingIds": missing, "trace": survivor.shown()}

    def unmerge(self, name: str, now: datetime) -> tuple[Answer, ...]:
        """The merge that made the current version is undone; sources that came back by themselves stay as they are.

        Where an unmerge made the current version and no earlier merge is left, the call was sent again: it changes
        nothing and names what that unmerge brought back, as far as nothing has happened to it since.
        """
        trace = self.by_id.get(name)
        if trace is None or not trace.alive(now):
            return (NOT_FOUND,)
        merge = trace.now.merge
        if trace.now.change == "unmerged" and not trace.now.outcome:
            unchanged = [one for one, version in trace.now.brought_back if len(self.by_id[one].versions) == version]
            return ({"restoredIds": unchanged, "trace": trace.shown()},)
        if merge is None:
            return (NOT_FOUND, CONFLICT) if any(one.merge for one in trace.versions) else (NOT_FOUND,)
        if not trace.now.outcome:
            return (CONFLICT,)
        away = [one for one in map(self.by_id.__getitem__, merge.sources) if one.now.merged_into == name]
        back = tuple((source.id, len(source.versions) + 1) for source in away)
        trace.push("unmerged", merge.before, brought_back=back)
        trace.count -= sum(source.count for source in away)
        for source in away:
            source.push("unmerged", source.last_live)
        restored = [source.id for source in away if source.alive(now)]
        return ({"restoredIds": restored, "trace": trace.shown()},)
