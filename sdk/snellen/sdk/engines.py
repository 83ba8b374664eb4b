"""Engines: processes or clusters that grade batches of answers.

An engine gets the spec of a grader once, and then batches of answers. It returns the same columns
in the same order as a grader in this process, so the report is exactly the same.
"""

import logging
import os
import sys
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from importlib import import_module
from importlib.metadata import version
from typing import Any, Literal, NamedTuple, get_args

from snellen.grading.errors import MissingExtraError, SnellenError, UnknownNameError
from snellen.grading.grade import Answers, Columns, Grader
from snellen.grading.metrics.code import CodeExecutor
from snellen.grading.models.golds import Golds
from snellen.grading.protocols.base import Context, Gold, IntArray, Protocol
from snellen.sdk.inputs.selection import Selection
from snellen.sdk.scoring import choose

Engine = Literal["processes", "ray"]
"""`processes`: one for each core of this machine; `ray`: a Ray cluster, or this machine as one."""

Graded = Iterator[tuple[Answers, Columns]]

_TRIES = 20
"""How often Ray grades a batch again whose worker ended."""

_LEAST_AHEAD = 16


class EngineError(SnellenError):
    """The engine is not available, or lost its workers; the answers are not at fault."""


class GraderSpec(NamedTuple):
    """The data from which a worker makes a grader.

    The references are a plain list here, because `Golds` does not leave its process. They are sent
    only to the workers.

    Attributes:
        task: The task's id.
        protocol: The protocol's id.
        embedder: For a protocol that compares embeddings; None: its own.
        executor: Runs the programs among the answers; None: programs are not run.
        golds: The references.
        contexts: The items' contexts for the parser, or empty.
        indexes: The index of the gold for each item index of a batch; None: the same index.
        snellen: The version that reads the answers.
    """

    task: str
    protocol: str
    embedder: str | None
    executor: CodeExecutor | None
    golds: Sequence[Gold]
    contexts: Sequence[Context]
    indexes: IntArray | None
    snellen: str

    def __repr__(self) -> str:
        return f"GraderSpec({self.task!r}, {self.protocol!r}, <{len(self.golds):,} references>)"


def spec_of(
    selection: Selection,
    protocol: Protocol,
    embedder: str | None,
    executor: CodeExecutor | None,
) -> GraderSpec:
    """Return the spec of a grader for a selection."""
    whole = selection.whole or selection
    indexes = None if selection.whole is None else selection.grader(protocol).indexes
    return GraderSpec(
        selection.task,
        protocol.id,
        embedder,
        executor,
        list(whole.golds),
        whole.contexts,
        indexes,
        version("snellen"),
    )


def graded(batches: Iterable[Answers], spec: GraderSpec, engine: Engine) -> Graded:
    """Grade batches with an engine, and yield each with its columns, in the given order.

    Raises:
        UnknownNameError: There is no such engine.
        EngineError: The engine is not available, or lost its workers.
        MissingExtraError: Ray is not installed.
    """
    if engine not in get_args(Engine):
        raise UnknownNameError("engine", engine, get_args(Engine))
    return (_on_ray if engine == "ray" else _in_processes)(batches, spec)


def _ordered(
    batches: Iterable[Answers],
    submit: Callable[[Answers], Any],
    result: Callable[[Any], Columns],
    ahead: int,
) -> Graded:
    """Grade several batches at a time, with a bounded number in memory."""
    waiting: deque[tuple[Answers, Any]] = deque()
    for answers in batches:
        waiting.append((answers, submit(answers)))
        if len(waiting) >= ahead:
            first, handle = waiting.popleft()
            yield first, result(handle)
    while waiting:
        first, handle = waiting.popleft()
        yield first, result(handle)


def _make(spec: GraderSpec) -> Grader:
    if spec.snellen != version("snellen"):
        raise EngineError(
            f"a worker has snellen {version('snellen')}, and the answers are read with"
            f" {spec.snellen}: install the same version on all machines"
        )
    protocol = choose(spec.task, spec.protocol, spec.embedder, spec.executor)
    return Grader.of(protocol, Golds(spec.golds), spec.contexts, spec.indexes)


# ---- processes of this machine

_held: list[GraderSpec] = []
"""What a process of the pool was started with."""


def _hold(spec: GraderSpec) -> None:
    _held.append(spec)


@cache
def _own_grader() -> Grader:
    # Not made when the process begins: what fails there is not said to the one who waits.
    return _make(_held[0])


def _grade_held(answers: Answers) -> Columns:
    return _own_grader().batch(answers)


def _in_processes(batches: Iterable[Answers], spec: GraderSpec) -> Graded:
    # Loaded late: it takes longer than to grade a hundred answers.
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    workers = _cores()
    # Spawned: a copy of this process would have its locks.
    pool = ProcessPoolExecutor(workers, get_context("spawn"), initializer=_hold, initargs=(spec,))
    try:
        yield from _ordered(
            batches,
            lambda given: pool.submit(_grade_held, given),
            lambda handle: handle.result(),
            _ahead(workers),
        )
    except BrokenProcessPool as error:
        raise EngineError(
            "a worker process could not start, or was killed, perhaps because memory ran out; a"
            " script that grades in processes needs `if __name__ == '__main__':` around its work"
        ) from error
    finally:
        pool.shutdown(cancel_futures=True)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def _ahead(workers: int) -> int:
    return max(_LEAST_AHEAD, 4 * workers)


# ---- Ray


def _ray() -> Any:  # noqa: ANN401  # it is an extra, with types of its own that are partly unknown
    try:
        return import_module("ray")
    except ImportError as error:
        raise MissingExtraError("grading on a Ray cluster", "ray") from error


def _on_ray(batches: Iterable[Answers], spec: GraderSpec) -> Graded:
    ray = _ray()
    own = not ray.is_initialized()
    if own:
        # The cluster that RAY_ADDRESS names, or this machine as one.
        ray.init(log_to_driver=False, logging_level=logging.ERROR)
    try:
        # Tasks without a state: Ray itself runs one again whose worker ended. An actor would have
        # to be asked again by us, and be told apart from one that can't be reached for a moment.
        remote = ray.remote(max_retries=_TRIES)(_grade_fetched)
        kept = ray.put(spec)
        ahead = _ahead(int(ray.cluster_resources().get("CPU", 1)))
        # In a list it is handed over as a name: a worker fetches it once, not for each batch.
        yield from _ordered(batches, lambda given: remote.remote([kept], given), _fetch, ahead)
    finally:
        if own:
            ray.shutdown()


def _fetch(handle: object) -> Columns:
    ray = _ray()
    try:
        return ray.get(handle)
    except ray.exceptions.RayTaskError as error:
        cause = error.cause
        raise cause if isinstance(cause, SnellenError) else EngineError(str(cause)) from error
    except ray.exceptions.RayError as error:
        raise EngineError(f"Ray could not grade a batch: {error}") from error


def _grade_fetched(names: list[Hashable], answers: Answers) -> Columns:
    return _fetched(names[0]).batch(answers)


@lru_cache(maxsize=1)
def _fetched(name: Hashable) -> Grader:
    return _make(_ray().get(name))
