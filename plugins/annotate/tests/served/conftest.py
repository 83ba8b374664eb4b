"""Annotations of the sample exam, on SQLite and on PostgreSQL."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from serving import cluster as cluster
from serving import either_store as either_store
from serving import postgresql as postgresql
from serving import store as store

from snellen.annotate.service import Annotations
from snellen.server.attempts.register import Clock
from snellen.server.store.schema import open_store
from snellen.tasks.pack.read import Pack, open_pack
from snellen.tasks.samples import exam_folder

NOON = 1_767_268_800_000


@pytest.fixture(scope="session")
def exam() -> Pack:
    return open_pack(exam_folder("sample-full"))


@pytest.fixture(scope="session")
def other() -> Pack:
    return open_pack(exam_folder("wireframes"))


@pytest.fixture
def service(either_store: str, exam: Pack) -> Iterator[Annotations]:
    """Return the annotations of the sample exam, in an empty store."""
    is_file = "://" not in either_store
    database = open_store(Path(either_store) if is_file else either_store)
    yield Annotations([exam], database, Clock(now=lambda: NOON))
    database.close()
