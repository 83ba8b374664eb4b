"""A wiki in the browser: oracles by mouse and keyboard, equal pixels, nothing that gets in."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from pydantic import JsonValue
from wiki_hand import Hand, HandError
from wikis import needs_package

from snellen.grading.errors import DataError
from snellen.tasks.environments.base import EpisodeError, History
from snellen.tasks.environments.browser import Browser
from snellen.tasks.environments.inputs import Input, InputKind
from snellen.worlds.tiddlywiki.build import build_wiki
from snellen.worlds.tiddlywiki.environment import TiddlyWiki
from snellen.worlds.tiddlywiki.making import TEMPLATES
from snellen.worlds.tiddlywiki.state import Edit
from snellen.worlds.tiddlywiki.tasks import Difficulty, Task

pytestmark = [
    pytest.mark.browser,
    needs_package,
    pytest.mark.asyncio(loop_scope="module"),
]


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def wikis(browser: Browser) -> AsyncIterator[TiddlyWiki]:
    yield TiddlyWiki(browser)


def world_of(task: Task) -> dict[str, JsonValue]:
    return {"tiddlers": [dict(each) for each in task.tiddlers], "wiki": build_wiki()}


def small(*tiddlers: dict[str, JsonValue]) -> dict[str, JsonValue]:
    return {"tiddlers": [*tiddlers], "wiki": build_wiki()}


def tea(text: str = "Hot.") -> dict[str, JsonValue]:
    return {"title": "Tea", "text": text, "tags": "drink"}


START: dict[str, JsonValue] = {"title": "$:/DefaultTiddlers", "text": "Tea"}


async def check(wikis: TiddlyWiki, name: str, difficulty: Difficulty, seed: int) -> None:
    task = TEMPLATES[name].make(seed, difficulty)
    episode = await wikis.open(world_of(task))
    hand = Hand(episode)
    for title in task.looks:
        await hand.look(title)
    for edit in task.oracle:
        await hand.do(edit)
    assert episode.result == {"changes": task.expected}
    assert len(hand.acted) <= task.limit / 2
    await episode.close()


FEW = ("wiki-create", "wiki-delete", "wiki-owner")


@pytest.mark.parametrize("name", FEW)
async def test_a_task_is_done_by_mouse_and_keyboard(wikis: TiddlyWiki, name: str) -> None:
    await check(wikis, name, "medium", 40)


EDITED = sorted({*TEMPLATES} - {"wiki-budget"})


# A seed changes words, not what is clicked; test_making.py has twenty.
@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "seed", "difficulty"),
    [
        ("wiki-budget", 0, "easy"),
        *((name, 1, "medium") for name in sorted({*TEMPLATES} - {*FEW})),
        *((name, 2, "hard") for name in TEMPLATES),
    ],
)
async def test_a_task_of_each_template_is_done_by_mouse_and_keyboard(
    wikis: TiddlyWiki, name: str, difficulty: Difficulty, seed: int
) -> None:
    await check(wikis, name, difficulty, seed)


@pytest.mark.thorough
@pytest.mark.parametrize("name", EDITED)
async def test_an_easy_task_is_done_and_an_oracle_without_a_text_or_its_last_click_fails(
    wikis: TiddlyWiki, name: str
) -> None:
    task = TEMPLATES[name].make(4, "easy")
    (edit,) = task.oracle
    episode = await wikis.open(world_of(task))
    hand = Hand(episode)
    await hand.do(edit)
    assert episode.result == {"changes": task.expected}
    assert len(hand.acted) <= task.limit / 2
    await episode.close()
    # What is typed into the search is no part of what is written.
    first = 0 if edit.kind == "new" else 4
    texts = [
        index
        for index, given in enumerate(hand.acted)
        if given.kind is InputKind.TYPE and index >= first
    ]
    for left_out in (*texts, len(hand.acted) - 1):
        inputs = hand.acted[:left_out] + hand.acted[left_out + 1 :]
        again = await wikis.open(world_of(task), History(inputs))
        assert again.result != {"changes": task.expected}, hand.acted[left_out]
        await again.close()


async def test_the_same_inputs_show_the_same_pixels_and_bring_an_episode_back(
    wikis: TiddlyWiki,
) -> None:
    task = TEMPLATES["wiki-line"].make(3, "easy")
    episode = await wikis.open(world_of(task))
    hand = Hand(episode)
    await hand.do(task.oracle[0])
    await hand.look("Start")
    # In the middle of a word, in the search.
    halfway = Input(InputKind.TYPE, text="half")
    await episode.act(halfway)
    inputs = [*hand.acted, halfway]
    shown = await episode.view()
    assert episode.snapshot is None
    for _ in range(2):
        again = await wikis.open(world_of(task), History(inputs))
        assert await again.view() == shown
        assert again.result == episode.result == {"changes": task.expected}
        await again.close()
    await episode.close()


async def test_looking_around_changes_nothing_and_a_note_left_in_the_editor_does(
    wikis: TiddlyWiki,
) -> None:
    episode = await wikis.open(small(tea(), {"title": "Salt", "text": "White."}, START))
    hand = Hand(episode)
    await hand.look("Salt")
    nothing: dict[str, Any] = {"changed": {}, "added": {}, "removed": {}}
    assert episode.result == {"changes": nothing}
    await hand.click("edit", "Salt")
    draft = {
        "title": "Draft of 'Salt'",
        "text": "White.",
        "draft.of": "Salt",
        "draft.title": "Salt",
    }
    assert episode.result == {"changes": {**nothing, "added": {"tiddlers": [draft]}}}
    await hand.click("save")
    assert episode.result == {"changes": nothing}
    await episode.close()


async def test_the_browsers_own_questions_are_answered_and_the_agent_hears_of_them(
    wikis: TiddlyWiki,
) -> None:
    episode = await wikis.open(small(tea(), START))
    hand = Hand(episode)
    await hand.click("edit", "Tea")
    note = await hand.click("delete")
    assert "Tea" in note
    assert "Yes was chosen" in note
    assert episode.result["changes"] == {
        "changed": {},
        "added": {},
        "removed": {"tiddlers": [{"title": "Tea", "text": "Hot.", "tags": ["drink"]}]},
    }
    await episode.close()


@pytest.mark.parametrize(
    "text",
    [
        "<script>document.title = 'in'</script>",
        "<iframe srcdoc=\"<script>parent.document.title = 'in'</script>\"></iframe>",
        '<a href="javascript:document.title = \'in\'" class="way">way in</a>',
        "<img src=x onerror=\"document.title = 'in'\">",
        "<svg><script>document.title = 'in'</script></svg>",
        "</script><script>document.title = 'in'</script>",
    ],
)
async def test_no_script_in_a_note_runs(wikis: TiddlyWiki, text: str) -> None:
    episode = await wikis.open(small(tea(text), START))
    await episode.stage.run("() => document.querySelector('.way')?.click()")
    await episode.act(Input(InputKind.WAIT, seconds=1))
    assert await episode.stage.run("() => document.title") != "in"
    assert episode.state["Tea"]["text"] == text
    await episode.close()


async def test_a_wiki_that_does_not_begin_as_its_world_says_is_no_episode(
    wikis: TiddlyWiki,
) -> None:
    # An action that the wiki runs by itself when it starts.
    action: dict[str, JsonValue] = {
        "title": "start",
        "tags": "$:/tags/StartupAction",
        "text": "<$action-setfield $tiddler=Tea text=Cold/>",
    }
    with pytest.raises(EpisodeError, match="differs from its world"):
        await wikis.open(small(tea(), action, START))


@pytest.mark.parametrize(
    ("world", "said"),
    [
        ({"tiddlers": []}, "expected {tiddlers, wiki}.*wiki"),
        ({"tiddlers": [], "wiki": "x"}, "wiki"),
        ({"tiddlers": [{"text": "a"}], "wiki": "0" * 64}, "titles of their own, not ''"),
        ({"tiddlers": [{"title": "a"}, {"title": "a"}], "wiki": "0" * 64}, "not 'a'"),
    ],
)
async def test_a_world_that_is_none_is_refused(
    wikis: TiddlyWiki, world: JsonValue, said: str
) -> None:
    with pytest.raises(DataError, match=said):
        await wikis.open(world)


async def test_a_wiki_of_another_version_can_not_be_opened(wikis: TiddlyWiki) -> None:
    with pytest.raises(EpisodeError, match="the installed package makes"):
        await wikis.open({"tiddlers": [], "wiki": "0" * 64})


async def test_an_edit_of_what_no_search_finds_is_said(wikis: TiddlyWiki) -> None:
    episode = await wikis.open(small(tea(), START))
    with pytest.raises(HandError, match="the page shows no result Coffee"):
        await Hand(episode).do(Edit("Coffee", "delete"))
    await episode.close()
