"""Agent commands: one process a run, with its environment and its standard input."""

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
        status: Its exit status, negative for a signal; None: it was stopped after its time.
        seconds: How long it ran.
        tail: The end of what it wrote.
    """

    status: int | None
    seconds: float
    tail: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class AgentCommand:
    """A command that lets an agent take one item.

    Attributes:
        command: As a shell reads it.
        url: The exam's address.
        token: What its server asks for; None where it asks for none.
        folder: Where its MCP configuration is.
        logs: Where what it writes is kept, a file a run.
        timeout: Seconds that a run may take.
    """

    command: str
    url: str
    folder: Path
    logs: Path
    timeout: float
    token: str | None = field(default=None, repr=False)

    @property
    def config(self) -> Path:
        """The file that tells MCP clients of the exam, in the form that most of them read."""
        return self.folder / "mcp.json"

    def prepare(self) -> None:
        """Write the MCP configuration: only its owner can read it, for it may hold a token.

        Raises:
            InputError: A folder can't be made or written.
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
        """Run it once: a process of its own, which is gone, with its children, at the end."""
        log = self.logs / f"{client}-{number}.log"
        start = time.monotonic()
        with log.open("wb") as output:
            process = await asyncio.create_subprocess_shell(
                self.command,
                stdin=asyncio.subprocess.PIPE,
                stdout=output,
                stderr=asyncio.subprocess.STDOUT,
                env=self.environment(attempt, client),
                # A group of its own: an agent that is stopped takes its children with it.
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
    """Stop whatever is left of a run: asked first, then made to."""
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
