"""Interactive applications: what exams show, and Gymnasium environments for training.

    import gymnasium
    import snellen.worlds

    env = gymnasium.make("snellen/desk-v0")
    observation, info = env.reset(seed=1)

Where Gymnasium is installed, importing this registers `snellen/desk-v0` and `snellen/miniwob-v0`,
each alone and as vectors.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from snellen.worlds.training.env import WorldEnv
    from snellen.worlds.training.splits import templates_of
    from snellen.worlds.training.vector import VectorWorldEnv

__all__ = ["VectorWorldEnv", "WorldEnv", "templates_of"]

_HOMES = {"VectorWorldEnv": "vector", "WorldEnv": "env", "templates_of": "splits"}

if find_spec("gymnasium") is not None:
    import_module("snellen.worlds.training")


def __getattr__(name: str) -> Any:  # noqa: ANN401  # a class or a function
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"snellen.worlds.training.{_HOMES[name]}"), name)
