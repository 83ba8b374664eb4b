"""What is published of VisualWebBench, and where."""

from snellen.tasks.data.release import Place, Release

_COUNTS = {
    "web_caption": 134,
    "heading_ocr": 46,
    "webqa": 314,
    "element_ocr": 245,
    "element_ground": 413,
    "action_prediction": 281,
    "action_ground": 103,
}

CONFIGS = tuple(_COUNTS)
"""The published configurations, one a task."""

# Named after the data set's revision.
RELEASES = tuple(Release("9dace8a", config, "test", count) for config, count in _COUNTS.items())

PLACE = Place(
    "visualwebbench",
    "huggingface.co",
    "visualwebbench/VisualWebBench",
    "Apache 2.0",
    tasks={
        **{config: (f"{config}/*",) for config in CONFIGS},
        **{
            f"{config}_{form}": (f"{config}/*",)
            for config in ("element_ground", "action_ground")
            for form in ("bbox", "point")
        },
    },
    images_inside=True,
    revision="9dace8acebf210929bd47256d7ded44439377946",
)
