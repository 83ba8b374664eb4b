"""The exams that are included, by name; the references of those that ship lie open.

`sample` has two items of each task that needs no interaction, of the 136 of `sample-full`, which
`snellen build` made of sites that it generated. `wireframes` has twelve questions of ScreenQA; its
screens are drawn from Screen Annotation's layouts (both Google Research, CC BY 4.0). The
interactive ones are generated at the first start, with a seed of their own on each machine. A score
on any of them is no score of a benchmark.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from snellen.grading.errors import InputError
from snellen.tasks.samples.generated import generated_names

DEFAULT = "sample"
"""The exam of every command that is given none."""


class IncludedExam(NamedTuple):
    """An exam that is served by its name."""

    title: str  # what it has, in a few words
    folder: str  # the name of its pack's folder beside this module


INCLUDED: Mapping[str, IncludedExam] = MappingProxyType(
    {
        DEFAULT: IncludedExam("two items of each task, or a pair", "sample"),
        "sample-full": IncludedExam("all items of the sample", "exam"),
        "wireframes": IncludedExam("ScreenQA on drawn screens", "screens"),
    }
)
"""The exams that ship, by name."""


def included_names() -> Sequence[str]:
    """Return the names of the exams that ship, and of those that are generated."""
    return (*INCLUDED, *generated_names())


def is_generated(name: str) -> bool:
    """Whether a name is that of an exam that is generated, and of no folder here."""
    return name not in INCLUDED and name in generated_names() and not Path(name).is_dir()


def exam_folder(name: str | Path) -> Path:
    """Return the folder of a pack, or of an included exam that ships.

    Args:
        name: A path or a name; a folder that is there comes before an included exam.

    Raises:
        InputError: There is neither.
    """
    folder = Path(name)
    if folder.is_dir():
        return folder
    known = INCLUDED.get(str(name))
    if known is None:
        raise InputError(
            f"there is no such folder and no included exam {folder.name!r}; the included ones are"
            f" {', '.join(included_names())}",
            file=str(name),
        )
    return Path(__file__).with_name(known.folder)


def baselines() -> Mapping[str, Any]:
    """Return the scores of the baseline agent on the exams that ship, as `perf/baseline.py` wrote.

    By name: `exam`, its name and digest; `score`, the mean over tasks, and `items` of the whole
    exam; `benchmarks` and `tasks`, the rows of its tables with items, answered, value, low, high,
    blind and chance, 0..1; `attempts`, the values by task for each rule of contexts, with items.
    """
    file = Path(__file__).with_name("baselines.json")
    return json.loads(file.read_text(encoding="utf-8"))


def baseline_of(exam: str, items: Mapping[str, int]) -> float | None:
    """Return the baseline agent's mean over some tasks; None: it did not take these items.

    Args:
        exam: The exam's name and the digest of its items.
        items: The number of items of each task.
    """
    name = exam.partition("@")[0]
    known: dict[str, Any] = baselines().get(name) or {}
    if not items or known.get("exam") != exam:
        return None
    attempts: list[dict[str, dict[str, Any]]] = list(known["attempts"].values())
    for taken in attempts:
        if all(task in taken and taken[task]["items"] == count for task, count in items.items()):
            values: list[float] = [taken[task]["value"] for task in items]
            return sum(values) / len(values)
    return None
