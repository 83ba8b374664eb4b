"""Drawing some of a task's items, the same ones whenever it is asked for."""

from collections.abc import Sequence
from hashlib import sha256

from snellen.grading.errors import InputError
from snellen.tasks.models import TaskData

PAIR = "pair"
"""The tag whose values the halves of a pair share."""


def draw(data: TaskData, size: int, seed: int = 0) -> Sequence[str]:
    """Return the ids of some items, in the data's order.

    They are drawn by digest, so that neither order nor other items move who is drawn, and a
    smaller draw is a part of a larger one, but for pairs: their halves are drawn together or
    not at all.

    Args:
        data: The task.
        size: How many; all where there are no more.
        seed: Another one draws others.

    Raises:
        InputError: Not one item, or not one whole pair, fits.
    """
    groups: dict[str, list[str]] = {}
    column = data.tags.get(PAIR)
    for place, item_id in enumerate(data.ids):
        pair = None if column is None else column[place]
        groups.setdefault(f"item {item_id}" if pair is None else f"pair {pair}", []).append(item_id)
    ranked = sorted(
        groups, key=lambda group: sha256(f"{seed}|{data.task}|{group}".encode()).digest()
    )
    drawn: set[str] = set()
    for group in ranked:
        if len(drawn) + len(groups[group]) <= size:
            drawn.update(groups[group])
    if not drawn:
        least = min(map(len, groups.values()), default=0)
        raise InputError(f"{data.task} can't be drawn by {size}: a group of it has {least} items")
    return [item_id for item_id in data.ids if item_id in drawn]
