"""An agent of openai-agents takes the exam, with a scripted model."""

import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

pytest.importorskip("agents", reason="openai-agents is not installed")

from agents import Model, ModelResponse, TResponseInputItem, Usage, set_tracing_disabled
from agents.items import TResponseOutputItem, TResponseStreamEvent
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

pytestmark = [pytest.mark.clients, pytest.mark.thorough]


class Scripted(Model):
    """Asks a script what to do."""

    def __init__(self, script: Any) -> None:
        self._script = script

    async def get_response(
        self,
        system_instructions: str | None,
        input: str | list[TResponseInputItem],  # noqa: A002  # its name there
        *_: Any,
        **__: Any,
    ) -> ModelResponse:
        text, images = told(input)
        call = self._script.next(text, images)
        output: TResponseOutputItem
        if call is None:
            said = ResponseOutputText(text=text or "", annotations=[], type="output_text")
            output = ResponseOutputMessage(
                id="last", content=[said], role="assistant", status="completed", type="message"
            )
        else:
            output = ResponseFunctionToolCall(
                call_id=str(len(self._script.calls)),
                name=call.tool,
                arguments=json.dumps(call.arguments),
                type="function_call",
            )
        return ModelResponse(output=[output], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[TResponseStreamEvent]:
        raise AssertionError("nothing is streamed here")


def told(given: str | list[TResponseInputItem]) -> tuple[str | None, int]:
    """Return the text and the number of images that a tool returned, as a model is given them."""
    last: Any = given[-1]
    if isinstance(last, str) or last.get("type") != "function_call_output":
        return None, 0
    kinds = [part["type"] for part in last["output"]]
    texts = [part["text"] for part in last["output"] if part["type"] == "input_text"]
    images = [part for part in last["output"] if part["type"] == "input_image"]
    assert len(texts) == 1, kinds
    assert all(image["image_url"].startswith("data:image/") for image in images)
    assert len(texts) + len(images) == len(kinds), kinds
    return texts[0], len(images)


async def test_an_agent_of_openai_agents_takes_the_exam(
    example: Callable[[str], Any],
    exam_of: Callable[[Any], Any],
    examinee: Any,
    check: Callable[[str], None],
) -> None:
    set_tracing_disabled(True)  # traces would be sent to where models are
    agent = example("openai_agents_agent.py")
    check(await agent.take(exam_of(agent), Scripted(examinee)))


@pytest.mark.browser
async def test_an_agent_of_openai_agents_acts(
    example: Callable[[str], Any],
    organized: Callable[..., Any],
    actor: Any,
    check_acted: Callable[[str], None],
) -> None:
    set_tracing_disabled(True)
    organized("--env", actor.acting.env)
    agent = example("openai_agents_agent.py")
    check_acted(await agent.take(agent.on_this_machine(), Scripted(actor)))
