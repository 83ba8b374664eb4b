"""Rubrics by name and from a file, each with a digest."""

import pytest

from snellen.grading.errors import InputError, UnknownNameError
from snellen.grading.judging.rubrics import (
    CORRECT,
    GRADED,
    RUBRICS,
    Rubric,
    read_rubric,
    rubric_of,
)

OWN = """
name = "polite"
version = 2
instruction = \"\"\"
Judge whether the response is polite.
\"\"\"
levels = ["impolite", "neither", "polite"]
passes = 2
"""


def test_a_rubric_is_found_by_name_and_by_name_and_version() -> None:
    assert rubric_of("correct") is rubric_of("correct@1") is CORRECT
    assert rubric_of("graded") is GRADED


def test_an_unknown_rubric_or_version_is_told_with_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match=r"did you mean 'correct@1'.*graded@1"):
        rubric_of("corect")
    with pytest.raises(UnknownNameError, match="no rubric 'correct@2'"):
        rubric_of("correct@2")


@pytest.mark.parametrize("rubric", RUBRICS.values(), ids=lambda rubric: rubric.id)
def test_what_ships_has_levels_from_worst_to_best(rubric: Rubric) -> None:
    assert rubric.levels[0].startswith("wrong")
    assert rubric.levels[rubric.best].startswith("right")
    assert 0 < rubric.passes <= rubric.best


@pytest.mark.parametrize(
    ("rubric", "digest"),
    [
        (CORRECT, "2ce81bf54f2139368a08a04169579e3bfa0140201a2a08e4a24b750c594205eb"),
        (GRADED, "5ce174d55a78e1e2198d85aab8ff193cf800c7663661d38354590e81d622ef72"),
    ],
    ids=lambda value: getattr(value, "id", ""),
)
def test_a_rubric_that_ships_changes_only_with_its_version(rubric: Rubric, digest: str) -> None:
    # If this fails: the words are others, so raise the version and write the new digest here.
    assert rubric.digest == digest


@pytest.mark.parametrize(
    "change",
    [
        {"name": "other"},
        {"version": 9},
        {"instruction": "Another."},
        {"levels": ("bad", "good")},
    ],
)
def test_any_change_of_a_rubric_changes_its_digest(change: dict[str, object]) -> None:
    assert Rubric.model_validate({**CORRECT.model_dump(), **change}).digest != CORRECT.digest


def test_a_rubric_of_ones_own_is_read_from_toml() -> None:
    found = read_rubric(OWN)
    assert found.id == "polite@2"
    assert found.best == found.passes == 2
    assert found.instruction.strip() == "Judge whether the response is polite."


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('name = "polite"', "name = polite", r"own\.toml: the rubric is not TOML"),
        ('name = "polite"', 'name = "Po lite"', r"own\.toml, field 'name'"),
        ("passes = 2", "", "field 'passes': .*Field required"),
        ("passes = 2", "passes = 3", r"passes is 3, but the best level is 2"),
        ("passes = 2", "passes = 0", "field 'passes'"),
        ('"impolite", "neither", ', "", "field 'levels'"),
        ("passes = 2", "passes = 2\npoints = 4", "field 'points'"),
        ("version = 2", 'version = "two"', "field 'version'"),
    ],
)
def test_a_rubric_that_can_not_be_used_says_where_and_why(
    before: str, after: str, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        read_rubric(OWN.replace(before, after), "own.toml")
