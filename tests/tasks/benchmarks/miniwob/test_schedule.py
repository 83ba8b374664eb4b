"""Which episodes an exam has; BrowserGym's are known by their digest."""

from hashlib import sha256

from snellen.tasks.benchmarks.miniwob import schedule
from snellen.tasks.benchmarks.miniwob.null_agents import played

PAGES = tuple(played()["nothing"])


def test_browsergyms_schedule_is_the_one_that_evalscope_pins() -> None:
    starts = schedule.browsergym_seeds(PAGES)
    text = "\n".join(f"miniwob.{page}:{seed}" for page, seed in starts)
    # EvalScope checks this digest of the schedule that it makes.
    assert sha256(text.encode()).hexdigest() == (
        "1c4281f89238d9bded471d39f1c94b8e90be52a722ed371c1949b79c40daec51"
    )
    assert (len(starts), len(set(starts))) == (625, 590)
    assert {seed for _, seed in starts} == set(range(34))


def test_its_pages_get_seeds_of_their_own() -> None:
    starts = schedule.browsergym_schedule(reversed(PAGES))
    assert len({start.page for start in starts}) == 125
    assert not {start.page for start in starts} & schedule.NOT_IN_BROWSERGYM
    assert starts[0] == ("ascending-numbers", schedule.page_seed(28))


def test_drawn_seeds_are_all_different_and_the_same_again() -> None:
    starts = schedule.drawn(["click-test", "click-button"], seed=1, count=50)
    assert [start.page for start in starts] == ["click-test"] * 50 + ["click-button"] * 50
    assert len(set(starts)) == 100
    assert starts == schedule.drawn(["click-test", "click-button"], seed=1, count=50)
    assert starts != schedule.drawn(["click-test", "click-button"], seed=2, count=50)
