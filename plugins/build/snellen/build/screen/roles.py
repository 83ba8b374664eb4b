"""Roles and names as Chromium computes them for screen readers."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from snellen.build.browser.devtools import Channel
from snellen.build.screen.elements import MARK

LANDMARKS = frozenset(
    {
        "banner",
        "complementary",
        "contentinfo",
        "form",
        "main",
        "navigation",
        "region",
        "search",
    }
)

ROLES = LANDMARKS | {
    "alert",
    "alertdialog",
    "article",
    "blockquote",
    "button",
    "cell",
    "checkbox",
    "columnheader",
    "combobox",
    "definition",
    "dialog",
    "figure",
    "grid",
    "gridcell",
    "group",
    "heading",
    "img",
    "link",
    "list",
    "listbox",
    "listitem",
    "menu",
    "menubar",
    "menuitem",
    "menuitemcheckbox",
    "menuitemradio",
    "meter",
    "option",
    "progressbar",
    "radio",
    "radiogroup",
    "row",
    "rowheader",
    "searchbox",
    "separator",
    "slider",
    "spinbutton",
    "status",
    "switch",
    "tab",
    "table",
    "tablist",
    "tabpanel",
    "term",
    "textbox",
    "toolbar",
    "tooltip",
    "tree",
    "treeitem",
}
"""The roles that are kept; roles without a meaning (generic) or only for style (strong) are not."""

_RENAMED = {
    "image": "img",
    "ComboBoxSelect": "combobox",
    "comboBoxMenuButton": "combobox",
    "DisclosureTriangle": "button",
    "DisclosureTriangleGrouped": "button",
    "PopUpButton": "button",
    "popUpButton": "button",
    "ToggleButton": "button",
    "toggleButton": "button",
    "gridCell": "gridcell",
    "DescriptionListTerm": "term",
    "DescriptionListDetail": "definition",
    "Date": "textbox",
    "DateTime": "textbox",
    "InputTime": "textbox",
    "ColorWell": "button",
}

_IMPLIED = {
    "a": "link",
    "button": "button",
    "h1": "heading",
    "h2": "heading",
    "h3": "heading",
    "h4": "heading",
    "h5": "heading",
    "h6": "heading",
    "img": "img",
    "select": "combobox",
    "summary": "button",
    "textarea": "textbox",
}
# Applies to elements that are visible but hidden from screen readers: aria-hidden.

_KINDS = {
    "button": "button",
    "checkbox": "checkbox",
    "image": "button",
    "number": "spinbutton",
    "radio": "radio",
    "range": "slider",
    "reset": "button",
    "search": "searchbox",
    "submit": "button",
}


class Accessible(NamedTuple):
    """The accessible role and name of an element."""

    role: str  # of `ROLES`, or empty
    name: str  # as announced
    landmark: str  # the role of the nearest landmark around it, or empty
    level: int  # the level of a heading


class AccessibleTree(NamedTuple):
    """The marked elements in Chromium's accessibility tree."""

    by_mark: Mapping[str, Accessible]  # the elements by their marks
    closed: bool  # whether the page has a shadow root that scripts can't read


def accessible_tree(channel: Channel) -> AccessibleTree:
    """Read the accessibility tree of a page."""
    marks: dict[int, str] = {}
    document = channel.send("DOM.getDocument", {"depth": -1, "pierce": True})["root"]
    closed = _collect_marks(document, marks)
    nodes: list[dict[str, Any]] = channel.send("Accessibility.getFullAXTree")["nodes"]
    by_id = {node["nodeId"]: node for node in nodes}
    landmarks: dict[str, str] = {}

    def landmark_of(node: Mapping[str, Any]) -> str:
        landmark = landmarks.get(node["nodeId"])
        if landmark is None:
            parent = by_id.get(node.get("parentId", ""))
            role = "" if parent is None else _role(parent)
            landmark = role if role in LANDMARKS else "" if parent is None else landmark_of(parent)
            landmarks[node["nodeId"]] = landmark
        return landmark

    by_mark = {
        mark: Accessible(_role(node), _value(node, "name"), landmark_of(node), _level(node))
        for node in nodes
        if not node.get("ignored") and (mark := marks.get(node.get("backendDOMNodeId", 0)))
    }
    return AccessibleTree(by_mark, closed)


def implied_role(tag: str, explicit: str, kind: str, href: str) -> str:
    """Return the role of an element that is not in the accessibility tree."""
    if explicit in ROLES:
        return explicit
    if tag == "input":
        return _KINDS.get(kind, "textbox")
    if tag == "a" and not href:
        return ""
    return _IMPLIED.get(tag, "")


def _collect_marks(node: Mapping[str, Any], marks: dict[int, str]) -> bool:
    """Collect the marks of a document; return whether it has a closed shadow root."""
    closed = False
    waiting = [node]
    while waiting:
        each = waiting.pop()
        attributes: list[str] = each.get("attributes", [])
        if MARK in attributes:
            marks[each["backendNodeId"]] = attributes[attributes.index(MARK) + 1]
        waiting += each.get("children", ())
        roots = each.get("shadowRoots", ())
        closed |= any(root.get("shadowRootType") == "closed" for root in roots)
        waiting += roots
    return closed


def _role(node: Mapping[str, Any]) -> str:
    chromium_role = "" if node.get("ignored") else _value(node, "role")
    role = _RENAMED.get(chromium_role, chromium_role)
    return role if role in ROLES else ""


def _value(node: Mapping[str, Any], name: str) -> str:
    return str(node.get(name, {}).get("value", ""))


def _level(node: Mapping[str, Any]) -> int:
    for each in node.get("properties", ()):
        if each["name"] == "level":
            return int(each["value"]["value"])
    return 0
