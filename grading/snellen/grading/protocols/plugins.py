"""Benchmarks that installed packages add, by the entry points of the group `snellen.benchmarks`.

An entry point's name is the benchmark's and its object a `Rules` (in practice the
`snellen.tasks.benchmarks.spec.Benchmark` that extends it). Packages are looked for when a task's
name is none of snellen's own, or when all tasks are listed, and never before: scanning them costs
more than a score. What is found is remembered for as long as the process lives.
"""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from snellen.grading.errors import PluginError
from snellen.grading.protocols.names import OWN

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from snellen.grading.protocols.base import Protocol
    from snellen.grading.protocols.golds import GoldShape

GROUP = "snellen.benchmarks"
"""The group of entry points."""


class PluginWarning(UserWarning):
    """A package that adds a benchmark was left out of a list, because it can't be used."""


@dataclass(frozen=True, kw_only=True)
class Rules:
    """How the tasks of one benchmark are scored.

    Attributes:
        name: The benchmark's, in front of the `/` of its tasks' ids.
        protocols: Each task's protocols, its default first. Left out for snellen's own benchmarks,
            as `golds` is: both are then in the `rules` of the folder that `names.OWN` says, which
            are imported when they are looked at.
        golds: The published shape of each task's references.

    Raises:
        PluginError: The parts do not belong together.
    """

    name: str
    protocols: Mapping[str, tuple["Protocol", ...]] = field(
        default_factory=dict[str, tuple["Protocol", ...]], repr=False
    )
    golds: Mapping[str, "GoldShape"] = field(default_factory=dict[str, "GoldShape"], repr=False)

    def __post_init__(self) -> None:
        if self.name in OWN and not (self.protocols or self.golds):
            object.__setattr__(self, "protocols", own("PROTOCOLS", self.name))
            object.__setattr__(self, "golds", own("GOLDS", self.name))
        else:
            self.check()

    def check(self) -> None:
        """Check that the parts belong together.

        Raises:
            PluginError: They do not.
        """
        if not self.name or "/" in self.name:
            raise PluginError(
                f"{self.name!r} is not a valid name of a benchmark: it is empty or has a /"
            )
        if self.protocols.keys() != self.golds.keys():
            odd = sorted(self.protocols.keys() ^ self.golds.keys())
            raise PluginError(f"{odd[0]!r} needs both protocols and a shape of references")
        for task, protocols in self.protocols.items():
            self._check(task, protocols)

    def _check(self, task: str, protocols: "tuple[Protocol, ...]") -> None:
        if not task.startswith(f"{self.name}/"):
            raise PluginError(f"the task {task!r} of {self.name} must be called {self.name}/...")
        if not protocols:
            raise PluginError(f"{task} has no protocol")
        for protocol in protocols:
            if protocol.task != task:
                raise PluginError(f"{task} has a protocol {protocol.id!r} of {protocol.task}")
        if len({protocol.id for protocol in protocols}) < len(protocols):
            raise PluginError(f"{task} has two protocols with the same name")


_Value = TypeVar("_Value")


class ByBenchmark(Mapping[str, _Value], Generic[_Value]):
    """A table of tasks in parts, each made when a task of its benchmark is looked up.

    Args:
        part: Makes a benchmark's part; KeyError if there is no such benchmark.
        names: The benchmarks, in order.
    """

    def __init__(
        self, part: Callable[[str], Mapping[str, _Value]], names: Iterable[str] = OWN
    ) -> None:
        self._part = part
        self._names = tuple(names)

    def __getitem__(self, task: str) -> _Value:
        benchmark = task.partition("/")[0]
        if benchmark not in self._names:
            raise KeyError(task)
        return self._part(benchmark)[task]

    def __iter__(self) -> Iterator[str]:
        for benchmark in self._names:
            yield from self._part(benchmark)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def own(table: str, *names: str) -> ByBenchmark[Any]:
    """Return a table of snellen's own rules: of some benchmarks, or of all.

    Args:
        table: `PROTOCOLS` or `GOLDS`.
        names: The benchmarks; none: all.
    """

    @cache
    def part(benchmark: str) -> Mapping[str, Any]:
        module = import_module(f"snellen.tasks.benchmarks.{OWN[benchmark]}.rules")
        tasks: Mapping[str, Any] = getattr(module, table)
        return {task: tasks[task] for task in tasks if task.startswith(f"{benchmark}/")}

    return ByBenchmark(part, names or OWN)


class WithPlugins(Mapping[str, _Value], Generic[_Value]):
    """A table of snellen's own tasks, followed by those of installed packages.

    Looking up one of snellen's own never looks for packages, and no package can replace one or
    add to its benchmark. A package that can't be used raises PluginError when its own task is
    looked up; a list leaves it out with a PluginWarning.

    Args:
        own: The table.
        pick: Takes the same table out of a package's rules.
    """

    def __init__(
        self, own: Mapping[str, _Value], pick: Callable[[Rules], Mapping[str, _Value]]
    ) -> None:
        self._own = own
        self._pick = pick

    def __getitem__(self, task: str) -> _Value:
        if task in self._own:
            return self._own[task]
        benchmark, slash, _ = task.partition("/")
        rules = None if not slash or benchmark in OWN else plugin(benchmark)
        if rules is None:
            raise KeyError(task)
        return self._pick(rules)[task]

    def __iter__(self) -> Iterator[str]:
        yield from self._own
        for benchmark in plugin_names():
            try:
                if benchmark in OWN:
                    raise _reserved(benchmark)
                rules = plugin(benchmark)
                tasks = () if rules is None else tuple(self._pick(rules))
            except PluginError as error:
                warnings.warn(str(error), PluginWarning, stacklevel=2)
            else:
                yield from tasks

    def __len__(self) -> int:
        return sum(1 for _ in self)


def plugin_names() -> tuple[str, ...]:
    """Return the names under which installed packages add benchmarks, usable or not."""
    return tuple(registered())


@cache
def plugin(name: str) -> Rules | None:
    """Return the benchmark that an installed package adds under a name; None: no package does.

    Raises:
        PluginError: The package can't be imported, adds no benchmark of that name, or is not
            the only one that claims it.
    """
    entry, *others = registered().get(name, (None,))
    if entry is None:
        return None
    if others:
        claims = " and ".join(sorted(_package(one) for one in (entry, *others) if one))
        raise PluginError(f"{claims} both add a benchmark {name!r}; uninstall one of them")
    where = f"{_package(entry)}, which adds the benchmark {name!r},"
    try:
        rules: object = entry.load()
    except Exception as error:
        raise PluginError(
            f"{where} can't be imported from {entry.value}: {type(error).__name__}: {error}"
        ) from error
    if not isinstance(rules, Rules):
        raise PluginError(
            f"{where} gives a {type(rules).__name__} at {entry.value}, where a"
            " snellen.tasks.benchmarks.spec.Benchmark is needed"
        )
    if rules.name != name:
        raise PluginError(f"{where} calls it {rules.name!r} at {entry.value}; make the names agree")
    return rules


@cache
def registered(group: str = GROUP) -> "Mapping[str, tuple[EntryPoint, ...]]":
    """Return what installed packages register in a group of entry points, by name."""
    from importlib.metadata import entry_points

    by_name: dict[str, tuple[EntryPoint, ...]] = {}
    for entry in sorted(entry_points(group=group), key=lambda entry: entry.name):
        by_name[entry.name] = (*by_name.get(entry.name, ()), entry)
    return by_name


def _package(entry: "EntryPoint") -> str:
    return entry.dist.name if entry.dist is not None else entry.module


def _reserved(name: str) -> PluginError:
    packages = " and ".join(_package(entry) for entry in registered()[name])
    return PluginError(f"{packages} adds a benchmark {name!r}, which is the name of snellen's own")
