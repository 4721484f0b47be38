"""What a month costs: three examples, from what a call takes and what AWS asks for it. docs/cost.md shows the outcome.

    python -m benchmarks.bill [--write]

Units and calls are those that `benchmarks.scale` counts for a search and `tests/tools/test_cost.py` holds for the other
tools. Times of computing are what `benchmarks.scale` and `benchmarks.imports` measure, rounded up; those of waiting are
assumed. ``--write`` renews the tables of docs/cost.md.
"""

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from benchmarks.scale import PRICES
from local.template import ROOT

PAGE: Final = ROOT / "docs" / "cost.md"
# List prices of us-east-1 in US dollars. Nothing is taken off for a free tier.
MORE_PRICES: Final = {
    "api_request": 1.00e-6,  # HTTP API
    "s3_get": 0.40e-6,
    "s3_put": 5.00e-6,
    "xray_trace": 5.00e-6,
    "log_gb": 0.50,
    "table_gb": 0.25 + 0.20,  # a month, with point-in-time recovery
    "bucket_gb": 0.023,
    "metric": 0.30,  # a month, by the hours in which it is written
    "alarm_metric": 0.10,
    "dashboard": 3.00,
}
METRICS: Final = 17  # calls, duration and cold starts of four tools and of all, hits of a search and of all
ALARM_METRICS: Final = 22
_MONTH_HOURS = 730
_LOG_BYTES = 1_400  # a call: its line, its metrics, Lambda's own lines, API Gateway's line
_TRACE_BYTES = 1_024 + 1_024  # in the table, and in the index of changes
_SEGMENT_BYTES = 550  # a trace, see benchmarks.scale
_COLD_SECONDS = 1.0


@dataclass(frozen=True)
class Takes:
    """What one call takes; ``seconds`` of a function of 1 GB, warm."""

    seconds: float
    read_units: float = 0
    write_units: float = 0
    gets: float = 0
    puts: float = 0

    @property
    def usd(self) -> Mapping[str, float]:
        """Its price, by who asks for it."""
        return {
            "HTTP API": MORE_PRICES["api_request"],
            "Lambda": PRICES["call"] + self.seconds * PRICES["gb_second"],
            "DynamoDB": self.read_units * PRICES["read_unit"] + self.write_units * PRICES["write_unit"],
            "S3": self.gets * MORE_PRICES["s3_get"] + self.puts * MORE_PRICES["s3_put"],
            "logs": _LOG_BYTES / 1e9 * MORE_PRICES["log_gb"],
        }


CALLS: Final[Mapping[str, Takes]] = {
    "`memory_search`, no hit": Takes(0.03, read_units=1),
    "`memory_search`, 5 hits": Takes(0.03, read_units=1, write_units=5),
    "`memory_search`, 10 hits": Takes(0.03, read_units=1, write_units=10),
    "`memory_add`, 1 new fact": Takes(0.04, write_units=2 + 1),
    "`memory_add`, 5 new facts": Takes(0.12, write_units=5 * (2 + 1)),
    "`memory_list`, 20 traces": Takes(0.02, read_units=1 + 20),
    "`memory_update`": Takes(0.05, read_units=1, write_units=4 + 1),
    "`memory_merge`, 2 traces": Takes(0.05, read_units=2, write_units=2 * 4 + 2),
    "`memory_read`, the soul": Takes(0.06, gets=7),
    "`memory_edit`": Takes(0.08, gets=1, puts=1),
}
# A conversation: it reads its soul, searches ten times with five hits each, adds five facts, and edits USER.md.
CONVERSATION: Final[Mapping[str, int]] = {
    "`memory_read`, the soul": 1,
    "`memory_search`, 5 hits": 10,
    "`memory_add`, 5 new facts": 1,
    "`memory_edit`": 1,
}


@dataclass(frozen=True)
class Month:
    """How much a deployment is used. ``hours``: of the month's, those with a call; ``cold``: starts a conversation."""

    conversations: int
    traces: int
    hours: int
    cold: float

    @property
    def calls(self) -> int:
        """Tool calls of the month."""
        return self.conversations * sum(CONVERSATION.values())

    @property
    def usd(self) -> dict[str, float]:
        """The bill, by who asks for it."""
        parts = dict.fromkeys(CALLS["`memory_edit`"].usd, 0.0)
        for name, number in CONVERSATION.items():
            for part, usd in CALLS[name].usd.items():
                parts[part] += self.conversations * number * usd
        parts["Lambda"] += self.conversations * self.cold * _COLD_SECONDS * PRICES["gb_second"]
        parts["storage"] = self.traces * (
            _TRACE_BYTES / 1e9 * MORE_PRICES["table_gb"] + _SEGMENT_BYTES / 1e9 * MORE_PRICES["bucket_gb"]
        )
        # X-Ray keeps the first request of each second and one in twenty of the others.
        first = min(self.calls, self.hours * 3600)
        parts["X-Ray"] = (first + (self.calls - first) / 20) * MORE_PRICES["xray_trace"]
        parts["metrics"] = METRICS * MORE_PRICES["metric"] * self.hours / _MONTH_HOURS
        return parts


MONTHS: Final[Mapping[str, Month]] = {
    "nobody calls": Month(conversations=0, traces=10_000, hours=0, cold=0),
    "one person, ten conversations a day": Month(conversations=300, traces=10_000, hours=200, cold=3),
    "1,000 people, one a day": Month(conversations=30_000, traces=1_000_000, hours=730, cold=0.2),
    "100,000 people, one a day": Month(conversations=3_000_000, traces=100_000_000, hours=730, cold=0.05),
}


def calls_table() -> str:
    """What a million calls of each kind cost."""
    names = list(CALLS["`memory_edit`"].usd)
    lines = ["| a million of | " + " | ".join(names) + " | in all |", "|---|" + "---:|" * (len(names) + 1)]
    for name, takes in CALLS.items():
        usd = [1e6 * one for one in takes.usd.values()]
        lines.append(f"| {name} | " + " | ".join(f"{one:,.2f}" if one else "–" for one in [*usd, sum(usd)]) + " |")
    return "\n".join(lines)


def months_table() -> str:
    """What each month costs."""
    bills = [month.usd for month in MONTHS.values()]
    alarms = ALARM_METRICS * MORE_PRICES["alarm_metric"] + MORE_PRICES["dashboard"]
    rows = {part: [bill[part] for bill in bills] for part in bills[0]}
    rows["**in all**"] = [sum(bill.values()) for bill in bills]
    rows["with alarms and dashboard"] = [sum(bill.values()) + alarms for bill in bills]
    lines = ["| US dollars a month | " + " | ".join(MONTHS) + " |", "|---|" + "---:|" * len(MONTHS)]
    lines += [f"| {part} | " + " | ".join(map(_dollars, amounts)) + " |" for part, amounts in rows.items()]
    return "\n".join(lines)


def _dollars(amount: float) -> str:
    return f"{amount:,.2f}" if amount < 100 else f"{amount:,.0f}"


def renewed(text: str) -> str:
    """The page with the tables of now."""
    for name, table in (("calls", calls_table()), ("months", months_table())):
        before, rest = text.split(f"<!-- {name} -->\n")
        text = f"{before}<!-- {name} -->\n{table}\n<!-- /{name} -->{rest.split(f'<!-- /{name} -->')[1]}"
    return text


def main() -> None:
    """Print the tables, or write them into the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bill", description="Price three examples of a month.")
    parser.add_argument("--write", action="store_true", help="renew the tables of docs/cost.md")
    if parser.parse_args().write:
        PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        print(calls_table(), months_table(), sep="\n\n")


if __name__ == "__main__":
    main()
