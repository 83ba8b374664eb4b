"""Let an agent of openai-agents take the exam: `python examples/clients/openai_agents_agent.py`.

The model may be named: `... openai_agents_agent.py gpt-5`. Without more, `snellen mcp` is started
on this machine; a URL after the model names a server, which is shown the token that the environment
variable TOKEN holds. `pip install openai-agents`.
"""

import asyncio
import os
import sys

from agents import Agent, Model, Runner
from agents.mcp import MCPServerStdio, MCPServerStreamableHttp

# The agent waits 5 seconds for a call otherwise; the report of a large exam may take longer.
SECONDS = 60


def on_this_machine() -> MCPServerStdio:
    """Return the exam of a server that is started for it."""
    return MCPServerStdio(
        {"command": "snellen", "args": ["mcp"]},
        cache_tools_list=True,
        client_session_timeout_seconds=SECONDS,
    )


def of_a_server(url: str, token: str) -> MCPServerStreamableHttp:
    """Return the exam of a server that runs."""
    return MCPServerStreamableHttp(
        {"url": url, "headers": {"Authorization": f"Bearer {token}"}, "timeout": SECONDS},
        cache_tools_list=True,
        client_session_timeout_seconds=SECONDS,
    )


async def take(
    server: MCPServerStdio | MCPServerStreamableHttp, model: Model | str | None = None
) -> str:
    """Return what the agent says at the end."""
    async with server as exam:
        agent = Agent("examinee", instructions="You take exams.", model=model, mcp_servers=[exam])
        # Without max_turns, the agent stops after 10 turns: at most three items.
        done = await Runner.run(agent, "Take the exam and show its report.", max_turns=10_000)
    return done.final_output


def main(model: str | None = None, url: str | None = None) -> None:
    """Print what the agent says at the end."""
    server = of_a_server(url, os.environ["TOKEN"]) if url else on_this_machine()
    print(asyncio.run(take(server, model)))


if __name__ == "__main__":
    main(*sys.argv[1:])
