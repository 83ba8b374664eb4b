"""The applications as Gymnasium environments, which importing this registers."""

from snellen.grading.errors import MissingExtraError

try:
    import gymnasium
except ImportError:
    raise MissingExtraError("a world for training", "train") from None

for _name in ("desk", "miniwob"):
    gymnasium.register(  # pyright: ignore[reportUnknownMemberType]
        id=f"snellen/{_name}-v0",
        entry_point="snellen.worlds.training.env:WorldEnv",
        vector_entry_point="snellen.worlds.training.vector:VectorWorldEnv",
        kwargs={"environment": _name},
    )
