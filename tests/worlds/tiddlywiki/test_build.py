"""The empty wiki is made of the installed package, or what is missing is said."""

from pathlib import Path

import pytest
from wikis import needs_package

from snellen.grading.errors import InputError
from snellen.worlds.packs import make_episode_pack
from snellen.worlds.tiddlywiki.build import VARIABLE, build_wiki, wiki_html


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SNELLEN_HOME", str(tmp_path))
    return tmp_path / "tiddlywiki"


def test_without_the_package_it_is_said_how_to_install_it(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(VARIABLE, raising=False)
    with pytest.raises(
        InputError, match=r"npm install tiddlywiki@\d+\.\d+\.\d+`.* in SNELLEN_TIDDLYWIKI"
    ):
        make_episode_pack("tiddlywiki", tmp_path / "pack", seed=1)
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    with pytest.raises(InputError, match=r"which has no tiddlywiki\.js: install it with"):
        wiki_html("0" * 64)
    assert not home.exists()


@needs_package
def test_a_wiki_is_made_once_and_found_by_its_digest(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest = build_wiki()
    assert [file.name for file in home.iterdir()] == [f"{digest}.html"]
    assert build_wiki() == digest
    monkeypatch.setenv(VARIABLE, "/nowhere")
    assert 'name="application-name" content="TiddlyWiki"' in wiki_html(digest)


@needs_package
def test_what_is_kept_and_damaged_is_made_anew_and_another_version_is_refused(home: Path) -> None:
    digest = build_wiki()
    (home / f"{digest}.html").write_text("damaged")
    assert len(wiki_html(digest)) > 1_000_000
    with pytest.raises(InputError, match=f"the wiki 000000000000, .* makes {digest[:12]}"):
        wiki_html("0" * 64)
