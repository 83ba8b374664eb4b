"""An agent of pydantic-ai takes the exam, with a scripted model."""

import json
from collections.abc import Callable
from typing import Any, cast

import pytest

pytest.importorskip("pydantic_ai", reason="pydantic-ai-slim[mcp] is not installed")

from pydantic_ai import BinaryContent
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

pytestmark = [pytest.mark.clients, pytest.mark.thorough]


def scripted(script: Any) -> FunctionModel:
    """Return a model that asks a script what to do."""

    def think(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        assert len(info.function_tools) == script.tools
        assert "start_attempt gives a handle" in (info.instructions or "")
        text, images = told(messages[-1])
        call = script.next(text, images)
        if call is None:
            assert text is not None
            return ModelResponse(parts=[TextPart(text)])
        return ModelResponse(parts=[ToolCallPart(call.tool, call.arguments)])

    return FunctionModel(think)


async def test_an_agent_of_pydantic_ai_takes_the_exam(
    example: Callable[[str], Any],
    exam_of: Callable[[Any], Any],
    examinee: Any,
    check: Callable[[str], None],
) -> None:
    agent = example("pydantic_ai_agent.py")
    check(await agent.take(exam_of(agent), scripted(examinee)))


@pytest.mark.browser
async def test_an_agent_of_pydantic_ai_acts(
    example: Callable[[str], Any],
    organized: Callable[..., Any],
    actor: Any,
    check_acted: Callable[[str], None],
) -> None:
    organized("--env", actor.acting.env)
    agent = example("pydantic_ai_agent.py")
    check_acted(await agent.take(agent.on_this_machine(), scripted(actor)))


def told(message: ModelMessage) -> tuple[str | None, int]:
    """Return the text and the number of images that a tool returned, as a model is given them."""
    returned = [part for part in message.parts if isinstance(part, ToolReturnPart)]
    if not returned:
        return None, 0
    content: Any = returned[0].content
    parts = cast("list[Any]", content) if isinstance(content, list) else [content]
    images = [part for part in parts if isinstance(part, BinaryContent) and part.is_image]
    texts = [part for part in parts if not isinstance(part, BinaryContent)]
    assert len(texts) == 1
    return json.dumps(texts[0]), len(images)
