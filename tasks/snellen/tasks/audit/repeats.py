"""Items that ask the same: again, of a picture that looks the same, or with another reference."""

from collections import Counter
from collections.abc import Mapping, Sequence

from snellen.grading.models.answers import AnswerKind
from snellen.tasks.audit.items import AuditItem, guess_of, words
from snellen.tasks.audit.models import Fault
from snellen.tasks.audit.pictures import Look, alike
from snellen.tasks.pack.stats import plain

MOST = 1 / 3
"""An answer that is right on so many of the other sites' items needs no look."""

LEAST_OTHERS = 8
"""Fewer items of other sites say nothing about what is right everywhere."""

_SPOKEN = (AnswerKind.TEXT, AnswerKind.UI_TEXTS)


def repeats_of(items: Sequence[AuditItem], looks: Mapping[str, Look]) -> dict[int, list[Fault]]:
    """Return what is wrong with a task's items beside one another, by their places.

    The first of several that ask the same stays; of those that contradict one another none does.
    Halves of a pair, the same page before and after a change, are never held against each other.

    Args:
        items: The task's items.
        looks: How pictures look, by digest; those that are not there are not compared.
    """
    found: dict[int, list[Fault]] = {}
    asked: dict[tuple[str, ...], list[AuditItem]] = {}
    for item in items:
        asked.setdefault((item.line.item.prompt, *_pictures(item)), []).append(item)
    for same in asked.values():
        if _pictures(same[0]):
            _same(same, found)
    _look_alikes(items, looks, found)
    for item in _everywhere(items):
        found.setdefault(item.place, []).append(Fault.EVERYWHERE)
    return found


def _pictures(item: AuditItem) -> tuple[str, ...]:
    places = (item.line.images[image.name] for image in item.line.item.images)
    return tuple(image.sha256 or image.url or "" for image in places)


def _same(items: Sequence[AuditItem], found: dict[int, list[Fault]]) -> None:
    """Judge items that have prompt and pictures in common."""
    for number, item in enumerate(items):
        others = [other for other in items if other is not item and not _paired(item, other)]
        if any(plain(other.gold) != plain(item.gold) and _apart(item, other) for other in others):
            found.setdefault(item.place, []).append(Fault.CONTRADICTED)
        elif any(other in items[:number] for other in others):
            found.setdefault(item.place, []).append(Fault.DUPLICATE)


def _apart(one: AuditItem, other: AuditItem) -> bool:
    """Whether two items have no right answer in common."""
    if one.answers and other.answers:
        return not {words(text) for text in one.answers} & {words(text) for text in other.answers}
    return True


def _paired(one: AuditItem, other: AuditItem) -> bool:
    return one.line.pair is not None and one.line.pair == other.line.pair


def _look_alikes(
    items: Sequence[AuditItem], looks: Mapping[str, Look], found: dict[int, list[Fault]]
) -> None:
    """Find items with one prompt and one reference whose pictures look the same."""
    groups: dict[str, list[AuditItem]] = {}
    for item in items:
        # Whoever repeats a repeated item is told of the first.
        if item.place not in found and all(digest in looks for digest in _pictures(item)):
            groups.setdefault(f"{item.line.item.prompt}\0{plain(item.gold)}", []).append(item)
    for group in groups.values():
        kept: list[AuditItem] = []
        for item in group:
            if any(_like(item, other, looks) for other in kept):
                found.setdefault(item.place, []).append(Fault.NEAR_DUPLICATE)
            else:
                kept.append(item)


def _like(one: AuditItem, other: AuditItem, looks: Mapping[str, Look]) -> bool:
    pictures, others = _pictures(one), _pictures(other)
    if not pictures or len(pictures) != len(others) or _paired(one, other):
        return False
    pairs = zip(pictures, others, strict=True)
    return all(alike(looks[first], looks[second]) for first, second in pairs)


def _everywhere(items: Sequence[AuditItem]) -> list[AuditItem]:
    """Return the items whose answer, a text, is right for most items of other sites, too.

    What the task itself names as its guess (`<no answer>`, `sorry`) is an answer that many items
    have on purpose, and a sample of it tells nothing; it is left alone.
    """
    spoken = [item for item in items if item.kind in _SPOKEN and item.answers and not item.right]
    by_answer: Counter[tuple[str, ...]] = Counter()
    by_site: Counter[tuple[str, tuple[str, ...]]] = Counter()
    sites = Counter(item.site for item in spoken)
    for item in spoken:
        for answer in {words(text) for text in item.answers}:
            by_answer[answer] += 1
            by_site[item.site, answer] += 1
    found: list[AuditItem] = []
    for item in spoken:
        others = len(spoken) - sites[item.site]
        if others < LEAST_OTHERS or guess_of(item.task) in item.answers:
            continue
        answer = words(item.answers[0])
        if (by_answer[answer] - by_site[item.site, answer]) / others > MOST:
            found.append(item)
    return found
