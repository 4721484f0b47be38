"""What a search costs as a scope grows: AWS calls, units, bytes, time and money for 1,000 to 100,000 traces.

    python -m benchmarks.scale [--sizes N ...] [--json] [--plot [FILE.png]]

Each scope is searched in a process of its own, through the adapters, against emulated AWS, where calls are counted at
the client. The segment there is of full size; the table holds those traces only that the questions hit, since no search
reads another one. ``warm_ms`` is a call without AWS and embedding: the same searches once more, with the store's
answers and the questions' vectors at hand. ``ready_ms`` is the time from a segment's bytes to an index, and
``usd_per_million`` what a million warm searches cost by PRICES.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import boto3
from memtools.adapters.aws import to_dynamodb
from memtools.adapters.segments import S3Segments
from memtools.adapters.table.traces import trace_key
from memtools.adapters.values import attributes
from memtools.domain.scope import Scope
from memtools.embedding.minilm import MiniLM
from memtools.freshness.segment import Segment
from rich.console import Console
from rich.table import Table

from benchmarks.scaling import scope as made_up
from local import store
from local.environments import environment
from local.template import ROOT, Template

SIZES: Final = (1_000, 10_000, 100_000)
PICTURE: Final = ROOT / "docs" / "pictures" / "scale.png"
_PINS: Final = ROOT / "benchmarks" / "plot-constraints.txt"
_QUESTIONS = 200
# List prices of us-east-1 in US dollars, as of November 2026.
PRICES: Final = {
    "read_unit": 0.125e-6,  # DynamoDB, on demand
    "write_unit": 0.625e-6,
    "call": 0.20e-6,  # Lambda, arm64
    "gb_second": 13.3334e-6,
}
_MEMORY_GB = 1
_ROUND_TRIP_MS = 5  # assumed: DynamoDB answers within single-digit milliseconds


def usd_per_million(measured: Mapping[str, float]) -> float:
    """A million warm searches: their units, and the time that Lambda bills, which is measured but for the waiting."""
    waiting = _ROUND_TRIP_MS * measured["sequential_round_trips"]
    seconds = (measured["warm_ms_p50"] + measured["embed_ms_p50"] + waiting) / 1000
    return 1e6 * (
        measured["read_units"] * PRICES["read_unit"]
        + measured["write_units"] * PRICES["write_unit"]
        + PRICES["call"]
        + seconds * _MEMORY_GB * PRICES["gb_second"]
    )


def measure(template: Template, size: int) -> dict[str, Any]:
    """Make a scope of this size, and have it searched."""
    scope = Scope(f"scale-{size}", "user")
    model = MiniLM.load()
    kept = {trace.id: trace for trace in made_up.traces(scope, size, model)}
    index = made_up.index_of(list(kept.values()))
    asked = made_up.questions(index, model, _QUESTIONS, float(template.environment["RELEVANCE_FLOOR"]))
    S3Segments(boto3.client("s3"), template.environment["BUCKET_NAME"]).save(
        scope, Segment(index.base, datetime.now(UTC)).to_bytes(), None
    )
    dynamodb = boto3.client("dynamodb")
    for name in {name for _, hits in asked for name in hits}:
        item = {**trace_key(scope, name), **to_dynamodb(attributes(kept[name]))}
        dynamodb.put_item(TableName=template.environment["TABLE_NAME"], Item=item)
    measured = _searched(scope, [question for question, _ in asked])
    per_trace = measured.pop("segment_bytes") / size
    usd = usd_per_million(measured)
    return {
        "traces": size,
        **measured,
        "segment_bytes_per_trace": round(per_trace, 1),
        "usd_per_million": round(usd, 2),
    }


def _searched(scope: Scope, questions: Sequence[str]) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.scaling.search", scope.agent],
        input="\n".join(questions),
        cwd=ROOT,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    measured: dict[str, Any] = json.loads(done.stdout)
    return measured


def _print(reports: Sequence[Mapping[str, Any]]) -> None:
    table = Table(title="A search, by the size of its scope")
    table.add_column("")
    for report in reports:
        table.add_column(f"{report['traces']:,} traces", justify="right")
    for name in list(reports[0])[1:]:
        table.add_row(name.replace("_", " "), *(str(report[name]) for report in reports))
    Console().print(table)


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description="Measure what a search costs.")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, metavar="N", help="traces a scope")
    parser.add_argument("--json", action="store_true", help="one JSON object a size")
    parser.add_argument("--plot", type=Path, nargs="?", const=PICTURE, metavar="FILE", help="also draw a picture")
    return parser.parse_args(given)


def main(given: Sequence[str] | None = None) -> None:
    """Measure each size, the smallest first."""
    options = _arguments(given)
    template = Template()
    reports = []
    with store.endpoint(), store.environment(template.environment):
        store.create(template)
        for size in sorted(options.sizes):
            reports.append(measure(template, size))
            if options.json:
                print(json.dumps(reports[-1]), flush=True)
    if not options.json:
        _print(reports)
    if options.plot:
        options.plot.parent.mkdir(parents=True, exist_ok=True)
        command = [str(environment("plot", _PINS)), "-m", "benchmarks.scaling.plot", str(options.plot)]
        subprocess.run(command, input=json.dumps(reports), cwd=ROOT, check=True, text=True)


if __name__ == "__main__":
    main()
