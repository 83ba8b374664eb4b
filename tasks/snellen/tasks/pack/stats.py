"""Statistics of a pack: items, images, sizes, sites, tags, prompts, kinds of references.

No number reveals a reference; counts of private tags give the frequency of each value, never its
items.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import cast

import msgspec

from snellen.grading.models.base import Closed
from snellen.grading.protocols.table import gold_shape
from snellen.tasks.pack.format import Built, PackTask
from snellen.tasks.pack.read import Pack, References

MOST_VALUES = 24
"""For a tag with more values, only their number is shown."""


class Spread(Closed):
    """The minimum, the median and the maximum of some numbers."""

    least: float
    median: float
    most: float


class TagStat(Closed):
    """One tag: its items, its values, and their frequencies.

    Attributes:
        items: The number of items with the tag.
        values: The number of values.
        counts: The frequency of each value, the most frequent first; empty if there are too many.
    """

    items: int
    values: int
    counts: dict[str, int]


class TaskStat(Closed):
    """The statistics of one task of a pack.

    Attributes:
        task: The task's id.
        split: The split's name.
        protocol: The protocol that scores its answers.
        prompt: The name of the prompt.
        items: The number of items.
        pairs: The number of pairs of items, before and after a change.
        images: The number of image files of its items, each counted once.
        image_bytes: Their bytes.
        widths: The widths of the items' images, in pixels; None if no size is known.
        heights: Likewise.
        answers: The frequency of each form of answer.
        options: The frequency of each number of options.
        prompt_characters: The lengths of the prompts, in characters.
        prompts: The number of different prompts.
        sites: The number of independent groups of items; None if unknown.
        cluster: The tag whose values these groups are.
        tags: The tags by name.
        references: The frequency of each kind of reference; empty if they can't be read.
        accepted: The number of answers that a reference accepts; None if they can't be read.
    """

    task: str
    split: str
    protocol: str
    prompt: str
    items: int
    pairs: int
    images: int
    image_bytes: int
    widths: Spread | None
    heights: Spread | None
    answers: dict[str, int]
    options: dict[int, int]
    prompt_characters: Spread
    prompts: int
    sites: int | None
    cluster: str | None
    tags: dict[str, TagStat]
    references: dict[str, int]
    accepted: Spread | None


class PackStat(Closed):
    """The statistics of a pack.

    Attributes:
        name: The name of the pack.
        title: A line for people.
        licence: The licence of the items and images.
        items: The number of items.
        images: The number of image files.
        image_bytes: Their bytes.
        references: The file with the references; None if it has none.
        built: The origin of the items, if known.
        tasks: Its tasks.
    """

    name: str
    title: str
    licence: str
    items: int
    images: int
    image_bytes: int
    references: str | None
    built: Built | None
    tasks: tuple[TaskStat, ...]


def pack_stat(pack: Pack, references: References | None = None) -> PackStat:
    """Return the statistics of a pack.

    Args:
        pack: The pack.
        references: Its references, if they can be read; adds statistics of their tags and kinds.

    Raises:
        DataError: A line can't be read.
    """
    manifest = pack.manifest
    return PackStat(
        name=manifest.name,
        title=manifest.title,
        licence=manifest.licence,
        items=len(pack.lines),
        images=manifest.images,
        image_bytes=manifest.image_bytes,
        references=manifest.references,
        built=manifest.built,
        tasks=tuple(_task(pack, spec, references) for spec in manifest.tasks),
    )


def _task(pack: Pack, spec: PackTask, references: References | None) -> TaskStat:
    ids = pack.index[spec.task]
    lines = [pack.lines[index] for index in ids.values()]
    files = {image.file: image.bytes for line in lines for image in line.images.values()}
    shown = [image for line in lines for image in line.item.images]
    options = Counter(
        count
        for line in lines
        if (count := line.context.options or len(line.item.answer_format.options))
    )
    tags: dict[str, Mapping[str, str]] = {}
    for item_id, line in zip(ids, lines, strict=True):
        for name, value in line.item.tags.items():
            cast("dict[str, str]", tags.setdefault(name, {}))[item_id] = value
    source = None
    kinds, accepted = Counter[str](), list[int]()
    if references is not None:
        source = references.sources[spec.task]
        for name, column in references.tags[spec.task].items():
            tags[name] = {item_id: column[item_id] for item_id in ids if item_id in column}
        golds = references.golds[spec.task]
        kinds = Counter(kind_of(golds[item_id]) for item_id in ids)
        shape = gold_shape(spec.task)
        accepted = [len(shape.responses(golds[item_id])) for item_id in ids]
    cluster = None if source is None else source.cluster
    return TaskStat(
        task=spec.task,
        split=spec.split,
        protocol=spec.protocol,
        prompt=spec.prompt,
        items=len(lines),
        pairs=len({line.pair for line in lines} - {None}),
        images=len(files),
        image_bytes=sum(files.values()),
        widths=_spread(image.width for image in shown if image.width),
        heights=_spread(image.height for image in shown if image.height),
        answers=_counts(line.item.answer_format.kind.value for line in lines),
        options=dict(sorted(options.items())),
        prompt_characters=_spread(len(line.item.prompt) for line in lines) or _NOTHING,
        prompts=len({line.item.prompt for line in lines}),
        sites=None if cluster is None else len(set(tags.get(cluster, {}).values())),
        cluster=cluster,
        tags={name: _tag(column.values()) for name, column in sorted(tags.items())},
        references=_counts(kinds.elements()),
        accepted=_spread(accepted),
    )


_NOTHING = Spread(least=0, median=0, most=0)


def _spread(numbers: Iterable[float]) -> Spread | None:
    values = list(numbers)
    if not values:
        return None
    return Spread(least=min(values), median=median(values), most=max(values))


def _counts(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items(), key=lambda pair: (-pair[1], pair[0])))


def _tag(values: Iterable[str]) -> TagStat:
    counts = _counts(values)
    return TagStat(
        items=sum(counts.values()),
        values=len(counts),
        counts=counts if len(counts) <= MOST_VALUES else {},
    )


def kind_of(gold: object) -> str:
    """Return the kind of a reference, without its content.

    >>> kind_of(["two", "2"]), kind_of(3), kind_of([["a"], []])
    ('2 texts', 'number', '2 lists')
    """
    if _keyed_by_pairs(gold):
        return f"{len(cast('Mapping[object, object]', gold))} relations"
    simple = plain(gold)
    if isinstance(simple, list):
        return _list_kind(cast("Sequence[object]", simple))
    match simple:
        case None:
            return "nothing"
        case bool():
            return "yes or no"
        case int() | float():
            return "number"
        case "":
            return "empty text"
        case str():
            return "text"
        case {"metric": str(metric)}:
            return f"answer by {metric}"
        case {"bbox": object()}:
            return "box"
        case {"action": {"type": str(action)}}:
            return f"action {action}"
        case {"limit": object()}:
            return "episode"
        case {"eval": object()}:
            return "checks"
        case {"answer_type": str(kind)}:
            return f"answer of type {kind}"
        case _:
            return "object"


def plain(gold: object) -> object:
    """Return a reference as plain values that can be compared."""
    if _keyed_by_pairs(gold):
        pairs = cast("Mapping[tuple[str, str], object]", gold)
        return {"|".join(pair): str(value) for pair, value in sorted(pairs.items())}
    return msgspec.to_builtins(gold)


def _keyed_by_pairs(gold: object) -> bool:
    return isinstance(gold, Mapping) and any(
        isinstance(key, tuple) for key in cast("Mapping[object, object]", gold)
    )


_NAMES = {"str": "text", "list": "list", "dict": "object"}


def _list_kind(values: Sequence[object]) -> str:
    names = {_NAMES.get(type(value).__name__, "value") for value in values}
    kind = names.pop() if len(names) == 1 else "value"
    return f"{len(values)} {kind}{'' if len(values) == 1 else 's'}"
