"""The first ScreenSpot, as its authors publish it and as the Hub has it."""

import json
from io import BytesIO
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from miniatures import written
from PIL import Image

from snellen.grading.errors import DataError
from snellen.tasks.benchmarks.screenspot.signs import V1_FILES, only_in_v1, v2_sizes
from snellen.tasks.benchmarks.table import load_task
from snellen.tasks.data.check import recognize

V1, V2 = "screenspot-v1/point", "screenspot-v2/point"
# Row 1 of screenspot_web.json (njucckevin/SeeClick, Apache 2.0).
ROW: dict[str, Any] = {
    "img_filename": "web_213f816e-8e80-4d13-970d-1347bbc7a2a8.png",
    "bbox": [2321, 129, 208, 70],
    "instruction": "create a new project",
    "data_type": "text",
    "data_source": "gitlab",
}
OLDER = next(name for name, size in only_in_v1().items() if size and name.startswith("web"))


def test_the_published_files(tmp_path: Path) -> None:
    folder = written("screenspot-v1", tmp_path)
    assert recognize(folder) == (V1,)
    data = load_task(V1, folder)
    assert data.ids == [f"{one}/{row}" for one in ("mobile", "desktop", "web") for row in (0, 1)]
    assert data.golds[1].bbox == (1, 20, 31, 60)
    assert load_task(V1, folder, "web").ids == ["web/0", "web/1"]
    assert load_task(V1, folder / V1_FILES["web"]).split == "web"


def test_sizes_are_those_of_v2_and_of_what_v2_does_not_have(tmp_path: Path) -> None:
    (tmp_path / "mine.json").write_text(json.dumps([ROW, {**ROW, "img_filename": OLDER}]))
    data = load_task(V1, tmp_path / "mine.json")
    assert [gold.image_size for gold in data.golds] == [
        v2_sizes()[ROW["img_filename"]],
        only_in_v1()[OLDER],
    ]
    assert not v2_sizes().keys() & only_in_v1().keys()


def test_a_file_under_a_name_of_its_own_is_recognized_by_its_images(tmp_path: Path) -> None:
    for name, rows, task in (
        ("a.json", [ROW, {**ROW, "img_filename": OLDER}], V1),
        ("b.json", [ROW], V2),
    ):
        (tmp_path / name).write_text(json.dumps(rows))
        assert recognize(tmp_path / name) == (task,)


@pytest.mark.parametrize(
    ("task", "count", "last", "message"),
    [
        (V2, 436, OLDER, f"rows of the first ScreenSpot, .*row 436 .*load them as {V1}"),
        (V1, 437, ROW["img_filename"], f"rows of ScreenSpot-v2, .*load them as {V2}"),
    ],
)
def test_one_given_as_the_other_is_refused_by_its_name(
    tmp_path: Path, task: str, count: int, last: str, message: str
) -> None:
    rows = [*[ROW] * (count - 1), {**ROW, "img_filename": last}]
    (tmp_path / "screenspot_web.json").write_text(json.dumps(rows))
    with pytest.raises(DataError, match=message):
        load_task(task, tmp_path / "screenspot_web.json")


def parquet(folder: Path) -> Path:
    """Write rows as rootsautomation/ScreenSpot has them: corners in fractions, and images."""
    rows: list[dict[str, Any]] = []
    for number, name in enumerate(("web_a.png", "pc_b.png", "web_c.png")):
        file = BytesIO()
        Image.new("1", (200 + number, 100)).save(file, "PNG")
        rows.append(
            {
                "image": {"bytes": file.getvalue(), "path": name},
                "file_name": name,
                "bbox": [0.1, 0.2, 0.3, 0.4],
                "instruction": f"click {number}",
                "data_type": "icon",
                "data_source": "shop",
            }
        )
    (folder / "data").mkdir()
    pq.write_table(pa.Table.from_pylist(rows), folder / "data/test-00000-of-00001.parquet")  # pyright: ignore[reportUnknownMemberType]  # pyarrow's stubs leave list bare
    return folder


def test_rows_of_the_hub_have_their_platforms_and_images(tmp_path: Path) -> None:
    folder = parquet(tmp_path)
    assert recognize(folder) == recognize(next(folder.rglob("*.parquet"))) == (V1,)
    data = load_task(V1, folder)
    assert data.ids == ["web/0", "desktop/0", "web/1"]
    assert data.golds[2].bbox == (0.1, 0.2, 0.3, 0.4)
    assert [gold.image_size[0] for gold in data.golds] == [200, 201, 202]
    web = load_task(V1, folder, "web")
    assert (web.ids, web.golds[1].image_size[0]) == (["web/0", "web/1"], 202)
    assert "in another layout than the published files" in data.pin.note
