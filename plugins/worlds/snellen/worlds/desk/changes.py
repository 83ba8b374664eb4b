"""Compare two states of a world."""

from collections.abc import Mapping
from typing import Any, cast

import msgspec

from snellen.worlds.desk.kit.verbs import State

Changes = dict[str, Any]


def changes(before: State, after: State) -> Changes:
    """Return what changed between two states, as canonical JSON.

    New objects are compared by their content, not by their ids or their order: the id of a new
    object is replaced everywhere by its collection's name in angle brackets.

    Args:
        before: The earlier state.
        after: The later state.

    Returns:
        `changed`: [value before, value after] by path; a missing value is null. `added` and
        `removed`: the objects, sorted by their JSON, by the path of their collection.
    """
    # A line of a cart has the id of its product, which is not new.
    known = {key for _, collection in _collections(before) for key in collection}
    new = {
        key: f"<{path}>"
        for path, collection in _collections(after)
        for key in collection
        if key not in known
    }
    changed: dict[str, Any] = {}
    added: dict[str, Any] = {}
    removed: dict[str, Any] = {}
    paths = {path for state in (before, after) for path, _ in _collections(state)}
    for path in sorted(paths):
        old, now = _collection(before, path), _collection(after, path)
        fresh = [_renamed(now[key], new) for key in now if key not in old]
        if fresh:
            added[path] = sorted(fresh, key=_canonical)
        gone = [old[key] for key in old if key not in now]
        if gone:
            removed[path] = sorted(gone, key=_canonical)
        for key in old:
            # Equal objects contain no new ids.
            if key in now and old[key] != now[key]:
                changed |= _differences(f"{path}.{key}", old[key], _renamed(now[key], new))
    if before.get("clock") != after.get("clock"):
        changed["clock"] = [before.get("clock"), after.get("clock")]
    return {"changed": dict(sorted(changed.items())), "added": added, "removed": removed}


def _collections(state: State) -> list[tuple[str, Mapping[str, Any]]]:
    return [
        (f"{app}.{name}", cast(State, collection))
        for app, collections in state.items()
        if isinstance(collections, dict)
        for name, collection in cast(State, collections).items()
        if isinstance(collection, dict)
    ]


def _collection(state: State, path: str) -> Mapping[str, Any]:
    app, _, name = path.partition(".")
    return state.get(app, {}).get(name, {})


def _differences(path: str, old: Any, now: Any) -> dict[str, Any]:  # noqa: ANN401  # JSON
    if old == now:
        return {}
    if not isinstance(old, dict) or not isinstance(now, dict):
        return {path: [old, now]}
    parts, others = cast(State, old), cast(State, now)
    found: dict[str, Any] = {}
    for key in {**parts, **others}:
        found |= _differences(f"{path}.{key}", parts.get(key), others.get(key))
    return found


def _renamed(value: Any, new: Mapping[str, str]) -> Any:  # noqa: ANN401  # JSON
    if isinstance(value, str):
        return new.get(value, value)
    if isinstance(value, dict):
        return {key: _renamed(part, new) for key, part in cast(State, value).items()}
    if isinstance(value, list):
        return [_renamed(part, new) for part in cast(list[Any], value)]
    return value


def _canonical(value: object) -> bytes:
    return msgspec.json.encode(value, order="deterministic")
