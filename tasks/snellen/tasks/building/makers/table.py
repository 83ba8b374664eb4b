"""Every maker, every change and every writer, by task and benchmark."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from snellen.tasks.building.changes.base import ChangeMaker
from snellen.tasks.building.makers.base import Maker
from snellen.tasks.building.making import PageItems

Writer: TypeAlias = Callable[[Sequence[PageItems], Path], None]
"""Writes what was made of a benchmark into a new folder, in the benchmark's published layout."""

MAKERS: Mapping[str, Maker] = {}
"""The makers, by the name that their choices are drawn for: the task's, where it makes one."""

CHANGES: Sequence[ChangeMaker] = ()
"""What is done to pages for those tasks that ask before and after."""

WRITERS: Mapping[str, Writer] = {}
"""The writers, by benchmark."""
