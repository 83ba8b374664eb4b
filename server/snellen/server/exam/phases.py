"""The rule of phases: what is accepted and shown when, over REST, on pages and over MCP."""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from pydantic import ValidationError

from snellen.server.errors import ForbiddenError, NotFoundError, StoreError
from snellen.server.exam.file import ExamFile, Phase
from snellen.tasks.hosted import Who

ALL, PUBLIC, PRIVATE = "all", "public", "private"
"""The parts of a phase's items."""

_MOVABLE = {
    "start": ("the start moved", "at once"),
    "end": ("the end moved", "no end"),
    "uploads": ("the uploads in total changed", "any number"),
    "uploads_a_day": ("the uploads a day changed", "any number"),
}
"""The settings of a phase that an organizer can change, in words, and the word for none."""


@dataclass(frozen=True, slots=True)
class Move:
    """An event of the store: an organizer changed settings of a phase."""

    id: int  # its number
    phase: str  # the phase's key in the store
    detail: str  # the changed settings in the exam file (`file`) and after it (`after`), as JSON


def movable(phase: Phase) -> dict[str, object]:
    """Return the settings of a phase that can be changed, as JSON has them."""
    return phase.model_dump(mode="json", include=set(_MOVABLE))


def after_moves(file: ExamFile, moves: Sequence[Move]) -> ExamFile:
    """Return an exam file with its phases as organizers changed them.

    A setting that was edited in the file after the change is as the file says.
    """
    changed: dict[str, dict[str, object]] = {}
    for move in moves:
        exam, _, name = move.phase.rpartition("/")
        if exam != file.name or name not in file.by_name:
            continue
        now = movable(file.by_name[name])
        detail: Mapping[str, Mapping[str, object]] = json.loads(move.detail)
        kept = {
            each: new for each, new in detail["after"].items() if detail["file"][each] == now[each]
        }
        changed.setdefault(name, {}).update(kept)
    phases = tuple(_changed(phase, changed.get(phase.name, {})) for phase in file.phases)
    return file if phases == file.phases else file.model_copy(update={"phases": phases})


def _changed(phase: Phase, settings: Mapping[str, object]) -> Phase:
    try:
        return Phase.model_validate({**phase.model_dump(), **settings}) if settings else phase
    except ValidationError:  # the file was edited, and both together are no phase
        return phase


def _said(value: datetime | int | None, none: str) -> str:
    if isinstance(value, datetime):
        return f"{value.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    return none if value is None else str(value)


class Visibility(NamedTuple):
    """What is shown of the scores in a phase at a time.

    Until this phase and all others over the same items are closed, values are rounded
    (`exam.rounding`), and measures, such as the mean distance of points from targets, are hidden:
    also in a phase with exact values, because the means of two uploads that differ in one answer
    tell how near its point is, and a measure has no bounds that say how much rounding hides it.
    Participants who see every item's value see both.

    Attributes:
        part: The part of the items whose scores are shown.
        own: The part whose scores a participant sees of its own answers; None: none.
        exact: Whether values are exact.
        measures: Whether measures are shown.
        reports: Who sees reports: participants see none while a part of the items is hidden.
        tags: Whether there are leaderboards of the items with a tag. Tags describe items, and the
            value of a few items tells which answers are right.
        export: Whether everyone may read the value of each item of each submission.
    """

    part: str
    own: str | None
    exact: bool
    measures: bool
    reports: Who
    tags: bool
    export: bool


class Phases:
    """The phases of an exam. Times are in milliseconds since 1970, when a request arrived.

    Args:
        file: The exam file.
        moves: Reads the changes by organizers; called by `refresh`, once a request.

    Attributes:
        file: The exam file with the changes.
        beside: The phases of other exams over the same items, on the same server.
    """

    def __init__(self, file: ExamFile, moves: Callable[[], Sequence[Move]] = lambda: ()) -> None:
        self._given = self.file = file
        self._moves = moves
        self._last: int = 0
        self.beside: list[Phases] = []
        self.refresh()

    def refresh(self) -> None:
        """Read the changes by organizers, which any server of the store may have written."""
        self._read_moves()
        for phases in self.beside:
            # If another exam's store fails, the ends that are known still hold.
            with suppress(StoreError):
                phases._read_moves()

    def _read_moves(self) -> None:
        moves = self._moves()
        last = moves[-1].id if moves else 0
        if last != self._last:
            self.file, self._last = after_moves(self._given, moves), last

    def key(self, phase: Phase) -> str:
        """Return a phase's key in the store, which can hold the phases of several exams."""
        return f"{self.file.name}/{phase.name}"

    def of(self, key: str) -> Phase:
        """Return a phase by its key.

        Raises:
            NotFoundError: It is of another exam, or no longer in the exam file.
        """
        exam, _, name = key.rpartition("/")
        if exam != self.file.name or name not in self.file.by_name:
            raise NotFoundError(f"the phase {key} is not served here")
        return self.file.by_name[name]

    @property
    def sharing(self) -> Sequence[str]:
        """The names of all phases over the same items, those of other exams by their keys."""
        others = [each.key(phase) for each in self.beside for phase in each.file.phases]
        return [*self.file.by_name, *others]

    def final(self, phase: Phase) -> int | None:
        """Return when a phase is closed, and all others over the same items that hide scores.

        What is shown after it helps in none of them. None: one of them has no end.
        """
        others = [each for phases in (self, *self.beside) for each in phases.file.phases]
        ends = [each.final for each in others if each == phase or each.hides]
        known = [end for end in ends if end is not None]
        return max(known) if len(known) == len(ends) else None

    def settled(self, phase: Phase, at: int) -> bool:
        """Whether a time is after the one of `final`."""
        final = self.final(phase)
        return final is not None and at > final

    def visibility(self, phase: Phase, at: int, *, organizer: bool = False) -> Visibility:
        """Return what is shown to participants, or to organizers, who always see everything."""
        if organizer:
            return Visibility(
                ALL, ALL, exact=True, measures=True, reports=Who.PUBLIC, tags=True, export=True
            )
        settled = self.settled(phase, at)
        part = ALL if phase.public_share is None or settled else PUBLIC
        reports = phase.reports if part == ALL else Who.HIDDEN
        measures = settled or reports is not Who.HIDDEN
        exact = phase.exact or measures
        return Visibility(
            part=part,
            own=None if phase.scores is Who.HIDDEN else part,
            exact=exact,
            measures=measures,
            reports=reports,
            tags=phase.begun(at) and part == ALL and exact,
            export=reports is Who.PUBLIC or (phase.scores is Who.PUBLIC and settled),
        )

    def changes(self, phase: Phase) -> tuple[str, ...]:
        """Return what organizers changed in a phase, in words; empty: it is as in the file."""
        given = self._given.by_name[phase.name]
        return tuple(
            f"{words} from {_said(old, none)} to {_said(new, none)}"
            for name, (words, none) in _MOVABLE.items()
            if (old := getattr(given, name)) != (new := getattr(phase, name))
        )

    def named(self, name: str | None, at: int) -> Phase:
        """Return a phase by its name, or the one open at a time, or the last one that was open.

        Raises:
            NotFoundError: There is no phase of that name.
        """
        if name is None:
            begun = [phase for phase in self.file.phases if phase.begun(at)]
            last = (begun or self.file.phases)[-1]
            return next((phase for phase in begun if not phase.over(at)), last)
        if name not in self.file.by_name:
            known = ", ".join(self.file.by_name)
            raise NotFoundError(f"there is no phase {name!r}; there are: {known}", field="phase")
        return self.file.by_name[name]

    def check_open(self, name: str | None, at: int) -> Phase:
        """Return the phase that accepts answers at a time.

        Raises:
            NotFoundError: There is no such phase.
            ForbiddenError: No phase accepts answers then.
        """
        phase = self.named(name, at)
        if phase.open(at):
            return phase
        if name is None and (coming := self._coming(at)) is not None:
            phase = coming
        if not phase.begun(at) and phase.start is not None:
            raise ForbiddenError(
                f"phase {phase.name} begins at {phase.start.isoformat()}", field="phase"
            )
        assert phase.end is not None
        raise ForbiddenError(
            f"phase {phase.name} ended at {phase.end.isoformat()}; nothing more is accepted",
            field="phase",
        )

    def check_begun(self, at: int) -> None:
        """Check that the items may be seen: a phase has begun.

        Raises:
            ForbiddenError: None has.
        """
        if not any(phase.begun(at) for phase in self.file.phases):
            self.check_open(None, at)

    def with_attempts(self, at: int) -> Phase | None:
        """Return the phase on whose leaderboard an attempt is that ends at a time; None: none."""
        phases = (phase for phase in self.file.phases if phase.attempts)
        return next((phase for phase in phases if phase.open(at)), None)

    def _coming(self, at: int) -> Phase | None:
        coming = {phase.start: phase for phase in self.file.phases if not phase.begun(at)}
        starts = [start for start in coming if start is not None]
        return coming[min(starts)] if starts else None
