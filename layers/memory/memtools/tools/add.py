"""memory_add: all new facts of a call or none, each known fact by the trace that condition it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from memtools.catalogue import arguments, replies
from memtools.domain.scope import Scope
from memtools.domain.trace import Stamp, Trace, key_of, require_fitting, spare_id
from memtools.domain.versions import revived
from memtools.errors import InvalidArguments, Unavailable
from memtools.ports import ConditionFailed, KeyState, StillSays, Write
from memtools.retry import attempts
from memtools.tools.backend import Backend

_NOTHING = KeyState(None)


@dataclass(slots=True)
class _Fact:
    """A fact on its way in, with what is known to stand at its key and how that settles it."""

    birth: Trace
    key_state: KeyState = _NOTHING
    denied: tuple[str, ...] = ()
    write: Write | None = None
    condition: StillSays | None = None
    known: Trace | None = None

    def settle(self, stamp: Stamp) -> None:
        """Decide what a commit has to do for this fact, from what stands at its key.

        Nothing there: it is born. The same fact, alive: known. Somebody else is said to hold it: known, if that proves
        true. A dead trace: it lives again. A trace that says something else by now: born under a spare id.
        """
        standing = self.key_state.trace
        likely = [name for name in self.key_state.claimed_by if name not in self.denied]
        self.write = self.condition = self.known = None
        if standing and standing.alive(stamp.now) and standing.says(self.birth.content):
            self.known = standing
        elif likely:
            self.condition = StillSays(likely[0], self.birth.content)
        elif standing is None:
            self.write = Write(None, self.birth, claimed_by=self.key_state.claimed_by)
        elif not standing.alive(stamp.now):
            self.write = Write(standing, revived(standing, self.birth, stamp))
        else:
            spare = replace(self.birth, id=spare_id(self.birth.id, stamp))
            self.write = Write(None, spare, claimed_by=self.key_state.claimed_by)

    def learn(self, found: Mapping[str, KeyState], stamp: Stamp) -> None:
        """Take in what a commit found in the way of this fact: a holder that does not hold it, or another occupant.

        What was found at a holder may have been in the way of another fact only.
        """
        if self.condition and self.condition.id in found:
            holder = found[self.condition.id].trace
            if holder is None or not (holder.alive(stamp.now) and holder.says(self.birth.content)):
                self.denied = (*self.denied, self.condition.id)
        elif self.birth.id in found:
            self.key_state, self.denied = found[self.birth.id], ()


def memory_add(backend: Backend, scope: Scope, given: arguments.Add) -> replies.Added:
    """Store the facts. Blank ones are dropped; the same fact twice in a call counts once."""
    stamp = backend.stamp()
    contents = [fact for fact in given.facts if fact.strip()]
    _require_future(given.expires_at, stamp.now)
    if not contents:
        return replies.Added(message="Nothing to save.", saved=[], duplicates=[])
    require_fitting(contents, argument="facts")
    facts, repeats = _births(backend, scope, given, contents, stamp)
    _commit(backend, scope, facts, stamp)
    saved = [fact.write.after for fact in facts.values() if fact.write]
    known = {key: _holder(fact) for key, fact in facts.items()}
    return replies.Added(
        message=f"Saved {len(saved)} fact(s) to memory.",
        saved=[replies.Named(id=trace.id, content=trace.content) for trace in saved],
        duplicates=[known[key] for key, fact in facts.items() if not fact.write] + [known[key] for key in repeats],
    )


def _require_future(moment: datetime | None, now: datetime) -> None:
    if moment is not None and moment <= now:
        raise InvalidArguments("`expiresAt` has to be in the future.", argument="expiresAt")


def _births(
    backend: Backend, scope: Scope, given: arguments.Add, contents: Sequence[str], stamp: Stamp
) -> tuple[dict[str, _Fact], list[str]]:
    """The call's distinct facts by key, and the keys of those that it repeats.

    Each fact is a microsecond younger than the one before, so that their order is kept.
    """
    keys = [key_of(scope, content) for content in contents]
    distinct: dict[str, str] = {}
    for key, content in zip(keys, contents, strict=True):
        distinct.setdefault(key, content)
    embeddings = backend.embed(list(distinct.values()))
    facts = {}
    for place, (key, content) in enumerate(distinct.items()):
        moment = stamp.now + timedelta(microseconds=place)
        facts[key] = _Fact(
            Trace(
                id=key,
                content=content,
                tags=tuple(given.tags),
                created_at=moment,
                changed_at=moment,
                occurred_at=given.occurred_at,
                expires_at=given.expires_at,
                embedding=embeddings[place],
                writes=(stamp.write,),
            )
        )
    repeats = [key for place, key in enumerate(keys) if key in keys[:place]]
    return facts, repeats


def _commit(backend: Backend, scope: Scope, facts: dict[str, _Fact], stamp: Stamp) -> None:
    """Write what is new. Optimistic: the first commit takes every fact for new, and learns from what it meets."""
    for _ in attempts():
        for fact in facts.values():
            fact.settle(stamp)
        writes = [fact.write for fact in facts.values() if fact.write]
        conditions = [fact.condition for fact in facts.values() if fact.condition]
        if not writes and not conditions:
            return
        try:
            backend.traces.commit(scope, stamp, writes, conditions)
        except ConditionFailed as failed:
            for fact in facts.values():
                fact.learn(failed.found, stamp)
        else:
            return
    raise Unavailable("Too many others write the same facts at this moment; nothing was saved. Send the call again.")


def _holder(fact: _Fact) -> replies.Named:
    if fact.condition:
        return replies.Named(id=fact.condition.id, content=fact.birth.content)
    trace = fact.write.after if fact.write else fact.known
    assert trace is not None
    return replies.Named(id=trace.id, content=trace.content)
