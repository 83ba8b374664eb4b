"""The elements on a screen, with boxes, roles, names and text.

A web page becomes a `Screen`; makers of items know nothing else. Boxes are left, top,
right, bottom in pixels of the screen's image.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import msgspec

Ltrb = tuple[float, float, float, float]

MARK = "data-snellen-id"
MARKED = f'[{MARK}="%d"]'
"""Selects an element in the live page by its id."""


class Element(msgspec.Struct, frozen=True, omit_defaults=True):
    """One element that is there to be seen.

    Attributes:
        id: Its place in the screen's document order, from 0.
        parent: The nearest ancestor that is an element of the screen; None for the outermost.
        tag: The tag or the class of the widget, in lower case.
        role: The ARIA role, given or implied: `button`, `link`, `textbox`, `heading`...; empty
            for none.
        name: The accessible name.
        text: What it shows, with that of what is in it, in one line; as rendered, so after CSS
            changed its case.
        own: What it shows itself, without what is in it.
        box: Left, top, right, bottom of what is visible of it.
        covered: The share of it, 0..1, that something else hides.
        landmark: The nearest landmark around it (`banner`, `navigation`, `main`,
            `complementary`, `contentinfo`, `form`, `search`, `region`), or empty.
        level: Of a heading, 1..6; 0 for what is none.
        label: Of a form field: the text of its label.
        placeholder: Of a form field.
        kind: Of a form field: its type (`text`, `email`, `date`, `checkbox`, `select`...).
        value: Of a form field: what is in it.
        options: Of a list to choose from: the texts.
        href: Of a link: where it leads, within the site without the host.
        disabled: Whether it can't be used.
        color: The computed color of its text, `#rrggbb`.
        background: The effective color behind its text, `#rrggbb`; empty for a picture or a
            gradient.
        font_size: In pixels.
        bold: Whether its text is bold.
        alt: Of a picture: its text.
        cut: Whether some of its text can't be read on the screen: clipped, ended by dots, blurred,
            hardly darker than what is behind it, or made by CSS out of reach; of a picture,
            whether it is missing.
        clipped: Whether some of its box is out of sight.
        split: Whether it is in several pieces, such as lines or columns, so that its box holds
            more than it.
        painted: Whether it draws a background, a border or a picture of its own.
        ink: The box of its own text as drawn, which is often smaller than its box; None for none.
    """

    id: int
    tag: str
    box: Ltrb
    parent: int | None = None
    role: str = ""
    name: str = ""
    text: str = ""
    own: str = ""
    covered: float = 0.0
    landmark: str = ""
    level: int = 0
    label: str = ""
    placeholder: str = ""
    kind: str = ""
    value: str = ""
    options: tuple[str, ...] = ()
    href: str = ""
    disabled: bool = False
    color: str = ""
    background: str = ""
    font_size: float = 0.0
    bold: bool = False
    alt: str = ""
    cut: bool = False
    clipped: bool = False
    split: bool = False
    painted: bool = False
    ink: Ltrb | None = None

    @property
    def width(self) -> float:
        """In pixels."""
        return self.box[2] - self.box[0]

    @property
    def height(self) -> float:
        """In pixels."""
        return self.box[3] - self.box[1]


class Screen(msgspec.Struct, frozen=True, dict=True, omit_defaults=True):
    """One screen at rest: a page, or a view of an app.

    Attributes:
        width: Of its image, in pixels.
        height: Of its image, in pixels.
        elements: What is visible, in document order; element `n` has the id `n`.
        title: The page's title.
        description: The meta description, or empty.
        descriptions: What else its author says of it: for networks, in JSON-LD.
        language: As the page says it (`en`, `zh-CN`), else as its words are, or empty.
        platform: `web`, `android`, `ios`, `windows`, `mac` or `linux`.
        unread: What may show more than the elements say: `iframe`, `canvas`, `video`,
            `closed shadow root`, `scroller`...
    """

    width: int
    height: int
    elements: tuple[Element, ...]
    title: str = ""
    description: str = ""
    descriptions: tuple[str, ...] = ()
    language: str = ""
    platform: str = "web"
    unread: tuple[str, ...] = ()

    @property
    def shows_unread(self) -> bool:
        """Whether its picture may show what no element says; what scrolls only hides something."""
        return any(what != "scroller" for what in self.unread)

    def ancestors(self, element: Element) -> Iterator[Element]:
        """Yield what an element is in, the nearest first."""
        while element.parent is not None:
            element = self.elements[element.parent]
            yield element

    def children(self, element: Element) -> Sequence[Element]:
        """Return what is directly in an element, in document order."""
        return [self.elements[child] for child in self._children.get(element.id, ())]

    def inside(self, element: Element) -> Iterator[Element]:
        """Yield what is in an element, at any depth, in document order."""
        for child in self.children(element):
            yield child
            yield from self.inside(child)

    def nested(self, one: Element, other: Element) -> bool:
        """Whether one of two elements is in the other, or they are the same."""
        return one.id == other.id or any(
            inner.id == outer.id
            for start, outer in ((one, other), (other, one))
            for inner in self.ancestors(start)
        )

    @cached_property
    def _children(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for element in self.elements:
            if element.parent is not None:
                found.setdefault(element.parent, []).append(element.id)
        return found


class After(NamedTuple):
    """A page measured anew, after a change.

    Attributes:
        screen: As measured anew; its elements have new ids.
        elements: Those that were there before, by the ids that they had, each with that id and
            the place of its parent unsaid.
    """

    screen: Screen
    elements: Mapping[int, Element]
