"""Fetching a benchmark's published files into a folder that its loader reads.

A fetch is pinned to a commit, checked against the published digests where there are any, and goes
on where an interrupted one stopped. What came, and from where, stands in `snellen-fetch.json` in
the folder.
"""

from snellen.tasks.data.fetch.benchmark import Fetched, fetch
from snellen.tasks.data.fetch.faults import FetchError
from snellen.tasks.data.fetch.manifest import FetchedFile
from snellen.tasks.data.fetch.transfer import Progress

__all__ = [
    "FetchError",
    "Fetched",
    "FetchedFile",
    "Progress",
    "fetch",
]
