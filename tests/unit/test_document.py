"""The soul, composed of documents."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memtools.domain.document import ABSENT, FILES, SOUL, Document, Target, compose

from tests.examples import share


def documents(*names: str) -> dict[str, Document]:
    return {name: Document(name=name, text=f"text of {name}", version=f"v-{name}") for name in names}


def test_the_soul_has_a_fixed_order() -> None:
    expected = ["AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md", "TOOLS.md", "HEARTBEAT.md", "MEMORY.md"]
    text, _, found = compose(documents(*reversed(expected)))
    assert found == expected
    assert text == "\n\n".join(f"## {name}\n\ntext of {name}" for name in expected)


def test_sections_are_trimmed_and_otherwise_to_the_letter() -> None:
    document = Document(name="SOUL.md", text="\n\n# Me\n\n- a  \n\n\n- b\r\n\n", version="1")
    assert compose({"SOUL.md": document})[0] == "## SOUL.md\n\n# Me\n\n- a  \n\n\n- b"


def test_without_documents_the_soul_is_empty() -> None:
    assert compose({}) == ("", ABSENT, [])


def test_other_documents_are_not_in_the_soul() -> None:
    assert compose(documents("SECRET.md", "memory.md")) == ("", ABSENT, [])


@share(50)
@given(names=st.sets(st.sampled_from(SOUL)))
def test_found_names_exactly_the_sections_of_the_text(names: set[str]) -> None:
    text, version, found = compose(documents(*names))
    assert found == [name for name in SOUL if name in names]
    assert [line.removeprefix("## ") for line in text.split("\n") if line.startswith("## ")] == found
    assert (version == ABSENT) == (not names)


@pytest.mark.parametrize("name", SOUL)
def test_the_version_changes_with_every_part(name: str) -> None:
    whole = documents(*SOUL)
    version = compose(whole)[1]
    assert compose(whole)[1] == version
    assert compose({**whole, name: replace(whole[name], version="v2")})[1] != version
    assert compose({other: document for other, document in whole.items() if other != name})[1] != version


def test_versions_that_change_places_make_another_soul() -> None:
    one = {
        name: Document(name=name, text="", version=version) for name, version in (("SOUL.md", "1"), ("USER.md", "2"))
    }
    other = {
        name: Document(name=name, text="", version=version) for name, version in (("SOUL.md", "2"), ("USER.md", "1"))
    }
    assert compose(one)[1] != compose(other)[1]


def test_the_same_version_under_another_name_is_another_soul() -> None:
    versions = {compose({name: Document(name=name, text="", version="1")})[1] for name in SOUL}
    assert len(versions) == len(SOUL)


def test_tools_change_the_documents_of_the_user_alone() -> None:
    assert FILES == {Target.SELF: "MEMORY.md", Target.USER: "USER.md"}
    assert set(FILES.values()) <= set(SOUL)
