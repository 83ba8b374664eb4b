"""The agents of `examples/agents`, with recorded replies of models in the form of each API."""

import base64
import io
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from lamps import SIZE, middle
from PIL import Image

pytest.importorskip("openai", reason="openai-agents is not installed")

from openai.types.responses import Response
from openai.types.responses.response_computer_tool_call import ActionWait

AGENTS = Path(__file__).parents[3] / "examples" / "agents"
INFEASIBLE = '{"status": "infeasible", "reason_code": "conflict"}'
LAMPS: Mapping[int, Sequence[int]] = {0: [0], 1: [1, 2], 2: [], 3: [3]}
"""What is to be lit in each task."""
WORDS = {2: INFEASIBLE, 3: "7"}
"""What is said at the end where it is not just done."""


@pytest.fixture
def agent_named(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    """Import examples as a script beside them would."""
    monkeypatch.setattr(sys, "path", [str(AGENTS), *sys.path])
    return import_module


def number_of(prompt: str) -> int:
    found = re.match(r"Task (\d)", prompt)
    assert found is not None
    return int(found[1])


def check_screen(encoded: str) -> None:
    with Image.open(io.BytesIO(base64.b64decode(encoded))) as image:
        assert image.size == SIZE


class Claude:
    """Says what Anthropic's API returns: tool calls of `computer`."""

    async def create(self, *, tools: Any, messages: Any) -> Any:
        assert (tools[0]["display_width_px"], tools[0]["display_height_px"]) == SIZE
        first = messages[0]["content"]
        task, done = number_of(first[0]["text"]), len(messages) // 2
        last = messages[-1]["content"][-1]
        if done:
            assert last["tool_use_id"] == f"toolu_{done - 1}"
            last = last["content"][-1]
        check_screen(last["source"]["data"])
        if done < len(LAMPS[task]):
            x, y = middle(LAMPS[task][done])
            given = {"action": "left_click", "coordinate": [x, y]}
            call = SimpleNamespace(type="tool_use", id=f"toolu_{done}", input=given)
            return SimpleNamespace(content=[SimpleNamespace(type="text", text="I click."), call])
        said = SimpleNamespace(type="text", text=WORDS.get(task, "done"))
        return SimpleNamespace(content=[said])


class OpenAI:
    """Says what OpenAI's Responses API returns, as the types of its library read it."""

    form = "actions"

    def __init__(self) -> None:
        self.task = 0
        self.done = 0

    async def create(
        self, *, tools: Any, truncation: str, previous_response_id: str = "", **given: Any
    ) -> Response:
        (sent,) = given["input"]
        assert truncation == "auto"
        self.check_tool(tools[0])
        if not previous_response_id:
            asked, picture = sent["content"]
            self.task, self.done = number_of(asked["text"]), 0
            check_screen(picture["image_url"].partition(",")[2])
        else:
            assert previous_response_id == "resp_1"
            assert sent["call_id"] == f"call_{self.done}"
            assert sent["acknowledged_safety_checks"][0]["code"] == "malicious_instructions"
            check_screen(sent["output"]["image_url"].partition(",")[2])
        if self.done < len(LAMPS[self.task]):
            x, y = middle(LAMPS[self.task][self.done])
            self.done += 1
            action = {"type": "click", "button": "left", "x": int(x), "y": int(y)}
            call = {"type": "computer_call", "id": "cu_1", "call_id": f"call_{self.done}"}
            check = {"id": "sc_1", "code": "malicious_instructions", "message": "careful"}
            more = {"pending_safety_checks": [check], "status": "completed"}
            asked = action if self.form == "action" else [action]
            return response({**call, **more, self.form: asked})
        text: dict[str, Any] = {
            "type": "output_text",
            "text": WORDS.get(self.task, "done"),
            "annotations": [],
        }
        message = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed"}
        return response({**message, "content": [text]})

    def check_tool(self, tool: Mapping[str, Any]) -> None:
        assert tool == {"type": "computer"}


class OpenAIPreview(OpenAI):
    """The same of the earlier tool, whose calls hold one action each."""

    form = "action"

    def check_tool(self, tool: Mapping[str, Any]) -> None:
        assert (tool["display_width"], tool["display_height"]) == SIZE
        assert tool["environment"] == "browser"


def response(output: dict[str, Any]) -> Response:
    return Response.model_validate(
        {
            "id": "resp_1",
            "created_at": 0,
            "model": "computer-use-preview",
            "object": "response",
            "output": [output],
            "parallel_tool_calls": False,
            "tool_choice": "auto",
            "tools": [],
        }
    )


class UiTars:
    """Says what UI-TARS writes, in thousandths of the screen."""

    async def create(self, *, messages: Any) -> Any:
        asked, picture = messages[-1]["content"]
        check_screen(picture["image_url"]["url"].partition(",")[2])
        task, done = number_of(messages[0]["content"][0]["text"]), len(messages) // 2
        assert not done or f'"step":{done}' in asked["text"]
        if done < len(LAMPS[task]):
            x, y = (round(1000 * place / SIZE[0]) for place in middle(LAMPS[task][done]))
            said = f"Thought: The lamp is off.\nAction: click(start_box='({x},{y})')"
        else:
            said = f"Thought: All is done.\nAction: finished(content='{WORDS.get(task, '')}')"
        message = SimpleNamespace(content=said)
        return SimpleNamespace(choices=[SimpleNamespace(message=message)])


@pytest.mark.parametrize(
    ("name", "model", "options", "start"),
    [
        ("anthropic_computer", Claude, {}, {}),
        ("openai_computer", OpenAI, {}, {}),
        ("openai_computer", OpenAIPreview, {"preview": True}, {}),
        ("ui_tars", UiTars, {}, {"space": "thousand"}),
    ],
)
async def test_what_a_model_wants_done_is_done_and_graded(
    play: Callable[..., Any],
    agent_named: Callable[[str], ModuleType],
    name: str,
    model: type[Any],
    options: dict[str, bool],
    start: dict[str, str],
) -> None:
    agent, take = agent_named(name), agent_named("acting").take
    async with play() as played:
        plays = partial(agent.play, create=model().create, **options)
        report = await take(played.agent.client, plays, **start)
    (task,) = report["tasks"]
    assert task["metrics"]["sr"] == 1.0
    assert task["answered"] == 4


@pytest.mark.parametrize("name", ["anthropic_computer", "openai_computer", "ui_tars"])
async def test_a_model_that_never_ends_is_ended_by_the_limit(
    play: Callable[..., Any], agent_named: Callable[[str], ModuleType], name: str
) -> None:
    agent, take = agent_named(name), agent_named("acting").take
    click = SimpleNamespace(
        type="computer_call",
        call_id="call_1",
        pending_safety_checks=[],
        actions=None,
        action=ActionWait(type="wait"),
    )
    call = SimpleNamespace(type="tool_use", id="toolu_1", input={"action": "wait"})
    message = SimpleNamespace(content="Thought: Hm.\nAction: wait()")

    async def create(**_: Any) -> Any:
        return SimpleNamespace(
            id="resp_1",
            output=[click],
            output_text="",
            content=[call],
            choices=[SimpleNamespace(message=message)],
        )

    async with play() as played:
        report = await take(played.agent.client, partial(agent.play, create=create))
    (task,) = report["tasks"]
    assert (task["answered"], task["metrics"]["sr"]) == (4, 0.0)
