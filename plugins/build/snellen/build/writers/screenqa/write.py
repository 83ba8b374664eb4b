"""ScreenQA's makers by task, and the published layout of its items.

The lists of texts and of boxes read the items of `screenqa/long`: one file contains all three. A
maker adds one unanswerable question; `write_data`, which has all screens, keeps the right share.
"""

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any, NamedTuple

from snellen.build.chance import by_turns, draw
from snellen.build.items import Made, Maker, PageItems, Refused
from snellen.build.questions.arithmetic import calculations
from snellen.build.questions.lookup import Lookup, box_of, lookups
from snellen.build.questions.spatial import rounded
from snellen.build.questions.text import language_of
from snellen.build.questions.variants import joined
from snellen.build.questions.wording import english_question, english_sentences
from snellen.build.snapshots import Snapshot
from snellen.build.writers.base import Side, as_json, write_sides
from snellen.build.writers.screenqa.absent import SHARE, near_misses
from snellen.tasks.benchmarks.screenqa.load import NO_ANSWER
from snellen.tasks.pack.folders import new_folder

SHORT, LONG, COMPLEX = "screenqa/short", "screenqa/long", "screenqa/complex"
ITEMS = 2
"""The maximum number of answerable questions of one screen, for each task."""

IMAGES = "combined"
"""The folder of the screenshots, as in RICO: the loader's argument `images`."""

VARIANTS: Mapping[str, Sequence[str]] = MappingProxyType(
    {LONG: ("screenqa/ui_contents", "screenqa/ui_contents_boxes")}
)
"""The tasks that read another task's rows."""

_FILES = MappingProxyType(
    {
        SHORT: "short_answers/test.json",
        LONG: "answers_and_bboxes/test.json",
        COMPLEX: "complex_qa/data.json",
    }
)
_OWN = frozenset({"width", "height"})
"""Fields of a maker's row that only the writer uses."""


class Reason(StrEnum):
    """The reasons why a screen gives no item."""

    NO_LOOKUP = "nothing that is said once and can be asked for"
    NO_BOX = "nothing that one element says alone"
    NO_NUMBERS = "no numbers to calculate with or things to count"


def short(snapshot: Snapshot, random: Random) -> Iterator[Made | Refused]:
    """Ask for facts of the screen, to be answered in as few words as possible."""
    known = lookups(snapshot)
    facts = _mixed(known, random)
    if not facts:
        yield Refused(SHORT, Reason.NO_LOOKUP.value)
    language = language_of(snapshot.screen)
    for fact in facts:
        truth = joined(fact.fragments, language)
        yield _made(snapshot, SHORT, fact, english_question(fact, random), truth)
    for fact in near_misses(snapshot, known, random)[: len(facts[:1])]:
        yield _made(snapshot, SHORT, fact, english_question(fact, random), [NO_ANSWER])


def long(snapshot: Snapshot, random: Random) -> Iterator[Made | Refused]:
    """Ask for texts of elements, to be answered in a sentence, or with texts and boxes."""
    elements = snapshot.screen.elements
    # The box of a text that goes on in the next line contains other words.
    boxed = [
        fact
        for fact in lookups(snapshot)
        if fact.elements and not any(elements[place].split for place in fact.elements)
    ]
    facts = _mixed(boxed, random)
    if not facts:
        yield Refused(LONG, Reason.NO_BOX.value)
    for fact in facts:
        shown = [elements[place] for place in fact.elements]
        bounded = [
            {"text": text, "bounds": rounded(box_of(element))}
            for text, element in zip(fact.fragments, shown, strict=True)
        ]
        truth = [
            {"full_answer": sentence, "ui_elements": bounded}
            for sentence in english_sentences(fact, random)
        ]
        yield _made(snapshot, LONG, fact, english_question(fact, random), truth)
    for fact in near_misses(snapshot, boxed, random)[: len(facts[:1])]:
        nothing = [{"full_answer": NO_ANSWER, "ui_elements": list[object]()}]
        yield _made(snapshot, LONG, fact, english_question(fact, random), nothing)


def complex_(snapshot: Snapshot, random: Random) -> Iterator[Made | Refused]:
    """Ask for results of counting, calculating or comparing."""
    questions = calculations(snapshot, random)
    if not questions:
        yield Refused(COMPLEX, Reason.NO_NUMBERS.value)
    for question in questions[:ITEMS]:
        row = {"question": question.question, "ground_truth": list(question.answers)}
        yield Made(
            COMPLEX,
            row,
            {f"{snapshot.id}.png": snapshot.image()},
            _tags(snapshot, question.kind, 2),
            {"elements": list(question.elements)},
        )


MAKERS: Mapping[str, Maker] = MappingProxyType({SHORT: short, LONG: long, COMPLEX: complex_})
"""The makers by task; the task seeds a maker's random choices."""


def _mixed(candidates: Sequence[Lookup], random: Random) -> Sequence[Lookup]:
    """Choose items that alternate among the kinds; the heading only if there is nothing else."""
    others = [lookup for lookup in candidates if lookup.kind != "heading"]
    return by_turns(random, others or candidates, lambda lookup: lookup.kind)[:ITEMS]


def _tags(snapshot: Snapshot, kind: str, hops: int) -> Mapping[str, str]:
    language = language_of(snapshot.screen) or "unknown"
    return {"language": language, "question": kind, "hops": str(hops)}


def _made(snapshot: Snapshot, task: str, one: Lookup, question: str, truth: Sequence[Any]) -> Made:
    screen = snapshot.screen
    row: dict[str, Any] = {
        "question": question,
        "ground_truth": list(truth),
        "width": screen.width,
        "height": screen.height,
    }
    record: dict[str, Any] = {
        "elements": list(one.elements),
        "boxes": [rounded(box_of(screen.elements[place])) for place in one.elements],
    }
    return Made(
        task,
        row,
        {f"{snapshot.id}.png": snapshot.image()},
        _tags(snapshot, one.kind, 1),
        record if one.fragments else {"unanswerable": True},
    )


# ---- the published layout ----------------------------------------------------------------------


def write_data(pages: Sequence[PageItems], folder: Path) -> None:
    """Write ScreenQA's items of all screens in the layout that the loader reads.

    The files are those of the published repository, each with one split. A screen has a number that
    does not depend on other screens, and its image is in `combined`. `made.jsonl` has each item's
    task, id, page, site, tags and record. Items of other benchmarks are ignored.

    At most about a quarter of the questions, except those of `screenqa/complex`, have no answer on
    their screen; further ones are removed.

    Args:
        pages: The items of the pages.
        folder: The folder to write; must not exist, or be empty.

    Raises:
        DataError: An image of an item is missing.
        InputError: It can't be written.
    """
    own = [page for page in pages if any(item.task in MAKERS for item in page.made)]
    numbers = {_id(page): _number(page) for page in own}
    sides: list[Side] = []
    with new_folder(folder) as room:
        (room / IMAGES).mkdir()
        for page in own:
            item = next(item for item in page.made if item.task in MAKERS)
            (room / IMAGES / f"{numbers[_id(page)]}.png").write_bytes(
                next(iter(item.images.values()))
            )
        for task, path in _FILES.items():
            entries = _entries(own, task)
            if not entries:
                continue
            rows = [_published(entry, numbers[_id(entry.page)]) for entry in entries]
            file = room / path
            file.parent.mkdir()
            file.write_bytes(as_json(rows))
            sides += _sides(entries, task, file.stem, numbers)
        write_sides(sides, room)


class _Entry(NamedTuple):
    """A row to write, with its page."""

    page: PageItems
    row: Mapping[str, Any]
    tags: Mapping[str, str]
    record: Mapping[str, Any]


def _number(page: PageItems) -> int:
    """Return a page's `image_id`: a hash of its name, so that it is unique across builds."""
    return int(sha256(_id(page).encode()).hexdigest()[:12], 16)


def _id(page: PageItems) -> str:
    return f"{page.site}/{page.page}"


def _entries(pages: Sequence[PageItems], task: str) -> Sequence[_Entry]:
    """Return a task's rows, grouped by page, without surplus questions that have no answer."""
    entries: list[_Entry] = []
    owed = 0.0
    for page in pages:
        made = [item for item in page.made if item.task == task]
        absent = [item for item in made if item.record.get("unanswerable")]
        mine = [item for item in made if item not in absent]
        owed += len(mine) * SHARE / (1 - SHARE)
        random = draw(0, _id(page), task, "unanswerable")
        if absent and random.random() < owed:
            owed -= 1
            mine.insert(random.randrange(len(mine) + 1), absent[0])
        entries += [_Entry(page, item.row, item.tags, item.record) for item in mine]
    return entries


def _published(entry: _Entry, number: int) -> Mapping[str, Any]:
    row = {key: value for key, value in entry.row.items() if key not in _OWN}
    if "width" in entry.row:
        row |= {"image_width": entry.row["width"], "image_height": entry.row["height"]}
    return {"image_id": number, **row}


def _sides(
    entries: Sequence[_Entry], task: str, split: str, numbers: Mapping[str, int]
) -> Iterator[Side]:
    counts: dict[str, int] = {}
    for entry in entries:
        page = _id(entry.page)
        number = counts[page] = counts.get(page, -1) + 1
        for each in (task, *VARIANTS.get(task, ())):
            item = f"{split}/{numbers[page]}/{number}"
            yield Side(each, item, entry.page.page, entry.page.site, entry.tags, entry.record)
