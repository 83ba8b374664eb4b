"""The scores of one participant as they are shown while a phase is open."""

from collections.abc import Iterable, Sequence

from snellen.server.exam.rounding import Numbers, Run, shown_runs
from snellen.tasks.hosted import TaskScore


def numbers_of(score: TaskScore) -> Numbers:
    """Return the numbers of a score that depend on references."""
    return Numbers(score.value, score.low, score.high, score.items, score.metrics)


def with_numbers(score: TaskScore, shown: Numbers) -> TaskScore:
    """Return a score with the numbers that are shown of it."""
    return score.model_copy(
        update={
            "value": shown.value,
            "low": shown.low,
            "high": shown.high,
            "metrics": {key: shown.metrics[key] for key in score.metrics if key in shown.metrics},
        }
    )


def shown_scores(
    scores: Iterable[TaskScore], names: Sequence[str] = (), secret: bytes | None = None
) -> Sequence[TaskScore]:
    """Return what is shown of a participant's scores on an exam's only task, in order of arrival.

    Args:
        scores: The exact scores.
        names: The name of each submission, by which its boundaries are drawn.
        secret: The key of the draws; None: boundaries are the middles of the steps.
    """
    given = list(scores)
    runs = [
        Run(name, {score.task: numbers_of(score)})
        for name, score in zip(names or [""] * len(given), given, strict=True)
    ]
    tasks = [given[0].task] if given else []
    return [
        with_numbers(score, run.scores[score.task])
        for score, run in zip(given, shown_runs(runs, tasks, secret), strict=True)
    ]
