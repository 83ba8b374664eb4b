"""What is published of MMBench-GUI, and where."""

from snellen.tasks.data.release import Place, Release

L1_FILE, L2_FILE = "L1_annotations.json", "L2_annotations.json"
EPISODE_FILES = {"l3": "L3_tasks.jsonl", "l4": "L4_tasks.jsonl"}
"""The lists of L3 and L4, in a layout of our own: no files of them are published."""

RELEASES = (
    Release("2025-06", "L1_annotations", "all", 3_582),
    Release("2025-06", "L2_annotations", "all", 3_594),
)

PLACE = Place(
    "mmbench-gui",
    "huggingface.co",
    "OpenGVLab/MMBench-GUI",
    "Apache 2.0",
    tasks={"l1": (L1_FILE,), "l2_basic": (L2_FILE,), "l2_advanced": (L2_FILE,)},
    images=("MMBench-GUI-OfflineImages.*",),
    revision="e27757e3910e0d5995b811f916b509b4e34a4690",
    note="the tasks of l3 and l4 are not published as files",
)
