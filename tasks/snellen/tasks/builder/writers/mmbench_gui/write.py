"""MMBench-GUI's makers for levels 1 and 2, and the published layout of their items."""

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any

from snellen.tasks.benchmarks.mmbench_gui.format import DIFFICULTIES
from snellen.tasks.benchmarks.mmbench_gui.load import L1, L2_ADVANCED, L2_BASIC
from snellen.tasks.benchmarks.mmbench_gui.release import L1_FILE, L2_FILE
from snellen.tasks.builder.items import Made, Maker, PageItems, Refused
from snellen.tasks.builder.questions.marks import LETTERS
from snellen.tasks.builder.questions.names import UNREAD
from snellen.tasks.builder.questions.spatial import rounded
from snellen.tasks.builder.questions.text import language_of
from snellen.tasks.builder.snapshots import Snapshot
from snellen.tasks.builder.writers.base import Side, as_json, side_of, write_rows
from snellen.tasks.builder.writers.mmbench_gui import l2
from snellen.tasks.builder.writers.mmbench_gui.l1 import Question, ask

_IMAGES = "offline_images"
_KINDS = MappingProxyType({L2_BASIC: "basic", L2_ADVANCED: "advanced"})


class Reason(StrEnum):
    """The reasons why a screen gives no item."""

    NO_EASY = "nothing to read or to place for an easy question"
    NO_MEDIUM = "nothing to count or to place for a medium question"
    NO_HARD = "nothing to combine for a hard question"
    NOT_UNIQUE = "no element that only one description fits"
    NO_PURPOSE = "no element whose purpose is known"


_MISSING = MappingProxyType(
    {"easy": Reason.NO_EASY, "medium": Reason.NO_MEDIUM, "hard": Reason.NO_HARD}
)


def l1(snapshot: Snapshot, random: Random) -> Iterator[Made | Refused]:
    """Ask an easy, a medium and a hard question; a screen gives all three or none."""
    questions: dict[str, Question] = {}
    for difficulty in DIFFICULTIES:
        asked = {question.text for question in questions.values()}
        question = ask(snapshot, difficulty, random, asked)
        if question is None:
            yield Refused(L1, _MISSING[difficulty].value)
            return
        questions[difficulty] = question
    first = random.random()
    groups = [
        _group(question, difficulty, (first + number / len(questions)) % 1)
        for number, (difficulty, question) in enumerate(questions.items())
    ]
    yield _made(
        snapshot,
        L1,
        snapshot.id,
        {"groups": groups},
        {difficulty: question.kind for difficulty, question in questions.items()},
        {
            difficulty: {"question": question.kind, "elements": list(question.elements)}
            for difficulty, question in questions.items()
        },
    )


def _l2(task: str, snapshot: Snapshot, random: Random) -> Iterator[Made | Refused]:
    make, reason = (
        (l2.basic, Reason.NOT_UNIQUE) if task == L2_BASIC else (l2.advanced, Reason.NO_PURPOSE)
    )
    instructions = make(snapshot, random)
    if not instructions:
        yield Refused(task, UNREAD if snapshot.screen.shows_unread else reason.value)
    for number, instruction in enumerate(instructions, start=1):
        row = {
            "instruction": instruction.text,
            "bbox": rounded(instruction.target.box),
            "data_type": instruction.seen,
            "grounding_type": _KINDS[task],
        }
        record = {"element": instruction.target.element.id, **instruction.target.seen.record}
        yield _made(
            snapshot, task, f"{snapshot.id}/{number}", row, {"way": instruction.way}, record
        )


MAKERS: Mapping[str, Maker] = MappingProxyType(
    {L1: l1, L2_BASIC: partial(_l2, L2_BASIC), L2_ADVANCED: partial(_l2, L2_ADVANCED)}
)
"""The makers by task; the task seeds a maker's random choices."""


def _group(question: Question, difficulty: str, share: float) -> Mapping[str, Any]:
    """Return a question in the published form; a screen's answers are spread over the letters."""
    options = question.options.placed(share)
    return {
        "question": question.text,
        "options": dict(zip(LETTERS, options.texts, strict=False)),
        "answer": LETTERS[options.right],
        "explanation": "",
        "difficulty": difficulty,
    }


def _made(
    snapshot: Snapshot,
    task: str,
    index: str,
    row: Mapping[str, Any],
    tags: Mapping[str, str],
    record: Mapping[str, Any],
) -> Made:
    screen = snapshot.screen
    path = f"{snapshot.id}.png"
    shot = {
        "index": index,
        "image_path": path,
        "image_size": [screen.width, screen.height],
        "platform": f"os_{screen.platform}",
        "app_name": snapshot.captured.site,
    }
    language = language_of(screen) or "unknown"
    images = {f"{_IMAGES}/os_{screen.platform}/{path}": snapshot.image()}
    return Made(task, {**shot, **row}, images, {"language": language, **tags}, record)


# ---- the published layout ----------------------------------------------------------------------


def write_data(pages: Sequence[PageItems], folder: Path) -> None:
    """Write the items of all screens: see `write_rows`.

    `L1_annotations.json` and `L2_annotations.json` are beside `offline_images`, which has a folder
    for each platform and site.
    """
    write_rows(
        pages,
        folder,
        MAKERS,
        lambda task: L1_FILE if task == L1 else L2_FILE,
        _sides,
        as_json,
    )


def _sides(page: PageItems, one: Made) -> Iterator[Side]:
    index = one.row["index"]
    if one.task != L1:
        yield side_of(page, one, f"{_KINDS[one.task]}/{index}")
        return
    for difficulty in DIFFICULTIES:
        tags = {"language": one.tags["language"], "question": one.tags[difficulty]}
        each = one._replace(tags=tags, record=one.record[difficulty])
        yield side_of(page, each, f"{difficulty}/{index}")
