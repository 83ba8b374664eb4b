"""What charts are about, by the kind of site that could show them."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import msgspec

TIMES: Mapping[str, tuple[str, ...]] = {
    "month": ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
    "weekday": ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"),
    "year": tuple(str(year) for year in range(2012, 2026)),
}
"""What follows one another in time, by what one of it is called."""

_FILE = "subjects.json"
_MEASURED = ("thousand", "tons", "minutes", "megabytes", "kilowatt", "megawatt")


class Subject(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a chart can be about.

    Attributes:
        title: What is counted.
        unit: In what.
        over: What a label is: `month`, `region`...
        series: What several series can be called.
        labels: What the labels can be; empty where `over` is a time.
    """

    title: str
    unit: str
    over: str
    series: tuple[str, ...]
    labels: tuple[str, ...] = ()

    @property
    def ordered(self) -> bool:
        """Whether its labels follow one another."""
        return not self.labels

    @property
    def measured(self) -> bool:
        """Whether it may have fractions: there is half a ton, and no half guest."""
        return self.unit.startswith(_MEASURED)


def subjects_of(site: str) -> tuple[Subject, ...]:
    """Return what a site's charts can be about: by the kind that its name starts with, else all.

    >>> subjects_of("bank-en-003")[0].title
    'New accounts'
    >>> len(subjects_of("sb-admin-2")) > 30
    True
    """
    known = _all()
    kind = site.split("-")[0]
    return known.get(kind) or tuple(one for subjects in known.values() for one in subjects)


@cache
def _all() -> Mapping[str, tuple[Subject, ...]]:
    source = files(__package__ or "") / _FILE
    return msgspec.json.decode(source.read_bytes(), type=dict[str, tuple[Subject, ...]])
