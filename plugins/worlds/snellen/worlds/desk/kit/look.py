"""Looks of a desk: colors, density, where the dock is, font, and the language of its interface."""

from math import prod
from random import Random
from typing import Final

from snellen.grading.errors import InputError

CHOICES: Final = {
    "theme": ("light", "dark", "sand", "forest"),
    "density": ("roomy", "compact"),
    "dock": ("left", "right", "bottom"),
    "font": ("sans", "serif"),
    "language": ("en", "de", "es"),
}
"""The values of each part of a look; the first is that of a world without a look."""


def look_of(seed: int) -> dict[str, str]:
    """Return the look of a seed."""
    rng = Random(f"look {seed}")
    return {part: rng.choice(values) for part, values in CHOICES.items()}


def looks_of(seed: int, count: int) -> list[int]:
    """Return the seeds of so many different looks; the first looks are the same for each count.

    Raises:
        InputError: There are not so many.
    """
    most = prod(map(len, CHOICES.values()))
    if count > most:
        raise InputError(f"the desk has {most} looks, not {count}")
    seeds: dict[str, int] = {}
    number = 0
    while len(seeds) < count:
        made = seed + number
        seeds.setdefault(str(look_of(made)), made)
        number += 1
    return list(seeds.values())
