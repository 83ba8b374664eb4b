"""The interactive applications as Gymnasium environments, for training.

    import gymnasium
    import snellen.worlds

    env = gymnasium.make("snellen/desk-v0")
    observation, info = env.reset(seed=1)

Importing this registers `snellen/desk-v0` and `snellen/miniwob-v0`, each alone and as vectors.
"""

from snellen.grading.errors import MissingExtraError

try:
    import gymnasium
except ImportError:
    raise MissingExtraError("a world for training", "train") from None

from snellen.worlds.env import WorldEnv
from snellen.worlds.splits import templates_of
from snellen.worlds.vector import VectorWorldEnv

__all__ = ["VectorWorldEnv", "WorldEnv", "templates_of"]

for _name in ("desk", "miniwob"):
    gymnasium.register(  # pyright: ignore[reportUnknownMemberType]
        id=f"snellen/{_name}-v0",
        entry_point="snellen.worlds.env:WorldEnv",
        vector_entry_point="snellen.worlds.vector:VectorWorldEnv",
        kwargs={"environment": _name},
    )
