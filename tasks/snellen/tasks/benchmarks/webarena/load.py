"""Read WebArena-Verified's tasks: `webarena-verified.json`, a list of tasks with their checks.

Source: ServiceNow/webarena-verified 6473f72, `assets/dataset`. WebArena's own references are in
`test.raw.json`, which lies beside it there and in `config_files` of web-arena-x/webarena.
"""

import hashlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec

from snellen.grading.errors import DataError, UnknownNameError
from snellen.grading.models.golds import Golds
from snellen.grading.models.items import AnswerFormat, AnswerKind, Item
from snellen.tasks.benchmarks.declared import own
from snellen.tasks.benchmarks.loading import task_in
from snellen.tasks.benchmarks.webarena.rules import GOLDS, VERIFIED
from snellen.tasks.benchmarks.webarena.rules.golds import ResponseCheck, WebTask
from snellen.tasks.benchmarks.webarena.rules.requests import RequestCheck
from snellen.tasks.benchmarks.webarena.rules.strings import Original
from snellen.tasks.data.pins import pin
from snellen.tasks.io.files import checked, contents
from snellen.tasks.io.json_text import read_json
from snellen.tasks.io.rows import Text, misfit
from snellen.tasks.models import TaskData
from snellen.tasks.prompts import Prompt, prompt_of

FILE = "webarena-verified.json"
ORIGINAL = "test.raw.json"
SPLITS = ("full", "hard")


class _Row(msgspec.Struct):
    task_id: int
    intent_template_id: int
    sites: tuple[str, ...]
    start_urls: tuple[str, ...]
    intent: Text
    eval: tuple[ResponseCheck | RequestCheck, ...]


class _OriginalRow(msgspec.Struct):
    task_id: int
    eval: Original


class _Subset(msgspec.Struct):
    task_ids: list[int]


def load(
    task: str,
    path: str | Path,
    split: str | None = None,
    images: str | Path | None = None,
    prompt: str | None = None,
) -> TaskData:
    """Load the tasks.

    Args:
        task: `webarena/verified`.
        path: `webarena-verified.json`, the folder that holds it, or a copy of the repository; a
            file may be compressed with gzip. `test.raw.json` beside it, or in `config_files`, has
            the references of the protocols `webarena` and `visualwebarena`.
        split: `full`, or `hard`, whose ids are in `subsets/webarena-verified-hard.json`; None:
            `full`.
        images: There are none.
        prompt: The name of one of the task's prompts; its first when None.

    Raises:
        DataError: A file can't be read, a row is not as published, or an id comes twice.
        UnknownNameError: There is no such task, split or prompt.
    """
    task_in({VERIFIED: VERIFIED}, task, "WebArena")
    if split is not None and split not in SPLITS:
        raise UnknownNameError(f"split of {task}", split, SPLITS)
    benchmark = own("webarena")
    asked = prompt_of(benchmark.prompts[task], prompt)
    file = _file(Path(path))
    text = read_json(file)
    rows = text.rows(list[_Row])
    twice = [
        task_id for task_id, count in Counter(row.task_id for row in rows).items() if count > 1
    ]
    if twice:
        raise DataError(f"the task {twice[0]} is there twice", file=str(file), field="task_id")
    originals = _originals(file.parent)
    golds = [_gold(row, number, originals, str(file)) for number, row in enumerate(rows)]
    sha256 = text.sha256
    if split == "hard":
        kept = _hard(file.parent, [row.task_id for row in rows])
        sha256 = hashlib.sha256(f"{sha256}\n{kept}".encode()).hexdigest()
        rows, golds = [rows[number] for number in kept], [golds[number] for number in kept]
    release = pin(
        "webarena",
        split or "full",
        file,
        sha256,
        len(rows),
        benchmark.releases,
    )
    if not originals:
        note = f"no {ORIGINAL} beside it: the protocols webarena and visualwebarena can't judge"
        release = release.model_copy(update={"note": "; ".join(filter(None, (release.note, note)))})
    return TaskData(
        task=task,
        split=split or "full",
        ids=[str(row.task_id) for row in rows],
        golds=Golds(golds),
        pin=release,
        build_item=lambda index: _item(rows[index], asked),
        tags={
            "task_type": [gold.response.expected.task_type.lower() for gold in golds],
            "site": ["+".join(sorted(row.sites)) for row in rows],
            "checks": ["response and requests" if gold.requests else "response" for gold in golds],
            "status": [gold.response.expected.status for gold in golds],
            "template": [str(row.intent_template_id) for row in rows],
        },
        cluster="template",
    )


def _file(path: Path) -> Path:
    checked(path, f"{FILE} or a folder with it")
    if path.is_file():
        return path
    names = [f"{folder}{FILE}{end}" for folder in ("", "assets/dataset/") for end in ("", ".gz")]
    found = next((path / name for name in names if (path / name).is_file()), None)
    if found is None:
        raise DataError(
            f"there is no {FILE} in it ({contents(path)}); full.parquet of the Hub, which holds"
            " references as text, is not read",
            file=str(path),
        )
    return found


def _beside(folder: Path, names: Sequence[str]) -> Path | None:
    paths = (folder / f"{name}{end}" for name in names for end in ("", ".gz"))
    return next((path for path in paths if path.is_file()), None)


def _originals(folder: Path) -> dict[int, Original]:
    file = _beside(folder, (ORIGINAL, f"config_files/{ORIGINAL}"))
    rows = read_json(file).rows(list[_OriginalRow]) if file is not None else ()
    return {row.task_id: row.eval for row in rows}


def _hard(folder: Path, ids: Sequence[int]) -> list[int]:
    """Return the indexes of the hard tasks."""
    name = "webarena-verified-hard.json"
    file = _beside(folder, (f"subsets/{name}", name, "webarena-verified-hard-subset.json"))
    if file is None:
        raise DataError(
            f"there is no subsets/{name}, which lists the tasks of the split 'hard'",
            file=str(folder),
        )
    indexes = {task_id: index for index, task_id in enumerate(ids)}
    wanted = read_json(file).decode(_Subset, "expected an object with task_ids").task_ids
    if missing := [task_id for task_id in wanted if task_id not in indexes]:
        raise DataError(f"the tasks {missing[:3]} are not in {FILE}", file=str(file))
    return [indexes[task_id] for task_id in wanted]


def _gold(row: _Row, number: int, originals: dict[int, Original], file: str) -> WebTask:
    try:
        gold = GOLDS[VERIFIED].check(WebTask(row.sites, row.eval))
    except ValueError as error:
        raise misfit(f"task {row.task_id}: {error}", file, number, "eval") from None
    return msgspec.structs.replace(gold, original=originals.get(row.task_id))


def _item(row: _Row, asked: Prompt) -> Item:
    return Item(
        id=str(row.task_id),
        task=VERIFIED,
        prompt=asked.ask(row.intent, hint=f" Start at {' and '.join(row.start_urls)}."),
        answer_format=AnswerFormat(
            kind=AnswerKind.EPISODE,
            example='{"task_type": "RETRIEVE", "status": "SUCCESS", "retrieved_data": ["7"]}',
        ),
        tags={"prompt": asked.name},
    )
