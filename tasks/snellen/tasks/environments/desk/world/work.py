"""What a world's applications for work hold: files, sheets, boards, notes, trips, settings."""

from datetime import date
from random import Random
from typing import Any

from snellen.tasks.environments.desk.kit.verbs import State


def make(rng: Random, state: State, today: date) -> dict[str, Any]:
    """Return the states of these applications."""
    del rng, state, today
    return {}
