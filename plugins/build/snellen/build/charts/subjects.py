"""Subjects of charts, by the kind of site that could show them."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import msgspec

TIMES: Mapping[str, tuple[str, ...]] = {
    "month": ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
    "weekday": ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"),
    "year": tuple(str(year) for year in range(2012, 2026)),
}
"""Labels in the order of time, by the name of the period."""

_FILE = "subjects.json"
_MEASURED = ("thousand", "tons", "minutes", "megabytes", "kilowatt", "megawatt")


class Subject(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A possible subject of a chart."""

    title: str  # the quantity
    unit: str
    over: str  # the category of the labels: `month`, `region`...
    series: tuple[str, ...]  # possible names of several series
    labels: tuple[str, ...] = ()  # possible labels; empty if `over` is a period of time

    @property
    def ordered(self) -> bool:
        """Whether its labels are in the order of time."""
        return not self.labels

    @property
    def measured(self) -> bool:
        """Whether its values may have fractions: half a ton exists, half a guest does not."""
        return self.unit.startswith(_MEASURED)


def subjects_of(site: str) -> tuple[Subject, ...]:
    """Return the subjects of a site's charts: those of the kind in its name, else all.

    >>> subjects_of("bank-en-003")[0].title
    'New accounts'
    >>> len(subjects_of("sb-admin-2")) > 30
    True
    """
    by_kind = _all()
    kind = site.split("-")[0]
    return by_kind.get(kind) or tuple(
        subject for subjects in by_kind.values() for subject in subjects
    )


@cache
def _all() -> Mapping[str, tuple[Subject, ...]]:
    source = files(__package__ or "") / _FILE
    return msgspec.json.decode(source.read_bytes(), type=dict[str, tuple[Subject, ...]])
