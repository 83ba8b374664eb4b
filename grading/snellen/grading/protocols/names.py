"""The one list of snellen's own benchmarks, and the folder of each."""

from collections.abc import Mapping
from types import MappingProxyType

OWN: Mapping[str, str] = MappingProxyType(
    {
        "visualwebbench": "visualwebbench",
        "webrssbench": "webrssbench",
        "mmbench-gui": "mmbench_gui",
        "screenqa": "screenqa",
        "matrix": "matrix",
        "screenspot-v1": "screenspot",
        "screenspot-v2": "screenspot",
        "screenspot-pro": "screenspot",
        "androidcontrol": "androidcontrol",
        "mind2web": "mind2web",
        "gui-odyssey": "gui_odyssey",
        "aitz": "aitz",
        "osworld-g": "osworld_g",
        "ui-vision": "ui_vision",
        "webclick": "webclick",
        "showdown": "showdown",
        "cagui": "cagui",
        "omniact": "omniact",
        "ui-i2e": "ui_i2e",
        "venusbench-gd": "venusbench_gd",
        "pointerbench": "pointerbench",
        "gui-knowledge": "gui_knowledge",
        "points": "points",
        "webarena": "webarena",
        "miniwob": "miniwob",
        "desk": "desk",
        "outcomes": "outcomes",
    }
)
"""Each benchmark's folder in `snellen.tasks.benchmarks`, in the order in which they are listed.

Its `data.toml` says what it is, its `rules` have `PROTOCOLS` and `GOLDS`, by task.
"""
