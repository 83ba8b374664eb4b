"""The judge of a task as a reward: what training loops call, with the values of `grade`."""

import asyncio
import hashlib
import math
import warnings
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

import msgspec
import numpy as np

from snellen.grading.actions.declaring import ReadAs
from snellen.grading.errors import DataError, InputError, MissingExtraError, UnknownNameError
from snellen.grading.grade import CODES, Answers, Grader
from snellen.grading.models.base import NO_JSON
from snellen.grading.models.scores import Outcome
from snellen.grading.parse.envelope import opened
from snellen.grading.protocols.table import GOLDS, gold_shape
from snellen.sdk.inputs.selection import Data, References, Selection, select
from snellen.sdk.scoring import check_coordinates, choose
from snellen.sdk.values import NotJsonError, to_json

if TYPE_CHECKING:
    from datasets import Dataset  # pyright: ignore[reportMissingTypeStubs]
    from numpy.typing import NDArray

    from snellen.grading.metrics.code import CodeExecutor
    from snellen.grading.models.items import Item

Completion = str | Sequence[Mapping[str, Any]] | Mapping[str, Any] | None
"""A text; messages, of which the assistant's last one counts; a message; or an API's object."""

_ERROR = CODES[Outcome.ERROR]


class _FaultError(Exception):
    """A completion can't be judged, and this says why."""


class _Answer(NamedTuple):
    """The answer of a row, and its item's index in its judge."""

    row: int
    item: int
    answer: object


class Reward:
    """A task's protocol as a function from completions to floats, for training.

    An answer that the protocol can't read, or an empty one, is 0: the model wrote it. What says
    nothing of the model is never a number: an unknown item, a completion that is None, a program
    that could not be run. It is NaN, with a warning, or raises, as `faults` says.

    Args:
        task: The task's id, such as `screenspot-pro/point`.
        protocol: The protocol's id; the task's first one when None.
        metric: The key of the metric that is the reward; None: the protocol's primary one. Partial
            credit is what the metric defines.
        data: The published folder or file, a pack, or the result of `sdk.load`; None: every call
            brings the references.
        references: Instead of data: item ids to references in the published shape, or a JSON file
            of them.
        split: The split of the data; an item of another split is found by its id.
        embedder: As for `grade`.
        executor: As for `grade`.
        format: As for `grade`.
        space: As for `grade`, apart from `auto`.
        view: As for `grade`.
        faults: What becomes of a completion that can't be judged: `nan` or `raise`.

    Attributes:
        task: The task's id.
        protocol: The protocol's id.
        metric: The key of the metric that is the reward.

    Raises:
        UnknownNameError: There is no such task, protocol, metric or split.
        DataError: The data can't be read.
        InputError: There is no such format or space, or the task's answers have no coordinates.
    """

    def __init__(
        self,
        task: str,
        protocol: str | None = None,
        metric: str | None = None,
        data: Data | None = None,
        *,
        references: References | None = None,
        split: str | None = None,
        embedder: str | None = None,
        executor: "CodeExecutor | None" = None,
        format: str | None = None,  # noqa: A002  # what answers call it, too
        space: str | None = None,
        view: tuple[float, float] | None = None,
        faults: Literal["nan", "raise"] = "nan",
    ) -> None:
        self._given = {name: value for name, value in locals().items() if name != "self"}
        self._protocol = choose(task, protocol, embedder, executor)
        keys = self._protocol.metric.keys
        self.metric = metric or self._protocol.metric.primary
        if self.metric not in keys:
            raise UnknownNameError(
                f"metric of {task} under {self._protocol.name}", self.metric, keys
            )
        if faults not in ("nan", "raise"):
            raise InputError(f"faults is 'nan' or 'raise', not {faults!r}")
        self.task, self.protocol = task, self._protocol.id
        self.__name__ = f"{task}:{self.metric}" if metric else task
        self._column = keys.index(self.metric)
        self._raises = faults == "raise"
        given = ReadAs(format, space, view)
        self._read_as = given.checked() if any(one is not None for one in given) else None
        self._shape = gold_shape(task)
        self._data = data
        self._splits: dict[str | None, Selection | None] = {}
        self._first: Selection | None = None
        if data is not None or references is not None:
            self._first = select(task, data, references, split)
            self._splits[self._first.split] = self._first
            if self._read_as is not None:
                check_coordinates(task, self._first.golds[0])

    def __repr__(self) -> str:
        return f"<Reward of {self.task} under {self.protocol}: {self.metric}>"

    def __reduce__(self) -> tuple[Callable[..., "Reward"], tuple[object, ...]]:
        return _again, (self._given,)

    def __call__(
        self,
        completions: Sequence[Completion] | Mapping[str, Any],
        item_id: "Sequence[str] | NDArray[Any] | str | None" = None,
        reference: "Sequence[object] | NDArray[Any] | None" = None,
        **columns: Any,  # noqa: ANN401  # the columns of any data set
    ) -> list[float]:
        """Return the reward of each completion, as TRL calls it.

        Args:
            completions: Texts, or lists of messages: `{"role": "assistant", "content": ...}`. A
                text or an object instead of a list is one completion.
            item_id: The item of each, or the item of all of them; needs `data` or `references`.
            reference: The reference of each, in the published shape or as its JSON text; used where
                the reward has no data.
            columns: Other columns, which are ignored, apart from `task`.

        Returns:
            A float a completion, in 0..1; NaN for one that can't be judged.

        Raises:
            InputError: The lists are of unequal length, or neither item ids nor references are
                there; with `faults="raise"` also if a completion can't be judged.
        """
        if isinstance(completions, str | Mapping):
            completions = [cast("Completion", completions)]
        count = len(completions)
        ids, references = _column(item_id, "item_id", count), _column(reference, "reference", count)
        tasks = _column(columns.get("task"), "task", count)
        if ids is None and references is None:
            raise InputError(
                "give item_id=, with data= in the reward, or reference=, a list of one each"
            )
        if references is None and self._first is None:
            raise InputError("item_id needs the task's data: sdk.reward(task, data=...)")
        values = np.full(count, math.nan)
        faults: dict[int, str] = {}
        judges: dict[object, Grader] = {}
        groups: dict[object, list[_Answer]] = {}
        for row, completion in enumerate(completions):
            try:
                if tasks is not None:
                    self._check_task(tasks[row])
                if ids is not None and self._first is not None:
                    key, index = self._index(ids[row], judges)
                else:
                    assert references is not None  # one of the two, above
                    key, index = self._referenced(references[row], judges), 0
                said = answer_of(completion)
            except _FaultError as fault:
                faults[row] = str(fault)
                continue
            except NotJsonError:  # half a character: as unreadable as for `score`
                values[row] = 0.0
                continue
            answer = said if self._read_as is None else self._read_as.wrap(said)
            groups.setdefault(key, []).append(_Answer(row, index, answer))
        for key, group in groups.items():
            rows, indexes, answers = zip(*group, strict=True)
            given = Answers(np.array(indexes, dtype=np.int64), [0] * len(rows), answers)
            judged = judges[key].batch(given)
            values[[*rows]] = judged.values[:, self._column]
            for at in np.flatnonzero(judged.outcomes == _ERROR).tolist():
                values[rows[at]] = math.nan
                faults[rows[at]] = judged.notes.get(at, "it could not be judged")
        self._tell(faults, count)
        return values.tolist()

    @cached_property
    def asynchronous(self) -> Callable[..., Coroutine[Any, Any, list[float]]]:
        """The same as a coroutine function, which TRL awaits beside others; it runs in a thread."""

        async def rewards(completions: Sequence[Completion], **columns: Any) -> list[float]:  # noqa: ANN401
            return await asyncio.to_thread(self, completions, **columns)

        rewards.__name__ = self.__name__
        return rewards

    def compute_score(
        self,
        data_source: str,
        solution_str: str,
        ground_truth: object = None,
        extra_info: Mapping[str, Any] | None = None,
    ) -> float:
        """Return the reward of one completion, as verl calls it.

        Args:
            data_source: The task's id, or a name that is none of a task.
            solution_str: The completion.
            ground_truth: The reference, or its JSON text; used where the reward has no data.
            extra_info: Holds `item_id`, where the reward has data.

        Raises:
            InputError: As for a call.
        """
        item = (extra_info or {}).get("item_id")
        ids = None if item is None else [item]
        references = None if ground_truth is None else [ground_truth]
        return self([solution_str], ids, references, task=[data_source])[0]

    def rows(self, split: str | None = None) -> "Dataset":
        """Return the items as a Hugging Face Dataset: `prompt`, `images`, `item_id`, no reference.

        A prompt is one message of the user. Where items have images, its content is a list of parts
        and `images` has the images in the parts' order, as TRL's trainers of vision models read it.

        Args:
            split: The split of the data; None: the reward's.

        Raises:
            InputError: The reward has no data, or it has no such split.
            MissingExtraError: The package `datasets` is missing.
        """
        selection = self._first if split is None else self._split(split)
        data = None if selection is None else selection.data
        if selection is None or data is None:
            raise InputError("rows need the task's data: sdk.reward(task, data=...)")
        try:
            from datasets import (  # pyright: ignore[reportMissingTypeStubs]
                Dataset,
                Features,
                Image,
                List,
                Value,
            )
        except ImportError:
            raise MissingExtraError("a Hugging Face Dataset", "train") from None
        items = [data.item(item_id) for item_id in selection.ids]
        pictured = any(item.images for item in items)
        text = Value("string")
        content = List({"type": text, "text": text}) if pictured else text
        features = {"item_id": text, "prompt": List({"role": text, "content": content})}
        if pictured:
            features["images"] = List(Image())
        images = data.image

        def made() -> Iterator[dict[str, object]]:
            for item in items:
                yield _row(item, images if pictured else None)

        digest = hashlib.blake2b(digest_size=16)
        for item in items:
            digest.update(item.model_dump_json().encode())
            for image in item.images:
                digest.update(images(item.id, image.name))
        return Dataset.from_generator(  # pyright: ignore[reportUnknownMemberType]
            made, features=Features(features), fingerprint=digest.hexdigest()
        )

    def _check_task(self, task: object) -> None:
        if task != self.task and task in GOLDS:
            raise _FaultError(f"it is of {task}, and this reward is of {self.task}")

    def _index(self, item_id: object, judges: dict[object, Grader]) -> tuple[object, int]:
        """Return the key of an item's judge, and the item's index there."""
        if not isinstance(item_id, str):
            raise _FaultError(f"its item_id is {type(item_id).__name__}, not a text")
        chosen = self._first
        assert chosen is not None  # checked by the caller
        index = chosen.index.get(item_id, chosen.index.get(f"{chosen.split}/{item_id}"))
        if index is None:
            # The split's name is the first part of every id.
            chosen = self._other(item_id.partition("/")[0])
            index = None if chosen is None else chosen.index.get(item_id)
        if chosen is None or index is None:
            known = self._first.ids[0] if self._first else ""
            raise _FaultError(f"{self.task} has no item {item_id!r}; ids look like {known!r}")
        if chosen.split not in judges:
            judges[chosen.split] = chosen.grader(self._protocol)
        return chosen.split, index

    def _other(self, split: str) -> Selection | None:
        """Return another split of the data, loaded once; None: there is none of that name."""
        try:
            return self._split(split)
        except DataError:
            raise
        except InputError:
            self._splits[split] = None
            return None

    def _split(self, split: str) -> Selection | None:
        if split not in self._splits and self._data is not None:
            self._splits[split] = select(self.task, self._data, None, split)
        return self._splits.get(split)

    def _referenced(self, reference: object, judges: dict[object, Grader]) -> object:
        """Return the key of the judge of a reference alone, as `score` judges."""
        try:
            reference = to_json(reference)
        except NotJsonError as error:
            raise _FaultError(f"its reference can't be read: {error}") from None
        key = msgspec.json.encode(reference)
        if key not in judges:
            try:
                gold = self._shape.read(_decoded(reference))
            except DataError as error:
                raise _FaultError(str(error)) from None
            if self._read_as is not None:
                check_coordinates(self.task, gold)
            judges[key] = Grader.of(self._protocol, [gold], [self._shape.context(gold)])
        return key

    def _tell(self, faults: Mapping[int, str], count: int) -> None:
        if not faults:
            return
        row, reason = next(iter(sorted(faults.items())))
        said = f"completions[{row}] can't be judged: {reason}"
        if self._raises:
            raise InputError(said)
        warnings.warn(
            f"{len(faults):,} of {count:,} rewards are NaN; {said}", RuntimeWarning, stacklevel=3
        )


reward = Reward
"""What callers write: `sdk.reward(task, data=...)`."""


def answer_of(completion: object) -> object:
    """Return a completion as JSON: a text, or messages or an API's object, which graders open.

    Raises:
        _FaultError: It is nothing that a model wrote.
        NotJsonError: It holds text that can't be stored.
    """
    if completion is None:
        raise _FaultError("it is None")
    said = to_json(completion)
    if isinstance(said, str):
        return said
    if opened(said) is None:
        kind = type(completion).__name__
        raise _FaultError(f"it is {kind}, no text, no turn of an assistant and no API's object")
    return said


def _again(given: Mapping[str, Any]) -> Reward:
    return Reward(**given)


def _column(given: object, name: str, count: int) -> Sequence[object] | None:
    """Return one value a completion; a single text is for all of them."""
    if given is None:
        return None
    if isinstance(given, str):
        return [given] * count
    # Arrays of numpy and tensors; importing neither.
    plain = getattr(given, "tolist", None)
    given = plain() if callable(plain) else given
    if not isinstance(given, Sequence):
        raise InputError(f"{name} is {type(given).__name__}, not a list of one a completion")
    values = cast("Sequence[object]", given)
    if len(values) != count:
        raise InputError(
            f"{len(values):,} values of {name} for {count:,} completions; give lists of one length"
        )
    return values


def _decoded(reference: object) -> object:
    """Return a reference that was stored as the JSON text of a list or an object, decoded."""
    if not isinstance(reference, str) or reference[:1] not in ("[", "{"):
        return reference
    try:
        return msgspec.json.decode(reference)
    except NO_JSON:
        return reference


def _row(item: "Item", load: Callable[[str, str], bytes] | None) -> dict[str, object]:
    """Return an item's row; `load` returns an image's bytes; None: no item has images."""
    content: object = item.prompt
    row: dict[str, object] = {"item_id": item.id}
    if load is not None:
        parts = [{"type": "image", "text": None} for _ in item.images]
        content = [*parts, {"type": "text", "text": item.prompt}]
        row["images"] = [
            {"bytes": load(item.id, image.name), "path": None} for image in item.images
        ]
    return {**row, "prompt": [{"role": "user", "content": content}]}
