"""The pages of a folder."""

import re
from pathlib import Path

import pytest

from snellen.build.pages import find_pages
from snellen.grading.errors import InputError


def put(root: Path, *names: str) -> Path:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("<p>here</p>")
    return root


def ids(root: Path) -> list[str]:
    return [page.id for page in find_pages(root).pages]


def test_a_folder_with_pages_of_its_own_is_one_site(tmp_path: Path) -> None:
    root = put(tmp_path / "shop", "index.html", "items/one.htm", "style.css")
    assert ids(root) == ["shop/index", "shop/items-one"]


def test_folders_that_each_have_pages_are_sites(tmp_path: Path) -> None:
    root = put(tmp_path, "a/index.html", "b/index.html", "b/deep/more.xhtml")
    assert ids(root) == ["a/index", "b/index", "b/deep-more"]
    assert {page.root.name for page in find_pages(root).pages} == {"a", "b"}


def test_a_package_is_a_site_wherever_its_pages_are(tmp_path: Path) -> None:
    root = put(tmp_path, "a/package.json", "a/pages/index.html", "b/package.json", "b/x/y/z.html")
    assert ids(root) == ["a/pages-index", "b/x-y-z"]
    assert {page.root.name for page in find_pages(root).pages} == {"a", "b"}


def test_beside_sites_a_folder_whose_pages_lie_further_down_is_a_site(tmp_path: Path) -> None:
    root = put(tmp_path, "a/index.html", "b/index.html", "c/docs/en/start.html", "d/readme.txt")
    assert ids(root) == ["a/index", "b/index", "c/docs-en-start"]


def test_a_single_folder_with_pages_keeps_what_lies_beside_it_in_reach(tmp_path: Path) -> None:
    root = put(tmp_path / "kit", "production/index.html", "vendors/x/readme.txt")
    (page,) = find_pages(root).pages
    assert (page.id, page.root) == ("kit/production-index", root.resolve())


def test_of_two_pages_with_one_name_the_second_is_skipped_and_named(tmp_path: Path) -> None:
    root = put(tmp_path / "shop", "index.htm", "index.html")
    found = find_pages(root)
    assert [page.path.name for page in found.pages] == ["index.htm"]
    assert found.skipped == [("index.html", "index.htm has the same name without its suffix")]


def test_a_link_that_leads_out_of_the_site_is_skipped_and_named(tmp_path: Path) -> None:
    root = put(tmp_path / "shop", "index.html")
    (tmp_path / "secret.html").write_text("secret")
    (root / "leak.html").symlink_to(tmp_path / "secret.html")
    found = find_pages(root)
    assert [page.id for page in found.pages] == ["shop/index"]
    assert found.skipped == [("leak.html", "a link leads out of the site")]


@pytest.mark.parametrize(
    "name", ["größe & more.html", "%23 hash#.html", "页面.html", "x" * 90 + ".html"]
)
def test_any_name_of_a_file_becomes_one_that_is_safe_everywhere(tmp_path: Path, name: str) -> None:
    (page,) = find_pages(put(tmp_path / "s", name)).pages
    assert page.page.replace("-", "").replace("_", "").isalnum()
    assert page.page.isascii()
    assert len(page.page) <= 80


def test_names_that_are_safe_only_in_part_stay_apart(tmp_path: Path) -> None:
    assert len(set(ids(put(tmp_path / "s", "页.html", "面.html", "a b.html", "a-b.html")))) == 4


def test_hidden_files_and_folders_are_passed_over(tmp_path: Path) -> None:
    assert ids(put(tmp_path / "s", "a.html", ".b.html", ".git/c.html")) == ["s/a"]


def test_a_folder_without_pages_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="it has no pages"):
        find_pages(put(tmp_path, "readme.md"))
    with pytest.raises(InputError, match="no such folder"):
        find_pages(tmp_path / "nowhere")


def test_what_items_call_a_page_says_nothing_of_it(tmp_path: Path) -> None:
    pages = find_pages(put(tmp_path, "bank/login.html", "shop/login.html")).pages
    assert len({page.site_code for page in pages}) == len({page.page_code for page in pages}) == 2
    for page in pages:
        assert re.fullmatch(r"s[0-9a-f]{8} p[0-9a-f]{8}", f"{page.site_code} {page.page_code}")
