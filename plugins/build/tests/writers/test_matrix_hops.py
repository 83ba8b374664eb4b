"""Questions of several hops, from hand-made pages."""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from witness import all_items, evidence_against
from witness.builds import open_build
from witness.faults import Fault

from snellen.build.build import BuildSettings
from snellen.build.items import Made, PageItems, make_items
from snellen.build.questions.arithmetic import conditioned
from snellen.build.snapshots import Change, ChangedElement, Snapshot, write_snapshot
from snellen.build.writers.matrix.hops import make_hops, paired
from snellen.build.writers.matrix.write import MAKERS, write_data
from snellen.tasks.benchmarks.matrix.load import load
from snellen.tasks.pack.read import open_pack, open_references
from snellen.tasks.pack.write import Part, write_pack

Freeze = Callable[..., Snapshot]
Blank = Callable[[], Any]
FEES = {"Oslo": 40, "Rome": 95, "Bern": 20, "Kyiv": 31, "Riga": 70, "Bonn": 55}
OPEN = {"Oslo": "open", "Rome": "full", "Bern": "full", "Kyiv": "open", "Riga": "open"}


def halls(blank: Blank) -> Any:
    rows = [[name, f"${fee}", OPEN.get(name, "shut")] for name, fee in FEES.items()]
    return blank().table(["Hall", "Fee", "State"], *rows)


def test_a_condition_excludes_the_row_that_a_shorter_path_leads_to(
    blank: Blank, freeze: Freeze
) -> None:
    snapshot = freeze(halls(blank))
    texts: set[str] = set()
    for seed in range(40):
        for one in conditioned(snapshot, Random(seed)):
            pick = min if "lowest" in one.text else max
            assert one.shortcut == pick(FEES, key=FEES.__getitem__) != one.answer
            named = next((name for name in FEES if f"“{name}”" in one.text), None)
            if named is None:
                state = next(state for state in ("open", "full", "shut") if state in one.text)
                able = {name for name in FEES if OPEN.get(name, "shut") == state}
            else:
                more = "higher" in one.text
                able = {
                    name for name, fee in FEES.items() if fee != FEES[named]
                    and (fee > FEES[named]) is more
                }  # fmt: skip
                assert named not in one.names
            assert one.answer == pick(able, key=FEES.__getitem__)
            assert len(able) > 1
            texts.add(one.text)
    assert "Of the rows with “open” under “State”, which has the highest “Fee”?" in texts
    assert "Of the rows with a higher “Fee” than “Oslo”, which has the lowest “Fee”?" in texts


def test_what_the_shorter_path_leads_to_is_an_option(blank: Blank, freeze: Freeze) -> None:
    snapshot = freeze(halls(blank))
    for seed in range(40):
        one, *_ = made(snapshot, seed)
        assert one.record["shortcut"] in one.row["options"]
        assert (one.tags["hops"], one.row["level"]) == ("4", 4)


def test_a_row_that_is_called_as_an_option_is_lettered_is_not_asked_about(
    blank: Blank, freeze: Freeze
) -> None:
    rows = [[name, f"${fee}"] for name, fee in zip("ABCDEF", FEES.values(), strict=True)]
    snapshot = freeze(blank().table(["Hall", "Fee"], *rows))
    assert conditioned(snapshot, Random(1))
    assert not any("options" in one.row for one in made(snapshot))


def made(snapshot: Snapshot, seed: int = 1) -> list[Made]:
    return [one for one in make_hops(snapshot, Random(seed)) if isinstance(one, Made)]


def test_the_recolored_button_is_found_by_comparing_two_pictures(
    blank: Blank, freeze: Freeze, tmp_path: Path
) -> None:
    page = blank()
    for text in ("Save", "Send", "Print", "Print", "Share"):
        page.add(text, "button", role="button", name=text, painted=True)
    plain = freeze(page)
    button = plain.screen.elements[1]
    change = Change(
        *("webrssbench/color", "partial", "new.png", 9, 9, 1, 50),
        elements=(ChangedElement(1, button, button),),
    )
    captured = msgspec.structs.replace(plain.captured, changes=(change,))
    files = {"screen.png": plain.image(), "changes/new.png": b"other"}
    snapshot = write_snapshot(tmp_path / "changed", captured, files)
    (one,) = made(snapshot)
    assert one.row["options"]["ABCDE".index(one.row["answer"])] == "Send"
    assert set(one.row["options"]) == {"Save", "Send", "Share"}
    assert list(one.images.values()) == [plain.image(), b"other"]
    assert one.tags["hops"] == "3"


@pytest.fixture
def pages(blank: Blank, freeze: Freeze, tmp_path: Path) -> list[PageItems]:
    found: list[PageItems] = []
    for site, name, prices in (
        ("shop", "one", {"Tea": "$3.50", "Milk": "$4.20", "Cake": "$9.00"}),
        ("shop", "two", {"Lamp": "$43.50", "Desk": "$84.20", "Sofa": "$99.00"}),
        ("shop", "three", {"Kilo": "3 kg", "Pack": "4 kg", "Sack": "9 kg"}),
        ("bank", "one", {"Card": "$13.50", "Loan": "$14.20", "Fund": "$19.00"}),
    ):
        snapshot = freeze(blank().prices(**prices), site, name)
        items = make_items(snapshot, MAKERS, 7, tmp_path / "made" / site / name)
        found.append(items._replace(site=site, page=name))
    return found


def test_two_pages_of_a_site_are_compared_where_their_numbers_have_one_unit(
    pages: list[PageItems], tmp_path: Path
) -> None:
    after = paired(pages, 7)
    pairs = [
        (page.page, one)
        for page in after
        for one in page.made
        if one.tags.get("kind") == "difference of two pages"
    ]
    ((page, one),) = pairs
    first, second = (text.split("”")[0] for text in one.row["question"].split("“")[1:])
    shown = {"Tea": 3.5, "Milk": 4.2, "Cake": 9, "Lamp": 43.5, "Desk": 84.2, "Sofa": 99}
    assert one.row["answer"] == pytest.approx(shown[first] - shown[second])
    # The item belongs to the page of its first picture.
    assert page == "two"
    assert [name.split("/")[2] for name in one.row["images"]] == ["two", "one"]
    assert one.tags["hops"] == "3"
    write_data(after, tmp_path / "data")
    data = load("matrix/items", tmp_path / "data")
    assert len(data.build_item(data.index[one.row["id"]]).images) == 2
    lines = (tmp_path / "data/made.jsonl").read_text("utf-8").splitlines()
    assert {json.loads(line)["task"] for line in lines} == {"matrix/items"}


@pytest.mark.parametrize("wrong", [False, True])
def test_an_audit_finds_the_row_under_a_condition_by_itself(
    blank: Blank, freeze: Freeze, tmp_path: Path, wrong: bool
) -> None:
    plain = freeze(halls(blank))
    build = tmp_path / "build"
    snapshot = write_snapshot(
        build / "snapshots/shop/index", plain.captured, {"screen.png": plain.image()}
    )
    (build / "build.json").write_bytes(msgspec.json.encode(BuildSettings()))
    (one,) = [one for one in made(snapshot) if "shortcut" in one.record]
    if wrong:
        letter = "ABCDE"[one.row["options"].index(one.record["shortcut"])]
        one = one._replace(row={**one.row, "answer": letter})
    write_data([PageItems("shop", "index", [one], [])], tmp_path / "data")
    data = load("matrix/items", tmp_path / "data")
    write_pack([Part(data, records={one.row["id"]: one.record})], tmp_path / "pack", name="p")
    pack = open_pack(tmp_path / "pack")
    found = evidence_against(pack, all_items(pack, open_references(pack)), open_build(build))
    faults = {each.fault for evidence in found.values() for each in evidence}
    assert (Fault.WRONG_OPTION in faults) is wrong
