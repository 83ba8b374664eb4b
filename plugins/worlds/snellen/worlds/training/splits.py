"""Which templates and pages are for training, and which are kept for tests."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from snellen.grading.errors import InputError, UnknownNameError
from snellen.tasks.environments.table import TRAINING_SEEDS

Split: TypeAlias = Literal["train", "test", "all"]

TEST: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        # At least one template of each application that has several, and of both levels.
        "desk": frozenset(
            {"mail-forward", "mail-star", "calendar-invite", "calendar-when", "contacts-group",
             "contacts-ask", "files-share", "sheet-stock", "kanban-due", "notes-line",
             "shop-return", "travel-price", "refund-by-policy", "plan-trip", "share-by-mail",
             "assign-by-role", "files-sort", "kanban-urgent", "postpone-by-mail", "notes-copy",
             "settings-knobs", "travel-by-operator", "shop-fast", "mail-thread", "assign-beside"}
        ),
        # Whole families: a page and its variants are on one side.
        "miniwob": frozenset(
            {"book-flight", "book-flight-nodelay", "choose-list", "click-color", "click-dialog",
             "click-dialog-2", "click-shades", "copy-paste", "copy-paste-2", "count-sides",
             "daily-calendar", "drag-circle", "drag-sort-numbers", "draw-line", "enter-date",
             "enter-time", "find-midpoint", "focus-text", "focus-text-2", "grid-coordinate",
             "guess-number", "login-user", "login-user-popup", "navigate-tree", "phone-book",
             "read-table", "read-table-2", "scroll-text", "scroll-text-2", "simple-algebra",
             "social-media", "social-media-all", "social-media-some", "text-editor",
             "use-colorwheel", "use-colorwheel-2", "use-slider", "use-slider-2",
             "visual-addition"}
        ),
    }
)  # fmt: skip
"""What is kept for tests, by environment; all else is for training."""

FIRST_SEED: Final[Mapping[str, int]] = MappingProxyType({"desk": TRAINING_SEEDS, "miniwob": 2**31})
"""The first seed of training tasks: those of exams are below it."""

SEEDS: Final = 2**31
"""How many seeds there are for training."""


def templates_of(environment: str, split: Split | Sequence[str] = "train") -> tuple[str, ...]:
    """Return the templates of the desk, or the pages of MiniWoB++, of a split.

    Args:
        environment: `desk` or `miniwob`.
        split: `train`, `test`, `all`, or names.

    Raises:
        UnknownNameError: There is no such environment or template.
        InputError: There are no names.
        MissingExtraError: The package `miniwob` is not installed.
    """
    known = _names(environment)
    if split == "all":
        return known
    if split in ("train", "test"):
        return tuple(name for name in known if (name in TEST[environment]) == (split == "test"))
    chosen = (split,) if isinstance(split, str) else tuple(split)
    if not chosen:
        raise InputError("templates has no names")
    for name in chosen:
        if name not in known:
            raise UnknownNameError(f"template of {environment}", name, ("train", "test", *known))
    return chosen


def check_seed(environment: str, seed: int) -> None:
    """Check that a task's seed is one for training.

    Raises:
        InputError: It may be one of an exam.
    """
    first = FIRST_SEED[environment]
    if not first <= seed < first + SEEDS:
        raise InputError(
            f"{seed} is no seed for training, which are {first} to {first + SEEDS - 1}: smaller"
            " ones may be an exam's"
        )


def _names(environment: str) -> tuple[str, ...]:
    if environment == "desk":
        from snellen.worlds.desk.templates.table import TEMPLATES

        return tuple(TEMPLATES)
    if environment == "miniwob":
        from snellen.worlds.miniwob.site import installed_site

        return installed_site().pages
    raise UnknownNameError("environment for training", environment, TEST)
