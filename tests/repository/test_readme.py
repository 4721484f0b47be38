"""What the README says about the tools is what the catalogue says."""

from memtools.catalogue import TOOLS

from local import tools_table

TEXT = tools_table.README.read_text("utf-8")


def test_the_table_is_the_catalogue() -> None:
    """To renew it: python -m local.tools_table --write."""
    assert tools_table.current(TEXT) == tools_table.table()


def test_the_table_has_a_row_a_tool() -> None:
    rows = tools_table.table().splitlines()[2:]
    assert [row.split("`")[1] for row in rows] == list(TOOLS)
    assert all(row.count(" | ") == 3 and row.endswith(". |") for row in rows)


def test_arguments_say_what_may_be_left_out() -> None:
    row = next(row for row in tools_table.table().splitlines() if "`memory_search`" in row)
    assert "| `query`, `limit?` = 10, `tags?`, `since?`, `until?`, `explain?` |" in row


def test_there_is_one_place_for_the_table() -> None:
    assert TEXT.count(tools_table.START) == TEXT.count(tools_table.END) == 1
