"""Questions: each image scaled once for all questions on it."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from snellen import sdk
from snellen.grading.errors import DataError
from snellen.sdk.models.questions import ItemQuestions

Benchmark = Callable[[int], Path]
Screenshots = Callable[[int], Path]


async def test_questions_on_one_screen_share_its_scaled_view(
    benchmark: Benchmark, screenshots: Screenshots
) -> None:
    data = sdk.load("screenqa/short", benchmark(6), images=screenshots(2))
    questions = ItemQuestions(data, data.ids, with_images=True, max_view_side=30)
    made = await asyncio.gather(*(questions.make(item_id) for item_id in data.ids))
    views = [question.images["screen"] for question in made]
    assert (views[0].width, views[0].height) == (20, 30)
    assert views[0] is views[1] is views[2]
    assert views[3] is views[4] is views[5]
    assert views[0].data != views[3].data


async def test_one_who_is_cancelled_takes_no_view_from_the_others(
    benchmark: Benchmark, screenshots: Screenshots
) -> None:
    data = sdk.load("screenqa/short", benchmark(2), images=screenshots(1))
    questions = ItemQuestions(data, data.ids, with_images=True, max_view_side=30)
    first, second = (asyncio.ensure_future(questions.make(item_id)) for item_id in data.ids)
    await asyncio.sleep(0)
    first.cancel()
    assert (await second).images["screen"].height == 30
    assert first.cancelled()


@pytest.mark.parametrize("max_view_side", [None, 30])
async def test_an_image_that_is_none_is_named(
    benchmark: Benchmark, screenshots: Screenshots, max_view_side: int | None
) -> None:
    images = screenshots(2)
    (images / "1.png").write_bytes(b"nothing")
    data = sdk.load("screenqa/short", benchmark(6), images=images)
    questions = ItemQuestions(data, data.ids, with_images=True, max_view_side=max_view_side)
    for item_id in ("test/1/0", "test/1/1"):
        with pytest.raises(DataError, match=f"image 'screen' of {item_id}: 7 bytes that are no"):
            await questions.make(item_id)


async def test_without_images_the_prompt_is_all_there_is(benchmark: Benchmark) -> None:
    folder = benchmark(1)
    path = folder / "short_answers" / "test.json"
    assert json.loads(path.read_text(encoding="utf-8"))[0]["question"] == "Number 0?"
    data = sdk.load("screenqa/short", folder)
    question = await ItemQuestions(data, data.ids, with_images=False, max_view_side=None).make(
        "test/0/0"
    )
    assert question.images == {}
    assert question.prompt == data.item("test/0/0").prompt
    assert question.prompt.endswith("Question: Number 0?")
