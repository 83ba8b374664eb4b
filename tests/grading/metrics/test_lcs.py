import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.metrics.lcs import Trace, lcs_length, lcs_lengths, spell, trace

tokens = st.lists(st.sampled_from("abcde"), max_size=15)


def table(rows: list[str], columns: list[str]) -> list[list[int]]:
    lengths = [[0] * (len(columns) + 1)]
    for row in rows:
        line = [0]
        for number, column in enumerate(columns):
            above = lengths[-1]
            line.append(
                above[number] + 1 if row == column else max(above[number + 1], line[number])
            )
        lengths.append(line)
    return lengths


def walked(rows: list[str], columns: list[str]) -> list[str]:
    lengths = table(rows, columns)
    row, column = len(rows), len(columns)
    taken: list[str] = []
    while row and column:
        if rows[row - 1] == columns[column - 1]:
            row, column = row - 1, column - 1
            taken.append(rows[row])
        elif lengths[row - 1][column] > lengths[row][column - 1]:
            row -= 1
        else:
            column -= 1
    return taken


@given(tokens, tokens)
def test_the_length_is_that_of_the_table(first: list[str], second: list[str]) -> None:
    assert lcs_length(first, second) == table(first, second)[-1][-1]


@given(tokens, tokens)
def test_the_trace_takes_what_the_walk_through_the_table_takes(
    rows: list[str], columns: list[str]
) -> None:
    common = set(rows) & set(columns)
    found = trace(rows, [token for token in columns if token in common], common)
    assert found.tokens == walked(rows, columns)


@given(tokens, tokens)
def test_the_trace_says_where_its_first_token_stands(rows: list[str], columns: list[str]) -> None:
    common = set(rows) & set(columns)
    kept_rows = [token for token in rows if token in common]
    kept_columns = [token for token in columns if token in common]
    found = trace(rows, kept_columns, common)
    if found.tokens:
        assert kept_rows[found.row - 1] == kept_columns[found.column - 1] == found.tokens[-1]
    else:
        assert found == Trace([], 0, 0)


@given(st.lists(st.tuples(tokens, tokens), max_size=5))
def test_many_lengths_are_the_lengths_of_each(pairs: list[tuple[list[str], list[str]]]) -> None:
    which = np.arange(len(pairs))
    first = ["".join(one) for one, _ in pairs]
    second = ["".join(other) for _, other in pairs]
    lengths = lcs_lengths(first, which, second, which)
    assert lengths.tolist() == [lcs_length(one, other) for one, other in pairs]


def test_nothing_has_nothing_in_common() -> None:
    assert lcs_length([], ["a"]) == lcs_length(["a"], []) == lcs_length([], []) == 0
    assert trace([], [], set()) == Trace([], 0, 0)


def test_numbers_are_spelled_around_the_surrogates() -> None:
    numbers = np.array([0, 1, 0xD7FF, 0xD800, 0x10F7FF])
    assert spell(numbers) == "\0\1\ud7ff\ue000\U0010ffff"


@pytest.mark.slow
def test_more_tokens_than_characters_are_still_told_apart() -> None:
    many = [str(number) for number in range(1_200_000)]
    assert lcs_length(["-1", many[-1], many[-2]], many) == 1


@pytest.mark.parametrize("length", [10, 63, 64, 65, 300])
def test_a_sequence_is_its_own_longest_subsequence(length: int) -> None:
    sequence = [f"w{number % 50}" for number in range(length)]
    assert lcs_length(sequence, sequence) == length
    assert trace(sequence, sequence, set(sequence)).tokens == sequence[::-1]
