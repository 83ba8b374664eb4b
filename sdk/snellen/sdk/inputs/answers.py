"""Answers as Python holds them: by id, in pairs, in order, in a Series, a frame or an array."""

from collections.abc import ItemsView, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from pydantic import BaseModel

from snellen.grading.errors import SubmissionError
from snellen.grading.models.scores import Submission
from snellen.sdk.submissions import Source
from snellen.sdk.submissions.columns import USUAL

if TYPE_CHECKING:
    import pandas

    from snellen.sdk.inputs.selection import Selection
    from snellen.sdk.submissions.runs import StoredRun

Given: TypeAlias = "Source | Mapping[str, Any] | Iterable[Any] | StoredRun"


def with_ids(given: Given, selection: "Selection") -> Source:
    """Name the items of answers by their keys, or by their place in the data's order.

    Rows, frames and files, which name their items themselves, stay as they are.

    Raises:
        SubmissionError: A list of answers without ids has not one answer an item.
    """
    given = _plain(given)
    if isinstance(given, Mapping) and "item_id" not in given:
        return _rows(cast("Mapping[str, object]", given).items())
    if isinstance(given, zip | ItemsView):
        given = list(cast("Iterable[object]", given))
    if isinstance(given, list | tuple):
        return _of_list(cast("Sequence[object]", given), selection)
    if isinstance(given, Iterator):
        return _of_iterator(cast("Iterator[object]", given), selection)
    return cast("Source", given)


def _plain(given: Given) -> Given:
    """Return arrays and Series as lists, or as pairs where the index names items."""
    kind = type(given)
    library, name = kind.__module__.partition(".")[0], kind.__name__
    if library == "pandas" and name == "DataFrame":
        frame = cast("pandas.DataFrame", given)
        named = any(str(column).strip().lower() in USUAL["item_id"] for column in frame.columns)
        if named or not _names_items(frame.index) or "item_id" in frame.columns:
            return cast("Source", frame)
        return cast("Source", frame.reset_index(names="item_id"))
    if library == "pandas" and name == "Series":
        series = cast("pandas.Series[Any]", given)
        values = [None if gone else each for each, gone in zip(series, series.isna(), strict=True)]
        if not _names_items(series.index):
            return values
        return _rows(zip(series.index, values, strict=True))
    method = getattr(given, {"numpy": "tolist", "polars": "to_list"}.get(library, ""), None)
    return cast("Given", method()) if callable(method) else given


def _names_items(index: "pandas.Index[Any]") -> bool:
    return len(index) > 0 and all(isinstance(label, str) for label in index)


def _of_list(listed: Sequence[object], selection: "Selection") -> Source:
    ids = selection.ids
    if _are_pairs(listed, selection):
        return _rows(cast("Iterable[tuple[str, object]]", listed))
    if not listed or (any(map(_is_row, listed)) and not all(map(_is_returned, listed))):
        return cast("Source", listed)
    if len(listed) != len(ids):
        raise SubmissionError(
            f"{len(listed):,} answers without ids for {len(ids):,} items: a list has one"
            " answer an item, in the data's order; else give item ids to answers"
        )
    return _rows(zip(ids, listed, strict=True))


def _of_iterator(given: Iterator[object], selection: "Selection") -> Source:
    first = list(islice(given, 1))
    whole = chain(first, given)
    return cast("Source", whole) if any(map(_is_row, first)) else _of_list(list(whole), selection)


def _are_pairs(listed: Sequence[object], selection: "Selection") -> bool:
    """Whether a list holds ids and answers: one id is known, or all are tuples with a text."""
    if not listed or not all(
        isinstance(one, list | tuple)
        and len(cast("Sequence[object]", one)) == 2
        and isinstance(one[0], str)
        for one in listed
    ):
        return False
    pairs = cast("Sequence[Sequence[str]]", listed)
    return all(isinstance(pair, tuple) for pair in pairs) or any(
        pair[0] in selection.index or f"{selection.split}/{pair[0]}" in selection.index
        for pair in pairs
    )


def _is_row(one: object) -> bool:
    return isinstance(one, Mapping | BaseModel)


def _is_returned(one: object) -> bool:
    """Whether an object is one that an API returned, as it is: no row of a file."""
    if isinstance(one, BaseModel):
        return not isinstance(one, Submission)
    if not isinstance(one, Mapping):
        return True
    fields = cast("Mapping[str, object]", one)
    whole = fields.get("object") in ("response", "chat.completion")
    return whole or "candidates" in fields or fields.keys() <= {"role", "content", "refusal"}


def _rows(pairs: Iterable[tuple[str, object]]) -> list[dict[str, object]]:
    return [{"item_id": item, "response": said} for item, said in pairs]
