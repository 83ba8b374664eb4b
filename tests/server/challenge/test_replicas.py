"""Servers of one store agree on the time and on what grades, or one of them does not serve."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hosted import Hosted

from snellen.server.challenge import queries
from snellen.server.challenge.replicas import MOST_APART, THIS_MACHINE, clock_fault
from snellen.server.challenge.service import PACKS, Challenge
from snellen.server.exam.file import Phase
from snellen.server.exam.spec import ExamSpec

Hosting = Callable[..., Hosted]
OLD, NEW, NEWEST = b"old", b"new", b"newest"


def other(
    here: Hosted, references: bytes, version: int = 1, protocols: dict[str, str] | None = None
) -> Challenge:
    """Return the challenge of another server of the same store."""
    challenge, exam = here.challenge, here.challenge.exam
    packs = [
        replace(pack, manifest=pack.manifest.model_copy(update={"version": version}))
        for pack in exam.packs
    ]
    file = challenge.file
    if protocols:
        phases = tuple(
            Phase.model_validate({**phase.model_dump(), "protocols": protocols})
            for phase in file.phases
        )
        file = file.model_copy(update={"phases": phases})
    spec = ExamSpec(packs, exam.rules)
    return Challenge(file, spec, references, challenge.database, challenge.clock)


def gradings(here: Hosted) -> int:
    """Return the number of the newest grading."""
    challenge = here.challenge
    key = {"f": challenge.phases.key(challenge.phase(None))}
    return challenge.database.read(lambda c: queries.NEWEST.one(c, key)).id


async def begun(challenge: Challenge) -> str | None:
    await challenge.begin()
    return challenge.outdated


async def test_references_that_were_replaced_do_not_come_back_by_a_restart(hosted: Hosting) -> None:
    here = hosted()
    assert [await begun(other(here, each)) for each in (OLD, NEW)] == [None, None]
    first = gradings(here)
    late = other(here, OLD)
    assert "was graded by these references, protocols and sample before" in str(await begun(late))
    assert gradings(here) == first
    assert await begun(other(here, NEW)) is None
    assert gradings(here) == first
    # An organizer who has other references again starts with them as before.
    assert await begun(other(here, NEWEST)) is None
    assert gradings(here) > first
    assert await begun(other(here, NEW)) is not None


async def test_protocols_that_were_replaced_do_not_come_back_by_a_restart(hosted: Hosting) -> None:
    here = hosted()
    robust = {"screenqa/short": "robust"}
    assert await begun(other(here, OLD)) is None
    assert await begun(other(here, OLD, protocols=robust)) is None
    assert await begun(other(here, OLD)) is not None


async def test_a_smaller_version_of_a_pack_is_refused_though_nothing_was_graded_by_it(
    hosted: Hosting,
) -> None:
    here = hosted()
    assert await begun(other(here, NEW, version=3)) is None
    said = str(await begun(other(here, OLD, version=2)))
    assert "has version 2, and phase main of this store is graded by version 3" in said
    assert gradings(here) == 1


async def test_a_higher_version_returns_to_older_references_on_purpose(hosted: Hosting) -> None:
    here = hosted()
    for references in (OLD, NEW):
        assert await begun(other(here, references)) is None
    assert await begun(other(here, OLD, version=2)) is None
    assert gradings(here) == 3
    assert await begun(other(here, NEW)) is not None
    (event,) = here.challenge.events.page()
    assert (event.what, event.detail) == (PACKS, {"wireframes": 2})


async def test_a_server_knows_that_a_newer_one_took_over(hosted: Hosting) -> None:
    here = hosted()
    running = other(here, OLD)
    assert await begun(running) is None
    assert not here.challenge.database.read(running.is_overtaken)
    assert await begun(other(here, NEW)) is None
    assert here.challenge.database.read(running.is_overtaken)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (-600, "this server's clock is 600 s behind the store's"),
        (600, "this server's clock is 600 s ahead of the store's"),
        (MOST_APART / 1000 + 1, "s ahead of the store's"),
        (0, None),
        (-MOST_APART / 1000 + 1, None),
    ],
)
def test_a_clock_that_differs_from_the_stores_by_two_seconds_is_a_fault(
    hosted: Hosting, seconds: float, said: str | None
) -> None:
    here = hosted()
    found = here.challenge.database.read(
        lambda c: clock_fault(c, lambda: THIS_MACHINE() + round(seconds * 1000))
    )
    assert (found is None) is (said is None)
    assert (said or "") in (found or "")
