"""Groups of a pack's items: by tags, sites and pictures."""

from collections.abc import Mapping
from typing import NamedTuple

from snellen.grading.errors import InputError, UnknownNameError
from snellen.tasks.pack.read import Pack, References

PAIR = "pair"
"""The tag that the two items of a pair share."""
SITE = "site"
"""Selects the tag of that name or, in a task without it, its independent groups of items."""
TASK = "task"
"""Selects the task itself."""


class ItemName(NamedTuple):
    """An item of a pack: ids are unique within a task only."""

    task: str
    item: str


Values = Mapping[ItemName, str | None]


def names_of(pack: Pack) -> list[ItemName]:
    """Return the items of a pack, in their order."""
    return [ItemName(head.item.task, head.item.id) for head in pack.lines.heads]


def values_of(pack: Pack, references: References | None, tag: str) -> Values:
    """Return each item's value of a tag; None if it has none.

    Args:
        pack: The pack.
        references: Its references, whose tags are private; None to use only public tags.
        tag: A tag's name, `task`, or `site`.

    Raises:
        UnknownNameError: No item has the tag.
        InputError: No item has it as a public tag, and the references were not given.
    """
    if tag == TASK:
        return {name: name.task for name in names_of(pack)}
    values: dict[ItemName, str | None] = {}
    for task, indexes in pack.index.items():
        private: Mapping[str, Mapping[str, str]] = {}
        if references is not None:
            private = references.tags.get(task, {})
        source = None if references is None else references.sources.get(task)
        column_name = source.cluster if source and tag == SITE and SITE not in private else tag
        column = private.get(column_name or "", {})
        for item_id, index in indexes.items():
            value = column.get(item_id)
            if value is None and tag == PAIR:
                value = pack.lines.heads[index].pair
            if value is None:
                value = pack.lines[index].item.tags.get(tag)
            values[ItemName(task, item_id)] = value
    if any(value is not None for value in values.values()):
        return values
    if references is None and pack.manifest.references is not None:
        raise InputError(
            f"no item has a public tag {tag!r}; private tags need the references and their key"
        )
    raise UnknownNameError("tag of these items", tag, known_tags(pack, references))


def known_tags(pack: Pack, references: References | None) -> list[str]:
    """Return the names of the tags of a pack's items, public ones and those of the references."""
    names: dict[str, None] = {TASK: None}
    for line in pack.lines:
        names.update(dict.fromkeys(line.item.tags))
    for columns in () if references is None else references.tags.values():
        names.update(dict.fromkeys(columns))
    return list(names)


def joined(pack: Pack, values: Values) -> list[list[ItemName]]:
    """Return the groups of items that must stay together, in the order of their first item.

    Items are in one group if they share a value of the tag, a screenshot (the first image, by its
    digest) or a pair, directly or through other items.
    """
    leaders: dict[ItemName, ItemName] = {}

    def leader(name: ItemName) -> ItemName:
        while leaders[name] != name:
            leaders[name] = leaders[leaders[name]]
            name = leaders[name]
        return name

    first: dict[tuple[str, ...], ItemName] = {}
    names = names_of(pack)
    for index, name in enumerate(names):
        leaders[name] = name
        line = pack.lines[index]
        shared: list[tuple[str, ...]] = []
        if (value := values.get(name)) is not None:
            shared.append(("value", value))
        if line.pair is not None:
            shared.append(("pair", name.task, line.pair))
        for shown in line.item.images[:1]:
            image = line.images[shown.name]
            shared.append(("image", image.sha256))
        for what in shared:
            other = first.setdefault(what, name)
            leaders[leader(name)] = leader(other)
    groups: dict[ItemName, list[ItemName]] = {}
    for name in names:
        groups.setdefault(leader(name), []).append(name)
    return list(groups.values())
