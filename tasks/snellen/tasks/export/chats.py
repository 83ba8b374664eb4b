"""Chats for fine-tuning, made of a pack: its pictures and prompt, and the reference as the answer.

The form is that of OpenAI's chat completions, a line of JSON a chat: `messages` of a user, whose
content is a list of parts (`image_url` with a path relative to the file, then `text`), and of the
assistant, whose content is the answer.

Pictures have the sizes that fine-tuning takes. Source: WebRSSBench (2025), on fine-tuning: a
longest side over 1024 pixels is scaled down; a side under 8 pixels, or one more than 200 times the
other, is padded to at least 32 x 32.
"""

import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from snellen.grading.errors import InputError
from snellen.grading.grade import Answers, Grader
from snellen.grading.models.base import Closed
from snellen.grading.models.geometry import Space
from snellen.grading.models.items import AnswerKind
from snellen.grading.protocols.base import Gold
from snellen.grading.protocols.table import protocol_of
from snellen.tasks.benchmarks.declared import own
from snellen.tasks.pack.folders import new_folder, replace_hashed, write_hashed
from snellen.tasks.pack.format import PackImage, PackItem
from snellen.tasks.pack.groups import SITE, ItemName, joined, names_of, values_of
from snellen.tasks.pack.preview import responses_of
from snellen.tasks.pack.read import Pack, References
from snellen.tasks.pack.split import Parts, check_parts, split_items
from snellen.tasks.prompts import prompt_of
from snellen.tasks.views import view

POSITION = "webrssbench/position"
_PLACED = (AnswerKind.POINT, AnswerKind.BOX, AnswerKind.BOXED_TEXTS)


class Exported(Closed):
    """What was exported, as `export.json` says it, beside the pictures.

    Attributes:
        pack: The pack's name.
        digest: Of what it asks and how it is scored.
        canary: The pack's: it is found in what a model was trained on.
        licence: Whose the items and images are.
        seed: What the split was drawn from; None without one.
        by: The tag whose values no two parts share; None without a split.
        chats: Part to task to how many chats.
        items: Part to how many items they were made of.
        images: How many files of images.
        coordinates: Task to what coordinates in its prompts and answers count.
        left_out: Reason to how many items it left out.
    """

    pack: str
    digest: str
    canary: str
    licence: str
    seed: int | None
    by: str | None
    chats: dict[str, dict[str, int]]
    items: dict[str, int]
    images: int
    coordinates: dict[str, str]
    left_out: dict[str, int]


class _Chat(NamedTuple):
    images: Sequence[str]
    prompt: str
    answer: str

    def line(self) -> bytes:
        shown = [{"type": "image_url", "image_url": {"url": path}} for path in self.images]
        content = [*shown, {"type": "text", "text": self.prompt}]
        messages: list[dict[str, Any]] = [
            {"role": "user", "content": content},
            {"role": "assistant", "content": self.answer},
        ]
        return json.dumps({"messages": messages}, ensure_ascii=False).encode() + b"\n"


def export_chats(
    pack: Pack,
    references: References,
    output: Path,
    *,
    parts: Parts | None = None,
    by: str = SITE,
    seed: int = 0,
    watch: Callable[[int], None] = lambda _: None,
) -> Exported:
    """Write a pack as chats, one file or one a part, whole or not at all.

    A question about how several crops lie becomes one chat a pair: the page, the two crops, and
    one relation. Coordinates in pixels are those of the exported picture, whose size the prompt
    says. Equal input makes equal bytes.

    Args:
        pack: The pack.
        references: Its references.
        output: Without parts the file, ending in .jsonl; its pictures go to the folder of that
            name without the ending. With parts the folder: `PART.jsonl`, and `images/`.
        parts: Names to shares; no site, screenshot or pair is in two of them.
        by: The tag whose values are sites.
        seed: The same seed makes the same split.
        watch: Called after each item with how many are done.

    Raises:
        InputError: The name does not end in .jsonl, or what is there holds something or can't be
            written; or as `splitting.split_items`.
        DataError: A line or a picture can't be read.
        MetricError: A protocol can't be applied to the references.
    """
    homes = dict.fromkeys(names_of(pack), output.stem)
    if parts is not None:
        check_parts(parts)
        groups = joined(pack, values_of(pack, references, by))
        shared = split_items(groups, parts, seed)
        homes = {name: part for part, items in shared.items() for name in items}
    elif output.suffix != ".jsonl":
        raise InputError("a file of chats ends in .jsonl; a folder needs --parts", file=str(output))
    folder = output if parts is not None else output.with_suffix("")
    with new_folder(folder) as room:
        work = _Work(pack, references, room, "" if parts is not None else f"{folder.name}/")
        for done, name in enumerate(names_of(pack), start=1):
            work.take(name, homes[name])
            watch(done)
        summary = work.summary(
            seed if parts is not None else None, by if parts is not None else None
        )
        write_hashed(room / "export.json", [summary.model_dump_json(indent=2).encode() + b"\n"])
        for part in dict.fromkeys(homes.values()) if parts is None else parts:
            write_hashed(room / f"{part}.items.tsv", work.index.get(part, []))
            if parts is not None:
                write_hashed(room / f"{part}.jsonl", work.lines.get(part, []))
    if parts is None:
        replace_hashed(output, work.lines.get(output.stem, []))
    return summary


LONGEST = 1024
"""The longest side that is not scaled down, in pixels."""

SHORTEST = 8
"""A shorter side is padded, in pixels."""

SLIMMEST = 200
"""A picture so many times as long as wide is padded."""

PADDED = 32
"""Both sides of a padded picture are at least so long, in pixels."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A picture as it is exported.

    Attributes:
        data: The encoded bytes.
        ending: What its file's name ends in.
        size: Width and height in pixels.
        scale: What widths and heights were multiplied by.
        offset: How far the picture was moved by padding, right and down, in pixels.
    """

    data: bytes = field(repr=False)
    ending: str
    size: tuple[int, int]
    scale: tuple[float, float]
    offset: tuple[int, int] = (0, 0)

    def moved(self, x: float, y: float) -> tuple[float, float]:
        """Return where a point of the original lies, in this picture's pixels."""
        return x * self.scale[0] + self.offset[0], y * self.scale[1] + self.offset[1]


def prepare(data: bytes) -> Prepared:
    """Bring a picture to the sizes that fine-tuning takes; one that has them stays as it is.

    Raises:
        DataError: It is no image, or a damaged one.
    """
    whole = view(data)
    seen = view(data, LONGEST)
    scale = (seen.width / whole.width, seen.height / whole.height)
    ending = {"image/jpeg": "jpg", "image/png": "png", "image/webp": "webp", "image/gif": "gif"}[
        seen.media_type
    ]
    short, long = sorted((whole.width, whole.height))
    if min(short, seen.width, seen.height) >= SHORTEST and long <= SLIMMEST * short:
        return Prepared(seen.data, ending, (seen.width, seen.height), scale)
    return _padded(seen.data, scale)


def _padded(data: bytes, scale: tuple[float, float]) -> Prepared:
    from PIL import Image

    with Image.open(io.BytesIO(data)) as opened:
        picture = opened.convert("RGB")
    size = (max(PADDED, picture.width), max(PADDED, picture.height))
    offset = ((size[0] - picture.width) // 2, (size[1] - picture.height) // 2)
    sheet = Image.new("RGB", size, "white")
    sheet.paste(picture, offset)
    out = io.BytesIO()
    sheet.save(out, "PNG", compress_level=6)
    return Prepared(out.getvalue(), "png", size, scale, offset)


class _Work:
    """What is gathered while items are written."""

    def __init__(self, pack: Pack, references: References, room: Path, prefix: str) -> None:
        self.pack = pack
        self.references = references
        self.lines: dict[str, list[bytes]] = {}
        self.index: dict[str, list[bytes]] = {}
        self._room = room
        self._prefix = prefix
        self._answers: dict[str, Mapping[str, object]] = {}
        self._pictures: dict[str, tuple[str, Prepared]] = {}
        self._chats: dict[str, Counter[str]] = {}
        self._items: Counter[str] = Counter()
        self._left_out: Counter[str] = Counter()
        self._coordinates: dict[str, str] = {}

    def take(self, name: ItemName, part: str) -> None:
        line = self.pack.line(name.task, name.item)
        chats = list(self._chats_of(name, line))
        for chat in chats:
            self.lines.setdefault(part, []).append(chat.line())
            self.index.setdefault(part, []).append(f"{name.task}\t{name.item}\n".encode())
        if chats:
            self._chats.setdefault(part, Counter())[name.task] += len(chats)
            self._items[part] += 1

    def _chats_of(self, name: ItemName, line: PackItem) -> Iterator[_Chat]:
        item = line.item
        kind, space = item.answer_format.kind, item.answer_format.space
        if kind is AnswerKind.EPISODE:
            self._left_out["it is played, not answered"] += 1
            return
        if name.task == POSITION:
            yield from self._pairs(line)
            return
        if name.task not in self._answers:
            self._answers[name.task] = best_answers(self.pack, self.references, name.task)
        answer = self._answers[name.task].get(name.item)
        if answer is None:
            self._left_out["nothing is right"] += 1
            return
        shown = [self._picture(line.images[image.name]) for image in item.images]
        prompt, counted = item.prompt, None
        if kind in _PLACED and shown:
            first = shown[0][1]
            if first.offset != (0, 0):
                self._left_out["its coordinates are of a picture that must be padded"] += 1
                return
            self._coordinates[name.task] = _said(space)
            if space is Space.PIXELS:
                image = item.images[0]
                prompt = _resized(prompt, (image.width, image.height), first.size)
                counted = first
        yield _Chat([path for path, _ in shown], prompt, spoken(answer, kind, counted))

    def _pairs(self, line: PackItem) -> Iterator[_Chat]:
        """Yield a chat for each pair of crops."""
        item = line.item
        gold = self.references.golds[POSITION][item.id]
        relations = cast("Mapping[tuple[str, str], object]", gold)
        asked = prompt_of(own("webrssbench").prompts[POSITION], item.tags.get("prompt"))
        screen, *crops = item.images
        for first, second in combinations(sorted(crop.name for crop in crops), 2):
            if (first, second) in relations:
                names = (screen.name, first, second)
                shown = [self._picture(line.images[name])[0] for name in names]
                answer = relation_of(relations, first, second)
                yield _Chat(shown, asked.ask(f"{first}, {second}"), answer)

    def _picture(self, image: PackImage) -> tuple[str, Prepared]:
        """Return the path of a picture, which is written once."""
        if image.file not in self._pictures:
            made = prepare(self.pack.read_image(image))
            digest = sha256(made.data).hexdigest()
            path = f"images/{digest[:2]}/{digest[2:34]}.{made.ending}"
            target = self._room / path
            if not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(made.data)
            self._pictures[image.file] = (self._prefix + path, made)
        return self._pictures[image.file]

    def summary(self, seed: int | None, by: str | None) -> Exported:
        manifest = self.pack.manifest
        return Exported(
            pack=manifest.name,
            digest=self.pack.digest,
            canary=manifest.canary,
            licence=manifest.licence,
            seed=seed,
            by=by,
            chats={part: dict(sorted(counts.items())) for part, counts in self._chats.items()},
            items=dict(self._items),
            images=len({path for path, _ in self._pictures.values()}),
            coordinates=self._coordinates,
            left_out=dict(sorted(self._left_out.items())),
        )


def _said(space: Space | None) -> str:
    if space is Space.PIXELS:
        return "pixels of the exported picture"
    return {
        Space.UNIT: "fractions of the width and height, 0 to 1",
        Space.THOUSAND: "thousandths of the width and height, 0 to 1000",
    }.get(space or Space.VIEW, "what the prompt says")


def _resized(prompt: str, old: tuple[int | None, int | None], new: tuple[int, int]) -> str:
    """Say in a prompt how large the exported picture is, where it says the original's size."""
    if None not in old:
        pattern = rf"\b{old[0]}(\s*[x\u00d7]\s*){old[1]}\b"
        said, count = re.subn(pattern, rf"{new[0]}\g<1>{new[1]}", prompt)
        if count:
            return said
    return f"{prompt}\nThe screenshot is {new[0]} x {new[1]} pixels."


def best_answers(pack: Pack, references: References, task: str) -> dict[str, object]:
    """Return, for each item of a task, the right answer that its protocol scores highest.

    Where the prompt asks for a lead-in, such as `The text in the box is: ...`, the answer has it.

    Raises:
        MetricError: The protocol can't be applied to the references.
        DataError: A line can't be read.
    """
    protocol = protocol_of(task, pack.task(task).protocol)
    lines = [pack.lines[index] for index in pack.index[task].values()]
    golds: list[Gold] = [references.golds[task][line.item.id] for line in lines]
    rows: list[int] = []
    given: list[object] = []
    for row, (line, gold) in enumerate(zip(lines, golds, strict=True)):
        for response in responses_of(protocol, gold, line):
            rows.append(row)
            given.append(_led_in(response, line))
    grader = Grader.of(protocol, golds, [line.context for line in lines])
    column = protocol.metric.keys.index(protocol.metric.primary)
    scored = grader.batch(Answers(np.array(rows), [0] * len(rows), given)).values[:, column]
    best: dict[int, tuple[float, object]] = {}
    for row, response, value in zip(rows, given, scored.tolist(), strict=True):
        if row not in best or value > best[row][0]:
            best[row] = (value, response)
    return {lines[row].item.id: response for row, (_, response) in best.items()}


def _led_in(response: object, line: PackItem) -> object:
    form = line.item.answer_format
    lead, colon, _ = form.example.rpartition(": ")
    if form.kind is AnswerKind.TEXT and colon and f"{lead}:" in line.item.prompt:
        return f"{lead}: {response}"
    return response


def spoken(answer: object, kind: AnswerKind, picture: Prepared | None) -> str:
    """Return an answer as text; coordinates in pixels become those of the exported picture.

    Args:
        answer: As the protocol takes it.
        kind: The form of the item's answers.
        picture: The picture that its coordinates count pixels of; None where they count none.
    """
    if picture is not None:
        answer = _moved(answer, kind, picture)
    return answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)


def _moved(answer: object, kind: AnswerKind, picture: Prepared) -> object:
    value = json.loads(answer) if isinstance(answer, str) else answer
    if kind is AnswerKind.BOXED_TEXTS:
        pairs = cast("Sequence[tuple[Sequence[float], str]]", value)
        return [[_sides(box, picture), text] for box, text in pairs]
    return _sides(cast("Sequence[float]", value), picture)


def _sides(numbers: Sequence[float], picture: Prepared) -> list[float]:
    moved: list[float] = []
    for x, y in zip(numbers[::2], numbers[1::2], strict=True):
        moved += [round(side, 1) for side in picture.moved(x, y)]
    return moved


def relation_of(gold: Mapping[tuple[str, str], object], first: str, second: str) -> str:
    """Return a pair's relation as the line that a protocol reads."""
    return f"{first} is at the [{gold[first, second]}] of {second}"
