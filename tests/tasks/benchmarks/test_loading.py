import pytest

from snellen.grading.errors import UnknownNameError
from snellen.grading.models.geometry import Space
from snellen.grading.models.reports import PinVerdict
from snellen.tasks.benchmarks.loading import pin_of, space_hint, task_in
from snellen.tasks.io.rows import Split


def split(note: str) -> Split:
    return Split(
        role="web_caption", split="test", path="a", sha256="0" * 64, ids=["test/1"], note=note
    )


def test_a_task_is_found_by_its_id() -> None:
    assert task_in({"a/b": 1}, "a/b", "A") == 1
    with pytest.raises(UnknownNameError, match="no A task 'a/c'; did you mean 'a/b'"):
        task_in({"a/b": 1}, "a/c", "A")


def test_a_pin_says_what_it_knows_and_then_what_was_decided() -> None:
    plain, noted = pin_of(split("")), pin_of(split("boxes taken as pixels"))
    assert (plain.verdict, plain.count, plain.path) == (PinVerdict.UNKNOWN, 1, "a")
    assert "web_caption" in plain.note
    assert noted.note == f"{plain.note}; boxes taken as pixels"


@pytest.mark.parametrize(
    ("space", "size", "hint"),
    [
        (Space.UNIT, (8, 5), "Coordinates are fractions of the image's width and height, from 0 "),
        (Space.PIXELS, (8, 5), "Coordinates are pixels of the original screenshot, which is 8 x 5"),
        (Space.PIXELS, (None, None), "Coordinates are pixels of the original screenshot."),
    ],
)
def test_a_prompt_says_what_coordinates_count(
    space: Space, size: tuple[int | None, int | None], hint: str
) -> None:
    assert space_hint(space, *size).startswith(hint)
