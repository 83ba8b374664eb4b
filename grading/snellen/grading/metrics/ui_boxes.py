"""UI contents with boxes for whole benchmarks: references prepared once, predictions in columns.

The values are those of `ui_contents.ui_contents_boxes`. Columns are scored in blocks of pairs; a
pair is a predicted box and a reference box of the same item. numpy removes the pairs that do not
overlap, then counts. Only clusters in which boxes compete reach Python or a solver.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from snellen.grading.errors import MetricError
from snellen.grading.metrics.boxes import Edge, Matching, check_threshold, count_matches
from snellen.grading.metrics.ui_contents import (
    ORDERED_IOU,
    BoxedText,
    Element,
    Normalize,
    UiBoxesRule,
    UiBoxesScore,
    elements,
    score_elements,
)

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]

# Pairs in one block: enough that numpy's overhead is small, few enough to fit the cache.
_BLOCK = 32_768


class UiBoxesColumns(NamedTuple):
    """The three metrics of every prediction, each an array of numbers 0..1."""

    bbox_f1: Floats
    exact_match: Floats
    f1: Floats


class _Gold(NamedTuple):
    """The raters' lists concatenated, without empty lists.

    `first` has one entry per item and one more: the index of the item's first list. `start` has one
    entry per list and one more: the index of the list's first box.
    """

    first: Integers
    start: Integers
    left: Floats
    top: Floats
    right: Floats
    bottom: Floats
    area: Floats
    text: Integers
    says_none: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class UiBoxesReferences:
    """The references of all items, prepared to score any number of predictions; thread-safe.

    >>> gold = UiBoxesReferences.prepare([[[((0, 0, 10, 10), "OK")]], [[]]])
    >>> gold.score(0, [((0, 0, 10, 9), "OK")])
    UiBoxesScore(bbox_f1=1.0, exact_match=1.0, f1=1.0)
    >>> gold.score_lists([[((0, 0, 10, 9), "Okay")], []]).f1.tolist()
    [0.0, 1.0]
    """

    rule: UiBoxesRule
    raters: tuple[tuple[list[Element], ...], ...]
    vocabulary: dict[str, int]
    gold: _Gold

    @classmethod
    def prepare(
        cls,
        references: Sequence[Sequence[Sequence[BoxedText]]],
        *,
        iou_threshold: float = 0.1,
        matching: Matching = "iou",
        ordered: bool = True,
        normalize: Normalize | None = None,
    ) -> Self:
        """Prepare the references of all items: for each item, one list of elements per rater.

        The options are those of `ui_contents_boxes`.

        Raises:
            MetricError: An item has no references, or the threshold is out of range.
        """
        check_threshold(iou_threshold)
        for index, item in enumerate(references):
            if not item:
                raise MetricError(f"item {index} has no rater's list to compare with")
        raters = tuple(tuple(elements(each, normalize) for each in item) for item in references)
        vocabulary: dict[str, int] = {}
        rule = UiBoxesRule(iou_threshold, matching, ordered, normalize)
        return cls(rule, raters, vocabulary, _lay_out(raters, vocabulary))

    def __len__(self) -> int:
        return len(self.raters)

    def score(self, item: int, prediction: Sequence[BoxedText]) -> UiBoxesScore:
        """Score the prediction for one item, given by its index."""
        return score_elements(prediction, self.raters[item], self.rule)

    def score_lists(
        self, predictions: Sequence[Sequence[BoxedText]], items: Integers | None = None
    ) -> UiBoxesColumns:
        """Score many predictions given as lists.

        Args:
            predictions: One list of elements per prediction.
            items: The item of each prediction; None: the k-th prediction is for item k.

        Raises:
            MetricError: Numbers of predictions and items differ, or an item does not exist.
        """
        offsets = np.zeros(len(predictions) + 1, dtype=np.int64)
        np.cumsum([len(prediction) for prediction in predictions], out=offsets[1:])
        flat = list(chain.from_iterable(predictions))
        sides = chain.from_iterable([box for box, _ in flat])
        boxes = np.fromiter(sides, dtype=np.float64, count=4 * len(flat)).reshape(-1, 4)
        return self.score_columns(offsets, boxes, [text for _, text in flat], items)

    def text_ids(self, texts: Sequence[str]) -> Integers:
        """Return the references' numbers of texts; -1 for a text that is in no reference."""
        known, normalize = self.vocabulary.get, self.rule.normalize
        said = map(normalize, texts) if normalize else texts
        return np.fromiter((known(text, -1) for text in said), dtype=np.int64, count=len(texts))

    def score_columns(
        self,
        offsets: Integers,
        boxes: Floats,
        texts: Sequence[str] | Integers,
        items: Integers | None = None,
    ) -> UiBoxesColumns:
        """Score many predictions given as columns.

        Args:
            offsets: n + 1 row numbers; prediction k holds the rows offsets[k]:offsets[k + 1].
            boxes: One row per box: left, top, right, bottom.
            texts: One text per box, or its number from `text_ids`.
            items: The item of each prediction; None: the k-th prediction is for item k.

        Returns:
            Three float64 arrays of length n.

        Raises:
            MetricError: The columns do not match, or an item does not exist.
        """
        offsets, boxes, items = self._checked(offsets, boxes, len(texts), items)
        ids = texts if isinstance(texts, np.ndarray) else self.text_ids(texts)
        columns = UiBoxesColumns(*(np.zeros(len(items)) for _ in range(3)))
        silent = np.diff(offsets) == 0
        for column in columns:
            column[silent] = self.gold.says_none[items[silent]]
        left, top, right, bottom = np.ascontiguousarray(boxes.T)
        with np.errstate(over="ignore", invalid="ignore"):
            area = (right - left) * (bottom - top)
            rows = _Rows(left, top, right, bottom, area, ids)
            for lo, hi in self._blocks(offsets, items):
                self._score_block(columns, rows, offsets[lo : hi + 1], items[lo:hi], lo)
        return columns

    def _checked(
        self, offsets: Integers, boxes: Floats, texts: int, items: Integers | None
    ) -> tuple[Integers, Floats, Integers]:
        offsets = np.asarray(offsets, dtype=np.int64)
        boxes = np.asarray(boxes, dtype=np.float64).reshape(-1, 4) if len(boxes) == 0 else boxes
        if boxes.ndim != 2 or boxes.shape[1] != 4:
            raise MetricError(f"boxes come as rows of four numbers, not in the shape {boxes.shape}")
        if texts != len(boxes):
            raise MetricError(f"{len(boxes)} boxes, but {texts} texts")
        sane = offsets.ndim == 1 and len(offsets) > 0 and offsets[0] == 0
        if not sane or offsets[-1] != len(boxes) or (np.diff(offsets) < 0).any():
            raise MetricError(f"offsets must rise from 0 to {len(boxes)}, the number of boxes")
        every = np.arange(len(offsets) - 1)
        indexes = every if items is None else np.asarray(items, dtype=np.int64)
        if len(indexes) != len(offsets) - 1:
            raise MetricError(f"{len(offsets) - 1} predictions, but {len(indexes)} items")
        if ((indexes < 0) | (indexes >= len(self))).any():
            raise MetricError(f"items are numbered from 0 to {len(self) - 1}")
        return offsets, np.asarray(boxes, dtype=np.float64), indexes

    def _blocks(self, offsets: Integers, items: Integers) -> list[tuple[int, int]]:
        """Cut the predictions into runs of about `_BLOCK` pairs."""
        gold_boxes = self.gold.start[self.gold.first]
        pairs = np.cumsum(np.diff(offsets) * (gold_boxes[items + 1] - gold_boxes[items]))
        if len(pairs) == 0:
            return []
        marks = np.arange(_BLOCK, int(pairs[-1]), _BLOCK, dtype=np.int64)
        cuts = np.searchsorted(pairs, marks) + 1
        return list(pairwise(np.unique([0, *cuts.tolist(), len(pairs)]).tolist()))

    def _score_block(
        self, columns: UiBoxesColumns, rows: "_Rows", offsets: Integers, items: Integers, at: int
    ) -> None:
        """Score a run of predictions into the columns, from index `at`."""
        lists = _pair_up(self.gold, offsets, items)
        if len(lists.row0) == 0:
            return
        found = _overlaps(self.gold, rows, lists, min(self.rule.iou_threshold, ORDERED_IOU))
        exact = found.same & (found.value >= ORDERED_IOU) & (found.row == found.column)
        in_place = np.bincount(found.rater[exact], minlength=len(lists.n))
        hits = found.only(found.value >= self.rule.iou_threshold)
        both_hits = hits.only(hits.same)
        boxes = _count(hits, lists, self.rule.matching)
        both = boxes
        if len(both_hits.row) < len(hits.row):
            both = _count(both_hits, lists, self.rule.matching)
        if not self.rule.ordered:
            perfect = self.rule.matching == "count"
            in_place = both if perfect else _count(both_hits, lists, "count")
        exact_match = ((lists.n == lists.m) & (in_place == lists.n)).astype(np.float64)
        scores = (_f1(boxes, lists), exact_match, _f1(both, lists))
        for column, score in zip(columns, scores, strict=True):
            column[at + lists.owner] = np.maximum.reduceat(score, lists.cut)


class _Rows(NamedTuple):
    """The predicted boxes, one entry per box."""

    left: Floats
    top: Floats
    right: Floats
    bottom: Floats
    area: Floats
    text: Integers


class _Lists(NamedTuple):
    """All comparisons of a prediction with a rater's list, neither empty.

    `n` and `m` are the numbers of boxes, which start at `row0` and `gold0`. The comparisons of one
    prediction are consecutive: `cut` is their start and `owner` their prediction.
    """

    n: Integers
    m: Integers
    row0: Integers
    gold0: Integers
    cut: Integers
    owner: Integers


class _Overlaps(NamedTuple):
    """Pairs of boxes that overlap: their comparison, their indices and their IoU."""

    rater: Integers
    row: Integers
    column: Integers
    value: Floats
    same: NDArray[np.bool_]

    def only(self, chosen: NDArray[np.bool_]) -> "_Overlaps":
        return _Overlaps(
            self.rater[chosen],
            self.row[chosen],
            self.column[chosen],
            self.value[chosen],
            self.same[chosen],
        )


def _lay_out(raters: Sequence[Sequence[Sequence[Element]]], vocabulary: dict[str, int]) -> _Gold:
    """Concatenate all lists and number new texts in the vocabulary."""
    filled = [[each for each in item if each] for item in raters]
    lists = list(chain.from_iterable(filled))
    flat = list(chain.from_iterable(lists))
    numbers = np.array([element[:5] for element in flat], dtype=np.float64).reshape(-1, 5)
    left, top, right, bottom, area = np.ascontiguousarray(numbers.T)
    ids = [vocabulary.setdefault(element.text, len(vocabulary)) for element in flat]
    return _Gold(
        first=_starts([len(item) for item in filled]),
        start=_starts([len(each) for each in lists]),
        left=left,
        top=top,
        right=right,
        bottom=bottom,
        area=area,
        text=np.array(ids, dtype=np.int64),
        says_none=np.array([any(not each for each in item) for item in raters], dtype=np.bool_),
    )


def _starts(lengths: Sequence[int]) -> Integers:
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64)


def _pair_up(gold: _Gold, offsets: Integers, items: Integers) -> _Lists:
    n = np.diff(offsets)
    raters = np.where(n > 0, gold.first[items + 1] - gold.first[items], 0)
    owner = np.flatnonzero(raters)
    cut = np.cumsum(raters) - raters
    whose = np.repeat(np.arange(len(items)), raters)
    rater = np.arange(len(whose)) + (gold.first[items] - cut)[whose]
    gold0 = gold.start[rater]
    return _Lists(
        n=n[whose],
        m=gold.start[rater + 1] - gold0,
        row0=offsets[whose],
        gold0=gold0,
        cut=cut[owner],
        owner=owner,
    )


def _overlaps(gold: _Gold, rows: _Rows, lists: _Lists, floor: float) -> _Overlaps:
    """Find all pairs whose IoU reaches the floor."""
    # First one entry per predicted box of each comparison, then one per pair of boxes.
    rater = np.repeat(np.arange(len(lists.n)), lists.n)
    index = np.arange(len(rater)) - (np.cumsum(lists.n) - lists.n)[rater]
    mine = lists.row0[rater] + index
    m = lists.m[rater]
    line = np.repeat(np.arange(len(rater)), m)
    theirs = np.arange(len(line)) - (np.cumsum(m) - m - lists.gold0[rater])[line]

    width = np.minimum(rows.right[mine][line], gold.right[theirs])
    width -= np.maximum(rows.left[mine][line], gold.left[theirs])
    wide = np.flatnonzero(width > 0)
    line, theirs, width = line[wide], theirs[wide], width[wide]
    my = mine[line]
    height = np.minimum(rows.bottom[my], gold.bottom[theirs])
    height -= np.maximum(rows.top[my], gold.top[theirs])
    overlap = np.where(height > 0, width * height, 0.0)
    # A pair that does not overlap has IoU 0 even where both areas are 0.
    union = np.where(overlap > 0, rows.area[my] + gold.area[theirs] - overlap, 1.0)
    value = overlap / union
    hit = np.flatnonzero(value >= floor)
    line, theirs = line[hit], theirs[hit]
    which = rater[line]
    return _Overlaps(
        rater=which,
        row=index[line],
        column=theirs - lists.gold0[which],
        value=value[hit],
        same=rows.text[my[hit]] == gold.text[theirs],
    )


def _count(pairs: _Overlaps, lists: _Lists, matching: Matching) -> Integers:
    """Count the matches of each comparison's best assignment: `count_matches` in columns."""
    row = (np.cumsum(lists.n) - lists.n)[pairs.rater] + pairs.row
    column = (np.cumsum(lists.m) - lists.m)[pairs.rater] + pairs.column
    rows = np.bincount(row)
    columns = np.bincount(column)
    sizes = len(lists.n)
    shared = (rows[row] > 1) & (columns[column] > 1)
    # Boxes minus pairs: each pair adds 1/degree of both ends, minus 1.
    matched = np.bincount(pairs.rater, 1 / rows[row] + 1 / columns[column] - 1, minlength=sizes)
    counts = np.rint(matched).astype(np.int64)
    for rater in np.unique(pairs.rater[shared]).tolist():
        lo, hi = np.searchsorted(pairs.rater, [rater, rater + 1])
        edges: list[Edge] = list(
            zip(
                pairs.row[lo:hi].tolist(),
                pairs.column[lo:hi].tolist(),
                pairs.value[lo:hi].tolist(),
                strict=True,
            )
        )
        shape = (int(lists.n[rater]), int(lists.m[rater]))
        counts[rater] = count_matches(edges, shape, matching)
    return counts


def _f1(matches: Integers, lists: _Lists) -> Floats:
    precision, recall = matches / lists.n, matches / lists.m
    total = np.where(matches > 0, precision + recall, 1.0)
    return 2 * precision * recall / total
