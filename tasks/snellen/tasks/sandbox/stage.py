"""Builds the sandbox and becomes the candidate: a script that run.py runs in a new process.

It carries out one plan that it reads as a line of JSON, and knows the kernel's interfaces only;
what the plan holds is decided outside. It imports nothing of snellen, since it runs in an
interpreter without installed packages.

Three processes: this one enters the new namespaces and waits for their user ids to be mapped from
outside; its child is process 1 inside, builds the file system and keeps the clock; the
grandchild gives up what is left of its rights and turns into the candidate. When process 1 ends,
the kernel kills whatever the candidate started. Every line on the report pipe is JSON:
`{"entered": true}`, then `{"fault": ...}` or how the candidate ended.
"""

import ctypes
import json
import os
import resource
import signal
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Final, NoReturn

CANDIDATE: Final = 65534
"""The user and group inside: nobody, never root."""

_NEW_NAMESPACES: Final = {
    "user": 0x10000000,
    "mount": 0x00020000,
    "pid": 0x20000000,
    "network": 0x40000000,
    "ipc": 0x08000000,
    "uts": 0x04000000,
}
_MS_RDONLY: Final = 1
_MS_NOSUID: Final = 2
_MS_NODEV: Final = 4
_MS_NOEXEC: Final = 8
_MS_REMOUNT: Final = 32
_MS_NOATIME: Final = 1024
_MS_NODIRATIME: Final = 2048
_MS_BIND: Final = 4096
_MS_REC: Final = 16384
_MS_PRIVATE: Final = 1 << 18
_MS_RELATIME: Final = 1 << 21
_MNT_DETACH: Final = 2
_PR_SET_PDEATHSIG: Final = 1
_PR_SET_DUMPABLE: Final = 4
_PR_SET_SECCOMP: Final = 22
_PR_CAPBSET_DROP: Final = 24
_PR_SET_NO_NEW_PRIVS: Final = 38
_SECCOMP_MODE_FILTER: Final = 2
_CAPABILITIES: Final = 64

# A mount that is inherited from outside keeps these; a remount that forgets one is refused.
_KEPT: Final = (
    (os.ST_NOSUID, _MS_NOSUID),
    (os.ST_NODEV, _MS_NODEV),
    (os.ST_NOEXEC, _MS_NOEXEC),
    (os.ST_NOATIME, _MS_NOATIME),
    (os.ST_NODIRATIME, _MS_NODIRATIME),
    (os.ST_RELATIME, _MS_RELATIME),
)
# Every machine has it, nothing shown comes from it, and so it can hold the new root meanwhile.
_NEW_ROOT: Final = "/proc"
_WORK: Final = "/tmp"
_DEVICES: Final = ("/dev/null", "/dev/zero", "/dev/urandom")
_FAULT_STATUS: Final = 70

Plan = dict[str, Any]
"""What to do, as sandbox.py wrote it."""

_libc = ctypes.CDLL(None, use_errno=True)


class RefusedError(Exception):
    """A step that the machine refused."""


@contextmanager
def step(what: str) -> Generator[None]:
    """Name the step that an OSError comes from."""
    try:
        yield
    except OSError as error:
        raise RefusedError(f"{what}: {error.strerror or error}") from error


class Report:
    """The pipe to whoever started this script."""

    def __init__(self, descriptor: int) -> None:
        os.set_inheritable(descriptor, False)
        self.descriptor = descriptor

    def send(self, **line: object) -> None:
        """Write one line of JSON."""
        os.write(self.descriptor, json.dumps(line).encode() + b"\n")


def main() -> NoReturn:
    """Enter the namespaces, fork process 1 and wait for it."""
    report = Report(int(sys.argv[1]))
    plan: Plan = json.loads(sys.stdin.buffer.readline())
    with faults_reported(report):
        enter(report)
        child = os.fork()
        if child == 0:
            with faults_reported(report):
                keep_the_clock(plan, report)
        os.close(report.descriptor)
        os.waitpid(child, 0)
    os._exit(0)


@contextmanager
def faults_reported(report: Report) -> Generator[None]:
    """Send a fault and end this process; it can't do the rest without what was refused."""
    try:
        yield
    except RefusedError as fault:
        report.send(fault=str(fault))
        os._exit(_FAULT_STATUS)


def enter(report: Report) -> None:
    """Move into new namespaces and wait until the user ids there are mapped."""
    if os.geteuid() == 0:
        with step("give up the supplementary groups"):
            os.setgroups([])
    flags = 0
    for bit in _NEW_NAMESPACES.values():
        flags |= bit
    with step(f"enter new {', '.join(_NEW_NAMESPACES)} namespaces"):
        call(_libc.unshare(flags))
    # Readable /proc entries let the process outside write the maps; no secret is in here yet.
    prctl(_PR_SET_DUMPABLE, 1)
    report.send(entered=True)
    if sys.stdin.buffer.readline() != b"mapped\n":
        os._exit(_FAULT_STATUS)
    die_with_the_parent()


def keep_the_clock(plan: Plan, report: Report) -> NoReturn:
    """Be process 1: build the file system, start the candidate, end it in time, report."""
    die_with_the_parent()
    prctl(_PR_SET_DUMPABLE, 0)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    build_file_system(plan)
    with step("name the machine"):
        call(_libc.sethostname(b"sandbox", 7))
    start = time.monotonic()
    candidate = os.fork()
    if candidate == 0:
        with faults_reported(report):
            become_the_candidate(plan)
    status: int | None = None
    spent = 0.0
    while status is None:
        ended, code, usage = os.wait4(-1, os.WNOHANG)
        if ended == candidate:
            status = code
            spent = usage.ru_utime + usage.ru_stime
        elif ended == 0:
            left = start + plan["limits"]["wall_seconds"] - time.monotonic()
            if left <= 0:
                break
            signal.sigtimedwait({signal.SIGCHLD}, left)
    report.send(
        timed_out=status is None,
        exit=os.WEXITSTATUS(status) if status is not None and os.WIFEXITED(status) else None,
        signal=os.WTERMSIG(status) if status is not None and os.WIFSIGNALED(status) else None,
        cpu_seconds=spent,
        seconds=time.monotonic() - start,
    )
    os._exit(0)


def build_file_system(plan: Plan) -> None:
    """Replace the whole file system by an empty one that shows what the plan shows, read-only."""
    with step("take the mounts private"):
        mount(None, "/", None, _MS_REC | _MS_PRIVATE)
    with step("mount an empty file system"):
        mount("tmpfs", _NEW_ROOT, "tmpfs", _MS_NOSUID | _MS_NODEV, "size=1m,mode=755")
    for path in plan["shown"]:
        with step(f"show {path} read-only"):
            show(path, _MS_RDONLY | _MS_NOSUID | _MS_NODEV)
    for path in plan["hidden"]:
        with step(f"hide {path}"):
            mount("tmpfs", _NEW_ROOT + path, "tmpfs", _MS_RDONLY | _MS_NOSUID, "size=4k,mode=755")
    for path in _DEVICES:
        with step(f"show {path}"):
            show(path, _MS_RDONLY | _MS_NOSUID | _MS_NOEXEC)
    with step("mount the working folder"):
        os.mkdir(_NEW_ROOT + _WORK)
        options = f"size={plan['limits']['disk_bytes']},nr_inodes=4096,mode=700"
        owner = f"uid={CANDIDATE},gid={CANDIDATE}"
        flags = _MS_NOSUID | _MS_NODEV | _MS_NOEXEC
        mount("tmpfs", _NEW_ROOT + _WORK, "tmpfs", flags, f"{options},{owner}")
    with step("make it the root"):
        os.chdir(_NEW_ROOT)
        # The old root ends up stacked on the new one, where it is let go at once.
        call(_libc.pivot_root(b".", b"."))
        call(_libc.umount2(b".", _MNT_DETACH))
        os.chdir("/")
        mount(None, "/", None, _MS_REMOUNT | _MS_BIND | _MS_RDONLY | _MS_NOSUID | _MS_NODEV)


def show(path: str, flags: int) -> None:
    """Bind a file or a folder into the new root at the same path, with these flags and no fewer."""
    target = _NEW_ROOT + path
    if os.path.isdir(path):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY, 0o644))
    source = os.path.realpath(path)
    mount(source, target, None, _MS_BIND)
    had = os.statvfs(source).f_flag
    for stat_flag, mount_flag in _KEPT:
        if had & stat_flag:
            flags |= mount_flag
    mount(None, target, None, _MS_REMOUNT | _MS_BIND | flags)


def become_the_candidate(plan: Plan) -> NoReturn:
    """Give up every right, take on every limit, and turn into the candidate's interpreter."""
    os.setsid()
    # Process 1 and the one outside count as this user's where no second user could be mapped.
    company = 0 if os.getuid() == 0 else 2
    with step("give up the right to regain capabilities"):
        for capability in range(_CAPABILITIES):
            if _libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
                break
    with step("become nobody"):
        if os.getuid() == 0:
            os.setresgid(CANDIDATE, CANDIDATE, CANDIDATE)
            os.setresuid(CANDIDATE, CANDIDATE, CANDIDATE)
        prctl(_PR_SET_NO_NEW_PRIVS, 1)
    with step("lay the files"):
        os.chdir(_WORK)
        for path, text in plan["files"].items():
            if folder := os.path.dirname(path):
                os.makedirs(folder, exist_ok=True)
            with open(path, "xb") as file:
                # A lone surrogate is the candidate's mistake, for its interpreter to complain of.
                file.write(text.encode("utf-8", "surrogatepass"))
    with step("close the input"):
        os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
    with step("set the resource limits"):
        limit_resources(plan["limits"], company)
    with step("install the system-call filter"):
        install_filter(bytes.fromhex(plan["filter"]))
    signal.pthread_sigmask(signal.SIG_SETMASK, set())
    with step(f"start {plan['command'][0]}"):
        os.execve(plan["command"][0], plan["command"], plan["environment"])


def limit_resources(limits: dict[str, Any], company: int) -> None:
    """Set the kernel's limits on this process and all that it starts."""
    processor = int(limits["cpu_seconds"])
    exact = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
        resource.RLIMIT_AS: limits["memory_bytes"],
        resource.RLIMIT_FSIZE: limits["disk_bytes"],
        resource.RLIMIT_NOFILE: limits["open_files"],
        resource.RLIMIT_NPROC: limits["processes"] + company,
    }
    for kind, value in exact.items():
        resource.setrlimit(kind, (value, value))
    # The first limit sends SIGXCPU, which tells it apart; the second kills whoever ignores that.
    resource.setrlimit(resource.RLIMIT_CPU, (processor, processor + 1))


class _Program(ctypes.Structure):
    """The kernel's struct sock_fprog."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def install_filter(program: bytes) -> None:
    """Hand a system-call filter to the kernel; needs no_new_privs."""
    instructions = ctypes.create_string_buffer(program, len(program))
    described = _Program(len(program) // 8, ctypes.addressof(instructions))
    arguments = (_SECCOMP_MODE_FILTER, ctypes.byref(described), 0, 0)
    call(_libc.prctl(_PR_SET_SECCOMP, *arguments))


def die_with_the_parent() -> None:
    """Ask for SIGKILL when the parent ends, however it ends."""
    prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def prctl(option: int, value: int) -> None:
    """Set an attribute of this process, one of the PR_ constants."""
    with step(f"prctl {option}"):
        call(_libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0))


def mount(
    source: str | None, target: str, kind: str | None, flags: int, options: str | None = None
) -> None:
    """Attach a file system, or change how one is attached."""
    texts = [None if text is None else os.fsencode(text) for text in (source, target, kind)]
    data = None if options is None else options.encode()
    call(_libc.mount(*texts, ctypes.c_ulong(flags), data))


def call(result: int) -> None:
    """Raise what errno says when a C function returned a failure."""
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


if __name__ == "__main__":
    main()
