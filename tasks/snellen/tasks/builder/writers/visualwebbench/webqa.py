"""VisualWebBench's webqa: questions about what a page shows as data, each with exactly one answer.

Source of the form: VisualWebBench (Liu et al., 2024), section 3: at most five questions a page,
with precise and objective answers. Theirs were written by people; these are made from tables, lists
of labels and values, prices and contacts, by templates in the page's language.

A value is asked for only where it stands once in its column or list, so that what is frequent is
never the answer, and no answer stands in its question. What the frame of a site says on each of its
pages is not asked for.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

from snellen.tasks.builder.questions.facts import (
    Amount,
    Contact,
    Fact,
    Pairs,
    Price,
    Prices,
    Table,
    accepted,
    amount_of,
    facts_of,
    key_column,
)
from snellen.tasks.builder.questions.templates import Questions, questions_of
from snellen.tasks.builder.screen.elements import Screen
from snellen.tasks.builder.snapshots import Snapshot
from snellen.tasks.builder.writers.base import Made, Refused
from snellen.tasks.builder.writers.visualwebbench.shared import (
    SITE_PARTS,
    Reason,
    count_words,
    folded,
    is_plain,
    is_readable,
    language_of,
    made,
    one_line,
    refused,
    rounded,
)

QUESTION_ITEMS = 5
"""The most questions of one page."""

_ANSWER_WORDS = 6
_ANSWER_LENGTH = 60
_NAME_LENGTH = 80
_FEWEST_ROWS = 3
_FEWEST_NAMES = 5
_COLONS = ":\uff1a "
_CURRENCIES = "$€£¥₹"
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")


class Asked(NamedTuple):
    """A question that could be asked, and the element that answers it."""

    kind: str
    question: str
    answer: str
    element: int | None


_DIFFICULTY = {
    "lookup": "easy",
    "pair": "easy",
    "price": "easy",
    "phone": "easy",
    "email": "easy",
    "reverse": "medium",
    "highest": "hard",
    "lowest": "hard",
    "dearest": "hard",
    "cheapest": "hard",
}

_IN_TABLES = frozenset({"lookup", "reverse", "highest", "lowest"})


def webqa(snapshot: Snapshot, random: Random) -> Iterator[Made | Refused]:
    """Ask for some of the facts, of as many kinds as there are."""
    screen = snapshot.screen
    language = language_of(screen)
    questions = questions_of(language)
    if questions is None:
        yield refused("webqa", Reason.NO_TEMPLATES if language else Reason.NO_LANGUAGE)
        return
    facts = facts_of(snapshot.captured.facts)
    if not facts:
        yield refused("webqa", Reason.NO_FACTS)
        return
    chosen = _mixed(answerable(screen, facts, questions), random)
    if not chosen:
        yield refused("webqa", Reason.NO_ANSWER)
    for number, asked in enumerate(chosen, start=1):
        element = None if asked.element is None else screen.elements[asked.element]
        yield made(
            snapshot,
            "webqa",
            number,
            {"question": asked.question, "answer": forms_of(screen, asked, questions)},
            tags={"question": asked.kind, "difficulty": _DIFFICULTY[asked.kind]},
            record={
                "element": asked.element,
                "box": None if element is None else rounded(element.box),
            },
        )


def _mixed(asked: Sequence[Asked], random: Random) -> Sequence[Asked]:
    """Choose by turns among the kinds; no answer is asked for twice."""
    pool = list(asked)
    random.shuffle(pool)
    kinds = sorted({each.kind for each in pool})
    random.shuffle(kinds)
    chosen: list[Asked] = []
    while len(chosen) < QUESTION_ITEMS and pool:
        for kind in kinds:
            taken = {folded(each.answer) for each in chosen}
            pool = [each for each in pool if folded(each.answer) not in taken]
            following = next((each for each in pool if each.kind == kind), None)
            if following is not None and len(chosen) < QUESTION_ITEMS:
                chosen.append(following)
                pool.remove(following)
    return chosen


def answerable(screen: Screen, facts: Sequence[Fact], questions: Questions) -> Sequence[Asked]:
    """Return every question that has exactly one answer, and one that can be read."""
    asked = [
        each
        for ways in (_of_tables, _of_pairs, _of_prices, _of_contacts)
        for each in ways(screen, facts, questions)
    ]
    answers: dict[str, set[str]] = {}
    for each in asked:
        answers.setdefault(folded(each.question), set()).add(folded(each.answer))
    return [
        each
        for each in asked
        if len(answers[folded(each.question)]) == 1 and _can_be_asked(screen, each)
    ]


def forms_of(screen: Screen, asked: Asked, questions: Questions) -> list[str]:
    """Return the accepted forms of an answer, and all that its cell says where that is more."""
    forms = accepted(asked.answer, questions)
    whole = "" if asked.element is None else screen.elements[asked.element].text
    more = asked.kind in _IN_TABLES and whole and folded(whole) != folded(asked.answer)
    return [*forms, whole] if more else forms


def _can_be_asked(screen: Screen, asked: Asked) -> bool:
    answer = folded(asked.answer)
    if not 2 <= len(asked.answer) <= _ANSWER_LENGTH or not any(map(str.isalnum, answer)):
        return False
    if count_words(asked.answer) > _ANSWER_WORDS or not is_plain(asked.question + asked.answer):
        return False
    if f" {answer} " in f" {folded(asked.question)} ":
        return False
    if asked.element is None:
        return True
    element = screen.elements[asked.element]
    return is_readable(element) and element.landmark not in SITE_PARTS


def _of_tables(screen: Screen, facts: Sequence[Fact], questions: Questions) -> Iterator[Asked]:
    tables = [fact for fact in facts if isinstance(fact, Table)]
    for table in tables:
        key = key_column(table, _NAME_LENGTH)
        if key is None or len(table.rows) < _FEWEST_ROWS:
            continue
        headers = Counter(map(folded, table.headers))
        alone = len(tables) == 1
        for column, header in enumerate(table.headers):
            if column != key and folded(header) and headers[folded(header)] == 1:
                yield from _lookups(table, key, column, questions)
                if alone and len(table.rows) >= _FEWEST_NAMES:
                    yield from _extremes(table, key, column, questions)


def _lookups(table: Table, key: int, column: int, questions: Questions) -> Iterator[Asked]:
    counts = Counter(folded(row[column]) for row in table.rows)
    header, named = table.headers[column], table.headers[key]
    for row, cells in zip(table.rows, table.cells, strict=True):
        value = row[column]
        if not folded(value) or counts[folded(value)] > 1:
            continue
        # What is closed is mostly the Sunday: of few rows, that is guessed too easily.
        few = len(table.rows) < _FEWEST_NAMES
        if few and not any(map(str.isdecimal, value)):
            continue
        question = questions.lookup.format(row=row[key], column=header)
        yield Asked("lookup", question, value, cells[column])
        if few:
            continue
        question = questions.reverse.format(key=named, value=value, column=header)
        yield Asked("reverse", question, row[key], cells[key])


def _extremes(table: Table, key: int, column: int, questions: Questions) -> Iterator[Asked]:
    amounts = _comparable([row[column] for row in table.rows], questions)
    if amounts is None:
        return
    header, named = table.headers[column], table.headers[key]
    for kind, template, place in (
        ("highest", questions.highest, _only(amounts, max(amounts))),
        ("lowest", questions.lowest, _only(amounts, min(amounts))),
    ):
        if place is not None:
            question = template.format(key=named, column=header)
            yield Asked(kind, question, table.rows[place][key], table.cells[place][key])


def _comparable(texts: Sequence[str], questions: Questions) -> Sequence[Amount] | None:
    """Return texts as numbers; None where one is none or counts something else."""
    amounts = [amount for text in texts if (amount := amount_of(text, questions)) is not None]
    alike = len(amounts) == len(texts) and len({amount.unit for amount in amounts}) == 1
    return amounts if alike else None


def _only(amounts: Sequence[Amount], wanted: Amount) -> int | None:
    return amounts.index(wanted) if amounts.count(wanted) == 1 else None


def _of_pairs(screen: Screen, facts: Sequence[Fact], questions: Questions) -> Iterator[Asked]:
    pairs = [pair for fact in facts if isinstance(fact, Pairs) for pair in fact.pairs]
    labels = Counter(folded(pair.label) for pair in pairs)
    values = Counter(folded(pair.value) for pair in pairs)
    others = {
        folded(header) for fact in facts if isinstance(fact, Table) for header in fact.headers
    }
    for pair in pairs:
        label = folded(pair.label)
        unique = labels[label] == 1 and values[folded(pair.value)] == 1 and label not in others
        if label and unique and not _said_elsewhere(screen, label, pair.label_element):
            question = questions.pair.format(label=one_line(pair.label).rstrip(_COLONS))
            yield Asked("pair", question, pair.value, pair.element)


def _said_elsewhere(screen: Screen, text: str, element: int | None) -> bool:
    """Whether something else on the page says a text, too, so that it may mean either."""
    mine = None if element is None else screen.elements[element]
    saying = [
        each
        for each in screen.elements
        if folded(each.own) == text and (mine is None or not screen.nested(mine, each))
    ]
    return len(saying) > (mine is None)


def _of_prices(screen: Screen, facts: Sequence[Fact], questions: Questions) -> Iterator[Asked]:
    lists = [fact.items for fact in facts if isinstance(fact, Prices)]
    items = [item for each in lists if len(each) > 1 for item in each]
    names = Counter(folded(item.name) for item in items)
    prices = Counter(folded(item.price) for item in items)
    for item in items:
        short = 0 < len(item.name) <= _NAME_LENGTH
        if short and names[folded(item.name)] == 1 and prices[folded(item.price)] == 1:
            question = questions.price.format(name=one_line(item.name))
            yield Asked("price", question, item.price, item.element)
    amounts = _comparable([item.price for item in items], questions)
    elsewhere = any(isinstance(fact, Table | Pairs) for fact in facts) or len(lists) > 1
    if amounts is None or len(amounts) < _FEWEST_NAMES or elsewhere or _other_prices(screen, items):
        return
    for kind, question, place in (
        ("dearest", questions.dearest, _only(amounts, max(amounts))),
        ("cheapest", questions.cheapest, _only(amounts, min(amounts))),
    ):
        if place is not None:
            yield Asked(kind, question, items[place].name, items[place].name_element)


def _other_prices(screen: Screen, items: Sequence[Price]) -> bool:
    """Whether the page shows a price that is none of these."""
    known = [
        screen.elements[place]
        for item in items
        for place in (item.element, item.name_element)
        if place is not None
    ]
    for element in screen.elements:
        if any(sign in element.own for sign in _CURRENCIES) and not any(
            screen.nested(element, each) for each in known
        ):
            return True
    return False


def _of_contacts(screen: Screen, facts: Sequence[Fact], questions: Questions) -> Iterator[Asked]:
    contacts = [fact for fact in facts if isinstance(fact, Contact)]
    for label, question in (("phone", questions.phone), ("email", questions.email)):
        values = {folded(each.value): each for each in contacts if each.label == label}
        if len(values) == 1:
            only = next(iter(values.values()))
            if label == "phone" or _addresses(screen) <= {only.value.casefold()}:
                yield Asked(label, question, only.value, only.element)


def _addresses(screen: Screen) -> set[str]:
    return {found.casefold() for each in screen.elements for found in _ADDRESS.findall(each.own)}
