"""The exam client, against a real server over pipes."""

import os
import sys
from pathlib import Path

import pytest

from snellen import sdk


@pytest.fixture(autouse=True)
def path(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the server that is started find the package as the tests do."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(entry for entry in sys.path if entry))


@pytest.fixture
def options(tmp_path: Path) -> list[str]:
    return [
        "wireframes",
        "--store",
        str(tmp_path / "exam.sqlite"),
        "--sample",
        "2",
        "--mode",
        "practice",
    ]


@pytest.mark.slow
async def test_an_attempt_is_taken_item_by_item_and_resumed(options: list[str]) -> None:
    async with sdk.ExamClient.launch(options) as exam:
        assert (await exam.tasks())["screenqa/short"] == 2
        attempt = await exam.start(["screenqa/short"], model="test", agent="a")
        async for item in attempt:
            assert item.screenshot is not None
            view = await attempt.screenshot(item, region=[0, 0, 20, 10])
            assert view.data
            assert view.view.endswith(" at 20x10")
            assert await attempt.submit(item, "2") is not None
            break
        again = exam.resume(attempt.handle)
        progress = await again.progress()
        assert (progress.answered, len(progress.open), progress.free) == (1, 1, 1)
        held = await again.item(client="b")
        assert [held.id] == list(progress.open)
        assert await again.answered_by("b") == [False]
        assert (await again.progress()).holders == ["b"]
        assert (await again.finish())["tasks"][0]["answered"] == 1


@pytest.mark.slow
async def test_what_goes_wrong_is_said(options: list[str]) -> None:
    async with sdk.ExamClient.launch(options) as exam:
        with pytest.raises(sdk.ExamRefusedError, match=r"the exam refuses start_attempt: .*wrong"):
            await exam.start(["wrong"])
        with pytest.raises(sdk.ExamRefusedError, match="the exam refuses list_items"):
            await exam.resume("att_wrong").progress()
    with pytest.raises(sdk.ExamUnreachableError, match=r"does not start: .*no/such/pack"):
        async with sdk.ExamClient.launch(["no/such/pack"]):
            pass


@pytest.mark.slow
async def test_what_a_block_raises_comes_out_as_it_is(options: list[str]) -> None:
    with pytest.raises(ZeroDivisionError):
        async with sdk.ExamClient.launch(options):
            raise ZeroDivisionError
