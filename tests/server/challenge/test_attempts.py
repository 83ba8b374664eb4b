from collections.abc import Callable, Mapping

import pytest
from hosted import Hosted

from snellen.server.attempts.models import Caller
from snellen.server.challenge.attempts import AttemptCollector
from snellen.server.store.tables.endpoint import JobState, Source

Hosting = Callable[..., Hosted]


@pytest.mark.parametrize("enters", [True, False])
async def test_a_finished_attempt_becomes_one_submission_and_counts_where_its_phase_lets_it(
    hosted: Hosting, right: Mapping[str, str], *, enters: bool
) -> None:
    here = hosted(attempts=enters)
    await here.challenge.begin()
    service, caller = here.host.service, Caller("ada")
    started = await service.start(caller, model="model-1")
    lease = await service.lease(started.attempt, caller)
    answer = right[lease.item.item]
    await service.submit(started.attempt, caller, lease.item.opaque, answer)
    collector = AttemptCollector(here.challenge, service)
    assert await collector.collect() == 0
    await service.finish(started.attempt)
    assert [await collector.collect() for _ in range(2)] == [1, 0]
    (kept,) = here.challenge.listed("ada")
    assert (kept.source, kept.name, kept.state) == (Source.ATTEMPT, "model-1", JobState.QUEUED)
    assert "contexts:" in kept.conditions
    assert (kept.removed is None) is enters
