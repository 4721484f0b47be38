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
from memtools_client import MemoryClient, Unavailable, Unscoped
from memtools_client.files.commands import MemoryFiles
from memtools_client.files.documents import Documents
from memtools_client.files.notes import LIMIT, Notes
from memtools_client.files.paths import parsed
from memtools_client.files.store import ConditionFailed, File, Refused
from memtools_client.files.text import inserted, replaced

_PIECES = st.sampled_from(["a", "a", "b", "\n", "\r\n"])
_TEXTS = st.lists(_PIECES, max_size=12).map("".join)
_PARTS = st.lists(_PIECES, max_size=3).map("".join)


@given(_TEXTS, _PARTS, _PARTS)
@example("aaa", "aa", "b")
def test_only_what_occurs_exactly_once_is_replaced_and_nothing_else_changes(text: str, old: str, new: str) -> None:
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


@given(st.lists(st.text("ab", max_size=3), min_size=1, max_size=6), st.data())
def test_an_insertion_is_lines_of_its_own_in_either_style(lines: list[str], data: st.DataObject) -> None:
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
def test_whatever_a_path_says_it_stays_in_its_folder(start: str, segments: list[str]) -> None:
    store = Shelf()
    notes = Notes(store, "bucket", agent="a.b/c", user="..")
    given_path = start + "/".join(segments)
    try:
        path = parsed(given_path)
        notes.read(path)
    except Refused:
        return
    assert f"{given_path}/".startswith("/memories/")
    [key] = store.asked
    folder = "agents/a%2Eb%2Fc/users/%2E%2E/notes"
    assert key == folder or key.startswith(f"{folder}/")
    parts = key.removeprefix(folder).split("/")[1:]
    assert tuple(map(unquote, parts)) == path
    assert not {"", ".", ".."} & set(parts)


@given(st.text(min_size=1, max_size=8), st.text(min_size=1, max_size=8))
def test_owners_are_named_as_the_service_names_them(agent: str, user: str) -> None:
    assume(agent.strip() and user.strip())
    store = Shelf()
    Notes(store, "bucket", agent=agent, user=user).read(("x",))
    scope = Scope(agent, user)
    assert store.asked == [f"agents/{scope.agent_path}/users/{scope.user_path}/notes/x"]


class Shelf:
    """An S3 of one bucket, whose every write can go wrong before or after it took effect."""

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
        standing = self.objects.get(Key)
        if ("IfMatch" in given and (not standing or standing[1] != given["IfMatch"])) or (
            "IfNoneMatch" in given and standing
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
    """Goes well."""


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
def shelf() -> Shelf:
    return Shelf()


@pytest.fixture
def notes(shelf: Shelf) -> Notes:
    return Notes(shelf, "bucket", agent="helper", user="maya")


def test_a_write_whose_answer_was_lost_knows_itself_again(shelf: Shelf, notes: Notes) -> None:
    # botocore sends it again and meets its own success.
    shelf.after = _raising("PreconditionFailed")
    notes.write(("x",), "one", None)
    file = notes.read(("x",))
    assert file
    notes.write(("x",), "two", file)
    file = notes.read(("x",))
    assert file
    assert file.text == "two"
    notes.delete(("x",), file)
    assert notes.read(("x",)) is None


def test_a_write_that_somebody_else_overtook_is_not_made(shelf: Shelf, notes: Notes) -> None:
    notes.write(("x",), "theirs", None)
    stale = File("mine", "tag-0")
    with pytest.raises(ConditionFailed):
        notes.write(("x",), "mine", None)
    with pytest.raises(ConditionFailed):
        notes.write(("x",), "mine", stale)
    with pytest.raises(ConditionFailed):
        notes.delete(("x",), stale)
    standing = notes.read(("x",))
    assert standing
    assert standing.text == "theirs"


def test_what_s3_refuses_is_unavailable(shelf: Shelf, notes: Notes) -> None:
    shelf.before = _raising("SlowDown")
    with pytest.raises(Unavailable):
        notes.write(("x",), "one", None)


def test_what_no_note_can_be_is_refused(shelf: Shelf, notes: Notes) -> None:
    with pytest.raises(Refused, match="bytes"):
        notes.write(("x",), "x" * (LIMIT + 1), None)
    with pytest.raises(Refused, match="surrogate"):
        notes.write(("x",), "\ud800", None)
    with pytest.raises(Refused, match="too long"):
        notes.read(("x" * 1024,))
    shelf.put_object(Key="agents/helper/users/maya/notes/x", Body=b"\xff", Metadata={})
    with pytest.raises(Refused, match="UTF-8"):
        notes.read(("x",))
    with pytest.raises(Unscoped):
        Notes(shelf, "bucket", agent="helper", user=" ")


def test_a_document_that_changed_meanwhile_is_neither_replaced_nor_deleted(ana: MemoryClient) -> None:
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
        shelf: Shelf = self._s3
        found = {self._path(key): len(body) for key, (body, _, _) in shelf.objects.items()}
        return {name: size for name, size in found.items() if name[: len(path)] == path and name != path}


def test_a_folder_is_moved_whole_or_stays(shelf: Shelf, fake_client: Any) -> None:
    files = MemoryFiles(fake_client, _Folder(shelf, "bucket", agent="helper", user="maya"))
    for name in ("a", "b"):
        files.create(f"/memories/old/{name}", name)
    before = dict(shelf.objects)
    shelf.before = _only_second(_raising("SlowDown"))
    with pytest.raises(Unavailable):
        files.rename("/memories/old", "/memories/new")
    assert shelf.objects == before
    files.rename("/memories/old", "/memories/new")
    assert sorted(key.rpartition("notes/")[2] for key in shelf.objects) == ["new/a", "new/b"]


def test_an_edit_is_made_on_what_somebody_else_left(shelf: Shelf, fake_client: Any) -> None:
    notes = _Folder(shelf, "bucket", agent="helper", user="maya")
    files = MemoryFiles(fake_client, notes)
    files.create("/memories/x", "one\n")

    def somebody_else() -> None:
        shelf.before = _nothing
        notes.write(("x",), "zero\none\n", notes.read(("x",)))

    shelf.before = somebody_else
    files.insert("/memories/x", 0, "start")
    file = notes.read(("x",))
    assert file
    assert file.text == "start\nzero\none\n"


@pytest.fixture
def fake_client() -> Any:
    """A client that no note needs: there are no documents."""

    class Client:
        def memory_read(self, **_: Any) -> Any:
            return File("", "none")

    return Client()
