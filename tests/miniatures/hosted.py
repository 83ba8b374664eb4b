"""A challenge over the sample exam, for tests."""

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from snellen.server.challenge.models import SubmissionStatus, Upload, UploadBody
from snellen.server.challenge.service import Challenge
from snellen.server.challenge.submissions import Submissions
from snellen.server.host import Host
from snellen.server.settings import Settings

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


def as_lines(answers: Mapping[str, str]) -> str:
    """Write item ids and responses as JSON lines."""
    lines = ({"item_id": item, "response": response} for item, response in answers.items())
    return "".join(json.dumps(line) + "\n" for line in lines)
