"""The benchmark reads LoCoMo as its measure is defined, and measures right. The file here is invented."""

import json
from math import log2
from pathlib import Path
from typing import Any

import pytest

from benchmarks import locomo
from benchmarks.locomo import Client, Document, Measured, dialogue_ids, measure, percentile


def turn(number: str, speaker: str, text: str, **more: str) -> dict[str, str]:
    return {"speaker": speaker, "dia_id": number, "text": text, **more}


RECORD: dict[str, Any] = {
    "sample_id": "invented-1",
    "conversation": {
        "speaker_a": "Ida",
        "speaker_b": "Ole",
        # Not in the order of time, and with the date of a session that never was.
        "session_2_date_time": "12:05 am on 1 February, 2024",
        "session_2": [turn("D2:1", "Ida", "The kiln is fixed."), turn("D2:2", "Ole", "At last!")],
        "session_1_date_time": "3:30 pm on 31 January, 2024",
        "session_1": [
            turn("D1:1", "Ida", "My kiln broke.", blip_caption="a cracked kiln"),
            turn("D1:2", "Ole", "Oh no."),
        ],
        "session_3_date_time": "9:00 am on 2 March, 2024",
    },
    "observation": {
        "session_1_observation": {
            "Ida": [["Ida's kiln broke.", "D1:1"]],
            "Ole": [["Ole feels for Ida.", ["D1:1", "D1:2"]]],
        },
        "session_2_observation": {"Ida": [["Ida's kiln was fixed.", "D2:1"]]},
    },
    "qa": [
        {"question": "What broke?", "evidence": ["D:1:01"], "category": 4},
        {"question": "When was it fixed?", "evidence": ["D1:1; D2:1", "D9:9"], "category": 2},
        {"question": "Was Ole relieved?", "evidence": ["D2:2"], "category": 3},
        {"question": "Who stole it?", "evidence": ["D1:1"], "category": 5},
        {"question": "What else?", "evidence": [], "category": 1},
        {"question": "And then?", "evidence": ["D7:7"], "category": 1},
    ],
}


@pytest.mark.parametrize(
    ("given", "ids"),
    [
        ("D1:14", {"D1:14"}),
        (["D1:14", "D4:7"], {"D1:14", "D4:7"}),
        (["D:11:26"], {"D11:26"}),
        (["D30:05"], {"D30:5"}),
        (["D8:6; D9:17"], {"D8:6", "D9:17"}),
        (["D9:1 D4:4 D4:6"], {"D9:1", "D4:4", "D4:6"}),
        ("D4:17, D4:19", {"D4:17", "D4:19"}),
        (["D", ""], set()),
        ([], set()),
    ],
)
def test_ids_of_turns_are_repaired(given: str | list[str], ids: set[str]) -> None:
    assert dialogue_ids(given) == ids


def test_turns() -> None:
    (conversation,) = locomo.conversations([RECORD], "turns")
    assert conversation.name == "invented-1"
    assert conversation.documents == [
        Document("Ida: My kiln broke. (a cracked kiln)", "2024-01-31T15:30:00+00:00", frozenset({"D1:1"})),
        Document("Ole: Oh no.", "2024-01-31T15:30:00+00:00", frozenset({"D1:2"})),
        Document("Ida: The kiln is fixed.", "2024-02-01T00:05:00+00:00", frozenset({"D2:1"})),
        Document("Ole: At last!", "2024-02-01T00:05:00+00:00", frozenset({"D2:2"})),
    ]
    assert [(one.text, set(one.relevant)) for one in conversation.questions] == [
        ("What broke?", {0}),
        ("When was it fixed?", {0, 2}),
        ("Was Ole relieved?", {3}),
    ]


def test_facts_rest_on_turns_and_questions_without_one_are_left_out() -> None:
    (conversation,) = locomo.conversations([RECORD], "facts")
    assert [one.text for one in conversation.documents] == [
        "Ida's kiln broke.",
        "Ole feels for Ida.",
        "Ida's kiln was fixed.",
    ]
    assert [(one.text, set(one.relevant)) for one in conversation.questions] == [
        ("What broke?", {0, 1}),
        ("When was it fixed?", {0, 1, 2}),
    ]


IDEAL = sum(1 / log2(place + 1) for place in (1, 2, 3, 4))
MEASURES = ("recall@5", "recall@10", "hit@10", "ndcg@10")


@pytest.mark.parametrize(
    ("found", "relevant", "measures"),
    [
        ([*"xayzwb"], [*"abcd"], (0.25, 0.5, 1, (1 / log2(3) + 1 / log2(7)) / IDEAL)),
        ([*"cab"], [*"abc"], (1, 1, 1, 1)),
        ([], [*"abc"], (0, 0, 0, 0)),
        (["x"], [*"abc"], (0, 0, 0, 0)),
        ([*"0123456789a"], [*"abc"], (0, 0, 0, 0)),
        ([*"abcdefghij"], [*"abcdefghijklmnopqrst"], (0.25, 0.5, 1, 1)),
    ],
)
def test_measures_by_hand(found: list[str], relevant: list[str], measures: tuple[float, ...]) -> None:
    assert measure(found, frozenset(relevant)) == pytest.approx(dict(zip(MEASURES, measures, strict=True)))


def test_percentiles() -> None:
    values = [float(number) for number in range(100, 0, -1)]
    assert (percentile(values, 0.5), percentile(values, 0.95), percentile([7.0], 0.95)) == (50, 95, 7)


class FakeClient(Client):
    """Adds as memory_add does: one id a text, spelling aside."""

    def __init__(self) -> None:
        self.ids: dict[str, str] = {}
        self.calls: list[dict[str, Any]] = []

    def call(self, tool: str, arguments: Any) -> tuple[dict[str, Any], float]:
        self.calls.append({"tool": tool, **arguments})
        reply: dict[str, list[dict[str, str]]] = {"saved": [], "duplicates": []}
        for fact in arguments["facts"]:
            key = fact.casefold()
            kind = "duplicates" if key in self.ids else "saved"
            self.ids.setdefault(key, f"mt_{len(self.ids)}")
            reply[kind].append({"id": self.ids[key], "content": fact})
        return reply, 2.0


def test_adding_groups_by_session_in_calls_of_a_hundred_and_maps_duplicates() -> None:
    first = [Document(f"Fact {number}", "2024-01-31", frozenset()) for number in range(150)]
    later = [Document("fact 0", "2024-02-01", frozenset()), Document("New", "2024-02-01", frozenset())]
    client, measured = FakeClient(), Measured()
    ids = list(locomo.remember(client, first + later, measured))
    assert [(len(one["facts"]), one["occurredAt"]) for one in client.calls] == [
        (100, "2024-01-31"),
        (50, "2024-01-31"),
        (2, "2024-02-01"),
    ]
    assert ids == [*(f"mt_{number}" for number in range(150)), "mt_0", "mt_150"]
    assert (measured.adds, measured.facts) == (6.0, 152)


def test_the_report_has_the_keys_that_others_read() -> None:
    measured = Measured([measure(["a"], frozenset("a"))], [4.0], adds=10.0, facts=4)
    assert measured.report("facts") == {
        "corpus": "facts",
        "questions": 1,
        "recall@5": 1.0,
        "recall@10": 1.0,
        "hit@10": 1.0,
        "ndcg@10": 1.0,
        "add_ms_per_fact": 2.5,
        "search_ms_p50": 4.0,
        "search_ms_p95": 4.0,
    }


@pytest.mark.parametrize("content", ["no json", "[1]", json.dumps([{"sample_id": "x"}]), "{}"])
def test_a_file_of_another_kind_is_named(tmp_path: Path, content: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(content, "utf-8")
    with pytest.raises(SystemExit, match=r"other\.json cannot be read as a LoCoMo file"):
        locomo.main([str(path)])


def test_conversations_poured_together_keep_what_is_relevant_to_what() -> None:
    one, other = (locomo.conversations([RECORD], "turns")[0] for _ in range(2))
    (together,) = locomo.poured_together([one, other])
    texts = [document.text for document in together.documents]
    assert texts == [document.text for document in one.documents] * 2
    for question, original in zip(together.questions, one.questions + other.questions, strict=True):
        assert question.text == original.text
        assert {texts[place] for place in question.relevant} == {one.documents[at].text for at in original.relevant}
    assert min(min(question.relevant) for question in together.questions[len(one.questions) :]) >= len(one.documents)


def test_a_scope_is_filled_up_within_the_time_of_its_conversation() -> None:
    (conversation,) = locomo.conversations([RECORD], "turns")
    filled = locomo.filled_up(conversation, [f"sentence {number}" for number in range(1000)], 300)
    assert len(filled.documents) == 300
    assert filled.documents[: len(conversation.documents)] == conversation.documents
    assert filled.questions == conversation.questions
    moments = [document.occurred_at for document in filled.documents]
    assert (min(moments), max(moments)) == (moments[0], conversation.documents[-1].occurred_at)
    assert not any(document.turns for document in filled.documents[len(conversation.documents) :])
    assert locomo.filled_up(conversation, ["one"], 2).documents == conversation.documents


def test_results_are_counted_where_foreign_questions_were_asked() -> None:
    measured = Measured(measures=[measure(["a"], frozenset("a"))], searches=[1.0], adds=1.0, facts=1)
    assert "foreign_results_mean" not in measured.report("turns")
    measured.found, measured.found_foreign = [10, 5], [0, 0, 1]
    report = measured.report("turns")
    assert (report["own_results_mean"], report["foreign_results_mean"]) == (7.5, 0.333)
