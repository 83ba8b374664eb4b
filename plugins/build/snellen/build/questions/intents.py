"""The purposes of a page's elements, described by role and effect without their labels.

An intent matches exactly one element of the page; if two elements do the same, there is none.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Literal, NamedTuple
from urllib.parse import unquote, urljoin, urlsplit

from snellen.build.questions.names import Candidate, Names
from snellen.build.questions.text import folded, one_line, stems
from snellen.build.screen.buttons import ends_unknown
from snellen.build.screen.elements import Element, Screen
from snellen.build.screen.fields import kind_of, kinds_on
from snellen.build.screen.words.reading import Words, deed, words_of
from snellen.build.snapshots import Click, Snapshot

_FIELDS = frozenset({"textbox", "searchbox", "spinbutton"})
_TOGGLES = frozenset({"checkbox", "switch"})
_ACTS = frozenset({"button", "link"})
# A town or a company may be one that is looked for, and a website only the end of an address.
_TYPED: Mapping[str, str] = MappingProxyType(
    {
        "email": "Give the address to which electronic mail is sent to you.",
        "phone": "Give the number that you can be phoned at.",
        "date": "Say on which day it should be.",
        "birth": "Say when you were born.",
        "name": "Say who you are.",
        "card": "Give the number of the card that you pay with.",
        "people": "Say how many of you will come.",
    }
)
_NAMES = frozenset({"name", "first_name", "last_name", "username"})
_HOME_SAID = re.compile(
    r"^(home|home ?page|dashboard|start|start ?page|startseite|inicio|página de inicio|início"
    r"|accueil|首页|主页|الرئيسية|الصفحة الرئيسية)$"
)
_INDEX = re.compile(r"(?<![^/])index\.html?$")
_WEB = frozenset({"", "http", "https", "javascript"})
_TOUCH = re.compile(r"\bcontact\b|\bin touch\b")
_LEAVES = frozenset({"page", "popup", "outside"})
_START = "Get back to the start page."
_TO_START = "Goes to the start page."
_VAGUE = re.compile(r"\b(this|the filled-in form|the changes|what was written)\b")
_WIDE = 120.0
_TO_OTHERS = re.compile(
    r"\b(to|cc|bcc|recipients?|invite\w*|friend'?s?|an|empfänger|einladen|para|destinatarios?|à"
    r"|destinataires?)\b|收件人|抄送|密送|宛先|المستلم|إلى"
)
_SEARCH = re.compile(r"search|such|busca|cherche|pesquis|搜索|查找|بحث")


class Intent(NamedTuple):
    """A purpose, the only element that serves it, and the kind of the description."""

    way: str
    text: str
    target: Candidate

    @property
    def difficulty(self) -> Literal["medium", "hard"]:
        """Hard if the text shares no word with the element's name."""
        return "medium" if stems(self.text) & stems(self.target.name) else "hard"


def intents(snapshot: Snapshot, found: Sequence[Candidate]) -> Sequence[Intent]:
    """Return the purposes of elements; empty if the page may show content that is not known."""
    if snapshot.screen.shows_unread:
        return []
    usable = [each for each in found if not each.element.disabled]
    ways = (_deeds, _typed, _chosen, _led, _switched, _searched, _places)
    described = [intent for way in ways for intent in way(snapshot, usable)]
    counts = Counter(folded(intent.text) for intent in described)
    return [
        intent
        for intent in described
        if counts[folded(intent.text)] == 1 and not _is_served(snapshot, intent)
    ]


def confirmed(snapshot: Snapshot) -> Iterator[Click]:
    """Yield the clicks whose target says in its headings or its address what its title alone says.

    Another title, such as `Free web template`, does not tell where a click leads, and neither does
    that of a picture, which has no headings, or one that two pages share. A button that is no link
    sends a form, wherever it leads then.
    """
    clicks, elements = snapshot.captured.clicks, snapshot.screen.elements
    pages = Counter(
        title for title, _ in {(folded(e.title), urlsplit(e.href).path) for e in clicks}
    )
    shown = [snapshot.screen.title, *(click.title for click in clicks)]
    titles = {folded(title): stems(title) for title in shown}
    often = Counter(stem for found in titles.values() for stem in found)
    for click in clicks:
        # A stem of many titles is of the site's name.
        own = {stem for stem in stems(click.title) if 3 * (often[stem] - 1) < len(titles)}
        named = re.sub(r"[-_.]", " ", PurePosixPath(unquote(urlsplit(click.href).path)).stem)
        is_link = elements[click.element].role == "link" or elements[click.element].href
        if pages[folded(click.title)] > 1 or not is_link:
            continue
        if click.headings is None or (click.headings and own & stems(f"{click.headings} {named}")):
            yield click


def _is_served(snapshot: Snapshot, intent: Intent) -> bool:
    """Whether the page itself serves a purpose: it is what a link leads to, or is titled so.

    An address to write to, or to call at, is one more way to get in touch.
    """
    screen, source, link = snapshot.screen, snapshot.captured.source, intent.target
    others = any(urlsplit(each.href).scheme not in _WEB for each in screen.elements)
    if others and _TOUCH.search(intent.text):
        return True
    if link.kind != "link" or intent.way == "destination":
        return False
    # A title that other links lead to, too, is the site's.
    titled = [e.element for e in snapshot.captured.clicks if e.title == screen.title]
    reached = [e for e in snapshot.captured.clicks if e.element == link.element.id and e.title]
    hrefs = [link.element.href, *(e.href for e in reached)]
    headings = [e.text for e in screen.elements if e.role == "heading"]
    # The site's logo says its name, which is in the titles of its pages.
    titles = () if intent.text == _START else (screen.title, *headings)
    return (
        any(_address(source, href) == _address(source, "") for href in hrefs if href)
        or titled == [link.element.id]
        or any(f" {link.key} " in f" {folded(title)} " for title in titles)
    )


def _deeds(snapshot: Snapshot, usable: Sequence[Candidate]) -> Iterator[Intent]:
    """Describe the effect of a button, and the one of several things that it acts on."""
    screen = snapshot.screen
    words = words_of(screen.language)
    if words is None:
        return
    done = [
        (each, does)
        for each in usable
        if each.kind in _ACTS
        and (does := deed(words, each.name)) is not None
        and does != _TO_START
        and not ends_unknown(screen, words, each.element)
    ]
    same = Counter(
        does for e in screen.elements if e.role in _ACTS for does in _deeds_within(words, e)
    )
    unknown = any(
        e.role == "button"
        and (deed(words, one_line(e.text or e.name)) is None or ends_unknown(screen, words, e))
        for e in screen.elements
    )
    acts = {folded(e.text or e.name) for e in screen.elements if e.role in _ACTS}
    files = sum(e.kind == "file" for e in screen.elements)
    for each, does in done:
        # Without its object, the description may match any button.
        if unknown and _VAGUE.search(does):
            continue
        # A link in a line of text, such as a keyword `export`, may lead anywhere.
        if each.kind == "link" and any(outer.own for outer in screen.ancestors(each.element)):
            continue
        # The label of another field for files may name the files.
        if each.element.kind == "file" and files > 1:
            continue
        # `Apply at our office` may have the effect of `Apply`, and `Contact` that of `Contact us`.
        if any(name != each.key and _is_part(name, each.key) for name in acts):
            continue
        effect = f"{does[0].lower()}{does[1:].rstrip('.')}"
        if same[does] <= 1:
            yield Intent("effect", f"Use what {effect}.", each)
        elif (about := _about(screen, each.element)) is not None:
            yield Intent("effect on", f"For “{about}”, use what {effect}.", each)


def _is_part(name: str, other: str) -> bool:
    """Whether one of two names has all words of the other, but for the shortest."""
    shorter, longer = sorted((stems(name), stems(other)), key=len)
    return bool(shorter) and shorter <= longer


def _deeds_within(words: Words, element: Element) -> set[str | None]:
    """Return the possible effects of an element; its first or last word may be an icon's name."""
    label = one_line(element.text or element.name)
    return {
        deed(words, text) for text in (label, label.partition(" ")[2], label.rpartition(" ")[0])
    }


def _about(screen: Screen, element: Element) -> str | None:
    """Return the only heading of an element's card; None if the card has another button."""
    for outer in screen.ancestors(element):
        headings = [each for each in screen.inside(outer) if each.role == "heading"]
        acts = [each for each in screen.inside(outer) if each.role == "button"]
        if headings:
            if len(headings) != 1 or len(acts) > 1:
                return None
            name = one_line(headings[0].text)
            return name if name and Names(screen).alone(name, headings[0]) else None
    return None


def _typed(snapshot: Snapshot, usable: Sequence[Candidate]) -> Iterator[Intent]:
    """Describe the value to type."""
    screen = snapshot.screen
    fields = [each for each in screen.elements if each.role in _FIELDS]
    kinds = kinds_on(screen)
    for each in usable:
        if each.kind not in _FIELDS:
            continue
        if each.element.kind == "password":
            if sum(field.kind == "password" for field in fields) == 1:
                yield Intent("typing", "Type what nobody else may know.", each)
            continue
        kind = kind_of(screen, each.element)
        if kind == "email" and _TO_OTHERS.search(folded(f"{each.element.label} {each.name}")):
            continue
        if kind is None or kind not in _TYPED:
            continue
        # `Customer name` and `Name of the signatory` are names, too.
        said = stems(each.element.label or each.name)
        alike = sum(bool(said & stems(field.label or field.name)) for field in fields)
        if alike <= 1 and sum(kinds[one] for one in (_NAMES if kind in _NAMES else {kind})) == 1:
            yield Intent("typing", _TYPED[kind], each)


def _chosen(snapshot: Snapshot, usable: Sequence[Candidate]) -> Iterator[Intent]:
    """Name an entry of a list that is hidden until the list is opened."""
    lists = [each for each in snapshot.screen.elements if each.options]
    offered = Counter(folded(text) for each in lists for text in set(each.options))
    shown = {folded(each.own) for each in snapshot.screen.elements if each.own}
    # With several lists, the list of a hidden entry is not known.
    for each in usable if len(lists) == 1 else ():
        for entry in each.element.options if each.kind == "combobox" else ():
            hidden = folded(entry) not in shown and entry != each.element.value
            if hidden and offered[folded(entry)] == 1 and 1 < len(entry) <= 40:
                text = f"Find the list in which to choose “{one_line(entry)}”."
                yield Intent("entry", text, each)


def _led(snapshot: Snapshot, usable: Sequence[Candidate]) -> Iterator[Intent]:
    """Name the page to which a click on a link has led, by its title or as the start page."""
    screen, source = snapshot.screen, snapshot.captured.source
    clicks = [each for each in snapshot.captured.clicks if each.title and each.outcome == "page"]
    targets = Counter(_address(source, each.href) for each in screen.elements if each.href)
    named = Counter(folded(each.text or each.name) for each in screen.elements if each.href)
    by_element = {each.element: each for each in clicks}
    known = [*confirmed(snapshot)]
    for each in usable:
        click = by_element.get(each.element.id)
        # The picture does not show which of two links of the same name leads there.
        if click is None or targets[_address(source, each.element.href)] > 1 or named[each.key] > 1:
            continue
        title = folded(click.title)
        if _address(source, click.href) == "/":
            # The site's logo says its name, which is in the titles of its pages.
            says = _says_home(screen, each.element) or f" {each.key} " in f" {title} "
            rivals = (e for e in screen.elements if _says_home(screen, e) or _is_sign(e))
            if says and all(rival.id == each.element.id for rival in rivals):
                yield Intent("role", _START, each)
            continue
        others = [screen.title, *(other.title for other in clicks if other is not click)]
        # What is in the title of another page, or stands on this one, may be the site's name.
        stands = any(
            folded(e.text) == title and not screen.nested(e, each.element) for e in screen.elements
        )
        told = any(f" {title} " in f" {folded(other)} " for other in others)
        if click in known and not told and not stands:
            text = f"Go to the page with the title “{one_line(click.title)}”."
            yield Intent("destination", text, each)


def _switched(snapshot: Snapshot, usable: Sequence[Candidate]) -> Iterator[Intent]:
    """Describe the setting of a check box or a switch."""
    names = Names(snapshot.screen)
    for each in usable:
        if each.kind in _TOGGLES and names.alone(each.name, each.element):
            yield Intent("switching", f"Use what changes the setting “{each.name}”.", each)


def _searched(snapshot: Snapshot, usable: Sequence[Candidate]) -> Iterator[Intent]:
    """Describe a search, if there is exactly one search field."""
    fields = [each for each in snapshot.screen.elements if _searches(each)]
    for each in usable:
        if each.kind in _FIELDS and fields == [each.element]:
            text = "You look for something and know a word of it: where do you write it?"
            yield Intent("searching", text, each)


def _searches(element: Element) -> bool:
    """Whether an element may be a search field; some open only after a click."""
    if element.role == "searchbox" or (element.role in _FIELDS and element.landmark == "search"):
        return True
    label = f"{element.name} {element.placeholder} {element.label}".casefold()
    wide = element.width >= _WIDE or element.role in _FIELDS
    return wide and element.role in {*_FIELDS, "button"} and bool(_SEARCH.search(label))


def _places(snapshot: Snapshot, usable: Sequence[Candidate]) -> Iterator[Intent]:
    """Describe the pages that almost all sites have, to which links lead."""
    acts = [each for each in snapshot.screen.elements if each.role in _ACTS]
    stayed = {each.element for each in snapshot.captured.clicks if each.outcome not in _LEAVES}
    words = words_of("en")  # Sites in other languages have such words, too.
    for text, pattern in words.places.items() if words else ():
        fitting = [e for e in acts if re.search(pattern, folded(e.text or e.name))]
        for each in usable:
            leads = urlsplit(each.element.href).scheme in _WEB - {"javascript"}
            # A button `Help` opens something.
            led = each.element.id not in stayed and leads and each.kind == "link"
            if fitting == [each.element] and led:
                yield Intent("role", text, each)


def _address(source: str, href: str) -> str:
    """Return the target of a link relative to its site, in a canonical form."""
    address = urljoin(f"/{source.partition('/')[2]}", href.partition("#")[0])
    return _INDEX.sub("", address)


def _says_home(screen: Screen, element: Element) -> bool:
    """Whether an element's text names the start page, wherever it leads."""
    text, words = one_line(element.text or element.name), words_of(screen.language)
    return element.role in {*_ACTS, "menuitem"} and (
        bool(_HOME_SAID.search(folded(text)))
        or (words is not None and deed(words, text) == _TO_START)
    )


def _is_sign(link: Element) -> bool:
    """Whether a link in the banner or the navigation leads to a site's start by a full address."""
    parts = urlsplit(link.href)
    leads = bool(parts.netloc) and not _INDEX.sub("", parts.path.rpartition("/")[2])
    return leads and link.landmark in {"banner", "navigation"}
