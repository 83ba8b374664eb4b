"""Every reference of every task is stored in a pack, read back equal, and graded equally."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest

from snellen import sdk
from snellen.grading.errors import DataError
from snellen.grading.models.actions import Action, ActionType, Direction
from snellen.grading.models.golds import Golds
from snellen.grading.models.reports import DataPin, PinVerdict
from snellen.grading.protocols.base import NO_CONTEXT
from snellen.grading.protocols.golds import (
    AreaTarget,
    BoxOrPoint,
    Changes,
    EpisodeGold,
    ImageTarget,
    Node,
    OutcomeGold,
    PageEpisodeGold,
    StepGold,
    Target,
)
from snellen.grading.protocols.table import GOLDS, gold_shape, protocols_of
from snellen.tasks.benchmarks.gui_knowledge.rules import KnowledgeGold
from snellen.tasks.benchmarks.matrix.rules.golds import MatrixGold
from snellen.tasks.benchmarks.table import TASKS, load_task
from snellen.tasks.benchmarks.webarena.rules.golds import Expected, ResponseCheck, WebTask
from snellen.tasks.benchmarks.webarena.rules.requests import Request, RequestCheck
from snellen.tasks.benchmarks.webarena.rules.strings import Original
from snellen.tasks.models import TaskData
from snellen.tasks.pack.read import open_pack, open_references, task_data
from snellen.tasks.pack.references import canary_of, header, key_named, lines_of, read_references
from snellen.tasks.pack.seal import new_key
from snellen.tasks.pack.write import Part, write_pack

GOLDS_OF_EVERY_SHAPE: Mapping[str, list[Any]] = {
    "visualwebbench/web_caption": ["", "a\nb\r\u2028c", '"quoted" \\ back', "ünï 漢字 🎉"],
    "visualwebbench/webqa": [["4.3 stars", "4.3"], [""]],
    "visualwebbench/element_ground": [0, 25],
    "visualwebbench/element_ground_bbox": [
        Target((1.0, 2.5, 3.0, 1e300)),
        Target((0.1, 0.2, 0.30000000000000004, 0.4), (1280, 800.5)),
    ],
    "screenqa/ui_contents": [[["a", "b"], []]],
    "screenqa/ui_contents_boxes": [[[((0.0, 1.0, 2.0, 3.0), "a")], []]],
    "webrssbench/position": [{("crop_1", "crop_2"): "top-left", ("crop_10", "crop_2"): "contain"}],
    "webrssbench/ui_grouping": [gold_shape("webrssbench/ui_grouping").read("top bar")],
    "webrssbench/color": [["Buy", "Buy now"]],
    "mmbench-gui/l1": ["A", "F"],
    "mmbench-gui/l2_basic": [ImageTarget((-1, 30, 400, 70), (1179, 2556))],
    "matrix/items": [
        MatrixGold("accuracy", "B", ("Q1", "Q2")),
        MatrixGold("numeric", 12.5, passing=0.5, settings={"unit": ["px"]}),
    ],
    "mmbench-gui/l3": [EpisodeGold(), EpisodeGold(15)],
    "desk/l3": [OutcomeGold(15, Changes({"mail.m1.read": (False, True)}), [1, "x"], None)],
    "desk/l4": [OutcomeGold(15, None, None, "conflict"), OutcomeGold()],
    "miniwob/episode": [PageEpisodeGold(), PageEpisodeGold(20, "click-test")],
    "webarena/verified": [
        WebTask(
            ("map",),
            (ResponseCheck(Expected("retrieve", "SUCCESS"), {"type": "null"}),),
        ),
        WebTask(
            ("gitlab", "reddit"),
            (
                ResponseCheck(
                    Expected("retrieve", "SUCCESS", [["ü", 1.5], None]), {"type": "array"}, True
                ),
                RequestCheck(Request(["a", "^b$"], post_data={"$.a": [1]}), should_not_exist=True),
            ),
            Original(("string_match",), {"must_include": ["ü"]}),
        ),
    ],
    "gui-knowledge/instruction": [KnowledgeGold("no", "yes_or_no"), KnowledgeGold("?")],
    "points/point": [
        AreaTarget((90, 40, 70, 40), (192, 108.5)),
        AreaTarget((0.1, 0.2, 0.3, 0.25), None, (0.1, 0.2, 0.3, 0.2, 0.3, 0.25)),
    ],
    "pointerbench/text": [BoxOrPoint((1, 2, 30, 40), (1024, 768), boxed=True)],
    "osworld-g/original": [
        AreaTarget((0, 0, 0, 0), (1920, 1080), refused=True),
        AreaTarget((1, 2, 30, 40), (192, 108.5), (1, 2, 30, 2.5, 30, 40)),
    ],
    "androidcontrol/high": [
        StepGold(Action(ActionType.WAIT, seconds=0.5), (1080.5, 2400)),
        StepGold(
            Action(ActionType.SCROLL, (1, 2), (3, 4.5), Direction.DOWN),
            (1, 1),
            boxes=((0, 0, 1e300, 1),),
            nodes=(Node((0, 0, 1, 1), "ü", "x"),),
            episode="7",
            step=3,
            group="a",
        ),
    ],
}


def in_memory(task: str, golds: list[Any]) -> TaskData:
    def build(_: int) -> Any:
        raise AssertionError("not asked for")

    return TaskData(
        task=task,
        split="test",
        ids=[str(number) for number in range(len(golds))],
        golds=Golds(golds),
        pin=DataPin(release="x", sha256="0" * 64, count=len(golds), verdict=PinVerdict.UNKNOWN),
        build_item=build,
    )


def packed(data: TaskData, folder: Path, items: Iterable[str] | None = None) -> TaskData:
    part = Part(data, None if items is None else list(items))
    write_pack([part], folder, name="demo", images=False, key=(key := new_key()))
    pack = open_pack(folder)
    return task_data(pack, open_references(pack, key), data.task)


def loaded(task: str, every_benchmark: dict[str, Path]) -> TaskData:
    return load_task(task, every_benchmark[task.partition("/")[0]])


def answers_to(data: TaskData) -> list[dict[str, object]]:
    """A third of the items answered correctly, a third by a neighbor's answer, the rest not."""
    responses = gold_shape(data.task).responses
    right = [responses(gold)[0] for gold in data.golds]
    return [
        {"item_id": item_id, "response": right[place if place % 3 == 0 else place - 1]}
        for place, item_id in enumerate(data.ids)
        if place % 3 != 2
    ]


def numbers(report: sdk.Report) -> dict[str, object]:
    """A report without the path and the release of its data."""
    told = report.model_dump(exclude={"provenance": {"data"}})
    parts = report.signature.split("|")
    kept = [part for part in parts if not part.startswith("data:")]
    return {**told, "signature": kept, "sha256": report.provenance.data.sha256}


@pytest.mark.parametrize("task", TASKS)
def test_every_task_comes_back_as_it_was_loaded(
    task: str, every_benchmark: dict[str, Path], tmp_path: Path
) -> None:
    data = loaded(task, every_benchmark)
    assert len(data) >= 2
    again = packed(data, tmp_path / "pack")
    assert list(again.ids) == list(data.ids)
    assert list(again.golds) == [gold_shape(task).read(plain(gold)) for gold in data.golds]
    assert list(again.contexts) == (list(data.contexts) or [NO_CONTEXT] * len(data))
    assert len(again.raters) == len(data.raters)
    assert {tag: list(column) for tag, column in again.tags.items()} == {
        tag: list(column)
        for tag, column in data.tags.items()
        if any(value is not None for value in column)
    }
    assert (again.split, again.cluster, again.selected) == (data.split, data.cluster, None)
    for item_id in data.ids:
        assert again.item(item_id) == data.item(item_id).model_copy(update={"images": ()})


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
def test_every_protocol_of_every_task_grades_a_pack_as_the_published_data(
    task: str, every_benchmark: dict[str, Path], tmp_path: Path
) -> None:
    data = loaded(task, every_benchmark)
    again = packed(data, tmp_path / "pack")
    for protocol in protocols_of(task):
        ours = sdk.grade(answers_to(data), data=again, protocol=protocol.id)
        theirs = sdk.grade(answers_to(data), data=data, protocol=protocol.id)
        assert numbers(ours) == numbers(theirs)
        assert [score.value for score in ours.scores] == [score.value for score in theirs.scores]


@pytest.mark.parametrize("task", TASKS)
def test_some_items_of_a_task_score_as_the_same_items_of_all_of_it(
    task: str, every_benchmark: dict[str, Path], tmp_path: Path
) -> None:
    data = loaded(task, every_benchmark)
    some = list(data.ids[:-1])
    again = packed(data, tmp_path / "pack", some)
    assert list(again.selected or ()) == some
    ours = sdk.grade(answers_to(data), data=again)
    assert numbers(ours) == numbers(sdk.grade(answers_to(data), data=data, items=some))


@pytest.mark.parametrize("task", TASKS)
def test_a_reference_given_as_the_answer_scores_what_is_attainable(
    task: str, every_benchmark: dict[str, Path], tmp_path: Path
) -> None:
    data = loaded(task, every_benchmark)
    found = sdk.attainable(data=packed(data, tmp_path / "pack"))
    assert found == sdk.attainable(data=data)
    assert max(found.metrics.values()) > 0.5


def plain(gold: object) -> Any:
    """Return a reference in its published form."""
    if isinstance(gold, Mapping):
        pairs = cast("Mapping[tuple[str, str], str]", gold)
        return {"|".join(pair): str(relation) for pair, relation in pairs.items()}
    return msgspec.to_builtins(gold)


@pytest.mark.parametrize("task", GOLDS_OF_EVERY_SHAPE)
def test_odd_golds_of_every_shape_come_back_equal(task: str) -> None:
    golds = GOLDS_OF_EVERY_SHAPE[task]
    body = b"".join(lines_of(in_memory(task, golds)))
    found = read_references(body, "x")
    assert [plain(gold) for gold in found.golds[task].values()] == [plain(gold) for gold in golds]


def test_there_is_an_odd_gold_of_every_shape() -> None:
    shapes = {GOLDS[task].name for task in GOLDS_OF_EVERY_SHAPE}
    assert shapes == {shape.name for shape in GOLDS.values()}


@pytest.mark.parametrize(
    ("task", "gold"),
    [
        ("screenqa/short", ["SECRET", 3]),
        ("screenqa/short", "SECRET"),
        ("mmbench-gui/l1", "SECRET"),
        ("webrssbench/position", {("a|b", "c"): "SECRET"}),
        ("webrssbench/position", {("a|b", "c"): "left"}),
        ("visualwebbench/webqa", ["SECRET \ud800"]),
        ("visualwebbench/element_ground_bbox", Target((0.0, 0.0, float("inf"), 1.0))),
    ],
)
def test_a_gold_that_would_not_come_back_equal_is_refused_unseen(task: str, gold: Any) -> None:
    with pytest.raises(DataError, match="reference of 0") as caught:
        list(lines_of(in_memory(task, [gold])))
    assert "SECRET" not in str(caught.value)


def test_raters_that_are_not_the_references_are_refused() -> None:
    data = replace(in_memory("screenqa/ui_contents", [[["a"]]]), raters=[[["b"]]])
    with pytest.raises(DataError, match="raters"):
        list(lines_of(data))


SOURCE = (
    b'{"task":"screenqa/short","pin":{"release":"x","sha256":"","count":1,"verdict":"unknown"}}\n'
)
GOOD = b'{"item_id":"a","task":"screenqa/short","gold":["x"]}\n'


@pytest.mark.parametrize(
    ("body", "line", "field", "message"),
    [
        (SOURCE + b'{"gold": "SECRET"\n', 3, None, "not a JSON object"),
        (SOURCE + b'["SECRET"]\n', 3, None, "not a JSON object"),
        (SOURCE + b'{"item_id":"a","task":"screenqa/short","gold":"SECRET"}\n', 3, "gold", "list"),
        (
            SOURCE + b'{"item_id":3,"task":"screenqa/short","gold":["SECRET"]}\n',
            3,
            "item_id",
            "not a reference",
        ),
        (
            SOURCE + b'{"item_id":"a","task":"screenqa/short","SECRET":1,"gold":[]}\n',
            3,
            None,
            "not a reference",
        ),
        (SOURCE + GOOD + GOOD, 4, "item_id", "a occurs twice"),
        (SOURCE + SOURCE, 3, "task", "occurs twice"),
        (GOOD, 2, "task", "no line above"),
        (SOURCE, None, None, "has 0 references instead of 1"),
    ],
)
def test_a_bad_line_is_named_by_line_and_field_and_never_shown(
    body: bytes, line: int | None, field: str | None, message: str
) -> None:
    with pytest.raises(DataError, match=message) as caught:
        read_references(body, "references.jsonl")
    assert (caught.value.file, caught.value.line) == ("references.jsonl", line)
    assert caught.value.field == field
    assert "SECRET" not in str(caught.value)


def test_no_reference_shows_in_a_repr() -> None:
    body = b"".join(lines_of(in_memory("screenqa/short", [["SECRET"]])))
    found = read_references(body, "x")
    assert "SECRET" in found.golds["screenqa/short"]["0"]
    assert "SECRET" not in repr(found)


def test_the_head_holds_the_canary_and_says_which_key_without_saying_it() -> None:
    key, canary = new_key(), canary_of("0" * 64)
    assert canary in header(canary, None).decode()
    assert key_named(header(canary, None)) is None
    assert key_named(header(canary, key)) is not None
    assert key not in header(canary, key).decode()
    assert key_named(b"nothing") is None


def test_what_depends_on_the_machine_stays_out() -> None:
    pin = DataPin(
        release="v1-by-count",
        sha256="1" * 64,
        count=1,
        verdict=PinVerdict.FIRST_SEEN,
        note="remembered in /home/me",
        path="/home/me/data",
    )
    lines = [
        b"".join(lines_of(replace(in_memory("screenqa/short", [["x"]]), pin=one)))
        for one in (pin, pin.model_copy(update={"verdict": PinVerdict.SEEN_BEFORE, "note": ""}))
    ]
    assert lines[0] == lines[1]
    assert b"/home/me" not in lines[0]
    known = pin.model_copy(update={"verdict": PinVerdict.KNOWN, "release": "v1", "note": ""})
    body = b"".join(lines_of(replace(in_memory("screenqa/short", [["x"]]), pin=known)))
    found = read_references(body, "x").sources["screenqa/short"].pin
    assert (found.release, found.verdict, found.path) == ("v1", PinVerdict.KNOWN, None)
