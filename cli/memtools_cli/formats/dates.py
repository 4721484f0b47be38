"""Dates as other programs write them."""

import re
from datetime import UTC, datetime
from typing import Any, Final

_MONTH: Final = re.compile(r"\d{4}-\d{2}")
_DAY: Final = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})")
_MILLISECONDS: Final = 1e11  # a later number of seconds is beyond the year 5000


def moment_of(value: Any) -> tuple[str, bool]:
    """The day or the UTC time in ISO 8601, and whether it is a month's first day. Raises ValueError for no day."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _of_seconds(value / 1000 if value > _MILLISECONDS else value), False
    if not isinstance(value, str):
        raise ValueError("neither text nor a number")  # noqa: TRY004 - one error for all that is no day
    text = value.strip()
    if _MONTH.fullmatch(text):
        return f"{datetime.fromisoformat(text + '-01'):%Y-%m-%d}", True
    if day := _DAY.fullmatch(text):
        year, month, number = map(int, day.groups())
        return datetime(year, month, number, tzinfo=UTC).date().isoformat(), False
    moment = datetime.fromisoformat(text)
    try:
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC).isoformat(), False
    except OverflowError:
        raise ValueError("out of range") from None


def _of_seconds(seconds: float) -> str:
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat()
    except (OverflowError, OSError):
        raise ValueError("out of range") from None
