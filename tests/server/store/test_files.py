"""Uploads as files in a folder."""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from hosted import NOON, Hosted

from snellen.server.challenge.service import Challenge
from snellen.server.challenge.workers import Worker
from snellen.server.errors import StoreError
from snellen.server.store.files import Files
from snellen.tasks.hosted import JobState


def test_what_is_put_is_there_and_the_same_bytes_are_kept_once(place: str) -> None:
    files = Files(place)
    first, again = files.put("ada", b"some bytes"), files.put("ada", b"some bytes")
    assert first == again
    assert first.endswith(f"/{sha256(b'some bytes').hexdigest()}")
    assert files.put("ada", b"") != first
    # Another server on the same place sees them.
    assert Files(place).get(first) == b"some bytes"


def test_what_is_not_there_is_a_fault_of_the_store(place: str) -> None:
    with pytest.raises(StoreError, match="is missing: restore it from a copy") as caught:
        Files(place).get("never/put")
    assert not caught.value.again


def test_an_owners_files_are_removed_and_the_same_bytes_of_another_stay(place: str) -> None:
    files = Files(place)
    names = [files.put("ada", body) for body in (b"some bytes", b"more")]
    other = files.put("bob", b"some bytes")
    for _ in range(2):
        files.remove("ada")
    for name in names:
        with pytest.raises(StoreError, match="is missing"):
            files.get(name)
    assert files.get(other) == b"some bytes"


def test_a_folder_that_is_away_may_be_back_later(tmp_path: Path) -> None:
    files = Files(str(tmp_path / "files"))
    name = files.put("ada", b"some bytes")
    away = (tmp_path / "files").rename(tmp_path / "away")
    with pytest.raises(StoreError, match="can't be reached") as caught:
        files.get(name)
    assert caught.value.again
    away.rename(tmp_path / "files")
    assert files.get(name) == b"some bytes"


def test_what_a_crash_left_half_written_is_written_again(tmp_path: Path) -> None:
    files = Files(str(tmp_path))
    name = files.put("ada", b"some bytes")
    (kept,) = (path for path in tmp_path.rglob("*") if path.is_file())
    kept.write_bytes(b"some")
    with pytest.raises(StoreError, match="damaged"):
        files.get(name)
    assert files.put("ada", b"some bytes") == name
    assert files.get(name) == b"some bytes"


def test_a_place_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(StoreError, match="files can't be stored there"):
        Files(str(tmp_path / "file" / "folder"))


@pytest.mark.slow
async def test_an_upload_is_graded_and_given_back_from_there_and_the_store_has_its_digest_alone(
    hosted: Callable[..., Hosted], place: str
) -> None:
    here = hosted()
    file = here.challenge.file.model_copy(update={"files": place})
    here.challenge = Challenge(
        file, here.host.service.exam, here.challenge.references, here.host.database
    )
    await here.challenge.begin()
    body = '{"item_id": "1", "response": "a long answer"}\n'
    kept = await here.upload("ada", body, at=NOON)
    row, parts = here.submissions.file_of(kept.id, "ada")
    assert (row.size, [part.body for part in parts]) == (len(body), [b""])
    assert await here.submissions.bytes_of(parts) == body.encode()
    worker = Worker(here.challenge, here.settings)
    try:
        assert worker.step()
    finally:
        worker.close()
    # The file has been read: what is wrong with it is said.
    assert here.submissions.status(kept.id, "ada").state in {
        JobState.GRADED,
        JobState.FAILED,
    }
    # A server whose exam file lost the place says what to write.
    lost = Challenge(
        file.model_copy(update={"files": ""}),
        here.host.service.exam,
        here.challenge.references,
        here.host.database,
    )
    with pytest.raises(StoreError, match="set `files`"):
        await lost.submissions.bytes_of(parts)


async def test_an_upload_that_can_t_be_kept_takes_no_quota_and_leaves_no_row(
    hosted: Callable[..., Hosted], tmp_path: Path
) -> None:
    here = hosted(uploads=1)
    folder = tmp_path / "files"
    file = here.challenge.file.model_copy(update={"files": str(folder)})
    exam, references = here.host.service.exam, here.challenge.references
    here.challenge = Challenge(file, exam, references, here.host.database)
    await here.challenge.begin()
    folder.rmdir()
    folder.write_text("in the way")
    with pytest.raises(StoreError, match="nothing was stored"):
        await here.upload("ada")
    assert here.submissions.listed("ada", limit=5) == []
    folder.unlink()
    folder.mkdir()
    await here.upload("ada")


@pytest.mark.slow
async def test_a_job_whose_file_can_t_be_read_for_a_moment_is_graded_afterwards(
    hosted: Callable[..., Hosted], tmp_path: Path
) -> None:
    here = hosted(uploads=1)
    folder = tmp_path / "files"
    file = here.challenge.file.model_copy(update={"files": str(folder)})
    here.challenge = Challenge(
        file, here.host.service.exam, here.challenge.references, here.host.database
    )
    await here.challenge.begin()
    kept = await here.upload("ada", "no JSON")
    away = folder.rename(tmp_path / "away")
    worker = Worker(here.challenge, here.settings, pause_seconds=0)
    try:
        assert worker.step()
        assert here.submissions.status(kept.id, "ada").tries == 1
        away.rename(folder)
        assert worker.step()
    finally:
        worker.close()
    assert here.submissions.status(kept.id, "ada").state is JobState.FAILED
