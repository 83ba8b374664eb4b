"""What the sandbox must not allow, tried from inside; prints what it does allow as a JSON list.

Run by check_support() as a candidate program: it imports nothing of snellen.
"""

import json
import os
import resource
import socket
import threading
from collections.abc import Callable


def connect() -> None:
    """Reach this machine's loopback."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as plug:
        plug.settimeout(1)
        plug.connect(("127.0.0.1", 9))


def fork() -> None:
    """Start a process."""
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)


def start_thread() -> None:
    """Start a thread."""
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()


def take_memory() -> None:
    """Take more memory than the limit."""
    bytearray(resource.getrlimit(resource.RLIMIT_AS)[0])


def write_outside() -> None:
    """Make a file outside of the working folder."""
    with open("/written", "w") as file:
        file.write("x")


def fill_the_disk() -> None:
    """Write more than the working folder holds."""
    room, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
    for name in ("one", "two"):
        with open(name, "wb") as file:
            file.write(bytes(room))


def read_the_machine() -> None:
    """See what only the machine outside has."""
    if not any(os.path.exists(path) for path in ("/etc/passwd", "/proc/1", "/sys/class")):
        raise FileNotFoundError


def become_root() -> None:
    """Become root."""
    os.setresuid(0, 0, 0)


ATTEMPTS: dict[str, Callable[[], None]] = {
    "network of its own for the candidate": connect,
    "limit on processes": fork,
    "limit on threads": start_thread,
    "limit on memory": take_memory,
    "read-only file system": write_outside,
    "limit on disk space": fill_the_disk,
    "file system of its own for the candidate": read_the_machine,
    "user of its own for the candidate": become_root,
}


def main() -> None:
    """Try everything."""
    missing: list[str] = []
    for what, attempt in ATTEMPTS.items():
        try:
            attempt()
        except (OSError, MemoryError, RuntimeError):
            continue
        missing.append(what)
    print(json.dumps(missing))


if __name__ == "__main__":
    main()
