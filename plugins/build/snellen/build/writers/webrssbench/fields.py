"""WebRSSBench on forms: the value and the hint of a field."""

import re
from collections.abc import Iterator, Sequence
from random import Random

from snellen.build.chance import draw
from snellen.build.items import Made, PageItems, Refused, without
from snellen.build.questions.marks import mark_box
from snellen.build.screen.elements import Element
from snellen.build.screen.fields import (
    NO_FIELD,
    NO_LANGUAGE,
    NO_RULE,
    OPEN,
    is_labelled,
    kind_of,
    kinds_on,
    plausible_value,
    says_hint,
    text_fields,
)
from snellen.build.screen.words.reading import plain, words_of
from snellen.build.snapshots import Change, Snapshot
from snellen.build.writers.webrssbench.rows import (
    Ask,
    changes_of,
    dropped,
    image_name,
    made,
    marked_record,
    refused,
    sized,
)

FORM_FILLING, HINT_TEXT = "webrssbench/form_filling", "webrssbench/hint_text"

TOO_OFTEN = "left out, so that no hint is a good guess"
_SAME_HINTS = 2
_NATIONAL = frozenset({"phone", "postcode"})
_COUNTRY = re.compile(r"\+\d{1,3}[ ().-]*\d")

MOST = 2
"""The maximum number of questions of each kind for a page: more would repeat a form."""


def make_form_filling(snapshot: Snapshot, random: Random) -> Iterator[Made | Refused]:
    """Ask for the value of a field: easy with a hint in it, hard without.

    Hard fields never had a hint, or their hint was removed.
    """
    screen = snapshot.screen
    fields = text_fields(screen)
    if not fields:
        yield refused("form_filling", NO_FIELD)
        return
    if words_of(screen.language) is None:
        yield refused("form_filling", NO_LANGUAGE)
        return
    # Any name is right, and what two fields accept is no answer to what one of them is for.
    kept = {kind for kind, count in kinds_on(screen).items() if count == 1} - OPEN
    # A number with the code of a country says that numbers are written by its rules, not by those
    # of any country with the page's language.
    if any(_COUNTRY.search(entry.own) for entry in screen.elements):
        kept -= _NATIONAL
    ruled = [field for field in fields if kind_of(screen, field) in kept]
    # If the page has filled in a person's data, the data of others are wrong.
    own = OPEN | {None}
    if any(
        entry.value and entry.role == "textbox" and kind_of(screen, entry) in own
        for entry in screen.elements
    ):
        ruled = []
    if not ruled:
        yield refused("form_filling", NO_RULE)
        return
    change = next(iter(changes_of(snapshot, "form_filling")), None)
    taken = {entry.id: entry.after for entry in change.elements if entry.after} if change else {}
    hinting = [entry for entry in ruled if entry.placeholder and entry.id not in taken]
    # A field without a visible label could be for anything, whatever its declared type.
    bare = [entry for entry in ruled if entry.label and not entry.placeholder]
    for field in _some(hinting, random):
        yield _filling(snapshot, field, field, random, "easy")
    unhinted = [entry for entry in ruled if entry.id in taken] + bare
    hard = _some([entry for entry in unhinted if is_labelled(snapshot.screen, entry)], random)
    for field in hard:
        after = taken.get(field.id)
        yield _filling(snapshot, field, after or field, random, "hard", change if after else None)


def make_hint_text(snapshot: Snapshot, random: Random) -> Iterator[Made | Refused]:
    """Ask for the hint of a field from which it was removed."""
    changes = changes_of(snapshot, "hint_text")
    if not changes:
        yield dropped(snapshot, "hint_text")
        return
    change = changes[0]
    for changed in change.elements[:MOST]:
        if changed.after is None or says_hint(snapshot.screen, changed.before):
            continue
        name = image_name(snapshot, f"hint-{changed.id}")
        image = mark_box(snapshot.image(change), changed.after.box)
        yield made(
            Ask(HINT_TEXT, snapshot, changed.before.placeholder, element=f"field-{changed.id}"),
            {"image": sized(name, image)},
            {name: image},
            {"field": kind_of(snapshot.screen, changed.before) or "other"},
            {
                **marked_record(changed.after),
                "label": changed.before.label,
                "pixels": change.pixels,
            },
        )


def varied(pages: Sequence[PageItems], seed: int) -> Sequence[PageItems]:
    """Remove questions whose hint is the answer too often, at random.

    Args:
        pages: The items of all pages.
        seed: The seed of random choices.
    """
    places: dict[str, list[tuple[float, int, int]]] = {}
    for number, page in enumerate(pages):
        for place, item in enumerate(page.made):
            if item.task == HINT_TEXT:
                lot = draw(seed, page.site, page.page, str(item.row["element"])).random()
                places.setdefault(plain(str(item.row["reference"])), []).append(
                    (lot, number, place)
                )
    most = max(_SAME_HINTS, len([spot for spots in places.values() for spot in spots]) // 20)
    out = {spot[1:] for spots in places.values() for spot in sorted(spots)[most:]}
    return without(pages, out, Refused(HINT_TEXT, TOO_OFTEN))


def _filling(
    snapshot: Snapshot,
    field: Element,
    shown: Element,
    random: Random,
    difficulty: str,
    change: Change | None = None,
) -> Made:
    kind = kind_of(snapshot.screen, field)
    value = plausible_value(snapshot.screen, field, random)
    assert kind is not None
    assert value is not None
    name = image_name(snapshot, f"field-{field.id}-{difficulty}")
    image = mark_box(snapshot.image(change), shown.box)
    ask = Ask(FORM_FILLING, snapshot, value, f"field-{field.id}", difficulty)
    return made(
        ask,
        {"image": sized(name, image)},
        {name: image},
        {"field": kind},
        {
            **marked_record(shown),
            "label": field.label,
            "placeholder": field.placeholder,
            "removed": change is not None,
        },
    )


def _some(fields: list[Element], random: Random) -> list[Element]:
    chosen = random.sample(fields, min(MOST, len(fields)))
    return sorted(chosen, key=lambda field: field.id)
