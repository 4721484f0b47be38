"""Values of Bedrock parameters. They are always text, whatever their declared type. Ambiguous text is refused."""

import json
import math
import re
from typing import Any, Final

from memtools.errors import InvalidArguments
from memtools.wire.incoming import printable

_WHOLE: Final = re.compile(r"[+-]?\d+(\.0*)?", re.ASCII)
_NUMBER: Final = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?", re.ASCII)
# Items between which a comma must be a separator: words, ids and dates, but not sentences or their parts.
_WORD: Final = re.compile(r"[#@]?\w([\w.:/@#+&-]*[\w+#])?")
# Scripts without spaces between words, in which a sentence looks like one word: Thai to Lao, Burmese, Khmer, CJK.
_WITHOUT_SPACES: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
_QUOTED: Final = re.compile(r"\[\s*'[^'\\]*'(\s*,\s*'[^'\\]*')*\s*\]")
_THOUSANDS: Final = re.compile(r"\d,\d")
_NO_JSON: Final = object()
_UNCLEAR_IN_LIST: Final = re.compile(r"[\[\]{}\"“”\r\n]")


def value_of(name: str, kind: Any, value: Any) -> Any:
    """The value in its declared type.

    Values that are not text are returned as they are, and so is text of any type except integer, number, boolean and
    array. Raises InvalidArguments, which names the parameter, if the text is invalid or ambiguous.
    """
    if not isinstance(value, str):
        return value
    shown = printable(name)
    match kind:
        case "integer":
            return _integer(shown, value.strip())
        case "number":
            return _number(shown, value.strip())
        case "boolean":
            return _boolean(shown, value.strip())
        case "array":
            return _array(shown, value.strip())
        case _:
            return value


def _integer(name: str, text: str) -> int:
    if not _WHOLE.fullmatch(text):
        raise _wrong(name, "a whole number, such as 7")
    try:
        return int(text.partition(".")[0])
    except ValueError:  # more digits than Python converts
        raise _wrong(name, "a whole number with fewer digits") from None


def _number(name: str, text: str) -> float:
    if not _NUMBER.fullmatch(text) or not math.isfinite(float(text)):
        raise _wrong(name, "a number, such as 7 or 0.5")
    return int(text) if text.lstrip("+-").isdecimal() and len(text) < 20 else float(text)  # noqa: PLR2004


def _boolean(name: str, text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise _wrong(name, "true or false")
    return text.lower() == "true"


def _array(name: str, text: str) -> list[Any] | None:
    """The value as JSON, else as a list without quotes, else as one item."""
    parsed = _json(text)
    match parsed:
        case _ if parsed is _NO_JSON:
            return _unquoted(name, text)
        case list() | None:
            return parsed
        case str() if parsed.lstrip().startswith("["):  # encoded twice
            if isinstance(inner := _json(parsed), list):
                return inner
            raise _unclear(name)
        case str():
            return [parsed]
        case dict():
            raise _unclear(name)
        case _:
            return [text]


def _json(text: str) -> Any:
    """JSON with numbers as text, because all lists of the tools are lists of texts and their quotes may be lost."""
    try:
        return json.loads(text, parse_int=str, parse_float=str, parse_constant=str)
    except (ValueError, RecursionError):
        return _NO_JSON


def _unquoted(name: str, text: str) -> list[str]:
    if not text.startswith("["):
        return _one_text(name, text)
    if _QUOTED.fullmatch(text):
        return re.findall(r"'([^']*)'", text)
    inner = text[1:-1].strip()
    if not text.endswith("]") or inner.startswith("'") or _UNCLEAR_IN_LIST.search(inner) or _THOUSANDS.search(inner):
        raise _unclear(name)
    items = [item.strip() for item in inner.split(",")]
    if len(items) > 1 and not all(_WORD.fullmatch(item) and not _WITHOUT_SPACES.search(item) for item in items):
        raise _unclear(name)
    return items


def _one_text(name: str, text: str) -> list[str]:
    """Text without brackets is one item, including its commas. Pieces of a list or an object are refused."""
    quoted = text.startswith('"') and text.endswith('"')
    if quoted or text.startswith("{") or text.count("[") != text.count("]"):
        raise _unclear(name)
    return [text] if text else []


def _wrong(name: str, wanted: str) -> InvalidArguments:
    return InvalidArguments(f"`{name}` must be {wanted}. If you do not need it, leave it out.", argument=name)


def _unclear(name: str) -> InvalidArguments:
    return InvalidArguments(
        f"`{name}` is ambiguous: it is not clear where one item ends and the next begins. Send it as a JSON array of"
        ' strings in double quotes: ["first item", "second item"].',
        argument=name,
    )
