"""Nothing derived from a memory is written, or used, after the memory was erased."""

import pytest
from memtools.adapters.archive.deployed import DeployedArchive
from memtools.adapters.archive.stores import Stores
from memtools.adapters.segments import segment_key
from memtools.backend import Backend
from memtools.domain.scope import Scope
from memtools.freshness import indexes
from memtools_cli import erasing
from memtools_cli.receipt import receipt_of

from local.template import Template
from tests.calls import Caller
from tests.cli.worlds import client
from tests.fakes import FakeClock
from tests.memories import over_adapters


@pytest.fixture
def world(
    moto: Template, moto_memory: Backend, monkeypatch: pytest.MonkeyPatch, tmp_path: object, clock: FakeClock
) -> "World":
    monkeypatch.setattr(indexes, "FEW", 4)
    monkeypatch.chdir(str(tmp_path))
    return World(moto, clock)


class World:
    """Processes over one store, and the operator who erases a scope of it."""

    def __init__(self, template: Template, clock: FakeClock) -> None:
        self.names, self.clock = template.environment, clock

    def process(self) -> Backend:
        return over_adapters(client("dynamodb"), client("s3"), self.names, self.clock.now)

    def erase(self, scope: Scope) -> None:
        stores = Stores(
            client("dynamodb"), client("s3"), self.names["TABLE_NAME"], self.names["BUCKET_NAME"], self.clock.now
        )
        archive = DeployedArchive(stores)
        receipt = receipt_of(archive, scope, None)
        erasing.erase(archive, scope, receipt, lambda _: None)
        assert receipt.verified

    def remove_marker(self, scope: Scope) -> None:
        """As the bucket does after a day."""
        s3, place = client("s3"), {"Bucket": self.names["BUCKET_NAME"], "Key": segment_key(scope)}
        for one in s3.list_object_versions(Bucket=place["Bucket"], Prefix=place["Key"])["Versions"]:
            s3.delete_object(**place, VersionId=one["VersionId"])

    def stored_bytes(self) -> bytes:
        """All versions of all objects."""
        s3, bucket = client("s3"), self.names["BUCKET_NAME"]
        versions = s3.list_object_versions(Bucket=bucket).get("Versions", [])
        return b"".join(
            s3.get_object(Bucket=bucket, Key=one["Key"], VersionId=one["VersionId"])["Body"].read() for one in versions
        )


FACTS = [f"marzipan {letter * 5}" for letter in "abcdefghij"]


@pytest.mark.parametrize("has_segment", [False, True])
def test_a_search_about_to_save_a_segment_when_its_memory_is_erased(
    world: World, scope: Scope, monkeypatch: pytest.MonkeyPatch, has_segment: bool
) -> None:
    """FAULTS B2: it answers, and its segment is not stored."""
    memory = world.process()
    ana = Caller(memory, scope)
    ana.remember(*FACTS)
    if has_segment:
        assert ana.contents("marzipan", limit=100)
        assert b"marzipan" in world.stored_bytes()
        ana.remember(*(f"marzipan {number} more" for number in range(10)))
        memory = world.process()
    save = memory.segments.save

    def erased_first(of: Scope, data: bytes, replaces: str | None) -> str:
        world.erase(of)
        return save(of, data, replaces)

    monkeypatch.setattr(memory.segments, "save", erased_first, raising=False)
    assert Caller(memory, scope).contents("marzipan", limit=100)
    assert b"marzipan" not in world.stored_bytes()
    assert Caller(world.process(), scope).contents("marzipan") == []


@pytest.mark.parametrize("was_read_by_segment", [False, True])
def test_a_process_that_knew_an_erased_memory_forgets_it(world: World, scope: Scope, was_read_by_segment: bool) -> None:
    """It finds nothing of it, and the segment that it writes later has nothing of it. Facts added again are found."""
    warm = Caller(world.process(), scope)
    warm.remember(*FACTS[:10] if was_read_by_segment else FACTS[:3])
    assert warm.contents("marzipan", limit=100)
    world.erase(scope)
    other = Caller(world.process(), scope)
    other.remember(FACTS[0], *(f"nougat {number} new" for number in range(12)))
    assert [one for one in warm.contents("marzipan", limit=100) if "marzipan" in one] == [FACTS[0]]
    assert len(warm.contents("nougat", limit=100)) == 12
    assert len(other.all()) == len(warm.all()) == 13
    assert FACTS[1].split()[1].encode() not in world.stored_bytes()


def test_a_segment_that_is_saved_after_an_erasure_has_nothing_of_before(world: World, scope: Scope) -> None:
    """A warm process saves one although it never asked for what was erased, and the marker is gone."""
    warm = Caller(world.process(), scope)
    warm.remember("saffron")
    assert warm.all() == ["saffron"]
    world.erase(scope)
    world.remove_marker(scope)
    Caller(world.process(), scope).remember(*(f"almond {letter * 5}" for letter in "abcdefghij"))
    assert len(warm.contents("almond", limit=100)) == 10
    assert b"almond" in world.stored_bytes()
    assert b"saffron" not in world.stored_bytes()


def test_no_two_erasures_leave_the_same_marker(world: World, scope: Scope) -> None:
    """A save whose condition names the first one fails after the second."""
    memory, tags = world.process(), set()
    for _ in range(2):
        world.erase(scope)
        stored = memory.segments.load(scope)
        assert stored is not None
        tags.add(stored.tag)
    assert len(tags) == 2


def test_an_erased_memory_can_be_erased_again_and_used_again(world: World, scope: Scope) -> None:
    """What an erasure leaves is no part of the memory: no list, export or erasure counts it."""
    ana = Caller(world.process(), scope)
    for _ in range(3):
        ana.remember(*FACTS)
        assert len(ana.contents("marzipan", limit=100)) == 10
        world.erase(scope)
        assert ana.contents("marzipan") == ana.all() == []
