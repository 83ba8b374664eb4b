import asyncio
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from hosted import NOON, Hosted

from snellen.server import errors
from snellen.server.exam.file import Phase
from snellen.tasks.hosted import JobState

DAY = 24 * 3600 * 1000
Hosting = Callable[..., Hosted]


async def test_an_upload_is_queued_and_only_its_participant_and_organizers_see_it(
    hosted: Hosting,
) -> None:
    here = hosted()
    await here.challenge.begin()
    kept = await here.upload("ada", {"a": "1"}, name="A run")
    assert (kept.state, kept.participant, kept.name) == (JobState.QUEUED, "ada", "A run")
    assert here.submissions.status(kept.id, "ada") == here.submissions.status(kept.id, None)
    with pytest.raises(errors.NotFoundError):
        here.submissions.status(kept.id, "bob")
    assert [row.id for row in here.submissions.listed("ada")] == [kept.id]
    assert not here.submissions.listed("bob")


async def test_racing_uploads_get_what_the_quota_has_and_not_one_more(hosted: Hosting) -> None:
    here = hosted(uploads=7)
    await here.challenge.begin()
    found = await asyncio.gather(*(here.upload("ada") for _ in range(40)), return_exceptions=True)
    assert sum(not isinstance(each, BaseException) for each in found) == 7
    assert sum(isinstance(each, errors.QuotaError) for each in found) == 33
    assert len(here.submissions.listed("ada")) == 7


async def test_a_day_of_uploads_begins_anew_and_others_have_their_own(hosted: Hosting) -> None:
    here = hosted(uploads_a_day=1, uploads=2)
    await here.challenge.begin()
    await here.upload("ada")
    with pytest.raises(errors.QuotaError, match="on 2026-01-01"):
        await here.upload("ada")
    await here.upload("bob")
    here.time[0] = NOON + DAY
    await here.upload("ada")
    here.time[0] = NOON + 2 * DAY
    with pytest.raises(errors.QuotaError, match="in all"):
        await here.upload("ada")


async def test_the_same_key_with_the_same_bytes_is_the_same_submission(hosted: Hosting) -> None:
    here = hosted(uploads=1)
    await here.challenge.begin()
    first, new = await here.submissions.keep(here.file("ada", {"a": "1"}, key="k-1"))
    again, newer = await here.submissions.keep(here.file("ada", {"a": "1"}, key="k-1"))
    assert (new, newer) == (True, False)
    assert again.id == first.id
    with pytest.raises(errors.ExamError, match="used with another file"):
        await here.submissions.keep(here.file("ada", {"a": "2"}, key="k-1"))


async def test_nothing_is_taken_before_a_phase_or_after_it(hosted: Hosting) -> None:
    start, end = (datetime.fromtimestamp((NOON + d) / 1000, UTC) for d in (-DAY, DAY))
    here = hosted(start=start, end=end)
    await here.challenge.begin()
    await here.upload("ada")
    for moment, said in ((NOON - 2 * DAY, "begins at"), (NOON + 2 * DAY, "ended at")):
        here.time[0] = moment
        with pytest.raises(errors.ForbiddenError, match=said):
            await here.upload("ada")


async def test_an_upload_without_a_phase_counts_in_the_one_that_is_open(hosted: Hosting) -> None:
    middle = datetime.fromtimestamp(NOON / 1000, UTC)
    here = hosted(Phase(name="dev", end=middle), Phase(name="final", start=middle))
    await here.challenge.begin()
    here.time[0] = NOON - 1
    assert (await here.upload("ada")).phase == "dev"
    here.time[0] = NOON + 1
    assert (await here.upload("ada")).phase == "final"
    with pytest.raises(
        errors.ForbiddenError, match=r"dev ended at .*, before the whole file had arrived"
    ):
        await here.upload("ada", at=NOON - 1)


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ({"form": ".exe"}, errors.FormError),
        ({"task": "screenqa/long"}, errors.NotFoundError),
        ({"phase": "else"}, errors.NotFoundError),
        ({"key": "two words"}, errors.ExamError),
        ({"name": "a\x00b"}, errors.ExamError),
        ({"name": "x" * 201}, errors.ExamError),
        ({"link": "javascript:alert(1)"}, errors.ExamError),
    ],
)
async def test_what_can_not_be_kept_is_refused_and_takes_no_quota(
    hosted: Hosting, said: dict[str, str], error: type[errors.ExamError]
) -> None:
    here = hosted(uploads=1)
    await here.challenge.begin()
    with pytest.raises(error):
        await here.upload("ada", **said)
    await here.upload("ada")


async def test_a_removal_needs_a_reason_and_can_be_undone(hosted: Hosting) -> None:
    here = hosted()
    await here.challenge.begin()
    kept = await here.upload("ada")
    with pytest.raises(errors.ExamError, match="give a reason"):
        await here.submissions.remove(kept.id, "root", "  ")
    await here.submissions.remove(kept.id, "root", "trained on the test set")
    assert here.submissions.status(kept.id, "ada").removed == "trained on the test set"
    await here.submissions.restore(kept.id, "root", "it was not")
    assert here.submissions.status(kept.id, "ada").removed is None


async def test_only_what_failed_or_is_stuck_is_tried_again(hosted: Hosting) -> None:
    here = hosted()
    await here.challenge.begin()
    kept = await here.upload("ada")
    with pytest.raises(errors.ExamError, match="queued"):
        await here.submissions.retry(kept.id, "root")
