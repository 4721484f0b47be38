"""Whose memory a call may touch."""

import re
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from memtools.domain.scope import Scope
from memtools.errors import Unscoped

# What separators, escapes, path steps and look-alikes could be confused by.
TRICKY = ["/", "%", ".", "..", "#", "%2F", "%2f", "%25", "+", " ", "\\", "\x00", "a", "A", "а", "é", "e\u0301", "ａ"]
names = (
    st.lists(st.sampled_from(TRICKY), min_size=1, max_size=4).map("".join) | st.text(min_size=1, max_size=8)
).filter(lambda name: bool(name.strip()))
scopes = st.builds(Scope, names, names)


@given(one=scopes, other=scopes)
def test_two_scopes_never_share_a_key(one: Scope, other: Scope) -> None:
    assert (one.key == other.key) == (one == other)


@given(one=names, other=names, third=names)
def test_moving_text_between_agent_and_user_makes_another_scope(one: str, other: str, third: str) -> None:
    for joint in ("", "/", "%2F", "#"):
        left, right = Scope(one + joint + other, third), Scope(one, other + joint + third)
        assert left.key != right.key


@given(one=names, other=names)
def test_agent_and_user_do_not_change_places(one: str, other: str) -> None:
    assume(one != other)
    assert Scope(one, other).key != Scope(other, one).key


@given(scope=scopes)
def test_each_name_is_one_harmless_step_of_a_path(scope: Scope) -> None:
    for part in (scope.agent_path, scope.user_path):
        assert re.fullmatch(r"[A-Za-z0-9_~%-]+", part)
    assert scope.key == f"{scope.agent_path}/{scope.user_path}"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("maria", "Maria"),
        ("é", "e\u0301"),
        ("a", "а"),  # Latin, Cyrillic
        ("u1", "u1 "),
        ("u1", "u1\u200b"),
        ("a/b", "a%2Fb"),
        ("..", "%2E%2E"),
        ("..", "."),
    ],
)
def test_names_are_compared_to_the_byte(one: str, other: str) -> None:
    assert Scope("agent", one).key != Scope("agent", other).key
    assert Scope(one, "user").key != Scope(other, "user").key


@pytest.mark.parametrize("name", ["", " ", "\n\t", "\u3000", None, 7, True, ["maria"], {"sub": "maria"}, b"maria"])
def test_a_caller_without_a_name_has_no_memory(name: Any) -> None:
    with pytest.raises(Unscoped) as user:
        Scope("agent", name)
    with pytest.raises(Unscoped) as agent:
        Scope(name, "user")
    assert (user.value.details["missing"], agent.value.details["missing"]) == ("user", "agent")


@pytest.mark.parametrize("name", ["\ud800", "maria\udfff"])
def test_a_name_that_is_no_text_is_refused_and_not_repeated(name: str) -> None:
    with pytest.raises(Unscoped) as refusal:
        Scope("agent", name)
    str(refusal.value.as_dict()).encode()
    assert refusal.value.details == {"invalid": "user"}


def test_a_name_may_have_400_bytes_when_encoded() -> None:
    assert len(Scope("a" * 400, "é" * 66).key) == 400 + 1 + 396
    for name in ("a" * 401, "é" * 67, "." * 134):
        with pytest.raises(Unscoped, match="too long"):
            Scope("agent", name)


@given(scope=scopes)
def test_folders_and_file_name_still_fit_into_an_s3_key(scope: Scope) -> None:
    assert len(scope.key.encode()) <= 801
