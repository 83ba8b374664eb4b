"""Let an agent of openai-agents take the exam: `python examples/clients/openai_agents_agent.py`.

The model may be named: `... openai_agents_agent.py gpt-5`. `pip install openai-agents`.
"""

import asyncio
import sys

from agents import Agent, Model, Runner
from agents.mcp import MCPServerStdio, MCPServerStdioParams


async def take(model: Model | str | None = None) -> str:
    """Return what the agent says at the end."""
    command = MCPServerStdioParams(command="snellen", args=["mcp"])
    async with MCPServerStdio(
        command, cache_tools_list=True, client_session_timeout_seconds=60
    ) as exam:
        agent = Agent("examinee", instructions="You take exams.", model=model, mcp_servers=[exam])
        # Without max_turns, the agent stops after 10 turns: at most three items.
        done = await Runner.run(agent, "Take the exam and show its report.", max_turns=10_000)
    return done.final_output


if __name__ == "__main__":
    print(asyncio.run(take(*sys.argv[1:2])))
