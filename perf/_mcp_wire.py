"""Servers of MCP as processes, spoken to in bytes: a client that costs next to nothing."""

import ctypes
import http.client
import json
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import Any, Protocol

REVISION = "2026-07-28"
SNELLEN = ["-c", "from snellen.cli import main; main()"]
BARE = [str(Path(__file__).with_name("_bare_mcp.py"))]
_META = {
    "io.modelcontextprotocol/protocolVersion": REVISION,
    "io.modelcontextprotocol/clientInfo": {"name": "perf", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
_SECONDS = 60
_IDLE = 2.0


class Wire(Protocol):
    """A server that can be called."""

    process: "subprocess.Popen[bytes]"

    def ask(self, method: str, **params: Any) -> Any:  # noqa: ANN401  # JSON
        """Send a request and return its result."""
        ...

    def close(self) -> None:
        """End the server."""
        ...


def call(wire: Wire, tool: str, **arguments: Any) -> Any:  # noqa: ANN401  # JSON
    """Call a tool that must work and return its contents."""
    result = wire.ask("tools/call", name=tool, arguments=arguments)
    if result.get("isError"):
        raise SystemExit(f"{tool}: {result['content'][0]['text']}")
    return result["content"]


def processor(process: "subprocess.Popen[bytes]") -> float:
    """Return the seconds of CPU, user and system, that a process has taken: all its threads'."""
    clock = ctypes.c_int()
    if ctypes.CDLL(None).clock_getcpuclockid(process.pid, ctypes.byref(clock)):
        raise SystemExit("this system does not say what a process costs")
    return time.clock_gettime(clock.value)


def start(arguments: list[str], pipe: int | None = None) -> "subprocess.Popen[bytes]":
    """Start a server; this folder is not where it imports from."""
    return subprocess.Popen(
        [sys.executable, "-P", *arguments], stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL
    )


class Stdio:
    """A server on standard input and output."""

    def __init__(self, arguments: list[str]) -> None:
        self.process = start(arguments, subprocess.PIPE)
        self._numbers = count(1)

    def ask(self, method: str, **params: Any) -> Any:  # noqa: ANN401  # JSON
        """Send a request and return its result."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(request(next(self._numbers), method, params) + b"\n")
        self.process.stdin.flush()
        return _result(self.process.stdout.readline())

    def close(self) -> None:
        """End the server."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait(_SECONDS)
        self.process.stdout.close()


class Http:
    """A server on HTTP, over one connection that stays open, with a token or without."""

    def __init__(self, arguments: list[str], port: int, token: str = "") -> None:
        self._token = {"Authorization": f"Bearer {token}"} if token else {}
        self.process = start(arguments)
        self._numbers = count(1)
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_SECONDS)
        self._used = 0.0
        _wait(port)

    def ask(self, method: str, **params: Any) -> Any:  # noqa: ANN401  # JSON
        """Send a request and return its result."""
        if time.monotonic() - self._used > _IDLE:
            # The server lets go of a connection that nobody uses.
            self._connection.close()
        body = request(next(self._numbers), method, params)
        said = {**headers(method, params), **self._token}
        self._connection.request("POST", "/mcp", body, said)
        found = self._connection.getresponse().read()
        self._used = time.monotonic()
        return _result(data_of(found))

    def close(self) -> None:
        """End the server."""
        self._connection.close()
        self.process.terminate()
        self.process.wait(_SECONDS)


def request(number: int, method: str, params: Mapping[str, Any]) -> bytes:
    """Return a request as JSON."""
    whole = {
        "jsonrpc": "2.0",
        "id": number,
        "method": method,
        "params": {**params, "_meta": _META},
    }
    return json.dumps(whole, separators=(",", ":")).encode()


def headers(method: str, params: Mapping[str, Any]) -> dict[str, str]:
    """Return what a request over HTTP says of itself."""
    said = {
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
        "Mcp-Protocol-Version": REVISION,
        "Mcp-Method": method,
    }
    return said if "name" not in params else {**said, "Mcp-Name": params["name"]}


def data_of(body: bytes) -> bytes:
    """Return the JSON of a response, which may be the one event of a stream."""
    if body.startswith(b"{"):
        return body
    _, _, rest = body.partition(b"data: ")
    return rest.partition(b"\r\n")[0] if b"\r\n" in rest else rest.partition(b"\n")[0]


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def _result(line: bytes) -> Any:  # noqa: ANN401  # JSON
    found = json.loads(line)
    if "result" not in found:
        raise SystemExit(f"the server refused: {found.get('error')}")
    return found["result"]


def _wait(port: int) -> None:
    end = time.monotonic() + _SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            if time.monotonic() > end:
                raise SystemExit("the server did not start") from None
            time.sleep(0.02)
        else:
            return
