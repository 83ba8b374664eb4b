"""L1's questions about the content and the layout of a screen: easy, medium and hard.

Easy questions need one text, medium ones counting or positions, hard ones several steps.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from random import Random
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from snellen.build.questions.arithmetic import (
    Series,
    calculations,
    conditioned,
    minutes_between,
    series_of,
)
from snellen.build.questions.facts import Table, facts_of, key_column
from snellen.build.questions.lookup import Lookup, lookups, sole_text
from snellen.build.questions.names import Names
from snellen.build.questions.options import (
    ASKED,
    COUNTS,
    Options,
    among,
    any_of,
    counts,
    form_of,
    is_clear,
    of_all_sizes,
    stands_out,
    steps,
)
from snellen.build.questions.spatial import (
    drawn_texts,
    is_code,
    is_fragment,
    is_readable,
)
from snellen.build.questions.templates import templates_of
from snellen.build.questions.text import (
    folded,
    is_plain,
    language_of,
    occurrences,
    one_line,
)
from snellen.build.questions.wording import english_question
from snellen.build.screen.elements import Element, Screen
from snellen.build.snapshots import Snapshot
from snellen.tasks.benchmarks.mmbench_gui.format import FEWEST_OPTIONS, MOST_OPTIONS, Difficulty

_READ = frozenset({"cell", "pair", "price", "field"})
"""Kinds of values, which may be options of each other."""
_LISTED = frozenset({"hint", "action", "chart", "current", "section", "caption", "first", "last"})
"""Kinds whose options are of the same kind, or elements with the answer's role."""
_APART = 40.0
_SHORTEST, _LONGEST = 3, 45
_SPATIAL = frozenset({"heading", "link", "button", "tab", "menuitem", ""})
_FIELDS = frozenset({"textbox", "searchbox", "spinbutton", "combobox"})
_LINE = 6.0
_LEVEL = 2.0
_LIKE = 6
_PICTURE = 60_000.0
_TRIES = 20
_COMPARED = (
    "count",
    "place",
    "extreme",
    "condition",
    "hours",
    "difference",
    "sum",
    "two steps",
    "further",
)
_HOPS: Mapping[str, int] = MappingProxyType({**dict.fromkeys(_COMPARED, 2), "conditioned": 4})


class Question(NamedTuple):
    """A question with its options, and the ids of the elements that it needs."""

    kind: str
    text: str
    options: Options
    elements: Sequence[int]

    @property
    def hops(self) -> int:
        """The number of hops: 1 to look up, 2 to compare or calculate, 4 with a condition."""
        return _HOPS.get(self.kind, 1)


Way: TypeAlias = Callable[[Snapshot, Random], Iterator[Question]]


def ask(
    snapshot: Snapshot, difficulty: Difficulty, random: Random, asked: Collection[str] = ()
) -> Question | None:
    """Return a question of a difficulty, of a random kind among those that the screen allows.

    Questions about positions are possible on almost any screen and are used only if there is no
    other. Questions in `asked` are not repeated.
    """
    ways, last = _WAYS[difficulty]
    questions = [question for way in ways for question in way(snapshot, random)]
    answers: dict[str, set[str]] = {}
    for question in questions:
        answers.setdefault(question.text, set()).add(question.options.texts[question.options.right])
    # An item's id contains the page's name.
    id_parts = set(map(folded, snapshot.id.split("/")))
    kinds: dict[str, list[Question]] = {}
    for question in questions:
        right = question.options.texts[question.options.right]
        if (
            len(answers[question.text]) == 1
            and folded(right) not in id_parts
            and question.text not in asked
            and all(map(is_clear, question.options.texts))
        ):
            kinds.setdefault(question.kind, []).append(question)
    if kinds:
        return random.choice(kinds[random.choice(sorted(kinds))])
    drawn = (question for _ in range(_TRIES) for question in last(snapshot, random))
    return next((question for question in drawn if question.text not in asked), None)


# ---- easy --------------------------------------------------------------------------------------


def _read(snapshot: Snapshot, random: Random) -> Iterator[Question]:
    facts = lookups(snapshot)
    for fact in facts:
        if fact.kind not in _READ | _LISTED:
            continue
        text = english_question(fact, random)
        answer = fact.fragments[0]
        for others in _beside(snapshot.screen, facts, fact):
            options = among(answer, others, text, random)
            if options is not None:
                yield Question(fact.kind, text, options, fact.elements)
                break


def _beside(screen: Screen, found: Sequence[Lookup], one: Lookup) -> Iterator[Sequence[str]]:
    """Yield texts of the page other than an answer: of its column, of its list, of its form.

    If only the correct option is on the page, the question needs no reading.
    """
    if one.kind == "cell":
        yield _column(found, one)
    if one.kind in _LISTED:
        yield [each.fragments[0] for each in found if each.kind == one.kind]
        roles = {screen.elements[each].role for each in one.elements} - {""}
        shown = [_said(e) for e in screen.elements if e.role in roles and is_readable(e)]
        yield [text for text in shown if text not in one.names]
        return
    form = form_of(one.fragments[0])
    texts = [e.fragments[0] for e in found if e.kind in _READ and form_of(e.fragments[0]) == form]
    yield texts
    if form != "words":
        shown = [one_line(e.own) for e in screen.elements if is_readable(e) and is_plain(e.own)]
        yield [*texts, *(text for text in shown if form_of(text) == form and len(text) <= _LONGEST)]


def _column(found: Sequence[Lookup], one: Lookup) -> Sequence[str]:
    return [
        other.fragments[0]
        for other in found
        if other.kind == "cell" and other.names[1] == one.names[1]
    ]


def _highest(snapshot: Snapshot, random: Random) -> Iterator[Question]:
    lowest = random.random() < 0.5
    word = "lowest" if lowest else "highest"
    text = f"Which of these stands {word} on the screen?"
    yield from _in_order(snapshot, random, "place", text, -1 if lowest else 0)


# ---- medium ------------------------------------------------------------------------------------


def _counted(snapshot: Snapshot, random: Random) -> Iterator[Question]:
    for text, elements in _countable(snapshot):
        count = len(elements)
        if count in COUNTS and random.random() < ASKED.get(count, 1.0):
            options = counts(count, random)
            yield Question("count", text, options, [element.id for element in elements])


def _countable(snapshot: Snapshot) -> Iterator[tuple[str, Sequence[Element]]]:
    screen = snapshot.screen
    tables = [fact for fact in facts_of(snapshot.captured.facts) if isinstance(fact, Table)]
    if len(tables) == 1:
        table = tables[0]
        column = key_column(table)
        cells = [ids[column] for ids in table.cells] if column is not None else []
        shown = [screen.elements[cell] for cell in cells if cell is not None]
        whole = sum(each.role == "row" for each in screen.elements) == len(table.rows) + 1
        if len(shown) == len(table.rows) and whole:
            yield "How many rows does the table have below its header?", shown
    fields = [each for each in screen.elements if each.role in _FIELDS]
    labels = {folded(each.label) for each in screen.elements}
    # People disagree on whether an open list, or a field that looks like text, is a field. A label
    # of nothing belongs to what CSS draws in place of a field.
    unclear = not all(each.painted for each in fields) or any(
        each.role in {"listbox", "radio"}
        or (each.tag == "label" and folded(each.text) not in labels)
        for each in screen.elements
    )
    if not unclear and all(map(is_readable, fields)):
        yield "How many fields are there to type into or to choose from?", fields
    bars = [each for each in screen.elements if each.role == "navigation"]
    links = [e for e in screen.elements if e.role == "link" and e.landmark == "navigation"]
    # People disagree on whether a logo before the list, or a button after it, is one of its links.
    above = {screen.elements[e.parent].parent for e in links if e.parent is not None}
    plain = len(above) == 1 and not any(each.painted for each in links)
    if len(bars) == 1 and plain and all(is_readable(each) and each.text for each in links):
        yield "How many links does the navigation have?", links


def _next(snapshot: Snapshot, random: Random) -> Iterator[Question]:
    yield from _away(snapshot, random, "next", "directly", 1)


def _further(snapshot: Snapshot, random: Random) -> Iterator[Question]:
    yield from _away(snapshot, random, "further", "two entries", 2)


def _away(
    snapshot: Snapshot, random: Random, kind: str, far: str, steps: int
) -> Iterator[Question]:
    names = Names(snapshot.screen)
    for column in _lists(snapshot):
        # The answer is drawn first, and then the neighbor that the question names: each entry of
        # the list, also the first and the last, is equally likely to be the correct one.
        place = random.randrange(len(column.listed))
        able = (place - steps, place + steps)
        beside = [each for each in able if 0 <= each < len(column.listed)]
        if not beside:
            continue
        other = random.choice(beside)
        (answer, shown), (name, named) = column.listed[place], column.listed[other]
        start, end = sorted((place, other))
        between = pairwise(each for _, each in column.listed[start : end + 1])
        texts = [text for text, _ in column.listed]
        parted = any(_parted(snapshot.screen, *pair) for pair in between)
        if parted or not names.alone(name, named):
            continue
        question = f"What stands {far} {column.after if other < place else column.before} “{name}”?"
        options = any_of(texts, answer, name, random)
        if options is not None:
            yield Question(kind, question, options, [named.id, shown.id])


def _parted(screen: Screen, one: Element, other: Element) -> bool:
    """Whether other text is between two elements side by side."""
    left, right = one.box[2], other.box[0]
    top, bottom = max(one.box[1], other.box[1]), min(one.box[3], other.box[3])
    return any(
        left <= (each.box[0] + each.box[2]) / 2 <= right
        and each.box[1] < bottom
        and top < each.box[3]
        for each in screen.elements
        if each.own and not screen.nested(one, each) and not screen.nested(other, each)
    )


class _List(NamedTuple):
    """The entries of a row or a column, and the words for the entry after and before another."""

    listed: Sequence[tuple[str, Element]]
    after: str
    before: str


def _lists(snapshot: Snapshot) -> Iterator[_List]:
    """Yield the columns of tables' row names, and lines of links or headings."""
    screen = snapshot.screen
    tables = [fact for fact in facts_of(snapshot.captured.facts) if isinstance(fact, Table)]
    for table in tables:
        key = key_column(table)
        if key is None:
            continue
        cells = [
            (row[key], sole_text(screen, ids[key], row[key]))
            for row, ids in zip(table.rows, table.cells, strict=True)
        ]
        named_cells = [(text, element) for text, element in cells if element is not None]
        if len(named_cells) == len(cells) > 1:
            where = f"in the column “{table.headers[key]}” of the table,"
            yield _List(named_cells, f"below, {where}", f"above, {where}")
    for roles in (frozenset({"link", "tab"}), frozenset({"heading"})):
        named = [
            each
            for each in screen.elements
            if each.role in roles and each.text and is_readable(each) and is_plain(each.text)
        ]
        for line in _lines(named):
            listed = [(_said(each), each) for each in line]
            where = "at the same height, of"
            yield _List(listed, f"to the right, {where}", f"to the left, {where}")


def _lines(elements: Sequence[Element]) -> Iterator[Sequence[Element]]:
    """Yield elements of one landmark and level that are side by side, from left to right."""
    lines: dict[tuple[str, int, int], list[Element]] = {}
    for each in elements:
        height = round((each.box[1] + each.box[3]) / 2 / _LINE)
        lines.setdefault((each.landmark, each.level, height), []).append(each)
    for line in lines.values():
        middles = [(each.box[1] + each.box[3]) / 2 for each in line]
        if max(middles) - min(middles) > _LEVEL:
            continue
        line.sort(key=lambda each: each.box[0])
        if len(line) > 1 and all(left.box[2] <= right.box[0] for left, right in pairwise(line)):
            yield line


# ---- hard --------------------------------------------------------------------------------------


def _extremes(snapshot: Snapshot, random: Random) -> Iterator[Question]:
    for series in _series(snapshot):
        names = [figure.name for figure in series.figures]
        for word, pick in (("highest", max), ("lowest", min)):
            right = series.extreme(pick)
            if right is None or len(names) < FEWEST_OPTIONS:
                continue
            column = series.column
            what = f"{word} “{column}” in the table" if column else f"{word} price"
            text = f"Of these, which has the {what}?"
            options = among(right.name, names, text, random)
            if options is not None:
                yield Question("extreme", text, options, _elements(series))


def _above(snapshot: Snapshot, random: Random) -> Iterator[Question]:
    for series in _series(snapshot):
        figures = series.figures
        if not series.column or len({figure.value for figure in figures}) < len(figures):
            continue
        limit = random.choice(figures)
        count = sum(figure.value > limit.value for figure in figures)
        text = f"How many rows of the table have a higher “{series.column}” than “{limit.name}”?"
        options = among(str(count), map(str, range(len(figures))), text, random)
        if options is not None:
            yield Question("condition", text, options, _elements(series))


def _conditioned(snapshot: Snapshot, random: Random) -> Iterator[Question]:
    for each in conditioned(snapshot, random):
        drawn = (among(each.answer, each.names, each.text, random) for _ in range(_TRIES))
        options = next((one for one in drawn if one and each.shortcut in one.texts), None)
        if options is not None:
            yield Question("conditioned", each.text, options, each.elements)


def _elements(series: Series) -> Sequence[int]:
    return [figure.element for figure in series.figures]


def _calculated(snapshot: Snapshot, random: Random) -> Iterator[Question]:
    for calculation in calculations(snapshot, random):
        if calculation.kind == "hours":
            minutes = minutes_between(calculation.answers)
            options = steps(minutes // 15, _hours, random, least=1)
            yield Question("hours", calculation.question, options, calculation.elements)
        elif calculation.kind in {"difference", "sum"}:
            answer, question = calculation.answers[0], calculation.question
            options = of_all_sizes(answer, question, random, calculation.step)
            if options is not None:
                yield Question(calculation.kind, question, options, calculation.elements)


def _hours(quarters: int) -> str:
    return f"{quarters // 4} hours {quarters % 4 * 15:02} minutes"


def _two_steps(snapshot: Snapshot, random: Random) -> Iterator[Question]:
    """Ask for a cell of the row that has a given value in another column."""
    facts = lookups(snapshot)
    for fact in facts:
        if fact.kind != "row":
            continue
        (_, first, second), (given, answer) = fact.names, fact.fragments
        text = f"In the row with “{given}” under “{first}”, what is shown under “{second}”?"
        others = [
            other.fragments[0]
            for other in facts
            if other.kind == "cell" and other.names[1] == second
        ]
        options = among(answer, others, text, random)
        if options is not None:
            yield Question("two steps", text, options, fact.elements)


def _second(snapshot: Snapshot, random: Random) -> Iterator[Question]:
    lowest = random.random() < 0.5
    text = f"Which of these stands second {'lowest' if lowest else 'highest'} on the screen?"
    yield from _in_order(snapshot, random, "place", text, -2 if lowest else 1)


def _series(snapshot: Snapshot) -> Sequence[Series]:
    templates = templates_of(language_of(snapshot.screen))
    return [] if templates is None else series_of(snapshot, templates)


# ---- positions ---------------------------------------------------------------------------------


def _in_order(
    snapshot: Snapshot, random: Random, kind: str, text: str, place: int
) -> Iterator[Question]:
    """Yield a question about which of some texts is at an index, counted from the top.

    None on pages with a large picture, such as a screenshot, which may show the texts again.
    """
    if any(_may_have_text(each) for each in snapshot.screen.elements):
        return
    pool = list(_texts(snapshot.screen))
    random.shuffle(pool)
    if pool:
        # The positions of a site's header and footer texts are known without looking.
        like, landmark = len(_said(pool[0])), pool[0].landmark
        pool = [
            each
            for each in pool
            if each.landmark == landmark and abs(len(_said(each)) - like) <= _LIKE
        ]
    count = random.randint(FEWEST_OPTIONS, MOST_OPTIONS)
    chosen: list[Element] = []
    for each in pool:
        if all(_are_apart(each, other) for other in chosen):
            chosen.append(each)
        if len(chosen) == count:
            break
    if len(chosen) < FEWEST_OPTIONS:
        return
    answer = sorted(chosen, key=lambda each: each.box[1])[place]
    texts = tuple(map(_said, chosen))
    if not stands_out(_said(answer), (_said(each) for each in chosen if each is not answer)):
        options = Options(texts, chosen.index(answer))
        yield Question(kind, text, options, [each.id for each in chosen])


def _may_have_text(element: Element) -> bool:
    """Whether an element is a large picture; drawings that are part of the page are not."""
    area = element.width * element.height
    return element.tag == "img" and not element.drawn and area > _PICTURE


def _are_apart(one: Element, other: Element) -> bool:
    return one.box[1] >= other.box[3] + _APART or other.box[1] >= one.box[3] + _APART


def _texts(screen: Screen) -> Iterator[Element]:
    """Yield elements with a short text that occurs once on the screen.

    None with a number or a date, whose order is known without looking, and no code.
    """
    shown = Counter(folded(each.own) for each in screen.elements if each.own)
    drawn = drawn_texts(screen)
    for each in screen.elements:
        key = folded(each.own)
        fits = (
            each.role in _SPATIAL
            and _SHORTEST <= len(each.own) <= _LONGEST
            and each.own == each.text
            and not is_fragment(screen, each)
            and not is_code(screen, each)
            and not any(map(str.isdigit, key))
        )
        alone = shown[key] == 1 and all(occurrences(key, text) <= 1 for text in drawn)
        if (
            fits
            and alone
            and is_readable(each)
            and is_plain(each.own)
            and any(map(str.isalpha, key))
        ):
            yield each


def _said(element: Element) -> str:
    return one_line(element.text or element.own)


_WAYS: Mapping[Difficulty, tuple[Sequence[Way], Way]] = MappingProxyType(
    {
        "easy": ((_read,), _highest),
        "medium": ((_counted, _next), _highest),
        "hard": ((_extremes, _above, _calculated, _two_steps, _conditioned, _further), _second),
    }
)
