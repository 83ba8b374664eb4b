"""Design families: each has its own frame, stylesheet and choice of blocks."""

from collections.abc import Mapping
from dataclasses import dataclass

_LIGHT = ("harbor", "orchard", "ledger", "poppy", "civic", "violet", "sand", "mint", "press")
_EITHER = (True, False)


@dataclass(frozen=True, slots=True)
class Family:
    """A design family: it looks like one sort of site and unlike every other family.

    Attributes:
        name: Its name, also of its frame in `frame` and of its stylesheet in `styles/`.
        themes: The themes that suit it.
        heroes: The possible values of `Layout.hero`.
        listings: The possible values of `Layout.listing`.
        cards: The possible numbers of cards in a row.
        search: Whether its header may have a search field.
        crumbs: Whether its pages may have breadcrumbs.
        icons: Whether its tools may be icons instead of words.
    """

    name: str
    themes: tuple[str, ...] = _LIGHT
    heroes: tuple[str, ...] = ("plain",)
    listings: tuple[str, ...] = ("cards", "rows", "table")
    cards: tuple[int, ...] = (3,)
    search: tuple[bool, ...] = _EITHER
    crumbs: tuple[bool, ...] = _EITHER
    icons: tuple[bool, ...] = _EITHER


FAMILIES: Mapping[str, Family] = {
    family.name: family
    for family in (
        Family("admin", ("harbor", "slate", "violet", "console", "mint"), ("plain", "boxed"),
               ("table", "table", "rows"), (4,), (True,), (True,), (True,)),
        Family("magazine", ("ledger", "press", "sand", "orchard"), ("banner", "split"),
               ("cards", "rows"), (2, 3), crumbs=(False,), icons=(False,)),
        Family("shop", ("harbor", "poppy", "mint", "orchard", "violet"), ("split", "boxed"),
               ("cards", "cards", "rows"), (3, 4), (True,)),
        Family("docs", ("civic", "mint", "ledger", "harbor"), ("plain",), ("rows", "table"),
               (2,), crumbs=(True,), icons=(False,)),
        Family("travel", ("poppy", "sand", "harbor", "midnight", "orchard"), ("over",),
               ("tiles", "tiles", "cards"), (2, 3), (False,), (False,)),
        Family("app", ("violet", "mint", "poppy", "midnight", "harbor"), ("boxed", "over"),
               ("rows",), (2,), crumbs=(False,), icons=(True,)),
        Family("civic", ("civic", "ledger", "slate"), ("plain", "split"), ("rows", "table"),
               (2, 3), crumbs=(True,), icons=(False,)),
        Family("tool", ("console", "midnight", "slate"), ("plain",), ("table", "rows"), (3,),
               (False,), (False,), (True,)),
    )
}  # fmt: skip
"""The families by name."""
