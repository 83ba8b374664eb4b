"""The items of a report as rows of its page: question, answer, parsed answer, and failures."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, cast

import msgspec
import numpy as np

from snellen.grading.failures.tagging import Items, tag_failures
from snellen.grading.failures.tags import FailureTag
from snellen.grading.grade import Answers, Columns, read_response
from snellen.grading.models.scores import Outcome, Score
from snellen.grading.protocols import golds as shapes
from snellen.grading.protocols.base import NO_CONTEXT, AnswerValue, Protocol
from snellen.grading.protocols.table import gold_shape
from snellen.grading.report.page import FailureCount, ItemList, ItemRow
from snellen.sdk.inputs.selection import Selection
from snellen.sdk.page.thumbnails import Album, ThumbnailBudget
from snellen.sdk.scored import ScoredReport
from snellen.tasks.models import TaskData

Batches: TypeAlias = Sequence[tuple[Answers, Columns]]
"""A run's answers with their grades by a protocol."""


@dataclass(frozen=True, slots=True)
class Failures:
    """The failure tags of a run.

    Attributes:
        counts: Each tag that occurs, the most frequent first.
        cells: Indexes in `counts`, by item index and attempt.
        failed: The number of item-attempts below the best value.
    """

    counts: tuple[FailureCount, ...] = ()
    cells: Mapping[tuple[int, int], tuple[int, ...]] = field(
        default_factory=dict[tuple[int, int], tuple[int, ...]]
    )
    failed: int = 0


@dataclass(frozen=True, slots=True)
class RowSource:
    """The data for rows.

    Attributes:
        report: The report, with its scores.
        selection: The items and references of its grading; None for a report read from a file.
        protocol: The protocol of its grading; None if the report can't be graded again.
        failures: The tags found.
        with_references: Whether the rows contain references.
    """

    report: ScoredReport
    selection: Selection | None
    protocol: Protocol | None
    failures: Failures
    with_references: bool = False


def find_failures(
    report: ScoredReport, protocol: Protocol, selection: Selection, batches: Batches
) -> Failures:
    """Tag every answer below the protocol's best value; a missing answer gets `missing`."""
    table = report.scores
    cells: dict[tuple[int, int], tuple[FailureTag, ...]] = {
        (tagged.item, tagged.attempt): tagged.tags
        for tagged in tag_failures(protocol, Items(selection.golds, selection.contexts), batches)
    }
    there = {
        (item, attempt)
        for answers, _ in batches
        for item, attempt in zip(answers.items.tolist(), answers.attempts, strict=True)
    }
    for index in range(len(table.ids)):
        for attempt in table.attempts:
            if (index, attempt) not in there:
                cells[index, attempt] = (FailureTag.MISSING,)
    counts: dict[FailureTag, int] = {}
    for tags in cells.values():
        for tag in tags:
            counts[tag] = counts.get(tag, 0) + 1
    ordered = sorted(counts, key=lambda tag: (-counts[tag], tag))
    indexes = {tag: index for index, tag in enumerate(ordered)}
    return Failures(
        counts=tuple(
            FailureCount(tag.value, counts[tag], tag.sentence, tag.advice) for tag in ordered
        ),
        cells={cell: tuple(indexes[tag] for tag in tags) for cell, tags in cells.items()},
        failed=len(cells),
    )


def item_list(source: RowSource, *, most: int, budget: ThumbnailBudget | None = None) -> ItemList:
    """Return the rows of a report, the lowest values first.

    Args:
        source: The data for the rows.
        most: The maximum number of rows.
        budget: The budget of the images; None: without images.
    """
    report = source.report
    table = report.scores
    columns = table.columns()
    primary = table.keys.index(report.numbers.primary)
    order = np.argsort(columns.values[:, primary], kind="stable")[:most]
    keys = (report.numbers.primary, *(key for key in table.keys if key != report.numbers.primary))
    data = None if source.selection is None else source.selection.data
    album = None if budget is None or data is None or data.load_image is None else Album(budget)
    rows = tuple(_rows(source, order.tolist(), keys, data, album))
    return ItemList(
        rows=rows,
        metrics=keys,
        tags=tuple(report.tags),
        images=() if album is None else tuple(album.images),
        left_out=0 if album is None else album.left_out,
        unreadable=0 if album is None else album.unreadable,
        with_references=source.with_references,
    )


def shown(value: object) -> str:
    """Write an answer or a reference as text: text unchanged, other values as JSON.

    >>> shown("12"), shown(["a", "b"]), shown({("a", "b"): 1})
    ('12', '["a","b"]', '{"a | b":1}')
    """
    if isinstance(value, str):
        return str(value)
    return msgspec.json.encode(_plain(value)).decode()


def _rows(
    source: RowSource,
    order: Sequence[int],
    keys: Sequence[str],
    data: TaskData | None,
    album: Album | None,
) -> Iterator[ItemRow]:
    report = source.report
    table = report.scores
    tags = tuple(report.tags.values())
    for cell in order:
        score = table[cell]
        index = cell // len(table.attempts)
        item_id = table.ids[index]
        item = None if data is None else data.item(item_id)
        image: int | None = None
        if album is not None and data is not None and item is not None and item.images:
            name = item.images[0].name
            image = album.ask(lambda: data.image(item_id, name))  # noqa: B023  # called at once
        yield ItemRow(
            item_id=item_id,
            attempt=score.attempt,
            outcome=score.outcome,
            values=tuple(score.metrics[key] for key in keys),
            question="" if item is None else item.prompt,
            answer=None if score.response is None else shown(score.response),
            parsed=_parsed(source, score, index),
            reference=_reference(source, score, index),
            note=score.note,
            error=score.error,
            crashed=score.crashed,
            failures=source.failures.cells.get((index, score.attempt), ()),
            tags=tuple(column[index] for column in tags),
            image=image,
        )


def _missed(source: RowSource, score: Score, index: int) -> Sequence[str]:
    """Return what keeps an answer from being right, where its protocol can say it."""
    protocol, selection = source.protocol, source.selection
    if protocol is None or selection is None or protocol.metric.missed is None:
        return ()
    if score.response is None:
        return ()
    context = selection.contexts[index] if selection.contexts else NO_CONTEXT
    answer = read_response(protocol, score.response, context).answer
    return () if answer is None else protocol.metric.missed(answer, selection.golds[index])


def _parsed(source: RowSource, score: Score, index: int) -> str | None:
    """Return the parsed answer; None if it is missing or the same as the answer."""
    protocol, selection = source.protocol, source.selection
    response = score.response
    if protocol is None or selection is None or response is None:
        return None
    if score.outcome in (Outcome.ERROR, Outcome.UNPARSED, Outcome.MISSING):
        return None
    if protocol.parser.plain and isinstance(response, str):
        return None
    context = selection.contexts[index] if selection.contexts else NO_CONTEXT
    answer = read_response(protocol, response, context).answer
    if answer is None or isinstance(response, dict):
        # A parser does not change the values of a record with names.
        return None
    text = _lettered(protocol.task, answer)
    return None if text == shown(response) else text


def _reference(source: RowSource, score: Score, index: int) -> str | None:
    if not source.with_references or source.selection is None:
        return None
    gold = source.selection.golds[index]
    if missed := _missed(source, score, index):
        return "\n".join((*missed, _lettered(source.selection.task, gold)))
    if isinstance(gold, list) and all(isinstance(one, str) for one in cast("list[object]", gold)):
        return "\n".join(cast("list[str]", gold))
    return _lettered(source.selection.task, gold)


def _lettered(task: str, value: AnswerValue) -> str:
    """Write an option's index as its letter, as items and answers do; other values as `shown`."""
    if gold_shape(task) is shapes.INDEX and isinstance(value, int) and 0 <= value < 26:
        return chr(ord("A") + value)
    return shown(value)


def _plain(value: object) -> AnswerValue:
    """Convert any parser's answer to values that JSON can represent."""
    if isinstance(value, Mapping):
        pairs = cast("Mapping[object, object]", value).items()
        return {
            " | ".join(map(str, cast("tuple[object, ...]", key)))
            if isinstance(key, tuple)
            else str(key): _plain(one)
            for key, one in pairs
        }
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in cast("Sequence[object]", value)]
    return msgspec.to_builtins(value, str_keys=True)
