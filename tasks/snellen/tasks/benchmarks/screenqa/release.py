"""What is published of ScreenQA, and where."""

from snellen.tasks.data.release import Place, Release

SPLITS = ("test", "validation", "train")
_SHORT, _FULL, _COMPLEX = "short_answers", "answers_and_bboxes", "complex_qa"

RELEASES = (
    Release(
        "v1.2",
        _SHORT,
        "test",
        8_419,
        "dfe055f73e40beeb587b134ff0e79e03aec416f0426543226e4e9a39ea0d7037",
    ),
    Release(
        "v1.2",
        _SHORT,
        "validation",
        8_614,
        "4420ce951f6bad386e2549680f6c31025073501ef0f82a72afaefc43432da743",
    ),
    Release("v1.2", _SHORT, "train", 68_951),
    Release("v1.2", _FULL, "test", 8_419),
    Release("v1.2", _FULL, "validation", 8_614),
    Release("v1.2", _FULL, "train", 68_951),
    Release(
        "v1.2",
        _COMPLEX,
        "data",
        11_781,
        "c40c881bff751681ea089138ab59ecbf417d5736b53ea6bc17a73fbbe3805c78",
    ),
    *(
        Release("v1", mirror, split, count)
        for mirror in ("RICO-ScreenQA-Short", "RICO-ScreenQA")
        for split, count in zip(SPLITS, (8_427, 8_618, 68_980), strict=True)
    ),
)
"""The mirrors, huggingface.co/datasets/rootsautomation/RICO-ScreenQA and its like, hold v1, before
duplicates went."""

PLACE = Place(
    "screenqa",
    "github.com",
    "google-research-datasets/screen_qa",
    "CC BY 4.0",
    tasks={
        "short": (f"{_SHORT}/*",),
        "long": (f"{_FULL}/*",),
        "ui_contents": (f"{_FULL}/*",),
        "ui_contents_boxes": (f"{_FULL}/*",),
        "complex": (f"{_COMPLEX}/*",),
    },
    files=(
        "README.md",
        *(f"{folder}/{split}.json" for folder in (_SHORT, _FULL) for split in SPLITS),
        f"{_COMPLEX}/data.json",
    ),
    sha256={
        f"{release.role}/{release.split}.json": release.sha256
        for release in RELEASES
        if release.sha256 is not None
    },
    revision="1dfdbccaf56948821b5fa8ffe5d186fe4751e46d",
    note="the screenshots are RICO's and are not fetched: get its 66k UI screenshots"
    " (unique_uis.tar.gz) from http://www.interactionmining.org/rico.html and give the folder"
    " combined as --images",
)
