"""Oracles of MiniWoB++: they look into the page, and act by inputs alone.

They prove that a task can be done by mouse and keyboard, and that the page then says so. No server
needs them, and no examinee has what they have.
"""

from snellen.tasks.environments.miniwob.episodes import MiniWoBEpisode
from snellen.tasks.environments.miniwob.hand import Hand
from snellen.tasks.environments.miniwob.oracles import clicks, drags, forms, shapes, steps, texts
from snellen.tasks.environments.miniwob.oracles.registry import ORACLES

__all__ = ["ORACLES", "clicks", "drags", "forms", "shapes", "solve", "steps", "texts"]


async def solve(episode: MiniWoBEpisode) -> None:
    """Solve an episode, as far as its page's oracle can.

    Raises:
        KeyError: There is no oracle of its page.
        LostError: It does not find its way.
        EpisodeError: The environment broke.
    """
    await ORACLES[episode.world.page](Hand(episode))
