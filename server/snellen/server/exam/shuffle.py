"""Shuffled options: options of the prompt in another order, with letters mapped back."""

import hmac
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from string import ascii_uppercase

from snellen.grading.models.items import AnswerKind, Item

_MOST = len(ascii_uppercase)
_REMEMBERED = 4096


@dataclass(frozen=True, slots=True)
class Shuffled:
    """An item with shuffled options.

    Attributes:
        item: The item with shuffled options.
        order: For each shuffled option, its index in the original item.
    """

    item: Item
    order: tuple[int, ...]

    def original(self, letter: str) -> str:
        """Return the letter of an option in the original item."""
        return ascii_uppercase[self.order[ascii_uppercase.index(letter)]]


def shuffle(item: Item, key: bytes) -> Shuffled | None:
    """Shuffle an item's options by a key; None if the item does not allow it.

    The options must be texts that occur in the prompt once, in one of `WRITINGS`. Letters drawn in
    the image are not shuffled, and neither are options that refer to others by letter or position.
    Equal keys give equal orders on every version of Python, because an attempt can outlive its
    server.
    """
    options = item.answer_format.options
    if item.answer_format.kind is not AnswerKind.CHOICE or not 2 <= len(options) <= _MOST:
        return None
    if _belong_in_their_order(options):
        return None
    found = {text: write for write in WRITINGS if (text := write(options)) in item.prompt}
    if len(found) != 1:
        return None
    ((block, write),) = found.items()
    if item.prompt.count(block) != 1:
        return None
    order = sorted(
        range(len(options)), key=lambda place: hmac.digest(key, bytes([place]), "sha256")
    )
    mixed = tuple(options[place] for place in order)
    return Shuffled(
        item.model_copy(
            update={
                "prompt": item.prompt.replace(block, write(mixed)),
                "answer_format": item.answer_format.model_copy(update={"options": mixed}),
            }
        ),
        tuple(order),
    )


def lettered(options: Sequence[str]) -> str:
    """Write options one per line, each after its letter: `A. Save`."""
    return "\n".join(
        f"{letter}. {option}" for letter, option in zip(ascii_uppercase, options, strict=False)
    )


def lettered_on_a_line(options: Sequence[str]) -> str:
    """Write options like `lettered`, with the line breaks within one as spaces."""
    return lettered([" ".join(option.split()) for option in options])


def listed(options: Sequence[str]) -> str:
    r"""Write options as a Python list, as in VisualWebBench's published prompt.

    >>> listed(("It's new", "Save"))
    '["It\'s new", \'Save\']'
    """
    return repr([*options])


WRITINGS: tuple[Callable[[Sequence[str]], str], ...] = (lettered, lettered_on_a_line, listed)
"""The ways in which prompts write options."""


@lru_cache(maxsize=_REMEMBERED)
def _belong_in_their_order(options: tuple[str, ...]) -> bool:
    # Cached, because every attempt has the same options.
    return any(speaks_of_others(option, len(options)) for option in options)


def speaks_of_others(option: str, count: int) -> bool:
    """Whether an option refers to others by letter or position, so that a shuffle changes it.

    >>> [speaks_of_others(text, 4) for text in ("Both A and C", "B", "All of the above")]
    [True, True, True]
    >>> [speaks_of_others(text, 4) for text in ("A red button", "None", "Above the table")]
    [False, False, False]
    """
    one = f"[{ascii_uppercase[:count]}]"
    patterns = (
        r"\b(?i:of the (?:above|below|options|answers|choices)|all (?:the )?above)\b",
        rf"\b(?i:options?|answers?|choices?)\s+\(?{one}\)?(?!\w)",
        # Nothing but letters and what joins them.
        rf"^(?=.*\b{one}\b)\W*(?:(?:(?i:{_JOINING})|{one})\b\W*)+$",
    )
    return any(re.search(pattern, option) for pattern in patterns)


_JOINING = "both|either|neither|all|none|only|and|or|nor|of"
