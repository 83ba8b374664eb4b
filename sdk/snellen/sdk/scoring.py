"""Single answers: `score` and `read`. They import only the task's own benchmark."""

from typing import TYPE_CHECKING

from snellen.grading.errors import InputError
from snellen.grading.grade import read_response
from snellen.grading.models.scores import Outcome, Response, Score
from snellen.grading.protocols.base import NO_CONTEXT, Gold, Protocol
from snellen.grading.protocols.golds import StepGold, Target
from snellen.grading.protocols.table import gold_shape, protocol_of
from snellen.grading.score_table import score_one, score_unread
from snellen.sdk.values import NotJsonError, plain, to_json

if TYPE_CHECKING:
    from snellen.grading.metrics.code import CodeExecutor


def score(
    task: str,
    response: object,
    reference: object,
    *,
    protocol: str | None = None,
    embedder: str | None = None,
    executor: "CodeExecutor | None" = None,
) -> Score:
    """Score one response against one reference.

    Args:
        task: The task's id, such as `screenqa/short`.
        response: Text, JSON in the shape of an answer, or an object that an API returned.
        reference: The reference in the task's published shape.
        protocol: The protocol's id; the task's first one when None.
        embedder: As for `grade`.
        executor: As for `grade`.

    Returns:
        The score: `metrics` by key, and `value`, the task's primary one, in 0..1.

    Raises:
        UnknownNameError: There is no such task or protocol.
        DataError: The reference is not of the task's shape.
    """
    chosen = choose(task, protocol, embedder, executor)
    shape = gold_shape(task)
    gold = shape.read(plain(reference))
    try:
        said = to_json(response)
    except NotJsonError as fault:
        return score_unread(chosen, str(fault))
    return score_one(chosen, said, gold, shape.context(gold))


def read(
    task: str, *, response: object, protocol: str | None = None, reference: object = None
) -> Response:
    """Return what a protocol reads in a response, without a score.

    Args:
        task: The task's id.
        response: Text, or JSON in the shape of an answer.
        protocol: The protocol's id; the task's first one when None.
        reference: Provides the item's context for the parser (its regions, its image's size), if
            the task's references contain it.
    """
    shape = gold_shape(task)
    context = NO_CONTEXT if reference is None else shape.context(shape.read(plain(reference)))
    try:
        said = to_json(response)
    except NotJsonError as fault:
        return Response(raw=None, outcome=Outcome.UNPARSED, note=str(fault))
    return read_response(protocol_of(task, protocol), said, context)


def check_coordinates(task: str, gold: Gold) -> None:
    """Check that format, space and view mean something for a task with this reference.

    Raises:
        InputError: Its answers have no coordinates.
    """
    if not isinstance(gold, Target | StepGold):
        raise InputError(
            f"format, space and view are for points, boxes and actions: {task} has none"
        )


def choose(
    task: str,
    protocol: str | None,
    embedder: str | None,
    executor: "CodeExecutor | None" = None,
) -> Protocol:
    """Return a task's protocol by name, with the given embedder and executor."""
    chosen = protocol_of(task, protocol)
    if executor is not None:
        from snellen.tasks.benchmarks.matrix.rules import with_executor

        chosen = with_executor(chosen, executor)
    if embedder is None:
        return chosen
    from snellen.tasks.benchmarks.webrssbench.rules import with_embedder
    from snellen.tasks.embedders import load_embedder

    return with_embedder(chosen, load_embedder(embedder))
