"""Agent commands: one process per run, with its environment and its standard input."""

import asyncio
import json
import os
import signal
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from snellen.grading.errors import InputError
from snellen.sdk.exam.client import bearer

PROMPT = """\
You are taking one question of an exam, through the tools of the MCP server `snellen`.

1. Call get_item with attempt "{attempt}" and client "{client}", and without an item.
2. Look at the screenshot that comes with it. Where it is too small to read, call get_screenshot
   with the same attempt and client, the item's id, and a tile or a region.
3. Call submit_answer once, with the same attempt and client, the item's id, and your answer in the
   form that answer_format asks for.

Then stop. Take no other item; call neither start_attempt nor finish_attempt; use no other source
than what the tools show you.
"""
SECRETS = ("SNELLEN_PACK_KEY", "SNELLEN_KEY", "SNELLEN_STORE")
"""What an agent's environment does not hold, though the runner's does."""

_TAIL = 2000
_GRACE = 5.0


@dataclass(frozen=True, slots=True)
class AgentRun:
    """One run of an agent command.

    Attributes:
        status: Its exit status, negative for a signal; None: it was stopped by the timeout.
        seconds: Its running time.
        tail: The end of its output.
    """

    status: int | None
    seconds: float
    tail: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class AgentCommand:
    """A command that runs an agent on one item."""

    command: str  # the shell command
    url: str  # the exam's URL
    folder: Path  # the folder of its MCP configuration
    logs: Path  # the folder of its output, one file per run
    timeout: float  # the maximum duration of a run, in seconds
    token: str | None = field(default=None, repr=False)  # the server's token; None if it needs none

    @property
    def config(self) -> Path:
        """The MCP configuration file of the exam, in the form that most clients read."""
        return self.folder / "mcp.json"

    def prepare(self) -> None:
        """Write the MCP configuration, readable only by its owner because it may hold a token.

        Raises:
            InputError: A folder can't be created or written.
        """
        server: dict[str, object] = {"type": "http", "url": self.url}
        if self.token is not None:
            server["headers"] = bearer(self.token)
        try:
            self.logs.mkdir(parents=True, exist_ok=True)
            with open(self.config, "w", encoding="utf-8", opener=_private) as file:
                json.dump({"mcpServers": {"snellen": server}}, file, indent=2)
        except OSError as error:
            raise InputError(f"can't write there: {error.strerror}", file=error.filename) from error

    def environment(self, attempt: str, client: str) -> dict[str, str]:
        """Return the environment of a run."""
        kept = {name: value for name, value in os.environ.items() if name not in SECRETS}
        added = {
            "SNELLEN_ATTEMPT": attempt,
            "SNELLEN_CLIENT": client,
            "SNELLEN_URL": self.url,
            "SNELLEN_MCP_CONFIG": str(self.config.resolve()),
        }
        if self.token is not None:
            added["SNELLEN_TOKEN"] = self.token
        return {**kept, **added}

    async def run(self, attempt: str, client: str, number: int) -> AgentRun:
        """Run the command once, in a new process; it and its children are ended at the end."""
        log = self.logs / f"{client}-{number}.log"
        start = time.monotonic()
        with log.open("wb") as output:
            process = await asyncio.create_subprocess_shell(
                self.command,
                stdin=asyncio.subprocess.PIPE,
                stdout=output,
                stderr=asyncio.subprocess.STDOUT,
                env=self.environment(attempt, client),
                # A separate process group: stopping an agent also stops its children.
                start_new_session=True,
            )
            prompt = PROMPT.format(attempt=attempt, client=client).encode()
            status: int | None = None
            try:
                async with asyncio.timeout(self.timeout):
                    await process.communicate(prompt)
                    status = process.returncode
            except TimeoutError:
                pass
            finally:
                await _end(process)
        return AgentRun(status, time.monotonic() - start, _tail(log))


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


async def _end(process: asyncio.subprocess.Process) -> None:
    """Stop the remaining processes of a run: terminate them, then kill them."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
        try:
            async with asyncio.timeout(_GRACE):
                await process.wait()
        finally:
            os.killpg(process.pid, signal.SIGKILL)


def _tail(log: Path) -> str:
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - _TAIL))
        return file.read().decode("utf-8", "replace").strip()
