"""Reports of a pack's raters, and the pack that comes of them."""

import json
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from snellen.annotate.confirm import Confirmed, confirmed, write_confirmed
from snellen.annotate.models import RaterAnswer
from snellen.annotate.report import rate
from snellen.grading.errors import DataError, InputError
from snellen.grading.models.reports import PinVerdict
from snellen.tasks.corrections.overlay import Correction
from snellen.tasks.models import TaskData
from snellen.tasks.pack.check import check_pack
from snellen.tasks.pack.format import Manifest
from snellen.tasks.pack.read import Pack, open_pack, open_references
from snellen.tasks.pack.seal import new_key
from snellen.tasks.pack.transform import write_selection
from snellen.tasks.pack.write import seal_pack, strip_pack

TEXTS, BOXES = "screenqa/short", "visualwebbench/action_ground_bbox"
Loader = Callable[[str], TaskData]


def answers(task: str, given: Mapping[str, Mapping[str, Any]], at: int = 1000) -> list[RaterAnswer]:
    """Return answers by item and rater; one that is None is skipped."""
    return [
        RaterAnswer(
            task=task,
            item_id=item,
            rater=rater,
            given=said,
            reason="" if said is not None else "too small",
            at=at + place,
        )
        for item, by_rater in given.items()
        for place, (rater, said) in enumerate(by_rater.items())
    ]


def right(data: TaskData, item: str) -> Any:
    """Return what a rater gives who is right."""
    gold = data.golds[data.index[item]]
    return list(gold.bbox) if data.task == BOXES else gold[0]


def of_two(data: TaskData, wrong: Mapping[str, Any]) -> Sequence[RaterAnswer]:
    """Return the answers of two raters who are right but for some items."""
    said = {item: wrong.get(item, right(data, item)) for item in data.ids}
    return answers(data.task, {item: {"ada": each, "bob": each} for item, each in said.items()})


def golds_of(pack: Pack, task: str, key: str | None = None) -> Mapping[str, Any]:
    return open_references(pack, key).golds[task]


@pytest.mark.slow
def test_a_reference_that_two_raters_replace_is_theirs_and_all_else_stays(
    exam: Pack, data_of: Loader, folder: Path
) -> None:
    data = data_of(TEXTS)
    first, second = data.ids[:2]
    given = of_two(data, {first: "half past nine"})
    report = rate(data, given)
    found = confirmed(data, report, given)
    assert [(one.item_id, one.gold, one.raters) for one in found] == [
        (first, ["half past nine"], ("ada", "bob"))
    ]
    manifest, changes = write_confirmed(exam, found, folder)
    new = open_pack(folder)
    assert manifest.version == exam.manifest.version + 1 == new.manifest.version == 2
    assert new.digest == exam.digest
    assert (folder / "items.jsonl").read_bytes() == (exam.folder / "items.jsonl").read_bytes()
    before, after = golds_of(exam, TEXTS), golds_of(new, TEXTS)
    assert after[first] == ["half past nine"]
    assert {item: gold for item, gold in after.items() if item != first} == {
        item: gold for item, gold in before.items() if item != first
    }
    for task in exam.index:
        if task != TEXTS:
            assert golds_of(new, task) == golds_of(exam, task)
    (change,) = changes

    def digest(gold: object) -> str:
        text = json.dumps(gold, separators=(",", ":"), sort_keys=True, ensure_ascii=False)
        return sha256(text.encode()).hexdigest()

    assert change == Correction(
        task=TEXTS,
        item=first,
        reason="2 raters give another answer.",
        old=digest(before[first])[:16],
        new=after[first],
        source="an annotation by ada, bob, 1970-01-01",
    )
    old, pin = (open_references(pack).sources[TEXTS].pin for pack in (exam, new))
    assert pin.sha256 != old.sha256
    assert (pin.verdict, pin.count) == (PinVerdict.UNKNOWN, old.count)
    assert open_references(new).records[TEXTS][first] == {"raters": ["ada", "bob"], "at": 1001}
    assert not check_pack(folder).faults
    assert golds_of(new, TEXTS)[second] == before[second]


def test_a_chosen_box_becomes_the_target_in_the_images_pixels(
    exam: Pack, data_of: Loader, folder: Path
) -> None:
    data = data_of(BOXES)
    first = data.ids[0]
    given = of_two(data, {first: [10, 20, 110, 60]})
    found = confirmed(data, rate(data, given), given)
    write_confirmed(exam, found, folder)
    old, new = golds_of(exam, BOXES)[first], golds_of(open_pack(folder), BOXES)[first]
    assert new.bbox == (10, 20, 110, 60)
    assert new.image_size == old.image_size


def test_raters_who_differ_or_are_too_few_confirm_nothing(data_of: Loader) -> None:
    data = data_of(TEXTS)
    first, second, third = data.ids[:3]
    given = [
        *answers(TEXTS, {first: {"ada": "one", "bob": "other"}}),
        *answers(TEXTS, {second: {"ada": "one", "bob": None}}),
        *answers(TEXTS, {third: {"ada": "one", "bob": "one", "cy": "two", "dan": "two"}}),
    ]
    report = rate(data, given)
    assert {item.item_id for item in report.suspects()} >= {first, third}
    assert confirmed(data, report, given) == []
    (alone,) = confirmed(data, report, given, raters=1)
    assert alone.item_id == second


def test_made_references_replace_all_and_items_without_one_are_left_out(
    exam: Pack, data_of: Loader, tmp_path: Path, folder: Path
) -> None:
    data = data_of(TEXTS)
    chosen = {TEXTS: set(data.ids)}
    write_selection(exam, chosen, tmp_path / "own")
    own = open_pack(tmp_path / "own")
    *most, last = data.ids
    given = [
        *answers(TEXTS, {item: {"ada": f"text {item}", "bob": f"text {item}"} for item in most}),
        *answers(TEXTS, {last: {"ada": "one", "bob": "other"}}),
    ]
    report = rate(data, given, references=False)
    found = confirmed(data, report, given)
    manifest, changes = write_confirmed(own, found, folder, made=[TEXTS])
    new = open_pack(folder)
    assert [*new.index[TEXTS]] == most
    assert len(changes) == len(most)
    assert manifest.built is not None
    assert [(one.item, one.reason) for one in manifest.built.struck[-1:]] == [
        (last, "its raters do not agree on a reference")
    ]
    golds = golds_of(new, TEXTS)
    assert all(golds[item] == [f"text {item}"] for item in most)


def test_sealed_references_are_opened_and_sealed_again(
    exam: Pack, data_of: Loader, tmp_path: Path, folder: Path
) -> None:
    data, key = data_of(TEXTS), new_key()
    write_selection(exam, {TEXTS: set(data.ids)}, tmp_path / "own")
    seal_pack(open_pack(tmp_path / "own"), key)
    own = open_pack(tmp_path / "own")
    given = of_two(data, {data.ids[0]: "zebra"})
    found = confirmed(data, rate(data, given), given)
    with pytest.raises(DataError, match="sealed"):
        write_confirmed(own, found, folder)
    manifest, _ = write_confirmed(own, found, folder, key=key)
    assert "references.sealed" in manifest.files
    assert golds_of(open_pack(folder), TEXTS, key)[data.ids[0]] == ["zebra"]
    for file in folder.rglob("*"):
        assert file.is_dir() or b"zebra" not in file.read_bytes()


def test_nothing_is_written_where_nothing_changes(
    exam: Pack, data_of: Loader, folder: Path
) -> None:
    data = data_of(TEXTS)
    given = of_two(data, {})
    assert confirmed(data, rate(data, given), given) == []
    with pytest.raises(InputError, match="no reference changes"):
        write_confirmed(exam, [], folder)
    same = Confirmed(
        task=TEXTS,
        item_id=data.ids[0],
        gold=list(data.golds[0]),
        raters=("ada",),
        at=0,
    )
    with pytest.raises(InputError, match="no reference changes"):
        write_confirmed(exam, [same], folder)
    assert not folder.exists()
    with pytest.raises(InputError, match="never changed in place"):
        write_confirmed(exam, [same], exam.folder / "new")


def test_a_pack_without_references_has_none_to_change(exam: Pack, tmp_path: Path) -> None:
    strip_pack(exam, tmp_path / "bare")
    with pytest.raises(InputError, match="no reference changes"):
        write_confirmed(open_pack(tmp_path / "bare"), [], tmp_path / "new")


def test_the_version_is_in_a_manifest_from_2_on(exam: Pack) -> None:
    first = exam.manifest.model_dump(mode="json")
    assert "version" not in first
    second = exam.manifest.model_copy(update={"version": 2}).model_dump(mode="json")
    assert Manifest.model_validate(second).version == 2


def test_strange_answers_are_refused(data_of: Loader) -> None:
    data = data_of(TEXTS)
    for given, message in (
        (answers(TEXTS, {"nowhere": {"ada": "x"}}), "no item 'nowhere'"),
        (answers(TEXTS, {data.ids[0]: {"ada": "x"}}) * 2, "answers .* twice"),
        (answers(TEXTS, {data.ids[0]: {"ada": 7}}), "answered by ada"),
    ):
        with pytest.raises(DataError, match=message):
            rate(data, given)
