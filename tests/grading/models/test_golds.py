import pickle
from copy import deepcopy

import pytest

from snellen.grading.models.golds import Golds

SECRET = [["the secret"], ["another"], ["a third"]]


def test_no_text_of_golds_shows_a_reference() -> None:
    assert {repr(Golds(SECRET)), str(Golds(SECRET)), f"{Golds(SECRET)}"} == {"<3 references>"}


def test_golds_hold_the_sequence_that_they_are_given() -> None:
    column = list(SECRET)
    golds = Golds(Golds(column))
    column.append(["a fourth"])
    assert len(golds) == 4
    assert golds[3] is column[3]


def test_golds_are_equal_to_the_references_that_they_hold_and_to_no_others() -> None:
    golds = Golds(SECRET)
    assert golds == SECRET == Golds(tuple(SECRET))
    assert golds != SECRET[:2]
    assert golds != [*SECRET[:2], ["x"]]
    assert golds != 3


def test_a_part_of_golds_shows_no_reference_either() -> None:
    golds = Golds(SECRET)
    assert (repr(golds[1:]), golds[1:] == SECRET[1:]) == ("<2 references>", True)
    assert (repr(golds.at([2, 0])), golds.at([2, 0]) == [SECRET[2], SECRET[0]]) == (
        "<2 references>",
        True,
    )


def test_golds_go_to_no_other_process_and_no_file() -> None:
    golds = Golds(SECRET)
    with pytest.raises(TypeError, match="references can't be pickled"):
        pickle.dumps({"kept": golds})
    assert deepcopy([golds])[0] is golds
