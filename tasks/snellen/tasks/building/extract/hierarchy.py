"""RICO's view hierarchies, plain or with its semantic annotations, to the one model of a screen.

RICO (Deka and others, UIST 2017) keeps for each screenshot a JSON file with the view hierarchy of
the activity. Its boxes count the pixels of the device (1440 x 2560); the screenshots have fewer.
Its semantic annotations (Liu and others, UIST 2018) are a tree of the same form with labels.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from snellen.grading.errors import DataError
from snellen.tasks.building.elements import Ltrb, Screen
from snellen.tasks.building.extract.widgets import Widget, screen_of

_LABELS = {
    "Background Image": "img",
    "Bottom Navigation": "navigation",
    "Button Bar": "toolbar",
    "Checkbox": "checkbox",
    "Image": "img",
    "Input": "textbox",
    "List Item": "listitem",
    "Modal": "dialog",
    "Multi-Tab": "tablist",
    "Number Stepper": "spinbutton",
    "On/Off Switch": "switch",
    "Radio Button": "radio",
    "Slider": "slider",
    "Text Button": "button",
    "Toolbar": "toolbar",
}
_DEEPEST = 200


def screen_from_rico(hierarchy: bytes, image: bytes, *, file: str = "") -> Screen:
    """Return the screen of a RICO hierarchy and its screenshot.

    Args:
        hierarchy: The JSON file.
        image: The screenshot, of any size.
        file: Where the hierarchy is from, for people.

    Raises:
        DataError: It is no hierarchy, or the image is none.
    """
    try:
        found = json.loads(hierarchy)
    except (ValueError, RecursionError) as error:
        raise DataError(f"it is no JSON: {error}", file=file) from None
    if not isinstance(found, dict):
        raise DataError("it is no view hierarchy: not an object", file=file)
    whole = cast(Mapping[str, Any], found)
    activity = whole.get("activity")
    root: object = whole
    if "activity" in whole:
        root = cast(Mapping[str, Any], activity).get("root") if isinstance(activity, dict) else None
    if not isinstance(root, dict):
        raise DataError("it has no outermost view", file=file, field="activity.root")
    return screen_of(_widget(cast(Mapping[str, Any], root), file, 0), image, file=file)


def _widget(node: Mapping[str, Any], file: str, depth: int) -> Widget:
    if depth > _DEEPEST:
        raise DataError(f"views are nested more than {_DEEPEST} deep", file=file)
    label = str(node.get("componentLabel") or "")
    clickable = node.get("clickable") is True
    icon = "button" if clickable else "img"
    children = [
        _widget(cast(Mapping[str, Any], child), file, depth + 1)
        for child in _list(node.get("children"))
        if isinstance(child, dict)
    ]
    hidden = node.get("visible-to-user") is False or node.get("visibility") in {"gone", "invisible"}
    described = _list(node.get("content-desc"))
    return Widget(
        classes=[str(node.get("class") or ""), *map(str, _list(node.get("ancestors")))],
        box=_box(node.get("bounds"), file),
        text=str(node.get("text") or ""),
        description=str(next((each for each in described if each), "")),
        hint=str(node.get("text-hint") or ""),
        role=icon if label == "Icon" else _LABELS.get(label, ""),
        clickable=clickable,
        visible=not hidden,
        enabled=node.get("enabled") is not False,
        checked=node.get("checked") is True,
        password=node.get("password") is True,
        children=children,
    )


def _list(value: object) -> Sequence[object]:
    if value is None:
        return []
    return cast(list[object], value) if isinstance(value, list) else [value]


def _box(value: object, file: str) -> Ltrb:
    numbers = [each for each in _list(value) if isinstance(each, int | float)]
    if len(numbers) != 4:
        raise DataError(f"a view's bounds are {value!r}, not four numbers", file=file)
    left, top, right, bottom = (float(number) for number in numbers)
    return (left, top, right, bottom)
