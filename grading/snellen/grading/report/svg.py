"""SVG of Altair charts for a page, with the page's colors and font."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias
from xml.etree import ElementTree

# Altair's classes are generated; their annotations are incomplete for a strict checker.
Altair: TypeAlias = Any

_FONT = 12

_CONFIG: Mapping[str, Any] = {
    "font": "inherit",
    "aria": False,
    "background": None,
    "padding": 2,
    "view": {"stroke": None},
    "axis": {
        "labelColor": "var(--muted)",
        "labelFontSize": _FONT,
        "titleColor": "var(--muted)",
        "titleFontSize": _FONT,
        "titleFontWeight": "normal",
        "domain": False,
        "ticks": False,
        "labelFlush": False,
        "labelOverlap": False,
        "labelPadding": 8,
        "gridColor": "var(--line)",
    },
    "text": {"fontSize": _FONT, "color": "var(--ink)"},
}


class Margins(NamedTuple):
    """The position of a plot in its drawing: the left margin and the total width."""

    left: int
    width: int


def altair() -> Altair:
    """Return the Altair package, which takes half a second to import."""
    import altair as package

    return package


def start_engine() -> None:
    """Start the renderer, which takes almost a second the first time in a process.

    It runs without Python's lock, so that another thread can run at the same time.
    """
    alt = altair()
    _svg(alt.Chart(alt.Data(values=[{}])).mark_point())


def draw(chart: Altair, ident: str, margins: Margins | None = None) -> str:
    """Return a chart as one `<svg>` element that needs no escaping and has no size of its own.

    Args:
        chart: An Altair chart.
        ident: The prefix of every id in it, so that a page can have several charts.
        margins: Replace the drawing's own margins, if given.
    """
    root = ElementTree.fromstring(_svg(chart))
    _strip(root, ident)
    for name in ("width", "height"):
        root.attrib.pop(name, None)
    root.attrib |= {"class": "drawing", "aria-hidden": "true", "focusable": "false"}
    if margins is not None:
        height = root.attrib["viewBox"].split()[3]
        root.attrib["viewBox"] = f"0 0 {margins.width} {height}"
        root[0].attrib["transform"] = f"translate({margins.left},2)"
    return ElementTree.tostring(root, encoding="unicode")


_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


def plain(text: str) -> str:
    """Replace characters that are not allowed in XML."""
    return _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def _svg(chart: Altair) -> str:
    import vl_convert

    version = ".".join(altair().SCHEMA_VERSION.lstrip("v").split(".")[:2])
    return vl_convert.vegalite_to_svg(
        chart.to_dict(validate=False), vl_version=version, config=dict(_CONFIG)
    )


_TAGS = frozenset({"svg", "g", "path", "line", "rect", "text", "tspan", "defs", "clipPath"})
_KEPT = frozenset(
    {
        *("viewBox", "transform", "d", "x", "y", "x1", "x2", "y1", "y2", "width", "height"),
        *("fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap"),
        *("stroke-miterlimit", "stroke-opacity", "opacity", "text-anchor", "font-size"),
        *("font-weight", "id", "clip-path", "dx", "dy", "rx", "ry"),
    }
)


def _strip(element: ElementTree.Element, ident: str) -> None:
    """Keep only visible elements, and prefix the ids."""
    element.tag = element.tag.rpartition("}")[2]
    kept = {name: value for name, value in element.attrib.items() if name in _KEPT}
    for name in kept.keys() & {"id", "clip-path"}:
        kept[name] = re.sub(r"^(url\(#)?", rf"\g<1>{ident}-", kept[name])
    element.attrib.clear()
    element.attrib.update(kept)
    for child in list(element):
        _strip(child, ident)
        if child.tag not in _TAGS or (child.tag == "path" and _is_empty(child)):
            element.remove(child)


def _is_empty(path: ElementTree.Element) -> bool:
    unseen = path.get("fill") is None and path.get("stroke") is None
    return unseen or path.get("d", "") in ("", "M0,0h0v0h0Z")
