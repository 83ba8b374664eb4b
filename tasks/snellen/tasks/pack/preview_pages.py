"""A contact sheet of a pack: HTML pages without external resources, for people to remove items.

The template escapes all data of the pack, or passes them as JSON that the page's script shows as
text. A Content-Security-Policy allows only the script and the style of this module, identified by
their digests. Equal packs give equal pages.
"""

import base64
import hashlib
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

from snellen.grading.errors import DataError, MissingExtraError
from snellen.tasks.pack.format import PackImage
from snellen.tasks.pack.preview import Card, card
from snellen.tasks.pack.read import Pack, References

if TYPE_CHECKING:
    from jinja2 import Environment

WIDTH = 640
"""The maximum width of a picture, in pixels."""

HEIGHT = 6_000
"""The maximum height of a picture, in pixels: WebP allows 16,383."""

PAGE_BUDGET = 24_000_000
"""The approximate maximum size of a page in bytes; a larger sheet is split by task, with an
index."""

_QUALITY = 62
_THREADS = 2
_SCREENED = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


class Preview(NamedTuple):
    """A file of a contact sheet: its name and its bytes."""

    name: str
    data: bytes


class _Part(NamedTuple):
    """The items and the title of one page."""

    title: str
    cards: Sequence[Card]


def preview_pages(
    pack: Pack,
    references: References | None,
    stem: str = "preview",
    *,
    budget: int = PAGE_BUDGET,
    watch: Callable[[int], None] = lambda _: None,
) -> Iterator[Preview]:
    """Yield the files of a contact sheet: one page, or an index and pages by task.

    Args:
        pack: The pack.
        references: Its references; None to omit them.
        stem: The beginning of the file names; the first file is `STEM.html`.
        budget: The approximate maximum size of a page in bytes.
        watch: Called after each item with the number of items done.

    Raises:
        MissingExtraError: Jinja is not installed.
        DataError: A line, or an image, can't be read or was changed.
    """
    template = _environment().get_template("preview.html.j2")
    cards = [card(pack, references, index) for index in range(len(pack.lines))]
    small = _thumbnails(pack, watch)
    parts = _parts(pack.name, cards, small, budget)
    names = [f"{stem}.html"]
    if len(parts) > 1:
        names = [f"{stem}-{number:03}-{_slug(part.title)}.html" for number, part in _counted(parts)]
        listed = [
            (name, part.title, len(part.cards)) for name, part in zip(names, parts, strict=True)
        ]
        page = template.render(
            **_context(pack, references, _Part("", ()), {}), index=listed, home=""
        )
        yield Preview(f"{stem}.html", page.encode("utf-8", "backslashreplace"))
    for name, part in zip(names, parts, strict=True):
        shown = {
            image.digest: small[image.digest]
            for entry in part.cards
            for image in entry.images
            if image.digest in small
        }
        home = f"{stem}.html" if len(parts) > 1 else ""
        page = template.render(**_context(pack, references, part, shown), index=(), home=home)
        yield Preview(name, page.encode("utf-8", "backslashreplace"))


def _counted(parts: Sequence[_Part]) -> Iterator[tuple[int, _Part]]:
    return enumerate(parts, start=1)


def _slug(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def _thumbnails(pack: Pack, watch: Callable[[int], None]) -> dict[str, bytes]:
    """Return the reduced pictures by digest, each once."""
    images: dict[str, PackImage] = {}
    last: dict[int, int] = {}
    for number, line in enumerate(pack.lines, start=1):
        for image in line.images.values():
            images.setdefault(image.sha256, image)
        last[len(images)] = number

    def small(image: PackImage) -> bytes:
        return shrink(pack.read_image(image), image.file)

    thumbnails: dict[str, bytes] = {}
    with ThreadPoolExecutor(_THREADS) as pool:
        for digest, data in zip(images, pool.map(small, images.values()), strict=True):
            thumbnails[digest] = data
            if done := last.get(len(thumbnails)):
                watch(done)
    watch(len(pack.lines))
    return thumbnails


def shrink(data: bytes, name: str) -> bytes:
    """Return a picture as a WebP of at most `WIDTH` x `HEIGHT` pixels.

    Raises:
        DataError: The image can't be read.
    """
    from PIL import Image

    try:
        with Image.open(io.BytesIO(data)) as opened:
            opened.draft("RGB", (WIDTH, HEIGHT))
            picture = opened.convert("RGB")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise DataError(f"the image can't be read: {error}", file=name) from None
    picture.thumbnail((WIDTH, HEIGHT), Image.Resampling.BOX, reducing_gap=2.0)
    buffer = io.BytesIO()
    picture.save(buffer, "WEBP", quality=_QUALITY, method=2)
    return buffer.getvalue()


def _parts(
    name: str, cards: Sequence[Card], small: Mapping[str, bytes], budget: int
) -> list[_Part]:
    """Distribute items to pages: one if they fit, else by task, in parts if a task is too large."""
    whole = sum(map(_embedded, small.values())) + sum(map(_words, cards))
    if whole <= budget:
        return [_Part(name, cards)]
    parts: list[_Part] = []
    for task in dict.fromkeys(entry.task for entry in cards):
        cut: list[list[Card]] = [[]]
        room, seen = budget, set[str]()
        for entry in (entry for entry in cards if entry.task == task):
            new = {image.digest for image in entry.images} - seen
            size = _words(entry) + sum(_embedded(small.get(digest, b"")) for digest in new)
            if size > room and cut[-1]:
                cut.append([])
                room, seen = budget, set[str]()
            cut[-1].append(entry)
            seen |= new
            room -= size
        for number, some in enumerate(cut, start=1):
            more = f", {number} of {len(cut)}" if len(cut) > 1 else ""
            parts.append(_Part(task + more, some))
    return parts


def _embedded(data: bytes) -> int:
    return 4 * -(-len(data) // 3)


def _words(one: Card) -> int:
    return 800 + 2 * (len(one.prompt) + sum(map(len, one.references)) + len(one.record))


def _context(
    pack: Pack, references: References | None, part: _Part, shown: Mapping[str, bytes]
) -> dict[str, Any]:
    style, script = _asset("preview.css"), _asset("preview.js")
    identity = {"pack": pack.name, "digest": pack.digest[:16]}
    pictures = {digest: base64.b64encode(data).decode("ascii") for digest, data in shown.items()}
    values: dict[str, dict[str, int]] = {}
    for entry in part.cards:
        for name, value in entry.tags.items():
            counts = values.setdefault(name, {})
            counts[value] = counts.get(value, 0) + 1
    tags = {
        name: sorted(counts) for name, counts in sorted(values.items()) if 1 < len(counts) <= 60
    }
    return {
        "manifest": pack.manifest,
        "part": part,
        "tasks": list(dict.fromkeys(entry.task for entry in part.cards)),
        "with_references": references is not None,
        "payload": _json({**identity, "pictures": pictures, "tags": tags}),
        "style": style,
        "script": script,
        "style_digest": _digest(style),
        "script_digest": _digest(script),
    }


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=True).translate(_SCREENED)


@cache
def _asset(name: str) -> str:
    return files("snellen.tasks.pack").joinpath("templates", name).read_text("utf-8")


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


@cache
def _environment() -> "Environment":
    try:
        from jinja2 import DictLoader, Environment, StrictUndefined
    except ImportError:
        raise MissingExtraError("a pack's preview", "html") from None
    return Environment(
        loader=DictLoader({"preview.html.j2": _asset("preview.html.j2")}),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
