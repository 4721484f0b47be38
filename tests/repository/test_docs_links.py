"""Every page is found from another one, and what pages refer to is there: files, headings, tests, parameters."""

import re
from functools import cache
from pathlib import Path

import pytest

from local.template import PATH, ROOT, loaded

DOCS = sorted((ROOT / "docs").rglob("*.md"))
PAGES = [*sorted(ROOT.glob("*.md")), *DOCS]
OPERATIONS = [
    ROOT / "docs" / f"{name}.md" for name in ("operations", "cost", "limits", "backup", "security", "upgrading")
]

each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


@cache
def prose(page: Path) -> str:
    """The page without its blocks of code."""
    return re.sub(r"^ *```.*?^ *```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


@cache
def links(page: Path) -> list[tuple[Path, str]]:
    """The files and the headings that the page links to, in this repository."""
    found = []
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if not re.match(r"[a-z]+:", target):
            path, _, heading = target.partition("#")
            found.append(((page.parent / path).resolve() if path else page, heading))
    return found


@cache
def headings(page: Path) -> set[str]:
    """The headings of a page as GitHub makes anchors of them."""
    titles = re.findall(r"^#+ +(.+?) *$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@each_page
def test_what_a_page_links_to_is_there(page: Path) -> None:
    assert [str(target) for target, _ in links(page) if not target.exists()] == []


@each_page
def test_headings_that_a_page_links_to_are_there(page: Path) -> None:
    pointed = [(target, heading) for target, heading in links(page) if heading and target.suffix == ".md"]
    assert [(str(target), heading) for target, heading in pointed if heading not in headings(target)] == []


@pytest.mark.parametrize("page", DOCS, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_is_found_from_the_readme_or_another_page(page: Path) -> None:
    folder = page.parent
    found = {target for other in PAGES if other != page for target, _ in links(other)}
    assert page in found or (folder.name == "decisions" and folder in found)


@pytest.mark.parametrize("page", OPERATIONS, ids=lambda page: page.stem)
def test_the_readme_leads_to_the_pages_for_whoever_runs_it(page: Path) -> None:
    assert page in {target for target, _ in links(ROOT / "README.md")}


@each_page
def test_tests_that_a_page_names_are_there(page: Path) -> None:
    for path, name in re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", page.read_text(encoding="utf-8")):
        assert (ROOT / path).exists(), path
        assert not name or f"def {name}(" in (ROOT / path).read_text(encoding="utf-8"), f"{path}::{name}"


@pytest.mark.parametrize("page", OPERATIONS, ids=lambda page: page.stem)
def test_lines_of_prose_stay_within_the_width_of_the_others(page: Path) -> None:
    lines = prose(page).splitlines()
    assert [line for line in lines if len(line) > 121 and not line.startswith(("|", " ", "<!--"))] == []


def test_the_readme_has_every_parameter_of_the_template() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    parameters = loaded(PATH.read_text("utf-8"))["Parameters"]
    assert [str(name) for name in parameters if not re.search(f"`{name}[`=]", text)] == []
