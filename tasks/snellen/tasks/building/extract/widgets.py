"""From the widgets of an app's screen, as a dump lists them, to the one model of a screen."""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from snellen.grading.errors import DataError
from snellen.tasks.building.elements import Element, Ltrb, Screen
from snellen.tasks.building.extract.duplicates import Candidate, drop_duplicates

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_ROLES = {
    "autocompletetextview": "combobox",
    "button": "button",
    "checkbox": "checkbox",
    "checkedtextview": "checkbox",
    "compoundbutton": "checkbox",
    "edittext": "textbox",
    "floatingactionbutton": "button",
    "gridview": "list",
    "imagebutton": "button",
    "imageview": "img",
    "listview": "list",
    "numberpicker": "spinbutton",
    "progressbar": "progressbar",
    "radiobutton": "radio",
    "radiogroup": "radiogroup",
    "ratingbar": "slider",
    "recyclerview": "list",
    "searchview": "search",
    "seekbar": "slider",
    "spinner": "combobox",
    "switch": "switch",
    "switchcompat": "switch",
    "tablayout": "tablist",
    "tabview": "tab",
    "togglebutton": "switch",
    "toolbar": "toolbar",
}
_KINDS = {"textbox": "text", "checkbox": "checkbox", "radio": "radio", "combobox": "select"}
_PAINTED = frozenset({"img", "button", "switch", "slider", "progressbar", "checkbox", "radio"})
# How much of a box one colour fills when it is the box's background.
_BACKGROUND_SHARE = 0.3
_DISTANCE = 60


@dataclass(frozen=True, slots=True)
class Widget:
    """One node of a dump.

    Attributes:
        classes: Its class and those that it is made from, in full; the most special first.
        box: In the dump's own pixels.
        text: What it shows.
        description: What it is for those who can't see it.
        hint: What an empty field shows.
        role: What the dump says that it is; empty where it says nothing.
        clickable: Whether it answers to a touch.
        visible: Whether it is shown.
        enabled: Whether it can be used.
        checked: Whether it is ticked.
        password: Whether what is typed into it is hidden.
        children: What is in it.
    """

    classes: Sequence[str]
    box: Ltrb
    text: str = ""
    description: str = ""
    hint: str = ""
    role: str = ""
    clickable: bool = False
    visible: bool = True
    enabled: bool = True
    checked: bool = False
    password: bool = False
    children: "Sequence[Widget]" = ()


def screen_of(root: Widget, image: bytes, *, title: str = "", file: str = "") -> Screen:
    """Return the screen that widgets and a screenshot show.

    The dump's pixels are scaled to the image's. A widget that is out of sight, or has no size,
    is none of the screen. Whether one covers another is not known.

    Args:
        root: The outermost widget; its box is the whole screen.
        image: The screenshot.
        title: What the screen is called.
        file: Where the dump is from, for people.

    Raises:
        DataError: The image is none, or the outermost widget has no size.
    """
    pixels = _pixels(image, file)
    height, width = pixels.shape[:2]
    left, top, right, bottom = root.box
    if right <= left or bottom <= top:
        raise DataError("the outermost widget has no size", file=file)
    scale = (width / (right - left), height / (bottom - top))
    kept: list[Widget] = []
    candidates: list[Candidate] = []
    for widget, parent, box in _visible(root, (0.0, 0.0, float(width), float(height)), scale):
        role = _role(widget)
        hint = widget.hint if not widget.text else ""
        kept.append(widget)
        candidates.append(
            Candidate(
                raw=len(candidates),
                parent=parent,
                tag=widget.classes[0].rpartition(".")[2].lower() if widget.classes else "view",
                role=role,
                text=_line(widget.text or hint),
                own=_line(widget.text or hint),
                box=box,
                painted=role in _PAINTED,
            )
        )
    _gather_texts(candidates)
    drop_duplicates(candidates)
    numbers = {
        each.raw: number
        for number, each in enumerate(each for each in candidates if not each.dropped)
    }
    elements = tuple(
        _element(candidates[raw], kept[raw], number, numbers, pixels)
        for raw, number in numbers.items()
    )
    return Screen(width=width, height=height, elements=elements, title=title, platform="android")


def _visible(
    root: Widget, image: Ltrb, scale: tuple[float, float]
) -> Iterator[tuple[Widget, int | None, Ltrb]]:
    """Yield the widgets in sight in the order of the dump, each with its parent's place."""
    offset = root.box[:2]
    count = 0
    waiting: list[tuple[Widget, int | None, Ltrb]] = [(root, None, image)]
    while waiting:
        widget, parent, clip = waiting.pop()
        if not widget.visible:
            continue
        left, top, right, bottom = widget.box
        box = (
            round(max((left - offset[0]) * scale[0], clip[0]), 2),
            round(max((top - offset[1]) * scale[1], clip[1]), 2),
            round(min((right - offset[0]) * scale[0], clip[2]), 2),
            round(min((bottom - offset[1]) * scale[1], clip[3]), 2),
        )
        if box[2] - box[0] >= 1 and box[3] - box[1] >= 1:
            yield widget, parent, box
            parent, clip = count, box
            count += 1
        waiting += [(child, parent, clip) for child in reversed(widget.children)]


def _gather_texts(candidates: Sequence[Candidate]) -> None:
    texts: dict[int, list[str]] = {}
    for candidate in reversed(candidates):
        parts = [candidate.own, *reversed(texts.get(candidate.raw, []))]
        candidate.text = " ".join(part for part in parts if part)
        if candidate.parent is not None and candidate.text:
            texts.setdefault(candidate.parent, []).append(candidate.text)


def _role(widget: Widget) -> str:
    if widget.role:
        return widget.role
    for name in widget.classes:
        role = _ROLES.get(name.rpartition(".")[2].lower().removeprefix("appcompat"))
        if role is not None:
            return "button" if role == "img" and widget.clickable else role
    return "button" if widget.clickable and (widget.text or widget.description) else ""


def _element(
    candidate: Candidate,
    widget: Widget,
    number: int,
    numbers: dict[int, int],
    pixels: "NDArray[np.uint8]",
) -> Element:
    kind = _KINDS.get(candidate.role, "")
    ticked = kind in {"checkbox", "radio"} or candidate.role == "switch"
    value = widget.text if kind in {"text", "select"} and not widget.password else ""
    color, background = _colors(pixels, candidate.box)
    return Element(
        id=number,
        tag=candidate.tag,
        box=candidate.box,
        parent=None if candidate.parent is None else numbers[candidate.parent],
        role=candidate.role,
        name=_line(widget.description) or candidate.text,
        text=candidate.text,
        own=candidate.own,
        placeholder=_line(widget.hint) if kind else "",
        kind="password" if widget.password else kind,
        value=("on" if widget.checked else "") if ticked else _line(value),
        disabled=not widget.enabled,
        color=color if candidate.own else "",
        background=background,
        alt=_line(widget.description) if candidate.role == "img" else "",
        painted=candidate.painted,
    )


def _pixels(image: bytes, file: str) -> "NDArray[np.uint8]":
    import numpy as np
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(image)) as opened:
            return np.asarray(opened.convert("RGB"))
    except (UnidentifiedImageError, OSError, Image.DecompressionBombError) as error:
        raise DataError(f"its screenshot is no image: {error}", file=file) from None


def _colors(pixels: "NDArray[np.uint8]", box: Ltrb) -> tuple[str, str]:
    """Return the colours of a box's text and background, as far as they stand out."""
    import numpy as np

    left, top, right, bottom = (round(edge) for edge in box)
    part = pixels[top : max(bottom, top + 1), left : max(right, left + 1)].reshape(-1, 3)
    if not len(part):
        return "", ""
    codes = part.astype(np.uint32) @ np.array([65536, 256, 1], dtype=np.uint32)
    values, counts = np.unique(codes, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    if counts[order[0]] < _BACKGROUND_SHARE * len(part):
        return "", ""
    background = _parts(int(values[order[0]]))
    for place in order[1:50]:
        color = _parts(int(values[place]))
        if max(abs(a - b) for a, b in zip(color, background, strict=True)) >= _DISTANCE:
            return _hex(color), _hex(background)
    return "", _hex(background)


def _parts(code: int) -> tuple[int, int, int]:
    return (code >> 16, code >> 8 & 255, code & 255)


def _hex(color: tuple[int, int, int]) -> str:
    return f"#{color[0]:02x}{color[1]:02x}{color[2]:02x}"


def _line(text: str) -> str:
    return " ".join(text.split())
