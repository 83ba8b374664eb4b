"""Every protocol of every task, and the shape of every task's references, in one place.

The first protocol of a task is its default: `official` where code was published, else `paper`.
Where published code reads the answers of one model's adapter (points, boxes, letters, next
actions), it is `robust`, which reads any model's; the first published protocol follows it.
The `rules` of a benchmark's folder have those of its tasks; `snellen.grading.protocols.names` lists
the folders.
Installed packages can add benchmarks (`snellen.grading.protocols.plugins`); their tasks follow.
"""

from collections.abc import Mapping

from snellen.grading.errors import UnknownNameError
from snellen.grading.protocols.base import Protocol
from snellen.grading.protocols.golds import GoldShape
from snellen.grading.protocols.plugins import WithPlugins, own

PROTOCOLS: Mapping[str, tuple[Protocol, ...]] = WithPlugins(
    own("PROTOCOLS"), lambda rules: rules.protocols
)
"""Each task's protocols by its id."""

GOLDS: Mapping[str, GoldShape] = WithPlugins(own("GOLDS"), lambda rules: rules.golds)
"""The shape of each task's references by its id."""


def protocols_of(task: str) -> tuple[Protocol, ...]:
    """Return the protocols of a task, its default first.

    Raises:
        UnknownNameError: There is no such task.
    """
    try:
        return PROTOCOLS[task]
    except KeyError:
        raise UnknownNameError("task", task, PROTOCOLS) from None


def protocol_of(task: str, name: str | None = None) -> Protocol:
    """Return a task's protocol by its id (`official`) or id and version (`official@1`).

    Raises:
        UnknownNameError: There is no such task, protocol or version.
    """
    protocols = protocols_of(task)
    if name is None:
        return protocols[0]
    for protocol in protocols:
        if name in (protocol.id, protocol.name):
            return protocol
    known = [protocol.id for protocol in protocols]
    bare, version, _ = name.partition("@")
    advice = ""
    if version and bare in known:
        now = protocols[known.index(bare)].name
        advice = (
            f"this version of snellen has {now}, which can give other numbers (CHANGELOG.md);"
            f" name {bare}, or make the pack again"
        )
    raise UnknownNameError(f"protocol of {task}", name, known, advice)


def published_beside(protocol: Protocol) -> Protocol | None:
    """Return the published protocol whose number is told beside that of a task's default.

    None where the protocol is not the default, or where the default is itself published.
    """
    first, *others = protocols_of(protocol.task)
    if protocol.id != first.id or not first.is_ours:
        return None
    return next((one for one in others if not one.is_ours), None)


def gold_shape(task: str) -> GoldShape:
    """Return the published shape of a task's references.

    Raises:
        UnknownNameError: There is no such task.
    """
    try:
        return GOLDS[task]
    except KeyError:
        raise UnknownNameError("task", task, GOLDS) from None
