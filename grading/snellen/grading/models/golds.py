"""Golds: the references of items, as a column that shows none of them."""

from collections.abc import Iterable, Iterator, Sequence
from operator import eq
from typing import Any, NoReturn, cast, overload


class Golds(Sequence[Any]):
    """The references of items, one an item, in their task's published shape; read only.

    It holds the sequence that it is given, without a copy. Its text shows how many references
    there are and none of them, so that a log or a traceback gives nothing away, and it can't be
    pickled, so that nothing that holds it goes to a file or another process by accident.

    >>> golds = Golds([["seven", "7"], ["8"]])
    >>> golds, golds[1], len(golds)
    (<2 references>, ['8'], 2)
    """

    __slots__ = ("_column",)

    def __init__(self, column: Sequence[Any] = ()) -> None:
        self._column: Sequence[Any] = column._column if isinstance(column, Golds) else column

    @overload
    def __getitem__(self, index: int) -> Any: ...  # noqa: ANN401  # the published shape
    @overload
    def __getitem__(self, index: slice) -> "Golds": ...
    def __getitem__(self, index: int | slice) -> Any:
        found = self._column[index]
        return Golds(found) if isinstance(index, slice) else found

    def __len__(self) -> int:
        return len(self._column)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._column)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        others = cast("Sequence[object]", other)
        return len(self) == len(others) and all(map(eq, self, others))

    __hash__ = None  # pyright: ignore[reportAssignmentType]  # as of a list

    def at(self, indices: Iterable[int]) -> "Golds":
        """Return the references of some items, in this order."""
        return Golds([self._column[index] for index in indices])

    def __repr__(self) -> str:
        return f"<{len(self):,} references>"

    def __deepcopy__(self, _: object) -> "Golds":
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError("references can't be pickled; load the data again where they are needed")
