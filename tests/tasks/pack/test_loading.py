"""A pack is accepted wherever a benchmark's published data is."""

from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from snellen import sdk
from snellen.grading.errors import DataError, InputError, UnknownNameError
from snellen.tasks.models import TaskData
from snellen.tasks.pack.read import Pack, open_pack, open_references, task_data
from snellen.tasks.pack.sample import draw_task
from snellen.tasks.pack.seal import KEY_VARIABLE
from snellen.tasks.pack.write import Part, write_pack

MakePack = Callable[..., Pack]
LoadShort = Callable[..., TaskData]
KEY = bytes(range(64)).hex()
TASK = "screenqa/short"
ANSWERS = [
    {"item_id": "test/5/0", "response": "gold 5 0"},
    {"item_id": "test/5/1", "response": "gold and more"},
    {"item_id": "test/9/0", "response": "wrong"},
]


def test_answers_are_graded_against_a_pack_as_against_its_data(
    make_pack: MakePack, load_short: LoadShort, tmp_path: Path
) -> None:
    pack = make_pack(items=["test/5/0", "test/5/1"])
    ours = sdk.grade(ANSWERS, task=TASK, data=pack.folder)
    theirs = sdk.grade(ANSWERS, data=load_short(), items=["test/5/0", "test/5/1"])
    assert ours.metrics == theirs.metrics
    assert (ours.signature, ours.provenance.items) == (theirs.signature, 2)
    ours.save(tmp_path / "report.json")
    again = sdk.regrade(tmp_path / "report.json", protocol="robust")
    assert again.provenance.items == 2


def test_sealed_references_are_opened_with_the_environments_key(
    make_pack: MakePack, monkeypatch: pytest.MonkeyPatch
) -> None:
    pack = make_pack(key=KEY)
    monkeypatch.delenv(KEY_VARIABLE, raising=False)
    with pytest.raises(DataError, match=f"sealed: set {KEY_VARIABLE}"):
        sdk.grade(ANSWERS, task=TASK, data=pack.folder)
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    assert sdk.grade(ANSWERS, task=TASK, data=pack.folder).provenance.items == 6


@pytest.mark.slow
def test_a_pack_is_asked_for_what_it_holds(make_pack: MakePack, tmp_path: Path) -> None:
    folder = make_pack().folder
    assert sdk.load(TASK, folder, split="test").item("test/5/0").images[0].width == 40
    with pytest.raises(UnknownNameError, match="no task in the pack"):
        sdk.load("screenqa/long", folder)
    with pytest.raises(InputError, match="made with the split 'test', not 'train'"):
        sdk.load(TASK, folder, split="train")
    with pytest.raises(InputError, match="made with the prompt 'snellen-screenqa-short-1'"):
        sdk.load(TASK, folder, prompt="screenqa-paper-short")
    with pytest.raises(InputError, match="omit images"):
        sdk.load(TASK, folder, images=tmp_path)


@pytest.mark.slow
@pytest.mark.realdata
def test_the_published_test_split_scores_as_it_does_itself(
    screenqa_data: Path, tmp_path: Path
) -> None:
    data = sdk.load(TASK, screenqa_data)
    part = Part(data, draw_task(data, 2000, 1))
    write_pack([part], tmp_path / "pack", name="real", images=False, key=KEY)
    pack = open_pack(tmp_path / "pack")
    packed = task_data(pack, open_references(pack, KEY), TASK)
    golds = cast("list[list[str]]", data.golds)
    # Every other item gets the answer of the one before it.
    answers = [
        {"item_id": item, "response": golds[place - place % 2][-1]}
        for place, item in enumerate(data.ids)
    ]
    ours = sdk.grade(answers, data=packed)
    theirs = sdk.grade(answers, data=data, items=part.items)
    assert (ours.metrics, ours.numbers.estimates) == (theirs.metrics, theirs.numbers.estimates)
    assert (ours.signature, ours.input.not_selected) == (theirs.signature, 6419)
    assert (len(packed), packed.pin.release) == (8419, data.pin.release)
