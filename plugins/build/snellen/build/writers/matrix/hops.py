"""Questions of several hops about pages: what was recolored, conditions, and numbers of two pages.

    1   look up
    2   compare or calculate with two places
    3   compare two pictures: two pages of a site, or one page before and after a change
    4   filter by a condition first; an option is what a shorter path leads to

The tag `hops` of an item is one of these numbers.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from random import Random
from typing import Any

from snellen.build.chance import draw
from snellen.build.items import PAGES, Made, PageItems, Refused
from snellen.build.questions.arithmetic import conditioned, series_of
from snellen.build.questions.options import is_clear
from snellen.build.questions.templates import templates_of
from snellen.build.questions.text import folded, language_of, one_line
from snellen.build.screen.buttons import labelled_buttons
from snellen.build.snapshots import Snapshot
from snellen.build.writers.matrix.shared import (
    DIMENSION_OF,
    PAGE,
    TASK,
    Ask,
    Reason,
    lettered,
    made,
    refused,
)

_MULTI, _STOCK = "multi_step", "matrix/figure"
_OPTIONS = 5
_FEWEST_BUTTONS = 3


def make_hops(snapshot: Snapshot, random: Random) -> Iterator[Made | Refused]:
    """Ask which row fits under a condition, and which button was recolored.

    A figure of the page is added for `paired`, which asks about two pages.
    """
    asks = [ask for ask in (_condition(snapshot, random), _recolored(snapshot, random)) if ask]
    for number, ask in enumerate(asks, start=1):
        yield made(snapshot, number, ask)
    if not asks:
        yield refused(_MULTI, Reason.NO_HOPS)
    yield from _figure(snapshot, random)


def _condition(snapshot: Snapshot, random: Random) -> Ask | None:
    questions = [each for each in conditioned(snapshot, random) if all(map(is_clear, each.names))]
    if not questions:
        return None
    question = random.choice(questions)
    rest = [name for name in question.names if name not in (question.answer, question.shortcut)]
    others = random.sample(rest, min(_OPTIONS - 2, len(rest)))
    options = lettered(random, question.answer, [question.shortcut, *others])
    return Ask(
        _MULTI,
        "extreme under a condition",
        question.text,
        "accuracy",
        options.letter,
        {PAGE: snapshot.image()},
        options.options,
        operations=("look up", "filter", "compare"),
        hops=4,
        source="page",
        record={"elements": list(question.elements), "shortcut": question.shortcut},
    )


def _recolored(snapshot: Snapshot, random: Random) -> Ask | None:
    changes = snapshot.captured.changes
    change = next(
        (c for c in changes if (c.task, c.mode) == ("webrssbench/color", "partial")), None
    )
    if change is None:
        return None
    buttons = labelled_buttons(snapshot.screen)
    counts = Counter(folded(button.text) for button in buttons)
    named = {
        button.id: one_line(button.text)
        for button in buttons
        if counts[folded(button.text)] == 1 and is_clear(button.text)
    }
    changed = {changed.id for changed in change.elements}
    recolored = [text for number, text in named.items() if number in changed]
    others = [text for number, text in named.items() if number not in changed]
    if not recolored or len(others) < _FEWEST_BUTTONS - 1:
        return None
    others = random.sample(others, min(_OPTIONS - 1, len(others)))
    options = lettered(random, random.choice(recolored), others)
    return Ask(
        _MULTI,
        "recolored button",
        "The second picture shows the same page after a change. Which of these buttons has another"
        " color in it?",
        "accuracy",
        options.letter,
        {PAGE: snapshot.image(), "changed": snapshot.image(change)},
        options.options,
        operations=("find", "compare"),
        hops=3,
        source="page",
        record={"recolored": sorted(changed)},
    )


def _figure(snapshot: Snapshot, random: Random) -> Iterator[Made]:
    templates = templates_of(language_of(snapshot.screen))
    series = () if templates is None else series_of(snapshot, templates)
    if series:
        chosen = random.choice(series)
        figure = random.choice(chosen.figures)
        what = f"the “{chosen.column}” of" if chosen.column else "the price of"
        row: Mapping[str, Any] = {
            "screen": snapshot.id,
            "what": f"{what} “{figure.name}”",
            "value": float(figure.value),
            # Numbers without a unit are comparable only if they are of one kind.
            "comparable": figure.unit or chosen.column,
        }
        images = {f"images/{snapshot.id}/page.png": snapshot.image()}
        yield Made(_STOCK, row, images)


def paired(pages: Sequence[PageItems], seed: int) -> Sequence[PageItems]:
    """Ask by how much a number of a page is larger than one of another page of its site.

    Args:
        pages: The items of all pages, with the figures of `make_hops`.
        seed: The seed of random choices.
    """
    stock: dict[tuple[str, str], list[tuple[float, int, Made]]] = {}
    for number, page in enumerate(pages):
        for item in page.made:
            if item.task == _STOCK:
                lot = draw(seed, page.site, page.page, _STOCK).random()
                key = (page.site, str(item.row["comparable"]))
                stock.setdefault(key, []).append((lot, number, item))
    added: dict[int, Made] = {}
    for (site, _), figures in stock.items():
        for pair in pairwise(sorted(figures, key=lambda each: each[0])):
            smaller, larger = sorted(pair, key=lambda each: float(each[2].row["value"]))
            if smaller[2].row["value"] != larger[2].row["value"]:
                # The item belongs to the page of its first picture.
                added[larger[1]] = _apart(site, larger[2], smaller[2])
    return [
        page._replace(
            made=[
                *(item for item in page.made if item.task != _STOCK),
                *([added[number]] if number in added else []),
            ]
        )
        for number, page in enumerate(pages)
    ]


def _apart(site: str, larger: Made, smaller: Made) -> Made:
    values = [float(item.row["value"]) for item in (larger, smaller)]
    kind, level = "difference of two pages", 4
    row = {
        "id": f"{larger.row['screen']}/{_MULTI}-3",
        "dimension": DIMENSION_OF[_MULTI],
        "level": level,
        "task": _MULTI,
        "question": f"By how much is {larger.row['what']} in the first picture larger than"
        f" {smaller.row['what']} in the second picture?",
        "images": [*larger.images, *smaller.images],
        "metric": "numeric",
        "answer": round(values[0] - values[1], 6),
        "group": site,
        "tags": {"site": site, "page": larger.row["screen"], "source": "page", "kind": kind},
    }
    tags = {"task": _MULTI, "level": f"L{level}", "source": "page", "kind": kind, "hops": "3"}
    return Made(
        TASK,
        row,
        {**larger.images, **smaller.images},
        {**tags, PAGES: larger.tags[PAGES]},
        {
            "named": True,
            "operations": ["look up twice", "difference"],
            "values": values,
            "screens": [item.row["screen"] for item in (larger, smaller)],
        },
    )
