"""The indexes of the scopes used last."""

from datetime import UTC, datetime

from memtools.domain.scope import Scope
from memtools.domain.trace import Trace
from memtools.retrieval.index import Index
from memtools.retrieval.segments import RecentSegments

NOW = datetime(2026, 3, 1, tzinfo=UTC)
KEPT = 64


def scope(number: int) -> Scope:
    return Scope("agent", f"user-{number}")


def test_an_index_saved_is_the_one_loaded() -> None:
    segments, index = RecentSegments(), Index()
    segments.save(scope(1), index)
    assert segments.load(scope(1)) is index


def test_another_scope_has_none_of_it() -> None:
    segments = RecentSegments()
    segments.save(Scope("agent", "maria"), Index())
    for other in (Scope("agent", "Maria"), Scope("other", "maria"), Scope("maria", "agent")):
        assert segments.load(other) is None


def test_the_last_index_saved_counts() -> None:
    segments = RecentSegments()
    newer = Index().fold([Trace(id="mt_1", content="tea", created_at=NOW, changed_at=NOW)])
    segments.save(scope(1), Index())
    segments.save(scope(1), newer)
    assert segments.load(scope(1)) is newer


def test_the_scope_used_longest_ago_is_forgotten_first() -> None:
    segments = RecentSegments()
    for number in range(KEPT):
        segments.save(scope(number), Index())
    assert segments.load(scope(0)) is not None
    segments.save(scope(1), Index())
    segments.save(scope(KEPT), Index())
    assert segments.load(scope(2)) is None
    assert all(segments.load(scope(number)) is not None for number in (0, 1, *range(3, KEPT + 1)))


def test_what_is_kept_has_a_bound() -> None:
    segments = RecentSegments()
    for number in range(3 * KEPT):
        segments.save(scope(number), Index())
    assert sum(segments.load(scope(number)) is not None for number in range(3 * KEPT)) == KEPT


def test_two_processes_share_nothing() -> None:
    one, other = RecentSegments(), RecentSegments()
    one.save(scope(1), Index())
    assert other.load(scope(1)) is None
