"""From a page at rest in a browser to a screen and the data of the page."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple, cast

import msgspec

from snellen.build.browser.visits import Visit
from snellen.build.screen import roles
from snellen.build.screen.duplicates import Candidate, drop_duplicates
from snellen.build.screen.elements import After, Element, Ltrb, Screen
from snellen.tasks.browser.pinning import script

Raw = Mapping[str, Any]
"""A record made by page.js."""

_ICONS = re.compile("[\ue000-\uf8ff\U000f0000-\U0010ffff]")

_RENUMBER = """(numbers) => {
  const roots = [document];
  while (roots.length) {
    const root = roots.pop();
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) roots.push(element.shadowRoot);
      const mark = element.getAttribute("data-snellen-id");
      if (mark === null) continue;
      if (numbers[mark] === undefined) element.removeAttribute("data-snellen-id");
      else element.setAttribute("data-snellen-id", numbers[mark]);
    }
  }
}"""


class Extracted(NamedTuple):
    """The content of a page.

    Attributes:
        screen: Its elements.
        facts: Its tables, pairs, prices and contacts, as `snapshots` describes them.
        missing: Characters of its text that no font has; they are drawn as empty boxes.
    """

    screen: Screen
    facts: tuple[Mapping[str, Any], ...]
    missing: str


def extract(visit: Visit, height: int, *, mark: bool = True) -> Extracted:
    """Measure a page at rest.

    Args:
        visit: The page, settled and at its top.
        height: The height of its image, in pixels.
        mark: Whether to store the elements' ids in the live page.
    """
    # Marks of an earlier extraction, also in a saved page, would be wrong.
    visit.run(_RENUMBER, {})
    measured = _measured(visit, height, marked=False)
    records: Sequence[Raw] = measured["records"]
    tree = roles.accessible_tree(visit.channel)
    merged = _merged(records, [tree.by_mark.get(str(record["raw"])) for record in records])
    visit.run(_RENUMBER, merged.numbers if mark else {})
    elements = tuple(merged.elements[raw] for raw in merged.numbers)
    screen = _screen(visit, height, measured, elements, closed=tree.closed)
    facts = tuple(
        fact for each in measured["facts"] if (fact := _renumbered(each, merged.places)) is not None
    )
    return Extracted(screen, facts, measured["missing"])


def extract_again(visit: Visit, height: int) -> After:
    """Measure a marked page again after a change.

    Args:
        visit: The page as `extract` left it, with the change.
        height: The height of its image now, in pixels.
    """
    measured = _measured(visit, height, marked=True)
    records: Sequence[Raw] = measured["records"]
    tree = roles.accessible_tree(visit.channel)
    merged = _merged(records, [tree.by_mark.get(record["marked"]) for record in records])
    elements = tuple(merged.elements[raw] for raw in merged.numbers)
    screen = _screen(visit, height, measured, elements, closed=tree.closed)
    before: dict[int, Element] = {}
    for record in records:
        if record["marked"]:
            mark = int(record["marked"])
            element = merged.elements[record["raw"]]
            before.setdefault(mark, msgspec.structs.replace(element, id=mark, parent=None))
    return After(screen, before)


class _Merged(NamedTuple):
    """All elements by raw id; the new ids of the kept ones; the replacement of each element."""

    elements: Mapping[int, Element]
    numbers: Mapping[int, int]
    places: Mapping[int, int | None]


@cache
def _source() -> str:
    parts = "".join(script(f"build/screen/{name}.js") for name in ("covered", "facts", "glyphs"))
    return f"(given) => {{\n{parts}\nreturn ({script('build/screen/page.js').strip()})(given);\n}}"


def _measured(visit: Visit, height: int, *, marked: bool) -> dict[str, Any]:
    given = {"width": visit.settings.width, "height": height, "marked": marked}
    return cast(dict[str, Any], visit.run(_source(), given))


def _merged(records: Sequence[Raw], accessible: Sequence[roles.Accessible | None]) -> _Merged:
    candidates: list[Candidate] = []
    for record, node in zip(records, accessible, strict=True):
        role = node.role if node else ""
        if node is None or (not role and record["role"]):
            role = roles.implied_role(
                record["tag"], record["role"], record.get("kind", ""), record.get("href", "")
            )
        candidates.append(
            Candidate(
                raw=record["raw"],
                parent=record["parent"],
                tag=record["tag"],
                role=role,
                text=record.get("text", ""),
                own=record.get("own", ""),
                box=_box(record["box"]),
                painted=record["painted"],
            )
        )
    drop_duplicates(candidates)
    kept = [each.raw for each in candidates if not each.dropped]
    numbers = {raw: number for number, raw in enumerate(kept)}
    elements: dict[int, Element] = {}
    for candidate, record, node in zip(candidates, records, accessible, strict=True):
        around = None if record["parent"] is None else elements[record["parent"]]
        # An element outside the accessibility tree has the landmark of its parent.
        landmark = node.landmark if node else ""
        if not landmark and around is not None:
            landmark = around.role if around.role in roles.LANDMARKS else around.landmark
        source = records[candidate.merged[0]] if candidate.merged else record
        elements[candidate.raw] = _element(
            candidate,
            record,
            source if not record.get("own") else record,
            node,
            number=numbers.get(candidate.raw, 0),
            parent=None if candidate.parent is None else numbers.get(candidate.parent),
            landmark=landmark,
        )
    return _Merged(elements, numbers, _places(candidates, numbers))


def _element(
    candidate: Candidate,
    record: Raw,
    inked: Raw,
    said: roles.Accessible | None,
    *,
    number: int,
    parent: int | None,
    landmark: str,
) -> Element:
    name = _plain(said.name) if said and not record.get("unseen") else ""
    if not name and candidate.role in {"button", "link", "heading"}:
        name = candidate.text
    background = inked["background"] if candidate.merged else record["background"]
    level = int(record.get("level", 0)) or (said.level if said else 0)
    ink = inked.get("ink")
    return Element(
        id=number,
        tag=candidate.tag,
        box=candidate.box,
        parent=parent,
        role=candidate.role,
        name=name,
        text=candidate.text,
        own=candidate.own,
        covered=record["covered"],
        landmark=landmark,
        level=level if candidate.role == "heading" else 0,
        label=record.get("label", ""),
        placeholder=record.get("placeholder", ""),
        kind=record.get("kind", ""),
        autocomplete=record.get("autocomplete", ""),
        key=record.get("key", ""),
        value=record.get("value", ""),
        options=tuple(record.get("options", ())),
        href=record.get("href", ""),
        disabled=record["disabled"],
        color=_hex(inked["color"], background),
        background=_hex(background, None),
        font_size=inked["font"],
        bold=inked["bold"],
        alt=record.get("alt", ""),
        drawn=record.get("drawn", False),
        cut=record.get("cut", False),
        clipped=record["clipped"],
        split=record["split"],
        painted=record["painted"],
        ink=None if ink is None else _box(ink),
    )


def _places(candidates: Sequence[Candidate], numbers: Mapping[int, int]) -> dict[int, int | None]:
    places: dict[int, int | None] = {}
    for candidate in candidates:
        at: Candidate | None = candidate
        while at is not None and at.dropped:
            at = None if at.instead is None else candidates[at.instead]
        places[candidate.raw] = None if at is None else numbers[at.raw]
    return places


def _screen(
    visit: Visit,
    height: int,
    found: Mapping[str, Any],
    elements: tuple[Element, ...],
    *,
    closed: bool,
) -> Screen:
    return Screen(
        width=visit.settings.width,
        height=height,
        elements=elements,
        title=found["title"],
        description=found["description"],
        descriptions=tuple(found["descriptions"]),
        language=found["language"] or recognized(element.own for element in elements),
        unread=(*found["unread"], *(["closed shadow root"] if closed else [])),
    )


def _renumbered(fact: Mapping[str, Any], places: Mapping[int, int | None]) -> dict[str, Any] | None:
    """Return a fact with the screen's ids; None if one of its elements is not on the screen."""

    def place(value: object) -> object:
        if isinstance(value, list):
            return [place(each) for each in cast(list[object], value)]
        return places[value] if isinstance(value, int) else None

    changed: dict[str, Any] = {}
    for key, value in fact.items():
        if key in {"pairs", "items"}:
            changed[key] = [
                each for part in value if (each := _renumbered(part, places)) is not None
            ]
        elif key == "cells" or key.endswith(("element", "header_cells")):
            changed[key] = place(value)
        else:
            changed[key] = value
    # A value read from an axis has a label but no element.
    anchor = "element" if fact.get("element") is not None else "label_element"
    if fact.get("kind") is None and changed.get(anchor) is None:
        return None
    # A menu or a chart without one of its entries is a different one.
    if fact.get("kind") in {"menu", "chart"} and len(changed["items"]) < len(fact["items"]):
        return None
    return changed if changed.get("pairs", True) and changed.get("items", True) else None


def _box(values: Sequence[float]) -> Ltrb:
    left, top, right, bottom = values
    return (left, top, right, bottom)


def _plain(text: str) -> str:
    return " ".join(_ICONS.sub("", text).split())


def _hex(color: Sequence[float] | None, below: Sequence[float] | None) -> str:
    if color is None:
        return ""
    red, green, blue, alpha = color
    if alpha < 1 and below is not None:
        red, green, blue = (
            part * alpha + under * (1 - alpha)
            for part, under in zip((red, green, blue), below, strict=False)
        )
    return f"#{round(red):02x}{round(green):02x}{round(blue):02x}"


_FUNCTION_WORDS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        code: frozenset(words.split())
        for code, words in {
            "en": "the of and to in is that for it with as was are be by on this or which you from"
            " not have can will an if your",
            "de": "der die und das ist den von zu mit sich des auf für nicht ein eine als auch dem"
            " im werden wird sind oder sie bei kann einer durch",
            "es": "el la de que los del las por con una un para es al lo como más su se pero sus"
            " este ya está son puede cuando muy sin sobre y",
            "fr": "le la les des et un une du est pour dans que qui au sur pas plus par avec ce"
            " cette vous sont ou ne se être votre aux il",
            "pt": "o os do da em um uma não com para que no na por mais as dos das como mas ao ele"
            " seu sua ou quando muito são você pode é",
            "it": "il di che è la per un una del della sono con non si i le gli nel alla dei delle"
            " da come più anche questo essere può ha",
            "nl": "de het een van en is dat op te voor met zijn niet aan er om ook als bij door"
            " naar wordt kan deze dit uit maar worden of",
        }.items()
    }
)
"""Articles, prepositions, conjunctions and pronouns by language.

Two of the languages are listed only so that their pages are not mistaken for others.
"""

_WORD = re.compile(r"[^\W\d_]+")
_HAN, _KANA = re.compile(r"[\u4e00-\u9fff]"), re.compile(r"[\u3041-\u30ff]")
_ARABIC, _PERSIAN = (
    re.compile(r"[\u0621-\u064a]"),
    re.compile(r"[\u067e\u0686\u06a9\u06af\u06cc]"),
)
_LEAST_WORDS = 40
_LEAST_SIGNS = 40
_ENOUGH = ((0.2, 1.5), (0.1, 3.0))
"""The minimum share of a language's words, and the minimum ratio to any other language's."""


def recognized(texts: Iterable[str]) -> str:
    """Return the code of the language of texts; empty if that is not clear.

    A tenth of the words must be frequent words of the language, three times as many as of any other
    language; or a fifth, and 1.5 times as many. Chinese and Arabic are recognized by their
    characters, unless characters of Japanese, Persian or Urdu occur.

    >>> recognized(["The name of the page is what the author of it says that it is."] * 3)
    'en'
    >>> recognized(["OK"])
    ''
    """
    text = " ".join(texts).casefold()
    words = _WORD.findall(text)
    han, arabic = len(_HAN.findall(text)), len(_ARABIC.findall(text))
    letters = sum(map(len, words))
    if han >= _LEAST_SIGNS and 2 * han > letters and not _KANA.search(text):
        return "zh"
    if arabic >= _LEAST_SIGNS and 2 * arabic > letters and not _PERSIAN.search(text):
        return "ar"
    if len(words) < _LEAST_WORDS:
        return ""
    counts = Counter(words)
    hits = {
        code: sum(counts[word] for word in frequent) for code, frequent in _FUNCTION_WORDS.items()
    }
    (first, most), (_, second) = Counter(hits).most_common(2)
    clear = any(most >= share * len(words) and most >= ahead * second for share, ahead in _ENOUGH)
    return first if clear else ""
