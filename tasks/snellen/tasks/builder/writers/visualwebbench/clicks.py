"""VisualWebBench's action_prediction: which page opens when the element in the red box is clicked.

Source of the rules: VisualWebBench (Liu et al., 2024), section 3: elements are really clicked, an
item is kept where the title changed, and the wrong options are where other elements lead.

All options are real titles that clicks on this page led to, and at the end the page's own; none is
invented and none is another page's, because a page's items depend on that page alone. So an item of
a small site has fewer than eight options, and at least four.

Links say where they lead, but the site's sign: so the start page would be right more often than any
other. Where at least four titles can be asked for, they alone are the options, and one of them is
drawn; else the start page is neither right nor an option.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import NamedTuple

from snellen.tasks.benchmarks.visualwebbench.format import LETTERS
from snellen.tasks.builder.items import Made, Refused
from snellen.tasks.builder.questions.intents import is_home, leads_home
from snellen.tasks.builder.questions.marks import mark_box
from snellen.tasks.builder.questions.spatial import fractions, is_readable, rounded
from snellen.tasks.builder.questions.text import folded, is_plain, one_line, stems
from snellen.tasks.builder.screen.elements import Element
from snellen.tasks.builder.snapshots import Snapshot
from snellen.tasks.builder.writers.visualwebbench.shared import Reason, made, refused

CLICK_ITEMS = 3
"""The most items of one page."""

FEWEST_TITLES = 4

_LED = frozenset({"page", "title"})


class _Led(NamedTuple):
    element: Element
    title: str
    outcome: str


def action_prediction(snapshot: Snapshot, random: Random) -> Iterator[Made | Refused]:
    """Ask where clicks on some elements lead, one for each title."""
    led = _led(snapshot)
    own = one_line(snapshot.screen.title)
    if not led:
        yield refused("action_prediction", Reason.NO_CLICKS)
        return
    titles = {key: found[0].title for key, found in led.items()}
    if len(titles) + bool(folded(own)) < FEWEST_TITLES:
        yield refused("action_prediction", Reason.FEW_TITLES)
        return
    seen = {key: able for key, found in led.items() if (able := _seen(found))}
    if not seen:
        yield refused("action_prediction", Reason.NO_CLICKS)
        return
    shown = {
        key: silent
        for key, able in seen.items()
        if (silent := [each for each in able if not _says(snapshot, each, titles)])
    }
    if not shown:
        yield refused("action_prediction", Reason.SAID)
        return
    if len(shown) >= FEWEST_TITLES:
        # Each could be the right one of some item, and is as likely to be.
        titles = {key: titles[key] for key in shown}
        own = ""
    else:
        # What says nothing leads to the start page more often than to any other.
        home = {key for key, found in led.items() if any(leads_home(e.element) for e in found)}
        titles = {key: title for key, title in titles.items() if key not in home}
        shown = {key: silent for key, silent in shown.items() if key not in home}
        own = "" if is_home(snapshot.captured.source) else own
        if not shown or len(titles) + bool(folded(own)) < FEWEST_TITLES:
            yield refused("action_prediction", Reason.HOME_ALONE)
            return
    chosen = random.sample(sorted(shown), min(CLICK_ITEMS, len(shown)))
    # As many for each item of the page: the right title and the others.
    options = min(len(titles) + bool(folded(own)), len(LETTERS))
    places = random.sample(range(options), options)
    for number, key in enumerate(chosen, start=1):
        click = random.choice(shown[key])
        wrong = [title for other, title in sorted(titles.items()) if other != key]
        random.shuffle(wrong)
        wrong = wrong[: len(LETTERS) - 1]
        if len(wrong) < len(LETTERS) - 1 and folded(own):
            wrong.insert(random.randrange(len(wrong) + 1), own)
        yield _item(snapshot, number, click, wrong, places[number - 1])


def _led(snapshot: Snapshot) -> Mapping[str, Sequence[_Led]]:
    """Return what led to another title, by that title."""
    screen = snapshot.screen
    own = folded(screen.title)
    found: dict[str, list[_Led]] = {}
    for click in snapshot.captured.clicks:
        title = one_line(click.title)
        key = folded(title)
        if click.outcome in _LED and key and key != own and is_plain(title):
            led = _Led(screen.elements[click.element], title, click.outcome)
            found.setdefault(key, []).append(led)
    return found


def _seen(found: Sequence[_Led]) -> Sequence[_Led]:
    """Leave out what can't be seen in full, is too small for a box, or sends a form.

    Nobody knows where a form is sent to; a link that is followed is one of the page's own.
    """
    return [
        each
        for each in found
        if (each.element.href or each.outcome == "title")
        and is_readable(each.element)
        and min(each.element.width, each.element.height) >= 6
    ]


def _says(snapshot: Snapshot, led: _Led, titles: Mapping[str, str]) -> bool:
    """Whether what is in the box says a word of the title that other titles do not have."""
    others = [*titles.values(), snapshot.screen.title]
    counts = Counter(stem for title in {folded(one) for one in others} for stem in stems(title))
    own = {stem for stem in stems(led.title) if counts[stem] == 1}
    words = set(folded(led.title).split()) - {
        word
        for title in others
        if folded(title) != folded(led.title)
        for word in folded(title).split()
    }
    element = led.element
    texts = [element.text, element.name, element.alt]
    texts += [part.alt or part.name for part in snapshot.screen.inside(element)]
    said = " ".join(texts)
    return bool(own & stems(said) or words & set(folded(said).split()))


def _item(snapshot: Snapshot, number: int, click: _Led, wrong: Sequence[str], answer: int) -> Made:
    element = click.element
    return made(
        snapshot,
        "action_prediction",
        number,
        {
            "bbox": fractions(element.box, snapshot.screen),
            "options": [*wrong[:answer], click.title, *wrong[answer:]],
            "answer": answer,
        },
        marked=mark_box(snapshot.image(), element.box),
        tags={"outcome": click.outcome},
        record={"element": element.id, "box": rounded(element.box), "title": click.title},
    )
