"""Loads tasks that are judged by the last state of a world, and writes them.

The file holds an object a line, `{id, goal, gold, tags}` with what the benchmark's own rows have
beside it. `gold` is how the world should end: `{changes, answer, kind, reason, limit}`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Generic, TypeVar

import msgspec
from msgspec import Meta
from pydantic import JsonValue

from snellen.grading.errors import DataError
from snellen.grading.models.golds import Golds
from snellen.grading.models.items import AnswerFormat, AnswerKind, Item
from snellen.grading.protocols.base import Context
from snellen.grading.protocols.golds import OutcomeGold
from snellen.tasks.data.pins import pin
from snellen.tasks.io.files import checked, contents
from snellen.tasks.io.json_text import read_json
from snellen.tasks.models import TaskData, World
from snellen.tasks.prompts import Prompt, prompt_of


class WorldRow(msgspec.Struct, frozen=True, kw_only=True):
    """One task."""

    id: Annotated[str, Meta(min_length=1)]  # of its own
    goal: Annotated[str, Meta(min_length=1)]  # what is to be done
    gold: OutcomeGold  # how it should end, with the most steps
    tags: Mapping[str, str]  # what it can be grouped by

    @property
    def limit(self) -> int:
        """How many steps it may take."""
        return int(self.gold.limit or 1)


R = TypeVar("R", bound=WorldRow)


@dataclass(frozen=True, slots=True)
class Worlds(Generic[R]):
    """A benchmark whose tasks are judged by the last state of a world."""

    environment: str  # what opens its worlds; its file is this name with `.jsonl`
    row: type[R]  # a line of the file
    task: Callable[[R], str]  # names a row's task
    start: Callable[[R], JsonValue]  # returns a row's world at the beginning
    tags: Sequence[str]  # what its tasks are grouped by
    prompts: Sequence[Prompt]  # the first is the default

    @property
    def file(self) -> str:
        """The name of its file."""
        return f"{self.environment}.jsonl"

    def write(self, rows: Sequence[R], folder: Path) -> Path:
        """Write the file that is loaded, and return its path."""
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / self.file
        file.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
        return file

    def load(self, task: str, path: str | Path, split: str | None, prompt: str | None) -> TaskData:
        """Load one task's rows.

        Args:
            task: Its name.
            path: The file, or the folder that holds it.
            split: There is one, `all`.
            prompt: The prompt's name; None: the default.

        Raises:
            DataError: A line is not as described, an id comes twice, or there is no row of it.
            UnknownNameError: There is no such prompt.
        """
        found = Path(path)
        checked(found, f"a folder with {self.file}")
        file = found / self.file if found.is_dir() else found
        if not file.is_file():
            raise DataError(f"there is no {self.file} in it ({contents(found)})", file=str(path))
        if split not in (None, "all"):
            raise DataError(f"there is no split {split!r} of {task}, only 'all'", file=str(path))
        text = read_json(file)
        fields = ", ".join(self.row.__struct_fields__)
        rows: dict[str, R] = {}
        for line in text.lines:
            row = line.decode(self.row, f"expected a task {{{fields}}}")
            if row.id in rows:
                raise line.error(f"the task {row.id!r} is there twice", "id")
            if row.gold.limit is None:
                raise line.error(f"the task {row.id!r} has no limit", "gold")
            rows[row.id] = row
        kept = [row for row in rows.values() if self.task(row) == task]
        if not kept:
            raise DataError(f"it holds no task of {task}", file=str(file))
        asked = prompt_of(self.prompts, prompt)
        return TaskData(
            task=task,
            split="all",
            ids=[row.id for row in kept],
            golds=Golds([row.gold for row in kept]),
            pin=pin(self.environment, "all", file, text.sha256, len(kept)),
            contexts=[Context(limit=row.gold.limit) for row in kept],
            build_item=lambda index: self._item(task, kept[index], asked),
            worlds=[
                World(environment=self.environment, start=self.start(row), limit=row.limit)
                for row in kept
            ],
            tags={
                **{
                    name: [row.tags.get(name) for row in kept]
                    for name in self.tags
                    if any(name in row.tags for row in kept)
                },
                "steps": [f"{row.limit} steps" for row in kept],
            },
            cluster="template",
        )

    def _item(self, task: str, row: R, prompt: Prompt) -> Item:
        return Item(
            id=row.id,
            task=task,
            prompt=prompt.ask(row.goal, hint=f" You may take {row.limit} steps."),
            answer_format=AnswerFormat(
                kind=AnswerKind.EPISODE, example='{"status": "done", "changes": {}, "cost": 3}'
            ),
            tags={"prompt": prompt.name},
        )
