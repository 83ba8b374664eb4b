"""What a report says beside its numbers: counts of notes, a file's own verdicts, other readings."""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from snellen.grading.grade import CODES, Answers, Columns
from snellen.grading.models.reports import AsPublished, Notice
from snellen.grading.models.scores import Outcome
from snellen.grading.protocols.base import NOT_OFFERED, OUTSIDE, SCREEN, EpisodeRecord, Protocol
from snellen.grading.protocols.table import protocols_of, published_beside
from snellen.grading.tally import Tally
from snellen.sdk.inputs.intake import Intake
from snellen.sdk.inputs.selection import Selection

ODD = {NOT_OFFERED: "not-offered", OUTSIDE: "outside"}
"""The notes that are counted whatever the protocol, with their code; its parser names others."""


_NAMED = 3
_MOST_TRIED = 20_000
"""So many answers with verdicts are tried under other protocols."""

_SAME = 1e-6
"""Values closer than this are one."""


class Notices:
    """Counts notes, models and the ways of acting in episodes, while a run is graded."""

    def __init__(self, protocol: Protocol) -> None:
        self._warned = protocol.parser.warned
        self._counts = dict.fromkeys((*ODD, *(warned.note for warned in self._warned)), 0)
        self._unjudged: Counter[str] = Counter()
        # A dict keeps the order of arrival; a set does not.
        self._models: dict[str, None] = {}
        self._conditions: dict[str, set[str]] = {}

    def add(self, answers: Answers, columns: Columns) -> None:
        """Count a batch."""
        for row, note in columns.notes.items():
            for known in self._counts:
                self._counts[known] += known in note
            if columns.outcomes[row] == CODES[Outcome.ERROR]:
                self._unjudged[note] += 1
        if answers.models is not None:
            self._models |= dict.fromkeys(model for model in answers.models if model is not None)
        for read in columns.answers or ():
            if isinstance(read, EpisodeRecord):
                for name, value in read.conditions.items():
                    self._conditions.setdefault(name, set()).add(value)

    def condition(self, name: str) -> str:
        """Return how agents acted in episodes: their `door`, or the `time` of their pages.

        It is empty if only the screen was the door, if it is unknown, or if there are no episodes.
        """
        found = self._conditions.get(name, set())
        return "" if found == {SCREEN} else "+".join(sorted(found))

    def warnings(self) -> Iterator[Notice]:
        """Yield a warning per reason why answers were not judged, and one on the models."""
        for reason, count in self._unjudged.most_common(_NAMED):
            which = "1 answer" if count == 1 else f"{count:,} answers"
            counts = "counts as an error" if count == 1 else "count as errors"
            said = f"{which} could not be judged, and {counts}: {reason}"
            yield Notice(code="unjudged", message=said, count=count)
        for note in ODD:
            if count := self._counts[note]:
                which = "1 answer" if count == 1 else f"{count:,} answers"
                said = f"{which} can't be right: {'it' if count == 1 else 'each'} {note}"
                yield Notice(code=ODD[note], message=said, count=count)
        for warned in self._warned:
            if count := self._counts[warned.note]:
                yield Notice(code="note", message=warned.says.format(n=f"{count:,}"), count=count)
        if len(self._models) > 1:
            names = [*list(self._models)[:_NAMED], *(["..."] if len(self._models) > _NAMED else [])]
            yield Notice(
                code="models",
                message=f"The answers name {len(self._models):,} models ({', '.join(names)}): this"
                " is the score of their mixture, and of none of them.",
            )


class Agreement:
    """Compares the values with the verdicts that the file of the answers holds, if any."""

    def __init__(self, intake: Intake, protocol: Protocol) -> None:
        self._verdicts = intake.verdicts
        self._selection = intake.selection
        self._protocol = protocol
        self._compared = 0
        self._differing: list[str] = []
        self._tried: list[Answers] = []
        self._room = _MOST_TRIED

    def add(self, answers: Answers, columns: Columns) -> None:
        """Compare a batch."""
        if not self._verdicts:
            return
        same = self._same(self._protocol, answers, columns)
        self._compared += len(same)
        for item, agrees in same:
            if not agrees:
                said = "right" if self._verdicts[item] else "wrong"
                self._differing.append(f"{self._selection.ids[item[0]]} ({said} in the file)")
        if same and self._room > 0:
            self._tried.append(answers)
            self._room -= len(same)

    def _same(
        self, protocol: Protocol, answers: Answers, columns: Columns
    ) -> list[tuple[tuple[int, int], bool]]:
        """Return the answers with a verdict, and whether the values say the same."""
        primary = protocol.metric.keys.index(protocol.metric.primary)
        found: list[tuple[tuple[int, int], bool]] = []
        keys = zip(answers.items.tolist(), answers.attempts, strict=True)
        for row, key in enumerate(keys):
            verdict = self._verdicts.get(key)
            if verdict is None or self._unjudged(answers, columns, row):
                continue
            found.append((key, verdict == (columns.values[row, primary] >= 1)))
        return found

    @staticmethod
    def _unjudged(answers: Answers, columns: Columns, row: int) -> bool:
        """Whether an answer that is no error itself could not be judged here."""
        given = answers.errors is None or answers.errors[row] is None
        return given and columns.outcomes[row] == CODES[Outcome.ERROR]

    def _tried_by(self, protocol: Protocol) -> tuple[int, int]:
        """Return how many of the answers kept agree under a protocol, and how many there are."""
        grader = self._selection.grader(protocol)
        same = [
            agrees
            for answers in self._tried
            for _, agrees in self._same(protocol, answers, grader.batch(answers))
        ]
        return sum(same), len(same)

    def _better(self) -> tuple[str, str]:
        """Return the protocol that agrees more often than the one here, and how often; or none."""
        most, _ = self._tried_by(self._protocol)
        name = said = ""
        for other in protocols_of(self._protocol.task):
            if other.id == self._protocol.id:
                continue
            same, compared = self._tried_by(other)
            if same > most:
                most, name = same, other.name
                said = f"; `{name}` agrees on {same:,} of {compared:,}"
        return name, said

    def notices(self) -> Iterator[Notice]:
        """Yield how many values are the file's, the first that are not, and who agrees better."""
        if not self._compared:
            return
        same = self._compared - len(self._differing)
        first = ", ".join(self._differing[:_NAMED])
        more = ", ..." if len(self._differing) > _NAMED else ""
        name, better = self._better() if first else ("", "")
        yield Notice(
            code="verdicts",
            message=f"agrees with the file's own verdicts on {same:,} of {self._compared:,}"
            + (f"; the first that differ: {first}{more}" if first else "")
            + better,
            count=len(self._differing),
            protocol=name,
        )


class PublishedReading:
    """Grades the answers of a run as published code reads them, where the default is our reader."""

    def __init__(self, selection: Selection, protocol: Protocol) -> None:
        self._here = protocol
        self._other = published_beside(protocol)
        if self._other is not None:
            self._grader = selection.grader(self._other)
            self._tally = Tally(self._other, selection.golds)
        self._otherwise = 0

    def add(self, answers: Answers, columns: Columns) -> None:
        """Grade a batch."""
        if self._other is None:
            return
        found = self._grader.batch(answers)
        self._tally.add(answers, found)
        here, there = (
            columns.values[:, one.metric.keys.index(one.metric.primary)]
            for one, columns in ((self._here, columns), (self._other, found))
        )
        self._otherwise += int((np.abs(here - there) > _SAME).sum())

    def result(self, attempts: int) -> AsPublished | None:
        """Return the published number; None where there is none beside the protocol's."""
        other = self._other
        if other is None:
            return None
        split = other.parser.split
        unit = "" if split is None else f" ({split.unit})"
        primary = other.metric.primary
        return AsPublished(
            protocol=other.name,
            metric=primary,
            value=self._tally.metrics(attempts)[primary].as_published,
            reads=f"{other.parser.name}{unit}",
            otherwise=self._otherwise,
        )
