"""What the makers of VisualWebBench's items share: reasons, names, rows, what can be read."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from snellen.tasks.builder.screen.elements import Element, Ltrb, Screen
from snellen.tasks.builder.snapshots import Snapshot
from snellen.tasks.builder.writers.base import Made, Refused

SITE_PARTS = frozenset({"banner", "navigation", "contentinfo"})
"""The landmarks that a site's pages have in common."""

NOUNS: Mapping[str, str] = MappingProxyType(
    {
        "link": "link",
        "button": "button",
        "textbox": "text field",
        "searchbox": "search field",
        "spinbutton": "number field",
        "combobox": "drop-down list",
        "listbox": "list",
        "checkbox": "check box",
        "radio": "radio button",
        "switch": "switch",
        "slider": "slider",
        "tab": "tab",
        "menuitem": "menu item",
        "heading": "heading",
        "img": "picture",
        "": "text",
    }
)
"""What an element is called in an instruction, by its role."""

_COVERED = 0.05
_OTHER = re.compile(r"[\W_]+")
# Scripts that put no spaces between words: Han, kana, Thai, Lao, Khmer, Burmese.
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u9fff]")


class Reason(StrEnum):
    """Why a page carries no item."""

    NO_DESCRIPTION = "no meta description"
    SHORT_DESCRIPTION = "the meta description is too short or too long"
    GENERIC_DESCRIPTION = "the meta description would fit any page"
    OTHER_DESCRIPTION = "the meta description says what the page does not show"
    NO_HEADING = "no visible first heading"
    PICTURE_HEADING = "the first heading is a picture"
    CUT_HEADING = "the first heading can't be read in full"
    UNCLEAR_HEADING = "another heading looks as important as the first"
    NO_LONG_TEXT = "no text of more than 20 words"
    CUT_TEXT = "no text of more than 20 words stands alone and can be read in full"
    NO_LANGUAGE = "the page does not say its language"
    NO_TEMPLATES = "no templates for the language"
    NO_FACTS = "no tables, pairs, prices or contacts"
    NO_ANSWER = "no fact with exactly one answer"
    FEW_CANDIDATES = "fewer than eight elements that do not overlap"
    NOT_UNIQUE = "no element that only one description fits"
    NO_CLICKS = "no click leads to another title"
    FEW_TITLES = "fewer than four titles"


def refused(config: str, reason: Reason) -> Refused:
    """Say why a page carries no item of a configuration."""
    return Refused(f"visualwebbench/{config}", reason.value)


def screen_name(snapshot: Snapshot) -> str:
    """Return the name of the file of a page's screenshot without marks."""
    return f"raw_image/{snapshot.id}.png"


def made(
    snapshot: Snapshot,
    config: str,
    number: int,
    row: Mapping[str, Any],
    *,
    marked: bytes | None = None,
    tags: Mapping[str, str] | None = None,
    record: Mapping[str, Any] | None = None,
) -> Made:
    """Return an item of a page.

    Args:
        snapshot: The page.
        config: The configuration.
        number: Which of the page's items of that configuration it is, from 1.
        row: The fields that only this configuration has.
        marked: The screenshot with marks; None: it is shown as it is.
        tags: Beside the language.
        record: What was done.
    """
    name, item = screen_name(snapshot), f"{snapshot.id}/{config}_{number}"
    images = {name: snapshot.image()}
    shown = name
    if marked is not None:
        shown = f"image/{item}.png"
        images[shown] = marked
    screen = snapshot.screen
    return Made(
        f"visualwebbench/{config}",
        {
            "id": item,
            "task_type": config,
            "website": snapshot.captured.site,
            "image": shown,
            "raw_image": name,
            "image_size": [screen.width, screen.height],
            **row,
        },
        images,
        {"language": language_of(screen) or "unknown", **(tags or {})},
        record or {},
    )


def language_of(screen: Screen) -> str:
    """Return the code of a page's language without its region, or an empty text.

    >>> language_of(Screen(1, 1, (), language="zh-Hans-CN"))
    'zh'
    """
    return re.split("[-_]", screen.language.strip().casefold())[0]


def one_line(text: str) -> str:
    """Return a text with one space where it has any white space.

    >>> one_line(" Buy   now ")
    'Buy now'
    """
    return " ".join(text.split())


def folded(text: str) -> str:
    """Return what of a text is left for telling whether it is another one: letters and digits.

    >>> folded("  Buy  NOW! ") == folded("buy now")
    True
    """
    return _OTHER.sub(" ", unicodedata.normalize("NFKC", text).casefold()).strip()


def count_words(text: str) -> int:
    """Count a text's words.

    A word is what stands between spaces and has a letter or a digit. Han, kana, Thai and the
    scripts of its neighbours put no spaces between words; of them, two signs count as a word.

    >>> count_words("Hello - big world"), count_words("你好世界"), count_words("iOS 版本")
    (3, 2, 2)
    """
    signs = len(_UNSPACED.findall(text))
    spaced = _UNSPACED.sub(" ", text).split()
    return (signs + 1) // 2 + sum(any(map(str.isalnum, word)) for word in spaced)


def is_plain(text: str) -> bool:
    """Whether all of a text can be typed: no signs of icon fonts, none that are broken."""
    return not any(unicodedata.category(each) in {"Co", "Cn", "Cs"} for each in text) and (
        "\ufffd" not in text
    )


def is_readable(element: Element) -> bool:
    """Whether all of an element can be seen."""
    return element.covered <= _COVERED and not element.cut and not element.clipped


def inside(screen: Screen, element: Element) -> Iterable[Element]:
    """Yield what is in an element, at any depth, in document order."""
    for child in screen.children(element):
        yield child
        yield from inside(screen, child)


def meet(one: Ltrb, other: Ltrb, margin: float = 0.0) -> bool:
    """Whether two boxes are less than a margin apart, or overlap."""
    return (
        one[0] < other[2] + margin
        and other[0] < one[2] + margin
        and one[1] < other[3] + margin
        and other[1] < one[3] + margin
    )


def rounded(box: Ltrb) -> list[float]:
    """Return a box in pixels, to a tenth."""
    return [round(side, 1) for side in box]


def fractions(box: Ltrb, screen: Screen) -> list[float]:
    """Return a box in fractions of the image."""
    left, top, right, bottom = box
    return [
        round(left / screen.width, 5),
        round(top / screen.height, 5),
        round(right / screen.width, 5),
        round(bottom / screen.height, 5),
    ]
