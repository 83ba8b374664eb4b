"""The browsers that this process started, for tests that kill them."""

import os
from pathlib import Path


def browsers() -> list[int]:
    """Return the browser's processes that this process started."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            parents[int(folder.name)] = int(fields[1])
        except (FileNotFoundError, ProcessLookupError):
            continue

    def mine(process: int) -> bool:
        while process not in (0, os.getpid()):
            process = parents.get(process, 0)
        return process == os.getpid()

    return [
        process
        for process in parents
        if mine(process)
        and b"--type=" not in _command(process)
        and b"headless" in _command(process)
    ]


def _command(process: int) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""
