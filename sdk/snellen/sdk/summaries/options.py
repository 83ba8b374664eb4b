"""What a summary may be asked for."""

from typing import NamedTuple

from snellen.grading.tables.mmbench_gui_online import Missing, Reading


class Options(NamedTuple):
    """What is asked of a summary of episodes.

    Attributes:
        limit: The limit of steps, where the data does not say one, or a smaller one: an episode
            that took more has failed then.
        missing: What a platform of which no task was run counts as; None: both ways are shown.
        reading: Which EQA is set beside published ones; None: the protocol's own, else `exact`.
    """

    limit: float | None = None
    missing: Missing | None = None
    reading: Reading | None = None


DEFAULT = Options()
