"""Who gets which item: any number of clients share an attempt, each item has one of them."""

from collections.abc import Callable

import pytest

from snellen.server.attempts.models import Caller, Lease
from snellen.server.attempts.service import Service
from snellen.server.errors import ExamError
from snellen.server.store.tables.exams import Attempt

A, B, C = (Caller(client=name) for name in "ABC")
MINUTE = 60_000
Serve = Callable[..., Service]


async def begin(service: Service, **arguments: object) -> Attempt:
    started = await service.start(A, **arguments)  # pyright: ignore[reportArgumentType]  # as given
    return started.attempt


async def answer(service: Service, attempt: Attempt, caller: Caller) -> Lease:
    leased = await service.lease(attempt, caller)
    await service.submit(attempt, caller, leased.item.opaque, "an answer")
    return leased


async def refused(service: Service, attempt: Attempt, caller: Caller, item: str | None) -> str:
    with pytest.raises(ExamError) as caught:
        await service.lease(attempt, caller, item)
    return caught.value.message


async def test_two_clients_get_different_items(serve: Serve) -> None:
    service = serve()
    attempt = await begin(service)
    first, second = await service.lease(attempt, A), await service.lease(attempt, B)
    assert first.item.opaque != second.item.opaque
    assert (first.item.place, second.item.place) == (0, 1)


async def test_a_client_that_lost_the_result_gets_its_item_again(serve: Serve) -> None:
    service = serve()
    attempt = await begin(service)
    first = await service.lease(attempt, A)
    await service.lease(attempt, B)
    assert (await service.lease(attempt, A)).item.place == first.item.place


async def test_an_item_that_is_leased_is_refused_to_another_client(serve: Serve) -> None:
    service = serve()
    attempt = await begin(service)
    item = (await service.lease(attempt, A)).item.opaque
    assert await refused(service, attempt, B, item) == (
        f"item {item} is another client's ('A'); call get_item without an item for one of your own"
    )


async def test_a_lease_that_ran_out_returns_the_item(serve: Serve, now: list[int]) -> None:
    service = serve(lease_minutes=5)
    attempt = await begin(service)
    item = (await service.lease(attempt, A)).item.opaque
    now[0] += 5 * MINUTE
    assert (await service.lease(attempt, B)).item.opaque != item
    now[0] += 1
    assert (await service.lease(attempt, C)).item.opaque == item
    with pytest.raises(ExamError, match="another client's"):
        await service.submit(attempt, A, item, "late")


async def test_a_late_answer_counts_where_nobody_took_the_item(
    serve: Serve, now: list[int]
) -> None:
    service = serve(lease_minutes=5)
    attempt = await begin(service)
    item = (await service.lease(attempt, A)).item.opaque
    now[0] += 60 * MINUTE
    assert (await service.submit(attempt, A, item, "late")).progress.answered == 1


async def test_an_answered_item_never_returns(serve: Serve, now: list[int]) -> None:
    service = serve(lease_minutes=5)
    attempt = await begin(service)
    item = (await answer(service, attempt, A)).item.opaque
    now[0] += 600 * MINUTE
    assert (await service.lease(attempt, B)).item.opaque != item
    assert "another client's" in await refused(service, attempt, B, item)


async def test_an_item_is_answered_only_by_who_was_given_it(serve: Serve) -> None:
    service = serve()
    attempt = await begin(service)
    item = service.list_items(attempt)[0].id
    with pytest.raises(ExamError, match="call get_item with it first"):
        await service.submit(attempt, A, item, "never seen")
    with pytest.raises(ExamError, match="call get_item with it first"):
        service.held(attempt, A, item)


async def test_when_every_item_is_answered_the_attempt_can_be_finished(serve: Serve) -> None:
    service = serve()
    attempt = await begin(service)
    for _ in range(8):
        await answer(service, attempt, A)
    assert await refused(service, attempt, A, None) == (
        "every item is answered; call finish_attempt"
    )
    assert service.progress(attempt).open == 0


async def test_a_fresh_context_gets_one_item(serve: Serve) -> None:
    service = serve(contexts="fresh")
    attempt = await begin(service)
    first = await answer(service, attempt, A)
    assert "one question a context, and 'A' has had one" in await refused(service, attempt, A, None)
    other = service.list_items(attempt, after=first.item.place)[0].id
    assert "one question a context" in await refused(service, attempt, A, other)
    assert (await service.lease(attempt, B)).item.opaque == other


async def test_a_fresh_context_may_ask_for_its_item_again(serve: Serve) -> None:
    service = serve(contexts="fresh")
    attempt = await begin(service)
    item = (await answer(service, attempt, A)).item.opaque
    assert (await service.lease(attempt, A, item)).item.answered


async def test_a_fresh_context_that_lost_its_item_has_seen_it_all_the_same(
    serve: Serve, now: list[int]
) -> None:
    service = serve(contexts="fresh", lease_minutes=5)
    attempt = await begin(service)
    first = await service.lease(attempt, A)
    now[0] += 6 * MINUTE
    assert (await service.lease(attempt, B)).item.place == first.item.place
    assert "one question a context" in await refused(service, attempt, A, None)


async def test_contexts_that_see_several_items_get_one_half_of_each_pair(serve: Serve) -> None:
    service = serve("paired")
    attempt = await begin(service)
    assert attempt.total == 4
    leased = [(await answer(service, attempt, A)).item for _ in range(4)]
    assert len({item.pair for item in leased}) == 4
    for caller in (A, B):
        assert "every item is answered" in await refused(service, attempt, caller, None)
    # By the position in its pair: the fixture pairs neighbors.
    assert sorted(int(item.item[-1]) % 2 for item in leased) == [0, 0, 1, 1]


async def test_a_client_that_has_to_wait_is_not_told_to_take_another_name(serve: Serve) -> None:
    service = serve("paired")
    attempt = await begin(service)
    for _ in range(4):
        await service.lease(attempt, Caller("local", f"client {_}"))
    text = await refused(service, attempt, A, None)
    assert text == "the 4 open items are leased to other clients: ask again later"


async def test_where_it_is_allowed_one_client_sees_whole_pairs(serve: Serve) -> None:
    service = serve("paired", pairs_together=True)
    attempt = await begin(service)
    pairs = [(await answer(service, attempt, A)).item.pair for _ in range(8)]
    assert len(set(pairs)) == 4


async def test_a_list_says_who_has_an_item_until_its_lease_ends(
    serve: Serve, now: list[int]
) -> None:
    service = serve(lease_minutes=5)
    attempt = await begin(service)
    await service.lease(attempt, B)
    assert [item.leased_to for item in service.list_items(attempt)] == ["B", *[None] * 7]
    now[0] += 6 * MINUTE
    assert not any(item.leased_to for item in service.list_items(attempt))


async def test_a_list_comes_in_pages_of_open_or_answered_items(serve: Serve) -> None:
    service = serve()
    attempt = await begin(service)
    await answer(service, attempt, A)
    first = service.list_items(attempt, limit=3)
    assert [item.place for item in first] == [0, 1, 2]
    rest = service.list_items(attempt, after=first[-1].place)
    assert [item.place for item in rest] == [3, 4, 5, 6, 7]
    assert [item.place for item in service.list_items(attempt, answered=True)] == [0]
    assert len(service.list_items(attempt, answered=False)) == 7


async def test_a_client_finds_what_it_had_and_nobody_elses(serve: Serve) -> None:
    service = serve()
    attempt = await begin(service)
    await answer(service, attempt, A)
    await service.lease(attempt, B)
    mine = {name: service.list_items(attempt, client=name) for name in (A.client, B.client, "C")}
    assert [(one.place, one.answered) for one in mine[A.client]] == [(0, True)]
    assert [(one.place, one.answered) for one in mine[B.client]] == [(1, False)]
    assert mine["C"] == []
    assert service.list_items(attempt, client=B.client, answered=True) == []


async def test_views_are_counted_and_end(serve: Serve) -> None:
    service = serve(views=2)
    attempt = await begin(service)
    leased = await service.lease(attempt, A)
    assert leased.views_left == 2
    assert [await service.viewed(attempt, leased) for _ in range(2)] == [1, 0]
    with pytest.raises(ExamError, match=r"all 2 views of item .* are used; answer it now"):
        await service.viewed(attempt, leased)
    assert service.held(attempt, A, leased.item.opaque).views_left == 0


async def test_views_without_a_limit_are_not_counted(serve: Serve) -> None:
    service = serve()
    attempt = await begin(service)
    leased = await service.lease(attempt, A)
    assert await service.viewed(attempt, leased) is None


@pytest.mark.parametrize("name", ["", "x" * 65, "a\nb", "\ud83d", "\x00"])
def test_a_client_has_a_name_that_can_be_kept(name: str) -> None:
    with pytest.raises(ExamError, match="1 to 64 printable"):
        Caller(client=name)


async def test_an_unknown_item_is_said_to_be_unknown(serve: Serve) -> None:
    service = serve()
    attempt = await begin(service)
    assert await refused(service, attempt, A, "x" * 99) == (
        f"this attempt has no item {'x' * 40!r}; list_items has their ids"
    )
