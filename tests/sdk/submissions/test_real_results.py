"""Published results, graded from their files as they are, agree with their own verdicts."""

import gzip
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from snellen import sdk
from snellen.grading.errors import SubmissionError
from snellen.grading.models.scores import Outcome
from snellen.sdk.submissions.containers import paths_of, rows_of
from snellen.sdk.submissions.kinds import Kind, kind_of_row

pytestmark = pytest.mark.realdata

PRO, V2, OSWORLD = "screenspot-pro/point", "screenspot-v2/point", "osworld-g/original"


@pytest.fixture(scope="module")
def real() -> Path:
    found = Path(os.environ.get("SNELLEN_DATA", ""), "real")
    if not (found / "predictions").is_dir():
        pytest.skip("SNELLEN_DATA has no folder real/predictions")
    return found


@pytest.fixture(scope="module")
def pro(real: Path) -> Any:
    return sdk.load(PRO, real / "screenspot-pro")


def agreement(report: sdk.Report) -> tuple[int, int]:
    """Return how many verdicts differ, and how many there are."""
    (notice,) = [one for one in report.input.notices if one.code == "verdicts"]
    compared = notice.message.partition(" of ")[2].partition(";")[0]
    return notice.count or 0, int(compared.replace(",", ""))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "compared", "differing"),
    [
        ("screenspot-pro-script/qwen25vl.json.gz", 1581, 0),
        ("screenspot-pro-script/qwen2vl.json.gz", 1581, 0),
        ("mai-ui/SSPro.jsonl.gz", 1581, 0),
        ("harness-sspro/qwen3.7-plus.results.jsonl", 504, 0),
        ("segui-sspro-app/rec_results_android_studio_macos_8k_SFT_0.json", 80, 0),
        # Five points lie on their box's edge, and the file cut them to whole numbers.
        ("omniparser-sspro/logs_sspro_omniv2.json", 1581, 5),
    ],
)
def test_results_on_screenspot_pro(
    real: Path, pro: Any, file: str, compared: int, differing: int
) -> None:
    report = sdk.grade(real / "predictions" / file, data=pro)
    assert agreement(report) == (differing, compared)
    assert not report.input.problems


@pytest.mark.slow
def test_texts_in_thousandths_give_what_the_pixels_give(real: Path, pro: Any) -> None:
    file = real / "predictions/mai-ui/SSPro.jsonl.gz"
    report = sdk.grade(file, data=pro, answer="raw", space="thousand")
    assert agreement(report) == (0, 1581)


@pytest.mark.slow
def test_rows_without_an_image_are_joined_by_instruction_and_box(real: Path, pro: Any) -> None:
    file = real / "predictions/gui-r1/screenspot_pro_test_3b_cpt55.json.gz"
    report = sdk.grade(file, data=pro)
    # One row's instruction is spoilt by a path that was pasted into it.
    assert report.input.problem_counts == {"unknown item": 1}
    assert report.input.outcomes[Outcome.ANSWERED] == 1580


def references(rows: Any, item_id: str) -> Mapping[str, object]:
    return {
        item_id.format(number=number, **row): {"bbox": row["bbox"], "image_size": row["img_size"]}
        for number, row in enumerate(rows)
    }


@pytest.mark.slow
def test_results_on_screenspot_v2(real: Path) -> None:
    known: dict[str, object] = {}
    for platform in ("mobile", "web", "desktop"):
        rows = json.loads((real / f"screenspot-v2/screenspot_{platform}_v2.json").read_text())
        known |= references(rows, f"{platform}/{{number}}")
    file = real / "predictions/mai-ui/SSV2.jsonl.gz"
    report = sdk.grade(file, task=V2, references=known)
    assert agreement(report) == (0, 1272)


@pytest.mark.parametrize("answer", ["parsed", "raw"])
def test_results_on_the_first_screenspot(real: Path, answer: Any) -> None:
    file = real / "predictions/byting-ssv1-web/eval_single_web.json"
    data = sdk.load("screenspot-v1/point", real / "screenspot-v1", split="web")
    report = sdk.grade(file, data=data, protocol="thousand", answer=answer)
    assert agreement(report) == (0, 436)
    assert round(report.value * 436) == 380


@pytest.mark.slow
def test_rows_without_ids_are_joined_with_the_first_screenspot(real: Path) -> None:
    file = real / "predictions/gui-r1/screenspot_test_3b_cpt55.json.gz"
    report = sdk.grade(file, task="screenspot-v1/point", data=real / "screenspot-v1")
    # The sizes of 12 images are not known.
    outcomes = report.input.outcomes
    assert (outcomes[Outcome.ANSWERED], outcomes[Outcome.UNPARSED]) == (1_252, 0)
    assert (outcomes[Outcome.ERROR], outcomes[Outcome.MISSING]) == (20, 0)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["OS_G.jsonl.gz", "local_OS_G.json.gz"])
def test_results_on_osworld_g(real: Path, tmp_path: Path, name: str) -> None:
    rows = json.loads((real / "osworld-g/OSWorld-G_sspro_format.json").read_text())
    found: list[dict[str, object]] = []
    for row in rows:
        box = row["bbox"]
        kind = "polygon" if len(box) > 4 else "bbox" if any(box) else "refusal"
        corner = [box[0], box[1], box[2] - box[0], box[3] - box[1]] if kind == "bbox" else box
        found.append(
            {
                **{key: row[key] for key in ("id", "instruction")},
                "image_path": row["img_filename"],
                "image_size": row["img_size"],
                "box_type": kind,
                "box_coordinates": corner,
                "GUI_types": row["ui_type"],
            }
        )
    (tmp_path / "benchmark").mkdir()
    (tmp_path / "benchmark/OSWorld-G.json").write_text(json.dumps(found))
    file = real / "predictions/mai-ui" / name
    report = sdk.grade(file, task=OSWORLD, data=tmp_path, protocol="maiui")
    assert agreement(report) == (0, 564)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        *("evalscope/predictions", "evalscope/reviews", "lmms-eval-samples", "vlmevalkit"),
        *("inspect-logs", "nemo-gym", "webvoyager", "agentlab-miniwob", "mai-ui/OS_G.jsonl.gz"),
    ],
)
def test_results_of_another_task_are_refused(real: Path, pro: Any, name: str) -> None:
    with pytest.raises(
        SubmissionError,
        match=r"could be joined|no field in it is known|item ids is one|chats of WebVoyager",
    ):
        sdk.grade(real / "predictions" / name, data=pro)


MINIWOB = [
    ("ascending-numbers", 64),
    ("click-checkboxes", 7),
    ("click-checkboxes", 20),
    ("click-dialog", 14),
    ("click-dialog", 28),
]


@pytest.mark.parametrize(
    ("name", "answered", "errors"),
    [
        ("error_analysis", 4, 0),
        ("error_analysis/result_df_trial_1_of_3.csv", 4, 0),
        # Its environment broke.
        ("test_study", 0, 1),
    ],
)
def test_agentlabs_episodes_are_joined_by_their_page_and_seed(
    real: Path, tmp_path: Path, name: str, answered: int, errors: int
) -> None:
    said = {"time": "real", "goal": "g", "limit": 10}
    rows = [
        {"id": f"real/{page}/{seed}", "page": page, "seed": seed, **said} for page, seed in MINIWOB
    ]
    (tmp_path / "miniwob.jsonl").write_text("\n".join(map(json.dumps, rows)))
    stored = real / "predictions/agentlab-miniwob" / name
    report = sdk.grade(stored, task="miniwob/episode", data=tmp_path)
    assert report.input.outcomes.get(Outcome.ANSWERED, 0) == answered
    assert report.input.outcomes.get(Outcome.ERROR, 0) == errors
    assert report.value == answered / len(MINIWOB)


@pytest.mark.slow
def test_gui_r1s_steps_are_joined_to_screens_of_unknown_size(real: Path, tmp_path: Path) -> None:
    file = tmp_path / "android_control_evaluation_std.jsonl"
    packed = real / "androidcontrol/ui-s1/android_control_evaluation_std.jsonl.gz"
    file.write_bytes(gzip.decompress(packed.read_bytes()))
    report = sdk.grade(
        real / "predictions/gui-r1/androidcontrol_low_test_0_1000_pred.json.gz",
        task="androidcontrol/low",
        data=file,
        split="os-atlas",
        protocol="gui-r1",
    )
    # 992 rows; the others share their instruction with another step.
    assert 7_708 - report.input.outcomes[Outcome.MISSING] == 848
    assert report.input.outcomes[Outcome.ERROR] == 799
    assert "the size of the screenshot is needed" in report.input.warnings[-1]


def test_seeacts_three_batches_are_one_answer(real: Path) -> None:
    folder = real / "predictions/seeact-mind2web"
    (step,) = (one.name for one in folder.iterdir())
    reference = {"action": {"type": "click", "point": [1, 1]}, "letters": "H"}
    report = sdk.grade(
        folder,
        task="mind2web/task",
        protocol="official",
        references={step.replace("_", "/"): reference},
    )
    assert [score.response for score in report.scores] == ["H.\nAction: CLICK"]
    assert report.value == 1
    assert "3 batches are 1 answers" in report.input.warnings[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("evalscope/predictions", 10),
        ("evalscope/reviews", 10),
        ("lmms-eval-samples", 2017),
        ("vlmevalkit/gpt-4.1-2025-04-14_CV-Bench-2D.xlsx", 1438),
        ("inspect-logs/popularity.eval", 10),
        ("inspect-logs/popularity.json", 3),
        ("nemo-gym/gui_coordinate_rollouts.jsonl", 5),
        ("screenspot-gpt4o-batch/mobile_icon_low.jsonl.gz", 100),
    ],
)
def test_every_row_of_a_log_has_an_answer(real: Path, name: str, count: int) -> None:
    paths = paths_of(str(real / "predictions" / name))
    rows = [row.fields for path in paths for row in rows_of(path)]
    found = [said for row in rows for said in _kind(row).read(row)]
    assert len(found) == count
    assert all(said.clues.id and said.raw and isinstance(said.raw.value, str) for said in found)


def _kind(row: Mapping[str, Any]) -> Kind:
    kind = kind_of_row(row)
    assert kind is not None
    return kind
