"""Tool calls with texts of a page, and sequences of calls.

The targets are letters that only the picture shows; without its picture, a prompt has only the
texts to enter.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

from snellen.build.charts.subjects import Subject
from snellen.build.charts.tables import draw_table, written
from snellen.build.items import Made, Refused
from snellen.build.questions import spatial
from snellen.build.questions.marks import LETTERS, mark_box, mark_letters
from snellen.build.questions.text import one_line
from snellen.build.screen.buttons import labelled_buttons, primary_button
from snellen.build.screen.elements import Element, Screen
from snellen.build.screen.fields import kind_of, plausible_value, text_fields
from snellen.build.screen.seen import seen
from snellen.build.screen.words.reading import words_of
from snellen.build.snapshots import Snapshot
from snellen.build.writers.matrix.charts import drawn, some
from snellen.build.writers.matrix.pages import record_of
from snellen.build.writers.matrix.shared import Ask, Reason, first_asked, made, refused

_CALLED = {
    "email": "e-mail address",
    "phone": "phone number",
    "website": "website",
    "company": "company",
    "username": "user name",
    "first_name": "first name",
    "last_name": "last name",
    "name": "full name",
    "card": "card number",
    "expiry": "end of the card's validity",
    "time": "time of day",
    "people": "number of people",
    "postcode": "postcode",
    "city": "city",
    "country": "country",
    "address": "street address",
    "amount": "amount",
    "date": "date wanted",
    "birth": "date of birth",
}
_ALIKE = (
    frozenset({"name", "first_name", "last_name", "username"}),
    frozenset({"date", "birth", "expiry"}),
    frozenset({"city", "address", "country", "postcode"}),
    frozenset({"card", "amount", "people"}),
)
"""Kinds that may fit the same field: none of them is added to another as surplus data."""

_FIELDS = (2, 6)
_EXTRA = 2
_MARKS = 8
_REFILLED = (3, 6)


class _Form(NamedTuple):
    """Fields of a form, from the top down, and one person's values for them."""

    fields: Sequence[Element]
    kinds: Sequence[str]
    values: Sequence[str]
    person: Mapping[str, str]


def make_tool_calls(snapshot: Snapshot, random: Random) -> Iterator[Made | Refused]:
    """Ask for calls: about a marked element, about a named one, about a form with a user's data."""
    askers: list[Callable[[], Ask | None]] = [
        lambda: _press_marked(snapshot, random),
        lambda: random.choice((_choose, _point))(snapshot, random),
        lambda: _fill(snapshot, random),
    ]
    random.shuffle(askers)
    yield from first_asked(snapshot, askers) or [refused("tool_call", Reason.FEW_BUTTONS)]


def make_decisions(snapshot: Snapshot, random: Random) -> Iterator[Made | Refused]:
    """Ask for the sequence of calls that fills in and submits the page's form."""
    ask = _fill_and_press(snapshot, random)
    if ask is None:
        few = form_of(snapshot.screen, random) is None
        yield refused("decisions", Reason.FEW_FIELDS if few else Reason.NO_SUBMIT)
    else:
        yield made(snapshot, 1, ask)


def make_chart_decisions(snapshot: Snapshot, random: Random) -> Iterator[Made | Refused]:
    """Ask for the sequence of calls that a chart requires."""
    yield from some(snapshot, random, (_refill,), 1, 2)


def _call(name: str, **arguments: str | float) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


# ---- Buttons


def _press_marked(snapshot: Snapshot, random: Random) -> Ask | None:
    screen = snapshot.screen
    candidates = [
        button
        for button in labelled_buttons(screen)
        if spatial.is_short_text(button.text)
        and button.covered == 0
        and button.text == one_line(button.text)
    ]
    shown = spatial.some_shown(screen, candidates, 1, random)
    if shown is None:
        return None
    return Ask(
        "tool_call",
        "press what is marked",
        "Press the button in the red box with the tool press(text), where text is what the button"
        " says, exactly as it is written.",
        "tool_call",
        _call("press", text=shown.elements[0].text),
        {"marked": mark_box(shown.window.draft(snapshot), shown.boxes[0])},
        named=False,
        source="page",
        record=record_of(shown),
    )


def _choose(snapshot: Snapshot, random: Random) -> Ask | None:
    screen = snapshot.screen
    candidates = spatial.said_once(screen, spatial.pointable(screen))
    shown = next(
        (
            shown
            for count in (_MARKS, _MARKS - 2)
            if (shown := spatial.some_shown(screen, candidates, count, random)) is not None
        ),
        None,
    )
    if shown is None:
        return None
    right = random.randrange(len(shown.elements))
    return Ask(
        "tool_call",
        "choose what is named",
        f"Choose “{one_line(shown.elements[right].own)}” with the tool choose(mark), where mark is"
        " the letter of its box.",
        "tool_call",
        _call("choose", mark=LETTERS[right]),
        {"marked": mark_letters(shown.window.draft(snapshot), shown.boxes)},
        source="page",
        record=record_of(shown),
    )


def _point(snapshot: Snapshot, random: Random) -> Ask | None:
    screen = snapshot.screen

    def fits(elements: Sequence[Element]) -> bool:
        return elements[0].width * elements[0].height < 0.02 * screen.width * spatial.HEIGHT

    # If a field and its label have the same name, both may be meant.
    named = [
        each for each in spatial.said_once(screen, spatial.pointable(screen)) if each.tag != "label"
    ]
    shown = spatial.some_shown(screen, named, 1, random, fits)
    where = None if shown is None else seen(screen, shown.elements[0], snapshot.pixels)
    if shown is None or where is None:
        return None
    window = shown.window
    gold = window.of(where.box)
    return Ask(
        "tool_call",
        "point at what is named",
        f"Where would you click to hit “{one_line(shown.elements[0].own)}”?",
        "point",
        list(gold),
        {"part": window.picture(snapshot)},
        settings={"image_size": [window.width, window.lower - window.upper]},
        source="page",
        record={**record_of(shown), "boxes": [spatial.rounded(gold)]},
    )


# ---- Forms


def form_of(screen: Screen, random: Random) -> _Form | None:
    """Return fields that fit one part of the page, each of another kind, with their values."""
    by_kind: dict[str, list[Element]] = {}
    for field in text_fields(screen):
        kind = kind_of(screen, field)
        if kind in _CALLED:
            by_kind.setdefault(kind, []).append(field)
    alone = {kind: fields[0] for kind, fields in by_kind.items() if len(fields) == 1}
    chosen: list[tuple[Element, str, str]] = []
    words = words_of(screen.language)
    if words is None:
        return None
    person = random.choice(words.persons)
    for kind, field in sorted(alone.items(), key=lambda entry: entry[1].box[1]):
        value = plausible_value(screen, field, random, person)
        near_enough = not chosen or field.box[3] - chosen[0][0].box[1] <= spatial.HEIGHT - 120
        clear = spatial.apart([entry[0] for entry in chosen], field, 2)
        if value is not None and near_enough and clear and len(chosen) < _FIELDS[1]:
            chosen.append((field, kind, value))
    if len(chosen) < _FIELDS[0] or len({value for *_, value in chosen}) < len(chosen):
        return None
    fields, kinds, values = zip(*chosen, strict=True)
    return _Form(fields, kinds, values, person)


def _data(screen: Screen, form: _Form, random: Random) -> str:
    """Return a user's data in a random order, including some that the form does not need."""
    words = words_of(screen.language)
    near_kinds = {kind for group in _ALIKE if group & set(form.kinds) for kind in group}
    rest = sorted(
        (words.kinds if words else frozenset[str]()) & set(_CALLED) - near_kinds - set(form.kinds)
    )
    extra = random.sample(rest, min(_EXTRA, len(rest)))
    pairs = list(zip(form.kinds, form.values, strict=True))
    if words is not None:
        pairs += [(kind, random.choice(words.typed(kind, form.person))) for kind in extra]
    random.shuffle(pairs)
    return "; ".join(f"{_CALLED[kind]}: {value}" for kind, value in pairs)


def _fill(snapshot: Snapshot, random: Random) -> Ask | None:
    screen = snapshot.screen
    form = form_of(screen, random)
    if form is None:
        return None
    order = random.sample(range(len(form.fields)), len(form.fields))
    shown = _together(screen, [form.fields[place] for place in order])
    if shown is None:
        return None
    letters = LETTERS[: len(order)]
    arguments = {letter: form.values[place] for letter, place in zip(letters, order, strict=True)}
    return Ask(
        "tool_call",
        "fill in a form",
        f"Fill in the form with the tool fill({', '.join(letters)}), whose arguments are the texts"
        " of the fields with these letters. Some of the user's data are not asked for."
        f"\nThe user's data: {_data(screen, form, random)}",
        "tool_call",
        _call("fill", **arguments),
        {"marked": mark_letters(shown.window.draft(snapshot), shown.boxes)},
        operations=("match",),
        source="page",
        record={**record_of(shown), "kinds": [form.kinds[place] for place in order]},
    )


def _together(screen: Screen, elements: Sequence[Element]) -> spatial.Excerpt | None:
    """Return elements with a part of the page that shows them all; None if too far apart."""
    upper = min(element.box[1] for element in elements)
    lower = max(element.box[3] for element in elements)
    height = min(spatial.HEIGHT, screen.height)
    first = max(0, min(int(upper - (height - (lower - upper)) / 2), screen.height - height))
    window = spatial.Window(screen.width, first, first + height)
    return (
        spatial.Excerpt(window, elements)
        if all(window.holds(part.box) for part in elements)
        else None
    )


def _fill_and_press(snapshot: Snapshot, random: Random) -> Ask | None:
    screen = snapshot.screen
    form, button = form_of(screen, random), primary_button(screen)
    if form is None or isinstance(button, str):
        return None
    stacked = all(
        upper_part.box[3] <= lower_part.box[1]
        for upper_part, lower_part in zip(form.fields, [*form.fields[1:], button], strict=True)
    )
    parts = [*form.fields, button]
    order = random.sample(range(len(parts)), len(parts))
    shown = _together(screen, [parts[place] for place in order])
    if shown is None or not stacked:
        return None
    letter = {place: LETTERS[rank] for rank, place in enumerate(order)}
    steps = [
        _call("type", mark=letter[place], text=value) for place, value in enumerate(form.values)
    ]
    return Ask(
        "decisions",
        "fill in a form and send it",
        "Fill in the fields in the lettered boxes, the topmost first, and then press the button in"
        " the last one. The tools are type(mark, text) and press(mark), where mark is a box's"
        f" letter. Some of the user's data are not asked for.\nThe user's data:"
        f" {_data(screen, form, random)}",
        "decisions",
        [*steps, _call("press", mark=letter[len(form.fields)])],
        {"marked": mark_letters(shown.window.draft(snapshot), shown.boxes)},
        operations=("match", "sort"),
        source="page",
        record={**record_of(shown), "kinds": list(form.kinds)},
    )


# ---- Charts


def _refill(random: Random, subjects: Sequence[Subject]) -> Ask:
    while True:
        table = draw_table(random, subjects, ("bars", "rows", "line"), labelled=True)
        values = dict(zip(table.labels, table.series[0].values, strict=True))
        least, aim = 2 * table.step, 4 * table.step
        low = {label: value for label, value in values.items() if value < least}
        if _REFILLED[0] - 1 <= len(low) <= _REFILLED[1]:
            break
    chart = drawn(random, table)
    steps = [_call("raise", label=label, by=_plain(aim - value)) for label, value in low.items()]
    return Ask(
        "decisions",
        "raise what is low",
        f"Each value below {written(least)} {table.unit} is to be raised to {written(aim)}. List"
        " the calls of the tool raise(label, by) that do so, in the chart's order, where by is how"
        " much is missing.",
        "decisions",
        steps,
        chart.images,
        operations=("compare", "difference"),
        record=chart.record,
    )


def _plain(value: float) -> float:
    value = round(value, 6)
    return int(value) if value == int(value) else value
