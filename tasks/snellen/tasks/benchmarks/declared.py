"""Benchmarks as their `data.toml` declares them.

The file stands in the benchmark's folder, which may hold several: one table for each, by its name.
A task's id is written without the benchmark's name. `kind` is its answer's; a point and an action
have a usual metric and guess, all others say theirs. What is a function is named `module:function`,
below the folder. `load.py` has the loader, unless all tasks are `tables` of elements to point at;
one may be that of several `tasks`, with `{task}` in its ids, files and folders of images. `prompts`
may be asked by any table of the file, and of what is no table by its `tasks`, or by all.
"""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import msgspec

from snellen.grading import guesses
from snellen.grading.models.geometry import Space
from snellen.grading.models.items import AnswerKind
from snellen.grading.protocols.names import OWN
from snellen.tasks.benchmarks.spec import Benchmark, TaskSpec, late
from snellen.tasks.data.release import Place, Release, RowSign, Signs
from snellen.tasks.prompts import Prompt

if TYPE_CHECKING:
    from snellen.tasks.benchmarks.point_table import PointTable

_HERE = "snellen.tasks.benchmarks"
_LOAD_TABLE = late(f"{_HERE}.point_rows:load")
_MIDDLE = '{"format": "plain", "action": "click", "x": 0.5, "y": 0.5, "space": "unit"}'
_USUAL: Mapping[AnswerKind, tuple[str, guesses.Guess]] = {
    AnswerKind.POINT: ("accuracy", guesses.RandomPoint()),
    # Whoever doesn't look clicks the middle.
    AnswerKind.ACTION: ("step", guesses.Constant(_MIDDLE, "a click in the middle")),
}
_GUESSES: Mapping[str, guesses.Guess] = {
    "random point": guesses.RandomPoint(),
    "random box": guesses.RandomBox(),
    "one of its options": guesses.OneOfItsOptions(),
    "an option or nothing": guesses.OptionOrNothing(),
    "idle": guesses.Idle(),
}
_FUNCTIONS = ("in_folder", "by_name", "by_row")


def own(name: str) -> Benchmark:
    """Return one of snellen's own benchmarks by its name."""
    return declared(OWN[name])[name]


@cache
def declared(folder: str) -> Mapping[str, Benchmark]:
    """Return the benchmarks of a folder below this one by their names."""
    read = tomllib.loads(files(_HERE).joinpath(folder, "data.toml").read_text(encoding="utf-8"))
    prompts = [one for given in read.values() for one in given.get("prompts", ())]
    return {name: _benchmark(folder, name, given, prompts) for name, given in read.items()}


def _benchmark(
    folder: str, name: str, given: Mapping[str, Any], prompts: Sequence[Mapping[str, Any]]
) -> Benchmark:
    def function(named: str) -> Callable[..., Any]:
        return late(named if named.startswith("snellen.") else f"{_HERE}.{folder}.{named}")

    def whole(task: str) -> str:
        return f"{name}/{task}"

    place = given.get("place") and msgspec.convert({"benchmark": name, **given["place"]}, Place)
    releases = msgspec.convert(given.get("releases", ()), tuple[Release, ...])
    written = files(_HERE).joinpath(folder, "load.py").is_file()
    tasks = [_task(whole(one["id"]), one, function) for one in given["tasks"]]
    by_id = {task.id: task for task in tasks}
    tables = _tables(by_id, name, given["tables"], prompts, function) if "tables" in given else ()
    return Benchmark(
        name=name,
        tasks=tuple(tasks),
        load=function("load:load") if written else partial(_LOAD_TABLE, tables, place, releases),
        place=place or None,
        releases=releases,
        signs=_signs(given.get("signs", {}), tables, whole, function),
        summaries=function(given["summaries"]) if "summaries" in given else None,
        tables=tables,
        prompts={whole(task["id"]): _prompts(task["id"], given) for task in given["tasks"]},
        more=given.get("more", {}),
    )


def _prompts(task: str, given: Mapping[str, Any]) -> tuple[Prompt, ...]:
    prompts = (one for one in given.get("prompts", ()) if task in one.get("tasks", [task]))
    return tuple(msgspec.convert(one, Prompt) for one in prompts)


def _tables(
    tasks: Mapping[str, TaskSpec],
    benchmark: str,
    given: Sequence[Mapping[str, Any]],
    asked: Sequence[Mapping[str, Any]],
    function: Callable[[str], Any],
) -> "tuple[PointTable, ...]":
    from snellen.tasks.benchmarks.point_table import PointPrompt, PointTable

    prompts: dict[str, PointPrompt] = {}
    for one in asked:
        prompt = msgspec.convert(one, Prompt)
        space = msgspec.convert(one.get("space"), Space | None)
        example, column = one.get("example", ""), one.get("column", "")
        prompts[prompt.name] = PointPrompt(prompt, space, example, column)
    tables: list[PointTable] = []
    alike = ((name, one) for one in given for name in one.get("tasks", [one.get("task")]))
    for name, one in alike:
        named = {
            key: [text.replace("{task}", name) for text in one.get(key, ())]
            for key in ("files", "images")
        }
        late = {"refuses": function(one["refuses"])} if "refuses" in one else {}
        one = {**one, **named, **late, "ids": one.get("ids", "").replace("{task}", name)}
        one["layouts"] = [
            {**each, "sizes": function(each["sizes"])} if "sizes" in each else each
            for each in one["layouts"]
        ]
        task = tasks[f"{benchmark}/{name}"]
        table = msgspec.convert(
            {**one, "task": task.id, "title": task.title, "by": task.by, "asked": ()}, PointTable
        )
        tables.append(replace(table, asked=[prompts[name] for name in one.get("asked", ())]))
    return tuple(tables)


def _task(task: str, given: Mapping[str, Any], function: Callable[[str], Any]) -> TaskSpec:
    kind = AnswerKind(given["kind"])
    primary, guess = _USUAL.get(kind, ("", None))
    said = given.get("guess", guess)
    match said:
        case str():
            guess = _GUESSES[said]
        case {"options": count}:
            guess = guesses.OneOf(count)
        case {"constant": response}:
            guess = guesses.Constant(response, said.get("name", ""))
        case {"none": why}:
            guess = guesses.NoGuess(why)
        case {"played": named}:
            guess = guesses.NullAgents(function(named))
        case _:
            guess = said
    return TaskSpec(
        task,
        given["title"],
        kind,
        given.get("primary", primary),
        guess,
        tuple(given.get("by", ())),
        tuple(given["cell"]) if "cell" in given else None,
    )


def _signs(
    given: Mapping[str, Any],
    tables: "tuple[PointTable, ...]",
    whole: Callable[[str], str],
    function: Callable[[str], Any],
) -> Signs:
    if not given:
        from snellen.tasks.benchmarks.point_table import signs_of

        return signs_of(tables)
    return Signs(
        names={name: whole(task) for name, task in given.get("names", {}).items()},
        rows=[
            RowSign(
                whole(row["task"]),
                frozenset(row["fields"].split()),
                frozenset(row.get("without", "").split()),
                row.get("begins", {}),
            )
            for row in given.get("rows", ())
        ],
        folders=given.get("folders", ()),
        together=[whole(task) for task in given.get("together", ())],
        **{name: function(given[name]) for name in _FUNCTIONS if name in given},
    )
