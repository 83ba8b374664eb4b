"""The runner's own server: `snellen serve` on this machine, which ends with the runner."""

import asyncio
import sys
from collections import deque
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress

from snellen.grading.errors import InputError

_COMMAND = ("-P", "-c", "from snellen.cli import main; main()", "serve", "--port", "0")
_READY = "serving on "
_GRACE = 10.0
_LINE = 1 << 20


@asynccontextmanager
async def serving(options: Sequence[str]) -> AsyncGenerator[str]:
    """Serve an exam on a free port of this machine while this is open; yield its URL.

    Agents get only the URL: the packs, their key and the store stay with the server.

    Args:
        options: Arguments of `snellen serve`: packs and rules.

    Raises:
        InputError: It does not start; the message is the server's.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *_COMMAND,
        *options,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        limit=_LINE,
        # Only the runner gets an interrupt; it stops its agents first.
        start_new_session=True,
    )
    assert process.stderr is not None
    draining: asyncio.Task[None] | None = None
    try:
        url = await _ready(process.stderr)
        draining = asyncio.create_task(_drain(process.stderr))
        yield url
    finally:
        with suppress(ProcessLookupError):
            process.terminate()
        try:
            async with asyncio.timeout(_GRACE):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()
        if draining is not None:
            await draining


async def _ready(lines: asyncio.StreamReader) -> str:
    last: deque[str] = deque(maxlen=5)
    async for raw in lines:
        line = raw.decode("utf-8", "replace").strip()
        if line.startswith(_READY):
            return line.removeprefix(_READY)
        last.append(line)
    raise InputError(f"snellen serve does not start: {' '.join(last) or 'it printed nothing'}")


async def _drain(lines: asyncio.StreamReader) -> None:
    # The log is not read here; the loop drains the pipe.
    while await lines.read(_LINE):
        pass
