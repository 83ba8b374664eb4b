"""A challenge over the sample exam, on a store of each kind."""

from collections.abc import Callable, Iterator

import pytest
from hosted import NOON, Hosted

from snellen.sdk.cli.serving import grade_answers
from snellen.server.attempts.register import Clock
from snellen.server.challenge.service import Challenge
from snellen.server.exam.file import ExamFile, Phase
from snellen.server.host import Host, open_exam, references_digest
from snellen.server.settings import Settings
from snellen.tasks.pack.read import open_pack, open_references
from snellen.tasks.samples import sample_pack

TASK = "screenqa/short"


@pytest.fixture(scope="session")
def right() -> dict[str, str]:
    """Return a right answer to each item of the sample."""
    pack = open_pack(sample_pack())
    golds = open_references(pack).golds[TASK]
    return {item: golds[item][0] for item in pack.index[TASK]}


@pytest.fixture
def hosted(either_store: str) -> Iterator[Callable[..., Hosted]]:
    """Return a function that opens a challenge over the sample, by some rules of its phase."""
    opened: list[Host] = []

    def start(*phases: Phase, **rules: object) -> Hosted:
        settings = Settings((sample_pack(),), either_store)
        host = open_exam(settings, grade_answers)
        opened.append(host)
        time = [NOON]
        one = Phase.model_validate({"name": "main", **rules})
        file = ExamFile(name="sample", packs=(str(sample_pack()),), phases=phases or (one,))
        challenge = Challenge(
            file,
            host.service.exam,
            references_digest(settings),
            host.database,
            Clock(now=lambda: time[0]),
        )
        return Hosted(settings, host, challenge, time)

    yield start
    for host in opened:
        host.close()
