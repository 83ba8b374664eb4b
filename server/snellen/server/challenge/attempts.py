"""Conversion of ended MCP attempts to submissions: files of answers, graded like uploads.

It searches for ended attempts, so it also finds those that expired, or that ended just before the
server was killed.
"""

import zlib
from hashlib import sha256

from snellen.server.attempts.report import conditions
from snellen.server.attempts.service import Service
from snellen.server.challenge import queries
from snellen.server.challenge.service import Challenge
from snellen.server.exam.rules import Mode
from snellen.server.store.tables.endpoint import Source, SubmissionRow
from snellen.server.store.tables.exams import Attempt, State

_TOGETHER = 16


class AttemptCollector:
    """Makes submissions from ended attempts.

    Args:
        challenge: The challenge.
        service: The exam of the attempts.
    """

    def __init__(self, challenge: Challenge, service: Service) -> None:
        self._challenge = challenge
        self._service = service

    async def collect(self) -> int:
        """Make submissions from the attempts that have none yet; return their number."""
        exam = self._challenge.exam
        if exam.rules.mode is not Mode.EXAM:
            return 0
        now = self._challenge.now()
        parameters = {"x": exam.id, "m": Mode.EXAM, "now": now, "most": _TOGETHER}
        database = self._challenge.database
        found = await database.off_loop(
            lambda: database.read(lambda c: queries.UNENTERED.all(c, parameters))
        )
        kept = 0
        for attempt in found:
            if attempt.state is State.OPEN:
                attempt = await self._service.close(attempt)
            row, body = await self._service.graded(lambda a=attempt: self._submission(a))
            await self._challenge.keep_attempt(row, body)
            kept += 1
        return kept

    def _submission(self, attempt: Attempt) -> tuple[SubmissionRow, list[bytes]]:
        challenge = self._challenge
        closed = attempt.closed or attempt.opened
        named = next(
            (phase for phase in challenge.file.phases if phase.attempts and phase.open(closed)),
            None,
        )
        phase = named or challenge.file.phases[-1]
        body = "".join(part.lines() for part in self._service.export(attempt)).encode()
        cost = self._service.cost(attempt)
        row = SubmissionRow(
            id="",
            phase=challenge.key(phase),
            caller=attempt.caller,
            source=Source.ATTEMPT,
            attempt=attempt.id,
            task=None,
            name=attempt.model or attempt.caller,
            link="",
            form=".jsonl",
            digest=sha256(body).digest(),
            size=len(body),
            at=closed,
            day=phase.day(closed),
            cost=cost.model_dump_json(),
            conditions=conditions(attempt),
            # Outside of a phase it is graded, but not on a leaderboard.
            removed=None if named is not None else "it ended outside of any phase",
        )
        return row, [zlib.compress(body, 1)]
