"""UIAutomator's dumps (`adb shell uiautomator dump`) to the one model of a screen."""

import re
from xml.etree import ElementTree

from snellen.grading.errors import DataError
from snellen.tasks.building.elements import Ltrb, Screen
from snellen.tasks.building.extract.widgets import Widget, screen_of

_BOUNDS = re.compile(r"\[(-?\d+),(-?\d+)\]\[(-?\d+),(-?\d+)\]")
_DEEPEST = 200


def screen_from_uiautomator(dump: bytes, image: bytes, *, file: str = "") -> Screen:
    """Return the screen of a UIAutomator dump and its screenshot.

    Several windows (the app, the status bar) are one screen; the largest box is the whole of it.

    Args:
        dump: The XML file.
        image: The screenshot, of any size.
        file: Where the dump is from, for people.

    Raises:
        DataError: It is no dump, or the image is none.
    """
    if b"<!DOCTYPE" in dump or b"<!ENTITY" in dump:
        raise DataError("it declares a document type, which no dump does", file=file)
    try:
        hierarchy = ElementTree.fromstring(dump)
    except ElementTree.ParseError as error:
        raise DataError(f"it is no XML: {error}", file=file) from None
    nodes = list(hierarchy.iterfind("node"))
    if hierarchy.tag != "hierarchy" or not nodes:
        raise DataError("it is no dump: <hierarchy> with a <node> is missing", file=file)
    windows = [_widget(node, file, 0) for node in nodes]
    boxes = [window.box for window in windows]
    whole = (
        min(box[0] for box in boxes),
        min(box[1] for box in boxes),
        max(box[2] for box in boxes),
        max(box[3] for box in boxes),
    )
    root = windows[0] if len(windows) == 1 else Widget(("view",), whole, children=windows)
    return screen_of(root, image, file=file)


def _widget(node: ElementTree.Element, file: str, depth: int) -> Widget:
    if depth > _DEEPEST:
        raise DataError(f"nodes are nested more than {_DEEPEST} deep", file=file)

    def said(name: str) -> bool:
        return node.get(name) == "true"

    return Widget(
        classes=(node.get("class", ""),),
        box=_box(node.get("bounds", ""), file),
        text=node.get("text", ""),
        description=node.get("content-desc", ""),
        hint=node.get("hint", ""),
        clickable=said("clickable"),
        visible=node.get("visible-to-user", "true") == "true",
        enabled=node.get("enabled", "true") == "true",
        checked=said("checked"),
        password=said("password"),
        children=[_widget(child, file, depth + 1) for child in node.iterfind("node")],
    )


def _box(text: str, file: str) -> Ltrb:
    match = _BOUNDS.fullmatch(text)
    if match is None:
        raise DataError(f"a node's bounds are {text!r}, not [left,top][right,bottom]", file=file)
    left, top, right, bottom = (float(number) for number in match.groups())
    return (left, top, right, bottom)
