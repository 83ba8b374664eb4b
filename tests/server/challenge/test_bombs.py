"""Files that are to exhaust what grades them: each fails, and the next is graded."""

import asyncio
import gzip
import io
import json
import zipfile
import zlib
from collections.abc import Callable, Mapping
from hashlib import sha256
from importlib import import_module
from typing import Any

import pytest
from hosted import Hosted, as_lines

from snellen.server.challenge.models import UploadBody
from snellen.server.challenge.workers import Worker
from snellen.tasks.hosted import JobState

pytestmark = pytest.mark.thorough

Hosting = Callable[..., Hosted]
MIB = 1 << 20
SECONDS = 40.0


def gzip_of_zeros() -> bytes:
    """Eight GiB of one line, in members of a gzip file."""
    return gzip.compress(bytes(64 * MIB)) * 128


def gzip_of_lines() -> bytes:
    """More lines than can be read in time."""
    line = b'{"item_id": "nowhere", "response": "x"}\n'
    return gzip.compress(line * (32 * MIB // len(line)), 1) * 128


def gzip_of_a_zip() -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("answers.jsonl", bytes(64 * MIB))
    return gzip.compress(whole.getvalue())


def deep_json() -> bytes:
    return b'[{"item_id": "x", "response": ' + b"[" * MIB


def deep_line() -> bytes:
    return b'{"item_id": "x", "response": ' + b"[" * MIB + b"]" * MIB + b"}\n"


def long_number() -> bytes:
    return b'{"item_id": "x", "response": "y", "attempt": ' + b"9" * (8 * MIB) + b"}\n"


def long_line() -> bytes:
    return json.dumps({"item_id": "x", "response": "y" * (60 * MIB)}).encode()


def wide_csv() -> bytes:
    return b"item_id,response," + b",".join(b"c%d" % n for n in range(1_000_000)) + b"\nx,y\n"


def wide_parquet() -> bytes:
    return _parquet({f"c{number}": [1] for number in range(20_000)})


def heavy_parquet() -> bytes:
    """A million times the same long text, which the file holds once."""
    arrays: Any = import_module("pyarrow")
    indices = arrays.array([0] * 1_000_000)
    columns = {"item_id": "x", "response": "y" * MIB}
    from_arrays = arrays.DictionaryArray.from_arrays
    return _parquet({name: from_arrays(indices, [text]) for name, text in columns.items()})


def _parquet(columns: Mapping[str, object]) -> bytes:
    arrays: Any = import_module("pyarrow")
    parquet: Any = import_module("pyarrow.parquet")
    sink = io.BytesIO()
    parquet.write_table(arrays.table(columns), sink)
    return sink.getvalue()


BOMBS = [
    (gzip_of_zeros, ".jsonl.gz"),
    (gzip_of_lines, ".jsonl.gz"),
    (gzip_of_a_zip, ".jsonl.gz"),
    (deep_json, ".json"),
    (deep_line, ".jsonl"),
    (long_number, ".jsonl"),
    (long_line, ".jsonl"),
    (wide_csv, ".csv"),
    (wide_parquet, ".parquet"),
    (heavy_parquet, ".parquet"),
]


@pytest.mark.parametrize("either_store", ["sqlite"], indirect=True)
@pytest.mark.parametrize(("bomb", "form"), BOMBS, ids=[make.__name__ for make, _ in BOMBS])
async def test_a_bomb_fails_with_a_reason_and_the_next_file_is_graded(
    hosted: Hosting, right: Mapping[str, str], bomb: Callable[[], bytes], form: str
) -> None:
    here = hosted()
    await here.challenge.begin()
    body = bomb()
    assert len(body) < here.challenge.file.longest_upload
    kept = await here.upload(
        body=UploadBody([zlib.compress(body, 1)], sha256(body).digest(), len(body)), form=form
    )
    await here.upload("bob", as_lines(right))
    worker = Worker(here.challenge, here.settings, job_seconds=SECONDS)
    try:
        assert [await asyncio.to_thread(worker.step) for _ in range(3)] == [True, True, False]
    finally:
        worker.close()
    found = here.submissions.status(kept.id, "ada")
    assert (found.state, found.tries) == (JobState.FAILED, 1), found
    assert found.error
    assert len(found.error) < 2000
    (good,) = here.submissions.listed("bob")
    assert good.state is JobState.GRADED
