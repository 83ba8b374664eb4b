"""Markdown of texts from outside, read back by a parser of its own."""

import re

from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.markdown import code_text, plain_text, prose_text, table_lines

TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]) | st.just("\n"))


def shown(line: str) -> list[str]:
    """Split a row at its bars and undo the escapes, as CommonMark says."""
    cells = re.findall(r"((?:\\.|[^|\\])*)\|", line.removeprefix("|"))
    return [re.sub(r"\\(.)", r"\1", cell).strip() for cell in cells]


@given(st.lists(TEXTS, min_size=2, max_size=2))
def test_whatever_is_in_a_cell_is_shown_on_its_one_line(row: list[str]) -> None:
    _, rule, line = table_lines(["name", "value"], [row])
    assert rule == "|---|---:|"
    assert len(line.splitlines()) == 1
    assert shown(line) == [" ".join(cell.split()) for cell in row]


@given(TEXTS)
def test_no_markup_is_left_bare(text: str) -> None:
    assert not re.search(r"(?<!\\)(?:\\\\)*[`*_|<>\[\]&]", plain_text(text))


def test_only_code_is_markup_in_a_sentence() -> None:
    assert prose_text("`a_b` of\n<i> and `") == r"`a_b` of \<i\> and \`"


def test_columns_of_text_stand_on_the_left() -> None:
    assert list(table_lines(["a", "b", "c"], [], texts=(0, 2)))[1] == "|---|---:|---|"
    assert list(table_lines(["k", "n"], [], texts=()))[1] == "|---:|---:|"


@given(TEXTS)
def test_code_ends_where_its_text_does(text: str) -> None:
    assert "`" not in code_text(text)[1:-1]
    assert len(code_text(text).splitlines()) == 1
