"""Items of one page on disk."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import msgspec
import pytest

from snellen.build.items import Made, Refused, make_items, read_items
from snellen.build.screen.elements import Screen
from snellen.build.snapshots import Captured, Snapshot
from snellen.grading.errors import DataError, InputError


@pytest.fixture
def snapshot(tmp_path: Path) -> Snapshot:
    captured = Captured("index", "shop", "index.html", Screen(10, 10, ()))
    (tmp_path / "snapshot.json").write_bytes(msgspec.json.encode(captured))
    return Snapshot(tmp_path)


def two(snapshot: Snapshot, random: Random) -> Iterator[Made | Refused]:
    number = random.randrange(1000)
    for name in ("a", "b"):
        yield Made(
            "bench/one",
            {"question": f"{name}{number}"},
            {f"{name}.png": b"the same picture"},
            {"level": "easy"},
            {"box": [0, 0, 1, 1]},
        )


def none(snapshot: Snapshot, random: Random) -> Iterator[Made | Refused]:
    yield Refused("bench/two", "no heading")


MAKERS = {"one": two, "two": none}


def test_what_was_made_is_read_again_with_its_images(snapshot: Snapshot, tmp_path: Path) -> None:
    items = make_items(snapshot, MAKERS, 7, tmp_path / "made")
    assert items == read_items(tmp_path / "made", "shop", "index")
    assert [one.tags for one in items.made] == [{"level": "easy", "pages": "real"}] * 2
    assert [dict(one.images) for one in items.made] == [
        {"a.png": b"the same picture"},
        {"b.png": b"the same picture"},
    ]
    assert items.refused == [Refused("bench/two", "no heading")]


def test_equal_images_are_one_file(snapshot: Snapshot, tmp_path: Path) -> None:
    make_items(snapshot, MAKERS, 7, tmp_path / "made")
    assert len(list((tmp_path / "made/images").iterdir())) == 1


def test_the_same_seed_makes_the_same_bytes_and_another_seed_others(
    snapshot: Snapshot, tmp_path: Path
) -> None:
    for name, seed in (("a", 7), ("b", 7), ("c", 8)):
        make_items(snapshot, MAKERS, seed, tmp_path / name)
    first, again, other = ((tmp_path / name / "made.jsonl").read_bytes() for name in "abc")
    assert first == again
    assert first != other


def test_a_maker_draws_the_same_whatever_other_makers_there_are(
    snapshot: Snapshot, tmp_path: Path
) -> None:
    alone = make_items(snapshot, {"one": two}, 7, tmp_path / "alone")
    assert alone.made == make_items(snapshot, {"two": none, "one": two}, 7, tmp_path / "both").made


def test_what_is_there_is_not_written_over(snapshot: Snapshot, tmp_path: Path) -> None:
    make_items(snapshot, MAKERS, 7, tmp_path / "made")
    with pytest.raises(InputError, match="not an empty folder"):
        make_items(snapshot, MAKERS, 7, tmp_path / "made")


def test_a_maker_that_fails_leaves_nothing_behind(snapshot: Snapshot, tmp_path: Path) -> None:
    def broken(snapshot: Snapshot, random: Random) -> Iterator[Made | Refused]:
        yield from two(snapshot, random)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        make_items(snapshot, {"broken": broken}, 7, tmp_path / "made")
    assert not (tmp_path / "made").exists()


def test_a_file_that_was_changed_is_named(snapshot: Snapshot, tmp_path: Path) -> None:
    items = make_items(snapshot, MAKERS, 7, tmp_path / "made")
    for image in (tmp_path / "made/images").iterdir():
        image.unlink()
    with pytest.raises(DataError, match=r"images/.*png"):
        items.made[0].images["a.png"]
    (tmp_path / "made/made.jsonl").write_text("{")
    with pytest.raises(DataError, match=r"made\.jsonl"):
        read_items(tmp_path / "made", "shop", "index")
