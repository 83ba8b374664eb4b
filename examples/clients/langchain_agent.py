# pyright: basic
# What create_agent returns is only partly typed.
"""Let a LangChain agent take the exam: `python examples/clients/langchain_agent.py MODEL`.

MODEL is a name that LangChain knows, such as openai:gpt-5 or anthropic:claude-sonnet-4-5. Without
more, `snellen mcp` is started on this machine; a URL after it names a server, which is shown the
token that the environment variable TOKEN holds.
`pip install 'langchain[mcp]>=1.4' langchain-openai`.
"""

import asyncio
import os
import sys
from typing import Any

from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from langchain.agents import create_agent
from langchain.chat_models import init_chat_model
from langchain.mcp import MCPAdapter
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage


def on_this_machine() -> Client[Any]:
    """Return the exam of a server that is started for it."""
    return Client(StdioTransport("snellen", ["mcp"], keep_alive=False))


def of_a_server(url: str, token: str) -> Client[Any]:
    """Return the exam of a server that runs."""
    return Client(url, auth=token)


async def take(exam: Client[Any], model: BaseChatModel | str) -> str:
    """Return what the agent says at the end."""
    # Outside of it, each call would connect anew, and start the server anew.
    async with MCPAdapter(exam) as adapter:
        agent = create_agent(model, await adapter.list_tools())
        asked = HumanMessage("Take the exam and show its report.")
        done = await agent.ainvoke({"messages": [asked]})
    return done["messages"][-1].text


def main(model: str, url: str | None = None) -> None:
    """Print what the agent says at the end."""
    exam = of_a_server(url, os.environ["TOKEN"]) if url else on_this_machine()
    # OpenAI's chat completions take no images in the result of a tool.
    more: dict[str, Any] = {"use_responses_api": True} if model.startswith("openai:") else {}
    print(asyncio.run(take(exam, init_chat_model(model, **more))))


if __name__ == "__main__":
    main(*sys.argv[1:])
