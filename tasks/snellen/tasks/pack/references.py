"""References as the lines of a file: a public head, then the references.

After the head, each task has a line on the source data, followed by the references of all that data
in its order, independent of the pack's items: the basis of a fitted metric (TF-IDF) must not change
with the selection.

No message shows a reference: an unreadable line is named by its number and field.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from io import BytesIO
from types import MappingProxyType
from typing import Any
from uuid import UUID, uuid5

import msgspec
from pydantic import JsonValue, ValidationError

from snellen.grading.errors import DataError
from snellen.grading.models.base import NO_JSON
from snellen.grading.models.reports import DataPin, PinVerdict
from snellen.grading.protocols.base import Gold
from snellen.grading.protocols.golds import GoldShape, plain
from snellen.grading.protocols.table import gold_shape
from snellen.tasks.models import TaskData
from snellen.tasks.pack import seal
from snellen.tasks.pack.format import PackReference, PackSource

FORMAT = "snellen-references@1"
_CANARY_SPACE = UUID("8d3f3b0e-51c1-4a57-9a7a-9df1f1f7c0de")
_FIELDS = {*PackReference.model_fields, *PackSource.model_fields}


@dataclass(frozen=True)
class References:
    """The private part of a pack, for grading only.

    Attributes:
        sources: The source of the references by task.
        golds: The references by task and item id, in the task's published form, of all the data.
        tags: The values by task, tag and item id.
        records: The records of how items were made, by task and item id, if known.
    """

    sources: Mapping[str, PackSource] = field(repr=False)
    golds: Mapping[str, Mapping[str, Gold]] = field(repr=False)
    tags: Mapping[str, Mapping[str, Mapping[str, str]]] = field(repr=False)
    records: Mapping[str, Mapping[str, JsonValue]] = field(
        default_factory=lambda: MappingProxyType({}), repr=False
    )


def canary_of(items_sha256: str) -> str:
    """Return a pack's canary, which is derived from its items."""
    return str(uuid5(_CANARY_SPACE, items_sha256))


def header(canary: str, key: str | None) -> bytes:
    """Return the first line of a file of references, which is not encrypted."""
    words = {
        "canary": f"REFERENCES OF AN EXAM. NOT FOR TRAINING. canary GUID {canary}",
        "format": FORMAT,
    }
    if key is not None:
        words["key"] = seal.key_id(key)
    return to_line(words)


def key_named(head: bytes) -> str | None:
    """Return the id of the key in a head; None if it has none."""
    try:
        return msgspec.json.decode(head, type=dict[str, str]).get("key")
    except NO_JSON:
        return None


def to_line(value: object) -> bytes:
    """Return a JSON value as a line, compact and with sorted keys: equal values give equal bytes.

    Raises:
        UnicodeEncodeError: The value has half a surrogate pair, which UTF-8 can't encode.
    """
    return msgspec.json.encode(value, order="sorted") + b"\n"


def lines_of(
    data: TaskData, records: Mapping[str, Mapping[str, Any]] = MappingProxyType({})
) -> Iterator[bytes]:
    """Yield a task's lines.

    Args:
        data: The task.
        records: The records of how items were made, by item id.

    Raises:
        DataError: A reference can't be stored so that reading it gives an equal one.
    """
    if data.raters and not (data.raters is data.golds or list(data.raters) == list(data.golds)):
        raise DataError(
            f"{data.task} has raters' answers other than its references, which a pack can't store"
        )
    source = PackSource(
        task=data.task,
        pin=_settled(data.pin, len(data)),
        cluster=data.cluster,
        by_rater=bool(data.raters),
    )
    yield to_line(source.model_dump(mode="json"))
    shape = gold_shape(data.task)
    for index, item_id in enumerate(data.ids):
        tags = {name: column[index] for name, column in data.tags.items()}
        line: dict[str, Any] = {
            "item_id": item_id,
            "task": data.task,
            "gold": _kept(data.golds[index], shape, item_id),
            "tags": {name: tag for name, tag in tags.items() if tag is not None},
        }
        if record := records.get(item_id):
            line["record"] = record
        try:
            yield to_line(line)
        except (UnicodeEncodeError, TypeError, OverflowError):
            raise DataError(
                f"the reference of {item_id}, one of its tags or its record is not a JSON value"
            ) from None


def read_references(body: bytes, file: str) -> References:
    """Read the lines after the head.

    Args:
        body: The lines.
        file: The name of the file in messages.

    Raises:
        DataError: A line is not a reference, has no task or occurs twice, its reference does not
            have its task's form, or a task has another number of references than its line says.
    """
    reader = _Reader(file, {}, {}, {}, {})
    for number, text in enumerate(BytesIO(body), start=2):
        reader.read(number, text)
    reader.count()
    return References(reader.sources, reader.golds, reader.tags, reader.records)


@dataclass(slots=True)
class _Reader:
    file: str
    sources: dict[str, PackSource]
    golds: dict[str, dict[str, Gold]]
    tags: dict[str, dict[str, dict[str, str]]]
    records: dict[str, dict[str, JsonValue]]
    known: dict[str, str] = field(default_factory=dict[str, str])

    def read(self, number: int, text: bytes) -> None:
        try:
            record = msgspec.json.decode(text, type=dict[str, object])
            if "pin" in record:
                self._source(PackSource.model_validate(record), number)
            else:
                self._reference(PackReference.model_validate(record), number)
        except NO_JSON:
            raise self._fault("it is not a JSON object", number) from None
        except ValidationError as error:
            raise self._fault("it is not a reference", number, _field_of(error)) from None

    def _source(self, source: PackSource, number: int) -> None:
        if source.task in self.sources:
            raise self._fault(f"{source.task} occurs twice", number, "task")
        gold_shape(source.task)
        self.sources[source.task] = source
        self.golds[source.task] = {}
        self.tags[source.task] = {}
        self.records[source.task] = {}

    def _reference(self, line: PackReference, number: int) -> None:
        golds = self.golds.get(line.task)
        if golds is None:
            raise self._fault("no line above describes the task", number, "task")
        if line.item_id in golds:
            raise self._fault(f"{line.item_id} occurs twice", number, "item_id")
        shape = gold_shape(line.task)
        try:
            golds[line.item_id] = shape.read(line.gold)
        except DataError:
            raise self._fault(f"expected {shape.name}", number, "gold") from None
        for name, value in line.tags.items():
            values = self.tags[line.task].setdefault(name, {})
            # Few values occur at many items.
            values[line.item_id] = self.known.setdefault(value, value)
        if line.record is not None:
            self.records[line.task][line.item_id] = line.record

    def count(self) -> None:
        for task, source in self.sources.items():
            count = len(self.golds[task])
            if count != source.pin.count:
                raise DataError(
                    f"{task} has {count:,} references instead of {source.pin.count:,}",
                    file=self.file,
                )

    def _fault(self, message: str, number: int, field: str | None = None) -> DataError:
        return DataError(message, file=self.file, line=number, field=field)


def _field_of(error: ValidationError) -> str | None:
    first = error.errors(include_input=False, include_url=False)[0]["loc"]
    # The name of an unknown field could be anything, even a reference.
    return first[0] if first and isinstance(first[0], str) and first[0] in _FIELDS else None


def _settled(pin: DataPin, count: int) -> DataPin:
    """Return a pin without the data that depends on the machine: folders and earlier results."""
    if pin.verdict is PinVerdict.KNOWN:
        return pin.model_copy(update={"path": None, "count": count})
    return DataPin(release="unknown", sha256=pin.sha256, count=count, verdict=PinVerdict.UNKNOWN)


def _kept(gold: Gold, shape: GoldShape, item_id: str) -> JsonValue:
    found = plain(gold)
    try:
        again = shape.read(found)
    except DataError:
        again = None
    same = again == gold if isinstance(gold, Mapping) else plain(again) == found
    if not same:
        raise DataError(f"the reference of {item_id} is not {shape.name}, so a pack can't store it")
    return found
