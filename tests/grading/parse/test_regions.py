"""WebRSSBench UI grouping (task T2): six classes under three sets of names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.parse.regions import Region, region


@pytest.mark.parametrize(
    ("text", "named"),
    [
        # Prompt A.2.
        ("top sidebar", Region.TOP),
        ("left auxiliary area", Region.LEFT),
        ("right auxiliary area", Region.RIGHT),
        ("main content area", Region.MAIN),
        ("bottom sidebar", Region.BOTTOM),
        ("else", Region.OTHER),
        # Guideline B.2.
        ("top bar", Region.TOP),
        ("left sidebar", Region.LEFT),
        ("right sidebar", Region.RIGHT),
        ("bottom bar", Region.BOTTOM),
        ("auxiliary area", Region.OTHER),
        # Main text.
        ("main content", Region.MAIN),
        ("other (e.g. ads)", Region.OTHER),
    ],
)
def test_every_published_name_is_understood(text: str, named: Region) -> None:
    assert region(text) is named


@pytest.mark.parametrize("class_", list(Region))
def test_every_class_reads_as_itself(class_: Region) -> None:
    assert region(class_) is class_


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("  **Top Sidebar.**\n", Region.TOP),
        ("LEFT_SIDEBAR", Region.LEFT),
        ("left side-bar", Region.LEFT),
        # The longest name wins: "left auxiliary area" holds "auxiliary area", which is other.
        ("It is the Left Auxiliary-Area", Region.LEFT),
        ("at the top left of the main content area", Region.MAIN),
        # The last one named wins.
        ("I first thought of the top bar, but this is the left sidebar.", Region.LEFT),
        ("main content area, not the left sidebar", Region.MAIN),
        ("not part of the top bar but the bottom bar", Region.BOTTOM),
        ("sidebar", None),
        ("", None),
        ("stop", None),
        ("the copyright line", None),
    ],
)
def test_sentences_are_read_for_the_last_longest_name(text: str, named: Region | None) -> None:
    assert region(text) is named


@given(st.text())
def test_any_text_gives_a_class_or_none(text: str) -> None:
    assert region(text) in {None, *Region}
