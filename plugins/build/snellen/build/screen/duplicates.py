"""Duplicate elements: wrappers are dropped, elements with a meaning are kept."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from snellen.build.screen.elements import Ltrb
from snellen.build.screen.roles import LANDMARKS

_TELLING = frozenset(
    {
        "address",
        "article",
        "aside",
        "blockquote",
        "canvas",
        "caption",
        "dd",
        "details",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "form",
        "footer",
        "header",
        "iframe",
        "img",
        "input",
        "label",
        "legend",
        "li",
        "main",
        "meter",
        "nav",
        "ol",
        "p",
        "pre",
        "progress",
        "section",
        "select",
        "summary",
        "svg",
        "table",
        "td",
        "textarea",
        "th",
        "time",
        "tr",
        "ul",
        "video",
    }
)
# Elements that take over the text inside them, whatever wraps it.
_TEXTUAL = frozenset(
    {
        "button",
        "caption",
        "cell",
        "checkbox",
        "columnheader",
        "definition",
        "gridcell",
        "heading",
        "link",
        "listitem",
        "menuitem",
        "option",
        "radio",
        "rowheader",
        "tab",
        "term",
        "treeitem",
    }
) | frozenset({"dd", "dt", "figcaption", "label", "legend", "li", "p", "summary", "td", "th"})
_STRUCTURE = frozenset(
    {"dd", "dl", "dt", "form", "table", "tbody", "td", "tfoot", "th", "thead", "tr"}
)


@dataclass(slots=True)
class Candidate:
    """An element as measured.

    Attributes:
        raw: Its index in document order.
        parent: The raw id of the parent.
        tag: In lower case.
        role: Explicit or implied, or empty.
        text: All its visible text.
        own: Its own visible text, without its children's.
        box: In pixels.
        painted: Whether it draws a background, a border or a picture.
        instead: For a dropped element: the raw id of the element that shows the same; None for
            nothing.
        dropped: Whether it is dropped.
        merged: The raw ids of the elements whose own text was added to its own.
    """

    raw: int
    parent: int | None
    tag: str
    role: str
    text: str
    own: str
    box: Ltrb
    painted: bool
    instead: int | None = None
    dropped: bool = False
    merged: list[int] = field(default_factory=list[int])

    @property
    def telling(self) -> bool:
        """Whether it has a meaning: it is more than a wrapper."""
        return bool(self.role) or self.tag in _TELLING

    @property
    def structural(self) -> bool:
        """Whether the page's structure needs it, whatever its content."""
        return self.role in LANDMARKS or self.role == "heading" or self.tag in _STRUCTURE


def drop_duplicates(candidates: Sequence[Candidate]) -> None:
    """Drop wrappers and empty boxes; their content moves to their parent.

    Of a wrapper and its only child with the same box, the deepest element with a meaning is kept.
    Text in a bare `span` of a button becomes the button's own text. A box without painting, text
    and content is dropped.

    Args:
        candidates: The elements in document order, parents first; changed in place.
    """
    children: dict[int, list[int]] = {candidate.raw: [] for candidate in candidates}
    for candidate in candidates:
        if candidate.parent is not None:
            children[candidate.parent].append(candidate.raw)

    def drop(gone: Candidate, instead: int | None) -> None:
        gone.dropped, gone.instead = True, instead
        heirs = children.pop(gone.raw)
        for heir in heirs:
            candidates[heir].parent = gone.parent
        if gone.parent is not None:
            siblings = children[gone.parent]
            at = siblings.index(gone.raw)
            siblings[at : at + 1] = heirs

    for outer in reversed(candidates):
        for inner in _swallowed(outer, [candidates[raw] for raw in children[outer.raw]]):
            drop(inner, outer.raw)
            if not outer.own:
                outer.own = inner.own
            outer.merged.append(inner.raw)
        kids = [candidates[raw] for raw in children[outer.raw]]
        bare = not outer.telling and not outer.own
        if not kids:
            if bare and not outer.painted:
                drop(outer, None)
        elif len(kids) == 1:
            same = _same_box(outer.box, kids[0].box)
            wraps = bare and not outer.painted
            doubles = same and not outer.own and not outer.structural
            if wraps or doubles:
                drop(outer, kids[0].raw)


def _swallowed(outer: Candidate, kids: Sequence[Candidate]) -> Iterator[Candidate]:
    """Yield the bare elements that show the same as their parent."""
    for kid in kids:
        if kid.telling or not outer.telling:
            continue
        only = len(kids) == 1 and _same_box(outer.box, kid.box)
        textual = outer.role in _TEXTUAL or outer.tag in _TEXTUAL
        if only or (textual and not kid.painted and kid.own and kid.own == kid.text == outer.text):
            yield kid


def _same_box(one: Ltrb, other: Ltrb) -> bool:
    return all(abs(a - b) <= 1 for a, b in zip(one, other, strict=True))
