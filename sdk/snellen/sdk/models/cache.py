"""A cache of answers, so that repeated questions cost nothing."""

import hashlib
import os
import sqlite3
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import msgspec
from platformdirs import user_cache_path
from pydantic import JsonValue

from snellen.grading.errors import InputError
from snellen.grading.models.base import NO_JSON
from snellen.sdk.models.questions import Answer, Question

_LAYOUT = 1
_PATIENCE = 10.0


def default_cache() -> Path:
    """Return the cache's path: in `$SNELLEN_HOME` or the user's cache folder."""
    home = os.environ.get("SNELLEN_HOME")
    return (Path(home) if home else user_cache_path("snellen", appauthor=False)) / "answers.sqlite"


def cache_key(
    question: Question,
    *,
    api: str,
    base_url: str | None,
    model: str,
    decoding: Mapping[str, JsonValue],
    attempt: int,
) -> bytes:
    """Return a digest of everything that an answer depends on.

    This is the prompt, the bytes and order of the images, the model, its address and API, the
    decoding, and the attempt. The item's id is not included.
    """
    parts = [
        _LAYOUT,
        question.prompt,
        [hashlib.sha256(view.data).hexdigest() for view in question.images.values()],
        api,
        base_url,
        model,
        decoding,
        attempt,
    ]
    text = msgspec.json.encode(parts, order="deterministic")
    return hashlib.sha256(text).digest()


class Cache:
    """Answers by key, in one SQLite file that several processes can share.

    Raises:
        InputError: The file can't be used; the methods raise it too.
    """

    def __init__(self, path: Path) -> None:
        self._file = str(path)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._base = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
        except (OSError, sqlite3.Error) as error:
            raise self._unusable(error) from None
        try:
            # The system flushes the log: a power failure loses only the last answers.
            self._base.execute("PRAGMA journal_mode=WAL")
            self._base.execute("PRAGMA synchronous=NORMAL")
            self._base.execute(
                "CREATE TABLE IF NOT EXISTS answers (key BLOB PRIMARY KEY, answer BLOB NOT NULL)"
                " WITHOUT ROWID"
            )
        except sqlite3.Error as error:
            self._base.close()
            raise self._unusable(error) from None

    def get(self, key: bytes) -> Answer | None:
        """Return the answer under a key, or None."""
        try:
            row: tuple[bytes] | None = self._base.execute(
                "SELECT answer FROM answers WHERE key = ?", (key,)
            ).fetchone()
            return None if row is None else msgspec.json.decode(row[0], type=Answer)
        except (sqlite3.Error, *NO_JSON) as error:
            raise self._unusable(error) from None

    def put(self, key: bytes, answer: Answer) -> None:
        """Store an answer, unless the key has one."""
        try:
            self._base.execute(
                "INSERT OR IGNORE INTO answers VALUES (?, ?)",
                (key, msgspec.json.encode(asdict(answer))),
            )
        except sqlite3.Error as error:
            raise self._unusable(error) from None

    def close(self) -> None:
        """Close the file."""
        self._base.close()

    def _unusable(self, error: Exception) -> InputError:
        return InputError(
            f"the cache of answers can't be used: {error}; delete the file, or give cache=False",
            file=self._file,
        )
