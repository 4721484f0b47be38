"""memory_add: stores all new facts of a call, or none, and names the traces that already say the known ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from pydantic import Field

from memtools.backend import Backend
from memtools.domain.scope import Scope
from memtools.domain.trace import Stamp, Trace, key_of, require_fitting, spare_id
from memtools.domain.versions import revived
from memtools.domain.writes import writes_since
from memtools.errors import InvalidArguments, Unavailable
from memtools.ports import ConditionFailed, KeyState, StillSays, Write
from memtools.retry import attempts
from memtools.tools.tool import MOMENT, Arguments, MemoryText, Moment, Reply, Tags, Texts, Tool

_FREE = KeyState(None)


class Add(Arguments):
    facts: Texts = Field(
        max_length=100,
        description="The facts to remember. Each is a sentence that makes sense by itself: use names instead of"
        " pronouns and dates instead of 'yesterday'. Up to 100.",
    )
    tags: Tags = Field([], description="Labels for all facts of this call. Searches can filter by them.")
    occurred_at: Moment | None = Field(None, description=f"When it happened, if not now: {MOMENT}.")
    expires_at: Moment | None = Field(
        None, description=f"When to forget the facts, if ever: {MOMENT}. It must be in the future."
    )


class Added(Reply):
    changes = True
    shortens = ("duplicates", "saved")
    left_out_note = (
        "The change was made. {count} entries of this reply were left out because it would be too large. memory_list"
        " and memory_search show the memories."
    )

    message: str
    saved: list[MemoryText] = Field(description="The facts stored by this call.")
    duplicates: list[MemoryText] = Field(description="For facts that were already known, the memories that have them.")


def run(backend: Backend, scope: Scope, arguments: Add) -> Added:
    """Store the facts. Blank ones are dropped; the same fact twice in a call counts once."""
    stamp = backend.stamp()
    contents = [fact for fact in arguments.facts if fact.strip()]
    if arguments.expires_at is not None and arguments.expires_at <= stamp.now:
        raise InvalidArguments("`expiresAt` must be in the future.", argument="expiresAt")
    if not contents:
        return Added(message="Nothing to save.", saved=[], duplicates=[])
    require_fitting(contents, argument="facts")
    facts, repeats = _births(backend, scope, arguments, contents, stamp)
    _commit(backend, scope, facts, stamp)
    saved = {key for key, fact in facts.items() if isinstance(fact.step, Write)}
    known = [key for key in (*(key for key in facts if key not in saved), *repeats) if facts[key].step]
    return Added(
        message=f"Saved {len(saved)} fact(s) to memory.",
        saved=[fact.claimant() for key, fact in facts.items() if key in saved],
        duplicates=[facts[key].claimant() for key in known],
    )


@dataclass(slots=True)
class _Fact:
    """A fact to add: the state of its key as far as known, and what a commit must do for it.

    ``step`` is a write, a condition, or the trace that says the fact already.
    """

    birth: Trace
    key_state: KeyState = _FREE
    refuted: tuple[str, ...] = ()
    spare: str | None = None
    step: Write | StillSays | Trace | None = None

    def settle(self, stamp: Stamp) -> None:
        """Decide from the state of the key what a commit must do for this fact.

        - No trace: create one.
        - A live trace that says this fact: the fact is known.
        - A claim by another trace: the fact is known, on condition that this trace still says it.
        - A dead trace: revive it.
        - A trace that says something else now: create one with a spare id.
        """
        existing, claimed_by = self.key_state.trace, self.key_state.claimed_by
        likely = [name for name in claimed_by if name not in self.refuted]
        if existing and existing.alive(stamp.now) and existing.says(self.birth.content):
            self.step = existing
        elif likely:
            self.step = StillSays(likely[0], self.birth.content)
        elif existing is None:
            self.step = Write(None, self.birth, claimed_by=claimed_by)
        elif not existing.alive(stamp.now):
            self.step = Write(existing, revived(existing, self.birth, stamp))
        else:
            spare = replace(self.birth, id=self.spare or spare_id(self.birth.id, stamp))
            self.step = Write(None, spare, claimed_by=claimed_by)

    def learn(self, found: Mapping[str, KeyState], stamp: Stamp) -> None:
        """Learn from a failed commit that a claim is false, or that the key is in another state.

        A claimant that was found may have failed the condition of another fact only.
        """
        if isinstance(self.step, StillSays) and self.step.id in found:
            claimant = found[self.step.id].trace
            if claimant is None or not (claimant.alive(stamp.now) and claimant.says(self.birth.content)):
                self.refuted = (*self.refuted, self.step.id)
        elif self.birth.id in found:
            self.key_state, self.refuted = found[self.birth.id], ()
        elif isinstance(self.step, Write) and found.get(self.step.after.id, _FREE).trace:
            # This call was made before, so long ago that nothing names it.
            self.spare = spare_id(self.step.after.id, stamp)

    def recall(self, state: KeyState, mine: Trace | None, stamp: Stamp) -> None:
        """Set the step of a call that was made before: it saved the fact as ``mine``, or else it was known then.

        Who had a known fact then is not kept, so the reply names who has it or had it last, if anybody.
        """
        existing = state.trace
        if mine:
            self.step = Write(None, replace(self.birth, id=mine.id))
        elif state.claimed_by and not (existing and existing.alive(stamp.now) and existing.says(self.birth.content)):
            self.step = StillSays(state.claimed_by[0], self.birth.content)
        else:
            self.step = existing

    def claimant(self) -> MemoryText:
        """The memory that says this fact. Call ``settle`` first."""
        step = self.step.after if isinstance(self.step, Write) else self.step
        assert step is not None
        return MemoryText(id=step.id, content=step.content)


def _births(
    backend: Backend, scope: Scope, arguments: Add, contents: Sequence[str], stamp: Stamp
) -> tuple[dict[str, _Fact], list[str]]:
    """The call's distinct facts by key, and the keys of repeated ones.

    Each fact is created a microsecond after the one before, which keeps their order.
    """
    keys = [key_of(scope, content) for content in contents]
    distinct: dict[str, str] = {}
    for key, content in zip(keys, contents, strict=True):
        distinct.setdefault(key, content)
    embeddings = backend.embedder.embed(list(distinct.values()))
    facts = {}
    for place, (key, content) in enumerate(distinct.items()):
        moment = stamp.now + timedelta(microseconds=place)
        facts[key] = _Fact(
            Trace(
                id=key,
                content=content,
                tags=tuple(arguments.tags),
                created_at=moment,
                changed_at=moment,
                occurred_at=arguments.occurred_at,
                expires_at=arguments.expires_at,
                embedding=embeddings[place],
                writes=(stamp.write,),
            )
        )
    repeats = [key for place, key in enumerate(keys) if key in keys[:place]]
    return facts, repeats


def _commit(backend: Backend, scope: Scope, facts: dict[str, _Fact], stamp: Stamp) -> None:
    """Write the new facts. The first commit assumes that all are new; a failed one returns what exists."""
    for _ in attempts():
        for fact in facts.values():
            fact.settle(stamp)
        writes = [fact.step for fact in facts.values() if isinstance(fact.step, Write)]
        conditions = [fact.step for fact in facts.values() if isinstance(fact.step, StillSays)]
        if not writes and not conditions:
            return
        try:
            backend.traces.commit(scope, stamp, writes, conditions)
        except ConditionFailed as failed:
            if _done_before(backend, scope, facts, failed.found, stamp):
                return
            for fact in facts.values():
                fact.learn(failed.found, stamp)
        else:
            return
    raise Unavailable("Too many other calls are writing the same facts right now. Send the call again.")


def _done_before(
    backend: Backend, scope: Scope, facts: Mapping[str, _Fact], found: Mapping[str, KeyState], stamp: Stamp
) -> bool:
    """Whether this same call was made before. Then each fact has the step of that time.

    All facts were written at once, so one that names this write speaks for all. It may have been deleted since, or say
    something else: it is neither saved again nor brought back.
    """
    traces = {state.trace.id: state.trace for state in found.values() if state.trace}
    spares = {key: spare_id(key, stamp) for key in facts}
    hidden = [spares[key] for key in facts if key in found and _may_hide(found[key], spares[key], stamp)]
    if stamp.keyed and hidden:
        traces |= backend.traces.get(scope, hidden)
    mine = {name: trace for name, trace in traces.items() if writes_since(stamp.write, trace.writes) is not None}
    for key, fact in facts.items() if mine else ():
        fact.recall(found.get(key, fact.key_state), mine.get(key) or mine.get(spares[key]), stamp)
    return bool(mine)


def _may_hide(state: KeyState, spare: str, stamp: Stamp) -> bool:
    """Whether this call may have saved the fact under its spare id: that one claims the text, or did.

    If the key's trace is dead by now, it did only if that trace was changed while it lived.
    """
    trace = state.trace
    changed = trace is not None and not trace.alive(stamp.now) and trace.version - int(not trace.live) > 1
    return spare in state.claimed_by or changed


TOOL = Tool(
    name="memory_add",
    title="Remember facts",
    only_adds=True,
    function="add",
    description="Remember new facts about the user or your work with them. Call it as soon as you learn something"
    " worth knowing in a later conversation. It stores all facts of a call, or none. A fact that is already known is"
    " not stored again but listed under `duplicates`, so repeating a call does no harm. It never changes or replaces a"
    " memory.",
    arguments=Add,
    reply=Added,
    run=run,
)
