"""What each tool takes. Names on the wire are camelCase; snake_case is accepted; all else is refused by name."""

import re
from datetime import UTC, datetime, time
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator
from pydantic.alias_generators import to_camel

from memtools.domain.document import Target

# A merge is one transaction, which has room for two actions a trace.
MERGE_LIMIT = 50

_DATE = re.compile(r"\d{4}-?\d{2}-?\d{2}")
_MOMENT = "a date or a time in ISO 8601, such as 2026-11-30 or 2026-11-30T17:45:00Z"


def _storable(text: str) -> str:
    """Half of a surrogate pair is no character: UTF-8, and so every store, has no form for it."""
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError("holds half of a surrogate pair, which is no character and cannot be stored")
    return text


def _one_or_many(value: Any) -> Any:
    """A bare string is a list of one, never its characters."""
    return [value] if isinstance(value, str) else value


def _whole(value: Any) -> Any:
    """Models write 7.0 where they mean 7."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _parse_moment(value: Any) -> Any:
    if not isinstance(value, str):
        raise ValueError(f"give {_MOMENT}")  # noqa: TRY004 - pydantic reports ValueErrors
    try:
        moment = datetime.fromisoformat(value.strip())
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError(f"give {_MOMENT}") from None


def _parse_end(value: Any) -> Any:
    """A bare date, as an end, means the whole day."""
    moment = _parse_moment(value)
    return datetime.combine(moment.date(), time.max, UTC) if _DATE.fullmatch(value.strip()) else moment


def _tidy_tags(tags: list[str]) -> list[str]:
    return list(dict.fromkeys(tag.strip() for tag in tags if tag.strip()))


_MOMENT_SCHEMA = WithJsonSchema({"type": "string"})
Moment = Annotated[datetime, BeforeValidator(_parse_moment), _MOMENT_SCHEMA]
End = Annotated[datetime, BeforeValidator(_parse_end), _MOMENT_SCHEMA]
Text = Annotated[str, AfterValidator(_storable)]
Texts = Annotated[list[Text], BeforeValidator(_one_or_many)]
Tags = Annotated[
    list[Annotated[Text, Field(max_length=100)]],
    BeforeValidator(_one_or_many),
    AfterValidator(_tidy_tags),
    Field(max_length=50),
]
Limit = Annotated[int, BeforeValidator(_whole), Field(ge=1, le=100)]
Share = Annotated[float, Field(ge=0, le=1)]
Version = Annotated[int, BeforeValidator(_whole), Field(ge=1)]
TraceId = Annotated[Text, Field(min_length=1, max_length=100)]


class Arguments(BaseModel):
    """Base of all arguments: strict types, no unknown names."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, extra="forbid", strict=True, defer_build=True, frozen=True
    )


class Add(Arguments):
    """Arguments of memory_add."""

    facts: Texts = Field(
        max_length=100,
        description="The facts to remember, each a sentence that makes sense on its own: names instead of pronouns,"
        " dates instead of 'yesterday'. Up to 100.",
    )
    tags: Tags = Field([], description="Labels for all facts of this call, to narrow a search by.")
    occurred_at: Moment | None = Field(None, description=f"When it happened, if not now: {_MOMENT}.")
    expires_at: Moment | None = Field(None, description=f"When to forget the facts, if ever: {_MOMENT}, in the future.")


class Search(Arguments):
    """Arguments of memory_search."""

    query: Text = Field(
        min_length=1,
        max_length=10_000,
        description="What you want to know, in plain words: a question or a few key words with names.",
    )
    limit: Limit = Field(
        10, description="How many memories at most, 1 to 100. Fewer come back where fewer are relevant."
    )
    tags: Tags = Field([], description="Only memories that carry all of these tags.")
    since: Moment | None = Field(None, description=f"Only what happened at or after this: {_MOMENT}.")
    until: End | None = Field(
        None, description=f"Only what happened up to this; a date means its whole day: {_MOMENT}."
    )
    explain: bool = Field(False, description="For programs: also tell what each score is made of.")


class Read(Arguments):
    """Arguments of memory_read."""

    target: Annotated[Target, Field(strict=False)] = Field(
        Target.SOUL,
        description="`soul`: all persona documents together, as loaded at the start of a conversation. `self`:"
        " MEMORY.md alone. `user`: USER.md alone, both to the letter.",
    )


class Edit(Arguments):
    """Arguments of memory_edit."""

    action: Literal["add", "replace", "remove", "undo"] = Field(
        description="`add` appends `text` as one entry; `replace` swaps `text` for `with`; `remove` deletes `text`;"
        " `undo` puts back what the document was before its last change.",
    )
    text: Text | None = Field(
        None,
        description="For `add` the new entry. Else the exact text to find, which has to occur exactly once: copy it, no"
        " patterns.",
    )
    with_: Text | None = Field(
        None, alias="with", description="For `replace`: what stands there afterwards, to the letter."
    )
    target: Literal["self", "user"] = Field(
        "self", description="`self`: MEMORY.md, your own notes. `user`: USER.md, what you know of the user."
    )
    version: Text | None = Field(
        None,
        description="The version that memory_read or memory_edit told, to refuse the edit if it has changed since.",
    )

    @model_validator(mode="after")
    def _belong_together(self) -> Self:
        if self.action == "undo" and self.text is not None:
            raise ValueError("`undo` takes no `text`: it puts back the whole document as it was before")
        if self.action != "undo" and not self.text:
            raise ValueError(f"`text` is missing or empty: `{self.action}` needs the text")
        if self.action == "replace" and self.with_ is None:
            raise ValueError("`with` is missing: `replace` needs the new text; to delete, use `remove`")
        if self.action != "replace" and self.with_ is not None:
            raise ValueError(f"`with` goes with `replace` only, not with `{self.action}`")
        return self


def _distinct(ids: list[str]) -> list[str]:
    if len(set(ids)) < len(ids):
        raise ValueError("the ids have to be distinct")
    return ids


class Duplicates(Arguments):
    """Arguments of memory_duplicates."""

    limit: Limit = Field(10, description="How many groups at most, 1 to 100.")
    threshold: Share = Field(
        0.6,
        description="How alike the memories of a group have to be, from 0 to 1. At 0.9 they say the same in nearly the"
        " same words; at 0.6 they are about the same thing.",
    )


class Merge(Arguments):
    """Arguments of memory_merge."""

    trace_ids: Annotated[list[TraceId], Field(min_length=2, max_length=MERGE_LIMIT), AfterValidator(_distinct)] = Field(
        description="The ids of 2 to 50 memories that say the same or belong together, as memory_search told them."
    )
    merged_content: Text | None = Field(
        None,
        description="The one text that says it all, kept to the letter. Without it the contents are joined by ' | '.",
    )


class List(Arguments):
    """Arguments of memory_list."""

    limit: Limit = Field(20, description="How many memories a page has at most, 1 to 100.")
    tags: Tags = Field([], description="Only memories that carry all of these tags.")
    cursor: Text | None = Field(
        None, max_length=1000, description="`nextCursor` of the page before, with the same tags. Without it the newest."
    )


class History(Arguments):
    """Arguments of memory_history."""

    trace_id: TraceId | None = Field(None, description="The memory whose versions you want.")
    target: Literal["self", "user"] | None = Field(
        None, description="Or the document: `self` for MEMORY.md, `user` for USER.md."
    )
    limit: Limit = Field(20, description="How many versions at most, 1 to 100.")

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.trace_id is None) == (self.target is None):
            raise ValueError("give either `traceId` or `target`")
        return self


class Update(Arguments):
    """Arguments of memory_update."""

    trace_id: TraceId = Field(description="The memory to change, by its id.")
    content: Text | None = Field(None, description="What it says from now on, whole. Without it the content stays.")
    tags: Tags | None = Field(None, description="All its tags from now on. Without it the tags stay.")
    version: Version | None = Field(
        None, description="The version you have seen, to refuse the change if it is another one by now."
    )

    @model_validator(mode="after")
    def _something_to_do(self) -> Self:
        if self.content is None and self.tags is None:
            raise ValueError("give `content`, `tags` or both")
        if self.content is not None and not self.content.strip():
            raise ValueError("`content` is blank; to forget a memory call memory_delete")
        return self


class Delete(Arguments):
    """Arguments of memory_delete."""

    trace_id: TraceId = Field(description="The memory to forget, by its id.")
    reason: Text | None = Field(None, max_length=1000, description="Why, for whoever looks into the history.")
    version: Version | None = Field(
        None, description="The version you have seen, to refuse the deletion if it is another one by now."
    )


class Restore(Arguments):
    """Arguments of memory_restore."""

    trace_id: TraceId = Field(description="The memory to bring back, by its id.")
    version: Version | None = Field(
        None,
        description="A version out of memory_history, to bring back what it said then. Without it a deleted memory"
        " comes back as it was.",
    )


class Unmerge(Arguments):
    """Arguments of memory_unmerge."""

    survivor_id: TraceId = Field(description="The memory that came out of the merge, by its id.")
