"""Attacks on the sandbox: each is a program that tries to do harm, and what comes of it."""

import json
import os
import platform
import socket
from pathlib import Path

import pytest

from snellen.grading.metrics.code import Execution
from snellen.tasks.sandbox import Limits, check_support, run_code

MISSING = check_support()
isolated = pytest.mark.skipif(
    bool(MISSING), reason=f"CANDIDATE CODE CAN'T BE ISOLATED HERE: no {'; no '.join(MISSING)}"
)
REPOSITORY = Path(__file__).parents[3]
MIB = 1024 * 1024
CLONE = {"x86_64": 56, "aarch64": 220}.get(platform.machine(), -1)


def run(code: str, limits: Limits | None = None) -> Execution:
    return run_code(code, allow=True, limits=limits or Limits())


def complaint(execution: Execution) -> str:
    """The last line of the traceback."""
    return execution.stderr.strip().splitlines()[-1]


# Processes


@isolated
def test_a_fork_bomb_can_not_start_a_second_process() -> None:
    execution = run("import os\nwhile True: os.fork()")
    assert complaint(execution).startswith("BlockingIOError")
    assert "Resource temporarily unavailable" in execution.stderr


@isolated
def test_a_fork_bomb_stays_within_the_processes_granted() -> None:
    code = (
        "import os, time\n"
        "started = 0\n"
        "try:\n"
        "    while started < 100:\n"
        "        if os.fork() == 0: time.sleep(30)\n"
        "        started += 1\n"
        "except BlockingIOError: pass\n"
        "print(started)\n"
    )
    assert run(code, Limits(processes=4)).stdout == "3\n"


@isolated
def test_threads_count_as_processes() -> None:
    code = "import threading; threading.Thread(target=print).start()"
    assert complaint(run(code)) == "RuntimeError: can't start new thread"
    assert run(code, Limits(processes=2)).ok


@isolated
def test_killing_its_parent_and_everyone_leaves_the_verdict_alone() -> None:
    code = (
        "import os, signal\n"
        "print(os.getppid())\n"
        "for who, what in ((1, signal.SIGKILL), (1, signal.SIGTERM), (-1, signal.SIGKILL)):\n"
        "    try: os.kill(who, what)\n"
        "    except (PermissionError, ProcessLookupError): pass\n"
        "print('still here', flush=True)\n"
        "os._exit(9)\n"
    )
    execution = run(code)
    assert (execution.stdout, execution.exit) == ("1\nstill here\n", 9)


@isolated
def test_no_other_process_of_the_machine_can_be_signalled() -> None:
    execution = run(f"import os; os.kill({os.getpid()}, 0)")
    assert complaint(execution) == "ProcessLookupError: [Errno 3] No such process"


# Memory, disk, output


@isolated
def test_ten_gigabytes_are_refused() -> None:
    execution = run("x = bytearray(10 * 1024 ** 3)")
    assert complaint(execution) == "MemoryError"


@isolated
def test_memory_that_no_limit_counts_is_refused() -> None:
    segment = (
        "import ctypes; libc = ctypes.CDLL(None, use_errno=True)\n"
        "print(libc.shmget(0, 1 << 30, 0o1600), ctypes.get_errno())"
    )
    assert run(segment).stdout == "-1 1\n"
    assert complaint(run("import os; os.memfd_create('x')")).startswith("PermissionError")


@isolated
def test_the_disk_is_small() -> None:
    code = "for n in range(64):\n    open(f'{n}', 'wb').write(bytes(1 << 20))"
    assert "No space left on device" in complaint(run(code))
    sparse = "import os; os.truncate(os.open('big', os.O_CREAT | os.O_RDWR), 1 << 40)"
    assert "File too large" in complaint(run(sparse))
    many = "for n in range(100_000): open(f'{n}', 'w').close()"
    assert "No space left on device" in complaint(run(many))


@isolated
@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_endless_output_is_cut_and_killed(stream: str) -> None:
    code = f"import sys\nwhile True: sys.{stream}.write('x' * 65536)"
    execution = run(code, Limits(output_bytes=100_000))
    assert (execution.ok, execution.killed_for, execution.timed_out) == (False, "output", False)
    assert getattr(execution, stream) == "x" * 100_000


@isolated
def test_output_of_exactly_the_limit_is_fine() -> None:
    execution = run("print('x' * 999)", Limits(output_bytes=1000))
    assert execution.ok
    assert len(execution.stdout) == 1000
    assert run("print('x' * 1000)", Limits(output_bytes=1000)).killed_for == "output"


@isolated
def test_bytes_that_are_no_text_are_replaced() -> None:
    assert run(r"import sys; sys.stdout.buffer.write(b'a\xff')").stdout == "a\ufffd"


# File system


@isolated
@pytest.mark.parametrize(
    "path",
    ["/etc/passwd", "/etc/hostname", "/proc/self/environ", "/sys/kernel", "/home", __file__],
)
def test_the_machine_can_not_be_read(path: str) -> None:
    execution = run(f"import os; os.stat({path!r})")
    assert complaint(execution).startswith("FileNotFoundError")


@isolated
def test_the_repository_and_installed_packages_are_out_of_sight() -> None:
    code = (
        "import os, sys\n"
        "for top, folders, files in os.walk('/'):\n"
        "    for name in folders + files:\n"
        "        if 'snellen' in name or name.endswith('.dist-info'): print(top, name)\n"
        f"print(os.path.exists({str(REPOSITORY / 'pyproject.toml')!r}))\n"
    )
    assert run(code).stdout == "False\n"


@isolated
@pytest.mark.parametrize(
    "path", ["/x", "/dev/x", "/dev/shm/x", "/lib/x", "/var/x", "{os.__file__}"]
)
def test_nothing_outside_the_working_folder_can_be_written(path: str) -> None:
    execution = run(f"import os; open(f'{path}', 'w')")
    assert complaint(execution).startswith(("OSError", "PermissionError", "FileNotFoundError"))


@isolated
def test_what_is_written_is_gone_afterwards() -> None:
    code = "import os; print(os.listdir()); open('left', 'w').write('x')"
    for _ in range(2):
        assert run(code).stdout == "['main.py']\n"
    assert not Path("/tmp/left").exists()


@isolated
def test_the_only_open_descriptors_are_the_three_standard_ones() -> None:
    code = (
        "import os\n"
        "found = []\n"
        "for fd in range(64):\n"
        "    try: os.fstat(fd)\n"
        "    except OSError: continue\n"
        "    found.append(fd)\n"
        "print(found)\n"
    )
    assert run(code).stdout == "[0, 1, 2]\n"


@isolated
def test_the_environment_does_not_leak(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "hunter2")
    names = {"HOME", "LANG", "LC_CTYPE", "LD_LIBRARY_PATH", "PYTHONHASHSEED", "TMPDIR"}
    execution = run("import json, os; print(json.dumps(dict(os.environ)))")
    assert json.loads(execution.stdout).keys() <= names
    assert "hunter2" not in execution.stdout


# Network


@isolated
def test_a_server_on_this_machine_can_not_be_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        port = server.getsockname()[1]
        execution = run(f"import socket; socket.create_connection(('127.0.0.1', {port}), 1)")
        assert complaint(execution).startswith("PermissionError")
        with pytest.raises(TimeoutError):
            server.accept()


@isolated
@pytest.mark.parametrize("family", ["AF_INET", "AF_INET6", "AF_NETLINK", "AF_VSOCK", "AF_PACKET"])
def test_sockets_that_leave_the_sandbox_can_not_be_made(family: str) -> None:
    execution = run(f"import socket; socket.socket(socket.{family}, socket.SOCK_DGRAM)")
    assert complaint(execution).startswith("PermissionError")


@isolated
def test_there_is_no_network_interface_but_a_loopback_that_is_down() -> None:
    assert run("import socket; print(socket.if_nameindex())").exit == 1


# Rights


@isolated
def test_the_candidate_is_nobody_on_an_unnamed_machine() -> None:
    code = "import os; print(os.getuid(), os.geteuid(), os.getgid(), os.uname().nodename)"
    assert run(code).stdout == "65534 65534 65534 sandbox\n"


@pytest.mark.slow
@isolated
@pytest.mark.parametrize(
    "code",
    [
        "os.setuid(0)",
        "os.chroot('/tmp')",
        "os.unshare(os.CLONE_NEWUSER) if hasattr(os, 'unshare') else check(libc.unshare(1 << 28))",
        "check(libc.mount(b'tmpfs', b'/tmp', b'tmpfs', 0, None))",
        "check(libc.umount2(b'/tmp', 2))",
        "check(libc.sethostname(b'x', 1))",
        "check(libc.ptrace(16, 1, None, None))",
        f"check(libc.syscall(ctypes.c_long({CLONE}), ctypes.c_long(0x10000000), 0, 0, 0, 0))",
        "check(libc.syscall(ctypes.c_long(425), 8, 0))",
    ],
)
def test_rights_can_not_be_regained(code: str) -> None:
    helper = (
        "import ctypes, os\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "def check(result):\n"
        "    if result < 0: raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))\n"
    )
    execution = run(helper + code)
    assert execution.exit == 1
    # EINVAL: a user that is not mapped into the sandbox does not exist there.
    assert complaint(execution).startswith(("PermissionError", "OSError: [Errno 22]"))


@isolated
def test_limits_can_not_be_raised() -> None:
    code = "import resource as r; r.setrlimit(r.RLIMIT_AS, (r.RLIM_INFINITY, r.RLIM_INFINITY))"
    assert complaint(run(code)).startswith(("ValueError: not allowed to raise", "PermissionError"))
