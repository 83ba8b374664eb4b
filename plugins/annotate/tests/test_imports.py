"""Answers from Potato and Label Studio.

The states of Potato's users are as `InMemoryUserState.save` of potato-annotation 2.12.1 writes
them, with what is not read shortened; Label Studio's export is as its documentation shows it
(labelstud.io/guide/task_format, labelstud.io/tags).
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from snellen.annotate.imports import read_label_studio, read_potato
from snellen.grading.errors import DataError, InputError
from snellen.tasks.pack.read import Pack

TEXTS, OPTIONS, BOXES = "screenqa/short", "mmbench-gui/l1", "visualwebbench/element_ground_bbox"
LINES = "screenqa/ui_contents"


def potato(folder: Path, user: str, labels: dict[str, list[Any]]) -> Path:
    """Write a user's state."""
    state: dict[str, Any] = {
        "user_id": user,
        "instance_id_ordering": [*labels],
        "current_instance_index": 0,
        "current_phase_and_page": ["annotation", "annotation"],
        "completed_phase_and_pages": [],
        "max_assignments": -1,
        "instance_id_to_behavioral_data": {},
        "instance_id_to_label_to_value": labels,
        "instance_id_to_span_to_value": {item: [] for item in labels},
        "origin": {},
    }
    (folder / user).mkdir(parents=True)
    (folder / user / "user_state.json").write_text(json.dumps(state, indent=2))
    return folder


def text(said: str, schema: str = "answer") -> list[Any]:
    return [{"schema": schema, "name": "text_box"}, said]


def test_potatos_texts_are_answers_of_its_users(exam: Pack, tmp_path: Path) -> None:
    first, second = [*exam.index[TEXTS]][:2]
    potato(tmp_path, "ada@example.org", {first: [text("seven")], second: [text("true")]})
    potato(tmp_path, "bob", {first: [text("eight")]})
    found = read_potato(tmp_path, exam, TEXTS)
    assert [(one.item_id, one.rater, one.given, one.source) for one in found] == [
        (first, "ada@example.org", "seven", "potato"),
        (second, "ada@example.org", "true", "potato"),
        (first, "bob", "eight", "potato"),
    ]
    alone = read_potato(tmp_path / "bob" / "user_state.json", exam, TEXTS)
    assert [one.rater for one in alone] == ["bob"]


@pytest.mark.parametrize("chosen", [True, "true", "on", "B"])
def test_potatos_radio_names_the_option(exam: Pack, tmp_path: Path, chosen: object) -> None:
    item = next(iter(exam.index[OPTIONS]))
    labels = [
        [{"schema": "choice", "name": "A"}, False],
        [{"schema": "choice", "name": "B"}, chosen],
    ]
    (found,) = read_potato(potato(tmp_path, "ada", {item: labels}), exam, OPTIONS)
    assert found.given == "B"


def test_of_several_schemas_one_is_named(exam: Pack, tmp_path: Path) -> None:
    item = next(iter(exam.index[TEXTS]))
    labels = [text("seven"), text("hard", "remark")]
    potato(tmp_path, "ada", {item: labels})
    with pytest.raises(InputError, match="answer, remark: name the one"):
        read_potato(tmp_path, exam, TEXTS)
    (found,) = read_potato(tmp_path, exam, TEXTS, "answer")
    assert found.given == "seven"
    with pytest.raises(InputError, match="no field 'other'"):
        read_potato(tmp_path, exam, TEXTS, "other")


def region(kind: str, name: str = "answer", **value: Any) -> dict[str, Any]:
    return {
        "from_name": name,
        "id": "Dx_aB91ISN",
        "to_name": "img",
        "type": kind,
        "original_width": 1280,
        "original_height": 1003,
        "value": value,
    }


def annotation(who: object, *result: Any, canceled: bool = False) -> dict[str, Any]:
    return {
        "id": "1001",
        "result": [*result],
        "was_cancelled": canceled,
        "ground_truth": False,
        "created_at": "2021-03-09T22:16:08.728353Z",
        "updated_at": "2021-03-09T22:16:09.500000Z",
        "lead_time": 4.288,
        "completed_by": who,
    }


@pytest.fixture
def export(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes an export of items and their annotations."""

    def write(*tasks: tuple[object, list[Any]]) -> Path:
        path = tmp_path / "export.json"
        said = [
            {
                "id": number,
                "data": {"image": "/data/a.png", "item_id": item},
                "annotations": given,
                "predictions": [],
            }
            for number, (item, given) in enumerate(tasks)
        ]
        path.write_text(json.dumps(said))
        return path

    return write


def test_label_studios_texts_choices_and_skips(exam: Pack, export: Callable[..., Path]) -> None:
    item = next(iter(exam.index[TEXTS]))
    path = export(
        (
            item,
            [
                annotation(10, region("textarea", text=["seven"])),
                annotation({"id": 3, "email": "bob@example.org"}, canceled=True),
            ],
        )
    )
    ada, bob = read_label_studio(path, exam, TEXTS)
    assert (ada.rater, ada.given, ada.at) == ("10", "seven", 1615328169500)
    assert (bob.rater, bob.given, bob.reason) == (
        "bob@example.org",
        None,
        "skipped in Label Studio",
    )
    option = next(iter(exam.index[OPTIONS]))
    second = exam.line(OPTIONS, option).item.answer_format.options[1]
    (chosen,) = read_label_studio(
        export((option, [annotation(1, region("choices", choices=[second]))])), exam, OPTIONS
    )
    assert chosen.given == "B"
    lines = next(iter(exam.index[LINES]))
    (several,) = read_label_studio(
        export((lines, [annotation(1, region("textarea", text=["one", "two"]))])), exam, LINES
    )
    assert several.given == ["one", "two"]


@pytest.mark.parametrize("kind", ["rectangle", "rectanglelabels"])
def test_label_studios_boxes_are_percent_of_the_image(
    exam: Pack, export: Callable[..., Path], kind: str
) -> None:
    item = next(iter(exam.index[BOXES]))
    image = exam.line(BOXES, item).item.images[0]
    assert image.width
    assert image.height
    box = region(kind, x=10, y=20, width=25, height=5, rotation=0)
    (found,) = read_label_studio(export((item, [annotation(1, box)])), exam, BOXES)
    expected = [image.width / 10, image.height / 5, image.width * 0.35, image.height / 4]
    assert found.given == pytest.approx(expected)


def test_what_can_not_be_taken_over_is_named(exam: Pack, export: Callable[..., Path]) -> None:
    item = next(iter(exam.index[TEXTS]))
    seven = region("textarea", text=["seven"])
    blank = region("textarea", text=[" "])
    cases: list[tuple[tuple[object, list[Any]], str]] = [
        ((None, [annotation(1, seven)]), "no text 'item_id'"),
        (("nowhere", [annotation(1, seven)]), "no item 'nowhere'"),
        ((item, [annotation(None, seven)]), "nobody says who"),
        ((item, [annotation(1, seven), annotation(1, seven)]), "1 answers .* twice"),
        ((item, [annotation(1, blank)]), "give a text"),
    ]
    for task, message in cases:
        with pytest.raises(DataError, match=message):
            read_label_studio(export(task), exam, TEXTS)


def test_files_that_are_none_are_refused(exam: Pack, tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text('{"a": 1}')
    for read in (read_potato, read_label_studio):
        with pytest.raises(DataError, match=r"other.json.*it is no"):
            read(tmp_path / "other.json", exam, TEXTS)
        with pytest.raises(InputError):
            read(tmp_path / "missing.json", exam, TEXTS)
    with pytest.raises(InputError, match="no USER/user_state"):
        read_potato(tmp_path, exam, TEXTS)
