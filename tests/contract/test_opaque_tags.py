"""With a key of KMS an ETag is no digest of the content. Documents and segments are guarded by it all the same."""

from dataclasses import replace
from typing import Any

import pytest
from botocore.exceptions import ClientError
from memtools.adapters.documents import S3Personas
from memtools.adapters.segments import S3Segments
from memtools.backend import Backend
from memtools.domain.document import Document
from memtools.domain.scope import Scope
from memtools.ports import ConditionFailed

from tests.calls import Caller

GONE = ClientError({"Error": {"Code": "PreconditionFailed", "Message": ""}}, "PutObject")


class Opaque:
    """An S3 client whose ETags belong to a version, as they may where a key of KMS encrypts, and to no content."""

    def __init__(self, s3: Any) -> None:
        self._s3 = s3

    def __getattr__(self, name: str) -> Any:
        return getattr(self._s3, name)

    def get_object(self, **parameters: Any) -> Any:
        return self._tagged(self._s3.get_object(**parameters))

    def put_object(self, **parameters: Any) -> Any:
        if expected := parameters.pop("IfMatch", None):
            place = {"Bucket": parameters["Bucket"], "Key": parameters["Key"]}
            if self._tagged(self._s3.head_object(**place))["ETag"] != expected:
                raise GONE
        return self._tagged(self._s3.put_object(**parameters))

    @staticmethod
    def _tagged(answer: Any) -> Any:
        return {**answer, "ETag": f'"{answer["VersionId"]}"'}


@pytest.fixture
def opaque(moto_memory: Backend) -> Backend:
    """The memory over a bucket with such ETags."""
    personas: Any = moto_memory.personas
    client = Opaque(personas._client)
    bucket = personas._bucket
    return replace(moto_memory, personas=S3Personas(client, bucket), segments=S3Segments(client, bucket))


def test_edits_undo_and_history_work(opaque: Backend, scope: Scope) -> None:
    ana = Caller(opaque, scope)
    ana.edit(action="add", text="one")
    version = ana.edit(action="add", text="two")["version"]
    ana.edit(action="replace", text="two", with_="three", version=version)
    ana.edit(action="undo")
    assert "two" in ana.read(target="self")["text"]
    assert len(ana.history(target="self")["versions"]) == 4


def test_the_same_text_again_is_another_version_and_guarded_as_one(opaque: Backend, scope: Scope) -> None:
    """Stricter than with keys of S3, where a document that went to another text and back counts as unchanged."""

    def write(text: str, name: str, over: Document | None) -> Document:
        return opaque.personas.write(scope, Document(name="MEMORY.md", text=text, edit="add:1", writes=(name,)), over)

    first = write("- a\n", "1", None)
    write("- a\n", "3", write("- b\n", "2", first))
    with pytest.raises(ConditionFailed):
        write("- c\n", "4", first)


def test_a_write_whose_answer_was_lost_is_named_by_what_is_there(opaque: Backend, scope: Scope) -> None:
    document = Document(name="MEMORY.md", text="- a\n", edit="add:1", writes=("mine",))
    first = opaque.personas.write(scope, document, None)
    changed = replace(document, text="- b\n", writes=("again",))
    opaque.personas.write(scope, changed, first)
    with pytest.raises(ConditionFailed):
        opaque.personas.write(scope, changed, first)
    assert opaque.personas.read(scope, ["MEMORY.md"])["MEMORY.md"].writes == ("again",)


def test_segments_are_replaced_by_who_has_read_them(opaque: Backend, scope: Scope) -> None:
    tag = opaque.segments.save(scope, b"same", None)
    newer = opaque.segments.save(scope, b"same", tag)
    with pytest.raises(ConditionFailed):
        opaque.segments.save(scope, b"other", tag)
    stored = opaque.segments.load(scope)
    assert stored is not None
    assert (stored.data, stored.tag) == (b"same", newer)


def test_a_search_goes_on_with_the_segment_that_it_wrote(opaque: Backend, scope: Scope) -> None:
    ana = Caller(opaque, scope)
    for start in range(3):
        ana.add(facts=[f"fact {number} of {start}" for number in range(100)])
    ana.search(query="fact")
    assert opaque.segments.load(scope) is not None
    assert Caller(replace(opaque), scope).search(query="fact", limit=3)["results"]
