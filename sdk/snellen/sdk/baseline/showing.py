"""The page of a demonstration: the table of scores, and every item with what the agent said."""

import io
from base64 import b64encode
from collections.abc import Iterator, Sequence
from hashlib import sha256
from html import escape
from importlib.resources import files
from itertools import groupby
from string import Template

from snellen.sdk.baseline.agent import NAME, Step
from snellen.sdk.baseline.demo import Demo, Row
from snellen.sdk.baseline.seeing import Pixels
from snellen.sdk.baseline.wording import subject

_WIDTH = 480
_HEIGHT = 900
_QUALITY = 60
_MARK = (0, 160, 60)


def page_of(demo: Demo) -> bytes:
    """Return a demonstration as a page of HTML that needs nothing beside it."""
    parts = files("snellen.sdk.baseline")
    style = (parts / "page.css").read_text("utf-8")
    # A page that holds prompts and answers from anywhere runs no script and fetches nothing.
    digest = b64encode(sha256(style.encode()).digest()).decode()
    report = demo.taken.report
    filled = Template((parts / "page.html").read_text("utf-8")).substitute(
        digest=digest,
        style=style,
        exam=escape(str(report["exam"])),
        agent=escape(NAME),
        summary=escape(_summary(demo)),
        rows="\n".join(_table_row(row) for row in demo.rows),
        signatures="\n".join(
            f"<li><code>{escape(str(task['signature']))}</code></li>" for task in report["tasks"]
        ),
        sections="\n".join(_sections(demo.taken.steps)),
    )
    return filled.encode()


def percent(value: float | None) -> str:
    """Write a value as a percentage with one decimal; a dash where there is none.

    >>> percent(0.5)
    '50.0'
    """
    return "\u2013" if value is None else f"{100 * value:.1f}"


def interval(row: Row) -> str:
    """Write a row's interval; empty where there is none."""
    return (
        ""
        if row.low is None or row.high is None
        else f"{percent(row.low)}\u2013{percent(row.high)}"
    )


def _summary(demo: Demo) -> str:
    steps = demo.taken.steps
    ideas = sum(step.said.answer is not None for step in steps)
    cost = demo.taken.report["cost"]
    return (
        f"{len(steps)} items in {demo.seconds:.0f} seconds; an answer to {ideas},"
        f" no idea about {len(steps) - ideas}. {cost['calls']:,} calls,"
        f" {cost['image_bytes'] / 1e6:.1f} MB of images."
    )


def _table_row(row: Row) -> str:
    cells = (
        str(row.items),
        str(row.answered),
        escape(row.metric),
        percent(row.value),
        interval(row),
        percent(row.blind),
        percent(row.chance),
    )
    head = f'<th scope="row"><a href="#{_anchor(row.task)}">{escape(row.task)}</a></th>'
    return f"<tr>{head}{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


def _sections(steps: Sequence[Step]) -> Iterator[str]:
    by_task = sorted(steps, key=lambda step: step.question.task)
    for task, group in groupby(by_task, lambda step: step.question.task):
        cards = "\n".join(_card(step) for step in group)
        yield (
            f'<section id="{_anchor(task)}"><h2>{escape(task)}</h2>'
            f'<div class="cards">{cards}</div></section>'
        )


def _card(step: Step) -> str:
    answer = step.said.answer
    if answer is None:
        said = '<p class="none">no idea</p>'
    else:
        said = f'<p class="said">{escape(answer if isinstance(answer, str) else str(answer))}</p>'
    worth = (
        ""
        if step.value is None
        else f'<p class="worth{" some" if step.value else ""}">{percent(step.value)}</p>'
    )
    note = f"<p>{escape(step.note)}</p>" if step.note else ""
    return (
        f'<article>{_figure(step)}<p class="asked">{escape(subject(step.question.prompt))}</p>'
        f'<details><summary>Prompt</summary><p class="prompt">'
        f"{escape(step.question.prompt)}</p></details>{said}{worth}"
        f'<p class="why">{escape(step.said.why)}</p>{note}</article>'
    )


def _figure(step: Step) -> str:
    if step.pixels is None:
        return ""
    data = b64encode(_thumbnail(step.pixels, step)).decode()
    return f'<img alt="The item\'s first image" loading="lazy" src="data:image/webp;base64,{data}">'


def _thumbnail(pixels: Pixels, step: Step) -> bytes:
    from PIL import Image, ImageDraw

    image = Image.fromarray(pixels)
    scale = min(_WIDTH / image.width, 1.0)
    small = image.resize((max(round(image.width * scale), 1), max(round(image.height * scale), 1)))
    seen = step.said.seen
    top = 0
    if seen is not None:
        sides = tuple(side * scale for side in seen)
        box = (sides[0] - 2, sides[1] - 2, sides[2] + 2, sides[3] + 2)
        ImageDraw.Draw(small).rectangle(box, outline=_MARK, width=2)
        top = max(0, min(int(sides[1]) - _HEIGHT // 2, small.height - _HEIGHT))
    out = io.BytesIO()
    small.crop((0, top, small.width, min(small.height, top + _HEIGHT))).save(
        out, "WEBP", quality=_QUALITY
    )
    return out.getvalue()


def _anchor(task: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in task)
