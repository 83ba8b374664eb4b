"""Many agents at once, on one event loop and over sockets as they are."""

import asyncio
import json
import time
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from _mcp_wire import data_of, headers, request


@dataclass(slots=True)
class Load:
    """The seconds of every call, by tool, and what went wrong."""

    seconds: dict[str, list[float]] = field(
        default_factory=lambda: defaultdict[str, list[float]](list)
    )
    errors: list[str] = field(default_factory=list[str])


async def run_agents(port: int, agents: int, items: int) -> Load:
    """Let agents take so many items each, and finish."""
    load = Load()
    await asyncio.gather(*(_Agent(load).take(port, items) for _ in range(agents)))
    return load


class _Agent:
    def __init__(self, load: Load) -> None:
        self._load = load
        self._numbers = count(1)

    async def take(self, port: int, items: int) -> None:
        self._in, self._out = await asyncio.open_connection("127.0.0.1", port, limit=1 << 24)
        attempt = (await self._call("start_attempt"))["attempt"]
        for number in range(items):
            item = (await self._call("get_item", attempt=attempt))["item"]
            await self._call("get_screenshot", attempt=attempt, item=item, max_side=200)
            await self._call("submit_answer", attempt=attempt, item=item, answer=str(number))
        await self._call("list_items", attempt=attempt)
        await self._call("finish_attempt", attempt=attempt)
        self._out.close()
        await self._out.wait_closed()

    async def _call(self, tool: str, **arguments: Any) -> Any:  # noqa: ANN401  # JSON
        start = time.perf_counter()
        params = {"name": tool, "arguments": arguments}
        body = request(next(self._numbers), "tools/call", params)
        head = "".join(
            f"{name}: {value}\r\n" for name, value in headers("tools/call", params).items()
        )
        first = f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\n"
        self._out.write(f"{first}{head}\r\n".encode() + body)
        answer = json.loads(data_of(await self._body()))
        self._load.seconds[tool].append(time.perf_counter() - start)
        result = answer.get("result", {})
        if "result" not in answer or result.get("isError"):
            self._load.errors.append(f"{tool}: {json.dumps(answer)[:300]}")
            raise SystemExit(f"{tool}: {json.dumps(answer)[:300]}")
        return json.loads(result["content"][0]["text"])

    async def _body(self) -> bytes:
        head = (await self._in.readuntil(b"\r\n\r\n")).lower()
        if b"content-length:" in head:
            size = int(head.partition(b"content-length:")[2].partition(b"\r\n")[0])
            return await self._in.readexactly(size)
        parts: list[bytes] = []
        while size := int(await self._in.readuntil(b"\r\n"), 16):
            parts.append((await self._in.readexactly(size + 2))[:-2])
        await self._in.readexactly(2)
        return b"".join(parts)
