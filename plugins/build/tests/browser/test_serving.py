"""A path of an invented host leads to a file of the folder, and to nothing else."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.build.browser.serving import MAX_BYTES, Folder, host_of, url_of
from snellen.build.pages import Page
from snellen.grading.errors import InputError


@pytest.fixture
def site(tmp_path: Path) -> Path:
    root = tmp_path / "site"
    root.mkdir()
    (tmp_path / "secret.txt").write_text("secret")
    return root


def get(site: Path, path: str) -> tuple[int, bytes]:
    answer = Folder(site).answer(f"https://shop.invalid{path}")
    return answer.status, answer.body


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("a.html", "/a.html"),
        ("a.html", "/a.html?q=1&r=2#top"),
        ("two words.html", "/two%20words.html"),
        ("50% off.html", "/50%25%20off.html"),
        ("c#.html", "/c%23.html"),
        ("é字.html", "/%C3%A9%E5%AD%97.html"),
        ("a+b?.html", "/a+b%3F.html"),
        ("deep/er/a.css", "/deep/./er/a.css"),
    ],
)
def test_a_file_is_found_by_its_escaped_name(site: Path, name: str, path: str) -> None:
    file = site / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("body {}")
    assert get(site, path) == (200, b"body {}")
    page = Page("shop", "x", site, Path(name))
    assert get(site, url_of(page).removeprefix("https://shop.invalid")) == (200, b"body {}")


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/..%2fsecret.txt",
        "/..%5csecret.txt",
        "/link.txt",
        "/folder/secret.txt",
        "//etc/passwd",
        "/%2Fetc/passwd",
        "/a%00.html",
        "/nothing.html",
        "/empty/",
        "/loop",
        "/" + "a" * 5000,
        "/%ff%fe",
    ],
)
def test_what_is_outside_or_missing_is_not_found(site: Path, path: str) -> None:
    (site / "link.txt").symlink_to(site.parent / "secret.txt")
    (site / "folder").symlink_to(site.parent, target_is_directory=True)
    (site / "loop").symlink_to(site / "loop")
    (site / "empty").mkdir()
    status, body = get(site, path)
    assert status == 404
    assert b"secret" not in body


def test_a_link_inside_the_folder_is_followed(site: Path) -> None:
    (site / "a.txt").write_text("here")
    (site / "b.txt").symlink_to(site / "a.txt")
    assert get(site, "/b.txt") == (200, b"here")


def test_a_folder_shows_its_index(site: Path) -> None:
    (site / "shop").mkdir()
    (site / "shop" / "index.html").write_text("<h1>Shop</h1>")
    assert get(site, "/shop/") == (200, b"<h1>Shop</h1>")
    # Without the slash relative addresses would lead elsewhere, so a server sends one there.
    status, body = get(site, "/shop?q=1")
    assert status == 200
    assert b'content="0;url=/shop/?q=1"' in body


def test_an_index_that_leads_out_of_the_folder_is_not_shown(site: Path) -> None:
    (site / "index.html").symlink_to(site.parent / "secret.txt")
    assert get(site, "/")[0] == 404


@pytest.mark.parametrize(
    ("name", "body", "kind"),
    [
        ("a.html", "<p>é".encode(), "text/html; charset=utf-8"),
        ("a.html", "<p>é".encode("latin-1"), "text/html"),
        ("a.html", b'<meta charset="gbk"><p>', "text/html"),
        ("a.html", b"\xef\xbb\xbf<p>", "text/html"),
        ("a.HTM", b"<p>", "text/html; charset=utf-8"),
        ("a.js", b"1", "text/javascript; charset=utf-8"),
        ("a.css", b'@charset "gbk";', "text/css"),
        ("a.svg", b"<svg/>", "image/svg+xml; charset=utf-8"),
        ("a.woff2", b"\0", "font/woff2"),
        ("a.unknown", b"\0", "application/octet-stream"),
        ("a.xhtml", b'<?xml version="1.0" encoding="utf-8"?>', "application/xhtml+xml"),
    ],
)
def test_types_come_from_the_name_and_utf_8_is_said_where_nothing_is(
    site: Path, name: str, body: bytes, kind: str
) -> None:
    (site / name).write_bytes(body)
    assert Folder(site).answer(f"https://shop.invalid/{name}").type == kind


def test_a_file_too_large_for_memory_is_not_served(site: Path) -> None:
    with (site / "film.mp4").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    assert get(site, "/film.mp4")[0] == 413


def test_no_folder_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a folder of pages"):
        Folder(tmp_path / "none")


@given(st.text(min_size=1))
def test_a_host_is_a_name_that_no_name_server_knows(site: str) -> None:
    label, _, end = host_of(site).rpartition(".")
    assert end == "invalid"
    assert 1 <= len(label) <= 63
    assert all(letter.isascii() and (letter.isalnum() or letter == "-") for letter in label)
    assert not label.startswith("-")


@given(st.sets(st.text(min_size=1, max_size=4), min_size=2, max_size=6))
def test_two_sites_have_two_hosts(sites: set[str]) -> None:
    assert len({host_of(site) for site in sites}) == len(sites)
