"""Let a pydantic-ai agent take the exam: `python examples/clients/pydantic_ai_agent.py MODEL`.

MODEL is a name that pydantic-ai knows, such as openai:gpt-5 or anthropic:claude-sonnet-4-5.
`pip install 'pydantic-ai-slim[mcp,openai]'`.
"""

import asyncio
import sys

from fastmcp.client.transports import StdioTransport
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.models import Model
from pydantic_ai.usage import UsageLimits


async def take(model: Model | str) -> str:
    """Return what the agent says at the end."""
    exam = MCPToolset(StdioTransport("snellen", ["mcp"]), include_instructions=True)
    agent = Agent(model, toolsets=[exam])
    # Without this, the agent stops after 50 requests: at most twenty-three items.
    limits = UsageLimits(request_limit=None)
    return (await agent.run("Take the exam and show its report.", usage_limits=limits)).output


if __name__ == "__main__":
    print(asyncio.run(take(sys.argv[1])))
