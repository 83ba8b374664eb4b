"""Faults of single items: in the prompt, options, pictures, boxes and references."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from snellen.grading.metrics.boxes import Ltrb
from snellen.grading.models.geometry import Space
from snellen.grading.models.items import AnswerKind
from snellen.grading.protocols.golds import Target
from snellen.tasks.benchmarks.screenqa.load import NO_ANSWER
from snellen.tasks.item_audit.items import AuditItem, guess_of, holds, words
from snellen.tasks.item_audit.models import Fault
from snellen.tasks.item_audit.pictures import Look, alike
from snellen.tasks.pack.preview import reference_marks
from snellen.tasks.pack.stats import plain

STANDS_OUT = 2.0
"""A correct option stands out if it is this many times as long as the longest wrong option, ..."""

BY_CHARACTERS = 12
"""... and this many characters longer."""

NEARLY_WHOLE = 0.9
"""A box with this share of the picture's area can't be missed."""

LEAST_SIDE = 2.0
"""A box with a shorter side, in pixels, is too small to hit."""

_CLOSED = {"yes", "no", "true", "false", "none", "on", "off", "left", "right", "top", "bottom"}
_SHORTEST = 3
_CONTENT = 4
_SPELLED = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBERS = {word: number for number, word in enumerate(_SPELLED)}

Looks = Mapping[str, Look]


def faults_of(item: AuditItem, looks: Looks) -> list[Fault]:
    """Return the faults of an item, without comparing it with others.

    Args:
        item: The item.
        looks: The looks of its pictures by digest; missing ones are not checked.
    """
    faults: list[Fault] = []
    for check in _CHECKS:
        faults += check(item, looks)
    return faults


# ---- the prompt --------------------------------------------------------------------------------

_ASKS_NOTHING = re.compile(
    r"^(?:Question|Description|Task|Instruction):\s*[“”\"'.?!\s]*$|“\s*”", re.MULTILINE
)
_SIZE = re.compile(r"screenshot, which is (\d+) x (\d+)")


def _asked(item: AuditItem, _: Looks) -> Iterator[Fault]:
    """Check that the prompt has a question, and compare the size and the space that it names."""
    shown = item.line.item
    if _ASKS_NOTHING.search(shown.prompt) or not words(shown.prompt):
        yield Fault.NO_QUESTION
    named, images = _SIZE.search(shown.prompt), shown.images
    if named and images and images[0].width and images[0].height:
        size = (float(named[1]), float(named[2]))
        if size != (images[0].width, images[0].height):
            yield Fault.WRONG_SIZE
    other = {Space.PIXELS: "fractions", Space.UNIT: "Coordinates are pixels"}
    space = shown.answer_format.space
    if space is not None and space in other and other[space] in shown.prompt:
        yield Fault.WRONG_SIZE


def _visible(item: AuditItem, _: Looks) -> Iterator[Fault]:
    if item.kind is AnswerKind.LABEL:
        return
    shown = [text for text in item.answers if _tells(text, item)]
    if any(" ".join(words(text)) in _CLOSED for text in item.answers):
        # Yes or no in other words: `enabled`, if the question is whether it is.
        shown = []
    in_question = [text for text in shown if holds(item.question, text)]
    if item.options and item.right:
        others = [text for index, text in enumerate(item.options) if index not in item.right]
        # A rule about several options may name the parts of one in other places.
        spoken = set(words(item.question))
        told = [{word for word in words(text) if len(word) >= _CONTENT} for text in others]
        offered = any(parts and parts <= spoken for parts in told)
        # What names `above` names `above and to the left`, too.
        offered = offered or any(holds(each, text) for each in others for text in in_question)
        if in_question and not offered and not any(holds(item.question, each) for each in others):
            yield Fault.VISIBLE
    elif any(not _offered(item.question, text) for text in in_question):
        yield Fault.VISIBLE
    tags = {value for name, value in item.line.item.tags.items() if name != "prompt"}
    parts = {*tags, *re.split(r"[/\s]", item.item)}
    if any(words(text) == words(part) for text in shown for part in parts if words(part)):
        yield Fault.TAGGED


def _tells(text: str, item: AuditItem) -> bool:
    """Whether a text in a prompt gives an answer away."""
    spoken = " ".join(words(text))
    if len(spoken.replace(" ", "")) < _SHORTEST or spoken in _CLOSED or spoken in _NUMBERS:
        return False
    # A character such as + or % is not a word but may be the answer.
    return text != guess_of(item.task) and not re.search(r"[+%#&@*=<>]", text)


def _offered(question: str, text: str) -> bool:
    """Whether a question offers a text as one of two, `A or B`, which gives nothing away."""
    either = rf"\bor\W+(\w+\W+)?{_pattern(text)}|{_pattern(text)}\W+(\w+\W+)?(,[^.?!]*)?\bor\b"
    return re.search(either, question, re.IGNORECASE) is not None


def _pattern(text: str) -> str:
    return r"\W+".join(map(re.escape, words(text)))


def _echo(item: AuditItem, _: Looks) -> Iterator[Fault]:
    if len(item.right) != 1 or len(item.options) < 3 or item.kind is AnswerKind.LABEL:
        return
    shares = echoes(item)
    (right,) = item.right
    if (
        right < len(shares)
        and shares[right] >= 0.5
        and not any(share for index, share in enumerate(shares) if index != right)
    ):
        yield Fault.ECHO


def echoes(item: AuditItem) -> list[float]:
    """Return the share of each option's longer words that are also in the question."""
    stems = {_stem(word) for word in words(item.question)}
    shares: list[float] = []
    for option in item.options:
        own = [_stem(word) for word in words(option) if len(word) >= _CONTENT]
        shares.append(sum(word in stems for word in own) / len(own) if own else 0.0)
    return shares


def _stem(word: str) -> str:
    return re.sub(r"(ing|ed|es|e|s)$", "", word) if len(word) >= _CONTENT else word


# ---- the options -------------------------------------------------------------------------------


def _options(item: AuditItem, _: Looks) -> Iterator[Fault]:
    forms = [" ".join(words(option)) or option.strip() for option in item.options]
    if len(set(forms)) < len(forms):
        yield Fault.SAME_OPTIONS
    count = item.choices
    if item.kind is AnswerKind.CHOICE and count and any(index >= count for index in item.right):
        yield Fault.NOT_OFFERED
    if item.kind is AnswerKind.LABEL:
        return
    if len(item.right) == 1 and len(item.options) > 2:
        lengths = [len(option) for option in item.options]
        right = lengths.pop(min(min(item.right), len(lengths) - 1))
        longest = max(lengths)
        if right >= STANDS_OUT * longest and right - longest >= BY_CHARACTERS:
            yield Fault.LONGEST


def _candidates(item: AuditItem, _: Looks) -> Iterator[Fault]:
    """Compare the descriptions of the candidates, if the record has them."""
    record: object = item.record
    if not isinstance(record, Mapping):
        return
    listed = cast("Mapping[str, Any]", record).get("candidates")
    if not isinstance(listed, list):
        return
    descriptions = [_said(candidate) for candidate in cast("list[object]", listed)]
    right = [descriptions[index] for index in item.right if index < len(descriptions)]
    if any(text and descriptions.count(text) > 1 for text in right):
        yield Fault.TWO_FIT


def _said(candidate: object) -> str:
    if isinstance(candidate, str):
        return " ".join(words(candidate))
    if isinstance(candidate, Mapping):
        fields = cast("Mapping[str, object]", candidate)
        parts = [str(fields.get(name) or "") for name in ("role", "name", "text", "description")]
        return " ".join(words(" ".join(parts)))
    return ""


# ---- the pictures ------------------------------------------------------------------------------


def _pictures(item: AuditItem, looks: Looks) -> Iterator[Fault]:
    images = [item.line.images[image.name] for image in item.line.item.images]
    own = [looks[digest] for image in images if (digest := image.sha256) in looks]
    if any(look.blank for look in own):
        yield Fault.BLANK
    digests = [image.sha256 for image in images]
    if len(set(digests)) < len(digests) or any(
        first.size == other.size and alike(first, other)
        for number, first in enumerate(own)
        for other in own[number + 1 :]
    ):
        yield Fault.REPEATED_PICTURES


# ---- the reference -----------------------------------------------------------------------------


def _boxes(item: AuditItem, _: Looks) -> Iterator[Fault]:
    shown = item.line.item.images
    width = item.line.context.width or (shown[0].width if shown else None) or 0
    height = item.line.context.height or (shown[0].height if shown else None) or 0
    marks = [mark.box for mark in reference_marks(item.gold, item.line)]
    marks += list(_raw_boxes(item)) if not marks else []
    across, down = LEAST_SIDE / (width or 1000), LEAST_SIDE / (height or 1000)
    for left, top, right, bottom in marks:
        if right - left < across or bottom - top < down:
            yield Fault.NO_BOX
        elif min(left, top) < -across or right > 1 + across or bottom > 1 + down:
            yield Fault.OUTSIDE
        elif (right - left) * (bottom - top) >= NEARLY_WHOLE:
            yield Fault.WHOLE
        else:
            continue
        return


def _raw_boxes(item: AuditItem) -> Iterable[Ltrb]:
    if isinstance(item.gold, Target) and item.line.item.answer_format.space is Space.UNIT:
        yield item.gold.bbox


def _references(item: AuditItem, _: Looks) -> Iterator[Fault]:
    if item.kind is AnswerKind.TEXT and not item.right:
        if any(not text.strip() for text in item.answers):
            yield Fault.EMPTY
        guess = guess_of(item.task)
        if contradictory(item.answers, guess if guess == NO_ANSWER else None):
            yield Fault.DISAGREES


def contradictory(answers: Sequence[str], nothing: str | None) -> bool:
    """Whether accepted answers contradict each other: yes and no, two numbers, or no answer.

    >>> contradictory(["3", "three"], None), contradictory(["3", "5"], None)
    (False, True)
    """
    forms = [" ".join(words(text)) for text in answers]
    if {"yes", "no"} <= set(forms) or {"true", "false"} <= set(forms):
        return True
    if nothing is not None and nothing in answers and any(text != nothing for text in answers):
        return True
    return len({number for text in answers if (number := _number(text)) is not None}) > 1


_LONE = re.compile(r"[^\d\w-]*(-?\d[\d,\u202f ]*(?:\.\d+)?)[^\d\w]*")


def _number(text: str) -> float | None:
    """Return the number that a whole text is; None if the text has more."""
    spoken = " ".join(words(text))
    if spoken in _NUMBERS:
        return float(_NUMBERS[spoken])
    match = _LONE.fullmatch(text.strip())
    # Three digits after a dot are thousands in half of the world.
    if match is None or re.search(r",\d{1,2}$|,\d{4,}|\.\d{3}$", match[1].strip()):
        return None
    return float(re.sub(r"[,\u202f ]", "", match[1]))


_CHECKS: tuple[Callable[[AuditItem, Looks], Iterator[Fault]], ...] = (
    _asked,
    _references,
    _boxes,
    _options,
    _candidates,
    _pictures,
    _visible,
    _echo,
)


# ---- items in comparison -----------------------------------------------------------------------

MOST = 1 / 3
"""The maximum share of other sites' items with an answer: above it, it can be guessed blindly."""

LEAST_OTHERS = 8
"""With fewer items of other sites, the share is not meaningful."""

_SPOKEN = (AnswerKind.TEXT, AnswerKind.UI_TEXTS)


def repeats_of(items: Sequence[AuditItem], looks: Mapping[str, Look]) -> dict[int, list[Fault]]:
    """Return the faults of a task's items in comparison with each other, by their indices.

    Of several items with the same question, the first is kept; of contradicting ones, none. The two
    items of a pair, one page before and after a change, are never compared.

    Args:
        items: The task's items.
        looks: The looks of pictures by digest; missing ones are not compared.
    """
    found: dict[int, list[Fault]] = {}
    groups: dict[tuple[str, ...], list[AuditItem]] = {}
    for item in items:
        groups.setdefault((item.line.item.prompt, *_digests(item)), []).append(item)
    for same in groups.values():
        if _digests(same[0]):
            _same(same, found)
    _look_alikes(items, looks, found)
    for item in _everywhere(items):
        found.setdefault(item.index, []).append(Fault.EVERYWHERE)
    return found


def _digests(item: AuditItem) -> tuple[str, ...]:
    images = (item.line.images[image.name] for image in item.line.item.images)
    return tuple(image.sha256 for image in images)


def _same(items: Sequence[AuditItem], found: dict[int, list[Fault]]) -> None:
    """Compare items with the same prompt and pictures."""
    for number, item in enumerate(items):
        others = [other for other in items if other is not item and not _paired(item, other)]
        if any(plain(other.gold) != plain(item.gold) and _differ(item, other) for other in others):
            found.setdefault(item.index, []).append(Fault.CONTRADICTED)
        elif any(other in items[:number] for other in others):
            found.setdefault(item.index, []).append(Fault.DUPLICATE)


def _differ(one: AuditItem, other: AuditItem) -> bool:
    """Whether two items have no correct answer in common."""
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
        # An item that repeats a repeated one is counted with the first.
        if item.index not in found and all(digest in looks for digest in _digests(item)):
            groups.setdefault(f"{item.line.item.prompt}\0{plain(item.gold)}", []).append(item)
    for group in groups.values():
        kept: list[AuditItem] = []
        for item in group:
            if any(_like(item, other, looks) for other in kept):
                found.setdefault(item.index, []).append(Fault.NEAR_DUPLICATE)
            else:
                kept.append(item)


def _like(one: AuditItem, other: AuditItem, looks: Mapping[str, Look]) -> bool:
    pictures, others = _digests(one), _digests(other)
    if not pictures or len(pictures) != len(others) or _paired(one, other):
        return False
    pairs = zip(pictures, others, strict=True)
    return all(alike(looks[first], looks[second]) for first, second in pairs)


def _everywhere(items: Sequence[AuditItem]) -> list[AuditItem]:
    """Return the items whose answer, a text, is also correct for most items of other sites.

    The task's own guess (`<no answer>`, `sorry`) is the intended answer of many items, so a sample
    of it says nothing; it is ignored.
    """
    spoken = [item for item in items if item.kind in _SPOKEN and item.answers and not item.right]
    by_answer: Counter[tuple[str, ...]] = Counter()
    by_site: Counter[tuple[str, tuple[str, ...]]] = Counter()
    sites = Counter(item.site for item in spoken)
    for item in spoken:
        for answer in {words(text) for text in item.answers}:
            by_answer[answer] += 1
            by_site[item.site, answer] += 1
    frequent: list[AuditItem] = []
    for item in spoken:
        others = len(spoken) - sites[item.site]
        if others < LEAST_OTHERS or guess_of(item.task) in item.answers:
            continue
        answer = words(item.answers[0])
        if (by_answer[answer] - by_site[item.site, answer]) / others > MOST:
            frequent.append(item)
    return frequent
