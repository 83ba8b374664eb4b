"""The parts of which protocols of actions are made, for every benchmark that asks for a next step.

A response is text in the protocol's own vocabulary, or says another:
{"format": "ui-tars", "response": "..."}. Another vocabulary's action is written in the protocol's
own and then read as the published code reads it, so that every implementation can score the same
stored answers.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

import msgspec

from snellen.grading.actions.declaring import SPACES, Declared, declared
from snellen.grading.actions.reading import NoActionError, is_plain, read_action
from snellen.grading.coordinates import PIXELS, UNIT, VIEW, CoordinateSpace, Extent
from snellen.grading.errors import InputError
from snellen.grading.models.actions import Action, ActionType, Point
from snellen.grading.models.geometry import Size
from snellen.grading.models.scores import Outcome
from snellen.grading.parse.vocabularies.base import Vocabulary
from snellen.grading.protocols.base import (
    AnswerValue,
    Context,
    Corpus,
    Gold,
    Metric,
    Parsed,
    Parser,
    PublishedCrashError,
    UnjudgeableError,
    pairwise,
    unparsed,
)
from snellen.grading.protocols.golds import STEP, StepGold


class ReadStep(NamedTuple):
    """What a parser read, in plain values, as a report keeps it."""

    action: Action
    format: str  # the vocabulary that it was read in
    counts: str  # what its coordinates count there: a space's id
    text: str  # the text itself

    @property
    def space(self) -> CoordinateSpace:
        """What its coordinates count."""
        return SPACES[self.counts]

    def at(self, space: CoordinateSpace, size: Extent | None) -> Point | None:
        """Return the action's point in a space; None where it has none.

        Raises:
            UnjudgeableError: The screenshot's size is needed for it and unknown.
        """
        return moved(self.action.point, self.space, space, size)


_NO_SIZE = "the size of the screenshot is needed to bring its coordinates into the protocol's space"


def said_in(vocabulary: Vocabulary, action: Action, text: str) -> ReadStep:
    """Return an action as it was said in a vocabulary."""
    return ReadStep(action, vocabulary.name, vocabulary.space.id, text)


def text_in(own: Vocabulary, answer: ReadStep, size: Extent | None) -> str:
    """Return an answer as a vocabulary has it: its text, or its action written; empty if it can't.

    Raises:
        UnjudgeableError: The screenshot's size is needed for it and unknown.
    """
    if answer.format == own.name:
        return answer.text
    return own.write(in_space(answer.action, answer.space, own.space, size)) or ""


def moved(
    point: Point | None,
    space: CoordinateSpace,
    to: CoordinateSpace,
    size: Extent | None,
    view: Size | None = None,
) -> Point | None:
    """Return a point in another space; None where there is none.

    Args:
        point: The point.
        space: What it counts.
        to: What it is to count.
        size: Of the screenshot, in pixels; None if unknown.
        view: Of the image that the model saw, in pixels, where `space` counts them; None: that
            to which Qwen2-VL resizes the screenshot.

    Raises:
        UnjudgeableError: The screenshot's size is needed for it and unknown.
    """
    if point is None or (space is to and view is None):
        return point
    old, new = space.extent(size, view), to.extent(size)
    if old is None or new is None:
        raise UnjudgeableError(_NO_SIZE)
    return point[0] / old[0] * new[0], point[1] / old[1] * new[1]


def in_space(
    action: Action,
    space: CoordinateSpace,
    to: CoordinateSpace,
    size: Extent | None,
    view: Size | None = None,
) -> Action:
    """Return an action with its points in another space.

    Raises:
        UnjudgeableError: The screenshot's size is needed for it and unknown.
    """
    if action.point is None and action.end is None:
        return action
    return msgspec.structs.replace(
        action,
        point=moved(action.point, space, to, size, view),
        end=moved(action.end, space, to, size, view),
    )


Check = Callable[[str], str]
"""Says of a text in the protocol's own vocabulary why the published code raises; empty: not."""


def step_parser(
    name: str,
    own: Vocabulary,
    crashes: Check = lambda _: "",
    reads: Callable[[str], Action | None] | None = None,
) -> Parser:
    """Make the parser of a protocol that wants one vocabulary.

    Args:
        name: What protocol tables call it.
        own: The protocol's own vocabulary, in which a response is that declares none.
        crashes: Says of a text in it why the published code raises.
        reads: From a text in it to what the published code goes on with, where that may be right
            though it is no action of the vocabulary; None: the vocabulary's own reading.
    """

    def read(response: object, context: Context) -> Parsed:
        try:
            text = _in_its_own(declared(response), own, _size(context))
        except (InputError, NoActionError) as error:
            return unparsed(str(error))
        except UnjudgeableError as error:
            return Parsed(None, Outcome.ERROR, str(error))
        if fault := crashes(text):
            return unparsed(fault, crashed=True)
        action = published(text)
        if action is None:
            return unparsed(f"no action of {own.name} in it; {_ELSE}")
        unknown = action.type is ActionType.UNKNOWN
        note = f"no action of {own.name} in it; the published code goes on" if unknown else ""
        return Parsed(said_in(own, action, text), None, note)

    published = reads or own.read
    return Parser(name, read)


def _in_its_own(said: Declared, own: Vocabulary, size: Extent | None) -> str:
    """Return a response as text in a protocol's own vocabulary: as it is, or translated.

    An object that an API returned is translated, too, unless the published code reads its JSON.

    Raises:
        InputError: It is nested too deep.
        NoActionError: It is not in the protocol's vocabulary, and no action can be read.
        UnjudgeableError: Its coordinates count pixels of a screenshot of unknown size.
    """
    of_it = said.format is None or said.format.name == own.name
    if of_it and said.counts in (None, own.space) and said.view is None:
        text = as_written(said.response)
        if isinstance(said.response, str):
            return text
        if not is_plain(said.response) and own.published and own.published(text):
            return text
    read = read_action(said.response, said.format)
    space = said.counts or read.space
    text = own.write(in_space(read.action, space, own.space, size, said.view))
    if text is None:
        raise NoActionError(f"{own.name} has no action {read.action.type.value}")
    return text


_ELSE = (
    'declare the format that it is in ({"format": "ui-tars", "response": ...}, or --format), or'
    " grade with the protocol robust, which reads all of them"
)


def as_written(response: object) -> str:
    """Return a response as the text that a published parser gets."""
    if isinstance(response, str):
        return response
    try:
        return json.dumps(response, default=str)
    except (ValueError, RecursionError):
        raise InputError("it is nested too deep to be read") from None


def _read_any(response: object, context: Context) -> Parsed:
    try:
        said = declared(response)
        read = read_action(said.response, said.format)
    except (InputError, NoActionError) as error:
        return unparsed(str(error))
    space = said.counts or read.space
    action = read.action
    if said.view is not None and space is VIEW:
        action, space = in_space(action, VIEW, UNIT, _size(context), said.view), UNIT
    note = "" if said.format else f"read as {read.format}"
    note = "; ".join(filter(None, (note, read.note)))
    return Parsed(ReadStep(action, read.format, space.id, as_written(said.response)), None, note)


ANY_VOCABULARY = Parser("the action in the vocabulary that it declares, or that fits", _read_any)


def _size(context: Context) -> Extent | None:
    if context.width is None or context.height is None:
        return None
    return context.width, context.height


def writes_step(own: Vocabulary) -> Callable[[Gold], Sequence[object]]:
    """Return how a step is written in a vocabulary; nothing where it has no such action."""

    def write(gold: StepGold) -> Sequence[object]:
        action = in_space(gold.action, PIXELS, own.space, gold.image_size)
        text = own.write(action)
        return STEP.responses(gold) if text is None else [text]

    return write


Compare = Callable[[ReadStep, StepGold], Sequence[float]]


def step_metric(
    name: str,
    keys: tuple[str, ...],
    compare: Compare,
    corpus: Corpus | None = None,
    corpus_keys: tuple[str, ...] = (),
) -> Metric:
    """Make the metric of a protocol of steps out of a comparison; its first key is primary."""

    def judge(answer: AnswerValue, gold: Gold, _: object) -> Sequence[float]:
        return compare(answer, gold)

    return replace(pairwise(name, keys, keys[0], judge), corpus=corpus, corpus_keys=corpus_keys)


def judged(
    compare: Compare, answers: Sequence[AnswerValue | None], golds: Sequence[Gold], width: int
) -> list[Sequence[float] | None]:
    """Compare every answer with its step; None where the published code raises or there is none."""
    found: list[Sequence[float] | None] = []
    for answer, gold in zip(answers, golds, strict=True):
        try:
            found.append((0.0,) * width if answer is None else compare(answer, gold))
        except (PublishedCrashError, UnjudgeableError):
            found.append(None)
    return found


def episodes(golds: Sequence[StepGold]) -> Iterable[list[int]]:
    """Yield the indexes of each episode's steps, in the order of its steps."""
    named = [(gold.episode or f"\0{index}", gold.step, index) for index, gold in enumerate(golds)]
    for _, steps in groupby(sorted(named), key=lambda step: step[0]):
        yield [index for _, _, index in steps]


def episode_means(
    golds: Sequence[StepGold], right: Sequence[bool], *, broken: Sequence[bool] = ()
) -> dict[str, float]:
    """Return how many episodes have every step right, and how far they get before the first miss.

    Args:
        golds: The steps.
        right: Whether each was right.
        broken: Steps that make their whole episode worth nothing; none where empty.

    Returns:
        `episode_success` and `episode_progress`, means over the episodes.
    """
    success: list[bool] = []
    progress: list[float] = []
    for indexes in episodes(golds):
        steps = [right[index] for index in indexes]
        lost = bool(broken) and any(broken[index] for index in indexes)
        done = 0 if lost else next((n for n, step in enumerate(steps) if not step), len(steps))
        success.append(done == len(steps))
        progress.append(done / len(steps))
    return {
        "episode_success": sum(success) / len(success),
        "episode_progress": sum(progress) / len(progress),
    }


def screen_of(gold: StepGold) -> Extent:
    """Return the size of a step's screenshot, in pixels.

    Raises:
        UnjudgeableError: The data does not say it.
    """
    if gold.image_size is None:
        raise UnjudgeableError(_NO_SIZE)
    return gold.image_size
