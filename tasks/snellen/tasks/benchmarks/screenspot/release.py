"""What is published of ScreenSpot-v2 and ScreenSpot-Pro, and where."""

from snellen.tasks.data.release import Place, Release

V2_FILES = {platform: f"screenspot_{platform}_v2.json" for platform in ("mobile", "desktop", "web")}
PRO_FOLDER = "annotations"

V2_RELEASES = tuple(
    Release("v2", "screenspot-v2", split, count)
    for split, count in (("all", 1_272), ("mobile", 502), ("desktop", 334), ("web", 436))
)
PRO_RELEASES = (Release("2025-01", "screenspot-pro", "all", 1_581),)

V2_PLACE = Place(
    "screenspot-v2",
    "huggingface.co",
    "OS-Copilot/ScreenSpot-v2",
    "Apache 2.0",
    tasks={"point": ("screenspot_*_v2.json",)},
    images=("screenspotv2_image.*",),
    revision="5efbb1f1b5463a575f2eb7bc30fe29e49c15f93c",
)
PRO_PLACE = Place(
    "screenspot-pro",
    "huggingface.co",
    "likaixin/ScreenSpot-Pro",
    "MIT",
    tasks={"point": (f"{PRO_FOLDER}/*",)},
    images=("images/*",),
    revision="210e78d3844251110bff86c95835ebd37a6930fa",
)
