"""The positions of a page's parts: visibility, and relations between boxes.

For a long page, only a part is shown, as wide as the page and as high as a screen, so that it can
be seen at a glance: a `Window`.
"""

import io
import re
from collections import Counter
from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

from snellen.build.questions.marks import crop
from snellen.build.questions.text import folded, is_plain, occurrences, one_line, stems
from snellen.build.screen.elements import Element, Ltrb, Screen
from snellen.build.snapshots import Snapshot

SITE_PARTS = frozenset({"banner", "navigation", "contentinfo"})
"""The landmarks that all pages of a site share."""

_COVERED = 0.05
HEIGHT = 900
"""The height of the shown part, in pixels."""

_EDGE = 12.0
_APART = 8.0
_SMALLEST = (24.0, 12.0)
_WIDEST = 0.6
_HIGHEST = 220.0
_LONGEST = 40
_TITLE = 90
_ONE_EDGE = 60.0
_SAME_SIZE = 0.5
_LARGER = 1.1
"""The minimum ratio of a heading's font size to that of most text, to be seen as a heading."""

_CODE = frozenset({"pre", "code", "kbd", "samp"})
_WORD = re.compile(r"[^\W\d_]{2,}")
_TRIES = 40


def is_readable(element: Element) -> bool:
    """Whether all of an element is visible."""
    return element.covered <= _COVERED and not element.cut and not element.clipped


def is_fragment(screen: Screen, element: Element) -> bool:
    """Whether a text is a fragment of a sentence, such as a word in italics."""
    if element.role or element.parent is None:
        return False
    return any(map(str.isalnum, screen.elements[element.parent].own))


def is_code(screen: Screen, element: Element) -> bool:
    """Whether a text is code or a part of it, such as a name in a listing."""
    return any(outer.tag in _CODE for outer in (element, *screen.ancestors(element)))


def drawn_texts(screen: Screen) -> Sequence[str]:
    """Return the page's normalized text in two forms: by element, and whole with links inside.

    A phrase that is partly a link is only in the second form, a field's text only in the first.
    """
    by_element = (folded(element.own) for element in screen.elements if element.own)
    whole = (folded(element.text) for element in screen.elements if element.parent is None)
    return "\n".join(by_element), "\n".join(whole)


def meet(one: Ltrb, other: Ltrb, margin: float = 0.0) -> bool:
    """Whether two boxes overlap or are closer than a margin, in pixels."""
    return (
        one[0] < other[2] + margin
        and other[0] < one[2] + margin
        and one[1] < other[3] + margin
        and other[1] < one[3] + margin
    )


def rounded(box: Ltrb) -> list[float]:
    """Return a box in pixels, rounded to a tenth."""
    return [round(side, 1) for side in box]


def fractions(box: Ltrb, screen: Screen) -> list[float]:
    """Return a box in fractions of the image's width and height."""
    sizes = (screen.width, screen.height, screen.width, screen.height)
    return [round(side / size, 5) for side, size in zip(box, sizes, strict=True)]


# ---- headings ----------------------------------------------------------------------------------


def following_headings(screen: Screen) -> list[tuple[Element, Element]]:
    """Return pairs of headings whose second is the only next heading below the first.

    Both look like headings, and have the same left edge. There is text between them; without it,
    the second may be the subtitle of the first. Nothing that looks like a heading is between or
    beside them, and no other heading has the same text.
    """
    usual = _usual_size(screen)
    headings = [
        element for element in screen.elements if element.role == "heading" and element.text
    ]
    counts = Counter(folded(element.text) for element in headings)
    pairs: list[tuple[Element, Element]] = []
    for first in headings:
        below = (element for element in headings if element.box[1] >= first.box[3])
        second = min(below, key=lambda element: element.box[1], default=None)
        if second is None or abs(first.box[0] - second.box[0]) > _ONE_EDGE:
            continue
        if not (looks_like_heading(screen, first) and looks_like_heading(screen, second)):
            continue
        if not any(
            each.own and first.box[3] <= each.box[1] and each.box[3] <= second.box[1]
            for each in screen.elements
        ):
            continue
        between = [
            element
            for element in screen.elements
            if element.box[1] < second.box[3]
            and first.box[1] < element.box[3]
            and not screen.nested(element, first)
            and not screen.nested(element, second)
            and _is_like_heading(element, second, usual)
        ]
        plain = all(
            counts[folded(element.text)] == 1 and _is_plain(element) for element in (first, second)
        )
        if not between and plain and folded(second.text) not in folded(first.text):
            pairs.append((first, second))
    return pairs


def looks_like_heading(screen: Screen, heading: Element) -> bool:
    """Whether a heading has words, larger than most of the page's text or bold, above a text."""
    parts = (heading, *screen.inside(heading))
    larger = max(part.font_size for part in parts) >= _LARGER * _usual_size(screen)
    above = any(each.own and each.box[1] >= heading.box[3] - 1 for each in screen.elements)
    words = bool(_WORD.search(heading.text))
    return words and above and (larger or any(part.bold for part in parts))


def _usual_size(screen: Screen) -> float:
    """Return the most frequent font size of a page's text, in pixels."""
    lengths: Counter[float] = Counter()
    for each in screen.elements:
        lengths[each.font_size] += len(each.own)
    return max(lengths, key=lambda size: lengths[size], default=0.0)


def is_outranked(screen: Screen, heading: Element) -> bool:
    """Whether a heading is not clearly the main one of its page.

    That is so if another level-1 heading is as large, any other heading or a text above it is
    larger, it is only a number, such as `12°C`, or the page's title ends with it and begins with
    another heading: it is the name of the site.
    """
    text = one_line(heading.text)
    if any(map(str.isdigit, text)) and not _WORD.search(text):
        return True
    title = folded(screen.title)
    topic = stems(title.removesuffix(folded(text))) if title.endswith(folded(text)) else set[str]()
    size = max(part.font_size for part in (heading, *screen.inside(heading)))
    for other in screen.elements:
        above = bool(_WORD.search(other.own)) and other.box[3] <= heading.box[1]
        if above and other.font_size > size + _SAME_SIZE:
            return True
        if other.role != "heading" or not other.text or folded(other.text) == folded(text):
            continue
        rival = other.id != heading.id and not screen.nested(heading, other)
        equal = other.level == 1 and other.font_size >= size
        titled = bool(topic & stems(other.text))
        if rival and (equal or titled or other.font_size > size + _SAME_SIZE):
            return True
    return False


def _is_like_heading(one: Element, heading: Element, usual: float) -> bool:
    """Whether an element is a heading, or looks like one: a link only in larger text than usual."""
    if not one.text:
        return False
    titled = one.tag in {"legend", "summary", "caption", "dt"}
    short = len(one.own) <= _TITLE
    larger = one.font_size >= _LARGER * usual
    high = larger or one.height >= heading.height / 2
    bold = short and (one.bold or one.tag in {"strong", "b"}) and high
    large = short and bool(one.own) and 0 < heading.font_size <= one.font_size
    used = one.role in {"button", "textbox", "combobox"} or (one.role == "link" and not larger)
    return one.role == "heading" or titled or (not used and (bold or large))


def _is_plain(element: Element) -> bool:
    text = one_line(element.text)
    return is_readable(element) and 2 <= len(text) <= 90 and not set(text) & set("“”")


# ---- parts of a page ---------------------------------------------------------------------------


class Window(NamedTuple):
    """A part of a page, given by its upper and lower edge in pixels of the page."""

    width: int
    upper: int
    lower: int

    def of(self, box: Ltrb) -> Ltrb:
        """Convert a box of the page to coordinates of the part, in pixels."""
        left, top, right, bottom = box
        return left, top - self.upper, right, bottom - self.upper

    def holds(self, box: Ltrb) -> bool:
        """Whether a box is far enough inside the part to be marked."""
        return (
            box[0] >= _EDGE
            and box[2] <= self.width - _EDGE
            and box[1] >= self.upper + _EDGE
            and box[3] <= self.lower - _EDGE
        )

    def picture(self, snapshot: Snapshot) -> bytes:
        """Return the PNG of the part."""
        if self._is_whole(snapshot):
            return snapshot.image()
        return crop(snapshot.image(), (0, self.upper, self.width, self.lower))

    def draft(self, snapshot: Snapshot) -> bytes:
        """Return the same as an uncompressed PPM, for drawing marks on it."""
        if self._is_whole(snapshot):
            return snapshot.image()
        from PIL import Image

        file = io.BytesIO()
        Image.fromarray(snapshot.pixels[self.upper : self.lower]).save(file, "PPM")
        return file.getvalue()

    def _is_whole(self, snapshot: Snapshot) -> bool:
        return (self.upper, self.lower) == (0, snapshot.screen.height)


class Excerpt(NamedTuple):
    """Some elements, and a part of the page that shows them all."""

    window: Window
    elements: Sequence[Element]

    @property
    def boxes(self) -> list[Ltrb]:
        """The boxes of the elements in the part, in pixels."""
        return [self.window.of(element.box) for element in self.elements]


def pointable(screen: Screen) -> list[Element]:
    """Return elements that are distinct at a glance: fully visible leaves, but no words of code."""
    return [
        element
        for element in screen.elements
        if is_readable(element)
        and element.width >= _SMALLEST[0]
        and element.height >= _SMALLEST[1]
        and element.width <= _WIDEST * screen.width
        and element.height <= _HIGHEST
        and (element.own or element.role in {"button", "img", "textbox", "searchbox"})
        and (element.painted or element.own or element.role == "img")
        and not is_fragment(screen, element)
        and not any(True for _ in screen.children(element))
        and not is_code(screen, element)
    ]


def said_once(screen: Screen, elements: Sequence[Element]) -> list[Element]:
    """Return the elements with a short text that occurs once on the page, in any text."""
    if screen.shows_unread:
        return []
    counts = Counter(folded(shown.own) for shown in screen.elements if shown.own)
    for shown in screen.elements:
        counts.update(folded(text) for text in (shown.placeholder, shown.value, shown.alt) if text)
    drawn = drawn_texts(screen)
    return [
        element
        for element in elements
        if is_short_text(element.own)
        and one_line(element.own) == one_line(element.text)
        and counts[folded(element.own)] == 1
        and all(occurrences(folded(element.own), text) <= 1 for text in drawn)
    ]


def is_short_text(text: str) -> bool:
    """Whether a text can be typed and is as short as a label."""
    return (
        2 <= len(one_line(text)) <= _LONGEST
        and any(map(str.isalpha, text))
        and is_plain(text)
        and not set(text) & set('“”"')
    )


def apart(elements: Sequence[Element], other: Element, margin: float = _APART) -> bool:
    """Whether an element neither overlaps nor is close to the others."""
    return not any(meet(element.box, other.box, margin) for element in elements)


def some_shown(
    screen: Screen,
    elements: Sequence[Element],
    count: int,
    random: Random,
    fits: Callable[[Sequence[Element]], bool] = lambda _: True,
) -> Excerpt | None:
    """Draw elements with distance between them, and a part of the page that shows them.

    Args:
        screen: The page.
        elements: The candidates.
        count: The number of elements to draw.
        random: The source of random choices.
        fits: Whether a draw is acceptable.

    Returns:
        None if there are too few candidates, or no acceptable draw was found.
    """
    if len(elements) < count:
        return None
    for _ in range(_TRIES):
        window = window_around(screen, random.choice(elements), random)
        visible = [element for element in elements if window.holds(element.box)]
        random.shuffle(visible)
        chosen: list[Element] = []
        for element in visible:
            if len(chosen) < count and apart(chosen, element):
                chosen.append(element)
        if len(chosen) == count and fits(chosen):
            return Excerpt(window, chosen)
    return None


def window_around(screen: Screen, element: Element, random: Random) -> Window:
    """Draw a part of a page that shows an element, at a random position."""
    if screen.height <= HEIGHT:
        return Window(screen.width, 0, screen.height)
    least = max(0, int(element.box[3] + _EDGE + 1) - HEIGHT)
    most = min(screen.height - HEIGHT, max(int(element.box[1] - _EDGE), 0))
    upper = random.randint(min(least, most), most)
    return Window(screen.width, upper, upper + HEIGHT)
