"""A LangChain agent takes the exam, with a scripted model."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

pytest.importorskip("langchain", reason="langchain[mcp] is not installed")

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable

pytestmark = [
    pytest.mark.clients,
    pytest.mark.slow,
    # It says so of itself; what this test is for is whether it works all the same.
    pytest.mark.filterwarnings("ignore:`langchain.mcp` is in beta"),
    pytest.mark.thorough,
]


class Scripted(BaseChatModel):
    """Asks a script what to do."""

    script: Any

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Runnable[Any, AIMessage]:
        assert len(tools) == self.script.tools
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        text, images = told(messages[-1])
        call = self.script.next(text, images)
        if call is None:
            said = AIMessage(text or "")
        else:
            number = str(len(self.script.calls))
            wanted = {"id": number, "name": call.tool, "args": call.arguments}
            said = AIMessage("", tool_calls=[wanted])
        return ChatResult(generations=[ChatGeneration(message=said)])


def told(message: BaseMessage) -> tuple[str | None, int]:
    """Return the text and the number of images that a tool returned, as a model is given them."""
    if not isinstance(message, ToolMessage):
        return None, 0
    assert message.status == "success"
    blocks = message.content_blocks
    texts = [block["text"] for block in blocks if block["type"] == "text"]
    images = [block for block in blocks if block["type"] == "image"]
    assert len(texts) == 1
    assert all(image.get("base64") for image in images)
    assert len(texts) + len(images) == len(blocks)
    return texts[0], len(images)


async def test_a_langchain_agent_takes_the_exam(
    example: Callable[[str], Any],
    exam_of: Callable[[Any], Any],
    examinee: Any,
    check: Callable[[str], None],
) -> None:
    agent = example("langchain_agent.py")
    check(await agent.take(exam_of(agent), Scripted(script=examinee)))


@pytest.mark.browser
async def test_a_langchain_agent_acts(
    example: Callable[[str], Any],
    organized: Callable[..., Any],
    actor: Any,
    check_acted: Callable[[str], None],
) -> None:
    organized("--env", actor.acting.env)
    agent = example("langchain_agent.py")
    check_acted(await agent.take(agent.on_this_machine(), Scripted(script=actor)))
