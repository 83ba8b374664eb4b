"""What is written down of a fetch."""

import hashlib
import subprocess
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from snellen.tasks.data.fetch.manifest import (
    FetchedFile,
    Manifest,
    changes,
    digests_of,
    read_manifest,
    write_manifest,
)


def manifest_of(folder: Path, *names: str) -> Manifest:
    files = [FetchedFile(name, *digests_of(folder / name)[:2]) for name in names]
    return Manifest(benchmark="b", repository="h/o/n", revision="c" * 40, files=tuple(files))


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    assert read_manifest(tmp_path) is None
    (tmp_path / "a").write_bytes(b"a")
    given = manifest_of(tmp_path, "a")
    write_manifest(tmp_path, given)
    assert read_manifest(tmp_path) == given
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "snellen-fetch.json"]


@given(st.binary(max_size=5000))
def test_digests_are_those_of_git_and_hashlib(data: bytes) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "file")
        path.write_bytes(data)
        found = digests_of(path)
    assert found.size == len(data)
    assert found.sha256 == hashlib.sha256(data).hexdigest()
    assert found.git_blob == hashlib.sha1(f"blob {len(data)}\0".encode() + data).hexdigest()


def test_a_blob_is_called_as_git_calls_it(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"what git says\n")
    said = subprocess.run(
        ["git", "hash-object", "--no-filters", "file"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert digests_of(tmp_path / "file").git_blob == said.stdout.strip()


def test_every_way_of_changing_is_told(tmp_path: Path) -> None:
    for name in ("same", "longer", "other", "gone"):
        (tmp_path / name).write_bytes(b"12345")
    manifest = manifest_of(tmp_path, "same", "longer", "other", "gone")
    (tmp_path / "longer").write_bytes(b"123456")
    (tmp_path / "other").write_bytes(b"54321")
    (tmp_path / "gone").unlink()
    assert dict(changes(tmp_path, manifest)) == {
        "longer": "holds 6 bytes, and 5 were fetched",
        "other": "holds as many bytes as were fetched, but others",
        "gone": "was fetched and is gone",
    }
