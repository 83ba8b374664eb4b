"""Programs in the sandbox: ordinary ones, their time, who may run them, and attacks."""

import json
import os
import platform
import socket
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from snellen.grading.errors import ExecutionError, InputError
from snellen.grading.metrics.code import CodeExecutor, Execution, pass_rate
from snellen.tasks.sandbox import Limits, SandboxExecutor, check_support, run_code

MISSING = check_support()
isolated = pytest.mark.skipif(
    bool(MISSING), reason=f"CANDIDATE CODE CAN'T BE ISOLATED HERE: no {'; no '.join(MISSING)}"
)
REPOSITORY = Path(__file__).parents[2]
CLONE = {"x86_64": 56, "aarch64": 220}.get(platform.machine(), -1)
MIB = 1024 * 1024


def run(code: str, limits: Limits | None = None, **files: str) -> Execution:
    named = {f"{name}.py": text for name, text in files.items()}
    return run_code(code, allow=True, limits=limits or Limits(), files=named)


def complaint(execution: Execution) -> str:
    """The last line of the traceback."""
    return execution.stderr.strip().splitlines()[-1]


# What is allowed, and how it ends


def test_running_is_off_unless_allowed() -> None:
    with pytest.raises(ExecutionError, match="allow=True"):
        run_code("print(1)")
    with pytest.raises(ExecutionError, match="allow=True"):
        SandboxExecutor().run("print(1)")


@isolated
def test_a_program_that_ends_well_is_ok_with_its_output() -> None:
    execution = run("import sys; print('out'); print('err', file=sys.stderr)")
    assert execution == Execution(
        ok=True,
        exit=0,
        stdout="out\n",
        stderr="err\n",
        timed_out=False,
        killed_for=None,
        seconds=0.0,
    )
    assert 0 < execution.seconds < 10


@isolated
@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("import sys; sys.exit(3)", 3),
        ("exit(0)", 0),
        ("import sys; sys.exit('message')", 1),
        ("raise SystemExit", 0),
        ("import os; os._exit(70)", 70),
        ("import os; os._exit(127)", 127),
    ],
)
def test_the_exit_status_is_the_programs_own(code: str, status: int) -> None:
    execution = run(code)
    assert (execution.exit, execution.ok, execution.killed_for) == (status, status == 0, None)


@isolated
@pytest.mark.parametrize(
    ("code", "last_line"),
    [
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("def f(:", "SyntaxError: invalid syntax"),
        ("import numpy", "ModuleNotFoundError: No module named 'numpy'"),
        ("import snellen.grading", "ModuleNotFoundError: No module named 'snellen'"),
    ],
)
def test_an_exception_is_a_failed_run_with_its_traceback(code: str, last_line: str) -> None:
    execution = run(code)
    assert (execution.ok, execution.exit) == (False, 1)
    assert complaint(execution) == last_line


@isolated
@pytest.mark.parametrize("code", ["\ud800", "x = '\0'", "\ufeff1/0"])
def test_text_that_is_no_program_fails_and_is_no_fault(code: str) -> None:
    assert run(code).exit == 1


@isolated
def test_a_crash_is_told_as_a_signal() -> None:
    execution = run("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")
    assert (execution.ok, execution.exit, execution.killed_for) == (False, None, "signal")


@isolated
def test_files_lie_beside_the_program_and_can_be_imported() -> None:
    tests = "from main import double\nassert double(2) == 4\n"
    program = "def double(x): return 2 * x\n"
    assert run(program + "if __name__ == '__main__': import check", check=tests).ok
    wrong = "def double(x): return x\nif __name__ == '__main__': import check"
    assert not run(wrong, check=tests).ok


@isolated
def test_a_stub_back_end_records_what_a_chart_program_draws() -> None:
    stub = (
        "import atexit, json\n"
        "drawn = []\n"
        "def bar(labels, heights):\n"
        "    drawn.append({'kind': 'bar', 'x': list(labels), 'y': list(heights)})\n"
        "def show(): pass\n"
        "atexit.register(lambda: print(json.dumps(drawn)))\n"
    )
    execution = run_code(
        "import matplotlib.pyplot as plt\nplt.bar(['Q1', 'Q2'], [3, 5])\nplt.show()",
        allow=True,
        files={"matplotlib/__init__.py": "", "matplotlib/pyplot.py": stub},
    )
    assert json.loads(execution.stdout) == [{"kind": "bar", "x": ["Q1", "Q2"], "y": [3, 5]}]


@isolated
def test_the_standard_library_is_all_there() -> None:
    names = "ssl, sqlite3, decimal, bz2, lzma, zlib, ctypes, hashlib, asyncio, unicodedata, uuid"
    assert run(f"import {names}").ok
    assert run("import asyncio; asyncio.run(asyncio.sleep(0))").ok


@isolated
def test_two_runs_of_one_program_print_the_same() -> None:
    code = "print(hash('a'), list({'a', 'b', 'c'}))"
    assert run(code) == run(code)


@isolated
def test_standard_input_is_empty() -> None:
    assert run("import sys; print(repr(sys.stdin.read()))").stdout == "''\n"


@isolated
def test_runs_from_several_threads_do_not_mix() -> None:
    with ThreadPoolExecutor(4) as pool:
        executions = list(pool.map(run, [f"print({n})" for n in range(8)]))
    assert [execution.stdout for execution in executions] == [f"{n}\n" for n in range(8)]


@isolated
def test_an_executor_runs_what_grading_asks_for() -> None:
    executor: CodeExecutor = SandboxExecutor(allow=True)
    outcomes = [executor.run("pass"), executor.run("raise ValueError")]
    assert pass_rate(outcomes) == 0.5


# Time


@pytest.mark.slow
@isolated
def test_an_endless_loop_ends_with_its_processor_time() -> None:
    execution = run("while True: pass", Limits(cpu_seconds=1, wall_seconds=120))
    assert (execution.timed_out, execution.killed_for) == (True, "cpu_time")
    assert execution.exit is None
    assert not execution.ok


@pytest.mark.slow
@isolated
def test_ignoring_the_signal_does_not_buy_processor_time() -> None:
    code = "import signal; signal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass"
    execution = run(code, Limits(cpu_seconds=1, wall_seconds=120))
    assert execution.killed_for == "cpu_time"


@pytest.mark.slow
@isolated
def test_a_sleeping_program_ends_with_its_wall_time() -> None:
    start = time.monotonic()
    execution = run("import time; print('in', flush=True); time.sleep(600)", Limits(wall_seconds=1))
    assert (execution.timed_out, execution.killed_for) == (True, "wall_time")
    assert execution.stdout == "in\n"
    assert time.monotonic() - start < 300


# What is refused


def test_elsewhere_than_on_linux_support_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert check_support() == ["Linux: this is darwin"]


def test_a_machine_without_a_filter_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    monkeypatch.setattr(sys, "platform", "linux")
    assert check_support() == ["system-call filter for riscv64"]


@isolated
@pytest.mark.parametrize(
    "name", ["/x", "../x", "a/../../x", "", ".", "a\0b", "main.py", "./main.py"]
)
def test_files_stay_inside_the_working_folder(name: str) -> None:
    with pytest.raises(InputError, match="files"):
        run_code("pass", allow=True, files={name: ""})


@isolated
def test_files_that_do_not_fit_are_an_input_error_and_no_failed_run() -> None:
    with pytest.raises(InputError, match="bytes with the program"):
        run_code("pass", allow=True, files={"x": "x" * MIB}, limits=Limits(disk_bytes=MIB))


@pytest.mark.parametrize(
    "limits",
    [
        {"wall_seconds": 0},
        {"wall_seconds": float("nan")},
        {"cpu_seconds": 0},
        {"memory_bytes": MIB},
        {"open_files": 3},
        {"output_bytes": -1},
    ],
)
def test_limits_too_low_to_start_python_are_refused(limits: dict[str, float]) -> None:
    (name,) = limits
    with pytest.raises(InputError, match=f"field '{name}'"):
        Limits(**limits)  # pyright: ignore[reportArgumentType]  # one of them at a time


@isolated
def test_the_lowest_limits_still_start_python() -> None:
    lowest = Limits(
        cpu_seconds=1, memory_bytes=64 * MIB, open_files=16, disk_bytes=32768, output_bytes=1
    )
    assert run("pass", lowest).ok


@isolated
def test_a_run_leaves_no_thread_and_no_descriptor_behind() -> None:
    run("pass")
    before = threading.active_count(), len(os.listdir("/proc/self/fd"))
    run("pass")
    with pytest.raises(InputError):
        run_code("pass", allow=True, files={"..": ""})
    assert (threading.active_count(), len(os.listdir("/proc/self/fd"))) == before


# ---- attacks

# Processes


@isolated
def test_a_fork_bomb_can_not_start_a_second_process() -> None:
    execution = run("import os\nwhile True: os.fork()")
    assert complaint(execution).startswith("BlockingIOError")
    assert "Resource temporarily unavailable" in execution.stderr


@isolated
def test_threads_count_as_processes() -> None:
    code = "import threading; threading.Thread(target=print).start()"
    assert complaint(run(code)) == "RuntimeError: can't start new thread"


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
    refusals = ("PermissionError", "OSError: [Errno 22]", "BlockingIOError")
    assert complaint(execution).startswith(refusals)


@isolated
def test_limits_can_not_be_raised() -> None:
    code = "import resource as r; r.setrlimit(r.RLIMIT_AS, (r.RLIM_INFINITY, r.RLIM_INFINITY))"
    assert complaint(run(code)).startswith(("ValueError: not allowed to raise", "PermissionError"))
