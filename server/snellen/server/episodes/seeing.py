"""What an agent gets of an episode's page, by its door: a screenshot, marks on it, or a tree."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from snellen.server.exam.rules import Door
from snellen.tasks.environments.base import Episode
from snellen.tasks.environments.survey import Element, marked, names, tree_text


class Seeing(NamedTuple):
    """How an agent sees a page."""

    door: Door
    seed: str  # the seed of the ids of this rendering: an agent can't foresee them


@dataclass(frozen=True, slots=True)
class Observation:
    """What an agent gets of a page."""

    frame: bytes | None = field(default=None, repr=False)  # a screenshot, as PNG; None: a text
    text: str = ""  # the accessibility tree; empty: a screenshot
    elements: Mapping[str, Element] = field(default_factory=dict[str, Element])
    """The elements that can be named, by their ids."""


async def see(episode: Episode, seeing: Seeing) -> Observation:
    """Return what an agent gets of a page; the same page and seed give the same ids.

    Raises:
        EpisodeError: The page can't be shown.
    """
    if seeing.door is Door.SCREEN:
        return Observation(await episode.view())
    nodes = await episode.survey()
    ids = names(nodes, seeing.seed)
    if seeing.door is Door.TREE:
        return Observation(None, tree_text(nodes, ids.refs), ids.refs)
    return Observation(marked(await episode.view(), nodes, ids.marks), "", ids.marks)


def seed_of(secret: bytes, place: int, number: int, step: int) -> str:
    """Return the seed of a rendering: of an attempt's secret, an episode of it, and a step."""
    return f"{secret.hex()} {place} {number} {step}"
