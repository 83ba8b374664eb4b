"""Every task of every benchmark; those of installed packages follow snellen's own.

`snellen.grading.protocols.names.OWN` is the one list of snellen's own. A benchmark's
`data.toml` is read when one of its tasks is looked up.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from snellen.grading.errors import InputError, PluginError, UnknownNameError
from snellen.grading.protocols.names import OWN
from snellen.grading.protocols.plugins import ByBenchmark, Rules, WithPlugins, plugin
from snellen.tasks.benchmarks.declared import own
from snellen.tasks.benchmarks.spec import Benchmark, TaskSpec
from snellen.tasks.data.release import Place

if TYPE_CHECKING:
    from snellen.tasks.models import TaskData


def benchmark_of(name: str) -> Benchmark:
    """Return a benchmark by its name, or by the id of one of its tasks.

    Raises:
        UnknownNameError: There is no such benchmark.
        PluginError: The package that adds it can't be used.
    """
    name = name.partition("/")[0]
    if name in OWN:
        return own(name)
    rules = plugin(name)
    if rules is None:
        raise UnknownNameError("benchmark", name, OWN)
    return _whole(rules)


def benchmarks() -> Iterator[Benchmark]:
    """Yield every benchmark; a package that can't be used is left out with a PluginWarning."""
    for name in dict.fromkeys(task.partition("/")[0] for task in TASKS):
        yield benchmark_of(name)


def _whole(rules: Rules) -> Benchmark:
    if not isinstance(rules, Benchmark):
        raise PluginError(f"the benchmark {rules.name!r} has rules but no tasks: make a Benchmark")
    return rules


def _specs(benchmark: Benchmark) -> Mapping[str, TaskSpec]:
    return {spec.id: spec for spec in benchmark.tasks}


TASKS: Mapping[str, TaskSpec] = WithPlugins(
    ByBenchmark(lambda name: _specs(own(name))), lambda rules: _specs(_whole(rules))
)
"""Every task by its id."""


def own_places() -> Mapping[str, Place]:
    """Return where snellen's own benchmarks are published, by their names."""
    places = {name: own(name).place for name in OWN}
    return MappingProxyType({name: place for name, place in places.items() if place})


def place_of(benchmark: str) -> Place:
    """Return where a benchmark is published.

    Raises:
        UnknownNameError: It is none that can be fetched.
        PluginError: The package that adds it can't be used.
    """
    rules = None if "/" in benchmark or benchmark in OWN else plugin(benchmark)
    place = own_places().get(benchmark) if rules is None else _whole(rules).place
    if place is None:
        raise UnknownNameError("benchmark to fetch", benchmark, own_places())
    return place


def task_of(task: str) -> TaskSpec:
    """Return a task by its id.

    Raises:
        UnknownNameError: There is no such task.
    """
    try:
        return TASKS[task]
    except KeyError:
        raise UnknownNameError("task", task, TASKS) from None


def load_task(
    task: str,
    path: str | Path,
    split: str | None = None,
    images: str | Path | None = None,
    prompt: str | None = None,
) -> "TaskData":
    """Load one split of any task from its published files.

    Args:
        task: The task's id.
        path: The folder or file that holds its data, or a pack that holds it, or the name of an
            included exam.
        split: The split's name; None: what the benchmark's loader takes by default.
        images: A folder of images, where the data does not hold them.
        prompt: The name of one of the task's prompts; its first when None.

    Raises:
        UnknownNameError: There is no such task, split or prompt.
        InputError: A pack was made with another split or prompt, or images were given for it.
        DataError: The data, or a pack's references, can't be read.
        MissingExtraError: Reading it needs an optional dependency.
    """
    from snellen.tasks.pack import MANIFEST

    spec = task_of(task)
    if not Path(path).exists():
        from snellen.tasks.samples import INCLUDED, exam_folder

        path = exam_folder(path) if str(path) in INCLUDED else path
    if (Path(path) / MANIFEST).is_file():
        from snellen.tasks.pack.read import is_pack

        if is_pack(path):
            return _from_pack(task, Path(path), split, images, prompt)
    return benchmark_of(spec.id).load(task, path, split, images, prompt)


def _from_pack(
    task: str, folder: Path, split: str | None, images: str | Path | None, prompt: str | None
) -> "TaskData":
    """Load a task of a pack; sealed references are decrypted with the key of the environment."""
    from snellen.tasks.pack.read import open_pack, open_references, task_data
    from snellen.tasks.pack.seal import find_key

    pack = open_pack(folder)
    held = pack.task(task)
    for what, requested, has in (("split", split, held.split), ("prompt", prompt, held.prompt)):
        if requested not in (None, has):
            message = f"the pack was made with the {what} {has!r}, not {requested!r}"
            raise InputError(message, file=str(folder), field=what)
    if images is not None:
        raise InputError("a pack contains its images; omit images", file=str(folder))
    return task_data(pack, open_references(pack, find_key(pack=folder)), task)
