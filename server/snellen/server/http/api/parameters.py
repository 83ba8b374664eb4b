"""The parameters of routes, and the size of their bodies."""

import re

from snellen.grading.models.base import Closed

LONGEST_BODY = 64 << 10
"""The maximum size of a JSON body, in bytes: it is read before its sender is known."""


class Parameters(Closed):
    """The parameters of a request; the API's document has their meanings from the docstring."""

    @classmethod
    def __pydantic_init_subclass__(cls, **_: object) -> None:
        """Give each parameter the line of the docstring that is about it."""
        for name, meaning in re.findall(
            r"^ {4,8}(\w+): (.+(?:\n {9,}.+)*)", cls.__doc__ or "", re.M
        ):
            cls.model_fields[name].description = " ".join(meaning.split())


class PhaseQuery(Parameters):
    """The query for a phase.

    Attributes:
        phase: The phase; default: the open one.
    """

    phase: str | None = None
