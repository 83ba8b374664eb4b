"""A challenge over the sample exam, for tests."""

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import numpy as np
from sqlalchemy import Connection

from snellen.server.challenge import queries
from snellen.server.challenge.models import Upload, UploadBody
from snellen.server.challenge.service import Challenge
from snellen.server.challenge.submissions import Submissions
from snellen.server.host import Host
from snellen.server.settings import Settings
from snellen.server.store.statements import row_values
from snellen.server.store.tables.endpoint import JobRow, ScoreRow, SubmissionRow
from snellen.tasks.hosted import JobState, Source, SubmissionStatus

Answers = Mapping[str, str] | str
NOON = 1_767_268_800_000
"""2026-01-01, 12:00 in UTC."""


@dataclass
class Hosted:
    """A challenge, its exam and a clock that stands still until it is set."""

    settings: Settings
    host: Host
    challenge: Challenge
    time: list[int] = field(default_factory=lambda: [NOON])
    files: int = 0

    @property
    def submissions(self) -> Submissions:
        """The submissions of the challenge."""
        return self.challenge.submissions

    async def upload(
        self, caller: str = "ada", answers: Mapping[str, str] | str | None = None, **said: Any
    ) -> SubmissionStatus:
        """Upload answers to the sample, a new file without any when nothing is given."""
        kept, _ = await self.submissions.keep(self.file(caller, answers, **said))
        return kept

    def file(
        self, caller: str = "ada", answers: Mapping[str, str] | str | None = None, **said: Any
    ) -> Upload:
        """Return an upload of answers."""
        if answers is None:
            answers = "\n" * self.files
            self.files += 1
        lines = answers if isinstance(answers, str) else as_lines(answers)
        body = lines.encode()
        given: dict[str, Any] = {
            "caller": caller,
            "body": UploadBody([zlib.compress(body)], sha256(body).digest(), len(body)),
            "form": ".jsonl",
            "at": self.time[0],
        }
        return Upload(**{**given, **said})


async def add_graded(hosted: Hosted, count: int) -> None:
    """Add graded submissions to the open phase, each of a participant of its own."""
    challenge = hosted.challenge
    phase = challenge.phases.key(challenge.phase(None))
    task, offer = next(iter(challenge.exam.offers.items()))
    items = offer.items

    def work(connection: Connection) -> None:
        grading = queries.NEWEST.one(connection, {"f": phase}).id
        for number in range(count):
            row = SubmissionRow(
                id=f"sub_{number:04}", phase=phase, caller=f"team{number}", source=Source.UPLOAD,
                attempt=None, task=None, name=f"run {number}", link="", form=".jsonl", digest=b"",
                size=1, at=NOON + number, day="2026-01-01",
            )  # fmt: skip
            queries.add_submission(connection, row)
            job = JobRow(submission=row.id, grading=grading, state=JobState.GRADED, at=NOON)
            queries.ADD_JOB.run(connection, row_values(job))
            values = (np.arange(items) < number % (items + 1)).astype("<f8")
            score = ScoreRow(
                submission=row.id, grading=grading, task=task, part="all", metric="f1",
                value=float(values.mean()), low=0.0, high=1.0, items=items, outcomes="{}",
                signature="", item_values=zlib.compress(values.tobytes()),
                item_groups=zlib.compress(np.arange(items, dtype="<i4").tobytes()),
            )  # fmt: skip
            queries.ADD_SCORE.run(connection, row_values(score))

    await challenge.database.write(work)


def as_lines(answers: Mapping[str, str]) -> str:
    """Write item ids and responses as JSON lines."""
    lines = ({"item_id": item, "response": response} for item, response in answers.items())
    return "".join(json.dumps(line) + "\n" for line in lines)
