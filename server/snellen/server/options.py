"""Options in another order: the prompt's lettered lines shuffled, letters mapped back."""

import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_uppercase

from snellen.grading.models.answers import AnswerKind
from snellen.grading.models.items import Item


@dataclass(frozen=True, slots=True)
class Shuffled:
    """An item whose options stand in another order.

    Attributes:
        item: The item as it is asked.
        order: For each option as asked, its place in the item as made.
    """

    item: Item
    order: tuple[int, ...]

    def original(self, letter: str) -> str:
        """Return the letter that an option has in the item as made."""
        return ascii_uppercase[self.order[ascii_uppercase.index(letter)]]


def shuffle(item: Item, key: bytes) -> Shuffled | None:
    """Put an item's options in the order that a key gives; None where the item does not allow it.

    It does where its options are texts that stand in the prompt one a line, each after its
    letter and a full stop. Letters that are drawn in the image stay where they are. Equal keys
    give equal orders on every version of Python: an attempt may outlive its server.
    """
    options = item.answer_format.options
    if item.answer_format.kind is not AnswerKind.CHOICE or not 2 <= len(options) <= _MOST:
        return None
    block = lettered(options)
    if item.prompt.count(block) != 1:
        return None
    order = sorted(
        range(len(options)), key=lambda place: hmac.digest(key, bytes([place]), "sha256")
    )
    mixed = tuple(options[place] for place in order)
    return Shuffled(
        item.model_copy(
            update={
                "prompt": item.prompt.replace(block, lettered(mixed)),
                "answer_format": item.answer_format.model_copy(update={"options": mixed}),
            }
        ),
        tuple(order),
    )


def lettered(options: Sequence[str]) -> str:
    """Write options one a line, each after its letter: `A. Save`."""
    return "\n".join(
        f"{letter}. {option}" for letter, option in zip(ascii_uppercase, options, strict=False)
    )


_MOST = len(ascii_uppercase)
