"""Making the items of a build's pages again: a pack's item must equal the result.

This finds changes after an item was made, in the pack or in the build. Mistakes of a maker are
repeated, so the other modules must find those.
"""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import msgspec
import numpy as np

from snellen.build.audit.builds import BuildFolder, FrozenPage
from snellen.build.audit.views import Evidence, View
from snellen.build.items import PageItems, make_items
from snellen.build.writers.base import Side, read_sides
from snellen.build.writers.table import MAKING, makers_for
from snellen.grading.errors import DataError
from snellen.tasks.audit.models import Fault
from snellen.tasks.audit.pictures import Pixels, pixels_of
from snellen.tasks.benchmarks.table import load_task
from snellen.tasks.models import TaskData
from snellen.tasks.pack.format import PackItem
from snellen.tasks.pack.stats import plain

_DATA = "data"
_WORKERS = 2


@dataclass(frozen=True)
class RemadeItems:
    """The items of a build, made again.

    Attributes:
        tasks: The items by task, as the loader reads them.
        sides: The side data of each item, by task and item id.
    """

    tasks: Mapping[str, TaskData]
    sides: Mapping[tuple[str, str], Side] = field(repr=False)


def remake(build: BuildFolder, prompts: Mapping[str, str], room: Path) -> RemadeItems:
    """Make a build's items again, from its snapshots alone.

    Args:
        build: The build.
        prompts: The name of the prompt that a pack uses, by task.
        room: An empty folder to work in.

    Raises:
        DataError: A snapshot can't be read.
    """
    makers = makers_for(build.settings.tasks, charts=build.settings.charts)

    def make(page: FrozenPage) -> PageItems:
        place = room / "made" / page.name
        made = make_items(page.snapshot, makers, build.settings.seed, place)
        return made._replace(site=page.site, page=page.page)

    with ThreadPoolExecutor(_WORKERS) as pool:
        pages: Sequence[PageItems] = list(pool.map(make, _in_order(build)))
    tasks: dict[str, TaskData] = {}
    sides: dict[tuple[str, str], Side] = {}
    for benchmark, making in MAKING.items():
        if not any(item.task.startswith(f"{benchmark}/") for page in pages for item in page.made):
            continue
        if making.balance is not None:
            pages = making.balance(pages, build.settings.seed)
        place = room / benchmark
        making.write(pages, place)
        listed = read_sides(place)
        sides |= {(side.task, side.item): side for side in listed}
        images = None if making.images is None else place / making.images
        for task in {side.task for side in listed} & prompts.keys():
            prompt = prompts[task] or None
            tasks[task] = load_task(task, place, images=images, prompt=prompt)
    return RemadeItems(tasks, sides)


def _in_order(build: BuildFolder) -> Sequence[FrozenPage]:
    """Return the pages in the order of the build, which affects unanswerable questions."""
    order: dict[str, None] = {}
    for file in sorted((build.folder / _DATA).glob("*/made.jsonl")):
        try:
            sides = read_sides(file.parent)
        except DataError:
            continue
        order.update(dict.fromkeys(f"{side.site}/{side.page}" for side in sides))
    names = [*(name for name in order if name in build.pages), *build.pages]
    return [build.pages[name] for name in dict.fromkeys(names)]


def compare(view: View, remade: RemadeItems) -> Iterator[Evidence]:
    """Compare a pack's item with the item made again."""
    item = view.item
    data = remade.tasks.get(item.task)
    index = None if data is None else data.index.get(item.item)
    if data is None or index is None:
        yield Evidence(Fault.NOT_MADE)
        return
    yield from _asked(item.line, data, index)
    gold = plain(data.golds[index])
    if gold != plain(item.gold):
        yield Evidence(Fault.OTHER_REFERENCE, _json(gold), _json(plain(item.gold)))
    side = remade.sides[item.task, item.item]
    record = dict(side.record)
    if msgspec.json.decode(msgspec.json.encode(record)) != (item.record or {}):
        yield Evidence(Fault.OTHER_RECORD, _json(record), _json(item.record))
    tags = {name: value for name, value in side.tags.items() if name not in data.tags}
    tags |= {name: column[index] for name, column in data.tags.items() if column[index] is not None}
    if wrong := {name: value for name, value in tags.items() if item.tags.get(name) != value}:
        own = {name: item.tags.get(name) for name in wrong}
        yield Evidence(Fault.OTHER_RECORD, _json(wrong), _json(own))
    yield from _shown(view, data, index)


def _asked(line: PackItem, data: TaskData, index: int) -> Iterator[Evidence]:
    made = data.build_item(index)
    if made.prompt != line.item.prompt:
        yield Evidence(Fault.OTHER_PROMPT, made.prompt, line.item.prompt)
    elif made.answer_format != line.item.answer_format or made.tags != line.item.tags:
        yield Evidence(Fault.OTHER_PROMPT, str(made.answer_format), str(line.item.answer_format))
    elif data.contexts and data.contexts[index] != line.context:
        yield Evidence(Fault.OTHER_PROMPT, str(data.contexts[index]), str(line.context))
    elif "pair" in data.tags and data.tags["pair"][index] != line.pair:
        yield Evidence(Fault.OTHER_PROMPT, f"pair {data.tags['pair'][index]}", f"pair {line.pair}")


def _shown(view: View, data: TaskData, index: int) -> Iterator[Evidence]:
    own = view.item.line.images
    names = [image.name for image in data.build_item(index).images]
    # The prompt may number the pictures.
    shown = [image.name for image in view.item.line.item.images]
    if names != shown or sorted(names) != sorted(own):
        yield Evidence(Fault.OTHER_PICTURE, ", ".join(names), ", ".join(shown))
        return
    for name in names:
        seen = view.sight.picture(view.item, name)
        if seen is None or data.load_image is None:
            continue
        png = data.load_image(index, name)
        if sha256(png).hexdigest() == own[name].sha256:
            continue
        made = pixels_of(png)
        if not np.array_equal(made, seen):
            yield Evidence(Fault.OTHER_PICTURE, f"{name} as made", _difference(made, seen))


def _difference(made: Pixels, own: Pixels) -> str:
    if made.shape != own.shape:
        return f"{own.shape[1]} x {own.shape[0]} pixels, not {made.shape[1]} x {made.shape[0]}"
    return f"{int(np.count_nonzero(made != own)):,} other pixels"


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def workroom() -> "tempfile.TemporaryDirectory[str]":
    """Return a temporary folder that is removed on exit."""
    return tempfile.TemporaryDirectory(prefix="snellen-audit-")
