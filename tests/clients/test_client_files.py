"""The files behind the memory tool, without its SDK: texts, paths, and notes whose writes are lost or raced."""

import io
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

import pytest
from botocore.exceptions import ClientError
from hypothesis import assume, example, given
from hypothesis import strategies as st
from memtools.domain.scope import Scope
from memtools_client import MemoryClient, Retries, Unavailable, Unscoped
from memtools_client.files.commands import MemoryFiles
from memtools_client.files.documents import Documents
from memtools_client.files.notes import LIMIT, Notes
from memtools_client.files.paths import parse
from memtools_client.files.store import ConditionFailed, File, Refused
from memtools_client.files.text import inserted, replaced
from memtools_client.retries import RACES

_PIECES = st.sampled_from(["a", "a", "b", "\n", "\r\n"])
_TEXTS = st.lists(_PIECES, max_size=12).map("".join)
_SHORT_TEXTS = st.lists(_PIECES, max_size=3).map("".join)


@given(_TEXTS, _SHORT_TEXTS, _SHORT_TEXTS)
@example("aaa", "aa", "b")
def test_replacing_changes_one_occurrence_and_nothing_else(text: str, old: str, new: str) -> None:
    """A text that occurs never or several times, overlaps counted, is refused."""
    starts = [start for start in range(len(text)) if old and text.startswith(old, start)]
    assume(starts or "\r\n" not in text)
    if len(starts) != 1:
        with pytest.raises(Refused, match="Multiple" if starts else "verbatim|empty"):
            replaced(text, old, new, path="x")
        return
    changed, _ = replaced(text, old, new, path="x")
    before, after = text[: starts[0]], text[starts[0] + len(old) :]
    assert changed.startswith(before)
    assert changed.endswith(after)
    middle = changed[len(before) : len(changed) - len(after)]
    assert middle.replace("\r\n", "\n") == new.replace("\r\n", "\n")


def test_lines_keep_their_ends() -> None:
    """In a text of CRLF lines a text with LF is found, and what replaces it has CRLF."""
    changed, _ = replaced("one\r\ntwo\r\nthree\r\n", "one\ntwo", "1\n2", path="x")
    assert changed == "1\r\n2\r\nthree\r\n"


@given(st.lists(st.text("ab", max_size=3), min_size=1, max_size=6), st.data())
def test_inserted_lines_stand_between_the_others(lines: list[str], data: st.DataObject) -> None:
    """They end as the others do, with LF or CRLF; a line number outside the text is refused."""
    line = data.draw(st.integers(0, len(lines)))
    wanted = [*lines[:line], "x", *lines[line:]]
    for end in ("\n", "\r\n"):
        text = end.join([*lines, ""])
        assert inserted(text, line, "x\n") == end.join([*wanted, ""])
    for wrong in (-1, len(lines) + 1, "1", None, True):
        with pytest.raises(Refused, match="insert_line"):
            inserted("\n".join([*lines, ""]), wrong, "x")


_SEGMENTS = st.one_of(
    st.sampled_from(["", ".", "..", "%2e%2e", "...", "notes", "MEMORY.md", "\\"]), st.text(max_size=4)
)


@given(st.sampled_from(["/memories", "/memories/", "memories", "/memories-x", "/"]), st.lists(_SEGMENTS, max_size=4))
@example("/memories", ["..", "x.md"])
@example("/memories/a/", ["..", "..", "x.md"])
@example("/memories/..", ["x.md"])
@example("/memories-of-others/", ["x.md"])
def test_no_path_leads_out_of_the_folder(start: str, segments: list[str]) -> None:
    """A path is refused, or names one object below the folder of its agent and user."""
    fake_s3 = FakeS3()
    notes = Notes(fake_s3, "bucket", agent="a.b/c", user="..")
    given_path = start + "/".join(segments)
    try:
        path = parse(given_path)
        notes.read(path)
    except Refused:
        return
    assert f"{given_path}/".startswith("/memories/")
    [key] = fake_s3.asked
    folder = "agents/a%2Eb%2Fc/users/%2E%2E/notes"
    assert key == folder or key.startswith(f"{folder}/")
    parts = key.removeprefix(folder).split("/")[1:]
    assert tuple(map(unquote, parts)) == path
    assert not {"", ".", ".."} & set(parts)


@given(st.text(min_size=1, max_size=8), st.text(min_size=1, max_size=8))
def test_folders_are_named_as_the_service_names_them(agent: str, user: str) -> None:
    """Export and erase find the notes of any agent and user, whatever their names."""
    assume(agent.strip() and user.strip())
    fake_s3 = FakeS3()
    Notes(fake_s3, "bucket", agent=agent, user=user).read(("x",))
    scope = Scope(agent, user)
    assert fake_s3.asked == [f"agents/{scope.agent_path}/users/{scope.user_path}/notes/x"]


class FakeS3:
    """One bucket, whose writes can fail before or after they took effect."""

    def __init__(self) -> None:
        self.objects: dict[str, tuple[bytes, str, dict[str, str]]] = {}
        self.asked: list[str] = []
        self.before: Callable[[], None] = _nothing
        self.after: Callable[[], None] = _nothing
        self._etags = 0

    def get_object(self, *, Bucket: str, Key: str) -> dict[str, Any]:  # noqa: N803 - boto3's names
        self.asked.append(Key)
        if Key not in self.objects:
            raise _failed("NoSuchKey")
        body, tag, metadata = self.objects[Key]
        return {"Body": io.BytesIO(body), "ETag": tag, "Metadata": metadata}

    head_object = get_object

    def put_object(self, *, Key: str, Body: bytes, Metadata: dict[str, str], **given: Any) -> None:  # noqa: N803
        self.before()
        current = self.objects.get(Key)
        if ("IfMatch" in given and (not current or current[1] != given["IfMatch"])) or (
            "IfNoneMatch" in given and current
        ):
            raise _failed("PreconditionFailed")
        self._etags += 1
        self.objects[Key] = (Body, f"tag-{self._etags}", Metadata)
        self.after()

    def delete_object(self, *, Bucket: str, Key: str, IfMatch: str) -> None:  # noqa: N803
        self.before()
        if Key not in self.objects or self.objects[Key][1] != IfMatch:
            raise _failed("PreconditionFailed")
        del self.objects[Key]
        self.after()


def _nothing() -> None:
    """No failure."""


def _failed(code: str) -> ClientError:
    return ClientError({"Error": {"Code": code}}, "S3")


def _raising(code: str) -> Callable[[], None]:
    def fail() -> None:
        raise _failed(code)

    return fail


def _only_second(fail: Callable[[], None]) -> Callable[[], None]:
    left = iter((_nothing, fail))

    def step() -> None:
        next(left, _nothing)()

    return step


@pytest.fixture
def fake_s3() -> FakeS3:
    return FakeS3()


@pytest.fixture
def notes(fake_s3: FakeS3) -> Notes:
    return Notes(fake_s3, "bucket", agent="helper", user="maya")


def test_a_lost_answer_is_no_lost_race(fake_s3: FakeS3, notes: Notes) -> None:
    """A write that botocore sent twice recognizes its own success, and so does a delete."""
    fake_s3.after = _raising("PreconditionFailed")
    notes.write(("x",), "one", None)
    file = notes.read(("x",))
    assert file
    notes.write(("x",), "two", file)
    file = notes.read(("x",))
    assert file
    assert file.text == "two"
    notes.delete(("x",), file)
    assert notes.read(("x",)) is None


def test_a_write_that_lost_a_race_changes_nothing(fake_s3: FakeS3, notes: Notes) -> None:
    """Creating, replacing and deleting all fail where somebody else wrote first."""
    notes.write(("x",), "theirs", None)
    stale = File("mine", "tag-0")
    with pytest.raises(ConditionFailed):
        notes.write(("x",), "mine", None)
    with pytest.raises(ConditionFailed):
        notes.write(("x",), "mine", stale)
    with pytest.raises(ConditionFailed):
        notes.delete(("x",), stale)
    current = notes.read(("x",))
    assert current
    assert current.text == "theirs"


def test_errors_of_s3_are_unavailable(fake_s3: FakeS3, notes: Notes) -> None:
    """No AWS error reaches the model."""
    fake_s3.before = _raising("SlowDown")
    with pytest.raises(Unavailable):
        notes.write(("x",), "one", None)


def test_what_no_note_can_hold_is_refused(fake_s3: FakeS3, notes: Notes) -> None:
    """Too long a text or a path, text that is no UTF-8, and a blank user."""
    with pytest.raises(Refused, match="bytes"):
        notes.write(("x",), "x" * (LIMIT + 1), None)
    with pytest.raises(Refused, match="surrogate"):
        notes.write(("x",), "\ud800", None)
    with pytest.raises(Refused, match="too long"):
        notes.read(("x" * 1024,))
    fake_s3.put_object(Key="agents/helper/users/maya/notes/x", Body=b"\xff", Metadata={})
    with pytest.raises(Refused, match="UTF-8"):
        notes.read(("x",))
    with pytest.raises(Unscoped):
        Notes(fake_s3, "bucket", agent="helper", user=" ")


def test_a_document_that_changed_meanwhile_is_left_alone(ana: MemoryClient) -> None:
    """It is neither replaced nor deleted by whoever read it before."""
    documents, path = Documents(ana), ("MEMORY.md",)
    documents.write(path, "- likes tea\n", None)
    seen = documents.read(path)
    assert seen
    edited = ana.memory_edit("add", text="likes rain")
    with pytest.raises(ConditionFailed):
        documents.write(path, "- likes nothing\n", seen)
    with pytest.raises(ConditionFailed):
        documents.delete(path, seen)
    assert ana.memory_read(target="self").text == edited.text


class _Folder(Notes):
    """Notes that can be listed without pages."""

    def below(self, path: tuple[str, ...]) -> dict[tuple[str, ...], int]:
        fake_s3: FakeS3 = self._s3
        found = {self._path(key): len(body) for key, (body, _, _) in fake_s3.objects.items()}
        return {name: size for name, size in found.items() if name[: len(path)] == path and name != path}


def test_a_folder_moves_whole_or_stays(fake_s3: FakeS3, fake_client: Any) -> None:
    """Where a copy fails, the copies are deleted and the originals are untouched."""
    files = MemoryFiles(fake_client, _Folder(fake_s3, "bucket", agent="helper", user="maya"))
    for name in ("a", "b"):
        files.create(f"/memories/old/{name}", name)
    before = dict(fake_s3.objects)
    fake_s3.before = _only_second(_raising("SlowDown"))
    with pytest.raises(Unavailable):
        files.rename("/memories/old", "/memories/new")
    assert fake_s3.objects == before
    files.rename("/memories/old", "/memories/new")
    assert sorted(key.rpartition("notes/")[2] for key in fake_s3.objects) == ["new/a", "new/b"]


def test_an_edit_that_lost_a_race_is_made_again(fake_s3: FakeS3, fake_client: Any) -> None:
    """It is made on what the winner wrote, so that neither change is lost."""
    notes = _Folder(fake_s3, "bucket", agent="helper", user="maya")
    files = MemoryFiles(fake_client, notes)
    files.create("/memories/x", "one\n")

    def somebody_else() -> None:
        fake_s3.before = _nothing
        notes.write(("x",), "zero\none\n", notes.read(("x",)))

    fake_s3.before = somebody_else
    files.insert("/memories/x", 0, "start")
    file = notes.read(("x",))
    assert file
    assert file.text == "start\nzero\none\n"


def test_an_edit_that_loses_every_race_is_unavailable(
    fake_s3: FakeS3, fake_client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Attempts are bounded, and the file is as the others left it."""
    monkeypatch.setattr(Retries, "attempts_in_tests", RACES.attempts)
    files = MemoryFiles(fake_client, _Folder(fake_s3, "bucket", agent="helper", user="maya"))
    files.create("/memories/x", "one\n")
    before, reads = dict(fake_s3.objects), len(fake_s3.asked)
    fake_s3.before = _raising("PreconditionFailed")
    with pytest.raises(Unavailable, match="Too many"):
        files.insert("/memories/x", 0, "start")
    assert len(fake_s3.asked) - reads == 2 * RACES.attempts  # what stands there, and whose write it was
    assert fake_s3.objects == before


@pytest.fixture
def fake_client() -> Any:
    """A client whose documents are empty."""

    class Client:
        def memory_read(self, **_: Any) -> Any:
            return File("", "none")

    return Client()
