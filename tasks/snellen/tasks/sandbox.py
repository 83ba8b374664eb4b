"""Candidate code, run in a sandbox of its own or not at all.

A model's program runs in `bwrap` (the system package bubblewrap): in new Linux namespaces, behind
resource limits and a system-call filter. It sees the interpreter and its standard library
read-only, one small writable folder, no network, no environment, no input, and can start no
process; it is stopped by the clock. Where this can't be had, `ExecutionError` says why, and nothing
runs: there is no weaker mode. The number of its files is bounded by its time alone.
"""

import errno
import functools
import glob
import json
import math
import os
import platform
import resource
import shutil
import signal
import struct
import subprocess
import sys
import sysconfig
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import PurePosixPath
from tempfile import TemporaryFile

from snellen.grading.errors import ExecutionError, InputError
from snellen.grading.metrics.code import Execution, KilledFor

_MIB = 1024 * 1024
_PROGRAM = "main.py"
_WORK = "/tmp"
_NOBODY = "65534"
# Below these the interpreter itself does not start, and that would look like a wrong answer.
_LEAST: Mapping[str, float] = {
    "wall_seconds": 0.1, "cpu_seconds": 1, "memory_bytes": 64 * _MIB, "disk_bytes": 4096,
    "output_bytes": 1, "open_files": 16,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run of candidate code may use.

    Raises:
        InputError: A limit is so low that Python can't start.
    """

    wall_seconds: float = 10.0  # from its start to its end by the clock; then it is killed
    cpu_seconds: int = 5  # processor time; then it is killed
    memory_bytes: int = 512 * _MIB  # of address space; then it gets a MemoryError
    disk_bytes: int = 16 * _MIB  # the size of its one writable folder, and of each file in it
    output_bytes: int = _MIB  # of standard output, and again of standard error; then it is killed
    open_files: int = 64

    def __post_init__(self) -> None:
        for name, lowest in _LEAST.items():
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= lowest):
                raise InputError(f"must be {lowest} or more, not {value}", field=name)


DEFAULT_LIMITS = Limits()


def run_code(
    code: str,
    *,
    allow: bool = False,
    limits: Limits = DEFAULT_LIMITS,
    files: Mapping[str, str] | None = None,
) -> Execution:
    """Run a Python program in a sandbox of its own and wait for its end.

    The program is `main.py` in an empty folder, the only place it can write to, together with
    `files`. Hash seeds are fixed. Safe to call from several threads.

    Args:
        code: The program.
        allow: Must be True: running what a model wrote is a decision, not a default.
        limits: What it may use.
        files: Texts to lay beside it by relative path, such as tests or stub modules.

    Returns:
        How it ended. A crash, a time-out or an exhausted limit is an outcome, not an error.

    Raises:
        ExecutionError: `allow` is not True, or this machine can't isolate it.
        InputError: A file's path leaves the folder, or the files don't fit into it.
    """
    if allow is not True:
        raise ExecutionError("running candidate code is off; allow=True allows it")
    _require_support()
    return _run(_laid(code, files or {}, limits), limits)


@dataclass(frozen=True, slots=True)
class SandboxExecutor:
    """The sandbox as a `snellen.grading.metrics.code.CodeExecutor`; its fields are `run_code`'s."""

    allow: bool = False
    limits: Limits = DEFAULT_LIMITS

    def run(self, code: str, *, files: Mapping[str, str] | None = None) -> Execution:
        """Run a program to its end, as `run_code` does."""
        return run_code(code, allow=self.allow, limits=self.limits, files=files)


def check_support() -> list[str]:
    """List what this machine lacks to run candidate code; empty when it can."""
    if sys.platform != "linux":
        return [f"Linux: this is {sys.platform}"]
    if platform.machine() not in _CALLS:
        return [f"system-call filter for {platform.machine()}"]
    if shutil.which("bwrap") is None:
        return ["bwrap: install the system's package bubblewrap"]
    try:
        # A busy machine is slow, not unsafe.
        outcome = _run({_PROGRAM: "print(1)"}, Limits(wall_seconds=60))
    except ExecutionError as error:
        return [f"sandbox: {error}"]
    if outcome.stdout != "1\n":
        return [f"sandbox that Python runs in: {outcome.killed_for or outcome.stderr[-500:]}"]
    return []


@functools.cache
def _require_support() -> None:
    # What raises is not cached: a machine too busy to answer may answer the next time.
    if missing := check_support():
        raise ExecutionError(f"candidate code can't be isolated here: no {'; no '.join(missing)}")


def _laid(code: str, files: Mapping[str, str], limits: Limits) -> dict[str, str]:
    laid = {_PROGRAM: code}
    for name, text in files.items():
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or not path.parts or "\0" in name:
            raise InputError(
                f"must be a path inside the working folder, not {name!r}", field="files"
            )
        if str(path) in laid:
            raise InputError(f"{name!r} is there already", field="files")
        laid[str(path)] = text
    # A page of the file system for each file, and as much again for the candidate to write.
    size = sum(len(text.encode("utf-8", "surrogatepass")) + 4096 for text in laid.values())
    if 2 * size > limits.disk_bytes:
        room = limits.disk_bytes // 2
        raise InputError(f"{size} bytes with the program, more than {room}", field="files")
    return laid


# What becomes the candidate: it lays the files, takes on the limits, closes the input.
_LAUNCH = """
import json, os, resource, sys
plan = json.load(sys.stdin)
for path, text in plan["files"].items():
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "xb") as file:
        file.write(text.encode("utf-8", "surrogatepass"))
for kind, soft, hard in plan["limits"]:
    resource.setrlimit(kind, (soft, hard))
os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
os.execve(sys.executable, [sys.executable, "-s", "-B", plan["program"]], plan["environment"])
"""


def _run(files: Mapping[str, str], limits: Limits) -> Execution:
    exact = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_AS: limits.memory_bytes,
        # Of the output, too, which goes to files.
        resource.RLIMIT_FSIZE: max(limits.disk_bytes, limits.output_bytes + 1),
        resource.RLIMIT_NOFILE: limits.open_files,
    }
    plan = {
        "files": files,
        "program": f"{_WORK}/{_PROGRAM}",
        # Of processor time the first limit sends SIGXCPU; the second kills whoever ignores that.
        "limits": [(kind, value, value) for kind, value in exact.items()]
        + [(resource.RLIMIT_CPU, limits.cpu_seconds, limits.cpu_seconds + 1)],
        "environment": {"HOME": _WORK, "TMPDIR": _WORK, "LANG": "C.UTF-8", "PYTHONHASHSEED": "0"},
    }
    stopped: KilledFor | None = None
    start = time.monotonic()
    with ExitStack() as stack:
        rules, told, *streams = (stack.enter_context(TemporaryFile()) for _ in range(4))
        rules.write(_filter())
        rules.seek(0)
        python = os.path.realpath(sys.executable)
        process = subprocess.Popen(
            ["bwrap", *_view(python), *_ISOLATED, "--size", str(limits.disk_bytes),
             "--perms", "0700", "--tmpfs", _WORK, "--chdir", _WORK, "--remount-ro", "/",
             "--json-status-fd", str(told.fileno()), "--seccomp", str(rules.fileno()),
             python, "-I", "-S", "-B", "-c", _LAUNCH],
            stdin=subprocess.PIPE,
            stdout=streams[0],
            stderr=streams[1],
            pass_fds=(told.fileno(), rules.fileno()),
        )  # fmt: skip
        try:
            process.communicate(json.dumps(plan).encode(), timeout=limits.wall_seconds)
        except subprocess.TimeoutExpired:
            stopped = "wall_time"
            process.kill()
            process.communicate()
        for file in (told, *streams):
            file.seek(0)
        said: dict[str, int] = {}
        for line in told:
            said |= json.loads(line)
        heard = [stream.read(limits.output_bytes + 1) for stream in streams]
    seconds = time.monotonic() - start
    out, err = (each[: limits.output_bytes].decode("utf-8", "replace") for each in heard)
    if stopped is None and "exit-code" not in said:
        raise ExecutionError(f"this machine refused to isolate a program: {err[-500:].strip()}")
    code = said.get("exit-code", 0)
    if any(len(each) > limits.output_bytes for each in heard):
        stopped = "output"
    elif stopped is None and code > 128:
        # As a shell tells that a signal ended it; SIGKILL ends who ignores SIGXCPU.
        late = {128 + signal.SIGXCPU: 0, 128 + signal.SIGKILL: limits.cpu_seconds}
        stopped = "cpu_time" if seconds > late.get(code, math.inf) else "signal"
    return Execution(
        ok=stopped is None and code == 0,
        exit=code if stopped is None else None,
        stdout=out,
        stderr=err,
        timed_out=stopped in ("wall_time", "cpu_time"),
        killed_for=stopped,
        seconds=seconds,
    )


_ISOLATED = (
    "--unshare-all", "--unshare-user", "--disable-userns", "--uid", _NOBODY, "--gid", _NOBODY,
    "--hostname", "sandbox", "--die-with-parent", "--new-session", "--clearenv",
    *(word for name in ("null", "zero", "urandom")
      for word in ("--dev-bind", f"/dev/{name}", f"/dev/{name}")),
)  # fmt: skip


@functools.cache
def _view(python: str) -> tuple[str, ...]:
    """Return what shows the interpreter and its standard library, without installed packages."""
    # Debian has the system's libraries in a folder of their own, beside much else.
    own = sysconfig.get_config_var("MULTIARCH")
    inner = f"/{own}" if own and os.path.isdir(f"/usr/lib/{own}") else ""
    libraries = sysconfig.get_config_var("LIBDIR")
    shown = [
        python, sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), f"/lib{inner}",
        f"/usr/lib{inner}", "/lib64", "/usr/lib64", "/etc/ld.so.cache",
        *([libraries] if libraries and libraries != "/usr/lib" else []),
    ]  # fmt: skip
    found = [path for path in dict.fromkeys(shown) if os.path.exists(path)]
    hidden = {
        path
        for folder in found
        for inner in ("", "python3*/")
        for path in glob.glob(f"{folder}/{inner}*-packages")
    }
    words = [word for path in found for word in ("--ro-bind", path, path)]
    for path in sorted(hidden):
        words += ["--tmpfs", path, "--remount-ro", path]
    return tuple(words)


# ---- the system-call filter ---------------------------------------------------------------------
# Classic BPF (the kernel's Documentation/userspace-api/seccomp_filter). Namespaces leave doors ajar
# that candidate code has no use for: sockets of families that have no namespace, memory that no
# resource limit counts, new namespaces, kernel interfaces with a history. And no limit counts the
# processes of a sandbox that root starts.

_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW, _KILL, _FAILS = 0x7FFF0000, 0x80000000, 0x00050000
_X32 = 0x40000000
# Of each machine: its audit architecture; socket; clone, fork, vfork; and what is refused: shmget,
# semget, msgget, mq_open, memfd_create; unshare, setns, mount, umount2, chroot, ptrace; bpf,
# perf_event_open, userfaultfd; add_key, request_key, keyctl (asm/unistd_64.h and asm-generic).
_CALLS: Mapping[str, tuple[int, int, Sequence[int], Sequence[int]]] = {
    "x86_64": (
        0xC000003E, 41, (56, 57, 58),
        (29, 64, 68, 240, 319, 272, 308, 165, 166, 161, 101, 321, 298, 323, 248, 249, 250),
    ),
    "aarch64": (
        0xC00000B7, 198, (220,),
        (194, 190, 186, 180, 279, 97, 268, 40, 39, 51, 117, 280, 241, 282, 217, 218, 219),
    ),
}  # fmt: skip
# The same numbers everywhere: io_uring, the new mount interface, memfd_secret.
_REFUSED = (*range(425, 434), 442, 447)
_CLONE3 = 435


def _filter() -> bytes:
    audit, socket, clones, refused = _CALLS[platform.machine()]
    rules = [
        (_LOAD, 0, 0, 4), (_EQUAL, 1, 0, audit), (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, 0), (_AT_LEAST, 0, 1, _X32), (_RETURN, 0, 0, _FAILS | errno.EPERM),
    ]  # fmt: skip
    failing = dict.fromkeys((*refused, *_REFUSED), errno.EPERM)
    # The C library takes "no such call" for an old kernel, and falls back to clone.
    failing |= dict.fromkeys(clones, errno.EAGAIN) | {_CLONE3: errno.ENOSYS}
    for number, error in failing.items():
        rules += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _FAILS | error)]
    # Sockets of the family AF_UNIX only, which is the first argument.
    rules += [(_EQUAL, 0, 3, socket), (_LOAD, 0, 0, 16), (_EQUAL, 1, 0, 1)]
    rules += [(_RETURN, 0, 0, _FAILS | errno.EPERM), (_RETURN, 0, 0, _ALLOW)]
    return b"".join(struct.pack("=HBBI", code, then, other, at) for code, then, other, at in rules)
