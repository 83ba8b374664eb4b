"""Options of L1's questions: of the same form, in random order, with one correct option.

The wrong options come from the same population as the correct one, so that neither form nor length
reveals it: other texts of the same list, other numbers with as many digits, or consecutive numbers
of which the correct one is as likely the first as the last.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from random import Random
from types import MappingProxyType
from typing import NamedTuple

from snellen.build.questions.text import folded
from snellen.tasks.benchmarks.mmbench_gui.format import FEWEST_OPTIONS, MOST_OPTIONS

COUNTS: Mapping[int, float] = MappingProxyType(
    {
        **dict.fromkeys(range(4, 7), 10.0),
        **{7: 5.0, 8: 3.0},
        **dict.fromkeys(range(9, 17), 1.0),
        **dict.fromkeys(range(17, 26), 0.25),
    }
)
"""The possible answers of a counting question, weighted by how often they are correct.

Based on the countable things of 216 generated and 144 real pages, of which `ASKED` are asked about;
no weight exceeds a fourth of the total.
"""
ASKED: Mapping[int, float] = MappingProxyType({4: 0.35, 5: 0.6})
"""The share of the possible questions that is asked, for the answers that are too frequent."""

_STANDS_OUT = 1.8


_MONTH = (
    r"\b(jan|feb|fév|m[aä]r|apr|avr|abr|ma[iyj]|jui?n|jui?l|aug|ao[uû]|ago|sep|o[ck]t|nov|de[cz]|dic"
    r"|ene)[a-zû]*\b\.?"
)
_FORMS = (
    ("address", re.compile(r"@|^https?:|^www\.")),
    ("money", re.compile(r"[$€£¥₹]|درهم|元")),
    ("share", re.compile(r"^[+\-\u2212]?\d[\d.,]*\s?%$")),
    ("time", re.compile(r"\d{1,2}:\d{2}|\d\s?[ap]\.?m\b", re.IGNORECASE)),
    (
        "date",
        re.compile(
            rf"\b(19|20)\d\d\b|\d[./]\d{{1,2}}[./]|\d{{1,2}}\.? {_MONTH}|{_MONTH} \d{{1,2}}\b|月",
            re.IGNORECASE,
        ),
    ),
    ("phone", re.compile(r"^\+?\(?\d(?:[ ()./-]*\d){6,}$")),
    ("measure", re.compile(r"^\D{0,6}\d[\d.,\s]*[^\W\d_]")),
    ("number", re.compile(r"^[+\-\u2212(#]?\d[\d.,\s()+-]*\D{0,12}$")),
)
_LETTERS = re.compile(r"[^\W\d_]+")
_FEW_WORDS = 2


def form_of(text: str) -> str:
    """Return the form of a text; an option whose form is unique would be chosen for its form.

    A text with a form inside a sentence has another form than the bare form.
    """
    form = next((name for name, pattern in _FORMS if pattern.search(text)), "words")
    wordy = len(_LETTERS.findall(text)) > _FEW_WORDS
    return f"{form} in words" if wordy and form != "words" else form


def is_clear(option: str) -> bool:
    """Whether an option's text can't be taken for the letter of an option."""
    return len(folded(option)) > 1 or folded(option).isdecimal()


_WORD = 4
_PROMPT = "question options"
_RUN, _DIGIT = re.compile(r"\d+"), re.compile(r"\d")


class Options(NamedTuple):
    """The texts of a question's options, A first, and the index of the correct one."""

    texts: tuple[str, ...]
    right: int

    def placed(self, share: float) -> "Options":
        """Return the options with the correct one moved to a share, in [0, 1), of their number.

        >>> Options(("a", "b", "c", "d"), 0).placed(0.5)
        Options(texts=('b', 'c', 'a', 'd'), right=2)
        """
        wrong = [text for place, text in enumerate(self.texts) if place != self.right]
        right = int(share * len(self.texts))
        return Options((*wrong[:right], self.texts[self.right], *wrong[right:]), right)


def among(answer: str, others: Iterable[str], question: str, random: Random) -> Options | None:
    """Return four to six options from the answer's own list; None if that is not possible.

    Args:
        answer: The correct option.
        others: Other candidates; duplicates are ignored.
        question: The question; it must not have words that only the answer has.
        random: The source of random choices.
    """
    texts = {folded(answer): answer}
    pool = [other for other in others if texts.setdefault(folded(other), other) is other]
    pool = [other for other in dict.fromkeys(pool) if folded(other) and other != answer]
    if len(pool) < FEWEST_OPTIONS - 1:
        return None
    count = random.randint(FEWEST_OPTIONS, min(MOST_OPTIONS, len(pool) + 1))
    wrong = _of_all_lengths(answer, pool, count - 1, random)
    if stands_out(answer, wrong) or _echoes(answer, wrong, question):
        return None
    return _placed(answer, wrong, random)


def any_of(listed: Sequence[str], answer: str, besides: str, random: Random) -> Options | None:
    """Return four to six entries of a list, each equally likely to be the correct one.

    Args:
        listed: The list; the answer must be a random entry of it.
        answer: The correct option.
        besides: An entry that the question names, which is not used as an option.
        random: The source of random choices.

    Returns:
        None if the list is too short, or two of its entries are equal.
    """
    if len({folded(text) for text in listed}) < len(listed):
        return None
    pool = [text for text in listed if text not in (answer, besides)]
    if len(pool) < FEWEST_OPTIONS - 1:
        return None
    count = random.randint(FEWEST_OPTIONS, min(MOST_OPTIONS, len(pool) + 1))
    wrong = random.sample(pool, count - 1)
    if stands_out(answer, wrong) or _echoes(answer, wrong, besides):
        return None
    return _placed(answer, wrong, random)


def of_all_sizes(answer: str, question: str, random: Random, step: int = 1) -> Options | None:
    """Return four to six numbers of an answer's form; the answer may have any rank.

    The rank of the correct one is uniform, from the smallest to the largest.

    Args:
        answer: The correct number, with its sign, unit and separators.
        question: The question; it must not have words that only the answer has.
        random: The source of random choices.
        step: The difference of two neighbors among the possible numbers, in units of the last
            digit. With others, the correct one could be the only round number.

    Returns:
        None if too few numbers of the form are smaller or larger.
    """
    digits = "".join(_RUN.findall(answer))
    least = 1 if digits.startswith("0") else 10 ** (len(digits) - 1) if digits else 0
    size = int(digits or 0)
    smaller = range(size - step, least - 1, -step)
    larger = range(size + step, 10 ** len(digits), step)
    count = random.randint(FEWEST_OPTIONS, MOST_OPTIONS) - 1
    if min(len(smaller), len(larger)) < MOST_OPTIONS - 1:
        return None
    rank = random.randint(0, count)
    drawn = random.sample(smaller, rank) + random.sample(larger, count - rank)
    random.shuffle(drawn)
    wrong: list[str] = []
    for number in drawn:
        rest = iter(f"{number:0{len(digits)}}")
        wrong.append(_DIGIT.sub(lambda _, rest=rest: next(rest), answer))
    return None if _echoes(answer, wrong, question) else _placed(answer, wrong, random)


def _of_all_lengths(answer: str, pool: Sequence[str], count: int, random: Random) -> list[str]:
    """Draw wrong options so that the correct one is as likely the shortest as the longest."""
    drawn = random.sample(list(pool), len(pool))
    shorter = [other for other in drawn if len(other) < len(answer)]
    equal = [other for other in drawn if len(other) == len(answer)]
    longer = [other for other in drawn if len(other) > len(answer)]
    rank = random.randint(0, count)
    first = [*shorter, *equal][:rank]
    rest = [other for other in (*longer, *equal, *shorter) if other not in first]
    wrong = [*first, *rest[: count - len(first)]]
    random.shuffle(wrong)
    return wrong


def stands_out(answer: str, wrong: Iterable[str]) -> bool:
    """Whether an answer is so much longer than all others that its length reveals it."""
    return len(answer) > _STANDS_OUT * max(map(len, wrong))


def steps(value: int, write: Callable[[int], str], random: Random, least: int = 0) -> Options:
    """Return four to six consecutive numbers, any of which may be the correct one.

    Args:
        value: The correct number; at least three above `least`.
        write: Writes a number as an option.
        random: The source of random choices.
        least: The smallest possible number.

    >>> sorted(steps(5, str, Random(1)).texts)
    ['5', '6', '7', '8']
    """
    count = random.randint(FEWEST_OPTIONS, min(MOST_OPTIONS, value - least + 1))
    first = value - random.randrange(count)
    wrong = [write(number) for number in range(first, first + count) if number != value]
    random.shuffle(wrong)
    return _placed(write(value), wrong, random)


def counts(value: int, random: Random) -> Options:
    """Return four numbers of things, each equally likely to be the correct one.

    Pages show few things more often than many, so among its neighbors a common number would be
    correct more often than a rare one. A number is therefore offered as often as it is correct.

    Args:
        value: The correct number, one of `COUNTS`.
        random: The source of random choices.
    """
    drawn: set[int] = set()
    while value not in drawn:
        drawn = _counts(random)
    wrong = [str(number) for number in drawn if number != value]
    random.shuffle(wrong)
    return _placed(str(value), wrong, random)


def _counts(random: Random) -> set[int]:
    """Draw `FEWEST_OPTIONS` of `COUNTS`, each with a probability in proportion to its weight.

    Systematic sampling in a random order (Madow 1949). With shares below one each, the
    probabilities are exact; sequential draws without replacement would not be.
    """
    order = random.sample([*COUNTS], len(COUNTS))
    step = sum(COUNTS.values()) / FEWEST_OPTIONS
    ends = list(accumulate(COUNTS[number] for number in order))
    start = random.random() * step
    return {order[bisect_right(ends, start + step * each)] for each in range(FEWEST_OPTIONS)}


def _echoes(answer: str, wrong: Sequence[str], question: str) -> bool:
    """Whether the question contains the correct option, or shares words only with it."""
    if f" {folded(answer)} " in f" {folded(question)} ":
        return True
    for size in (_WORD, None):
        question_words = _words(f"{question} {_PROMPT}", size)
        if _words(answer, size) & question_words and not any(
            _words(option, size) & question_words for option in wrong
        ):
            return True
    return False


def _words(text: str, size: int | None) -> set[str]:
    """Return a text's words of four or more characters, or their first `size` characters."""
    return {word[:size] for word in folded(text).split() if len(word) >= _WORD}


def _placed(answer: str, wrong: Sequence[str], random: Random) -> Options:
    right = random.randrange(len(wrong) + 1)
    return Options((*wrong[:right], answer, *wrong[right:]), right)
