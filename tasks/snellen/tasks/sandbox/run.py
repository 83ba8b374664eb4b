"""Runs candidate code in the sandbox and tells how it went.

bubblewrap is not used: it bounds neither the processes of a candidate that root starts nor the
number of its files, and the sandbox has to work where it is not installed.
"""

import contextlib
import functools
import json
import os
import platform
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any

from snellen.grading.errors import ExecutionError, InputError
from snellen.grading.metrics.code import Execution, KilledFor
from snellen.tasks.sandbox import seccomp
from snellen.tasks.sandbox.limits import DEFAULT_LIMITS, Limits

_PROGRAM = "main.py"
_WORK = "/tmp"
# The user the candidate runs as, inside and (where root starts it) outside: nobody.
_NOBODY = 65534
# Building the sandbox comes before its own clock starts; on a loaded machine that takes time.
_GRACE_SECONDS = 30.0
_CHUNK = 65536


def run_code(
    code: str,
    *,
    allow: bool = False,
    limits: Limits = DEFAULT_LIMITS,
    files: Mapping[str, str] | None = None,
) -> Execution:
    """Run a Python program in a sandbox of its own and wait for its end.

    The program is `main.py` in an empty folder, the only place it can write to, together with
    `files`; it sees the standard library and nothing else: no packages, no network, no
    environment, no input, no other process. Hash seeds are fixed. Safe to call from several
    threads.

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
    return _run(limits, _laid(code, files or {}, limits))


@dataclass(frozen=True, slots=True)
class SandboxExecutor:
    """The sandbox as a `snellen.grading.metrics.code.CodeExecutor`.

    Attributes:
        allow: Must be True, as in `run_code`.
        limits: What each run may use.
    """

    allow: bool = False
    limits: Limits = DEFAULT_LIMITS

    def run(self, code: str, *, files: Mapping[str, str] | None = None) -> Execution:
        """Run a program to its end, as `run_code` does."""
        return run_code(code, allow=self.allow, limits=self.limits, files=files)


def check_support() -> list[str]:
    """List what this machine lacks to run candidate code; empty when it can.

    Builds a sandbox and tries to break out of it from inside, so the answer is what the kernel
    does, not what its version promises.
    """
    if sys.platform != "linux":
        return [f"Linux: this is {sys.platform}"]
    if platform.machine() not in seccomp.MACHINES:
        return [f"system-call filter for {platform.machine()}"]
    try:
        probe = Path(__file__).with_name("probe.py").read_text("utf-8")
        # A busy machine is slow, not unsafe.
        outcome = _run(Limits(wall_seconds=60), {_PROGRAM: probe})
    except ExecutionError as error:
        return [f"sandbox: {error}"]
    if not outcome.ok:
        return [f"sandbox that Python runs in: {outcome.killed_for or outcome.stderr[-500:]}"]
    return json.loads(outcome.stdout)


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


def _run(limits: Limits, files: Mapping[str, str]) -> Execution:
    read_end, write_end = os.pipe()
    with open(read_end, "rb", buffering=0) as report:
        view = python_view()
        stage = str(Path(__file__).with_name("stage.py"))
        try:
            process = subprocess.Popen(
                [view.executable, "-I", "-S", "-B", stage, str(write_end)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=(write_end,),
                env={},
                cwd="/",
                start_new_session=True,
            )
        finally:
            os.close(write_end)
        with process:
            plan = {
                "limits": asdict(limits),
                "files": files,
                "shown": view.shown,
                "hidden": view.hidden,
                "filter": seccomp.program(platform.machine()).hex(),
                "command": [view.executable, "-s", "-B", f"{_WORK}/{_PROGRAM}"],
                "environment": {
                    "HOME": _WORK,
                    "TMPDIR": _WORK,
                    "LANG": "C.UTF-8",
                    "PYTHONHASHSEED": "0",
                    "LD_LIBRARY_PATH": ":".join(view.library_folders),
                },
            }
            run = _Run(process, report, limits)
            try:
                run.listen(json.dumps(plan).encode())
            finally:
                run.kill()
    return run.outcome()


class _Run:
    """One run, heard from outside: two streams with a limit, and the report."""

    def __init__(self, process: subprocess.Popen[bytes], report: IO[bytes], limits: Limits) -> None:
        self.process = process
        self.limits = limits
        self.start = time.monotonic()
        self.heard = {"stdout": bytearray(), "stderr": bytearray(), "report": bytearray()}
        self.pipes = {"stdout": process.stdout, "stderr": process.stderr, "report": report}

    def listen(self, plan: bytes) -> None:
        """Send the plan and take in everything until the pipes close or a stream is too long."""
        self._send(plan + b"\n")
        mapped = False
        with selectors.DefaultSelector() as selector:
            for name, pipe in self.pipes.items():
                assert pipe is not None, "opened as a pipe"
                selector.register(pipe, selectors.EVENT_READ, name)
            while selector.get_map() and not self.flooded:
                left = self.start + self.limits.wall_seconds + _GRACE_SECONDS - time.monotonic()
                if left <= 0:
                    # Process 1 keeps the clock; that it did not speak is no candidate's doing.
                    raise ExecutionError("the sandbox did not end in its time")
                for key, _ in selector.select(left):
                    chunk = os.read(key.fd, _CHUNK)
                    if not chunk:
                        selector.unregister(key.fileobj)
                    self.heard[key.data] += chunk
                if not mapped and any("entered" in line for line in self.lines()):
                    _map_users(self.process.pid)
                    self._send(b"mapped\n")
                    mapped = True

    @property
    def flooded(self) -> bool:
        """Whether a stream is past its limit."""
        most = self.limits.output_bytes
        return len(self.heard["stdout"]) > most or len(self.heard["stderr"]) > most

    def lines(self) -> list[dict[str, Any]]:
        """The complete lines of the report so far."""
        complete, _, _ = self.heard["report"].rpartition(b"\n")
        return [json.loads(line) for line in complete.splitlines()]

    def kill(self) -> None:
        """Kill what is left; process 1 of the sandbox dies with its parent, and all inside."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)

    def outcome(self) -> Execution:
        """Put together what was heard.

        Raises:
            ExecutionError: The sandbox could not be built, or ended without a word.
        """
        report: dict[str, Any] = {}
        for line in self.lines():
            report |= line
        if "fault" in report:
            raise ExecutionError(f"this machine refused to {report['fault']}")
        if "exit" not in report and not self.flooded:
            said = self._text("stderr")[-500:].strip()
            raise ExecutionError(f"the sandbox ended without a report: {said or 'no message'}")
        killed_for = self._killed_for(report)
        code: int | None = None if killed_for else report["exit"]
        return Execution(
            ok=code == 0,
            exit=code,
            stdout=self._text("stdout"),
            stderr=self._text("stderr"),
            timed_out=killed_for in ("wall_time", "cpu_time"),
            killed_for=killed_for,
            seconds=report.get("seconds", time.monotonic() - self.start),
        )

    def _killed_for(self, report: Mapping[str, Any]) -> KilledFor | None:
        if self.flooded:
            return "output"
        if report["timed_out"]:
            return "wall_time"
        if report["signal"] is None:
            return None
        ignored = (
            report["signal"] == signal.SIGKILL and report["cpu_seconds"] > self.limits.cpu_seconds
        )
        return "cpu_time" if report["signal"] == signal.SIGXCPU or ignored else "signal"

    def _text(self, stream: str) -> str:
        return self.heard[stream][: self.limits.output_bytes].decode("utf-8", "replace")

    def _send(self, line: bytes) -> None:
        pipe = self.process.stdin
        assert pipe is not None, "opened as a pipe"
        try:
            pipe.write(line)
            pipe.flush()
        except BrokenPipeError:
            # It ended already; why is on its report or its standard error. What is left in the
            # buffer fails once more on closing.
            with contextlib.suppress(BrokenPipeError):
                pipe.close()


def _map_users(pid: int) -> None:
    """Say who the sandbox's users are outside; only a process outside may.

    Root keeps itself for building and lends the candidate a second user, since the kernel does
    not count root's processes against a limit. A plain user has one to lend, the own.
    """
    root = os.geteuid() == 0
    for kind, own in (("uid", os.geteuid()), ("gid", os.getegid())):
        lines = f"0 0 1\n{_NOBODY} {_NOBODY} 1\n" if root else f"{_NOBODY} {own} 1\n"
        try:
            if kind == "gid":
                Path(f"/proc/{pid}/setgroups").write_text("deny")
            Path(f"/proc/{pid}/{kind}_map").write_text(lines)
        except OSError as error:
            raise ExecutionError(f"this machine refused to map a {kind}: {error}") from error


# Loads every extension module of the standard library and lists what the loader then holds.
# _tkinter is left out: it would show the window system's libraries.
_QUESTION = """
import ctypes, json, os, sys
folders = [entry for entry in sys.path if os.path.exists(entry)]
for folder in folders:
    if os.path.isdir(folder):
        for name in os.listdir(folder):
            if name.endswith(".so") and not name.startswith("_tkinter"):
                try:
                    ctypes.CDLL(os.path.join(folder, name), os.RTLD_LAZY)
                except OSError:
                    pass
try:
    ctypes.CDLL("libgcc_s.so.1")
except OSError:
    pass
class Info(ctypes.Structure):
    _fields_ = [("address", ctypes.c_void_p), ("name", ctypes.c_char_p)]
names = []
@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Info), ctypes.c_size_t, ctypes.c_void_p)
def visit(info, size, data):
    names.append(os.fsdecode(info.contents.name or b""))
    return 0
ctypes.CDLL(None).dl_iterate_phdr(visit, None)
print(json.dumps({"folders": folders, "names": names}))
"""
_PATIENCE_SECONDS = 60


@dataclass(frozen=True, slots=True)
class View:
    """Paths that appear in the sandbox, read-only, where they are outside.

    Attributes:
        executable: The interpreter.
        shown: Folders and files, the outermost folder only where one holds another.
        hidden: Folders inside them to cover: the installed packages.
        library_folders: Where the loader is to look for the libraries among them.
    """

    executable: str
    shown: tuple[str, ...]
    hidden: tuple[str, ...]
    library_folders: tuple[str, ...]


@functools.cache
def python_view() -> View:
    """Return what this interpreter needs to run its standard library.

    Raises:
        ExecutionError: The interpreter can't say, as when it was built without ctypes.
    """
    executable = os.path.realpath(sys.executable)
    try:
        answer = subprocess.run(
            [executable, "-I", "-S", "-B", "-W", "ignore", "-c", _QUESTION],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
            timeout=_PATIENCE_SECONDS,
            env={},
            cwd="/",
        )
        found = json.loads(answer.stdout)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise ExecutionError(f"{executable} can't list its own libraries: {error}") from error
    folders = _outermost(found["folders"])
    # Paths as the loader knows them, without the `..` of relative search paths.
    libraries = {os.path.normpath(name) for name in found["names"] if os.path.isabs(name)}
    outside = [path for path in (executable, *sorted(libraries)) if not _within(path, folders)]
    return View(
        executable=executable,
        shown=(*folders, *dict.fromkeys(outside)),
        hidden=tuple(
            path
            for folder in folders
            for path in (f"{folder}/site-packages", f"{folder}/dist-packages")
            if os.path.isdir(path)
        ),
        library_folders=tuple(sorted({os.path.dirname(path) for path in outside[1:]})),
    )


def _outermost(folders: list[str]) -> tuple[str, ...]:
    kept: list[str] = []
    for folder in sorted(map(os.path.normpath, folders), key=len):
        if not _within(folder, kept):
            kept.append(folder)
    return tuple(kept)


def _within(path: str, folders: tuple[str, ...] | list[str]) -> bool:
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)
