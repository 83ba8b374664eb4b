"""Questions about a page's data: a single fact, an extreme, a difference."""

from collections.abc import Iterator, Sequence
from itertools import permutations
from random import Random

from snellen.tasks.builder.items import Made, Refused
from snellen.tasks.builder.questions.arithmetic import Figure, Series, series_of
from snellen.tasks.builder.questions.spatial import rounded
from snellen.tasks.builder.questions.templates import templates_of
from snellen.tasks.builder.questions.text import language_of
from snellen.tasks.builder.questions.wording import Question, questions_of
from snellen.tasks.builder.snapshots import Snapshot
from snellen.tasks.builder.writers.matrix.shared import PAGE, Ask, Reason, made, refused

_COMPARED = frozenset({"highest", "lowest", "dearest", "cheapest"})


def make_lookups(snapshot: Snapshot, random: Random) -> Iterator[Made | Refused]:
    """Ask for a fact of the page, and for the difference of two numbers of a table."""
    templates = templates_of(language_of(snapshot.screen))
    if templates is None:
        yield refused("vqa", Reason.NO_LOOKUP)
        return
    questions = questions_of(snapshot, templates)
    differences = _differences(series_of(snapshot, templates))
    asks: list[Ask] = []
    if questions:
        kind = random.choice(sorted({question.kind for question in questions}))
        asks.append(_fact(snapshot, random.choice([q for q in questions if q.kind == kind])))
    if differences:
        asks.append(_apart(snapshot, *random.choice(differences)))
    for number, ask in enumerate(asks, start=1):
        yield made(snapshot, number, ask)
    if not asks:
        yield refused("vqa", Reason.NO_LOOKUP)


def _fact(snapshot: Snapshot, question: Question) -> Ask:
    screen = snapshot.screen
    element = None if question.element is None else screen.elements[question.element]
    return Ask(
        "vqa",
        question.kind,
        question.text,
        "exact_match",
        list(question.answers),
        {PAGE: snapshot.image()},
        operations=("compare",) if question.kind in _COMPARED else (),
        source="page",
        record={
            "element": question.element,
            "box": None if element is None else rounded(element.box),
        },
    )


def _differences(series: Sequence[Series]) -> Sequence[tuple[str, Figure, Figure]]:
    """Return columns with two of their numbers, the larger one first."""
    return [
        (each.column, larger, smaller)
        for each in series
        if each.column
        for larger, smaller in permutations(each.figures, 2)
        if larger.value > smaller.value
    ]


def _apart(snapshot: Snapshot, column: str, larger: Figure, smaller: Figure) -> Ask:
    return Ask(
        "vqa",
        "difference",
        f"By how much is “{column}” larger for “{larger.name}” than for “{smaller.name}”?",
        "numeric",
        float(larger.value - smaller.value),
        {PAGE: snapshot.image()},
        operations=("look up twice", "difference"),
        source="page",
        record={"elements": [larger.element, smaller.element]},
    )
