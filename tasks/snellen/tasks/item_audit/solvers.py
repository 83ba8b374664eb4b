"""Baseline solvers without pictures: each uses limited information, and the protocol scores it.

No solver uses a picture, or the reference of the item that it answers. The docstring of each solver
states what it uses.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from snellen.grading.chance import chance_of
from snellen.grading.errors import MetricError
from snellen.grading.grade import Answers, Grader
from snellen.grading.models.items import AnswerKind
from snellen.grading.protocols.base import FloatArray, Protocol
from snellen.grading.stats.means import mean_estimate
from snellen.grading.stats.sampling import random_order
from snellen.grading.stats.summary import estimate
from snellen.tasks.benchmarks.table import TASKS
from snellen.tasks.item_audit.faults import echoes
from snellen.tasks.item_audit.items import AuditItem, guess_of, words
from snellen.tasks.item_audit.models import FAULTED_BY, Fault, Solver, SolverScore
from snellen.tasks.pack.preview import responses_of

_QUOTES = (("“", "”"), ('"', '"'), ("'", "'"), ("«", "»"))


@dataclass(frozen=True, slots=True)
class SolverRun:
    """The items that a solver could answer, and the values of its answers."""

    solver: Solver
    items: Sequence[AuditItem]
    values: FloatArray


def try_solvers(protocol: Protocol, items: Sequence[AuditItem], seed: int) -> list[SolverRun]:
    """Run each solver on the items that it can answer, and score its answers.

    Args:
        protocol: The task's protocol.
        items: The task's items.
        seed: The seed of the choice of other pages.

    Raises:
        MetricError: The protocol can't be applied to the references.
    """
    grader = Grader.of(
        protocol, [item.gold for item in items], [item.line.context for item in items]
    )
    column = protocol.metric.keys.index(protocol.metric.primary)
    given: dict[Solver, Mapping[int, object]] = {
        Solver.BLIND: {item.index: blind(item, seed) for item in items},
        Solver.LONGEST: longest(items),
        Solver.FREQUENT: most_frequent([item for item in items if _lettered(item)], seed),
        Solver.LABEL: most_frequent([item for item in items if _labelled(item)], seed),
        Solver.PRIOR: option_prior([item for item in items if _lettered(item)], seed),
        Solver.FIRST: {item.index: "A" for item in items if _lettered(item)},
        Solver.OTHER_PAGE: other_pages(protocol, items, seed),
    }
    results: list[SolverRun] = []
    for solver, answers in given.items():
        if not answers:
            continue
        keys = sorted(answers)
        batch = Answers(np.array(keys), [0] * len(keys), [answers[key] for key in keys])
        values = grader.batch(batch).values[:, column]
        results.append(SolverRun(solver, [items[key] for key in keys], values))
    return results


def score_of(
    tried: SolverRun, protocol: Protocol, faults: Mapping[int, Sequence[Fault]]
) -> SolverScore:
    """Return the score of a solver on one task.

    The lift is the mean over the items minus the score of the task's own guess on them; its
    interval is that of the mean (`snellen.grading.stats.summary.estimate`), clustered by site.
    """
    chance = chance_on(tried.items, protocol)
    lift = None
    if chance is not None:
        sites = _codes([item.site for item in tried.items])
        mean = estimate(np.clip(tried.values, 0, 1), sites)
        interval = mean.interval
        lift = mean.model_copy(
            update={
                "value": mean.value - chance,
                "interval": interval
                and interval.model_copy(
                    update={"low": interval.low - chance, "high": interval.high - chance}
                ),
            }
        )
    solved = [
        item
        for item, value in zip(tried.items, tried.values.tolist(), strict=True)
        if value >= 0.999 * protocol.metric.best
    ]
    at_fault = [
        item.item
        for item in solved
        if any(FAULTED_BY.get(fault) is tried.solver for fault in faults.get(item.index, ()))
    ]
    return SolverScore(
        solver=tried.solver,
        items=len(tried.items),
        score=float(tried.values.mean()),
        chance=chance,
        lift=lift,
        solved=len(solved),
        at_fault=tuple(at_fault),
    )


def pooled(solver: Solver, tried: Sequence[tuple[SolverRun, SolverScore]]) -> SolverScore:
    """Return the score of a solver over all tasks, each item counted once.

    The lift is the mean over the items of the value minus its task's chance, with a t interval
    clustered by site; a site has the same name in all tasks.
    """
    graded = [(result, score) for result, score in tried if score.chance is not None]
    values = np.concatenate([result.values for result, _ in graded or tried])
    lifts = [result.values - (score.chance or 0.0) for result, score in graded]
    sites = [item.site for result, _ in graded for item in result.items]
    lift = mean_estimate(np.concatenate(lifts), _codes(sites)) if graded else None
    items = sum(len(result.items) for result, _ in graded or tried)
    chance = sum((score.chance or 0.0) * score.items for _, score in graded) / items
    return SolverScore(
        solver=solver,
        items=items,
        score=float(values.mean()),
        chance=chance if graded else None,
        lift=lift,
        solved=sum(score.solved for _, score in graded or tried),
        at_fault=(),
    )


def _codes(names: Sequence[str]) -> Sequence[int]:
    codes: dict[str, int] = {}
    return [codes.setdefault(name, len(codes)) for name in names]


def chance_on(items: Sequence[AuditItem], protocol: Protocol) -> float | None:
    """Return the score of the task's own guess on some of its items; None if unknown."""
    golds, contexts = [item.gold for item in items], [item.line.context for item in items]
    try:
        chance = chance_of(TASKS[protocol.task].guess, protocol, golds, contexts)
    except MetricError:
        return None
    return None if chance is None else chance.value


# ---- the solvers -------------------------------------------------------------------------------


def blind(item: AuditItem, seed: int) -> object:
    """Answer from the prompt alone, without pictures, other items or their references.

    Among options in words, it chooses the one that repeats most of the question's longer words,
    with ties broken at random; bare letters are chosen at random. For a question about a text, it
    returns a quoted text of the question, else the task's own guess. For a point or a box, it
    returns the middle. This is what a model could do with the exam's prompts, without knowing the
    pages.
    """
    letter = _letter_by(item, echoes(item) if item.options else [], seed)
    if letter is not None:
        return letter
    match item.kind:
        case AnswerKind.LABEL:
            return random_order(item.line.item.answer_format.options, _mixed(seed, item))[0]
        case AnswerKind.POINT | AnswerKind.BOX:
            return _middle(item)
        case AnswerKind.RELATIONS:
            names = item.line.context.names
            pairs = [(a, b) for index, a in enumerate(names) for b in names[index + 1 :]]
            return "\n".join(f"{a} is at the [top] of {b}" for a, b in pairs)
        case AnswerKind.UI_TEXTS | AnswerKind.BOXED_TEXTS:
            return "[]"
        case _:
            quoted = _quoted(item.question)
            return quoted or guess_of(item.task) or ""


def longest(items: Sequence[AuditItem]) -> dict[int, object]:
    """Choose the longest option, the first one of equals, using only the options."""
    answers: dict[int, object] = {}
    for item in items:
        if item.options and _lettered(item):
            lengths = [len(option) for option in item.options]
            answers[item.index] = _letter(lengths.index(max(lengths)))
    return answers


def most_frequent(items: Sequence[AuditItem], seed: int) -> dict[int, object]:
    """Choose the letter, or the class, that is correct most often in the other half of the items.

    The items are halved at random, by site, so that an item's own reference is never counted. If
    all other items were counted, the solver would systematically miss balanced letters.
    """
    answers: dict[int, object] = {}
    for own, other in _halves([item for item in items if item.right], seed):
        counts = Counter(index for item in other for index in item.right)
        if not counts:
            continue
        order = sorted(counts, key=lambda index: (-counts[index], index))
        for item in own:
            fitting = [index for index in order if index < max(item.choices, 1)] or [0]
            labels = item.line.item.answer_format.options
            answers[item.index] = labels[fitting[0]] if _labelled(item) else _letter(fitting[0])
    return answers


def option_prior(items: Sequence[AuditItem], seed: int) -> dict[int, object]:
    """Choose the option whose text is correct most often, relative to how often it is offered.

    Counted in the other half of the items, as in `most_frequent`. A text that is rarely offered
    there counts with about the probability of chance.
    """
    chosen = [item for item in items if item.right and item.options]
    answers: dict[int, object] = {}
    for own, other in _halves(chosen, seed):
        offered = Counter(key for item in other for key in map(_key, item.options))
        right = Counter(_key(item.options[index]) for item in other for index in item.right)
        for item in own:
            chance = 1 / len(item.options)
            shares = [(right[key] + chance) / (offered[key] + 1) for key in map(_key, item.options)]
            letter = _letter_by(item, shares, seed)
            if letter is not None:
                answers[item.index] = letter
    return answers


def other_pages(protocol: Protocol, items: Sequence[AuditItem], seed: int) -> dict[int, object]:
    """Give the correct answer of a random item of another site of the same task."""
    answers: dict[int, object] = {}
    lots = random_order([f"{item.index}" for item in items], seed)
    order = [items[int(lot)] for lot in lots]
    for number, item in enumerate(order):
        ahead = (order[(number + step) % len(order)] for step in range(1, len(order)))
        other = next((candidate for candidate in ahead if candidate.site != item.site), None)
        if other is not None:
            right = responses_of(protocol, other.gold, other.line)
            if right:
                answers[item.index] = right[0]
    return answers


# ---- helpers -----------------------------------------------------------------------------------


def _halves(
    items: Sequence[AuditItem], seed: int
) -> Sequence[tuple[Sequence[AuditItem], Sequence[AuditItem]]]:
    """Return both halves of some items, split at random by site, each with the other one."""
    sites = random_order({item.site for item in items}, seed)
    first = set(sites[: len(sites) // 2])
    first_half, second_half = (
        [item for item in items if (item.site in first) is half] for half in (True, False)
    )
    return (first_half, second_half), (second_half, first_half)


def _key(option: str) -> str:
    return " ".join(words(option)) or option


def _lettered(item: AuditItem) -> bool:
    return item.kind is AnswerKind.CHOICE and item.choices > 1


def _labelled(item: AuditItem) -> bool:
    return item.kind is AnswerKind.LABEL


def _letter(index: int) -> str:
    return chr(ord("A") + index)


def _letter_by(item: AuditItem, weights: Sequence[float], seed: int) -> str | None:
    """Return the letter of the heaviest option, ties at random; None without letters."""
    if not _lettered(item):
        return None
    best = max(weights, default=0)
    # A prompt may list fewer options than the parser accepts.
    indices = range(min(item.choices, len(weights) or item.choices))
    equal = [index for index in indices if not weights or weights[index] == best]
    return random_order([_letter(index) for index in equal], _mixed(seed, item))[0]


def _mixed(seed: int, item: AuditItem) -> int:
    """Return a seed of the item's own, so that random choices differ between items."""
    return int.from_bytes(f"{seed} {item.task} {item.item}".encode(), "big")


def _middle(item: AuditItem) -> object:
    space = item.line.item.answer_format.space
    width, height = item.line.context.width, item.line.context.height
    across, down = (width or 1, height or 1) if space == "pixels" else (1.0, 1.0)
    if item.kind is AnswerKind.POINT:
        return f"[{across / 2}, {down / 2}]"
    return f"[{across / 4}, {down / 4}, {across * 3 / 4}, {down * 3 / 4}]"


def _quoted(question: str) -> str:
    for begin, end in _QUOTES:
        _, opening, rest = question.partition(begin)
        quoted, ended, _ = rest.partition(end)
        if opening and ended and quoted.strip():
            return quoted
    return ""
