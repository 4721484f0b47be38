"""What a tool is, and what the arguments and replies of all tools are made of.

Names on the wire are camelCase; snake_case is accepted too; unknown arguments are refused by name. Absent values are
left out of replies, never null.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, time
from typing import Annotated, Any, ClassVar, Generic, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    ValidationError,
    WithJsonSchema,
)
from pydantic.alias_generators import to_camel

from memtools.backend import Backend
from memtools.current_call import writing_as
from memtools.domain.scope import Scope
from memtools.domain.trace import ID_LENGTH, TAG_LENGTH, TAG_LIMIT, Trace
from memtools.domain.writes import name_of
from memtools.errors import InvalidArguments


class Arguments(BaseModel):
    """Base of all arguments: strict types, no unknown names."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, extra="forbid", strict=True, defer_build=True, frozen=True
    )


class Reply(BaseModel):
    """Base of all replies. Each says what can be left out if an envelope cannot carry all of it.

    ``changes``: the call changed the memory, so a reply that is too large must not be reported as an error.
    ``shortens``: the lists whose last items can be left out, the least important list first.
    ``left_out_note``: how to get what was left out; ``{count}`` items are missing, ``{kept}`` remain.
    ``too_large``: what to do if not even one item fits.
    """

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, extra="forbid", frozen=True, defer_build=True
    )
    changes: ClassVar[bool] = False
    shortens: ClassVar[tuple[str, ...]] = ()
    left_out_note: ClassVar[str] = ""
    too_large: ClassVar[str] = ""

    left_out: int | None = Field(None, description="How many items were left out because the reply was too large.")
    note: str | None = Field(None, description="What limited this reply, and how to get the rest.")

    def as_dict(self) -> dict[str, Any]:
        """The reply as callers see it, JSON-ready."""
        return self.model_dump(by_alias=True, exclude_none=True)

    def metrics(self) -> dict[str, int]:
        """What the reply adds to the call's metrics, by name."""
        return {}

    def without_last(self, count: int) -> Self:
        """The reply without the last ``count`` items of its lists, and a note that says so."""
        kept, left = {}, count
        for name in self.shortens:
            items = getattr(self, name)
            kept[name] = items[: max(len(items) - left, 0)]
            left -= len(items) - len(kept[name])
        remaining = sum(map(len, kept.values()))
        note = self.left_out_note.format(count=count, kept=remaining)
        return self.model_copy(update={**kept, "left_out": count, "note": f"{self.note or ''} {note}".strip()})


# Covariant, so that one catalogue can list tools of all kinds: a tool runs only on arguments that it parsed itself.
A_co = TypeVar("A_co", bound=Arguments, covariant=True)
R_co = TypeVar("R_co", bound=Reply, covariant=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool(Generic[A_co, R_co]):
    """A tool: ``function`` is the Lambda function that serves it, ``title`` is for people, ``description`` for models.

    ``only_adds``: it changes and removes nothing that is there. ``repeatable``: the same call again changes nothing.
    """

    name: str
    title: str
    function: str
    description: str
    arguments: type[A_co]
    reply: type[R_co]
    run: Callable[[Backend, Scope, A_co], R_co]
    only_adds: bool = False
    repeatable: bool = True

    def call(self, backend: Backend, scope: Scope, arguments: object, key: str | None = None) -> R_co:
        """Run the tool with the arguments of a call, as JSON. Raises ToolError.

        ``key`` is the call's idempotency key: the same call with the same key has one effect, however often it is sent.
        """
        parsed = self.parse(arguments)
        with writing_as(key and name_of(scope, self.name, key, parsed.model_dump_json())):
            return self.run(backend, scope, parsed)

    def parse(self, arguments: object) -> A_co:
        """The typed arguments; null is the same as absent.

        Raises InvalidArguments, which names each invalid argument and says what is allowed.
        """
        if not isinstance(arguments, dict):
            raise InvalidArguments(f"The arguments of {self.name} must be a JSON object.")
        try:
            return self.arguments.model_validate(
                {name: value for name, value in arguments.items() if value is not None}
            )
        except ValidationError as error:
            problems = [self._problem(problem) for problem in error.errors(include_input=False, include_url=False)]
        raise InvalidArguments(
            f"Invalid arguments for {self.name}: {'; '.join(problem['problem'] for problem in problems)}. Nothing was"
            " done.",
            arguments=problems,
        )

    @property
    def argument_names(self) -> list[str]:
        """The names on the wire, in order."""
        return [field.alias or name for name, field in self.arguments.model_fields.items()]

    def _problem(self, problem: Any) -> dict[str, Any]:
        path = ".".join(str(part) for part in problem["loc"]).encode(errors="replace").decode()
        message = problem["msg"].removeprefix("Value error, ")
        match problem["type"]:
            case "extra_forbidden":
                text = f"unknown argument `{path}`; {self.name} takes {', '.join(self.argument_names)}"
            case "missing":
                text = f"`{path}` is missing"
            case _:
                text = f"`{path}`: {message}" if path else message
        argument = path or next(iter(re.findall(r"`(\w+)`", text)), "")
        known = {"takes": self.argument_names} if problem["type"] == "extra_forbidden" else {}
        return {"argument": argument, "problem": text, **known}


AnyTool = Tool[Arguments, Reply]

# ---------------------------------------------------------------- arguments

_DATE = re.compile(r"\d{4}-?\d{2}-?\d{2}")
MOMENT = "a date or a time in ISO 8601, such as 2026-11-30 or 2026-11-30T17:45:00Z"


def _storable(text: str) -> str:
    """Refuse half of a surrogate pair. It is not a character, and UTF-8 cannot encode it."""
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError("contains half of a surrogate pair, which is not a character and cannot be stored")
    return text


def _one_or_many(value: Any) -> Any:
    """A bare string is a list of one, never its characters."""
    return [value] if isinstance(value, str) else value


def _whole(value: Any) -> Any:
    """Models write 7.0 where they mean 7."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _parse_moment(value: Any) -> Any:
    if not isinstance(value, str):
        raise ValueError(f"must be {MOMENT}")  # noqa: TRY004 - pydantic reports ValueErrors
    try:
        moment = datetime.fromisoformat(value.strip())
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError(f"must be {MOMENT}") from None


def _parse_end(value: Any) -> Any:
    """A bare date, as an end, means the whole day."""
    moment = _parse_moment(value)
    return datetime.combine(moment.date(), time.max, UTC) if _DATE.fullmatch(value.strip()) else moment


def _tidy_tags(tags: list[str]) -> list[str]:
    return list(dict.fromkeys(tag.strip() for tag in tags if tag.strip()))


_AS_TEXT = WithJsonSchema({"type": "string"})
Moment = Annotated[datetime, BeforeValidator(_parse_moment), _AS_TEXT]
End = Annotated[datetime, BeforeValidator(_parse_end), _AS_TEXT]
Text = Annotated[str, AfterValidator(_storable)]
Texts = Annotated[list[Text], BeforeValidator(_one_or_many)]
Tags = Annotated[
    list[Annotated[Text, Field(max_length=TAG_LENGTH)]],
    BeforeValidator(_one_or_many),
    AfterValidator(_tidy_tags),
    Field(max_length=TAG_LIMIT),
]
Limit = Annotated[int, BeforeValidator(_whole), Field(ge=1, le=100)]
Version = Annotated[int, BeforeValidator(_whole), Field(ge=1)]
TraceId = Annotated[Text, Field(min_length=1, max_length=ID_LENGTH)]


# ---------------------------------------------------------------- replies


def _iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


Timestamp = Annotated[datetime, PlainSerializer(_iso, return_type=str)]


class Part(BaseModel):
    """Base of the parts of replies."""

    model_config = Reply.model_config


class MemoryText(Part):
    """A memory by id and content."""

    id: str
    content: str


class Memory(MemoryText):
    """A live trace as callers read it."""

    tags: list[str]
    version: int
    created_at: Timestamp
    updated_at: Timestamp
    occurred_at: Timestamp | None = None
    expires_at: Timestamp | None = None
    retrieval_count: int = Field(description="How often a search has returned it.")
    last_retrieved_at: Timestamp | None = None
    merged_from: list[str] | None = Field(None, description="Every memory that was ever merged into this one.")

    @classmethod
    def of(cls, trace: Trace, **more: Any) -> Self:
        """The trace as callers read it, with ``more`` fields of a subclass."""
        return cls(
            id=trace.id,
            content=trace.content,
            tags=list(trace.tags),
            version=trace.version,
            created_at=trace.created_at,
            updated_at=trace.changed_at,
            occurred_at=trace.occurred_at,
            expires_at=trace.expires_at,
            retrieval_count=trace.retrieval_count,
            last_retrieved_at=trace.last_retrieved_at,
            merged_from=list(trace.merged_from) or None,
            **more,
        )
