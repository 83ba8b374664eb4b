"""Facts of a page, looked up, counted and calculated again."""

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from itertools import permutations
from typing import Any, NamedTuple

from snellen.tasks.audit.models import Fault
from snellen.tasks.audit.views import (
    Check,
    Found,
    View,
    answers_of,
    page_text,
)
from snellen.tasks.builder.questions.facts import amount_of
from snellen.tasks.builder.questions.templates import templates_of
from snellen.tasks.builder.questions.text import folded, language_of, one_line
from snellen.tasks.builder.screen.elements import Screen

_FACTS = frozenset({"visualwebbench/webqa"})


# ---- facts -------------------------------------------------------------------------------------


class Statement(NamedTuple):
    """A fact of a page: a value, and the names that lead to it.

    Attributes:
        value: The normalized value.
        names: The normalized names.
        key: The normalized name that a question must contain; empty for none.
    """

    value: str
    names: frozenset[str]
    key: str


def statements_of(facts: Iterable[Mapping[str, Any]], screen: Screen) -> list[Statement]:
    """Return the facts of a page."""
    statements: list[Statement] = []
    for fact in facts:
        match fact.get("kind"):
            case "table":
                headers = [folded(text) for text in fact["headers"]]
                for row in fact["rows"]:
                    cells = [folded(text) for text in row]
                    statements += [
                        Statement(cell, frozenset({*headers, *cells}) - {""}, header)
                        for cell, header in zip(cells, headers, strict=False)
                        if cell
                    ]
            case "pairs":
                for pair in fact["pairs"]:
                    label = folded(pair["label"])
                    statements.append(Statement(folded(pair["value"]), frozenset({label}), label))
            case "prices":
                for item in fact["items"]:
                    name = folded(item["name"])
                    statements.append(Statement(folded(item["price"]), frozenset({name}), name))
            case _:
                pass
    for element in screen.elements:
        if element.label and element.value:
            label = folded(element.label)
            statements.append(Statement(folded(element.value), frozenset({label}), label))
    return statements


_LOOKED_UP = frozenset({"cell", "row", "reverse", "pair", "price", "field", "read", "two steps"})


def _fact(view: View) -> Iterator[Found]:
    """Look up the names in a question among the page's facts."""
    page, screen = view.sight.page, view.screen
    if page is None or screen is None or not view.quoted or view.record.get("unanswerable"):
        return
    if view.kind not in _LOOKED_UP or view.task in {"screenqa/long", "screenqa/complex"}:
        return
    own = answers_of(view)
    if not own:
        return
    names = {folded(name) for name in view.quoted} - {""}
    statements = statements_of(page.snapshot.captured.facts, screen)
    answering = {
        statement.value
        for statement in statements
        if names <= statement.names
        and (statement.key in names or not statement.key)
        and statement.value not in names
    }
    if not answering:
        return
    if not any(_is_answer(text, answering) for text in own):
        yield Found(Fault.NOT_ON_PAGE, "; ".join(sorted(answering)), "; ".join(own[:3]))


def _is_answer(text: str, answering: set[str]) -> bool:
    answer = folded(text)
    return any(answer == value for value in answering) or (
        len(answering) > 1
        and any(folded(" ".join(some)) == answer for some in permutations(answering, 2))
    )


def _shown_somewhere(view: View) -> Iterator[Found]:
    """Check that an answer read from the page is on the page."""
    screen = view.screen
    looked = view.task in _FACTS or (view.task == "screenqa/short")
    looked = looked or (view.matrix is not None and view.matrix.metric == "exact_match")
    if screen is None or not looked or view.record.get("unanswerable"):
        return
    own = answers_of(view)
    page = page_text(screen)
    parts = [part for text in own[:1] for part in _parts(text)]
    if not parts or not all(folded(part) in page for part in parts):
        yield Found(Fault.NOT_ON_PAGE, "a text of the page", "; ".join(own[:3]))


def _parts(text: str) -> list[str]:
    """Return the fragments of an answer, which may be at different places."""
    return [part for part in text.split(", ") if folded(part)]


def _absent(view: View) -> Iterator[Found]:
    """Check that the page has no fact with the names of an unanswerable question."""
    page, screen = view.sight.page, view.screen
    if page is None or screen is None or view.record.get("unanswerable") is not True:
        return
    names = {folded(name) for name in view.quoted} - {""}
    for statement in statements_of(page.snapshot.captured.facts, screen):
        if names and names <= statement.names and statement.key in names:
            yield Found(Fault.ANSWERED, "nothing that answers it", statement.value)
            return


# ---- numbers and counts ------------------------------------------------------------------------


def _counted(view: View) -> Iterator[Found]:
    """Calculate again with the numbers of the record's elements."""
    screen = view.screen
    if screen is None or not view.elements:
        return
    own = answers_of(view)
    if view.kind == "count":
        count = len(view.elements)
        if view.task == "screenqa/complex" and view.quoted:
            count = sum(folded(element.own) == folded(view.quoted[0]) for element in view.elements)
        right: Decimal | None = Decimal(count)
    elif view.kind in {"difference", "sum"} and len(view.elements) == 2:
        values = [_amount(element.own or element.text, screen) for element in view.elements]
        first, second = values
        if first is None or second is None:
            return
        right = first + second if view.kind == "sum" else abs(first - second)
    else:
        return
    number = view.matrix.answer if view.matrix is not None else None
    if isinstance(number, int | float):
        amounts: list[Decimal | None] = [Decimal(str(number))]
    else:
        amounts = [_amount(text, screen) for text in own[:1]]
    shown = [amount for amount in amounts if amount is not None]
    if shown and all(abs(amount - right) > Decimal("0.001") for amount in shown):
        yield Found(Fault.NOT_ON_PAGE, str(right), "; ".join(map(str, shown)))


def _amount(text: str, screen: Screen) -> Decimal | None:
    templates = templates_of(language_of(screen))
    amount = None if templates is None else amount_of(text, templates)
    return None if amount is None else amount.value


def _ordered(view: View) -> Iterator[Found]:
    """Compare the order of options in the reference with their positions."""
    own = view.right_text
    if view.task != "mmbench-gui/l1" or not view.elements or own is None:
        return
    by_text = {folded(element.text or element.own): element for element in view.elements}
    if view.kind in {"place", "order"}:
        matches = [by_text.get(folded(option)) for option in view.item.options]
        shown = [element for element in matches if element is not None]
        if len(shown) != len(view.item.options):
            named = "; ".join(sorted(by_text))
            yield Found(Fault.RECORD, named, "; ".join(view.item.options))
            return
        shown.sort(key=lambda element: element.box[1], reverse="lowest" in view.prompt)
        right = shown[1 if "stands second" in view.prompt else 0]
        if folded(right.text or right.own) != folded(own):
            yield Found(Fault.WRONG_OPTION, one_line(right.text or right.own), own)
    elif view.kind == "next" and len(view.elements) == 2:
        expected = one_line(view.elements[1].text or view.elements[1].own)
        if folded(expected) != folded(own):
            yield Found(Fault.WRONG_OPTION, expected, own)


CHECKS: tuple[Check, ...] = (
    _fact,
    _shown_somewhere,
    _absent,
    _counted,
    _ordered,
)
