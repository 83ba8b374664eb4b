"""`read_tags`: a small table that says more of the items, joined to them by a key."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.errors import InputError
from snellen.sdk.inputs.tags import read_tags

pl = pytest.importorskip("polars")

IDS = ["test/1/0", "test/1/1", "test/2/0", "test/3/0"]
KNOWN = {"image_id": ["1", "1", "2", "3"], "prompt": ["short", "short", "short", None]}


def csv_file(folder: Path, text: str, name: str = "tags.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_tags_are_joined_by_item(tmp_path: Path) -> None:
    path = csv_file(tmp_path, "item_id,level,icon\ntest/2/0,easy,yes\ntest/1/1,hard,\n")
    table = read_tags(path, IDS, KNOWN)
    assert table.key == "item_id"
    assert table.names == ("level", "icon")
    assert table.columns == {
        "level": [None, "hard", "easy", None],
        "icon": [None, None, "yes", None],
    }
    assert (table.covered("level"), table.covered("icon")) == (2, 1)
    assert (table.items, table.matched_items, table.rows, table.stray) == (4, 2, 2, ())


def test_tags_are_joined_by_a_tag_that_the_items_have(tmp_path: Path) -> None:
    path = csv_file(tmp_path, "app\timage_id\nMaps\t1\nMail\t3\n", "tags.tsv")
    table = read_tags(path, IDS, KNOWN)
    assert table.key == "image_id"
    assert table.columns == {"app": ["Maps", "Maps", None, "Mail"]}


def test_all_tags_are_those_that_were_there_and_the_new_ones() -> None:
    table = read_tags([{"image_id": 1, "app": "Maps"}], IDS, KNOWN)
    assert list(table.joined(KNOWN)) == ["image_id", "prompt", "app"]


def test_coverage_counts_what_found_nothing_on_either_side() -> None:
    rows = [{"image_id": key, "app": "Maps"} for key in ("1", "7", "8", "9", "10", "7")]
    table = read_tags(rows, IDS, KNOWN)
    assert table.stray == ("7", "8", "9", "10")
    assert table.coverage == (
        "joined by image_id: 2 of 4 items have a row; 4 of 5 rows are for no item"
        " ('7', '8', '9', ...). app: 2."
    )


def test_a_whole_table_says_so() -> None:
    rows = [{"image_id": key, "app": "Maps"} for key in "123"]
    assert read_tags(rows, IDS, KNOWN).coverage == (
        "joined by image_id: 4 of 4 items have a row. app: 4."
    )


def test_an_item_without_the_key_has_no_row() -> None:
    table = read_tags([{"prompt": "short", "words": 5}], IDS, {"prompt": KNOWN["prompt"]})
    assert table.columns == {"words": ["5", "5", "5", None]}
    assert table.matched_items == 3


def test_every_kind_of_source_says_the_same(tmp_path: Path) -> None:
    rows = [{"item_id": "test/1/0", "level": 1}, {"item_id": "test/2/0", "level": 2}]
    path = tmp_path / "tags.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    by_id = {str(row["item_id"]): {"level": row["level"]} for row in rows}
    sources: list[Any] = [path, str(path), rows, by_id, pd.DataFrame(rows), pl.DataFrame(rows)]
    for source in sources:
        assert read_tags(source, IDS, KNOWN).columns == {"level": ["1", None, "2", None]}


def test_whole_numbers_with_a_gap_in_a_frame_stay_whole() -> None:
    frame = pd.DataFrame({"image_id": [1.0, 2.0, 3.0], "depth": [4, None, 6]})
    assert read_tags(frame, IDS, KNOWN).columns == {"depth": ["4", "4", None, "6"]}


def test_equal_rows_of_one_key_are_one() -> None:
    rows = [{"image_id": "1", "app": "Maps"}, {"image_id": 1, "app": " Maps "}]
    assert read_tags(rows, IDS, KNOWN).rows == 1


def test_a_column_that_repeats_a_known_tag_is_checked_and_left_out() -> None:
    rows = [{"item_id": "test/2/0", "image_id": 2, "app": "Mail"}]
    assert read_tags(rows, IDS, KNOWN).names == ("app",)


def test_the_key_can_be_named() -> None:
    rows = [{"image_id": "1", "prompt": "short", "app": "Maps"}]
    table = read_tags(rows, IDS, KNOWN, key="image_id")
    assert (table.key, table.names) == ("image_id", ("app",))


@given(
    st.dictionaries(st.sampled_from([*IDS, "stray"]), st.sampled_from(["easy", "hard"]), min_size=1)
)
def test_a_join_is_a_lookup(levels: dict[str, str]) -> None:
    rows = [{"item_id": item, "level": level} for item, level in levels.items()]
    if set(levels) == {"stray"}:
        with pytest.raises(InputError, match="no row belongs to an item"):
            read_tags(rows, IDS, KNOWN)
        return
    table = read_tags(rows, IDS, KNOWN)
    assert table.columns["level"] == [levels.get(item) for item in IDS]
    assert table.matched_items == table.covered("level") == len(levels.keys() & set(IDS))
    assert table.stray == tuple(item for item in levels if item == "stray")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "item_id,level\ntest/1/0,easy\n\ntest/1/0,hard\n",
            "tags.csv, line 4, field 'level': item_id 'test/1/0' is also on line 2 with"
            " another level; keep one",
        ),
        ("item_id,level\n,easy\n", "tags.csv, line 2, field 'item_id': the key is empty"),
        (
            "site,level\na.com,easy\n",
            "tags.csv: no column can be joined by: found site, level; name one item_id, or as a"
            " tag of the items: image_id, prompt",
        ),
        (
            "image_id,prompt,level\n1,short,easy\n",
            "tags.csv: several columns are tags that the items have: image_id, prompt; keep the"
            " one to join by, or name it as key=",
        ),
        ("item_id\ntest/1/0\n", "tags.csv: it has no tag besides item_id"),
        (
            "item_id,level\n5,easy\n",
            "tags.csv, field 'item_id': no row belongs to an item: its keys look like '5', the"
            " items' like 'test/1/0'",
        ),
        (
            "item_id,image_id\ntest/1/0,2\n",
            "tags.csv, field 'image_id': the items have a tag of that name, and item 'test/1/0'"
            " has '1' where this says '2'; rename the column",
        ),
        ("item_id,level\ntest/1/0,a,b\n", "tags.csv, line 2: the row has 3 cells"),
    ],
)
def test_what_can_not_be_joined_is_an_error_that_says_what_to_do(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        read_tags(csv_file(tmp_path, text), IDS, KNOWN)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("source", "key", "message"),
    [
        (
            [{"item_id": "test/1/0", "level": ["easy", "hard"]}],
            None,
            "line 1, field 'level': a value of type list is not one text or number; a tag has",
        ),
        ([{"item_id": "test/1/0", "level": 1}], "site", "field 'site': there is no such column"),
        (
            [{"item_id": "test/1/0", "level": 1}],
            "level",
            "field 'level': the items have no tag of that name to join by; they have: image_id",
        ),
        ({"test/1/0": "easy"}, None, "field 'test/1/0': expected tags, name to value, not str"),
        ({}, None, "it has no rows"),
    ],
)
def test_what_was_given_in_memory_is_looked_at_as_well(
    source: Any, key: str | None, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        read_tags(source, IDS, KNOWN, key=key)
    assert message in str(caught.value)
