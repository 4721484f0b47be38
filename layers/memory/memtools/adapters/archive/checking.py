"""What an import may bring: nothing that a tool could not have stored. So no line of a file can break a scope."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from memtools.adapters.archive.records import DocumentVersion, Record, Replaced
from memtools.adapters.values import moment_text
from memtools.domain.trace import (
    FACT_LIMIT,
    ID_LENGTH,
    REASON_LENGTH,
    TAG_LENGTH,
    TAG_LIMIT,
    Embedding,
    Status,
    Trace,
)

# History keys have ten digits, an index has four bytes.
_LAST_VERSION: Final = 2**32 - 1
_MOST_RETRIEVALS: Final = 10**12
_MOST_NAMES: Final = 10_000
_DOCUMENT_BYTES: Final = 1024 * 1024
# S3 takes 2 KB of metadata, in ASCII.
_METADATA: Final = re.compile(r"([\x21-\x7e]( [\x21-\x7e])?){0,800}")
_NAME: Final = re.compile(rf"[^#/\x00-\x1f\x7f]{{1,{ID_LENGTH}}}")
_FILE: Final = re.compile(r"[^\x00-\x1f\x7f\\]{1,200}")
_FIRST: Final = datetime(1970, 1, 1, tzinfo=UTC)
_TEN_THOUSAND: Final = 253_402_300_800  # the year, in seconds since 1970
_DIMENSIONS: Final = {"all-MiniLM-L6-v2/int8": 384}
_NAMED_DIMENSIONS: Final = re.compile(r".+/(\d{1,5})/int8")


def require_sound(record: Record) -> None:
    """Raise ValueError, with what is wrong, if no tool could have stored the record."""
    match record:
        case DocumentVersion():
            problem = next(_problems_of_document(record), None)
        case Replaced(trace, purge_at):
            problem = "its retention ends at no time" if not 0 < purge_at < _TEN_THOUSAND else None
            problem = problem or next(_problems(trace), None)
        case Trace():
            problem = next(_problems(record), None)
    if problem:
        raise ValueError(problem)


def _problems_of_document(version: DocumentVersion) -> Iterator[str]:
    if not _FILE.fullmatch(version.name) or {"", ".", ".."} & set(version.name.split("/")):
        yield "a document has the name of no file in the folder of its memory"
    if len(version.data or b"") > _DOCUMENT_BYTES:
        yield f"the document has more than {_DOCUMENT_BYTES} bytes"
    if not all(_METADATA.fullmatch(text or "") for text in (version.edit, version.writes)):
        yield "the names of the document's writes are none"
    if version.written_at is not None and not _is_moment(version.written_at):
        yield "the document was written at no time"


def _is_moment(text: str) -> bool:
    """Whether this is a time as an export has it."""
    try:
        return moment_text(datetime.fromisoformat(text)) == text
    except ValueError:
        return False


def _problems(trace: Trace) -> Iterator[str]:
    yield from _problems_of_version(trace)
    last = 0
    for version in trace.inline_history:
        if version.id != trace.id or version.inline_history or not last < version.version < trace.version:
            yield "a version in its history is not one of its own, or not in order"
        yield from _problems_of_version(version)
        last = version.version


def _problems_of_version(trace: Trace) -> Iterator[str]:
    names = [trace.id, *trace.merged_from, *trace.writes, *(trace.merge.sources if trace.merge else ())]
    names += [trace.merged_into] if trace.merged_into is not None else []
    if not all(isinstance(name, str) and _NAME.fullmatch(name) for name in names) or len(names) > _MOST_NAMES:
        yield "an id is none"
    if not trace.content.strip():
        yield "the content is blank"
    elif (size := len(trace.content.encode())) > FACT_LIMIT:
        yield f"the content has {size} bytes; the limit is {FACT_LIMIT}"
    yield from _problems_of_tags(trace.tags)
    if not 1 <= trace.version <= _LAST_VERSION:
        yield f"the version is not between 1 and {_LAST_VERSION}"
    if not 0 <= trace.retrieval_count <= _MOST_RETRIEVALS:
        yield f"the retrievals are not between 0 and {_MOST_RETRIEVALS}"
    times = (trace.created_at, trace.changed_at, trace.expires_at, trace.last_retrieved_at)
    if any(time is not None and time < _FIRST for time in times):
        yield "a time is before 1970"
    if (trace.status is Status.MERGED) != (trace.merged_into is not None) or trace.status is Status.ERASED:
        yield "the status does not go with the rest"
    if not trace.live and trace.expires_at is None:
        yield "it is deleted or merged, but its retention never ends"
    if len(trace.reason or "") > REASON_LENGTH:
        yield f"the reason has more than {REASON_LENGTH} characters"
    if trace.merge and not trace.merge.replaced < trace.merge.outcome <= trace.version:
        yield "its last merge is later than its version"
    if trace.embedding:
        yield from _problems_of_embedding(trace.embedding)


def _problems_of_tags(tags: tuple[str, ...]) -> Iterator[str]:
    if len(tags) > TAG_LIMIT:
        yield f"it has {len(tags)} tags; the limit is {TAG_LIMIT}"
    if any(not tag.strip() or len(tag) > TAG_LENGTH for tag in tags):
        yield f"a tag is blank, or has more than {TAG_LENGTH} characters"


def _problems_of_embedding(embedding: Embedding) -> Iterator[str]:
    """The index of a scope has vectors of one length. Those of unknown models are never used."""
    named = _NAMED_DIMENSIONS.fullmatch(embedding.model)
    expected = int(named[1]) if named else _DIMENSIONS.get(embedding.model)
    if embedding.vector and expected not in (None, len(embedding.vector)):
        yield f"the embedding has {len(embedding.vector)} numbers; those of its model have {expected}"
