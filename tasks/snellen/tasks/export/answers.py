"""What a model is to answer: the reference in a form that the protocol scores highest."""

import json
from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np

from snellen.grading.grade import Answers, Grader
from snellen.grading.models.answers import AnswerKind
from snellen.grading.protocols.base import Gold
from snellen.grading.protocols.table import protocol_of
from snellen.tasks.export.pictures import Prepared
from snellen.tasks.pack.format import PackItem
from snellen.tasks.pack.preview import responses_of
from snellen.tasks.pack.read import Pack, References


def best_answers(pack: Pack, references: References, task: str) -> dict[str, object]:
    """Return, for each item of a task, the right answer that its protocol scores highest.

    Where the prompt asks for a lead-in, such as `The text in the box is: ...`, the answer has it.

    Raises:
        MetricError: The protocol can't be applied to the references.
        DataError: A line can't be read.
    """
    protocol = protocol_of(task, pack.task(task).protocol)
    lines = [pack.lines[place] for place in pack.index[task].values()]
    golds: list[Gold] = [references.golds[task][line.item.id] for line in lines]
    rows: list[int] = []
    given: list[object] = []
    for row, (line, gold) in enumerate(zip(lines, golds, strict=True)):
        for response in responses_of(protocol, gold, line):
            rows.append(row)
            given.append(_led_in(response, line))
    grader = Grader.of(protocol, golds, [line.context for line in lines])
    column = protocol.metric.keys.index(protocol.metric.primary)
    scored = grader.batch(Answers(np.array(rows), [0] * len(rows), given)).values[:, column]
    best: dict[int, tuple[float, object]] = {}
    for row, response, value in zip(rows, given, scored.tolist(), strict=True):
        if row not in best or value > best[row][0]:
            best[row] = (value, response)
    return {lines[row].item.id: response for row, (_, response) in best.items()}


def _led_in(response: object, line: PackItem) -> object:
    form = line.item.answer_format
    lead, colon, _ = form.example.rpartition(": ")
    if form.kind is AnswerKind.TEXT and colon and f"{lead}:" in line.item.prompt:
        return f"{lead}: {response}"
    return response


def spoken(answer: object, kind: AnswerKind, picture: Prepared | None) -> str:
    """Return an answer as text; coordinates in pixels become those of the exported picture.

    Args:
        answer: As the protocol takes it.
        kind: The form of the item's answers.
        picture: The picture that its coordinates count pixels of; None where they count none.
    """
    if picture is not None:
        answer = _moved(answer, kind, picture)
    return answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)


def _moved(answer: object, kind: AnswerKind, picture: Prepared) -> object:
    value = json.loads(answer) if isinstance(answer, str) else answer
    if kind is AnswerKind.BOXED_TEXTS:
        pairs = cast("Sequence[tuple[Sequence[float], str]]", value)
        return [[_sides(box, picture), text] for box, text in pairs]
    return _sides(cast("Sequence[float]", value), picture)


def _sides(numbers: Sequence[float], picture: Prepared) -> list[float]:
    moved: list[float] = []
    for x, y in zip(numbers[::2], numbers[1::2], strict=True):
        moved += [round(side, 1) for side in picture.moved(x, y)]
    return moved


def relation_of(gold: Mapping[tuple[str, str], object], first: str, second: str) -> str:
    """Return a pair's relation as the line that a protocol reads."""
    return f"{first} is at the [{gold[first, second]}] of {second}"
