"""The segments of the scopes used last."""

from datetime import UTC, datetime

from memtools.domain.scope import Scope
from memtools.domain.trace import Trace
from memtools.retrieval.index import Index
from memtools.retrieval.segments import RecentSegments, Segment

NOW = datetime(2026, 3, 1, tzinfo=UTC)
KEPT = 64
EMPTY = Segment(Index(), NOW)


def scope(number: int) -> Scope:
    return Scope("agent", f"user-{number}")


def test_a_segment_saved_is_the_one_loaded() -> None:
    segments = RecentSegments()
    segments.save(scope(1), EMPTY)
    assert segments.load(scope(1)) is EMPTY


def test_another_scope_has_none_of_it() -> None:
    segments = RecentSegments()
    segments.save(Scope("agent", "maria"), EMPTY)
    for other in (Scope("agent", "Maria"), Scope("other", "maria"), Scope("maria", "agent")):
        assert segments.load(other) is None


def test_the_last_segment_saved_counts() -> None:
    segments = RecentSegments()
    newer = Segment(Index().fold([Trace(id="mt_1", content="tea", created_at=NOW, changed_at=NOW)]), NOW)
    segments.save(scope(1), EMPTY)
    segments.save(scope(1), newer)
    assert segments.load(scope(1)) is newer


def test_the_scope_used_longest_ago_is_forgotten_first() -> None:
    segments = RecentSegments()
    for number in range(KEPT):
        segments.save(scope(number), EMPTY)
    assert segments.load(scope(0)) is not None
    segments.save(scope(1), EMPTY)
    segments.save(scope(KEPT), EMPTY)
    assert segments.load(scope(2)) is None
    assert all(segments.load(scope(number)) is not None for number in (0, 1, *range(3, KEPT + 1)))


def test_what_is_kept_has_a_bound() -> None:
    segments = RecentSegments()
    for number in range(3 * KEPT):
        segments.save(scope(number), EMPTY)
    assert sum(segments.load(scope(number)) is not None for number in range(3 * KEPT)) == KEPT


def test_two_processes_share_nothing() -> None:
    one, other = RecentSegments(), RecentSegments()
    one.save(scope(1), EMPTY)
    assert other.load(scope(1)) is None
