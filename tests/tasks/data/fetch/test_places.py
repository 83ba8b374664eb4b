"""The table of places."""

import re

import pytest

from snellen.grading.errors import InputError, UnknownNameError
from snellen.tasks.benchmarks.table import TASKS, benchmarks, own_places, place_of

PLACES = own_places()
OURS = {"mmbench-gui/l3", "mmbench-gui/l4"}
"""Tasks whose layout is this project's own: nothing is published to be fetched."""


def test_every_published_task_can_be_fetched() -> None:
    for task in TASKS:
        benchmark, _, name = task.partition("/")
        if task in OURS or benchmark not in PLACES or not PLACES[benchmark].tasks:
            continue
        assert name in PLACES[benchmark].tasks, task


def test_pinned_revisions_are_commits_and_releases_named_after_them_are_theirs() -> None:
    for benchmark in benchmarks():
        commit = benchmark.place.revision if benchmark.place else None
        assert commit is None or re.fullmatch("[0-9a-f]{40}", commit)
        for release in benchmark.releases:
            if re.fullmatch("[0-9a-f]{7}", release.name):
                assert commit is not None
                assert commit.startswith(release.name)


def test_the_digests_on_record_are_those_of_the_releases() -> None:
    assert sorted(PLACES["screenqa"].sha256) == [
        "complex_qa/data.json",
        "short_answers/test.json",
        "short_answers/validation.json",
    ]
    assert set(PLACES["screenqa"].sha256) < set(PLACES["screenqa"].files)


@pytest.mark.parametrize(
    ("benchmark", "tasks", "images", "wanted"),
    [
        ("visualwebbench", ["webqa"], True, ["README.md", "webqa/test-00000-of-00001.parquet"]),
        (
            "visualwebbench",
            ["element_ground_bbox"],
            True,
            ["README.md", "element_ground/t.json"],
        ),
        ("mmbench-gui", [], False, ["README.md", "L1_annotations.json", "L2_annotations.json"]),
        ("mmbench-gui", ["l1"], False, ["README.md", "L1_annotations.json"]),
        (
            "screenspot-v2",
            ["point"],
            True,
            [
                "README.md",
                "screenspot_web_v2.json",
                "screenspot_mobile_v2.json",
                "screenspotv2_image.zip",
            ],
        ),
        ("screenspot-pro", [], False, ["README.md", "annotations/vscode_macos.json"]),
        (
            "webclick",
            [],
            True,
            [
                "README.md",
                "test-00000-of-00001.parquet",
                "test_task-00000-of-00017.parquet",
                "webqa/test-00000-of-00001.parquet",
            ],
        ),
        ("mind2web", ["task"], True, ["README.md", "test_task-00000-of-00017.parquet"]),
    ],
)
def test_a_task_needs_its_files(
    benchmark: str, tasks: list[str], images: bool, wanted: list[str]
) -> None:
    files = [
        ".gitattributes",
        "README.md",
        "test-00000-of-00001.parquet",
        "test_task-00000-of-00017.parquet",
        "webqa/test-00000-of-00001.parquet",
        "element_ground/t.json",
        "L1_annotations.json",
        "L2_annotations.json",
        "MMBench-GUI-OfflineImages.zip",
        "screenspot_web_v2.json",
        "screenspot_mobile_v2.json",
        "screenspotv2_image.zip",
        "annotations/vscode_macos.json",
        "images/vscode_mac/1.png",
    ]
    assert place_of(benchmark).wanted(files, tasks, images=images) == wanted


def test_images_that_are_not_there_can_not_be_left_out() -> None:
    with pytest.raises(InputError, match="no images are fetched for screenqa anyway"):
        place_of("screenqa").wanted([], [], images=False)


def test_an_unknown_place_is_named_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'screenqa'"):
        place_of("screen_qa")
