"""The rule of phases: what is accepted and shown when, over REST, on pages and over MCP."""

from snellen.server.errors import ForbiddenError, NotFoundError
from snellen.server.exam.file import ExamFile, Phase, Who

ALL, PUBLIC, PRIVATE = "all", "public", "private"
"""The parts of a phase's items."""

FEW, MORE = 2, 3
_NARROW = 0.02
"""The width of an interval below which a value has a third digit."""


def digits_of(low: float | None, high: float | None) -> int:
    """Return how many digits of a value in 0..1 its interval supports; 2 without an interval."""
    return MORE if low is not None and high is not None and high - low < _NARROW else FEW


class Phases:
    """The phases of an exam. Times are in milliseconds since 1970, when a request arrived.

    Args:
        file: The exam file.
    """

    def __init__(self, file: ExamFile) -> None:
        self._file = file

    def named(self, name: str | None, at: int) -> Phase:
        """Return a phase by its name, or the one open at a time, or the last one that was open.

        Raises:
            NotFoundError: There is no phase of that name.
        """
        if name is None:
            begun = [phase for phase in self._file.phases if phase.begun(at)]
            return self._file.current(at) or (begun or self._file.phases)[-1]
        if name not in self._file.by_name:
            known = ", ".join(self._file.by_name)
            raise NotFoundError(f"there is no phase {name!r}; there are: {known}", field="phase")
        return self._file.by_name[name]

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
        if not any(phase.begun(at) for phase in self._file.phases):
            self.check_open(None, at)

    def with_attempts(self, at: int) -> Phase | None:
        """Return the phase on whose leaderboard an attempt is that ends at a time; None: none."""
        phases = (phase for phase in self._file.phases if phase.attempts)
        return next((phase for phase in phases if phase.open(at)), None)

    def part(self, phase: Phase, at: int) -> str:
        """Return the part of the items whose scores are shown: all of them after its end."""
        return ALL if phase.public_share is None or phase.over(at) else PUBLIC

    def exact(self, phase: Phase, at: int, *, organizer: bool = False) -> bool:
        """Return whether values are shown exact, not rounded to what their intervals support.

        Until the end of a phase they are rounded, unless its participants see every item's value.
        """
        items_shown = phase.reports is not Who.HIDDEN and phase.public_share is None
        return organizer or phase.exact or phase.over(at) or items_shown

    def own_part(self, phase: Phase, at: int) -> str | None:
        """Return the part whose scores a participant sees of its own answers; None: none."""
        return None if phase.scores is Who.HIDDEN else self.part(phase, at)

    def _coming(self, at: int) -> Phase | None:
        coming = {phase.start: phase for phase in self._file.phases if not phase.begun(at)}
        starts = [start for start in coming if start is not None]
        return coming[min(starts)] if starts else None
