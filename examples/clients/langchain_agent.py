# pyright: basic, reportMissingImports=false
# langchain-mcp-adapters needs mcp 1.x, so it can't be installed beside snellen.
"""Let a LangChain agent take the exam: `python examples/clients/langchain_agent.py MODEL SNELLEN`.

MODEL is a name that LangChain knows, such as openai:gpt-5. SNELLEN is where snellen is installed:
in an environment of its own, because langchain-mcp-adapters needs an older `mcp`.
`pip install langchain langchain-mcp-adapters langchain-openai`.
"""

import asyncio
import sys

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.tools import load_mcp_tools

PROMPT = "Take the exam and show its report."


async def take(model: str | BaseChatModel, snellen: str = "snellen") -> str:
    """Return what the agent says at the end."""
    exam = {"transport": "stdio", "command": snellen, "args": ["mcp"]}
    # One session for all: without it, the server would be started anew for every call.
    async with MultiServerMCPClient({"snellen": exam}).session("snellen") as session:
        agent = create_agent(model, await load_mcp_tools(session))
        done = await agent.ainvoke({"messages": [("user", PROMPT)]})
    return done["messages"][-1].text


if __name__ == "__main__":
    print(asyncio.run(take(*sys.argv[1:])))
