"""Where each benchmark is published, and which files its tasks need: one readable table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import Literal

from snellen.grading.errors import InputError, UnknownNameError
from snellen.tasks.benchmarks.visualwebbench.format import CONFIGS
from snellen.tasks.data.pins import RELEASES

Host = Literal["github.com", "huggingface.co"]

_IMAGES = ("*.png", "*.jpg", "*.jpeg", "*.webp", "*.zip", "*.tar", "*.tar.gz")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a benchmark is published.

    Attributes:
        benchmark: Its id.
        host: Who serves it.
        name: The repository, `owner/name`.
        licence: The terms it is published under, as its page states them.
        tasks: From a task's name to the patterns of its files; empty where tasks share all files.
        always: Patterns of what is fetched with every task.
        images: Patterns of the files that hold images and nothing else; empty: there are none.
        images_inside: Whether the images are inside the files of the tasks.
        files: The files by name, where the host has no listing to ask for.
        sha256: Digests on record, by file.
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


_SPLITS = ("test", "validation", "train")
_SHORT, _FULL, _COMPLEX = "short_answers", "answers_and_bboxes", "complex_qa"
_L1, _L2 = ("L1_annotations.json",), ("L2_annotations.json",)
_EVERYTHING = ("*",)

_ALL_PLACES = (
    Place(
        "screenqa",
        "github.com",
        "google-research-datasets/screen_qa",
        "CC BY 4.0",
        tasks={
            "short": (f"{_SHORT}/*",),
            "long": (f"{_FULL}/*",),
            "ui_contents": (f"{_FULL}/*",),
            "ui_contents_boxes": (f"{_FULL}/*",),
            "complex": (f"{_COMPLEX}/*",),
        },
        files=(
            "README.md",
            *(f"{folder}/{split}.json" for folder in (_SHORT, _FULL) for split in _SPLITS),
            f"{_COMPLEX}/data.json",
        ),
        sha256={
            f"{release.role}/{release.split}.json": release.sha256
            for release in RELEASES
            if release.sha256 is not None
        },
        note="the screenshots are RICO's and are not fetched: get its 66k UI screenshots"
        " (unique_uis.tar.gz) from http://www.interactionmining.org/rico.html and give the folder"
        " combined as --images",
    ),
    Place(
        "visualwebbench",
        "huggingface.co",
        "visualwebbench/VisualWebBench",
        "Apache 2.0",
        tasks={
            **{config: (f"{config}/*",) for config in CONFIGS},
            **{
                f"{config}_{form}": (f"{config}/*",)
                for config in ("element_ground", "action_ground")
                for form in ("bbox", "point")
            },
        },
        images_inside=True,
    ),
    Place(
        "webrssbench",
        "huggingface.co",
        "annoy-worker/WebRSSBench",
        "none is stated",
        always=_EVERYTHING,
        images=_IMAGES,
        note="how this repository is laid out was not known when snellen was written: what"
        " `snellen data check` says of the folder is what can be read of it",
    ),
    Place(
        "mmbench-gui",
        "huggingface.co",
        "OpenGVLab/MMBench-GUI",
        "Apache 2.0",
        tasks={"l1": _L1, "l2_basic": _L2, "l2_advanced": _L2},
        images=("MMBench-GUI-OfflineImages.*",),
        note="the tasks of l3 and l4 are not published as files",
    ),
    Place(
        "screenspot-v2",
        "huggingface.co",
        "OS-Copilot/ScreenSpot-v2",
        "Apache 2.0",
        tasks={"point": ("screenspot_*_v2.json",)},
        images=("screenspotv2_image.*",),
    ),
    Place(
        "screenspot-pro",
        "huggingface.co",
        "likaixin/ScreenSpot-Pro",
        "MIT",
        tasks={"point": ("annotations/*",)},
        images=("images/*",),
    ),
)

PLACES: Mapping[str, Place] = MappingProxyType({place.benchmark: place for place in _ALL_PLACES})
"""Every place by its benchmark's id."""


def place_of(benchmark: str) -> Place:
    """Return where a benchmark is published.

    Raises:
        UnknownNameError: It is none that can be fetched.
    """
    try:
        return PLACES[benchmark]
    except KeyError:
        raise UnknownNameError("benchmark to fetch", benchmark, PLACES) from None
