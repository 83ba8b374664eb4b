"""Rows of published files in `real` below SNELLEN_DATA: public copies of them, in their layouts.

Some copies have other keys than the published files: `LAYOUTS` turns them back. No public copy has
the screen size of AndroidControl's steps: 1080 x 2400 stands for it. The copies are from these
repositories: alibaba/UI-Ins, microsoft/GUI-Actor, Tongyi-MAI/MAI-UI, X-PLUG/MobileAgent (UI-S1),
lll6gg/UI-R1, OSU-NLP-Group/UGround, OpenBMB/AgentCPM-GUI and
ant-8/GUI-Grounding-via-Iterative-Shrinking.
"""

import gzip
import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from snellen import sdk
from snellen.grading.errors import DataError
from snellen.grading.models.actions import ActionType, direction_of
from snellen.grading.protocols.golds import StepGold
from snellen.tasks.benchmarks.screenspot.signs import v2_sizes
from snellen.tasks.benchmarks.table import load_task
from snellen.tasks.corrections.overlay import read_corrections
from snellen.tasks.data.check import check, recognize
from snellen.tasks.models import TaskData

pytestmark = pytest.mark.realdata

Row = dict[str, Any]
PLATFORMS = ("mobile", "desktop", "web")


@pytest.fixture(scope="module")
def real() -> Path:
    folder = Path(os.environ["SNELLEN_DATA"]) / "real"
    if not folder.is_dir():
        pytest.skip("real data: there is no real/ in the folder of SNELLEN_DATA")
    return folder


@pytest.fixture
def published(real: Path, tmp_path: Path) -> Callable[[str], Path]:
    """Return the function that lays one benchmark's files out as they are published."""
    return lambda benchmark: LAYOUTS[benchmark](real, tmp_path / "published")


def read(file: Path) -> list[Row]:
    data = file.read_bytes()
    return json.loads(gzip.decompress(data) if file.suffix == ".gz" else data)


def read_lines(file: Path) -> list[Row]:
    return [json.loads(line) for line in gzip.open(file, "rt", encoding="utf-8")]


def put(file: Path, rows: object) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(rows))


def extents(box: Sequence[float]) -> list[float]:
    return [box[0], box[1], box[2] - box[0], box[3] - box[1]]


def screenspot_v2(real: Path, folder: Path) -> Path:
    for platform in PLATFORMS:
        name = f"screenspot_{platform}_v2.json"
        rows = [
            {
                "img_filename": row["img_filename"],
                "bbox": extents(row["bbox"]),
                "instruction": row["instruction"],
                "data_type": row["ui_type"],
                "data_source": row["platform"],
            }
            for row in read(real / "screenspot-v2" / name)
        ]
        put(folder / name, rows)
    return folder


def osworld_g(real: Path, folder: Path) -> Path:
    for name in ("OSWorld-G", "OSWorld-G_refined"):
        rows: list[Row] = []
        for row in read(real / f"osworld-g/{name}_sspro_format.json"):
            box: list[float] = row["bbox"]
            kind = "polygon" if len(box) > 4 else "bbox" if any(box) else "refusal"
            rows.append(
                {
                    "id": row["id"],
                    "image_path": row["img_filename"],
                    "image_size": row["img_size"],
                    "instruction": row["instruction"],
                    "box_type": kind,
                    "box_coordinates": extents(box) if kind == "bbox" else box,
                    "GUI_types": row["ui_type"],
                }
            )
        put(folder / "benchmark" / f"{name}.json", rows)
    return folder


def mmbench_gui(real: Path, folder: Path) -> Path:
    rows = [
        {
            "index": row["id"],
            "image_path": row["img_filename"],
            "instruction": row["instruction"],
            "image_size": row["img_size"],
            "bbox": [side / row["img_size"][place % 2] for place, side in enumerate(row["bbox"])],
            "data_type": row["ui_type"],
            "platform": row["platform"],
            "app_name": row["application"],
            "grounding_type": row["group"],
        }
        for row in read(real / "mmbench-gui/MMbench_GUI_sspro_format.json.gz")
    ]
    put(folder / "L2_annotations.json", rows)
    return folder


def androidcontrol(real: Path, folder: Path) -> Path:
    file = real / "androidcontrol/ui-s1/android_control_evaluation_std.jsonl.gz"
    rows = [
        {
            "width": 1080,
            "height": 2400,
            "step_check_pams": [step["check_options"] for step in episode["steps"]],
            "episode": {
                "episode_id": episode["episode_id"],
                "goal": episode["goal"],
                "step_instructions": [step["step_instruction"] for step in episode["steps"]],
                "screenshot_paths": [
                    step["screenshot"].rpartition("/")[2] for step in episode["steps"]
                ],
            },
        }
        for episode in read_lines(file)
    ]
    put(folder / "android_control_test.json", rows)
    return folder


def mind2web(real: Path, folder: Path) -> Path:
    def candidate(box: Sequence[float]) -> str:
        sides = ",".join(map(str, box))
        return json.dumps({"attributes": json.dumps({"bounding_box_rect": sides})})

    for split in ("task", "website"):
        file = real / f"mind2web/uground/samples_cross_{split}_blocks.jsonl.gz"
        rows = [
            {
                "annotation_id": row["annotation_id"],
                "action_uid": row["action_uid"],
                "confirmed_task": row["task"],
                "website": row["website"],
                "domain": row["domain"],
                "operation": json.dumps({"op": row["operation"], "value": row["value"]}),
                "pos_candidates": [candidate(box) for box in row["bbox"]],
                "action_reprs": row["previous_actions"],
                "target_action_index": None,
                "screenshot": {"bytes": None, "path": "a.jpg"},
            }
            for row in read_lines(file)
        ]
        made = folder / "data" / f"test_{split}-00000-of-00001.parquet"
        made.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.Table.from_pylist(rows), made)  # pyright: ignore[reportUnknownMemberType]  # pyarrow's stubs leave list bare
    return folder


LAYOUTS: dict[str, Callable[[Path, Path], Path]] = {
    "screenspot-v2": screenspot_v2,
    "screenspot-v1": lambda real, _: real / "screenspot-v1",
    "screenspot-pro": lambda real, _: real / "screenspot-pro",
    "showdown": lambda real, _: real / "showdown",
    "cagui": lambda real, _: real / "cagui",
    "ui-vision": lambda real, _: real / "ui-vision",
    "osworld-g": osworld_g,
    "mmbench-gui": mmbench_gui,
    "androidcontrol": androidcontrol,
    "mind2web": mind2web,
}


def values(gold: Any) -> object:
    if isinstance(gold, str):
        return gold
    if not isinstance(gold, StepGold):
        return gold.bbox, getattr(gold, "polygon", ()), getattr(gold, "refused", False)
    one = gold.action
    return one.type, one.point, one.direction, one.text, one.app, one.button, gold.boxes


def digest(data: TaskData) -> str:
    """Return the digest of the ids and references of a split, which no copy's own bytes change."""
    pairs = [[name, values(gold)] for name, gold in zip(data.ids, data.golds, strict=True)]
    return hashlib.sha256(json.dumps(pairs).encode()).hexdigest()[:16]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("task", "count", "expected", "note"),
    [
        ("screenspot-v1/point", 1_272, "d027209143383cb1", ""),
        ("screenspot-v2/point", 1_272, "6c855c6c604345e8", ""),
        ("screenspot-pro/point", 1_581, "9981ae8a70383961", ""),
        ("ui-vision/basic", 1_772, "d25ffcfc136b1e99", "9 right boxes reach outside"),
        ("ui-vision/functional", 1_772, "6c67c75d8d7e6cc8", "9 right boxes reach outside"),
        ("ui-vision/spatial", 1_935, "0af9e9d9b3e817f8", "9 right boxes reach outside"),
        ("osworld-g/original", 564, "8a5b9d66fa535f49", "29 right boxes reach outside"),
        (
            "osworld-g/refined",
            564,
            "8a5b9d66fa535f49",
            "without an instruction: 1 ('9bQOfLzvdu-0', ...)",
        ),
        ("mmbench-gui/l2_basic", 1_787, "7465d539f7c33d9a", ""),
        ("mmbench-gui/l2_advanced", 1_807, "d374188476603224", ""),
        ("androidcontrol/high", 8_444, "e7900fe73b54a0ce", ""),
        ("androidcontrol/low", 8_444, "e7900fe73b54a0ce", ""),
        ("showdown/clicks", 557, "2891e6f717f82bc7", "a public copy, in another layout"),
        ("cagui/fun2point", 1_500, "d57cbb83b874bac4", ""),
        (
            "cagui/text2point",
            1_500,
            "1d5d7275761b6c52",
            "without an instruction: 1 ('text2point/416', ...)",
        ),
        ("cagui/bbox2text", 1_500, "b36c0231851189c1", ""),
        ("mind2web/task", 1_338, "37a9c3fd74b63fa4", ""),
        ("mind2web/website", 1_019, "8b3f1f29324e75c4", ""),
    ],
)
def test_every_row_loads_with_its_reference(
    published: Callable[[str], Path], task: str, count: int, expected: str, note: str
) -> None:
    data = load_task(task, published(task.partition("/")[0]))
    assert (len(data), digest(data)) == (count, expected)
    assert note in data.pin.note


@pytest.mark.parametrize(
    ("benchmark", "tasks"),
    [
        ("screenspot-v1", ["point"]),
        ("screenspot-v2", ["point"]),
        ("screenspot-pro", ["point"]),
        ("ui-vision", ["basic", "functional", "spatial"]),
        ("osworld-g", ["original", "refined"]),
        ("mmbench-gui", ["l2_basic", "l2_advanced"]),
        ("androidcontrol", ["high", "low"]),
        ("mind2web", ["task", "website"]),
        ("showdown", ["clicks"]),
        ("cagui", ["fun2point", "text2point", "bbox2text"]),
    ],
)
def test_a_root_is_recognized_with_all_of_its_tasks(
    published: Callable[[str], Path], benchmark: str, tasks: list[str]
) -> None:
    assert set(recognize(published(benchmark))) == {f"{benchmark}/{task}" for task in tasks}


@pytest.mark.parametrize(
    ("version", "mobile", "desktop", "web"), [("v1", 502, 334, 436), ("v2", 501, 334, 437)]
)
def test_the_platforms_of_screenspot_have_their_published_counts(
    published: Callable[[str], Path], version: str, mobile: int, desktop: int, web: int
) -> None:
    found = check(published(f"screenspot-{version}"), look=False)
    assert {one.split: one.count for one in found.splits} == {
        "all": 1_272,
        "mobile": mobile,
        "desktop": desktop,
        "web": web,
    }
    assert {one.pin.release for one in found.splits} == {f"{version}-by-count"}
    assert found.fine


def test_the_images_of_the_first_screenspot_have_sizes_but_for_twelve(real: Path) -> None:
    data = load_task("screenspot-v1/point", real / "screenspot-v1")
    sizes = dict(zip(data.tags["image"], data.contexts, strict=True))
    assert len(sizes) == 610
    assert sum(context.width is None for context in sizes.values()) == 12
    file = real / "predictions/byting-ssv1-web/eval_single_web.json"
    stored: list[Row] = json.loads(file.read_text())["results"]
    assert all(
        (sizes[row["img_filename"]].width, sizes[row["img_filename"]].height)
        == tuple(row["image_size"])
        for row in stored
    )


@pytest.mark.slow
def test_caguis_files_are_those_of_the_repository(real: Path) -> None:
    for part in ("fun2point", "text2point", "bbox2text"):
        pin = load_task(f"cagui/{part}", real / "cagui").pin
        assert (pin.release, pin.verdict) == ("2025-05", "known")


@pytest.mark.parametrize("platform", PLATFORMS)
def test_v2_does_not_pass_as_the_first_screenspot(
    published: Callable[[str], Path], platform: str
) -> None:
    file = published("screenspot-v2") / f"screenspot_{platform}_v2.json"
    with pytest.raises(DataError, match="rows of ScreenSpot-v2, not of the first"):
        load_task("screenspot-v1/point", file)


def test_an_index_of_omniact_without_its_tasks_names_the_first_of_them(real: Path) -> None:
    file = real / "omniact/processed_test.json.gz"
    assert len(read(file)) == 2_021
    with pytest.raises(DataError, match=r"no data/tasks/web/asics/task_1\.30\.txt beside it"):
        load_task("omniact/click", file)


@pytest.mark.parametrize("copy", ["gui-actor", "mai-ui"])
def test_a_copy_of_v2_with_corners_holds_the_same_references(
    real: Path, published: Callable[[str], Path], tmp_path: Path, copy: str
) -> None:
    folder = real / "screenspot-v2"
    if copy == "mai-ui":
        folder = tmp_path / "copy"
        for file in (real / "screenspot-v2/mai-ui").glob("*.gz"):
            put(folder / file.stem, read(file))
    data, expected = (
        load_task("screenspot-v2/point", one) for one in (folder, published("screenspot-v2"))
    )
    assert data.ids == expected.ids
    assert list(data.golds) == list(expected.golds)


def test_the_sizes_of_v2s_images_are_those_of_both_copies(real: Path) -> None:
    for pattern in ("*.json", "mai-ui/*.gz"):
        rows = [row for file in (real / "screenspot-v2").glob(pattern) for row in read(file)]
        assert len(rows) == 1_272
        assert {row["img_filename"]: tuple(row["img_size"]) for row in rows} == v2_sizes()


@pytest.mark.parametrize("platform", PLATFORMS)
def test_the_first_screenspot_does_not_pass_as_v2(
    real: Path, tmp_path: Path, platform: str
) -> None:
    rows = read(real / f"screenspot-v1/screenspot_{platform}.json")
    for name in (f"screenspot_{platform}.json", f"screenspot_{platform}_v2.json"):
        put(tmp_path / name, rows)
        with pytest.raises(DataError, match="rows of the first ScreenSpot"):
            load_task("screenspot-v2/point", tmp_path / name)


@pytest.mark.slow
def test_scrolls_of_androidcontrol_lead_where_its_own_labels_say(
    real: Path, published: Callable[[str], Path]
) -> None:
    labels = {
        row["image"].removeprefix("episode_").removesuffix(".png").replace("-screenshot_", "/"): (
            row["gt"]
        )
        for row in read(real / "androidcontrol/ui-r1/ac_test.json.gz")
    }
    data = load_task("androidcontrol/high", published("androidcontrol"))
    assert len(set(data.tags["episode"])) == 1_543
    actions = {name: gold.action for name, gold in zip(data.ids, data.golds, strict=True)}
    scrolls = {name for name, one in actions.items() if one.type is ActionType.SCROLL}
    assert Counter(actions[name].direction for name in scrolls) == {
        "down": 947,
        "up": 96,
        "right": 94,
        "left": 74,
    }
    assert all(
        actions[name].direction is direction_of(labels[name]["direction"]) for name in scrolls
    )
    clicks = [name for name, one in actions.items() if one.type is ActionType.CLICK]
    assert len(clicks) == 5_074
    assert all(actions[one].point == (labels[one]["x"], labels[one]["y"]) for one in clicks)
    for protocol in ("os-atlas", "robust"):
        answers = [
            {
                "item_id": name,
                "response": {
                    "format": "os-atlas",
                    "response": f"actions:\nSCROLL [{labels[name]['direction'].upper()}]",
                },
            }
            for name in sorted(scrolls)
        ]
        report = sdk.grade(
            answers, data=data, protocol=protocol, items=sorted(scrolls), progress=False
        )
        assert report.value == 1
    # As published, the word is compared with the finger, which moves the other way.
    report = sdk.grade(answers, data=data, protocol="qwen", items=sorted(scrolls), progress=False)
    assert report.value == 0
    assert [one.count for one in report.input.notices if one.code == "direction"] == [1_211]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("copied", "name", "tasks", "count", "shorter"),
    [
        (
            "ui-s1/android_control_evaluation_std.jsonl",
            "UI-S1",
            ["high", "low"],
            8_444,
            7_708,
        ),
        ("ui-r1/ac_test.json", "UI-R1", ["low"], 7_868, 7_174),
    ],
)
def test_a_public_copy_of_androidcontrol_loads_as_it_is(
    real: Path,
    tmp_path: Path,
    copied: str,
    name: str,
    tasks: list[str],
    count: int,
    shorter: int,
) -> None:
    file = tmp_path / Path(copied).name
    file.write_bytes(gzip.decompress((real / f"androidcontrol/{copied}.gz").read_bytes()))
    named = gzip.decompress((real / "androidcontrol/os-atlas/ac_idx.txt.gz").read_bytes())
    counted = {
        line.removeprefix("episode_").replace("_screenshot_", "/")
        for line in named.decode().split()
    }
    for task in tasks:
        whole = load_task(f"androidcontrol/{task}", file)
        part = load_task(f"androidcontrol/{task}", file, split="os-atlas")
        assert (len(whole), whole.pin.release) == (count, name)
        assert (len(part), part.pin.release) == (shorter, f"{name}/os-atlas")
        assert set(part.ids) == set(whole.ids) & counted


def pointed(row: Row) -> str:
    x, y = row["pred"]
    return f"({x}, {y})"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("task", "answers", "protocol", "value"),
    [
        ("screenspot-v2/point", "SSV2", "thousand", 0.9489),
        ("screenspot-pro/point", "SSPro", "thousand", 0.6705),
        ("osworld-g/original", "OS_G", "maiui", 0.6170),
        ("osworld-g/refined", "OS_G_Refine", "maiui", 0.6950),
    ],
)
def test_a_published_runs_answers_have_its_own_verdicts(
    real: Path,
    published: Callable[[str], Path],
    task: str,
    answers: str,
    protocol: str,
    value: float,
) -> None:
    data = load_task(task, published(task.partition("/")[0]))
    rows = read_lines(real / f"predictions/mai-ui/{answers}.jsonl.gz")
    ids = ["/".join(row["id"].split("_")[1::2]) if answers == "SSV2" else row["id"] for row in rows]
    said = [
        {"item_id": name, "response": pointed(row) if protocol == "maiui" else row["raw_response"]}
        for name, row in zip(ids, rows, strict=True)
    ]
    report = sdk.grade(said, data=data, protocol=protocol, progress=False)
    assert round(report.value, 4) == value
    right = dict(zip(ids, (row["correctness"] == "correct" for row in rows), strict=True))
    assert {score.item_id: score.value == 1 for score in report.scores} == right


@pytest.mark.slow
@pytest.mark.parametrize(
    ("task", "excluded"),
    [
        ("screenspot-v2/point", 1),
        ("osworld-g/refined", 1),
        ("mmbench-gui/l2_advanced", 12),
        ("screenqa/short", 3),
        ("screenqa/complex", 61),
    ],
)
def test_every_included_correction_is_of_a_reference_as_it_is_published(
    task: str, excluded: int, real: Path, published: Callable[[str], Path]
) -> None:
    benchmark = task.partition("/")[0]
    folder = real.parent / "screenqa" if benchmark == "screenqa" else published(benchmark)
    corrected = read_corrections("known-1").of(load_task(task, folder)).corrected
    assert corrected is not None
    assert (corrected.excluded, corrected.replaced, corrected.other) == (excluded, 0, 0)
