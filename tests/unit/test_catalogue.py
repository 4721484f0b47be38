"""What each tool takes, and how it says what is wrong."""

import json
from datetime import UTC, datetime, time
from time import tzset
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memtools.catalogue import TOOLS
from memtools.errors import InvalidArguments

SECRET = "marzipan-4711"
FITTING: dict[str, dict[str, Any]] = {
    "memory_search": {"query": "tea"},
    "memory_read": {},
    "memory_add": {"facts": ["Likes tea"]},
    "memory_edit": {"action": "add", "text": "Likes tea"},
    "memory_merge": {"traceIds": ["mt_1", "mt_2"]},
    "memory_list": {},
    "memory_history": {"target": "self"},
    "memory_duplicates": {},
    "memory_update": {"traceId": "mt_1", "content": "Likes tea"},
    "memory_delete": {"traceId": "mt_1"},
    "memory_restore": {"traceId": "mt_1"},
    "memory_unmerge": {"survivorId": "mt_1"},
}
EVERY_ARGUMENT = [(tool, name) for tool in FITTING for name in TOOLS[tool].argument_names]
every_tool = pytest.mark.parametrize("tool", sorted(FITTING))


def parsed(tool: str, **given_: Any) -> Any:
    return TOOLS[tool].parse({**FITTING[tool], **given_})


def refused(tool: str, **given_: Any) -> InvalidArguments:
    with pytest.raises(InvalidArguments) as refusal:
        parsed(tool, **given_)
    json.dumps(refusal.value.as_dict(), ensure_ascii=False).encode()
    return refusal.value


def named(error: InvalidArguments) -> list[str]:
    return [problem["argument"] for problem in error.details["arguments"]]


# What a model reads


def test_this_file_knows_every_tool() -> None:
    assert set(FITTING) == set(TOOLS)
    assert all(tool.name == name for name, tool in TOOLS.items())


@pytest.mark.parametrize("tool", sorted(TOOLS))
def test_every_tool_and_every_argument_is_described(tool: str) -> None:
    assert len(TOOLS[tool].description) > 100
    assert "  " not in TOOLS[tool].description
    for name, field in TOOLS[tool].arguments.model_fields.items():
        assert field.description, name


@pytest.mark.parametrize("tool", sorted(TOOLS))
def test_every_function_is_one_of_the_four(tool: str) -> None:
    assert TOOLS[tool].function in ("search", "add", "edit", "merge")


@pytest.mark.parametrize("tool", sorted(TOOLS))
def test_the_scope_is_never_an_argument(tool: str) -> None:
    for name in TOOLS[tool].argument_names:
        assert not any(word in name.lower() for word in ("agent", "userid", "scope", "namespace", "tenant"))


# Names


@every_tool
def test_valid_arguments_are_accepted(tool: str) -> None:
    TOOLS[tool].parse(FITTING[tool])


def test_both_spellings_of_a_name_are_accepted() -> None:
    assert parsed("memory_add", occurredAt="2026-03-01") == parsed("memory_add", occurred_at="2026-03-01")
    ids = ["mt_1", "mt_2"]
    snake = TOOLS["memory_merge"].parse({"trace_ids": ids, "merged_content": "x"})
    assert snake == TOOLS["memory_merge"].parse({"traceIds": ids, "mergedContent": "x"})


def test_two_spellings_of_one_name_at_once_are_refused() -> None:
    assert named(refused("memory_merge", trace_ids=["mt_3", "mt_4"])) == ["trace_ids"]


@every_tool
@pytest.mark.parametrize(
    "name", ["agent", "agentId", "user", "userId", "user_id", "scope", "namespace", "Facts", "limits", "__proto__", ""]
)
def test_unknown_arguments_are_refused_by_name(tool: str, name: str) -> None:
    error = refused(tool, **{name: SECRET})
    assert named(error) == [name]
    assert f"unknown argument `{name}`" in error.message
    assert all(known in error.message for known in TOOLS[tool].argument_names)


@every_tool
def test_a_name_that_is_no_text_is_refused(tool: str) -> None:
    refused(tool, **{"\ud800": 1})


@every_tool
@pytest.mark.parametrize("given_", [None, [], "facts", 7, True, [["facts", "x"]]])
def test_arguments_are_an_object(tool: str, given_: Any) -> None:
    with pytest.raises(InvalidArguments, match="JSON object"):
        TOOLS[tool].parse(given_)


@pytest.mark.parametrize(
    ("tool", "name"),
    [("memory_search", "query"), ("memory_add", "facts"), ("memory_edit", "action"), ("memory_merge", "traceIds")],
)
def test_a_missing_argument_is_named(tool: str, name: str) -> None:
    given_ = {key: value for key, value in FITTING[tool].items() if key != name}
    with pytest.raises(InvalidArguments, match=f"`{name}` is missing"):
        TOOLS[tool].parse(given_)


# Types


@pytest.mark.parametrize(
    ("tool", "name", "values"),
    [
        ("memory_search", "query", [None, 7, True, ["tea"], {"text": "tea"}]),
        ("memory_search", "limit", ["7", True, 7.5, [7], float("nan"), float("inf")]),
        ("memory_search", "tags", [7, {"a": 1}, True]),
        ("memory_search", "since", [7, True, 1e9, ["2026-03-01"]]),
        ("memory_search", "until", [7, True, 1e9, ["2026-03-01"]]),
        ("memory_read", "target", [7, ["soul"], "Soul", "memory", "MEMORY.md", "../SOUL.md", ""]),
        ("memory_add", "facts", [None, 7, True, {"fact": "tea"}]),
        ("memory_edit", "action", [None, 7, "", "append", "ADD"]),
        ("memory_edit", "target", [7, "soul", "SOUL.md", "agents"]),
        ("memory_merge", "traceIds", [None, 7, "mt_1", {"a": "b"}]),
        ("memory_list", "limit", ["7", True, 0, 101]),
        ("memory_list", "cursor", [7, True, ["x"], "x" * 1001]),
        ("memory_history", "target", [7, "soul", "SOUL.md"]),
        ("memory_update", "traceId", ["x" * 101]),
        ("memory_update", "tags", [7, True, {"a": 1}]),
        ("memory_delete", "reason", [7, True, "x" * 1001]),
        ("memory_unmerge", "survivorId", [None, 7, "", ["mt_1"]]),
        *((f"memory_{tool}", "traceId", [None, 7, "", ["mt_1"]]) for tool in ("update", "delete", "restore")),
        *((f"memory_{tool}", "version", ["7", True, 7.5, 0]) for tool in ("update", "delete", "restore")),
        *(("memory_edit", name, [7, True]) for name in ("text", "version")),
        *(("memory_add", name, [7, True]) for name in ("occurredAt", "expiresAt")),
        *((tool, name, [["x"]]) for tool, name in (("memory_edit", "text"), ("memory_update", "content"))),
        *((tool, name, [7, True]) for tool, name in (("memory_merge", "mergedContent"), ("memory_update", "content"))),
    ],
)
def test_a_value_of_the_wrong_type_is_refused_by_name(tool: str, name: str, values: list[Any]) -> None:
    for value in values:
        assert named(refused(tool, **{name: value})) == [name], value


@pytest.mark.parametrize(
    ("tool", "name", "value"),
    [
        ("memory_add", "facts", ["fine", None]),
        ("memory_add", "facts", ["fine", 7]),
        ("memory_add", "facts", ["fine", ["x"]]),
        ("memory_add", "tags", ["fine", True]),
        ("memory_search", "tags", ["fine", {}]),
        ("memory_merge", "traceIds", ["fine", 7]),
    ],
)
def test_a_wrong_part_of_a_list_is_refused_by_its_place(tool: str, name: str, value: list[Any]) -> None:
    assert named(refused(tool, **{name: value})) == [f"{name}.1"]


@pytest.mark.parametrize(("tool", "name"), EVERY_ARGUMENT)
@pytest.mark.parametrize("value", ["\ud800", "half \udfff of it", ["half \ud800"]])
def test_half_a_surrogate_pair_is_refused_by_name(tool: str, name: str, value: Any) -> None:
    [argument] = named(refused(tool, **{name: value}))
    assert argument.partition(".")[0] == name


def test_whole_surrogate_pairs_are_characters() -> None:
    assert parsed("memory_add", facts=json.loads('["\\ud83c\\udf75"]')).facts == ["🍵"]


# Numbers


@pytest.mark.parametrize(("value", "limit"), [(7, 7), (7.0, 7), (1, 1), (100, 100)])
def test_whole_numbers_are_taken(value: float, limit: int) -> None:
    taken = parsed("memory_search", limit=value).limit
    assert (taken, type(taken)) == (limit, int)


@pytest.mark.parametrize("value", [0, -1, 101, 101.0, 10**30, -0.0, 1e300])
def test_a_limit_is_from_1_to_100(value: float) -> None:
    assert named(refused("memory_search", limit=value)) == ["limit"]


# Lists


def test_a_bare_string_is_one_fact() -> None:
    assert parsed("memory_add", facts="abc").facts == ["abc"]


def test_a_bare_string_is_one_tag() -> None:
    assert parsed("memory_add", tags="food").tags == ["food"]
    assert parsed("memory_search", tags="food").tags == ["food"]


def test_a_call_can_have_from_0_to_100_facts() -> None:
    assert parsed("memory_add", facts=[]).facts == []
    assert len(parsed("memory_add", facts=["x"] * 100).facts) == 100
    assert named(refused("memory_add", facts=["x"] * 101)) == ["facts"]


@given(facts=st.lists(st.text(), max_size=5))
def test_facts_are_taken_to_the_letter(facts: list[str]) -> None:
    assert parsed("memory_add", facts=facts).facts == facts


def test_tags_are_trimmed_and_distinct() -> None:
    assert parsed("memory_add", tags=[" food ", "", "food", " ", "Food"]).tags == ["food", "Food"]


def test_tags_have_bounds() -> None:
    assert len(parsed("memory_add", tags=[f"t{number}" for number in range(50)]).tags) == 50
    assert named(refused("memory_add", tags=[f"t{number}" for number in range(51)])) == ["tags"]
    assert parsed("memory_add", tags=["x" * 100]).tags == ["x" * 100]
    assert named(refused("memory_add", tags=["x" * 101])) == ["tags.0"]


def test_a_merge_takes_2_to_50_distinct_ids() -> None:
    many = [f"mt_{number}" for number in range(51)]
    assert parsed("memory_merge", traceIds=many[:50]).trace_ids == many[:50]
    for ids in ([], ["mt_1"], many, ["mt_1", "mt_1"], ["mt_1", "mt_2", "mt_1"]):
        assert named(refused("memory_merge", traceIds=ids)) == ["traceIds"]


def test_the_length_of_an_id_is_limited() -> None:
    for name in ("", "x" * 101):
        assert named(refused("memory_merge", traceIds=["mt_1", name])) == ["traceIds.1"]


def test_the_length_of_a_query_is_limited() -> None:
    assert parsed("memory_search", query="x" * 10_000).query == "x" * 10_000
    for text in ("", "x" * 10_001):
        assert named(refused("memory_search", query=text)) == ["query"]


# Dates


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-11-30", datetime(2026, 11, 30, tzinfo=UTC)),
        ("2026-11-30T17:45:00Z", datetime(2026, 11, 30, 17, 45, tzinfo=UTC)),
        ("2026-11-30T17:45:00+02:00", datetime(2026, 11, 30, 15, 45, tzinfo=UTC)),
        ("2026-11-30T23:45-05:00", datetime(2026, 12, 1, 4, 45, tzinfo=UTC)),
        ("2026-11-30T17:45:00", datetime(2026, 11, 30, 17, 45, tzinfo=UTC)),
        ("2026-11-30 17:45", datetime(2026, 11, 30, 17, 45, tzinfo=UTC)),
        (" 2026-11-30T17:45:00.123456Z ", datetime(2026, 11, 30, 17, 45, 0, 123456, tzinfo=UTC)),
    ],
)
def test_a_moment_is_taken_in_utc(text: str, moment: datetime) -> None:
    taken = parsed("memory_add", occurredAt=text, expiresAt=text)
    assert (taken.occurred_at, taken.expires_at) == (moment, moment)
    assert taken.occurred_at.tzinfo is UTC
    assert parsed("memory_search", since=text).since == moment


def test_a_moment_without_an_offset_is_in_utc_wherever_the_program_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "Asia/Tokyo")
        tzset()
        taken = parsed("memory_add", occurredAt="2026-11-30T17:45")
        day = parsed("memory_search", until="2026-11-30")
    tzset()
    assert taken.occurred_at == datetime(2026, 11, 30, 17, 45, tzinfo=UTC)
    assert day.until.date() == datetime(2026, 11, 30, tzinfo=UTC).date()


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "yesterday", "30.11.2026", "2026-13-01", "2026-02-30", "2026-11-30T25:00", "1764460800"),
        *("0001-01-01T00:00:00+05:00", "9999-12-31T23:59:59-05:00"),
    ],
)
@pytest.mark.parametrize(
    ("tool", "name"),
    [("memory_add", "occurredAt"), ("memory_add", "expiresAt"), ("memory_search", "since"), ("memory_search", "until")],
)
def test_what_is_no_moment_is_refused_with_an_example(tool: str, name: str, text: str) -> None:
    error = refused(tool, **{name: text})
    assert named(error) == [name]
    assert "2026-11-30T17:45:00Z" in error.message


@pytest.mark.parametrize("text", ["2026-11-30", " 2026-11-30 ", "20261130"])
def test_an_end_given_as_a_date_means_its_whole_day(text: str) -> None:
    assert parsed("memory_search", until=text).until == datetime.combine(datetime(2026, 11, 30), time.max, UTC)  # noqa: DTZ001


@pytest.mark.parametrize(
    "text", ["2026-11-30T17:45:00Z", "2026-11-30 17:45", "20261130T1745", "2026-11-30t17", "2026-11-30T17"]
)
def test_an_end_given_as_a_time_means_that_time(text: str) -> None:
    assert parsed("memory_search", until=text).until.hour == 17


def test_absent_moments_stay_absent() -> None:
    taken = parsed("memory_search", since=None)
    assert (taken.since, taken.until) == (None, None)


# Edits


@pytest.mark.parametrize("action", ["add", "replace", "remove"])
@pytest.mark.parametrize("text", [{}, {"text": ""}, {"text": None}])
def test_an_edit_needs_its_text(action: str, text: dict[str, Any]) -> None:
    with pytest.raises(InvalidArguments, match="`text` is missing or empty"):
        TOOLS["memory_edit"].parse({"action": action, **text, **({"with": "x"} if action == "replace" else {})})


def test_a_replacement_needs_with() -> None:
    assert "`with` is missing" in refused("memory_edit", action="replace").message
    assert parsed("memory_edit", action="replace", **{"with": ""}).with_ == ""
    assert parsed("memory_edit", action="replace", **{"with": " \n"}).with_ == " \n"


@pytest.mark.parametrize("action", ["add", "remove"])
def test_only_a_replacement_accepts_with(action: str) -> None:
    assert "`with` is only for `replace`" in refused("memory_edit", action=action, **{"with": "x"}).message


def test_an_undo_accepts_neither_text_nor_with() -> None:
    assert TOOLS["memory_edit"].parse({"action": "undo"}) == TOOLS["memory_edit"].parse(
        {"action": "undo", "text": None}
    )
    assert "`undo` does not take `text`" in refused("memory_edit", action="undo", text="x").message
    assert "`undo` does not take `text`" in refused("memory_edit", action="undo", text="").message
    with pytest.raises(InvalidArguments, match="`with` is only for `replace`"):
        TOOLS["memory_edit"].parse({"action": "undo", "with": "x"})


def test_details_name_the_invalid_argument_of_an_edit() -> None:
    assert named(refused("memory_edit", text="")) == ["text"]
    assert named(refused("memory_edit", action="replace")) == ["with"]


def test_an_edit_is_of_the_notes_by_default() -> None:
    assert parsed("memory_edit").target == "self"
    assert parsed("memory_edit", target="user").target == "user"


def test_read_returns_the_soul_by_default() -> None:
    assert parsed("memory_read").target == "soul"
    assert {parsed("memory_read", target=target).target for target in ("soul", "self", "user")} == {
        "soul",
        "self",
        "user",
    }


def test_the_text_of_an_edit_is_taken_to_the_letter() -> None:
    taken = parsed("memory_edit", action="replace", text="  a\\n$1 ", **{"with": "\tb  "})
    assert (taken.text, taken.with_) == ("  a\\n$1 ", "\tb  ")


# Changes and their history


def test_an_update_needs_something_to_change() -> None:
    with pytest.raises(InvalidArguments, match="`content`, `tags` or both"):
        TOOLS["memory_update"].parse({"traceId": "mt_1"})
    for blank in ("", " ", "\n\u3000"):
        assert "`content` is blank" in refused("memory_update", content=blank).message
        assert "`content` is blank" in refused("memory_update", content=blank, tags=["x"]).message


def test_an_update_can_remove_all_tags() -> None:
    taken = TOOLS["memory_update"].parse({"traceId": "mt_1", "tags": []})
    assert taken == TOOLS["memory_update"].parse({"trace_id": "mt_1", "tags": [" "], "content": None})


def test_a_version_is_a_whole_number() -> None:
    for tool in ("memory_update", "memory_delete", "memory_restore"):
        assert parsed(tool, version=7.0).version == 7
        assert type(parsed(tool, version=7.0).version) is int


def test_a_history_is_of_a_memory_or_of_a_document() -> None:
    for given_ in ({}, {"traceId": "mt_1", "target": "self"}):
        with pytest.raises(InvalidArguments, match="either `traceId` or `target`"):
            TOOLS["memory_history"].parse(given_)
    TOOLS["memory_history"].parse({"trace_id": "mt_1"})


# What is told


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.just(SECRET) | st.just(SECRET + "\ud800"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.just(SECRET), inner, max_size=1),
    max_leaves=6,
)


@given(data=st.data())
def test_any_values_are_taken_or_refused_without_being_repeated(data: st.DataObject) -> None:
    tool = TOOLS[data.draw(st.sampled_from(sorted(FITTING)))]
    names = data.draw(st.sets(st.sampled_from([*tool.argument_names, "user"]), min_size=1))
    given_ = {**FITTING[tool.name], **{name: data.draw(json_values) for name in sorted(names)}}
    try:
        tool.parse(given_)
    except InvalidArguments as error:
        told = json.dumps(error.as_dict(), ensure_ascii=False)
        told.encode()
        assert "marzipan" not in told
        assert "Traceback" not in told
        assert "pydantic" not in told


def test_all_invalid_arguments_are_named_at_once() -> None:
    error = refused("memory_search", query=7, limit=0, user="x")
    assert sorted(named(error)) == ["limit", "query", "user"]
    assert error.message.startswith("Invalid arguments for memory_search: ")
