"""The page about costs shows the tables of today, and each part of a bill grows with what it is for."""

from dataclasses import replace

from benchmarks import bill
from local.template import PATH, loaded


def test_the_page_has_the_tables_of_today() -> None:
    """To renew them: python -m benchmarks.bill --write."""
    text = bill.PAGE.read_text(encoding="utf-8")
    assert bill.renewed(text) == text


def test_nothing_but_storage_is_paid_for_while_nobody_calls() -> None:
    paid = {part: usd for part, usd in bill.MONTHS["nobody calls"].usd.items() if usd}
    assert set(paid) == {"storage"}


def test_a_month_of_twice_the_conversations_costs_twice_what_calls_cost() -> None:
    month = bill.Month(conversations=1_000, traces=0, hours=100, cold=0.5)
    once, twice = month.usd, replace(month, conversations=2_000).usd
    for part in ("HTTP API", "Lambda", "DynamoDB", "S3", "logs"):
        assert round(twice[part], 9) == round(2 * once[part], 9)
        assert once[part] > 0


def test_counting_hits_is_most_of_a_search() -> None:
    usd = bill.CALLS["`memory_search`, 10 hits"].usd
    assert usd["DynamoDB"] > sum(usd.values()) / 2


def test_each_metric_that_an_alarm_goes_by_is_paid_for() -> None:
    resources = loaded(PATH.read_text("utf-8"))["Resources"].values()
    alarms = [one["Properties"] for one in resources if one["Type"] == "AWS::CloudWatch::Alarm"]
    metrics = [one for alarm in alarms for one in alarm.get("Metrics", [{"MetricStat": alarm}]) if "MetricStat" in one]
    assert len(metrics) == bill.ALARM_METRICS
