"""Coordinate audit of actions: the score of a run's steps in every coordinate space.

Two formats that differ only in their space can't be told from the text. So each answer with a point
is graded again by the same protocol, as if it had declared each space.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import msgspec
import numpy as np

from snellen.grading.actions.declaring import Declared, declared
from snellen.grading.actions.formats import FORMATS
from snellen.grading.actions.reading import NoActionError, read_action
from snellen.grading.coordinates import VIEW, CoordinateSpace
from snellen.grading.errors import InputError
from snellen.grading.grade import CODES, Answers, Columns, Grader
from snellen.grading.models.actions import ActionType
from snellen.grading.models.reports import Notice
from snellen.grading.models.scores import TOO_LONG, Outcome
from snellen.grading.parse.envelope import answer_in
from snellen.grading.point_audit import (
    LEAST_GAIN,
    SPACES,
    VIEWS,
    CoordinateAudit,
    SpaceReading,
    gain_p,
    gains,
    scaled,
)
from snellen.grading.protocols.base import Context, FloatArray, Gold, IntArray, Protocol
from snellen.grading.protocols.golds import StepGold

_CHANCE = 0.062
"""The most that a point anywhere on the image is right: in a circle of 0.14 of its sides."""

MOST = 400
"""How many answers with a point are graded again; they are taken evenly."""


class _ScoredAnswer(NamedTuple):
    """An answer, its score under the protocol, and whether the protocol could not read it."""

    item: int
    response: object
    value: float
    unread: bool


class StepAuditor:
    """Audits answers while they are graded, batch by batch.

    Args:
        protocol: The protocol that grades them.
        golds: The steps.
        contexts: The steps' contexts for the parser.
        most: The approximate number of answers to keep, at evenly spaced items; None: all.
    """

    def __init__(
        self,
        protocol: Protocol,
        golds: Sequence[Gold],
        contexts: Sequence[Context],
        *,
        most: int | None = None,
    ) -> None:
        self._protocol = protocol
        self._golds, self._contexts = golds, contexts
        self._stride = 1 if most is None else max(1, -(-len(golds) // most))
        self._seen: list[_ScoredAnswer] = []
        self._scrolls: list[_ScoredAnswer] = []

    def add(self, answers: Answers, columns: Columns) -> None:
        """Add a batch and its scores under the protocol."""
        metric = self._protocol.metric
        primary = metric.keys.index(metric.primary)
        items: list[int] = answers.items.tolist()
        for row, item in enumerate(items):
            scroll = self._golds[item].action.type is ActionType.SCROLL
            if item % self._stride and not scroll:
                continue
            response = answer_in(answers.responses[row])
            error = None if answers.errors is None else answers.errors[row]
            if response is None or error is not None or response is TOO_LONG:
                continue
            unread = int(columns.outcomes[row]) == CODES[Outcome.UNPARSED]
            value = float(columns.values[row, primary])
            seen = _ScoredAnswer(item, response, value, unread)
            if scroll:
                self._scrolls.append(seen)
            if not item % self._stride:
                self._seen.append(seen)

    def directions(self) -> Notice | None:
        """Return a warning if more scrolls are right against turned references; else None."""
        wrong = [seen for seen in self._scrolls if not seen.value]
        right = len(self._scrolls) - len(wrong)
        if len(wrong) <= right:
            return None
        golds = [_turned(self._golds[seen.item]) for seen in wrong]
        contexts = [self._contexts[seen.item] for seen in wrong]
        primary = self._protocol.metric.keys.index(self._protocol.metric.primary)
        rows = np.arange(len(wrong), dtype=np.int64)
        given = Answers(rows, [0] * len(wrong), [seen.response for seen in wrong])
        columns = Grader.of(self._protocol, golds, contexts).batch(given)
        turned = int(np.count_nonzero(columns.values[:, primary]))
        if turned <= right:
            return None
        message = (
            f"Scrolls: {right:,} of {len(self._scrolls):,} right, and {turned:,} would be right the"
            f" other way: the answers and `{self._protocol.name}` differ in whether a direction"
            " says where the content leads or how the finger moves."
        )
        return Notice(code="direction", message=message, count=turned)

    def advice(self, _: IntArray | None = None) -> CoordinateAudit | None:
        """Return the audit if another space explains a low score; else None."""
        if not self._seen or np.mean([one.value for one in self._seen]) > 1 - LEAST_GAIN:
            return None
        found = self.result()
        return found if found is not None and found.warning else None

    def result(self) -> CoordinateAudit | None:
        """Return the audit of all answers so far; None if none has a point."""
        pointed = [(one, found) for one in self._seen if (found := _pointed(one.response))]
        pointed = pointed[:: max(1, -(-len(pointed) // MOST))]
        if not pointed:
            return None
        seen, said = [one for one, _ in pointed], [found.said for _, found in pointed]
        (form, _), *_ = Counter(found.format for _, found in pointed).most_common(1)
        items = np.array([one.item for one in seen], dtype=np.int64)
        as_read = np.array([one.value for one in seen])
        chances = np.full(len(seen), _CHANCE)
        # What a model's coordinates count does not depend on the episode.
        readings = [
            SpaceReading(space, False, float(values.mean()), gain_p(as_read, values, chances))
            for space, values in self._regraded(items, said)
        ]
        found = CoordinateAudit(
            answers=len(seen),
            unread=sum(one.unread for one in seen),
            as_read=float(as_read.mean()),
            readings=_ranked(readings, form),
        )
        return self._warned(found, form) if gains(found) else found

    def _regraded(
        self, items: IntArray, said: Sequence[Declared]
    ) -> Iterator[tuple[CoordinateSpace, FloatArray]]:
        indexes: list[int] = items.tolist()
        golds = [self._golds[item] for item in indexes]
        contexts = [self._contexts[item] for item in indexes]
        grader = Grader.of(self._protocol, golds, contexts)
        primary = self._protocol.metric.keys.index(self._protocol.metric.primary)
        rows = np.arange(len(indexes), dtype=np.int64)
        sizes = np.array([(one.width or np.nan, one.height or np.nan) for one in contexts])
        views = (
            {}
            if np.isnan(sizes).any()
            else {space: scaled(sizes, side) for side, space in VIEWS.items()}
        )
        views = {space: view for space, view in views.items() if (view < sizes).any()}
        for space in (*SPACES, *views):
            view = views.get(space)
            given: list[object] = [_in_space(each, space) for each in said]
            if view is not None:
                given = [
                    {**_in_space(each, VIEW), "view": size}
                    for each, size in zip(said, view.tolist(), strict=True)
                ]
            columns = grader.batch(Answers(rows, [0] * len(rows), given))
            yield space, columns.values[:, primary].astype(np.float64)

    def _warned(self, audit: CoordinateAudit, form: str) -> CoordinateAudit:
        best = audit.readings[0]
        unread = (
            f" In {audit.unread:,} of them the protocol reads no answer at all."
            if audit.unread
            else ""
        )
        space = best.space.id if best.space in SPACES else ""
        known = [each.name for each in FORMATS.values() if each.space is best.space]
        known.sort(key=lambda name: not _related(name, form))
        how = (
            f"If the model counts so, say space={space!r} (--space {space}), or the format that it"
            f" writes, such as {' or '.join(known[:2])}."
            if space and known
            else "State in the prompt which space is wanted, or convert this model's coordinates."
        )
        warning = (
            f"Read as {best.words}, {audit.answers:,} answers with a point score {best.score:.1%};"
            f" as `{self._protocol.name}` reads them, {audit.as_read:.1%}.{unread} {how}"
        )
        return replace(audit, warning=warning, space=space)


def _turned(gold: StepGold) -> StepGold:
    action = gold.action
    way = action.direction and action.direction.opposite
    # A finger's path, where the reference has one, is walked backwards.
    ends = (action.point, action.end) if action.end is None else (action.end, action.point)
    turned = msgspec.structs.replace(action, direction=way, point=ends[0], end=ends[1])
    return msgspec.structs.replace(gold, action=turned)


def _related(name: str, form: str) -> bool:
    """Whether two formats are of one family of models, such as UI-TARS 1 and 1.5."""
    return name != form and name[:4] == form[:4]


def _ranked(readings: Sequence[SpaceReading], form: str) -> tuple[SpaceReading, ...]:
    """Return readings, the best first; of equally good ones that of a related format."""
    spaces = {each.space for each in FORMATS.values() if _related(each.name, form)}
    return tuple(sorted(readings, key=lambda one: (-one.score, one.space not in spaces)))


class _Pointed(NamedTuple):
    """What an answer declares, and the format that it was read in."""

    said: Declared
    format: str


def _pointed(response: object) -> _Pointed | None:
    """Return what an answer declares, if it has an action with a point."""
    try:
        said = declared(response)
        read = read_action(said.response, said.format)
    except (InputError, NoActionError):
        return None
    return _Pointed(said, read.format) if read.action.point is not None else None


def _in_space(said: Declared, space: CoordinateSpace) -> dict[str, object]:
    given: dict[str, object] = {"space": space.id, "response": said.response}
    if said.format is not None:
        given["format"] = said.format.name
    return given
