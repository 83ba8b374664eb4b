"""A survey of a page: its controls as text, or numbered on its screenshot.

It is the browser's own accessibility tree (Chromium's DevTools protocol), not our reading of HTML.
"""

import io
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from random import Random
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, cast

if TYPE_CHECKING:
    from PIL.Image import Image
    from playwright.async_api import CDPSession, Page

Element: TypeAlias = tuple[int, ...]
"""Which child an element is at each depth below <html>, counted over elements only."""

LONGEST: Final = 20_000
"""The maximum number of characters of a tree."""


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the accessibility tree; nodes that say nothing and do nothing are left out."""

    role: str  # the ARIA role; `text` of a text, `generic` of what has none
    name: str = ""  # the accessible name; the text of a text
    value: str = ""  # the value of a field
    states: Sequence[str] = ()  # such as `disabled` and `level=2`
    depth: int = 0  # how many nodes are around it
    element: Element = ()  # empty for a text
    box: tuple[float, ...] | None = None
    """Left, top, right, bottom in pixels of the screenshot; None if it is not seen or clickable."""
    clickable: bool = False  # whether it can be acted on: clicked, focused, edited, dropped on
    marked: bool = False  # whether it has a mark where it is seen: it is no mere place to drop on


# ---- the survey --------------------------------------------------------------------------------

PARTS: Final = """async ([paths, scrolls]) => {
  const elements = paths.map((path) =>
    path.reduce((each, index) => each?.children[index], document.documentElement));
  const there = elements.filter(Boolean);
  if (!there.length || (scrolls && there.length < elements.length)) return elements.map(() => null);
  const nearest = { block: "nearest", inline: "nearest", behavior: "instant" };
  if (scrolls) there.toReversed().forEach((each) => each.scrollIntoView(nearest));
  const shown = await new Promise((done) => {
    const observer = new IntersectionObserver((entries) => {
      observer.disconnect();
      done(new Map(entries.map((each) => [each.target, each.intersectionRect])));
    });
    there.forEach((each) => observer.observe(each));
  });
  return elements.map((each) => {
    const outer = shown.get(each);
    for (const line of each?.getClientRects() ?? []) {
      const left = Math.max(line.left, outer.left), top = Math.max(line.top, outer.top);
      const right = Math.min(line.right, outer.right), bottom = Math.min(line.bottom, outer.bottom);
      if (right - left < 1 || bottom - top < 1) continue;
      const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
      return [left, top, right, bottom, each.contains(hit)];
    }
    return null;
  });
}"""
"""Returns the visible part of each element, and whether a click on its middle reaches it; null if
it is gone or no part is visible. They can be scrolled into view before, unless one is gone."""

# fmt: off
_ROLES: Final = {
    "StaticText": "text", "LineBreak": "text", "image": "img", "SvgRoot": "img",
    "DisclosureTriangle": "button", "DisclosureTriangleGrouped": "button", "ColorWell": "button",
    "Date": "textbox", "DateTime": "textbox", "InputTime": "textbox",
}
_TYPED: Final = frozenset({"textbox", "searchbox", "spinbutton", "slider"})
_FIELDS: Final = _TYPED | {"combobox"}
_CONTROLS: Final = _FIELDS | {
    "button", "checkbox", "gridcell", "link", "listbox", "menuitem", "menuitemcheckbox",
    "menuitemradio", "option", "radio", "scrollbar", "switch", "tab", "treeitem",
}
_STATES: Final = {
    "checked": "checked", "disabled": "disabled", "expanded": "expanded", "focused": "active",
    "level": "level", "pressed": "pressed", "selected": "selected",
}
# fmt: on


async def survey(page: "Page", session: "CDPSession", scale: float) -> Sequence[Node]:
    """Return the accessibility tree of a page, in its order.

    Args:
        page: The page.
        session: A session of the DevTools protocol with it.
        scale: Screenshot pixels per CSS pixel.
    """
    send = cast("Any", session).send
    tree = await send("Accessibility.getFullAXTree")
    snapshot = await send("DOMSnapshot.captureSnapshot", {"computedStyles": ["display"]})
    nodes = list(_joined(_nodes(tree["nodes"], _read(snapshot))))
    acted = {node.element: node for node in nodes if node.clickable}
    parts = await page.evaluate(PARTS, [list(acted), False])
    for element, part in zip(acted, parts, strict=True):
        if part is not None and part[4]:
            box = tuple(side * scale for side in part[:4])
            acted[element] = replace(acted[element], box=box)
    return [acted[node.element] if node.clickable else node for node in nodes]


class _Document(NamedTuple):
    """A page's DOM, by the numbers that the browser gives its nodes."""

    elements: Mapping[int, Element]
    listening: frozenset[int]  # what takes clicks, or shows more below the pointer
    drops: frozenset[int]  # what the page declares as a place to drop on
    blocks: Mapping[int, int]  # in which block something stands


def _read(snapshot: Any) -> _Document:  # noqa: ANN401  # JSON
    page = snapshot["documents"][0]
    nodes, layout, strings = page["nodes"], page["layout"], snapshot["strings"]
    styles = dict(zip(layout["nodeIndex"], layout["styles"], strict=True))
    inline = [strings.index("inline")] if "inline" in strings else []
    blocks: dict[int, int] = {}
    pseudo = {*nodes["pseudoType"]["index"]}
    paths: dict[int, Element] = {}
    children = Counter[int]()
    for index, (parent, kind) in enumerate(
        zip(nodes["parentIndex"], nodes["nodeType"], strict=True)
    ):
        is_block = kind == _ELEMENT and styles.get(index, inline) != inline
        blocks[index] = index if is_block else blocks.get(parent, 0)
        if kind != _ELEMENT or index in pseudo:
            continue
        # What stands in the browser's own shadow trees is no element of the page.
        if parent in paths:
            paths[index] = (*paths[parent], children[parent])
            children[parent] += 1
        elif parent == 0:
            paths[index] = ()
    numbers = nodes["backendNodeId"]
    return _Document(
        {numbers[index]: path for index, path in paths.items()},
        frozenset(numbers[index] for index in nodes["isClickable"]["index"])
        | frozenset(_with("aria-haspopup", snapshot)),
        frozenset(_with("aria-dropeffect", snapshot)),
        {numbers[index]: block for index, block in blocks.items()},
    )


def _with(attribute: str, snapshot: Any) -> Iterator[int]:  # noqa: ANN401  # JSON
    """Yield the numbers of the elements that have an attribute."""
    nodes, strings = snapshot["documents"][0]["nodes"], snapshot["strings"]
    if attribute in strings:
        wanted = strings.index(attribute)
        for number, given in zip(nodes["backendNodeId"], nodes["attributes"], strict=True):
            if wanted in given[::2]:
                yield number


_ELEMENT: Final = 1  # the type of an element among nodes


def _nodes(tree: Sequence[Any], document: _Document) -> Iterator[tuple[Node, int]]:
    """Yield the nodes of a tree, each with its block."""
    by_id = {raw["nodeId"]: raw for raw in tree}
    waiting, block = [(tree[0], 0)], 0
    while waiting:
        raw, depth = waiting.pop()
        # What a style sheet adds has no number.
        block = document.blocks.get(raw.get("backendDOMNodeId"), block)
        node = _node(raw, depth, document)
        if node is not None:
            yield node, block
            depth += 1
            if node.role == "text" or node.role in _TYPED:
                continue
        inner = [by_id[each] for each in raw.get("childIds", ()) if each in by_id]
        waiting += [(each, depth) for each in reversed(inner)]


def _node(raw: Any, depth: int, document: _Document) -> Node | None:  # noqa: ANN401  # JSON
    ignored, number = raw["ignored"], raw.get("backendDOMNodeId")
    role = "generic" if ignored else raw["role"]["value"]
    # Names of roles with a capital are the browser's own.
    role = _ROLES.get(role, "generic" if role == "none" or role[:1].isupper() else role)
    name = "" if ignored else raw.get("name", {}).get("value", "")
    if role == "text":
        return Node(role, name, depth=depth)
    element = document.elements.get(number, ())
    # The page itself takes no clicks, whatever listens to them there.
    inside = len(element) > 1
    marked = inside and (number in document.listening or role in _CONTROLS)
    clickable = marked or (inside and number in document.drops)
    if not clickable and (not element or (role == "generic" and not name)):
        return None
    value = str(raw.get("value", {}).get("value", "")) if role in _FIELDS else ""
    states = () if ignored else tuple(_states(raw["properties"], role))
    name, value = _line(name), _line(value)
    return Node(role, name, value, states, depth, element, clickable=clickable, marked=marked)


def _line(text: str) -> str:
    return " ".join(text.split())


def _states(properties: Iterable[Any], role: str) -> Iterator[str]:
    given = {each["name"]: each["value"].get("value") for each in properties}
    if role == "listitem":
        given["level"] = None
    for name, written in _STATES.items():
        value = given.get(name)
        if value is True or value == "true":
            yield written
        elif value not in (None, False, "false"):
            yield f"{written}={value}"


def _joined(nodes: Iterable[tuple[Node, int]]) -> Iterator[Node]:
    """Yield nodes, texts that follow each other as one; a space parts those of two blocks."""
    for depth, group in groupby(
        nodes, lambda each: each[0].depth if each[0].role == "text" else -1
    ):
        if depth < 0:
            yield from (node for node, _ in group)
            continue
        texts = [list(block) for _, block in groupby(group, itemgetter(1))]
        if line := _line(" ".join("".join(node.name for node, _ in block) for block in texts)):
            yield Node("text", line, depth=depth)


# ---- ids ---------------------------------------------------------------------------------------


class Names(NamedTuple):
    """Elements by the ids that one rendering of a page has."""

    marks: Mapping[str, Element]  # numbers from 1: what is seen and can be clicked
    refs: Mapping[str, Element]  # such as `e12`: all that can be acted on


def names(nodes: Iterable[Node], seed: str) -> Names:
    """Return random ids, equal for an equal page and seed."""
    random, acted = Random(seed), {node.element: node for node in nodes if node.clickable}
    seen = [
        each
        for each, node in acted.items()
        if node.box and node.marked and "disabled" not in node.states
    ]
    refs = random.sample(range(1, 10 * len(acted) + 90), len(acted))
    marks = random.sample(range(1, len(seen) + 1), len(seen))
    return Names(
        dict(zip(map(str, marks), seen, strict=True)),
        dict(zip((f"e{ref}" for ref in refs), acted, strict=True)),
    )


# ---- text --------------------------------------------------------------------------------------

_CUT: Final = "- text: the tree is longer than {:,} characters, its last {:,} lines are left out"


def tree_text(nodes: Sequence[Node], refs: Mapping[str, Element]) -> str:
    """Return the tree as Playwright MCP writes its snapshots, at most `LONGEST` characters.

    Args:
        nodes: The survey.
        refs: Elements by their refs.
    """
    lines = list(_lines(nodes, {element: ref for ref, element in refs.items()}))
    text = "\n".join(lines)
    if len(text) <= LONGEST:
        return text
    kept = text[: LONGEST - 100].count("\n")
    return "\n".join([*lines[:kept], _CUT.format(LONGEST, len(lines) - kept)])


def _lines(nodes: Sequence[Node], refs: Mapping[Element, str]) -> Iterator[str]:
    end = Node("")
    on_line: Node | None = None
    for node, inner, after in zip(nodes, [*nodes[1:], end], [*nodes[2:], end, end], strict=False):
        if node is on_line:
            continue
        head, text = "  " * node.depth + _head(node, refs), node.value
        if inner.depth > node.depth and inner.role == "text" and after.depth < inner.depth:
            # A text that is all that a node holds stands on its line, unless it is known.
            on_line = inner
            text = text or ("" if inner.name == node.name else inner.name)
        elif inner.depth > node.depth:
            head += ":" * (not text)
        yield f"{head}: {text}" if text else head


def _head(node: Node, refs: Mapping[Element, str]) -> str:
    if node.role == "text":
        return f"- text: {node.name}"
    name = [json.dumps(node.name, ensure_ascii=False)] if node.name else []
    ref = [f"ref={refs[node.element]}"] if node.clickable and node.element in refs else []
    return " ".join(["-", node.role, *name, *(f"[{each}]" for each in (*node.states, *ref))])


# ---- marks -------------------------------------------------------------------------------------

_COLORS: Final = ("#d4006a", "#0b57d0")
_EDGE: Final = 24  # a difference of two neighboring pixels, of 255, that is drawn
_INK: Final = 8  # how much worse it is to hide a drawn pixel than to stand in another box
_LABEL: Final = 10_000  # and to hide a number


def marked(
    png: bytes, nodes: Iterable[Node], numbers: Mapping[str, Element], scale: float = 1
) -> bytes:
    """Return a screenshot with a box and a number on each control that is seen.

    A number has the color of its box, and stands beside it, or in it where it is empty.

    Args:
        png: The screenshot.
        nodes: The survey.
        numbers: Elements by their numbers.
        scale: Screenshot pixels per CSS pixel.
    """
    from PIL import Image, ImageDraw, ImageFont

    with Image.open(io.BytesIO(png)) as opened:
        image = opened.convert("RGB")
    known = {element: number for number, element in numbers.items()}
    seen = [node for node in nodes if node.box and node.element in known]
    boxes = [tuple(map(round, node.box or ())) for node in seen]
    font = ImageFont.load_default(11 + 1.5 * scale)
    texts = [known[node.element] for node in seen]
    sizes = [tuple(round(side) + 4 for side in font.getbbox(each, anchor="lt")) for each in texts]
    labels = _labels(image.convert("L"), boxes, [(width, height) for *_, width, height in sizes])
    pen = ImageDraw.Draw(image)
    for index, (left, top, right, bottom) in enumerate(boxes):
        edges = (left, top, min(right, image.width) - 1, min(bottom, image.height) - 1)
        pen.rectangle(edges, outline=_COLORS[index % 2], width=max(1, round(scale / 2)))
    for index, (left, top, right, bottom) in enumerate(labels):
        pen.rectangle((left, top, right - 1, bottom - 1), fill=_COLORS[index % 2])
        middle = ((left + right) / 2, (top + bottom) / 2)
        pen.text(middle, texts[index], fill="white", font=font, anchor="mm")
    written = io.BytesIO()
    image.save(written, "PNG", compress_level=3)
    return written.getvalue()


def _labels(
    image: "Image", boxes: Sequence[Sequence[int]], sizes: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, int, int, int]]:
    """Yield where the number of each box hides least."""
    import numpy as np

    ink, around = np.zeros((2, image.height, image.width), dtype=np.int32)
    ink[:, 1:] = _INK * (np.abs(np.diff(np.asarray(image, dtype=np.int16), axis=1)) > _EDGE)
    for left, top, right, bottom in boxes:
        around[top:bottom, left:right] += 1
    for box, (width, height) in zip(boxes, sizes, strict=True):
        left, top, right, bottom = box
        own = around[top:bottom, left:right].min()
        best, least = (slice(0), slice(0)), math.inf
        for index, (x, y) in enumerate(_corners(box, width, height)):
            if not (0 <= x <= image.width - width and 0 <= y <= image.height - height):
                continue
            part = (slice(y, y + height), slice(x, x + width))
            others = np.maximum(around[part] - own + (index < _BESIDE), 0)
            if (cost := ink[part].sum() + others.sum()) < least:
                best, least = part, cost
        ink[best] += _LABEL
        yield best[1].start, best[0].start, best[1].stop, best[0].stop


def _corners(box: Sequence[int], width: int, height: int) -> list[tuple[int, int]]:
    """Return where a label may begin: beside its box, or in it, off the line that it may draw."""
    left, top, right, bottom = box
    x, y = (left + 2, right - width - 2), (top + 2, bottom - height - 2)
    # fmt: off
    return [
        (left, top - height), (left - width, top), (right, top), (left, bottom),
        (right - width, top - height), (right - width, bottom),
        (x[1], y[0]), (x[1], y[1]), (x[0], y[0]), (x[0], y[1]),
    ]
    # fmt: on


_BESIDE: Final = 6  # how many of these are not in the box
