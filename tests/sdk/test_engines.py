"""`sdk.grade(..., engine=...)`: the same report, wherever the answers are graded."""

import os
import signal
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np
import pytest

from snellen import sdk
from snellen.grading.errors import UnknownNameError
from snellen.grading.grade import Answers
from snellen.sdk.engines import EngineError, GraderSpec, graded, spec_of
from snellen.sdk.inputs.selection import select
from snellen.sdk.scoring import choose

ITEMS = 30_000
REFERENCES = {f"i{n}": [f"the answer {n}", str(n)] for n in range(ITEMS)}
SENTENCES = {
    f"i{n}": f"a page of the shop number {n} with a list of {n % 7} things" for n in range(300)
}


def lines() -> Iterator[dict[str, Any]]:
    for n in range(ITEMS):
        if n % 11 == 0:
            yield {"item_id": f"i{n}", "error": "time-out"}
        else:
            yield {"item_id": f"i{n}", "response": f"answer {n if n % 3 else n + 1}"}


def same(one: sdk.Report, other: sdk.Report) -> None:
    assert one.numbers == other.numbers, "to the last digit"
    assert one.input == other.input
    assert one.signature == other.signature
    assert list(one.scores) == list(other.scores)


def grade(submissions: Any, **options: Any) -> sdk.Report:
    return sdk.grade(submissions, task="screenqa/short", references=REFERENCES, **options)


@pytest.fixture(scope="module")
def here() -> sdk.Report:
    return grade(lines())


@pytest.mark.slow
def test_processes_give_the_same_report(here: sdk.Report) -> None:
    same(grade(lines(), engine="processes"), here)


@pytest.mark.slow
def test_a_selection_is_graded_by_all_references_elsewhere_too() -> None:
    # TF-IDF weighs words by the references of all items, not of those that are asked.
    options: dict[str, Any] = {
        "task": "webrssbench/layout",
        "protocol": "paper",
        "references": SENTENCES,
        "items": [f"i{n}" for n in range(0, 300, 5)],
    }
    answers = [
        {"item_id": f"i{n}", "response": f"a page number {n} with things"} for n in range(300)
    ]
    same(
        sdk.grade(answers, engine="processes", **options),
        sdk.grade(answers, **options),
    )


@pytest.mark.slow
def test_an_engine_that_does_not_exist_is_an_error_that_names_those_that_do() -> None:
    with pytest.raises(UnknownNameError, match="processes, ray"):
        grade([{"item_id": "i0", "response": "0"}], engine="spark")


def another_version() -> GraderSpec:
    selection = select("screenqa/short", references=REFERENCES)
    spec = spec_of(selection, choose("screenqa/short", None, None), None, None)
    return spec._replace(snellen="0.0.1")


@pytest.mark.slow
def test_a_worker_of_another_version_grades_nothing() -> None:
    with pytest.raises(EngineError, match=r"a worker has snellen .* read with 0\.0\.1"):
        list(graded([one_answer()], another_version(), "processes"))


def one_answer() -> Answers:
    return Answers(np.array([0]), [0], ["0"])


def test_a_spec_shows_no_reference() -> None:
    selection = select("screenqa/short", references={"a": ["a secret word"]})
    spec = spec_of(selection, choose("screenqa/short", None, None), None, None)
    assert "secret" not in repr(spec)
    assert "<1 references>" in repr(spec)


# ---- Ray


@pytest.fixture(scope="module")
def ray() -> Generator[Any]:
    found = pytest.importorskip("ray")
    found.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    yield found
    found.shutdown()


def family(pid: int) -> Iterator[int]:
    """Yield the processes that a process started, and what they started."""
    for task in Path(f"/proc/{pid}/task").iterdir():
        try:
            children = (task / "children").read_text().split()
        except OSError:
            continue
        for child in map(int, children):
            yield child
            yield from family(child)


def workers() -> Iterator[int]:
    """Yield the workers of Ray that grade now."""
    for pid in family(os.getpid()):
        try:
            name = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            continue
        if name.startswith(b"ray::_grade"):
            yield pid


@pytest.mark.thorough
@pytest.mark.usefixtures("ray")
def test_ray_gives_the_same_report(here: sdk.Report) -> None:
    same(grade(lines(), engine="ray"), here)


@contextmanager
def killing(kills: int) -> Generator[list[int]]:
    """Kill workers of Ray at their work, so many in all; yield those that were killed."""
    killed: list[int] = []
    over = Event()

    def kill() -> None:
        while len(killed) < kills and not over.wait(0.05):
            for pid in workers():
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)
                break

    thread = Thread(target=kill)
    thread.start()
    try:
        yield killed
    finally:
        over.set()
        thread.join()


@pytest.mark.thorough
@pytest.mark.usefixtures("ray")
def test_workers_that_are_killed_change_nothing() -> None:
    # Long answers: a batch of them is graded for a while.
    said = " ".join(f"word{n}" for n in range(300))
    long = [{"item_id": f"i{n}", "response": f"{said} {n}"} for n in range(12_000)]
    with killing(3) as killed:
        found = grade(long, engine="ray")
    assert len(killed) == 3, "they were done before they were killed"
    same(found, grade(long))


@pytest.mark.thorough
@pytest.mark.usefixtures("ray")
def test_an_error_of_a_worker_of_ray_comes_back_as_it_was_raised() -> None:
    with pytest.raises(EngineError, match=r"a worker has snellen .* read with 0\.0\.1"):
        list(graded([one_answer()], another_version(), "ray"))
