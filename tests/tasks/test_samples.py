"""The included exams."""

from typing import Any

import pytest
from rapidfuzz.fuzz import partial_ratio

from snellen.build.audit.views import texts_of
from snellen.grading.errors import InputError
from snellen.tasks.benchmarks.table import TASKS
from snellen.tasks.environments.table import PACKS
from snellen.tasks.pack.check import check_pack
from snellen.tasks.pack.read import open_pack, open_references, read_manifest
from snellen.tasks.pack.sample import draw_items
from snellen.tasks.samples import DEFAULT, INCLUDED, baselines, exam_folder
from snellen.worlds.desk.templates.table import SETS

PLAYED = {"mmbench-gui/l3", "mmbench-gui/l4"}
FIVE = {"visualwebbench", "webrssbench", "mmbench-gui", "screenqa", "matrix"}
SHIPPED = [name for name, exam in INCLUDED.items() if not exam.episodes]
READ = {
    *("screenqa/short", "screenqa/ui_contents", "screenqa/ui_contents_boxes"),
    *("visualwebbench/heading_ocr", "visualwebbench/element_ocr", "visualwebbench/webqa"),
}
"""The tasks whose references are texts of the screen."""
ALIKE = 80
"""The least similarity, in percent, of a word and what OCR reads of it."""


@pytest.mark.slow
def test_the_full_sample_has_every_task_of_the_five_systems_that_needs_no_interaction() -> None:
    check = check_pack(exam_folder("sample-full"))
    assert check.fine, check.faults
    assert sum(task.items for task in check.tasks) >= 120
    ours = {task for task in TASKS if task.partition("/")[0] in FIVE}
    assert ours - {task.task for task in check.tasks} == PLAYED


def test_the_default_has_two_items_of_each_task_of_the_full_sample() -> None:
    drawn = draw_items(open_pack(exam_folder("sample-full")), None, 2, each=True)
    pack = open_pack(exam_folder(DEFAULT))
    assert {task: set(items) for task, items in pack.index.items()} == drawn


@pytest.mark.parametrize("name", SHIPPED)
def test_an_exam_that_ships_is_small_and_has_its_name_and_its_baseline(name: str) -> None:
    files = [path for path in exam_folder(name).rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) <= 6_000_000
    about = read_manifest(exam_folder(name))
    assert about.name == name
    scored = {task: row["items"] for task, row in baselines()[name]["tasks"].items()}
    assert scored == {task.task: task.items for task in about.tasks}


def test_the_sample_says_how_it_was_made() -> None:
    built = open_pack(exam_folder("sample-full")).manifest.built
    assert built is not None
    assert {part.builder.partition(" ")[0] for part in built.parts} == {"snellen"}
    assert all(part.browser and part.licences for part in built.parts)


def test_every_pack_of_interactive_tasks_is_included() -> None:
    made = {name: exam.episodes for name, exam in INCLUDED.items() if exam.episodes}
    assert made.keys() == PACKS.keys()
    assert (made["desk"], made["desk-2"]) == (len(SETS[1]), len(SETS[2]))


def test_a_name_that_is_not_included_is_refused_with_those_that_are() -> None:
    with pytest.raises(InputError, match=r"no included exam 'smaple'; .* sample, sample-full,"):
        exam_folder("smaple")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("sample-full", marks=pytest.mark.thorough),
        pytest.param("wireframes", marks=pytest.mark.slow),
    ],
)
def test_every_text_that_is_asked_for_is_drawn(name: str) -> None:
    pytest.importorskip("rapidocr")
    from snellen.demo.page_texts import page_texts

    pack = open_pack(exam_folder(name))
    texts, references = page_texts(pack), open_references(pack)
    missing: dict[str, Any] = {}
    for task in READ & pack.index.keys():
        golds = dict(references.golds[task].items())
        for item in pack.index[task]:
            images = pack.line(task, item).images.values()
            drawn = _folded(" ".join(texts(image.sha256) for image in images))
            asked = texts_of(golds[item])
            if asked and not any(_is_in(text, drawn) for text in asked):
                missing[f"{task} {item}"] = golds[item]
    assert missing == {}


def _is_in(text: str, drawn: str) -> bool:
    # What is drawn in a script that OCR can't read, or is an answer that nothing shows, is no case.
    if text == "<no answer>" or any("؀" <= letter <= "ۿ" for letter in text):
        return True
    # Word by word: a line may be broken, with another column between its halves.
    return all(
        partial_ratio(_folded(word), drawn) >= ALIKE for word in text.split() if _folded(word)
    )


def _folded(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())
