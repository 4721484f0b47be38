"""Random lives of two users' documents against a plain model: every answer, and all documents after every step."""

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from memtools.backend import Backend
from memtools.domain.scope import Scope

from tests.calls import Caller
from tests.fakes import FakeClock
from tests.model.answers import Make, Refused, agree, answer, check
from tests.model.documents import Document, Edit


@dataclass(frozen=True)
class Sent:
    """A call with a key that changed a document: what it answered, and how many versions there were after it."""

    place: tuple[int, str]
    caller: Caller
    arguments: dict[str, Any]
    told: dict[str, Any]
    versions: int


FILES = {"user": "USER.md", "self": "MEMORY.md"}  # in the order in which the soul has them
NOTES = ["tea", "te", "coffee", "tea and coffee", r"$1 \1 (.*)", "aa", "東京", "- tea", "x" * 9000, "y" * 9000]
notes = st.sampled_from([*NOTES, "two\nlines"])
parts = st.integers(0, 3) | st.sampled_from(["tea", "a", " and ", r"\1"])  # an entry by its number, or some text
places = st.sampled_from([(0, "self"), (0, "self"), (0, "user"), (1, "self")])
versions = st.sampled_from(["none", "current", "stale"])


class Life(RuleBasedStateMachine):
    make: Make
    numbers = iter(range(10**9))

    @initialize()
    def start(self) -> None:
        memory, _ = type(self).make()
        agent = f"documents-{type(self).__name__}-{next(self.numbers)}"
        self.callers = [Caller(memory, Scope(agent, user)) for user in ("u1", "u10")]
        self.documents = {(who, target): Document() for who in (0, 1) for target in FILES}
        self.versions: dict[tuple[int, str], list[str]] = {place: [] for place in self.documents}
        self.sent: list[Sent] = []
        self.souls: dict[tuple[int, str], str] = {}
        for place in self.documents:
            for note in ("milk", "water"):
                self.edit(place, Edit("add", note), "none")

    def edit(self, place: tuple[int, str], edit: Edit, version: str) -> None:
        """Every other call has a key."""
        document, told_before = self.documents[place], self.versions[place]
        choices: dict[str, list[Any]] = {"none": [None], "current": told_before[-1:], "stale": told_before[-2:-1]}
        named = choices[version]
        if not named:
            return
        arguments = {"action": edit.action, "text": edit.text, "with_": edit.new, "version": named[0]}
        number = next(self.numbers)
        caller = self.callers[place[0]]
        caller = caller.keyed(f"key-{number}") if number % 2 else caller
        told = answer(lambda: caller.edit(target=place[1], **arguments))
        agree(told, *document.answers(edit, stale=version == "stale", exact=version != "none"))
        if isinstance(told, dict):
            before = len(told_before)
            self.written(place, edit, told)
            if len(told_before) > before and caller.key:
                self.sent.append(Sent(place, caller, arguments, told, len(told_before)))

    def text_of(self, place: tuple[int, str], part: str | int) -> str:
        entries = self.documents[place].entries()[::-1] or ["nowhere"]
        return part if isinstance(part, str) else entries[part % len(entries)]

    def written(self, place: tuple[int, str], edit: Edit, told: dict[str, Any]) -> None:
        document, told_before = self.documents[place], self.versions[place]
        assert FILES[place[1]] in told["message"]
        if told["text"] == document.text:
            assert told["version"] in told_before[-1:] or not told_before
        else:
            assert told["message"].startswith(f"ok ({edit.action} → {FILES[place[1]]}")
            assert (edit.action == "undo") == ("undone" in told)
            assert told["version"] not in told_before
            told_before.append(told["version"])
            document.write(edit, told["text"])

    @rule(place=places, text=notes, version=versions)
    def add(self, place: tuple[int, str], text: str, version: str) -> None:
        self.edit(place, Edit("add", text), version)

    @rule(place=places, part=parts, new=st.sampled_from(NOTES), version=versions)
    def replace(self, place: tuple[int, str], part: str | int, new: str, version: str) -> None:
        self.edit(place, Edit("replace", self.text_of(place, part), new), version)

    @rule(place=places, part=parts, version=versions)
    def remove(self, place: tuple[int, str], part: str | int, version: str) -> None:
        self.edit(place, Edit("remove", self.text_of(place, part)), version)

    @rule(place=places, version=versions, steps=st.integers(1, 3))
    def undo(self, place: tuple[int, str], version: str, steps: int) -> None:
        for _ in range(steps):
            self.edit(place, Edit("undo"), version)

    @rule(pick=st.integers(0, 30), other=st.booleans())
    def send_again(self, pick: int, other: bool) -> None:
        """A call with a key, sent again after up to 20 writes of others: nothing changes, the answer is the same."""
        known = [one for one in self.sent if len(self.versions[one.place]) - one.versions <= 20]
        if not known:
            return
        one = known[pick % len(known)]
        arguments = {**one.arguments, **({"version": "other"} if other else {})}
        told = answer(lambda: one.caller.edit(target=one.place[1], **arguments))
        agree(told, Refused("invalid_arguments") if other else one.told)

    @invariant()
    def all_is_as_the_model_says(self) -> None:
        for (who, target), document in getattr(self, "documents", {}).items():
            told = self.callers[who].read(target=target)
            assert told["text"] == document.text
            assert told["version"] in (self.versions[who, target][-1:] or [told["version"]])
            assert told["found"] == [FILES[target]] or not document.text
            history = self.callers[who].history(target=target, limit=100)["versions"]
            assert [(one["change"], one["content"]) for one in history] == document.written[::-1]
            assert [one["version"] for one in history] == self.versions[who, target][::-1]

    @invariant()
    def the_soul_is_both(self) -> None:
        for who, caller in enumerate(getattr(self, "callers", [])):
            there = {FILES[target]: self.documents[who, target].text for target in FILES}
            told = caller.read()
            sections = "\n\n".join(f"## {name}\n\n{text.strip()}" for name, text in there.items() if text)
            if all(there[name] for name in told["found"]):
                assert told["text"] == sections
            assert [name for name in told["found"] if there[name]] == [name for name, text in there.items() if text]
            assert self.souls.setdefault((who, told["version"]), told["text"]) == told["text"]


def test_documents_live_as_the_model_says_on_the_fakes(new_fake_memory: Make) -> None:
    check(Life, new_fake_memory, examples=30, steps=30)


def test_documents_live_as_the_model_says_on_strict_moto(strict_memory: Backend, clock: FakeClock) -> None:
    check(Life, lambda: (strict_memory, clock), examples=2, steps=10)
