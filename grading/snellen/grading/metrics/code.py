"""Code answers: the executor interface, the pass rate, and chart specs compared with tolerance.

Grading never runs code. An executor (`snellen.tasks.sandbox`) runs it and returns the outcomes as
values. Published scripts instead compare texts with `eval`.
"""

import math
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol, cast

from snellen.grading.errors import MetricError

KilledFor = Literal["wall_time", "cpu_time", "output", "signal"]
"""Why candidate code did not end by itself."""

_Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Execution:
    """The result of one run of candidate code; a run that is not possible is an error instead.

    Attributes:
        ok: It ended by itself with exit status 0.
        exit: The exit status; None if it was killed.
        stdout: Its standard output, undecodable bytes replaced, cut at the limit.
        stderr: Its standard error, tracebacks included, cut at the limit.
        timed_out: It was killed because it used up its wall-clock time or its processor time.
        killed_for: The reason why it was killed, or None.
        seconds: Its wall-clock time; two runs that differ only in this are equal.
    """

    ok: bool
    exit: int | None
    stdout: str
    stderr: str
    timed_out: bool
    killed_for: KilledFor | None
    seconds: float = field(compare=False)


class CodeExecutor(Protocol):
    """Runs candidate code in isolation."""

    def run(self, code: str, *, files: Mapping[str, str] | None = None) -> Execution:
        """Run a Python program to its end.

        Args:
            code: The program.
            files: Texts to write to its working folder, by relative path: tests, stub modules.

        Raises:
            ExecutionError: The program cannot be run safely here; the answer is not at fault.
        """
        ...


def pass_rate(outcomes: Iterable[Execution | bool]) -> float:
    """Return the share of runs that passed, in 0..1.

    This is the "code generation pass rate": one program per item, which passes if its tests end
    with status 0.

    Args:
        outcomes: One run of candidate code, or one verdict on it, per item.

    Raises:
        MetricError: There are no outcomes.

    >>> pass_rate([True, True, False, True])
    0.75
    """
    verdicts = [item.ok if isinstance(item, Execution) else item for item in outcomes]
    if not verdicts:
        raise MetricError("the pass rate of no runs is not defined")
    return sum(verdicts) / len(verdicts)


@dataclass(frozen=True, slots=True)
class SpecMatch:
    """The agreement of a JSON spec with the reference."""

    score: float  # agreeing leaves over the leaves of both documents, in 0..1
    differences: tuple[str, ...]  # the paths that disagree, sorted, such as `series[1].values[0]`

    @property
    def equal(self) -> bool:
        """Whether all leaves agree."""
        return not self.differences


def spec_match(
    prediction: object, reference: object, *, relative: float = 0.01, absolute: float = 1e-9
) -> SpecMatch:
    """Compare two JSON documents leaf by leaf, numbers with tolerance.

    Numbers agree when |p - r| <= max(relative * |r|, absolute); true is not 1. Texts agree when
    equal after NFKC with white space collapsed. The order of lists counts, that of keys does not. A
    leaf on one side only disagrees, so an invented series costs as much as a missing one. An empty
    list or object is a leaf. The rule is this project's: no published code compares specs.

    Args:
        prediction: A parsed JSON document.
        reference: The parsed JSON document to compare with.
        relative: The tolerance as a share of the reference's number.
        absolute: The tolerance for references near zero.

    Raises:
        MetricError: A tolerance is negative or not finite, the reference holds a number that is not
            finite, or a document holds a value that is not JSON.

    >>> spec_match({"x": ["a", "b"], "y": [1, 2.01]}, {"x": ["a", "b"], "y": [1, 2]}).equal
    True
    >>> spec_match({"y": [1, 3]}, {"y": [1, 2]})
    SpecMatch(score=0.5, differences=('y[1]',))
    """
    for name, tolerance in (("relative", relative), ("absolute", absolute)):
        if not (math.isfinite(tolerance) and tolerance >= 0):
            raise MetricError(f"the {name} tolerance must be 0 or more, not {tolerance}")
    gold = _leaves(reference)
    given = _leaves(prediction)
    for path, leaf in gold.items():
        if isinstance(leaf, float) and not math.isfinite(leaf):
            raise MetricError(f"the reference's {_render(path)} is not a finite number")
    paths = gold.keys() | given.keys()
    wrong = [
        path
        for path in paths
        if path not in gold
        or path not in given
        or not _agree(given[path], gold[path], relative, absolute)
    ]
    return SpecMatch(1.0 - len(wrong) / len(paths), tuple(sorted(map(_render, wrong))))


@dataclass(frozen=True, slots=True)
class _Empty:
    """An empty list or object."""

    kind: type


_Leaf = str | float | bool | _Empty | None


def _leaves(document: object) -> dict[_Path, _Leaf]:
    # A stack instead of recursion: a prediction can be nested to any depth.
    leaves: dict[_Path, _Leaf] = {}
    pending: list[tuple[_Path, object]] = [((), document)]
    while pending:
        path, value = pending.pop()
        if isinstance(value, dict):
            members = cast("dict[object, object]", value)
            pending.extend(((*path, _key(key)), member) for key, member in members.items())
        elif isinstance(value, list | tuple):
            elements = cast("list[object] | tuple[object, ...]", value)
            pending.extend(((*path, index), element) for index, element in enumerate(elements))
        else:
            leaves[path] = _leaf(value)
            continue
        if not value:
            leaves[path] = _Empty(dict if isinstance(value, dict) else list)
    return leaves


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise MetricError(f"{key!r} is not a JSON key")
    return key


def _leaf(value: object) -> _Leaf:
    if isinstance(value, str):
        return " ".join(unicodedata.normalize("NFKC", value).split())
    if value is None or isinstance(value, bool | float):
        return value
    if isinstance(value, int):
        try:
            return float(value)
        except OverflowError:
            return math.inf
    raise MetricError(f"a {type(value).__name__} is not a JSON value")


def _agree(given: _Leaf, gold: _Leaf, relative: float, absolute: float) -> bool:
    if isinstance(gold, float) and isinstance(given, float):
        return abs(given - gold) <= max(relative * abs(gold), absolute)
    return type(given) is type(gold) and given == gold


def _render(path: _Path) -> str:
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".") or "value"
