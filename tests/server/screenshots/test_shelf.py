"""A shelf: within its budget, the last used stay, each is made once."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.server.screenshots.shelf import Shelf


def shelf(budget: int = 10) -> Shelf[str, bytes]:
    return Shelf(budget, len)


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(0, 12)), max_size=40))
def test_it_never_weighs_more_than_its_budget(steps: list[tuple[str, int]]) -> None:
    kept = shelf()
    for key, size in steps:
        value = kept.get(key, lambda size=size: b"x" * size)
        assert kept.held(key) in (value, None)
        held = [kept.held(each) for each in "abcdef"]
        assert kept.weight == sum(len(each) for each in held if each is not None) <= 10


def test_what_was_not_used_for_longest_goes_first() -> None:
    kept = shelf()
    kept.get("a", lambda: b"aaaa")
    kept.get("b", lambda: b"bbbb")
    kept.held("a")
    kept.get("c", lambda: b"cccc")
    assert [kept.held(key) for key in "abc"] == [b"aaaa", None, b"cccc"]
    assert len(kept) == 2


def test_what_is_heavier_than_the_budget_is_handed_out_and_not_kept() -> None:
    kept = shelf()
    kept.get("a", lambda: b"aaaa")
    assert kept.get("b", lambda: b"x" * 11) == b"x" * 11
    assert (kept.held("a"), kept.held("b")) == (b"aaaa", None)


def test_many_threads_make_it_once() -> None:
    kept, made, together = shelf(), list[int](), Barrier(8)

    def make() -> bytes:
        made.append(1)
        return b"once"

    def ask() -> bytes:
        together.wait()
        return kept.get("a", make)

    with ThreadPoolExecutor(8) as pool:
        found = [future.result() for future in [pool.submit(ask) for _ in range(8)]]
    assert found == [b"once"] * 8
    assert len(made) == 1


def test_who_asks_while_it_is_being_made_waits_for_that() -> None:
    kept, begun, go = shelf(), Event(), Event()

    def make() -> bytes:
        begun.set()
        go.wait()
        return b"slow"

    with ThreadPoolExecutor(2) as pool:
        first = kept.start("a", make, pool.submit)
        begun.wait()
        second = kept.start("a", lambda: b"never", pool.submit)
        go.set()
        assert first.result() == second.result() == b"slow"


def test_a_failure_reaches_all_who_wait_and_is_not_kept() -> None:
    kept = shelf()

    def fail() -> bytes:
        raise KeyError("broken")

    with pytest.raises(KeyError, match="broken"):
        kept.get("a", fail)
    assert kept.get("a", lambda: b"fine") == b"fine"


def test_a_closed_pool_is_said_to_who_asks() -> None:
    kept, pool = shelf(), ThreadPoolExecutor(1)
    pool.shutdown()
    with pytest.raises(RuntimeError, match="after shutdown"):
        kept.start("a", lambda: b"x", pool.submit).result()
    assert kept.get("a", lambda: b"x") == b"x"
