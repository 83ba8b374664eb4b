"""Recomputed references: from the item's own record, and from its page if that is known.

These checks do not use the makers: texts and positions of elements and the content of tables are
read from the frozen page, and compared with the item.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import permutations
from typing import Any, NamedTuple, cast

from snellen.build.questions.facts import amount_of
from snellen.build.questions.templates import templates_of
from snellen.build.questions.text import folded, language_of, one_line
from snellen.build.screen.elements import Screen
from snellen.build.screen.purpose import descriptions_of
from witness import places, records
from witness.charts import check_chart
from witness.faults import Fault
from witness.views import (
    Check,
    Evidence,
    View,
    answers_of,
    page_text,
    said_by,
    texts_of,
)

_CAPTION, _LAYOUT = "visualwebbench/web_caption", "webrssbench/layout"
_READ = frozenset({"visualwebbench/heading_ocr", "visualwebbench/element_ocr"})
_POINTED = (
    "visualwebbench/element_ground",
    "visualwebbench/action_ground",
    "mmbench-gui/l2_basic",
)
_GOES = re.compile(r"Get back to the start page|Go to the page with the title “(.+)”")
_CONDITIONED = frozenset({"conditioned", "extreme under a condition"})
_EXACT = frozenset({"text in a box", "next heading"})


# ---- tools -------------------------------------------------------------------------------------


def _typed(view: View) -> Iterator[Evidence]:
    """Check that the prompt contains all texts to enter."""
    gold = view.matrix
    if gold is None or gold.metric not in {"tool_call", "decisions"}:
        return
    _, listed, data = view.prompt.partition("The user's data:")
    if not listed:
        return
    answer: object = gold.answer
    calls = cast("Sequence[object]", answer) if isinstance(answer, list) else [answer]
    values = {part.partition(": ")[2].strip() for part in data.split("\n")[0].split("; ")}
    for call in calls:
        arguments = _arguments(call)
        for name, value in arguments.items():
            if name != "mark" and isinstance(value, str) and value not in values:
                yield Evidence(Fault.RECORD, "one of the user's data", value)
                return


def _arguments(call: object) -> Mapping[str, object]:
    if isinstance(call, Mapping):
        arguments = cast("Mapping[str, object]", call).get("arguments")
        if isinstance(arguments, Mapping):
            return cast("Mapping[str, object]", arguments)
    return {}


def _tools(view: View) -> Iterator[Evidence]:
    """Compare the arguments of a call with the elements in the record."""
    gold = view.matrix
    if gold is None or gold.metric != "tool_call" or not view.elements:
        return
    arguments = _arguments(gold.answer)
    if view.kind == "press what is marked":
        label = one_line(view.elements[0].text)
        if one_line(str(arguments.get("text"))) != label:
            yield Evidence(Fault.NOT_ON_PAGE, label, str(arguments.get("text")))
    elif view.kind == "choose what is named" and view.quoted:
        named = [folded(element.own) for element in view.elements]
        wanted = folded(view.quoted[0])
        right = chr(ord("A") + named.index(wanted)) if wanted in named else "none"
        if arguments.get("mark") != right:
            yield Evidence(Fault.WRONG_OPTION, right, str(arguments.get("mark")))


# ---- texts of the page -------------------------------------------------------------------------


def _text_of_element(view: View) -> Iterator[Evidence]:
    """Compare a reference text with the text of its element."""
    screen = view.screen
    if screen is None:
        return
    own = texts_of(view.item.gold)
    if view.task in {_CAPTION, _LAYOUT}:
        said = list(descriptions_of(screen).values())
        if said and not all(any(folded(t) in folded(one) for one in said) for t in own):
            yield Evidence(Fault.NOT_ON_PAGE, "; ".join(said), "; ".join(own))
        return
    if not view.elements:
        return
    first = view.elements[0]
    if view.kind == "next heading":
        first = view.elements[-1]
    exact = view.task in _READ or view.kind in _EXACT or view.task == "webrssbench/color"
    if exact:
        answer = view.matrix.answer if view.matrix is not None else view.item.gold
        texts = texts_of(answer)
        said = {one_line(first.text), one_line(first.own)}
        if not said & set(map(one_line, texts)):
            yield Evidence(Fault.NOT_ON_PAGE, one_line(first.text), "; ".join(texts))
    elif view.task in {"screenqa/ui_contents", "screenqa/ui_contents_boxes"}:
        said = view.elements
        for rater in cast("Sequence[Sequence[object]]", view.item.gold):
            texts = [texts_of(one)[0] for one in rater if texts_of(one)]
            if len(texts) != len(said) or not all(
                folded(text) in {folded(one) for one in said_by(element)}
                for text, element in zip(texts, said, strict=True)
            ):
                shown = "; ".join(one_line(one.text or one.value) for one in said)
                yield Evidence(Fault.NOT_ON_PAGE, shown, "; ".join(texts))
                return
    elif view.task == "screenqa/long":
        fragments = [folded(one.own or one.value or one.text) for one in view.elements]
        for sentence in own:
            if not all(fragment in folded(sentence) for fragment in fragments):
                yield Evidence(Fault.NOT_ON_PAGE, "; ".join(fragments), sentence)
                return


def _hint(view: View) -> Iterator[Evidence]:
    page = view.sight.page
    if view.task != "webrssbench/hint_text" or page is None:
        return
    change = page.change(view.task)
    named = view.record.get("element")
    if change is None:
        return
    before = next((changed.before for changed in change.elements if changed.id == named), None)
    own = texts_of(view.item.gold)
    if before is not None and one_line(before.placeholder) not in map(one_line, own):
        yield Evidence(Fault.NOT_ON_PAGE, before.placeholder, "; ".join(own))


def _led(view: View) -> Iterator[Evidence]:
    """Compare the target of a click in the reference with the recorded one."""
    page = view.sight.page
    if page is None or view.task != "visualwebbench/action_prediction":
        return
    clicks = [
        click
        for click in page.snapshot.captured.clicks
        if click.element == view.record.get("element") and click.title
    ]
    own = view.right_text
    if own is not None and clicks and folded(clicks[0].title) != folded(own):
        yield Evidence(Fault.WRONG_OPTION, one_line(clicks[0].title), own)


def _reached(view: View) -> Iterator[Evidence]:
    """Compare the page that an instruction names with the page where its click ended."""
    page, match = view.sight.page, _GOES.search(view.prompt)
    if page is None or match is None or not view.elements:
        return
    captured, element = page.snapshot.captured, view.elements[0].id
    ends = [one for one in captured.clicks if one.element == element and one.outcome == "page"]
    if not ends:
        yield Evidence(Fault.NOT_ON_PAGE, match[0], "no click that leads to another page")
        return
    site, path = captured.source.partition("/")[0], ends[0].href.partition("#")[0]
    file = f"{site}{path}index.html" if path.endswith("/") else f"{site}{path}"
    shown = view.sight.titles.get(file, match[1] or "")
    if file != f"{site}/index.html" if match[1] is None else folded(shown) != folded(match[1]):
        yield Evidence(Fault.NOT_ON_PAGE, match[0], shown or file)


def _named(view: View) -> Iterator[Evidence]:
    """Compare the name of an element in a question with the texts of the element."""
    screen = view.screen
    if not view.task.startswith(_POINTED) or not view.elements or not view.quoted or screen is None:
        return
    element = view.elements[0]
    # A link says the alternative text of its picture.
    parts = [element, *screen.inside(element)]
    # Of several buttons that do the same, the question names the heading of the right one's card.
    if "For “" in view.prompt:
        around = (part for outer in screen.ancestors(element) for part in screen.inside(outer))
        parts += [part for part in around if part.role == "heading"]
    texts = {folded(text) for part in parts for text in said_by(part)}
    if not texts & set(map(folded, view.spans)):
        shown = element.text or element.name or element.label
        yield Evidence(Fault.WRONG_BOX, f"what says “{view.quoted[-1]}”", f"what says “{shown}”")


_TEXT_CHECKS: tuple[Check, ...] = (
    _typed,
    _tools,
    _text_of_element,
    _hint,
    _led,
    _reached,
    _named,
)


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


def _fact(view: View) -> Iterator[Evidence]:
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
    answering = [
        statement.value
        for statement in statements
        if names <= statement.names
        and (statement.key in names or not statement.key)
        and statement.value not in names
    ]
    if not answering:
        return
    if not any(_is_answer(text, answering) for text in own):
        yield Evidence(Fault.NOT_ON_PAGE, "; ".join(sorted(answering)), "; ".join(own[:3]))


def _is_answer(text: str, answering: Sequence[str]) -> bool:
    answer = folded(text)
    return any(answer == value for value in answering) or (
        len(answering) > 1
        and any(folded(" ".join(some)) == answer for some in permutations(answering, 2))
    )


def _shown_somewhere(view: View) -> Iterator[Evidence]:
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
        yield Evidence(Fault.NOT_ON_PAGE, "a text of the page", "; ".join(own[:3]))


def _parts(text: str) -> list[str]:
    """Return the fragments of an answer, which may be at different places."""
    return [part for part in text.split(", ") if folded(part)]


def _absent(view: View) -> Iterator[Evidence]:
    """Check that the page has no fact with the names of an unanswerable question."""
    page, screen = view.sight.page, view.screen
    if page is None or screen is None or view.record.get("unanswerable") is not True:
        return
    names = {folded(name) for name in view.quoted} - {""}
    for statement in statements_of(page.snapshot.captured.facts, screen):
        if names and names <= statement.names and statement.key in names:
            yield Evidence(Fault.ANSWERED, "nothing that answers it", statement.value)
            return


# ---- numbers and counts ------------------------------------------------------------------------


def _counted(view: View) -> Iterator[Evidence]:
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
        yield Evidence(Fault.NOT_ON_PAGE, str(right), "; ".join(map(str, shown)))


def _amount(text: str, screen: Screen) -> Decimal | None:
    templates = templates_of(language_of(screen))
    amount = None if templates is None else amount_of(text, templates)
    return None if amount is None else amount.value


def _conditioned(view: View) -> Iterator[Evidence]:
    """Find the extreme row under a condition again, in the page's tables and prices."""
    page, screen, own = view.sight.page, view.screen, view.right_text
    if view.kind not in _CONDITIONED or page is None or screen is None or own is None:
        return
    first, *rest = map(folded, view.quoted)
    of_category = "” under “" in view.prompt
    column = rest[1] if of_category else first if "Of the rows" in view.prompt else "price"
    named = rest[0] if column == first and not of_category else first
    for rows in _rows_of(page.snapshot.captured.facts):
        if not all(column in row for row in rows):
            continue
        amounts = [_amount(row[column], screen) for row in rows]
        limit = next(
            (a for row, a in zip(rows, amounts, strict=True) if named in map(folded, row.values())),
            None,
        )
        more = "with a higher" in view.prompt or "costs more" in view.prompt
        able = {
            amount: row
            for row, amount in zip(rows, amounts, strict=True)
            if amount is not None
            and (
                folded(row.get(rest[0], "")) == first
                if of_category
                else limit is not None and amount != limit and (amount > limit) is more
            )
        }
        if able:
            low = "the lowest" in view.prompt or "the cheapest" in view.prompt
            right = able[min(able) if low else max(able)]
            if folded(own) not in map(folded, right.values()):
                yield Evidence(Fault.WRONG_OPTION, "; ".join(right.values()), own)
            return


def _rows_of(facts: Iterable[Mapping[str, Any]]) -> Iterator[list[dict[str, str]]]:
    """Yield the rows of each table, by normalized header; prices are a table of two columns."""
    for fact in facts:
        if fact.get("kind") == "table":
            headers = [folded(header) for header in fact["headers"]]
            yield [dict(zip(headers, row, strict=False)) for row in fact["rows"]]
        elif fact.get("kind") == "prices":
            yield [{"name": item["name"], "price": item["price"]} for item in fact["items"]]


def _ordered(view: View) -> Iterator[Evidence]:
    """Compare the order of options in the reference with their positions."""
    own = view.right_text
    if view.task != "mmbench-gui/l1" or not view.elements or own is None:
        return
    by_text = {folded(element.text or element.own): element for element in view.elements}
    if view.kind == "place":
        matches = [by_text.get(folded(option)) for option in view.item.options]
        shown = [element for element in matches if element is not None]
        if len(shown) != len(view.item.options):
            named = "; ".join(sorted(by_text))
            yield Evidence(Fault.RECORD, named, "; ".join(view.item.options))
            return
        shown.sort(key=lambda element: element.box[1], reverse="lowest" in view.prompt)
        right = shown[1 if "stands second" in view.prompt else 0]
        if folded(right.text or right.own) != folded(own):
            yield Evidence(Fault.WRONG_OPTION, one_line(right.text or right.own), own)
    elif view.kind in {"next", "further"} and len(view.elements) == 2:
        expected = one_line(view.elements[1].text or view.elements[1].own)
        if folded(expected) != folded(own):
            yield Evidence(Fault.WRONG_OPTION, expected, own)


_PAGE_CHECKS: tuple[Check, ...] = (
    _fact,
    _shown_somewhere,
    _absent,
    _counted,
    _conditioned,
    _ordered,
)


CHECKS: tuple[Check, ...] = (
    *records.CHECKS,
    *places.CHECKS,
    check_chart,
    *_TEXT_CHECKS,
    places.check_boxes,
    *_PAGE_CHECKS,
)
"""The recomputing checks."""
