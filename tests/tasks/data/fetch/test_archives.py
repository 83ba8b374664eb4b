"""Unpacking what came from elsewhere."""

import shutil
import stat
import zipfile
from pathlib import Path
from typing import NamedTuple

import pytest

from snellen.tasks.data.fetch.archives import absent, unpack
from snellen.tasks.data.fetch.faults import FetchError


def zipped(
    tmp_path: Path, files: dict[str, bytes | str], method: int = zipfile.ZIP_DEFLATED
) -> Path:
    path = tmp_path / "archive.zip"
    with zipfile.ZipFile(path, "w", method) as opened:
        for name, data in files.items():
            opened.writestr(name, data)
    return path


class Usage(NamedTuple):
    """What `shutil.disk_usage` returns."""

    total: int
    used: int
    free: int


def no_room(_: object) -> Usage:
    return Usage(10**6, 1, 999_999)


def test_files_come_out_whole_and_litter_does_not(tmp_path: Path) -> None:
    files = {"a/b.png": b"b" * 5000, "c.png": b"c", "__MACOSX/._c.png": b"", "a/.DS_Store": b""}
    assert unpack(zipped(tmp_path, {**files, "empty/": b""}), tmp_path) == 2
    assert (tmp_path / "a/b.png").read_bytes() == b"b" * 5000
    assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file()) == [
        "archive.zip",
        "b.png",
        "c.png",
    ]


def test_what_is_there_is_left_and_what_was_cut_off_is_not(tmp_path: Path) -> None:
    archive = zipped(tmp_path, {"whole.png": b"12345", "cut.png": b"12345"})
    (tmp_path / "whole.png").write_bytes(b"54321")
    (tmp_path / "cut.png").write_bytes(b"123")
    assert unpack(archive, tmp_path) == 2
    assert (tmp_path / "whole.png").read_bytes() == b"54321"
    assert (tmp_path / "cut.png").read_bytes() == b"12345"


@pytest.mark.parametrize(
    "name",
    [
        "../evil",
        "/evil",
        "a/../../evil",
        "..\\evil",
        "C:evil",
        "C:\\evil",
        "\\evil",
        "a\\evil",
        "a/C:evil",
    ],
)
def test_nothing_is_written_outside_of_the_folder(tmp_path: Path, name: str) -> None:
    into = tmp_path / "in"
    into.mkdir()
    archive = zipped(tmp_path, {"good.png": b"good", name: b"evil"})
    with pytest.raises(FetchError, match="would lie outside the folder"):
        unpack(archive, into)
    assert list(into.iterdir()) == []
    assert [path.name for path in tmp_path.iterdir()].count("evil") == 0


@pytest.mark.parametrize("name", ["snellen-fetch.json", "a/.snellen-fetch.lock"])
def test_nothing_is_written_over_a_file_of_snellens_own(tmp_path: Path, name: str) -> None:
    with pytest.raises(FetchError, match="is called like a file of snellen's own"):
        unpack(zipped(tmp_path, {"good.png": b"good", name: b"evil"}), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["archive.zip"]


def test_links_are_refused(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("link")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    path = tmp_path / "archive.zip"
    with zipfile.ZipFile(path, "w") as opened:
        opened.writestr(link, "/etc/passwd")
    with pytest.raises(FetchError, match="'link' in it is a link"):
        unpack(path, tmp_path)


def test_encrypted_files_are_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path, {"a.png": b"a"})
    data = bytearray(path.read_bytes())
    data[data.rindex(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    with pytest.raises(FetchError, match="is encrypted"):
        unpack(path, tmp_path)


def test_what_there_is_no_room_for_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = zipped(tmp_path, {"bomb": b"\0" * 1_000_000})
    monkeypatch.setattr(shutil, "disk_usage", no_room)
    with pytest.raises(FetchError, match=r"unpacks to 1,000,000 bytes more"):
        unpack(archive, tmp_path)


@pytest.mark.parametrize("cut", [10, -30])
def test_a_damaged_archive_is_named(tmp_path: Path, cut: int) -> None:
    path = zipped(tmp_path, {"a.png": b"a" * 500})
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(FetchError, match=r"archive\.zip can't be unpacked"):
        unpack(path, tmp_path)


@pytest.mark.parametrize(
    "method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
)
@pytest.mark.parametrize("place", [40, 45, 100])
def test_a_damaged_member_leaves_no_file(tmp_path: Path, method: int, place: int) -> None:
    path = zipped(tmp_path, {"a.png": bytes(range(256)) * 20}, method)
    data = bytearray(path.read_bytes())
    data[place : place + 8] = b"\xff" * 8
    path.write_bytes(data)
    with pytest.raises(FetchError, match="can't be unpacked"):
        unpack(path, tmp_path)
    assert [one.name for one in tmp_path.iterdir()] == ["archive.zip"]


def test_a_name_that_is_no_text_is_told(tmp_path: Path) -> None:
    path = zipped(tmp_path, {"\u00e9.png": b"a"})
    path.write_bytes(path.read_bytes().replace("\u00e9".encode(), b"\xff\xff"))
    with pytest.raises(FetchError, match="can't be unpacked"):
        unpack(path, tmp_path)


def test_what_is_gone_or_of_another_size_since_is_named(tmp_path: Path) -> None:
    archive = zipped(tmp_path, {"a/gone.png": b"1", "cut.png": b"22", "whole.png": b"333"})
    unpack(archive, tmp_path)
    assert absent(archive, tmp_path) == []
    (tmp_path / "a/gone.png").unlink()
    (tmp_path / "cut.png").write_bytes(b"2")
    assert absent(archive, tmp_path) == ["a/gone.png", "cut.png"]
    archive.write_bytes(b"no archive")
    with pytest.raises(FetchError, match="can't be read"):
        absent(archive, tmp_path)
