"""What one client asks for: all tools, mixed, about its own memory and about one that it shares with all others.

Nothing is asked for that has to be refused, but for changes of versions that another client may have replaced: of the
facts and of the document that all share. A fact is deleted, restored, merged and unmerged by the client that added it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from tests.races.workers import Call, Told

EVERYBODY: Final = "everybody"
SHARED_FACTS: Final = 2  # few, so that clients meet at them
MIX: Final[Mapping[str, int]] = {
    "search": 26,
    "add": 14,
    "update": 16,
    "edit": 16,
    "list": 6,
    "read": 6,
    "delete": 5,
    "history": 4,
    "restore": 4,
    "merge": 5,
    "unmerge": 4,
    "duplicates": 2,
}
_WORDS: Final = ("harbour", "walnut", "oboe", "violet", "ladder", "comet", "saddle", "lentil", "marble", "willow")
_ENTRIES: Final = 8  # of one client in a document, so that it stays far from its limit
_EDITS: Final = 100  # of one client in a document: S3 lists up to a thousand versions at once
_MAY_BE_STALE: Final = 0.3


@dataclass
class Place:
    """A user's memory, as far as the client knows it: what it may change, and the versions that it saw last."""

    user: str
    shared: dict[str, int] = field(default_factory=dict)
    mine: set[str] = field(default_factory=set)
    deleted: set[str] = field(default_factory=set)
    merged: dict[str, list[str]] = field(default_factory=dict)
    entries: list[str] = field(default_factory=list)
    document: str = ""
    undoable: int = 0
    """So many changes of the document can be undone."""
    edits: int = 0


@dataclass(frozen=True)
class Step:
    """A call in the memory of one user."""

    place: Place
    call: Call


class Course:
    """The calls of one client, each made up when the one before was answered."""

    def __init__(self, number: int, seed: int, shared: Sequence[str]) -> None:
        self._random = Random(f"{seed} {number}")
        self._name = f"c{number:02}"
        self._count = 0
        self._own = Place(f"client {number}")
        self._common = Place(EVERYBODY, shared=dict.fromkeys(shared, 1))

    def steps(self) -> Iterator[Step]:
        """Without end. ``learn`` what a call was told before you take the next one."""
        while True:
            place = self._random.choice([self._own, self._common, self._common])
            (tool,) = self._random.choices([*MIX], [*MIX.values()])
            mark = f"{self._name}n{self._count:05}"
            if arguments := getattr(self, f"_{tool}")(place, mark):
                self._count += 1
                yield Step(place, Call(tool, arguments, mark if mark in str(arguments) else ""))

    # What to ask for; nothing where there is nothing yet to ask about.

    def _add(self, _: Place, mark: str) -> dict[str, Any]:
        facts = [f"{self._word()} and {self._word()} as of {mark}x{one}" for one in range(self._random.randint(1, 3))]
        everybody_knows = [f"everybody knows the {self._word()}"]
        return {"facts": facts + everybody_knows * self._chance(0.2), "tags": [mark]}

    def _search(self, _: Place, __: str) -> dict[str, Any]:
        return {"query": f"what about the {self._word()} and the {self._word()}?", "limit": self._random.randint(1, 10)}

    def _list(self, _: Place, __: str) -> dict[str, Any]:
        return {"limit": self._random.randint(1, 20)}

    def _read(self, _: Place, __: str) -> dict[str, Any]:
        return {"target": self._random.choice(["soul", "self", "user"])}

    def _duplicates(self, _: Place, __: str) -> dict[str, Any]:
        return {"limit": 3}

    def _history(self, place: Place, __: str) -> dict[str, Any]:
        return {"trace_id": self._one(place.mine)} if place.mine else {"target": "self", "limit": 5}

    def _update(self, place: Place, mark: str) -> dict[str, Any]:
        if place.shared and self._chance(0.5):
            name = self._one(place.shared)
            seen = {"version": place.shared[name]} if self._chance(0.5) else {}
            return {"trace_id": name, "content": f"{self._word()} as of {mark}", **seen}
        return {"trace_id": self._one(place.mine), "content": f"{self._word()} as of {mark}"} if place.mine else {}

    def _delete(self, place: Place, mark: str) -> dict[str, Any]:
        return {"trace_id": self._one(place.mine), "reason": mark} if place.mine else {}

    def _restore(self, place: Place, __: str) -> dict[str, Any]:
        return {"trace_id": self._one(place.deleted)} if place.deleted else {}

    def _merge(self, place: Place, mark: str) -> dict[str, Any]:
        if len(place.mine) < 2:
            return {}
        return {"trace_ids": self._random.sample(sorted(place.mine), 2), "merged_content": f"merged as of {mark}"}

    def _unmerge(self, place: Place, __: str) -> dict[str, Any]:
        return {"survivor_id": self._one(place.merged)} if place.merged else {}

    def _edit(self, place: Place, mark: str) -> dict[str, Any]:
        if place.edits == _EDITS:
            return {}
        place.edits += 1
        if place is self._own and place.undoable and self._chance(0.2):
            return {"action": "undo"}
        kinds = ["add"] if len(place.entries) < _ENTRIES else []
        kind = self._random.choice([*kinds, *["replace", "remove"] * bool(place.entries)])
        given: dict[str, Any] = {"action": kind}
        if kind != "add":
            given["text"] = self._random.choice(place.entries)
        given |= {"replace": {"with_": f"note {mark}"}, "add": {"text": f"note {mark}"}}.get(kind, {})
        # Of a removal that was refused, and made by the same client's next call, nobody could tell which one it was.
        if kind != "remove" and place.document and self._chance(_MAY_BE_STALE):
            given["version"] = place.document
        return given

    def _word(self) -> str:
        return self._random.choice(_WORDS)

    def _one(self, known: Iterable[str]) -> str:
        return self._random.choice(sorted(known))

    def _chance(self, share: float) -> bool:
        return self._random.random() < share

    # What is known after an answer.

    def learn(self, place: Place, told: Told) -> None:
        """Take what the call was told for what is so."""
        if told.reply is None:
            self._learn_of_conflict(place, told)
        elif learn := getattr(self, f"_learn_of_{told.call.tool}", None):
            learn(place, told.call.arguments, told.reply)

    def _learn_of_conflict(self, place: Place, told: Told) -> None:
        if told.call.tool == "edit":
            self._learn_of_text(place, told.details["version"], told.details["text"])
        elif told.call.tool == "update":
            place.shared[told.details["id"]] = told.details["version"]

    def _learn_of_add(self, place: Place, _: Any, reply: Mapping[str, Any]) -> None:
        place.mine |= {one["id"] for one in reply["saved"] if self._name in one["content"]}

    def _learn_of_update(self, place: Place, given: Mapping[str, Any], reply: Mapping[str, Any]) -> None:
        if given["trace_id"] in place.shared:
            place.shared[given["trace_id"]] = reply["trace"]["version"]

    def _learn_of_search(self, place: Place, _: Any, reply: Mapping[str, Any]) -> None:
        place.shared |= {one["id"]: one["version"] for one in reply["results"] if one["id"] in place.shared}

    def _learn_of_delete(self, place: Place, given: Mapping[str, Any], _: Any) -> None:
        place.mine.remove(given["trace_id"])
        place.deleted.add(given["trace_id"])

    def _learn_of_restore(self, place: Place, given: Mapping[str, Any], _: Any) -> None:
        place.deleted.remove(given["trace_id"])
        place.mine.add(given["trace_id"])

    def _learn_of_merge(self, place: Place, given: Mapping[str, Any], reply: Mapping[str, Any]) -> None:
        place.mine -= set(given["trace_ids"])
        place.merged[reply["trace"]["id"]] = given["trace_ids"]

    def _learn_of_unmerge(self, place: Place, given: Mapping[str, Any], _: Any) -> None:
        place.mine |= set(place.merged.pop(given["survivor_id"]))

    def _learn_of_edit(self, place: Place, given: Mapping[str, Any], reply: Mapping[str, Any]) -> None:
        self._learn_of_text(place, reply["version"], reply["text"])
        if reply["changed"]:
            place.undoable += -1 if given["action"] == "undo" else 1

    def _learn_of_text(self, place: Place, version: str, text: str) -> None:
        place.document = version
        place.entries = [line.removeprefix("- ") for line in text.splitlines() if f"note {self._name}" in line]
