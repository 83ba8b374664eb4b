"""Oracles of MiniWoB++: they look into the page, and act by inputs alone.

They prove that a task can be done by mouse and keyboard, and that the page then says so. No server
needs them, and no examinee has what they have.
"""

from miniwob_hand import Hand

from miniwob_oracles import clicks, drags, forms, shapes, steps, texts
from miniwob_oracles.registry import ORACLES
from snellen.worlds.miniwob.episodes import MiniWoBEpisode

__all__ = ["ORACLES", "clicks", "drags", "forms", "shapes", "solve", "steps", "texts"]


async def solve(episode: MiniWoBEpisode) -> None:
    """Solve an episode, as far as its page's oracle can.

    Raises:
        KeyError: There is no oracle of its page.
        LostError: It does not find its way.
        EpisodeError: The environment broke.
    """
    await ORACLES[episode.world.page](Hand(episode))
