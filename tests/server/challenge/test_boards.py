"""When a leaderboard is made again, and by whom."""

import asyncio
from collections.abc import Callable

import pytest
from hosted import Hosted, add_graded

from snellen.server.challenge.boards import HELD_MILLISECONDS, HELD_SCORES, Boards
from snellen.tasks.hosted import Board, BoardPage


async def opened(hosted: Callable[..., Hosted], count: int) -> tuple[Hosted, Boards]:
    """Return a challenge with graded submissions, and its leaderboards."""
    here = hosted()
    await here.challenge.begin()
    await add_graded(here, count)
    return here, Boards(here.challenge)


async def change(here: Hosted) -> None:
    await here.submissions.set_apart("sub_0000", "boss", baseline=True)


def baselines(board: Board) -> int:
    return sum(row.baseline for row in board.rows)


async def test_a_short_leaderboard_is_made_again_after_each_change(
    hosted: Callable[..., Hosted],
) -> None:
    here, boards = await opened(hosted, 3)
    phase = here.challenge.phase(None)
    before = await boards.board_off_loop(phase)
    assert await boards.board_off_loop(phase) is before
    await change(here)
    assert baselines((await boards.board_off_loop(phase)).board) == 1


@pytest.mark.slow
async def test_a_long_leaderboard_is_made_again_at_most_every_few_seconds(
    hosted: Callable[..., Hosted],
) -> None:
    here, boards = await opened(hosted, HELD_SCORES + 1)
    phase = here.challenge.phase(None)
    before = await boards.board_off_loop(phase)
    assert len(before.board.rows) == HELD_SCORES + 1
    await change(here)
    here.time[0] += HELD_MILLISECONDS - 1
    assert await boards.board_off_loop(phase) is before
    here.time[0] += 1
    after = await boards.board_off_loop(phase)
    assert baselines(after.board) == 1
    # Without a change it is never made again.
    here.time[0] += 10 * HELD_MILLISECONDS
    assert await boards.board_off_loop(phase) is after


@pytest.mark.slow
async def test_a_clock_that_was_set_back_does_not_keep_an_old_leaderboard(
    hosted: Callable[..., Hosted],
) -> None:
    here, boards = await opened(hosted, HELD_SCORES + 1)
    phase = here.challenge.phase(None)
    await boards.board_off_loop(phase)
    await change(here)
    here.time[0] -= 1
    assert baselines((await boards.board_off_loop(phase)).board) == 1


async def test_callers_at_once_get_the_same_leaderboard_made_once(
    hosted: Callable[..., Hosted],
) -> None:
    here, boards = await opened(hosted, 3)
    phase = here.challenge.phase(None)
    same = await asyncio.gather(
        *(boards.board_off_loop(phase) for _ in range(5)),
        *(asyncio.to_thread(boards.board, phase) for _ in range(3)),
    )
    assert all(each is same[0] for each in same)


@pytest.mark.parametrize(("first", "limit"), [(0, 2), (2, 2), (4, 2), (0, 100), (99, 2)])
async def test_a_page_has_its_rows_and_the_cursor_of_the_next(
    hosted: Callable[..., Hosted], first: int, limit: int
) -> None:
    here, boards = await opened(hosted, 5)
    kept = await boards.board_off_loop(here.challenge.phase(None))
    page = await boards.page(kept, first, limit)
    read = BoardPage.model_validate_json(page.body)
    assert read.model_dump_json().encode() == page.body
    assert read.rows == kept.board.rows[first : first + limit]
    assert (read.total, read.next) == (5, str(first + limit) if first + limit < 5 else None)
    assert (await boards.page(kept, first, limit)).etag == page.etag
