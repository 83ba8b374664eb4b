"""WebRSSBench position relationships (task T1)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.parse.relations import (
    Pair,
    Relation,
    canonical,
    invert,
    relations,
    undirected,
)

NAMES = ["crop_1", "crop_2", "crop_3", "crop_10"]


def read(text: str) -> Relation | None:
    """Read what a text states of crop_1 and crop_2."""
    return relations(text, ["crop_1", "crop_2"]).get(Pair("crop_1", "crop_2"))


@pytest.mark.parametrize("relation", list(Relation))
def test_the_demanded_line_states_every_label(relation: Relation) -> None:
    assert read(f"crop_1 is at the [{relation}] of crop_2") is relation
    assert read(f"crop_1 is at the {relation} of crop_2") is relation


@pytest.mark.parametrize("relation", list(Relation))
def test_the_other_order_states_the_inverse(relation: Relation) -> None:
    assert read(f"crop_2 is at the [{relation}] of crop_1") is invert(relation)


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("- crop_1 is at the left of crop_2.", Relation.LEFT),
        ("1. **crop 1** is at the (right) of **crop 2**", Relation.RIGHT),
        ("* crop_1.png is at the [top left] of crop_2.png", Relation.TOP_LEFT),
        ("CROP-1 is at the topleft of Crop2", Relation.TOP_LEFT),
        ("[crop_1] is at the upper-left of [crop_2]", Relation.TOP_LEFT),
        ("crop_1 is at the lower right of crop_2", Relation.BOTTOM_RIGHT),
        ("crop_1 is at the bottomright of crop_2", Relation.BOTTOM_RIGHT),
        ("crop_1 is above crop_2", Relation.TOP),
        ("crop_1 is directly below crop_2", Relation.BOTTOM),
        ("crop_1 is above and to the left of crop_2", Relation.TOP_LEFT),
        ("crop_1 is inside crop_2", Relation.INSIDE),
        ("crop_1 is contained in crop_2", Relation.INSIDE),
        ("crop_1 contains crop_2", Relation.CONTAIN),
        ("crop_1 overlaps with crop_2", Relation.OVERLAP),
        ("(crop_1, crop_2): top-right", Relation.TOP_RIGHT),
        ("crop_2 is inside crop_1", Relation.CONTAIN),
        ("crop_1 is left of crop_2 (no overlap)", Relation.LEFT),
        ("crop_1 does not overlap crop_2", None),
        ("crop_1 doesn't completely overlap crop_2", None),
        ("crop_1 is to the left or right of crop_2", None),
        ("crop_1 is at the left of crop_1", None),
        ("crop_1 is next to crop_2", None),
        ("crop_1 is at the left of crop_9", None),
        ("crop_1, crop_2 and crop_9 are at the left", None),
        ("left", None),
        ("", None),
    ],
)
def test_tolerated_spellings(text: str, relation: Relation | None) -> None:
    assert read(text) is relation


def test_the_first_line_that_states_a_relation_counts() -> None:
    text = "crop_1 is near crop_2\ncrop_1 is at the top of crop_2\ncrop_1 is at the left of crop_2"
    assert read(text) is Relation.TOP


def test_pairs_are_kept_in_the_order_of_strings() -> None:
    # As strings crop_10 comes before crop_2.
    assert relations("crop_2 is at the left of crop_10", NAMES) == {
        Pair("crop_10", "crop_2"): Relation.RIGHT
    }


def test_crop_1_is_not_found_in_crop_10() -> None:
    assert relations("crop_10 is at the left of crop_2", NAMES) == {
        Pair("crop_10", "crop_2"): Relation.LEFT
    }


def test_a_whole_page_is_read() -> None:
    text = """crop_1 is at the [top-left] of crop_2
    crop_1 is at the [top] of crop_3
    crop_2 is at the [overlap] of crop_3
    crop_7 is at the [left] of crop_8
    Done."""
    assert relations(text, NAMES) == {
        ("crop_1", "crop_2"): Relation.TOP_LEFT,
        ("crop_1", "crop_3"): Relation.TOP,
        ("crop_2", "crop_3"): Relation.OVERLAP,
    }


def test_names_with_an_extension_keep_it_in_the_keys() -> None:
    names = ["crop_1.png", "crop_2.png"]
    assert relations("crop 1 is above crop 2", names) == {
        ("crop_1.png", "crop_2.png"): Relation.TOP
    }


def test_fewer_than_two_names_have_no_pairs() -> None:
    assert relations("crop_1 is above crop_2", ["crop_1"]) == {}
    assert relations("anything", []) == {}
    assert relations("anything", ["", "a"]) == {}


# BENCHMARKS 1.4: left-right, top-bottom, corners diagonal; overlap its own inverse.
@pytest.mark.parametrize(
    ("relation", "inverse"),
    [
        (Relation.LEFT, Relation.RIGHT),
        (Relation.TOP, Relation.BOTTOM),
        (Relation.TOP_LEFT, Relation.BOTTOM_RIGHT),
        (Relation.TOP_RIGHT, Relation.BOTTOM_LEFT),
        (Relation.OVERLAP, Relation.OVERLAP),
        (Relation.CONTAIN, Relation.INSIDE),
    ],
)
def test_the_inverse_map(relation: Relation, inverse: Relation) -> None:
    assert invert(relation) is inverse


@given(st.sampled_from(Relation))
def test_inverting_twice_changes_nothing(relation: Relation) -> None:
    assert invert(invert(relation)) is relation


@given(st.sampled_from(Relation))
def test_only_inside_becomes_contain_for_scoring(relation: Relation) -> None:
    expected = Relation.CONTAIN if relation is Relation.INSIDE else relation
    assert undirected(relation) is expected
    assert undirected(relation) is not Relation.INSIDE


@given(
    st.dictionaries(
        st.tuples(st.text(max_size=3), st.text(max_size=3)), st.sampled_from(Relation), max_size=5
    )
)
def test_canonical_keys_are_ordered_and_canonical_again(
    given_: dict[tuple[str, str], Relation],
) -> None:
    ordered = canonical(given_)
    assert all(pair.first <= pair.second for pair in ordered)
    assert canonical({(pair.first, pair.second): held for pair, held in ordered.items()}) == ordered


@given(
    st.one_of(
        st.text(),
        st.lists(
            st.sampled_from(
                [*NAMES, *Relation, "is at the", "of", "\n", "[", "]", "crop_9", "not", ".", "no"]
            ),
            max_size=25,
        ).map(" ".join),
    ),
    st.lists(st.one_of(st.sampled_from(NAMES), st.text(max_size=4)), max_size=5),
)
def test_only_pairs_of_the_item_are_ever_read(text: str, names: list[str]) -> None:
    for pair in relations(text, names):
        assert pair.first < pair.second
        assert {pair.first, pair.second} <= set(names)
