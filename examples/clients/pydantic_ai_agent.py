"""Let a pydantic-ai agent take the exam: `python examples/clients/pydantic_ai_agent.py MODEL`.

MODEL is a name that pydantic-ai knows, such as openai:gpt-5 or anthropic:claude-sonnet-4-5. Without
more, `snellen mcp` is started on this machine; a URL after it names a server, which is shown the
token that the environment variable TOKEN holds.
`pip install 'pydantic-ai-slim[mcp,openai]'`.
"""

import asyncio
import os
import sys

from fastmcp.client.transports import StdioTransport
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.models import Model
from pydantic_ai.usage import UsageLimits


def on_this_machine() -> MCPToolset:
    """Return the exam of a server that is started for it."""
    command = StdioTransport("snellen", ["mcp"])
    # It gives up after 5 seconds otherwise; a busy machine may need longer to start the server.
    return MCPToolset(command, include_instructions=True, init_timeout=60)


def of_a_server(url: str, token: str) -> MCPToolset:
    """Return the exam of a server that runs."""
    return MCPToolset(url, auth=token, include_instructions=True)


async def take(exam: MCPToolset, model: Model | str) -> str:
    """Return what the agent says at the end."""
    agent = Agent(model, toolsets=[exam])
    # Without this, the agent stops after 50 requests: at most twenty-three items.
    limits = UsageLimits(request_limit=None)
    return (await agent.run("Take the exam and show its report.", usage_limits=limits)).output


def main(model: str, url: str | None = None) -> None:
    """Print what the agent says at the end."""
    exam = of_a_server(url, os.environ["TOKEN"]) if url else on_this_machine()
    print(asyncio.run(take(exam, model)))


if __name__ == "__main__":
    main(*sys.argv[1:])
