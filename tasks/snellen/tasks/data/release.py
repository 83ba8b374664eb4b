"""A published release of a benchmark: where it is, which files it has, and how to recognize it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal

from snellen.grading.errors import InputError, UnknownNameError

Host = Literal["github.com", "huggingface.co"]

IMAGES = ("*.png", "*.jpg", "*.jpeg", "*.webp", "*.zip", "*.tar", "*.tar.gz")
"""Patterns of files that hold images and nothing else."""


@dataclass(frozen=True, slots=True)
class Release:
    """One published file, or the parts of one split.

    Attributes:
        name: The release, such as `v1.2`.
        role: The folder of the repository, or the name of the mirror.
        split: The split's name.
        count: The questions in it.
        sha256: The digest of its bytes; None where no copy has been held against it.
    """

    name: str
    role: str
    split: str
    count: int
    sha256: str | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where a benchmark is published.

    Attributes:
        benchmark: Its name.
        host: Who serves it.
        name: The repository, `owner/name`.
        licence: The terms it is published under, as its page states them.
        tasks: From a task's name to the patterns of its files; empty where tasks share all files.
        always: Patterns of what is fetched with every task.
        images: Patterns of the files that hold images and nothing else; empty: there are none.
        images_inside: Whether the images are inside the files of the tasks.
        files: The files by name, where the host has no listing to ask for.
        sha256: Digests on record, by file.
        revision: The commit at which it is fetched; None: as it is at the first fetch.
        note: What is not fetched and where to get it, or what is not known of the place.
    """

    benchmark: str
    host: Host
    name: str
    licence: str
    tasks: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    always: tuple[str, ...] = ("README.md",)
    images: tuple[str, ...] = ()
    images_inside: bool = False
    files: tuple[str, ...] = ()
    sha256: Mapping[str, str] = field(default_factory=dict[str, str])
    revision: str | None = None
    note: str = ""

    @property
    def repository(self) -> str:
        """The repository as `snellen.tasks.data.pins` names it."""
        kind = "datasets/" if self.host == "huggingface.co" else ""
        return f"{self.host}/{kind}{self.name}"

    @property
    def page(self) -> str:
        """Its page, for people."""
        return f"https://{self.repository}"

    def wanted(self, paths: Sequence[str], tasks: Sequence[str], *, images: bool) -> list[str]:
        """Return which of a repository's files some tasks need.

        Args:
            paths: The repository's files.
            tasks: The tasks, with or without the benchmark in front; none: all of them.
            images: Whether files that hold nothing but images are needed.

        Raises:
            UnknownNameError: There is no such task.
            InputError: The images can't be left out.
        """
        if not images and not self.images:
            where = (
                f"the images of {self.benchmark} are inside the files that hold its questions"
                if self.images_inside
                else f"no images are fetched for {self.benchmark} anyway"
            )
            raise InputError(f"{where}: leave out --no-images (images=False)")
        patterns = self._patterns(tasks)
        return [
            path
            for path in paths
            if (_fits(path, patterns) or _fits(path, self.images))
            and (images or not _fits(path, self.images))
        ]

    def _patterns(self, tasks: Sequence[str]) -> tuple[str, ...]:
        names = [task.removeprefix(f"{self.benchmark}/") for task in tasks]
        for task, name in zip(tasks, names, strict=True):
            if name not in self.tasks:
                raise UnknownNameError(f"task of {self.benchmark}", task, self.tasks)
        if not names:
            return (*self.always, *(one for patterns in self.tasks.values() for one in patterns))
        return (*self.always, *(one for name in names for one in self.tasks[name]))


def _fits(path: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(path, pattern) for pattern in patterns)


@dataclass(frozen=True, slots=True)
class RowSign:
    """By what a task's rows are recognized."""

    task: str
    fields: frozenset[str]
    without: frozenset[str] = frozenset()  # fields that they never have
    begins: Mapping[str, str] = field(default_factory=dict[str, str])  # how values begin


@dataclass(frozen=True, slots=True)
class Signs:
    """By what files of a benchmark are recognized before they are loaded.

    Nothing is judged: a broken file is recognized like a sound one. The functions are for what
    names and fields can't say; they return tasks.

    Attributes:
        names: From a file's name, or a pattern of it, to its task.
        rows: The fields of a file's first row (of parquet its columns), whatever its name.
        folders: Patterns below a folder of files that are known by their names, or by the first
            row of the first one with a name of its own.
        together: Tasks that read the same files: if one is recognized, all are.
        in_folder: Looks at a folder.
        by_name: Looks at a file's name, and at the names of what it lies in.
        by_row: Looks at a file and its first row: a mapping from fields to values (of parquet
            from columns to the names of their types).
    """

    names: Mapping[str, str] = field(default_factory=dict[str, str])
    rows: Sequence[RowSign] = ()
    folders: Sequence[str] = ()
    together: Sequence[str] = ()
    in_folder: Callable[[Path], Iterable[str]] | None = None
    by_name: Callable[[Path], Iterable[str]] | None = None
    by_row: Callable[[Path, Mapping[str, object]], Iterable[str]] | None = None
