"""A wiki's state: its tiddlers by title, edits of it, and the comparison of two states."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

import msgspec

from snellen.grading.errors import SnellenError

Tiddler: TypeAlias = Mapping[str, Any]
State: TypeAlias = Mapping[str, Tiddler]
"""Each tiddler's fields by its title. Tags are a sorted list, everything else is text."""

VOLATILE: Final = frozenset({"created", "creator", "modified", "modifier"})
"""Fields that say when and by whom a tiddler was written."""

# TiddlyWiki's lists: words with spaces between them, or in double brackets.
_LISTED: Final = re.compile(r"\[\[(.*?)\]\](?=\s|$)|(\S+)")


class EditError(SnellenError):
    """An edit of a missing tiddler, or one that would overwrite a tiddler."""


@dataclass(frozen=True, slots=True)
class Edit:
    """An edit of one tiddler, from opening it to saving it.

    Attributes:
        title: The tiddler's title.
        kind: Whether the edit makes, changes or deletes it.
        to: Its new title; empty: the same.
        text: Its new text; None: the same.
        tags: Tags that it gets.
        untags: Tags that it loses.
        fields: Names and new values of other fields.
    """

    title: str
    kind: Literal["new", "change", "delete"] = "change"
    to: str = ""
    text: str | None = None
    tags: tuple[str, ...] = ()
    untags: tuple[str, ...] = ()
    fields: tuple[tuple[str, str], ...] = ()


def read_state(tiddlers: Iterable[Mapping[str, str]]) -> State:
    """Return the state of a wiki.

    Args:
        tiddlers: The tiddlers of TiddlyWiki's JSON: every field is text. Spaces around a text,
            empty fields and the fields of `VOLATILE` do not count.
    """
    return {
        fields["title"]: {
            name: value
            for name, given in fields.items()
            if name not in VOLATILE
            if (value := read_list(given) if name == "tags" else given.strip())
        }
        for fields in tiddlers
    }


def read_list(text: str) -> list[str]:
    """Return the items of a TiddlyWiki list, sorted.

    >>> read_list("[[in use]] a")
    ['a', 'in use']
    """
    return sorted({long or short for long, short in _LISTED.findall(text)})


def write_list(items: Iterable[str]) -> str:
    """Return a list as TiddlyWiki writes it.

    >>> write_list(["a", "in use"])
    'a [[in use]]'
    """
    return " ".join(f"[[{item}]]" if " " in item else item for item in items)


def edited(state: State, edits: Sequence[Edit]) -> State:
    """Return the state after some edits.

    Raises:
        EditError: A tiddler is missing, or another one has this title.
    """
    after = dict(state)
    for edit in edits:
        if (edit.title in after) == (edit.kind == "new"):
            there = "is" if edit.kind == "new" else "is not"
            raise EditError(f"the tiddler {edit.title!r} {there} there")
        fields = dict(after.pop(edit.title, {}))
        if edit.kind == "delete":
            continue
        title = edit.to or edit.title
        if title in after:
            raise EditError(f"the tiddler {title!r} is there")
        fields |= {"title": title, **dict(edit.fields)}
        if edit.text is not None:
            fields["text"] = edit.text.strip()
        fields["tags"] = sorted({*fields.get("tags", ()), *edit.tags} - {*edit.untags})
        after[title] = {name: value for name, value in fields.items() if value}
    return after


def changes(before: State, after: State) -> dict[str, Any]:
    """Return what changed between two states, in the form of `snellen.grading`'s `Changes`.

    Args:
        before: The earlier state.
        after: The later state.

    Returns:
        `changed`: [value before, value after] by title and field; a missing value is null.
        `added` and `removed`: the tiddlers, sorted by their JSON, under `tiddlers`. A tiddler of
        another title is a removed and an added one.
    """
    changed = {
        f"{title}.{name}": [fields.get(name), after[title].get(name)]
        for title, fields in sorted(before.items())
        if title in after
        for name in sorted({*fields, *after[title]})
        if fields.get(name) != after[title].get(name)
    }
    added = _tiddlers(after, before)
    removed = _tiddlers(before, after)
    return {
        "changed": changed,
        "added": {"tiddlers": added} if added else {},
        "removed": {"tiddlers": removed} if removed else {},
    }


def _tiddlers(state: State, other: State) -> list[Tiddler]:
    found = [fields for title, fields in state.items() if title not in other]
    return sorted(found, key=lambda fields: msgspec.json.encode(fields, order="deterministic"))
