"""Tags of items: external tables of tags, and the independent groups that tags define."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias, cast

from snellen.grading.breakdown import cluster_codes
from snellen.grading.errors import InputError, UnknownNameError
from snellen.grading.models.tags import TagColumn, TagTable
from snellen.grading.protocols.base import IntArray
from snellen.sdk.inputs.small_tables import Records, SmallTable, read_small_table

ITEM_ID = "item_id"
"""The key that every item has."""

Tags: TypeAlias = Records | Mapping[str, Mapping[str, object]]
"""Where tags can come from: a table, or item ids to tags."""

_Values: TypeAlias = tuple[str | None, ...]
_ONE = "; a tag has one value"


def read_tags(
    source: Tags,
    ids: Sequence[str],
    known: Mapping[str, TagColumn],
    *,
    key: str | None = None,
) -> TagTable:
    """Read a table of tags and join it to items.

    Every row applies to the items with its key: `item_id`, or an existing tag of the items, such as
    `image_id`, `site` or `app`. The other columns are the tags. Each cell is a text or a number; an
    empty cell is not a tag.

    Args:
        source: A path (`.csv`, `.tsv`, `.jsonl`), dicts, a pandas, polars or Arrow table, or a
            mapping from item ids to tags.
        ids: The item ids.
        known: The tags that the items have, each in the order of the ids.
        key: The column to join by; None: `item_id` if present, else the only column that is a known
            tag.

    Returns:
        The new tags in the order of the ids, and the numbers of matched items and rows. A column
        that repeats a known tag is checked and left out.

    Raises:
        InputError: The table can't be read, no column or several columns can be the key, two rows
            of a key differ, a column contradicts a known tag, or no row matches an item.

    >>> table = read_tags(
    ...     [{"site": "a.com", "domain": "travel"}, {"site": "b.com", "domain": "sports"}],
    ...     ["1", "2", "3"],
    ...     {"site": ["b.com", "c.com", "b.com"]},
    ... )
    >>> table.columns["domain"]
    ['sports', None, 'sports']
    >>> table.coverage
    "joined by site: 2 of 3 items have a row; 1 of 2 rows is for no item ('a.com'). domain: 2."
    """
    if isinstance(source, Mapping):
        table = _with_ids(cast("Mapping[str, object]", source))
    else:
        table = read_small_table(source)
    by = key or _key(table, known)
    if by not in table.names:
        raise InputError(
            f"there is no such column; found: {_listed(table.names)}", file=table.file, field=by
        )
    if by != ITEM_ID and by not in known:
        raise InputError(
            f"the items have no tag of that name to join by; they have: {_listed(known)}",
            file=table.file,
            field=by,
        )
    names = [name for name in table.names if name not in (by, ITEM_ID)]
    if not names:
        raise InputError(f"it has no tag besides {by}", file=table.file)
    rows = _by_key(table, by, names)
    keys: TagColumn = ids if by == ITEM_ID else known[by]
    found = [None if value is None else rows.get(value) for value in keys]
    present = set(keys)
    stray = tuple(value for value in rows if value not in present)
    if len(stray) == len(rows):
        shown = next((repr(value) for value in keys if value is not None), "nothing")
        raise InputError(
            f"no row belongs to an item: its keys look like {stray[0]!r}, the items' like {shown}",
            file=table.file,
            field=by,
        )
    columns: dict[str, TagColumn] = {}
    for index, name in enumerate(names):
        column = [None if values is None else values[index] for values in found]
        if name in known:
            _check_equal(table, name, column, known[name], ids)
        else:
            columns[name] = column
    return TagTable(
        columns=columns,
        key=by,
        items=len(ids),
        matched_items=sum(values is not None for values in found),
        rows=len(rows),
        stray=stray,
    )


def _key(table: SmallTable, known: Mapping[str, TagColumn]) -> str:
    if ITEM_ID in table.names:
        return ITEM_ID
    fitting = [name for name in table.names if name in known]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise InputError(
            f"several columns are tags that the items have: {_listed(fitting)}; keep the one to"
            " join by, or name it as key=",
            file=table.file,
        )
    raise InputError(
        f"no column can be joined by: found {_listed(table.names)}; name one item_id, or as a tag"
        f" of the items: {_listed(known)}",
        file=table.file,
    )


def _by_key(table: SmallTable, by: str, names: Sequence[str]) -> dict[str, _Values]:
    rows: dict[str, _Values] = {}
    lines: dict[str, int] = {}
    for row in table.rows:
        value = table.text(row, by, _ONE)
        if value is None:
            raise table.fault(row, by, "the key is empty")
        values = tuple(table.text(row, name, _ONE) for name in names)
        if rows.setdefault(value, values) != values:
            differing = next(
                name
                for name, one, other in zip(names, rows[value], values, strict=True)
                if one != other
            )
            raise table.fault(
                row,
                differing,
                f"{by} {value!r} is also on line {lines[value]} with another {differing}; keep one",
            )
        lines.setdefault(value, row.line)
    return rows


def _check_equal(
    table: SmallTable, name: str, column: TagColumn, known: TagColumn, ids: Sequence[str]
) -> None:
    for item_id, new, old in zip(ids, column, known, strict=True):
        if new is not None and new != old:
            raise InputError(
                f"the items have a tag of that name, and item {item_id!r} has {old!r} where this"
                f" says {new!r}; rename the column",
                file=table.file,
                field=name,
            )


def _with_ids(source: Mapping[str, object]) -> SmallTable:
    records: list[dict[str, object]] = []
    for item_id, tags in source.items():
        if not isinstance(tags, Mapping):
            raise InputError(
                f"expected tags, name to value, not {type(tags).__name__}", field=item_id
            )
        records.append({ITEM_ID: item_id, **cast("Mapping[str, object]", tags)})
    return read_small_table(records)


def _listed(names: Sequence[str] | Mapping[str, object]) -> str:
    return ", ".join(names) or "none"


ITEM = "item"
"""What `clustered_by` says where every item is a group of its own."""


@dataclass(frozen=True, slots=True)
class Tagging:
    """The tags of some items.

    Attributes:
        tags: One column per tag, in the items' order.
        cluster: The tag whose values are the independent groups; None: each item is its own group.
        coverage: A description of the join of external tags; empty without any.
    """

    tags: Mapping[str, TagColumn] = field(default_factory=dict[str, TagColumn], repr=False)
    cluster: str | None = None
    coverage: str = ""

    def clusters(self) -> IntArray | None:
        """Number the independent groups; None if each item is its own group."""
        return None if self.cluster is None else cluster_codes(self.tags[self.cluster])

    def narrowed(self, indexes: Sequence[int]) -> "Tagging":
        """Return the tags of the items with these indices."""
        tags = {tag: [column[index] for index in indexes] for tag, column in self.tags.items()}
        said = f"{self.coverage} (Of all items, before some were selected.)"
        return replace(self, tags=tags, coverage=said if self.coverage else "")

    def extended(self, ids: Sequence[str], tags: Tags | None, cluster: str | None) -> "Tagging":
        """Add tags, and set the tag whose values are the independent groups.

        Args:
            ids: The item ids.
            tags: As for `snellen.sdk.inputs.tags.read_tags`; None adds none.
            cluster: A tag; `item`: every item is its own group; None changes nothing.

        Raises:
            InputError: The tags can't be read or joined.
            UnknownNameError: There is no such tag to cluster by.
        """
        found = self
        if tags is not None:
            table = read_tags(tags, ids, self.tags)
            if ITEM in table.columns:
                raise InputError(
                    f"a tag can't be called {ITEM!r}: that name stands for groups of one item"
                )
            found = replace(found, tags=table.joined(self.tags), coverage=table.coverage)
        if cluster is None:
            return found
        if cluster != ITEM and cluster not in found.tags:
            raise UnknownNameError("tag to cluster by", cluster, [ITEM, *found.tags])
        return replace(found, cluster=None if cluster == ITEM else cluster)


NO_TAGS = Tagging()
