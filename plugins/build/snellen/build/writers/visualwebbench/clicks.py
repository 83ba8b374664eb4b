"""VisualWebBench's action_prediction: the page that opens after a click on the boxed element.

Source of the rules: VisualWebBench (Liu et al., 2024), section 3: elements are really clicked, an
item is kept if the title changed, and the wrong options are the targets of other elements.

All options are real titles that clicks led to on pages of the same site and language; none is
invented. An item of a small site therefore has three to seven options instead of eight.

A site's logo has no text about its target, so the start page would be correct more often than other
titles. `offered` therefore makes each title of a site the correct one equally often, and no title
is an option that is never correct. Of titles that differ only by numbers, one is kept.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from random import Random
from typing import NamedTuple

from snellen.build.chance import draw
from snellen.build.items import Made, PageItems, Refused, without
from snellen.build.questions.intents import confirmed
from snellen.build.questions.marks import mark_box
from snellen.build.questions.spatial import fractions, is_readable, rounded
from snellen.build.questions.text import folded, is_plain, one_line, stems
from snellen.build.screen.elements import Element
from snellen.build.snapshots import Snapshot
from snellen.build.writers.visualwebbench.shared import Reason, made, refused
from snellen.tasks.benchmarks.visualwebbench.format import LETTERS

PREDICTION = "visualwebbench/action_prediction"

CLICK_ITEMS = 6
"""The maximum number of items of one page."""

FEWEST_TITLES = 3

_LED = frozenset({"page", "title"})
_NUMBERS = re.compile(r"[\d\s]+")
# Labels from which the page does not show what comes next.
_NEXT = re.compile(
    r"(next|prev(ious)?|back|forward|up|here|more|read more|learn more|continue"
    r"|weiter|zurück|vor|nach oben|mehr|siguiente|anterior|atrás|arriba|más"
    r"|suivante?|précédente?|retour|plus|próxim[oa]|seguinte|voltar|acima|mais"
    r"|下一(页|步|章|节)|上一(页|步|章|节|级)|返回|更多|التالي|السابق|المزيد|رجوع)"
    r"( (page|topic|chapter|section))?|[\d\W]+"
)


class _ClickTarget(NamedTuple):
    element: Element
    title: str
    outcome: str


class _Occurrence(NamedTuple):
    """One question: its index among the pages and on its page, and the text in its box."""

    lot: float
    number: int
    place: int
    said: str


def action_prediction(snapshot: Snapshot, random: Random) -> Iterator[Made | Refused]:
    """Ask where clicks on some elements lead, one for each title, with only the correct option.

    The other options come from the other pages of the site: see `offered`.
    """
    led = _led(snapshot)
    seen = {key: able for key, found in led.items() if (able := _seen(found))}
    if not seen:
        yield refused("action_prediction", Reason.NO_CLICKS)
        return
    titles = [snapshot.screen.title, *(found[0].title for found in led.values())]
    shown = {
        key: silent
        for key, able in seen.items()
        if (
            silent := [
                candidate
                for candidate in able
                if not _tells(_said(snapshot, candidate), candidate.title, titles)
            ]
        )
    }
    if not shown:
        yield refused("action_prediction", Reason.SAID)
        return
    chosen = random.sample(sorted(shown), min(CLICK_ITEMS, len(shown)))
    for number, key in enumerate(chosen, start=1):
        yield _item(snapshot, number, random.choice(shown[key]))


def offered(pages: Sequence[PageItems], seed: int) -> Sequence[PageItems]:
    """Give the items their options: titles of the same site, each equally often correct.

    For each site, the titles and the number of items for each title are chosen to maximize the
    total number of items. All these titles are the options of each item, or eight of them. Surplus
    items are removed, and so are items whose box has a word that no other option has.

    Args:
        pages: The items of all pages.
        seed: The seed of random choices.
    """
    groups: dict[tuple[str, str], dict[str, list[_Occurrence]]] = {}
    for number, page in enumerate(pages):
        for place, item in enumerate(page.made):
            if item.task == PREDICTION:
                lot = draw(seed, page.site, page.page, str(item.row["id"])).random()
                spot = _Occurrence(lot, number, place, str(item.record["said"]))
                # A title in another language would be an obvious wrong option.
                group = groups.setdefault((page.site, item.tags["language"]), {})
                group.setdefault(folded(_right(item)), []).append(spot)
    rows: dict[tuple[int, int], Made] = {}
    for (site, language), group in groups.items():
        random = draw(seed, site, language, PREDICTION)
        rows |= _filled(pages, _even(pages, group), random)
    filled = [
        page._replace(
            made=[rows.get((number, place), item) for place, item in enumerate(page.made)]
        )
        for number, page in enumerate(pages)
    ]
    out = {
        (number, place)
        for number, page in enumerate(pages)
        for place, item in enumerate(page.made)
        if item.task == PREDICTION and (number, place) not in rows
    }
    return (
        without(filled, out, refused("action_prediction", Reason.UNEVEN_TITLES)) if out else filled
    )


def _even(
    pages: Sequence[PageItems], group: Mapping[str, Iterable[_Occurrence]]
) -> Mapping[str, Sequence[_Occurrence]]:
    """Return equally many questions for each title; empty for fewer than three titles."""
    left = _unlike({key: sorted(spots) for key, spots in group.items()})
    while True:
        often = sorted(left, key=lambda key: (-len(left[key]), left[key][0], key))
        sizes = range(FEWEST_TITLES, len(often) + 1)
        most = max(sizes, key=lambda size: (size * len(left[often[size - 1]]), size), default=0)
        if not most:
            return {}
        kept = often[:most]
        titles = {key: _title(pages, left[key]) for key in kept}
        silent = {
            key: [spot for spot in left[key] if not _tells(spot.said, titles[key], titles.values())]
            for key in kept
        }
        if all(len(silent[key]) == len(left[key]) for key in kept):
            count = min(len(left[key]) for key in kept)
            return {key: left[key][:count] for key in sorted(kept)}
        left = {key: spots for key, found in left.items() if (spots := silent.get(key, found))}


def _unlike(group: Mapping[str, list[_Occurrence]]) -> dict[str, list[_Occurrence]]:
    """Of titles that differ only by numbers, return the one with the most questions.

    A logo does not show whether it leads to the first dashboard or to the second.
    """
    kept: dict[str, str] = {}
    for key in sorted(group, key=lambda key: (-len(group[key]), group[key][0])):
        kept.setdefault(_NUMBERS.sub("", key), key)
    return {key: group[key] for key in kept.values()}


def _filled(
    pages: Sequence[PageItems], even: Mapping[str, Sequence[_Occurrence]], random: Random
) -> Iterator[tuple[tuple[int, int], Made]]:
    titles = {key: _title(pages, spots) for key, spots in even.items()}
    count = min(len(titles), len(LETTERS))
    answers: list[int] = []
    for key, spots in even.items():
        for spot in spots:
            others = [title for other, title in titles.items() if other != key]
            wrong = random.sample(others, count - 1)
            answers = answers or random.sample(range(count), count)
            answer = answers.pop()
            item = pages[spot.number].made[spot.place]
            options = [*wrong[:answer], _right(item), *wrong[answer:]]
            row = {**item.row, "options": options, "answer": answer}
            yield (spot.number, spot.place), item._replace(row=row)


def _title(pages: Sequence[PageItems], spots: Sequence[_Occurrence]) -> str:
    return min(_right(pages[spot.number].made[spot.place]) for spot in spots)


def _right(one: Made) -> str:
    return str(one.row["options"][one.row["answer"]])


def _led(snapshot: Snapshot) -> Mapping[str, Sequence[_ClickTarget]]:
    """Return the elements that led to another title, by that title."""
    screen = snapshot.screen
    own = folded(screen.title)
    by_title: dict[str, list[_ClickTarget]] = {}
    for click in confirmed(snapshot):
        title = one_line(click.title)
        key = folded(title)
        if click.outcome in _LED and key and key != own and is_plain(title):
            led = _ClickTarget(screen.elements[click.element], title, click.outcome)
            by_title.setdefault(key, []).append(led)
    return by_title


def _seen(found: Sequence[_ClickTarget]) -> Sequence[_ClickTarget]:
    """Remove elements that are partly hidden, too small, called `Next` or `14`, or submit a form.

    The target of a form can't be known; a followed link is one of the page's own.
    """
    return [
        each
        for each in found
        if (each.element.href or each.outcome == "title")
        and is_readable(each.element)
        and min(each.element.width, each.element.height) >= 6
        and not _NEXT.fullmatch(folded(each.element.text or each.element.name))
    ]


def _said(snapshot: Snapshot, led: _ClickTarget) -> str:
    """Return all text in the box."""
    element = led.element
    texts = [element.text, element.name, element.alt]
    texts += [part.alt or part.name for part in snapshot.screen.inside(element)]
    return one_line(" ".join(texts))


def _tells(said: str, title: str, titles: Iterable[str]) -> bool:
    """Whether a text has a word of a title that no other title has."""
    others = {key: other for other in titles if (key := folded(other)) != folded(title)}
    stemmed = {stem for other in others.values() for stem in stems(other)}
    words = {word for other in others.values() for word in _words(other)}
    own = stems(title) - stemmed, _words(title) - words
    return bool(own[0] & stems(said) or own[1] & _words(said))


def _words(text: str) -> set[str]:
    """Return the words of a text, and each two adjacent words joined: to log in is a login."""
    words = folded(text).split()
    return {*words, *map("".join, pairwise(words))}


def _item(snapshot: Snapshot, number: int, click: _ClickTarget) -> Made:
    element = click.element
    return made(
        snapshot,
        "action_prediction",
        number,
        {
            "bbox": fractions(element.box, snapshot.screen),
            "options": [click.title],
            "answer": 0,
        },
        marked=mark_box(snapshot.image(), element.box),
        tags={"outcome": click.outcome},
        record={
            "element": element.id,
            "box": rounded(element.box),
            "title": click.title,
            "said": _said(snapshot, click),
        },
    )
