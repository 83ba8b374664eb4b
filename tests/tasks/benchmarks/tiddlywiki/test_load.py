"""Tasks in a wiki are loaded from a line each, and a line that is wrong is named."""

from pathlib import Path

import pytest
from miniatures import written
from pydantic import JsonValue

from snellen.grading.errors import DataError
from snellen.grading.protocols.golds import OutcomeGold
from snellen.tasks.benchmarks.tiddlywiki.load import TASK, Row, load, write_rows
from snellen.tasks.models import World

ROW = Row(
    id="one",
    goal="Make tea.",
    tiddlers=[{"title": "Tea", "text": "Hot."}],
    wiki="0" * 64,
    gold=OutcomeGold(limit=15, reason="conflict"),
    tags={"template": "wiki-create", "difficulty": "easy", "feasible": "no"},
)


def test_an_item_knows_its_wiki_and_nothing_of_its_reference(tmp_path: Path) -> None:
    data = load(TASK, write_rows([ROW], tmp_path / "exam"))
    item = data.item("one")
    assert "Make tea." in item.prompt
    assert "15 steps" in item.prompt
    start: JsonValue = {"tiddlers": [{"title": "Tea", "text": "Hot."}], "wiki": "0" * 64}
    assert data.worlds == [World(environment="tiddlywiki", start=start, limit=15)]
    assert data.tags["template"] == ["wiki-create"]
    assert "conflict" not in item.model_dump_json() + data.worlds[0].model_dump_json()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"wiki":"0', '"wiki":"', r"line 1.*wiki"),
        ('"limit":15,', "", r"line 1.*has no limit"),
        ('"goal":"Make tea."', '"goal":""', r"line 1.*goal"),
        ('"text":"Hot."', '"text":5', r"line 1.*tiddlers"),
    ],
)
def test_a_line_that_is_no_task_is_named(tmp_path: Path, old: str, new: str, said: str) -> None:
    file = write_rows([ROW], tmp_path)
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
    with pytest.raises(DataError, match=said):
        load(TASK, file)


def test_an_id_that_comes_twice_and_a_split_that_is_not_there_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"line 2.*there twice"):
        load(TASK, write_rows([ROW, ROW], tmp_path))
    with pytest.raises(DataError, match=r"no split 'test' of tiddlywiki/l3, only 'all'"):
        load(TASK, written("tiddlywiki", tmp_path), "test")
