"""A page of filmstrips: the steps of episodes, with screenshots and clicked points."""

import html
import io
import os
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import quote

from snellen.grading.errors import InputError
from snellen.grading.models.actions import Point
from snellen.grading.report.html import digest_of, stylesheet

WIDTH = 480
"""The width of a shown screenshot, in CSS pixels; the stored image is at most twice as wide."""


@dataclass(frozen=True, slots=True)
class FilmStep:
    """A step.

    Attributes:
        number: Its number; 0 is the first view.
        said: A description of the input.
        note: The message to the agent.
        path: The points of the input, in pixels of the screenshot before it.
        frame: The screenshot before the step, as PNG; None: none.
    """

    number: int
    said: str
    note: str
    path: Sequence[Point]
    frame: bytes | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class Film:
    """An episode.

    Attributes:
        task: Its task.
        name: Its item.
        prompt: Its prompt.
        facts: Other facts about it: names and values.
        result: Its graded result.
        steps: Its steps in order.
        last: The screenshot at the end, as PNG; None: none.
    """

    task: str
    name: str
    prompt: str
    facts: Sequence[tuple[str, str]]
    result: str
    steps: Sequence[FilmStep]
    last: bytes | None = field(repr=False)


def film_page(title: str, films: Sequence[Film]) -> bytes:
    """Return filmstrips as one HTML file that runs no script and loads nothing."""
    from jinja2 import Environment

    style = stylesheet() + (files("snellen.sdk.page") / "film.css").read_text("utf-8")
    text = (files("snellen.sdk.page") / "film.html.j2").read_text("utf-8")
    template = Environment(autoescape=True, trim_blocks=True).from_string(text)
    shown = [
        {
            "anchor": _anchor(film.task, film.name),
            "name": film.name,
            "prompt": film.prompt,
            "facts": film.facts,
            "result": film.result,
            "steps": [_shown(step) for step in film.steps],
            "last": _picture(film.last),
        }
        for film in films
    ]
    return template.render(title=title, films=shown, style=style, digest=digest_of(style)).encode()


def film_links(film: str | Path, page: str | Path, task: str) -> Mapping[str, str]:
    """Return links to the items of a task on a page of filmstrips.

    Args:
        film: The page of filmstrips.
        page: The page that links to it; links are relative to its folder.
        task: The task's id.

    Returns:
        A link by an item's id.

    Raises:
        InputError: The file can't be read, or shows no episode of the task.
    """
    try:
        text = Path(film).read_text("utf-8")
    except (OSError, ValueError) as error:
        raise InputError(f"can't read the filmstrips: {error}", file=str(film)) from error
    way = os.path.relpath(Path(film).absolute(), Path(page).absolute().parent)
    begin = quote(Path(way).as_posix())
    anchors = map(html.unescape, re.findall(r'<section class="film" id="([^"]*)"', text))
    found = {
        anchor.removeprefix(f"{task}/"): f"{begin}#{quote(anchor)}"
        for anchor in anchors
        if anchor.startswith(f"{task}/")
    }
    if not found:
        raise InputError(
            f"it has no episodes of {task}: `snellen replay NUMBER PACK -o FILE` makes filmstrips",
            file=str(film),
        )
    return found


def _anchor(task: str, item: str) -> str:
    return f"{task}/{item}"


def _shown(step: FilmStep) -> dict[str, Any]:
    return {
        "number": step.number,
        "said": step.said,
        "note": step.note,
        "picture": _picture(step.frame),
        "path": " ".join(f"{x:g},{y:g}" for x, y in step.path),
        "start": step.path[0] if step.path else None,
        "end": step.path[-1] if step.path else None,
    }


def _picture(frame: bytes | None) -> dict[str, Any] | None:
    """Return a screenshot as WebP, at most twice as wide as shown; JPEG would blur its text."""
    if frame is None:
        return None
    from PIL import Image

    with Image.open(io.BytesIO(frame)) as image:
        size = image.size
        width = min(size[0], 2 * WIDTH)
        small = image.convert("RGB").resize((width, round(size[1] * width / size[0])))
    out = io.BytesIO()
    small.save(out, "WEBP", quality=80)
    return {
        "width": size[0],
        "height": size[1],
        "data": f"data:image/webp;base64,{b64encode(out.getvalue()).decode()}",
    }
