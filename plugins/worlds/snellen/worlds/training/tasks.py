"""The tasks that are drawn for training, each with its world and its reference."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import msgspec
from numpy.random import Generator
from pydantic import JsonValue

from snellen.grading.errors import InputError
from snellen.grading.models.scores import Score
from snellen.grading.protocols.golds import Changes, OutcomeGold, PageEpisodeGold
from snellen.worlds.training.splits import FIRST_SEED, SEEDS, check_seed

DIFFICULTIES = ("easy", "medium", "hard")


@dataclass(frozen=True, slots=True)
class Choice:
    """What is chosen of a task; equal choices give equal tasks.

    Attributes:
        environment: `desk` or `miniwob`.
        template: The template of the desk, or the page of MiniWoB++.
        seed: The seed of its world.
        difficulty: `easy`, `medium` or `hard`; the desk only.
        feasible: Whether it can be done; the desk only.
    """

    environment: str
    template: str
    seed: int
    difficulty: str = "easy"
    feasible: bool = True


@dataclass(frozen=True, slots=True)
class TrainingTask:
    """A task for training."""

    choice: Choice  # what was chosen
    id: str  # the task's id, such as `desk/l3`
    world: JsonValue = field(repr=False)  # its beginning
    goal: str  # the goal in words; empty where only the open page says it
    limit: int  # the maximum number of steps
    gold: OutcomeGold | PageEpisodeGold = field(repr=False)  # its reference


def draw(
    environment: str,
    templates: Sequence[str],
    difficulties: Sequence[str],
    infeasible: float,
    random: Generator,
) -> Choice:
    """Draw a task.

    Args:
        environment: `desk` or `miniwob`.
        templates: Of which one is drawn.
        difficulties: Of which one is drawn.
        infeasible: The share of tasks that can't be done.
        random: The source of all choices.
    """
    return Choice(
        environment,
        templates[int(random.integers(len(templates)))],
        FIRST_SEED[environment] + int(random.integers(SEEDS)),
        difficulties[int(random.integers(len(difficulties)))],
        bool(random.random() >= infeasible),
    )


def make(choice: Choice) -> TrainingTask:
    """Make a task.

    Raises:
        InputError: The seed is none for training, or there is no such difficulty.
    """
    check_seed(choice.environment, choice.seed)
    if choice.difficulty not in DIFFICULTIES:
        raise InputError(f"difficulty is easy, medium or hard, not {choice.difficulty!r}")
    return _MAKERS[choice.environment](choice)


def _desk(choice: Choice) -> TrainingTask:
    from snellen.worlds.desk.templates.table import TEMPLATES, gold_of

    task = TEMPLATES[choice.template].make(
        choice.seed,
        cast("Any", choice.difficulty),
        feasible=choice.feasible,
    )
    level = task.tags["level"].lower()
    return TrainingTask(
        choice, f"desk/{level}", {"state": task.state}, task.goal, task.limit, gold_of(task)
    )


def _miniwob(choice: Choice) -> TrainingTask:
    from snellen.tasks.benchmarks.miniwob.load import LIMIT

    world: JsonValue = {"page": choice.template, "seed": choice.seed}
    gold = PageEpisodeGold(LIMIT, choice.template)
    return TrainingTask(choice, "miniwob/episode", world, "", LIMIT, gold)


_MAKERS: dict[str, Callable[[Choice], TrainingTask]] = {"desk": _desk, "miniwob": _miniwob}


def partial_credit(task: TrainingTask, record: Mapping[str, Any], score: Score) -> float:
    """Return how much of a task was done.

    On the desk: of all facts that had to change or did change, the share of those that are as they
    should be; an answer, or the reason why it can't be done, is one of them. MiniWoB++: the raw
    reward of the page, -1 to 1; 0 if the page did not end.

    Args:
        task: The task.
        record: The record of its episode.
        score: The score of the record.
    """
    gold = task.gold
    if isinstance(gold, PageEpisodeGold):
        return float(record["reward"] or 0.0) if record["ended"] else 0.0
    if record.get("status") == "infeasible" and gold.reason is None:
        return 0.0
    wanted = _facts(msgspec.to_builtins(gold.changes or Changes()))
    made = _facts(record["changes"])
    right, whole = float(len(wanted & made)), len(wanted | made)
    if gold.answer is not None or gold.reason is not None:
        right, whole = right + score.metrics["said"], whole + 1
    return right / whole if whole else 1.0


def _facts(changes: Mapping[str, Any]) -> set[bytes]:
    """Return the facts of changes: a path with its new value, an object added, one removed."""
    encode = msgspec.json.Encoder(order="deterministic").encode
    facts = {encode([path, after]) for path, (_, after) in changes.get("changed", {}).items()}
    for kind in ("added", "removed"):
        for path, objects in changes.get(kind, {}).items():
            # Two equal objects are two facts.
            for number, one in enumerate(objects):
                same = sum(each == one for each in objects[:number])
                facts.add(encode([kind, path, one, same]))
    return facts
