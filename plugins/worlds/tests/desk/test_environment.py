"""A desk in the browser: oracles by mouse and keyboard, equal pixels, one click a step."""

from collections.abc import AsyncIterator
from copy import deepcopy

import pytest
import pytest_asyncio
from desk_oracle import inputs

from snellen.grading.errors import DataError
from snellen.tasks.environments.base import EpisodeError, History
from snellen.tasks.environments.browser import Browser
from snellen.tasks.environments.inputs import Input, InputKind
from snellen.worlds.desk.environment import Desk, DeskEpisode
from snellen.worlds.desk.tasks import DIFFICULTIES, Step, Task, passes
from snellen.worlds.desk.templates.table import TEMPLATES
from snellen.worlds.desk.world.generator import make_world

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def desk(browser: Browser) -> AsyncIterator[Desk]:
    yield Desk(browser)


def make(name: str) -> Task:
    index = sorted(TEMPLATES).index(name)
    return TEMPLATES[name].make(40 + index, DIFFICULTIES[index % 3])


async def do(episode: DeskEpisode, steps: tuple[Step, ...]) -> list[Input]:
    acted: list[Input] = []
    for step in steps:
        for given in await inputs(episode, step):
            assert await episode.act(given) == ""
            acted.append(given)
    return acted


FEW = ("mail-reply", "calendar-move", "contacts-group", "shop-buy")


@pytest.mark.parametrize("name", FEW)
async def test_a_task_is_done_by_mouse_and_keyboard_and_shows_what_a_snapshot_of_it_shows(
    desk: Desk, name: str
) -> None:
    task = make(name)
    episode = await desk.open({"state": task.state})
    acted = await do(episode, task.oracle)
    assert len(acted) <= task.limit
    assert passes(task, episode.desktop.state, task.answer.value if task.answer else None)
    assert episode.result == {"changes": task.expected}
    again = await desk.open({"state": task.state}, History(acted, deepcopy(episode.snapshot)))
    assert await again.view() == await episode.view()
    await again.close()
    await episode.close()


async def test_the_same_inputs_show_the_same_pixels_three_times(desk: Desk) -> None:
    task = make("accept-meeting")

    async def shots() -> list[bytes]:
        episode = await desk.open({"state": task.state})
        shown = [await episode.view()]
        for step in task.oracle:
            await do(episode, (step,))
            shown.append(await episode.view())
        await episode.close()
        return shown

    first = await shots()
    assert len(set(first)) > len(task.oracle) / 2
    assert await shots() == first
    assert await shots() == first


async def test_an_episode_comes_back_from_its_snapshot_with_the_same_pixels(desk: Desk) -> None:
    task = make("accept-meeting")
    episode = await desk.open({"state": task.state})
    acted: list[Input] = []
    for step in task.oracle:
        acted += await do(episode, (step,))
        again = await desk.open({"state": task.state}, History(acted, deepcopy(episode.snapshot)))
        assert await again.view() == await episode.view(), step
        assert again.result == episode.result
        await again.close()
    await episode.close()


async def test_a_text_that_is_half_written_comes_back_with_its_selection(desk: Desk) -> None:
    episode = await desk.open({"state": make("mail-reply").state, "ui": {"app": "mail"}})
    acted = await do(episode, (Step("mail.new"), Step("form.body", "one\ntwo\nthree")))
    last = Input(InputKind.KEY, keys=("Shift", "Home"))
    await episode.act(last)
    again = await desk.open({"state": make_world(1)}, History([*acted, last], episode.snapshot))
    assert await again.view() == await episode.view()
    await again.act(Input(InputKind.TYPE, text="four"))
    assert again.desktop.ui["form.body"] == "one\ntwo\nfour"
    await again.close()
    await episode.close()


async def test_a_script_that_posts_many_times_changes_no_more_than_one_click(desk: Desk) -> None:
    task = make("mail-star")
    episode = await desk.open({"state": task.state, "ui": {"app": "mail"}})
    key = next(
        control.key
        for control in episode.desktop.page.controls.values()
        if control.key.startswith("mail.star:")
    )
    await episode.stage.run(
        """() => document.addEventListener("click", () => {
          for (let count = 0; count < 22; count++) {
            const all = [...document.querySelectorAll("[data-c].star")];
            fetch("/act", { method: "POST", body: JSON.stringify(
              { control: all[count % all.length].dataset.c, fields: {} }) });
          }
        }, { capture: true })"""
    )
    await do(episode, (Step(key),))
    await episode.act(Input(InputKind.WAIT, seconds=0.1))
    changed = episode.result["changes"]
    assert isinstance(changed, dict)
    assert len(changed["changed"]) == 1  # pyright: ignore[reportArgumentType]  # a dict
    await episode.close()


async def test_enter_in_a_field_clicks_its_button(desk: Desk) -> None:
    episode = await desk.open({"state": make("mail-star").state, "ui": {"app": "contacts"}})
    await do(episode, (Step("contacts.search", "finance"),))
    await episode.act(Input(InputKind.KEY, keys=("Enter",)))
    assert episode.desktop.ui["contacts.search.done"] == "finance"
    await episode.close()


async def test_a_world_without_a_state_is_refused(desk: Desk) -> None:
    with pytest.raises(DataError, match="the world of a desk needs 'state'"):
        await desk.open({"ui": {}})
    with pytest.raises(DataError, match="world has no 'clock'"):
        await desk.open({"state": {}})
    with pytest.raises(EpisodeError, match="is reopened from its snapshot"):
        await desk.open({"state": make_world(1)}, History([Input(InputKind.TYPE, text="a")]))
