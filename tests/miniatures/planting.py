"""Faults planted in a built pack: one in an item, of many kinds, every digest right.

The kinds are in `planted_answers`, `planted_pictures` and `planted_records`. They were written from
the documentation of builds and packs alone, without a look at the audit, and are kept so: a kind
is what an exam's maker could get wrong, not what a check looks for. `both` changes the item's
record in the same way as its reference, so that only the page itself shows the fault.
"""

import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, TypeAlias

from PIL import Image

from snellen.tasks.pack import MANIFEST
from snellen.tasks.pack.folders import new_folder, write_hashed
from snellen.tasks.pack.format import IMAGES, ITEMS, REFERENCES, Manifest
from snellen.tasks.pack.references import canary_of, to_line
from snellen.tasks.pack.write import manifest_bytes, pieces_of

Json: TypeAlias = Any
Box: TypeAlias = Sequence[float]


@dataclass
class Entry:
    """An item of an exam, open to change: its public line and its reference's line."""

    line: dict[str, Json]
    ref: dict[str, Json]
    touched: bool = False
    twin: str = ""

    @property
    def task(self) -> str:
        """The task's id."""
        return self.line["item"]["task"]

    @property
    def key(self) -> tuple[str, str]:
        """The task's id and the item's."""
        return self.task, self.line["item"]["id"]

    @property
    def page(self) -> str:
        """The page that it was made of, by the site's name and the page's."""
        return self.ref["tags"].get("page", "")

    @property
    def record(self) -> dict[str, Json]:
        """How it was made."""
        return self.ref.get("record") or {}

    @property
    def prompt(self) -> str:
        """What is asked."""
        return self.line["item"]["prompt"]

    @prompt.setter
    def prompt(self, text: str) -> None:
        self.line["item"]["prompt"] = text

    @property
    def gold(self) -> Json:
        """The reference."""
        return self.ref["gold"]

    @gold.setter
    def gold(self, gold: Json) -> None:
        self.ref["gold"] = gold

    @property
    def answer(self) -> Json:
        """The reference, or what the gold of an item of the matrix says is the answer."""
        return self.gold["answer"] if self.task == MATRIX else self.gold

    @answer.setter
    def answer(self, answer: Json) -> None:
        if self.task == MATRIX:
            self.gold = {**self.gold, "answer": answer}
        else:
            self.gold = answer


@dataclass
class Exam:
    """A pack, open to change."""

    folder: Path
    manifest: Manifest
    entries: list[Entry]
    sources: dict[str, dict[str, Json]]
    unasked: dict[str, list[dict[str, Json]]]
    new: dict[str, bytes] = field(default_factory=dict[str, bytes])

    def picture(self, entry: Entry, name: str = "screen") -> Image.Image:
        """Return one of an item's pictures."""
        file = entry.line["images"][name]["file"]
        data = self.new.get(file) or (self.folder / IMAGES / file).read_bytes()
        return Image.open(io.BytesIO(data)).convert("RGB")

    def show(self, entry: Entry, picture: Image.Image, name: str = "screen") -> None:
        """Put a picture in the place of one of an item's."""
        file = io.BytesIO()
        picture.save(file, "PNG", compress_level=1)
        data = file.getvalue()
        digest = sha256(data).hexdigest()
        path = f"{digest[:2]}/{digest[2:34]}.png"
        self.new[path] = data
        entry.line["images"][name] = {"file": path, "sha256": digest, "bytes": len(data)}
        for image in entry.line["item"]["images"]:
            if image["name"] == name:
                image["width"], image["height"] = picture.size

    def others(self, entry: Entry, *, page: bool | None = None) -> Iterator[Entry]:
        """Yield the untouched items of the same task: of the same page, of others, or of all."""
        for other in self.entries:
            fits = page is None or page == (other.page == entry.page)
            if fits and other.task == entry.task and other is not entry and not other.touched:
                yield other


Plant: TypeAlias = Callable[[Exam, Entry, Random], bool]
"""Plants a fault in an item; False: this item can't have it, and was not changed."""


class Kind(NamedTuple):
    """A kind of fault."""

    name: str
    plant: Plant
    tasks: tuple[str, ...] = ()
    both: bool = False


KINDS: list[Kind] = []
MATRIX = "matrix/items"
LETTERS = "ABCDEFGH"
NONE = "<no answer>"
ASKED = re.compile(r"(?:Question|Description|Task|Instruction): (.+)")
QUOTED = re.compile(r"[“„«\"]([^“”»\"]+)[“”»\"]")


def kind(*tasks: str, both: bool = False) -> Callable[[Plant], Plant]:
    """Enter a kind of fault for the tasks whose ids begin so; for all without any."""

    def enter(plant: Plant) -> Plant:
        def planted(exam: Exam, entry: Entry, chance: Random) -> bool:
            if tasks and not entry.task.startswith(tasks):
                return False
            return plant(exam, entry, chance)

        KINDS.append(Kind(plant.__name__, planted, tasks, both))
        return plant

    return enter


def read_exam(folder: Path) -> Exam:
    """Open a pack to be changed."""
    manifest = Manifest.model_validate_json((folder / MANIFEST).read_bytes())
    lines = [json.loads(line) for line in (folder / ITEMS).read_bytes().splitlines()]
    sources: dict[str, dict[str, Json]] = {}
    refs: dict[tuple[str, str], dict[str, Json]] = {}
    order: dict[str, list[dict[str, Json]]] = {}
    for text in (folder / REFERENCES).read_bytes().splitlines()[1:]:
        ref = json.loads(text)
        if "pin" in ref:
            sources[ref["task"]] = ref
        else:
            refs[ref["task"], ref["item_id"]] = ref
            order.setdefault(ref["task"], []).append(ref)
    entries = [Entry(line, refs[line["item"]["task"], line["item"]["id"]]) for line in lines]
    return Exam(folder, manifest, entries, sources, order)


def write_exam(exam: Exam, folder: Path) -> None:
    """Write the pack as it is now, so that nothing is wrong with it as a pack."""
    with new_folder(folder) as room:
        kept: dict[str, int] = {}
        for entry in exam.entries:
            for image in entry.line["images"].values():
                file = image["file"]
                if file not in kept:
                    target = room / IMAGES / file
                    target.parent.mkdir(parents=True, exist_ok=True)
                    data = exam.new.get(file) or (exam.folder / IMAGES / file).read_bytes()
                    target.write_bytes(data)
                    kept[file] = len(data)
        items = write_hashed(room / ITEMS, (to_line(entry.line) for entry in exam.entries))
        canary = canary_of(items.sha256)
        # The list holds the entries' own objects, so that what was changed is written.
        references = [
            to_line(line)
            for task, source in exam.sources.items()
            for line in (source, *exam.unasked[task])
        ]
        written = write_hashed(room / REFERENCES, pieces_of(references, canary, None), private=True)
        manifest = exam.manifest.model_copy(
            update={
                "files": {ITEMS: items, REFERENCES: written},
                "images": len(kept),
                "image_bytes": sum(kept.values()),
                "canary": canary,
            }
        )
        write_hashed(room / MANIFEST, [manifest_bytes(manifest)])


class Planted(NamedTuple):
    """A fault that was planted."""

    kind: str
    both: bool
    task: str
    item: str
    twin: str
    before: str
    after: str


def plant_faults(exam: Exam, seed: int, each: int, *, both: bool | None = None) -> list[Planted]:
    """Plant faults of every kind, each in another item, in other tasks as far as there are.

    Args:
        exam: The pack; it is changed.
        seed: What items are drawn from.
        each: How many of a kind at most.
        both: Whether to plant the kinds that change the build's record, too, or those that do not;
            None: all.
    """
    done: list[Planted] = []
    pairs: set[str] = set()
    # What few items can have comes first.
    for one in sorted(KINDS, key=lambda one: not one.tasks):
        if both is not None and one.both != both:
            continue
        chance = Random(f"{seed}/{one.name}")
        # A fault is planted in one picture, and some of the matrix's questions show two.
        free = [
            entry
            for entry in exam.entries
            if not entry.touched and (entry.task != MATRIX or "screen" in entry.line["images"])
        ]
        chance.shuffle(free)
        tasks: dict[str, int] = {}
        count = 0
        for most in (1, each):
            for entry in free:
                pair = entry.line.get("pair")
                if count == each or entry.touched or tasks.get(entry.task, 0) >= most:
                    continue
                if pair in pairs:
                    continue
                line, ref = deepcopy(entry.line), deepcopy(entry.ref)
                if not one.plant(exam, entry, chance):
                    assert (entry.line, entry.ref) == (line, ref), one.name
                    continue
                assert (entry.line, entry.ref) != (line, ref), one.name
                entry.touched = True
                count += 1
                tasks[entry.task] = tasks.get(entry.task, 0) + 1
                if pair is not None:
                    pairs.add(pair)
                done.append(
                    Planted(
                        one.name,
                        one.both,
                        *entry.key,
                        entry.twin,
                        _said(line, ref),
                        _said(entry.line, entry.ref),
                    )
                )
    return done


def _said(line: dict[str, Json], ref: dict[str, Json]) -> str:
    asked = ASKED.findall(line["item"]["prompt"])
    text = asked[-1] if asked else line["item"]["prompt"][:160]
    return f"{text} | {json.dumps(ref['gold'], ensure_ascii=False)[:300]}"


def box_in(entry: Entry) -> list[float] | None:
    """Return the box in pixels of the picture that an item is about."""
    gold: Json = entry.gold
    if is_a(gold, dict) and "bbox" in gold:
        return list(gold["bbox"])
    box = entry.record.get("box")
    if box and entry.task != MATRIX:
        return list(box)
    boxes = entry.record.get("boxes")
    return list(boxes[0]) if boxes and entry.task != MATRIX else None


def size_of(entry: Entry) -> tuple[int, int]:
    screen = entry.line["item"]["images"][0]
    return screen["width"], screen["height"]


def overlap(one: Box, other: Box) -> float:
    """Return the intersection over union of two boxes."""
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    shared = max(0.0, wide) * max(0.0, high)
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (one, other)]
    return shared / (sum(areas) - shared)


def asked_in(entry: Entry) -> str | None:
    found = ASKED.findall(entry.prompt)
    return found[-1] if found else None


def is_a(value: object, *kinds: type) -> bool:
    """Whether a JSON value is of one of some types; its type stays unknown to the checker."""
    return isinstance(value, kinds)
