"""Each judge's calls and verdicts beside those of its published script.

`vectors.json` was recorded by running the scripts themselves, at the commits that the profiles
name, with a stub in place of the model: of each call the roles, the digests of the texts and, in
their order, the pictures' format, size, detail and quantization; the parameters; the verdicts.
"""

import asyncio
import base64
import hashlib
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from snellen.grading.errors import InputError, UnknownNameError

pytest.importorskip("inspect_ai")

from inspect_ai.model import ChatMessage, Content, ContentImage, ContentText

from snellen.sdk.judges import webvoyager
from snellen.sdk.judges.profile import Verdict, profile, status
from snellen.sdk.judges.task import JUDGES, judge
from snellen.sdk.judges.trajectories import Trajectory, trajectories

VECTORS: dict[str, Any] = json.loads(Path(__file__).with_name("vectors.json").read_text())
INPUTS: dict[str, Any] = VECTORS["inputs"]
REQUESTS = [(name, case) for name in JUDGES for case in VECTORS[name]["requests"]]


def shots(folder: Path, name: str) -> None:
    """Write screenshots that differ in size, one of them with transparency."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, (width, height) in INPUTS["screenshots"].items():
        alpha = number == "10"
        color = (20, 90, 160, 200) if alpha else (20, 90, 160)
        image = Image.new("RGBA" if alpha else "RGB", (width, height), color)
        image.save(folder / name.format(number))


def chat(messages: int | None = None) -> list[dict[str, Any]]:
    """Return a chat of WebVoyager's, or its first messages."""
    task = f"Now given a task: {INPUTS['task']}  Please interact with https://x.test and get"
    steps = [*INPUTS["actions"], f"ANSWER; [{INPUTS['answer']}]"]
    turns: list[dict[str, Any]] = [
        {"role": "system", "content": "You are a robot."},
        {"role": "user", "content": [{"type": "text", "text": task}]},
    ]
    for thought, step in zip(INPUTS["thoughts"], steps, strict=True):
        turns += [
            {"role": "assistant", "content": f"Thought: {thought}\n\nAction: {step}"},
            {"role": "user", "content": "Observation: A screenshot and some texts."},
        ]
    return turns[:-1][:messages]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Return a folder with both layouts."""
    for number, messages in enumerate((None, 6, 1)):
        folder = tmp_path / f"taskShop--{number}"
        shots(folder, "screenshot{}.png")
        Image.new("RGB", (99, 99)).save(folder / "screenshot12_no_box.png")
        (folder / "interact_messages.json").write_text(json.dumps(chat(messages)))
    folder = tmp_path / "a1"
    shots(folder / "trajectory", "{}_full_screenshot.png")
    result = {
        "task": INPUTS["task"],
        "thoughts": INPUTS["thoughts"],
        "action_history": INPUTS["actions"],
        "final_result_response": INPUTS["answer"],
    }
    (folder / "result.json").write_text(json.dumps(result))
    return tmp_path


def parts(content: str | list[Content]) -> list[list[object]]:
    texts = [ContentText(text=content)] if isinstance(content, str) else content
    return [part_of(part) for part in texts]


def part_of(part: Content) -> list[object]:
    if isinstance(part, ContentText):
        return ["text", hashlib.sha256(part.text.encode()).hexdigest()]
    assert isinstance(part, ContentImage)
    image = picture_of(part)
    tables: dict[int, list[int]] | None = getattr(image, "quantization", None)
    listed = json.dumps([list(tables[key]) for key in sorted(tables)]) if tables else None
    quality = hashlib.sha256(listed.encode()).hexdigest() if listed else None
    return ["image", image.format, *image.size, part.detail, quality]


def picture_of(part: ContentImage) -> Image.Image:
    head, _, data = part.image.partition(",")
    image = Image.open(io.BytesIO(base64.b64decode(data)))
    assert head == f"data:image/{str(image.format).lower()};base64"
    return image


def judged(
    name: str, trajectory: Trajectory, reply: Callable[[list[ChatMessage]], str], **settings: int
) -> tuple[Verdict, list[object]]:
    """Return a verdict, and the calls that were made."""
    calls: list[object] = []

    async def ask(messages: list[ChatMessage]) -> str:
        calls.append([[turn.role, parts(turn.content)] for turn in messages])
        return reply(messages)

    used = profile(name)
    verdict = asyncio.run(JUDGES[name](trajectory, used, used.set(**settings), ask))
    return verdict, calls


def read(run: Path, item: str) -> Trajectory:
    found = trajectories(run)[item]
    assert isinstance(found, Trajectory)
    return found


def scripted(replies: dict[str, Any]) -> Callable[[list[ChatMessage]], str]:
    """Return what answers as the stub did: a screenshot's reply by its width."""

    def reply(messages: list[ChatMessage]) -> str:
        text = messages[1].text
        if text.startswith("Task: "):
            return replies["points"]
        if text.startswith("**Task**"):
            (image,) = [part for part in messages[1].content if isinstance(part, ContentImage)]
            return replies["images"][picture_of(image).width - 40]
        return replies["verdict"]

    return reply


@pytest.mark.parametrize(("name", "case"), REQUESTS)
def test_a_judge_calls_and_decides_as_its_published_script(
    name: str, case: dict[str, Any], run: Path
) -> None:
    trajectory = read(run, case.get("id", "a1"))
    reply = scripted(case.get("replies", {"verdict": "SUCCESS"}))
    verdict, calls = judged(name, trajectory, reply, **case.get("settings", {}))
    assert calls == case["calls"]
    assert (verdict.value, verdict.calls) == (case["value"], len(case["calls"]))
    for sent in case.get("parameters", ()):
        assert profile(name).decoding == sent


def test_the_png_files_are_sent_as_they_are(run: Path) -> None:
    sent: list[bytes] = []

    def reply(messages: list[ChatMessage]) -> str:
        images = [part for part in messages[1].content if isinstance(part, ContentImage)]
        sent.extend(base64.b64decode(part.image.partition(",")[2]) for part in images)
        return "SUCCESS"

    verdict, _ = judged("webvoyager", read(run, "Shop--0"), reply, screenshots=2)
    names = ["screenshot10.png", "screenshot11.png"]
    assert verdict.about["screenshots"] == names
    assert sent == [(run / "taskShop--0" / name).read_bytes() for name in names]


@pytest.mark.parametrize(("reply", "published"), VECTORS["webvoyager"]["verdicts"])
def test_a_reply_of_webvoyagers_judge_is_read_as_published(
    reply: str, published: int | None
) -> None:
    assert webvoyager.read(reply) == published


@pytest.mark.parametrize("name", ["agenttrek", "webjudge"])
def test_a_status_is_read_as_published_but_none_is_no_failure(name: str) -> None:
    found = {reply: status(reply) for reply, _ in VECTORS[name]["verdicts"]}
    published = dict(VECTORS[name]["verdicts"])
    assert [reply for reply in found if found[reply] is None] == [
        "Status: unclear",
        "I can not say.",
        "**Status**: success",
    ]
    assert all(value in (None, published[reply]) for reply, value in found.items())
    assert all(published[reply] == 0 for reply, value in found.items() if value is None)


def test_webjudge_keeps_scores_of_three_or_more_and_says_so(run: Path) -> None:
    (case, _) = VECTORS["webjudge"]["requests"]
    verdict, _ = judged("webjudge", read(run, "a1"), scripted(case["replies"]))
    assert verdict.about["scores"] == [3, 2, 0, 5]
    assert verdict.about["screenshots"] == ["2_full_screenshot.png", "11_full_screenshot.png"]
    assert verdict.about["key_points"].splitlines()[1:] == [
        "1. Find a coat.",
        "2. Filter by cheapest.",
        "3. Under $50.",
    ]
    verdict, _ = judged("webjudge", read(run, "a1"), scripted(case["replies"]), threshold=5)
    assert verdict.about["screenshots"] == ["11_full_screenshot.png"]


@pytest.mark.parametrize("name", JUDGES)
def test_a_judge_without_screenshots_is_not_asked(name: str, run: Path) -> None:
    for file in run.rglob("*.png"):
        file.unlink()
    with pytest.raises(InputError, match=r"a1/result\.json, field 'screenshots'"):
        judged(name, read(run, "a1"), lambda messages: "SUCCESS")


@pytest.mark.parametrize("name", JUDGES)
def test_a_damaged_screenshot_is_named(name: str, run: Path) -> None:
    file = run / "a1/trajectory/11_full_screenshot.png"
    file.write_bytes(file.read_bytes()[:40])
    with pytest.raises(InputError, match="11_full_screenshot"):
        judged(name, read(run, "a1"), lambda messages: "SUCCESS")


def test_a_signature_has_the_settings_that_differ_from_the_published_ones() -> None:
    used = profile("webvoyager")
    assert used.signature(used.set(screenshots=1)) == "judge:webvoyager@1"
    assert used.signature(used.set(screenshots=15)) == "judge:webvoyager@1+screenshots:15"


def test_what_is_no_judge_or_setting_is_refused(run: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'webjudge'"):
        judge(str(run), "webjudg")
    with pytest.raises(InputError, match="it has: threshold, max_images"):
        judge(str(run), "webjudge", screenshots=3)
    with pytest.raises(InputError, match="at least 1, not 0"):
        judge(str(run), "webjudge", threshold=0)


@pytest.mark.parametrize("name", JUDGES)
def test_a_profile_fits_in_150_lines_of_code_and_names_its_source(name: str) -> None:
    used = profile(name)
    assert (len(used.commit), used.license) in ((40, "MIT"), (40, "Apache-2.0"))
    code = Path(webvoyager.__file__).with_name(f"{name}.py").read_text()
    assert len(code.splitlines()) <= 150
