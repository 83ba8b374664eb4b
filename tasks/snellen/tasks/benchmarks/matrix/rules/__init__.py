"""How items of the matrix of four dimensions and four levels are scored: each by its own metric.

The framework names dimensions, levels, twelve kinds of task and a few metrics, and shows the code
of four of them. `items` scores by what each item names; `published` does as that code does, so
that the difference can be explained.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import partial
from types import MappingProxyType
from typing import Any

import msgspec
import numpy as np

from snellen.grading.errors import DataError, ExecutionError, UnknownNameError
from snellen.grading.metrics.code import CodeExecutor
from snellen.grading.parse.envelope import opened
from snellen.grading.parse.final_answers import CUT_OFF, without_reasoning
from snellen.grading.protocols import base
from snellen.grading.protocols import golds as shapes
from snellen.grading.protocols.golds import GoldShape
from snellen.grading.words import answer_words
from snellen.tasks.benchmarks.matrix.rules import golds
from snellen.tasks.benchmarks.matrix.rules.comparisons import Accepted, passes
from snellen.tasks.benchmarks.matrix.rules.metrics import METRICS, ItemMetric
from snellen.tasks.benchmarks.matrix.rules.published import KEYS, PUBLISHED, TASK
from snellen.tasks.benchmarks.matrix.rules.reading import Program, read_final

_SLACK = 1e-9

NOT_HERE: Mapping[str, str] = MappingProxyType(
    {
        "cider": "CIDEr is defined on a whole corpus, not on one item, and a reference does not"
        " reach its maximum; use rougeL or bleu here, and"
        " snellen.grading.metrics.captions.cider_d over all captions beside it",
        "execution": "the framework's code evaluates the response as Python, which snellen never"
        " does; use code, which runs a program in a sandbox",
        "llm_judge": "a judge's opinion is no objective score; keep it beside the score",
    }
)
"""Metrics that people ask for and items can't name, and why."""
_ALIASES = {"cider_d": "cider", "cider-d": "cider", "ciderd": "cider", "llm": "llm_judge"}

# ---- References --------------------------------------------------------------------------------


def metric_of(gold: golds.MatrixGold) -> ItemMetric:
    """Return the metric that a gold names.

    Raises:
        DataError: There is none of that name, with the known names or with what to use instead.
    """
    name = gold.metric
    if name in METRICS:
        return METRICS[name]
    plain = name.lower()
    if why := NOT_HERE.get(_ALIASES.get(plain, plain)):
        raise DataError(f"{name!r} is not a metric of an item: {why}", field="metric")
    raise DataError(UnknownNameError("metric", name, METRICS).message, field="metric")


def settings_of(gold: golds.MatrixGold) -> golds.Settings:
    """Return the settings of a gold's metric.

    Raises:
        DataError: The metric has no such setting, or a value does not fit.
    """
    kind = metric_of(gold).settings
    known = kind.__struct_fields__
    for name in gold.settings:
        if name not in known:
            close = get_close_matches(name, known, n=1)
            hint = (
                f"did you mean {close[0]!r}?" if close else f"it has {', '.join(known) or 'none'}"
            )
            raise DataError(f"{gold.metric} has no setting {name!r}; {hint}", field="settings")
    try:
        return msgspec.convert(gold.settings, kind)
    except msgspec.ValidationError as error:
        raise DataError(str(error), field="settings") from None


def checked(gold: golds.MatrixGold) -> golds.MatrixGold:
    """Return a gold by which an answer can be right.

    Raises:
        DataError: Its metric, settings, options or answer do not fit; or its own answer, scored
            by its own metric, is not right, so that no answer would be.
        MissingExtraError: Its metric needs an optional dependency.
    """
    rule = metric_of(gold)
    golds.check_options(gold.options)
    if gold.options and gold.metric != "accuracy":
        raise DataError(f"{gold.metric} takes no options; use accuracy", field="options")
    accepted = rule.accept(gold, settings_of(gold))
    if gold.metric == "code":
        return gold
    for response in rule.responses(gold, accepted):
        read = rule.read(response, context_of(gold))
        reached = 0.0 if read.outcome else rule.score(read.answer, accepted, answer_words)
        if reached < 1 - _SLACK:
            why = read.note or f"it scores {reached:g}"
            raise DataError(
                f"given as the answer, {response!r} is not right by {gold.metric} ({why}):"
                " choose another metric or reword it",
                field="answer",
            )
    return gold


def context_of(gold: golds.MatrixGold) -> base.Context:
    """Return what a parser may know of an item: the form of answer and the options."""
    names: tuple[str, ...] = ()
    if gold.metric == "relation":
        names = shapes.RELATIONS.context(shapes.RELATIONS.read(gold.answer)).names
    return base.Context(
        options=len(gold.options) or None, names=names, form=gold.metric, texts=gold.options
    )


def responses_of(gold: golds.MatrixGold) -> Sequence[object]:
    """Return the responses that a gold makes right, any of which should do."""
    rule = metric_of(gold)
    return rule.responses(gold, rule.accept(gold, settings_of(gold)))


def made_of(answers: Sequence[Any], context: base.Context, before: golds.MatrixGold) -> object:
    """Return an item's reference with what raters answered as its answer, and its own settings.

    Raises:
        ValueError: Its metric's references are not made of answers.
    """
    found: object
    match before.metric:
        case "relation":
            old = shapes.RELATIONS.read(before.answer)
            found = shapes.RELATIONS.made_of(answers, context, old)
        case "point" | "box":
            target = shapes.TARGET_BOX.made_of(answers, context, None)
            box = shapes.TARGET_BOX.read(target).bbox
            counts = (context.width, context.height) * 2
            if "image_size" in before.settings:
                counts = (1, 1, 1, 1)
            found = [side / (count or 1) for side, count in zip(box, counts, strict=True)]
        case _ if isinstance(before.answer, bool | int | float):
            found = float(answers[0])
        case _ if isinstance(before.answer, str | list):
            found = list(dict.fromkeys(answers)) if isinstance(answers[0], str) else answers[0]
        case metric:
            raise ValueError(f"write a reference of {metric} by hand")
    return msgspec.to_builtins(msgspec.structs.replace(before, answer=found))


GOLD = GoldShape(
    "an object {metric, answer, options, settings, pass}",
    golds.MatrixGold,
    checked,
    responses_of,
    context_of,
    made_of,
)

GOLDS = {TASK: GOLD}

# ---- Each item by its own metric ---------------------------------------------------------------

_NOT_RUN = (
    "it is not allowed; give grade() an executor, such as"
    " snellen.tasks.sandbox.SandboxExecutor(allow=True), or the command --run-code"
)


@dataclass(frozen=True, slots=True)
class _Ready:
    """An item's gold, made ready for many answers."""

    rule: ItemMetric
    accepted: Accepted
    context: base.Context
    passing: float


def _ready(gold: golds.MatrixGold) -> _Ready:
    rule = metric_of(gold)
    accepted = rule.accept(gold, settings_of(gold))
    mark = rule.passing if gold.passing is None else gold.passing
    return _Ready(rule, accepted, context_of(gold), mark)


def _read(response: object, context: base.Context) -> base.Parsed:
    rule = METRICS.get(context.form)
    said = opened(response)
    if said is not None and not said.calls:
        response = said.text
    if isinstance(response, str):
        response = without_reasoning(response)
        if response is None:
            return base.unparsed(CUT_OFF)
    return (rule.read if rule else read_final)(response, context)


def _score(
    answer: base.AnswerValue, item: _Ready, normalize: base.Normalize, executor: CodeExecutor | None
) -> float:
    if isinstance(answer, str) and not item.rule.textual:
        # Read by a parser that leaves text as it is: what it holds is for the metric to see.
        read = item.rule.read(answer, item.context)
        if read.outcome:
            return 0.0
        answer = read.answer
    if not isinstance(answer, Program):
        return item.rule.score(answer, item.accepted, normalize)
    if executor is None:
        raise ExecutionError(_NOT_RUN)
    return passes(answer, item.accepted, executor)


def _prepare(
    executor: CodeExecutor | None, references: Sequence[base.Gold], normalizer: base.Normalizer
) -> base.Judge:
    ready: list[_Ready] = [_ready(gold) for gold in references]

    def judge(items: base.IntArray, answers: Sequence[base.AnswerValue]) -> base.Judged:
        values = np.zeros((len(answers), 2), dtype=np.float64)
        failed: dict[int, str] = {}
        indexes: list[int] = items.tolist()
        for row, (index, answer) in enumerate(zip(indexes, answers, strict=True)):
            item = ready[index]
            try:
                score = _score(answer, item, normalizer.apply, executor)
            except ExecutionError as error:
                failed[row] = f"candidate code could not be run: {error}"
                continue
            values[row] = score, score >= item.passing - _SLACK
        return base.Judged(values, failed=failed or None)

    return judge


def _metric(name: str, executor: CodeExecutor | None) -> base.Metric:
    return base.Metric(
        name, KEYS, "score", partial(_prepare, executor), runs_code=executor is not None
    )


_ITEMS = base.Protocol(
    TASK,
    "items",
    3,
    "decisions of this project, after the framework of four dimensions and four levels",
    "each item by the metric that it names; correct from the item's `pass`, by default the"
    " metric's best (box: 0.5); a program that may not be run is an error, never 0",
    base.Parser("as the item's metric asks", _read),
    base.Normalizer("SQuAD's, for any script; numbers by value", answer_words),
    _metric("the item's own metric; code is not run", None),
)


def with_executor(protocol: base.Protocol, executor: CodeExecutor) -> base.Protocol:
    """Return a protocol of the matrix by which programs are run; others as they are.

    What the executor can't run is an error that says why, never a score.
    """
    if (protocol.task, protocol.id) != (TASK, _ITEMS.id):
        return protocol
    return replace(protocol, metric=_metric("the item's own metric; code is run", executor))


PROTOCOLS: Mapping[str, tuple[base.Protocol, ...]] = {TASK: (_ITEMS, PUBLISHED)}
