"""What is frozen: one JSON file a subject, an entry a line, and the comparison with the present."""

import json
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

FOLDER = Path(__file__).parent / "stored"

Entries = Mapping[str, object]
"""Names to texts, digests or JSON."""

_SHOWN = 20
_LONGEST = 200
_NOTHING = "nothing"


def digest(*values: object) -> str:
    """Return the beginning of the SHA-256 of JSON values, of numbers ten digits."""
    text = json.dumps([_rounded(value) for value in values], sort_keys=True, ensure_ascii=False)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _rounded(value: Any) -> object:  # JSON
    # The last digits of a sum depend on the processor.
    match value:
        case float():
            return f"{value:.10g}"
        case dict():
            fields = cast("dict[object, object]", value)
            return {str(key): _rounded(each) for key, each in fields.items()}
        case list() | tuple():
            return [_rounded(each) for each in cast("list[object]", value)]
        case _:
            return value


def load(name: str) -> dict[str, object]:
    """Return the stored entries of a subject; none if it was never stored."""
    file = FOLDER / f"{name}.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def save(name: str, entries: Entries) -> None:
    """Store the entries of a subject."""
    text = json.dumps(entries, indent=1, sort_keys=True, ensure_ascii=False)
    (FOLDER / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def differences(name: str, present: Entries, *, below: str = "") -> str:
    """Return a line for each entry that is not as it was stored; empty if all are.

    Args:
        name: The subject.
        present: The entries that the present code gives.
        below: Compare with the stored entries whose names begin with this.
    """
    before = {key: value for key, value in load(name).items() if key.startswith(below)}
    now = json.loads(json.dumps(present))
    lines = [
        line
        for key in sorted(before.keys() | now.keys())
        for line in _changes(key, before.get(key, _NOTHING), now.get(key, _NOTHING))
    ]
    if not lines:
        return ""
    more = [f"and {len(lines) - _SHOWN} more"] if len(lines) > _SHOWN else []
    return "\n".join(
        [
            f"stored/{name}.json differs from the present in {len(lines)} places:",
            *lines[:_SHOWN],
            *more,
            "If an issue changes them on purpose, run `python tests/frozen/freeze.py`.",
        ]
    )


def _changes(path: str, before: object, now: object) -> Iterator[str]:
    """Yield a line for each part of an entry that differs, with its path."""
    if before == now:
        return
    if isinstance(before, dict) and isinstance(now, dict):
        old, new = cast("dict[str, object]", before), cast("dict[str, object]", now)
        for key in sorted(old.keys() | new.keys()):
            yield from _changes(f"{path} / {key}", old.get(key, _NOTHING), new.get(key, _NOTHING))
        return
    yield f"{path}\n    stored:  {_short(before)}\n    present: {_short(now)}"


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
