"""A report's page links each item to its filmstrip."""

from pathlib import Path

import pytest

from snellen import sdk
from snellen.grading.errors import InputError
from snellen.sdk.page.film import Film, film_links, film_page


def films(folder: Path, *names: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "film of 1.html"
    made = [Film("desk/l3", name, "Do it.", (), "{}", (), None) for name in names]
    path.write_bytes(film_page("Attempt 1", made))
    return path


def test_a_link_leads_from_the_pages_folder_to_the_items_section(tmp_path: Path) -> None:
    film = films(tmp_path / "films", "l3-1", 'a/"&b')
    links = film_links(film, tmp_path / "pages" / "report.html", "desk/l3")
    assert links == {
        "l3-1": "../films/film%20of%201.html#desk/l3/l3-1",
        'a/"&b': "../films/film%20of%201.html#desk/l3/a/%22%26b",
    }


def test_filmstrips_of_other_episodes_or_none_are_refused(tmp_path: Path) -> None:
    film = films(tmp_path, "l3-1")
    with pytest.raises(InputError, match=r"no episodes of desk/l4: `snellen replay"):
        film_links(film, tmp_path / "report.html", "desk/l4")
    with pytest.raises(InputError, match="can't read the filmstrips"):
        film_links(tmp_path / "none.html", tmp_path / "report.html", "desk/l3")


def test_only_a_page_links_and_only_items_that_have_a_film(tmp_path: Path) -> None:
    report = sdk.grade(
        [{"item_id": "l3-1", "response": {"status": "done", "cost": 2}}],
        task="desk/l3",
        references={"l3-1": {"limit": 5}, "l3-2": {"limit": 5}},
    )
    film = films(tmp_path, "l3-1")
    page = report.save(tmp_path / "report.html", film=film).read_text(encoding="utf-8")
    assert '"film":{"0":"film%20of%201.html#desk/l3/l3-1"}' in page.replace(" ", "")
    assert "https://" not in page
    with pytest.raises(InputError, match=r"only a page \(.html\) links"):
        report.save(tmp_path / "report.json", film=film)
