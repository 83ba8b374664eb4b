"""Ordinary programs in the sandbox, their time, and who may run them where."""

import json
import os
import shutil
import subprocess
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
REPOSITORY = Path(__file__).parents[3]
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


@isolated
def test_nothing_survives_the_end_of_the_program() -> None:
    code = (
        "import os, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    time.sleep(600)\n"  # keeps standard output open: reading to its end would wait
    )
    start = time.monotonic()
    assert run(code, Limits(processes=3)).ok
    assert time.monotonic() - start < 300


# What is refused


@isolated
def test_a_plain_user_gets_the_same_sandbox() -> None:
    if os.geteuid() != 0:
        pytest.skip("these tests run as a plain user already")
    python = shutil.which("python3", path="/usr/bin:/usr/local/bin")
    if python is None:
        pytest.skip("NO PYTHON THAT A PLAIN USER COULD START: the root's own is out of reach")
    code = (
        "import json, os, sys\n"
        "if sys.version_info < (3, 11): sys.exit(75)\n"
        "os.setgroups([]); os.setgid(4321); os.setuid(4321)\n"
        f"sys.path[:0] = {[str(REPOSITORY / root) for root in ('grading', 'tasks')]!r}\n"
        "from snellen.tasks.sandbox import check_support\n"
        "print(json.dumps(check_support()))\n"
    )
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=60)
    if done.returncode == 75 or "PermissionError" in done.stderr:
        pytest.skip(f"NO PYTHON THAT A PLAIN USER COULD START: {python}: {done.stderr[-200:]}")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == []


def test_elsewhere_than_on_linux_support_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert check_support() == ["Linux: this is darwin"]


def test_a_machine_without_a_filter_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    monkeypatch.setattr(sys, "platform", "linux")
    assert check_support() == ["system-call filter for riscv64"]


@pytest.mark.skipif(sys.platform != "linux", reason="RUNS ON LINUX ONLY")
def test_a_kernel_without_namespaces_is_refused_by_name() -> None:
    # Inside a user namespace that may make no others, unshare(2) fails as on a locked-down host.
    unshare = shutil.which("unshare")
    if unshare is None:
        pytest.skip("NO unshare(1) TO LOCK A NAMESPACE WITH")
    code = (
        "from pathlib import Path\n"
        "for kind in ('user', 'net'):\n"
        "    Path(f'/proc/sys/user/max_{kind}_namespaces').write_text('0')\n"
        "from snellen.tasks.sandbox import run_code\n"
        "run_code('print(1)', allow=True)\n"
    )
    done = subprocess.run(
        [unshare, "--user", "--map-root-user", sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=60,
    )
    if "ExecutionError" not in done.stderr:
        pytest.skip(f"A NAMESPACE CAN'T BE LOCKED HERE: {done.stderr[-200:]}")
    assert "can't be isolated here: no sandbox: this machine refused to" in done.stderr


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
        {"processes": 0},
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
