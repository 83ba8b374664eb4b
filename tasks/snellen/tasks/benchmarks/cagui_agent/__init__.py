"""CAGUI's agent part: the next action on a phone with Chinese applications."""

from snellen.tasks.benchmarks.spec import Benchmark, late, step_task
from snellen.tasks.data.release import Place, Release, Signs, row_sign

_HIGH = "cagui-agent/high"
SUBSETS = ("domestic",)
BELOW = ("CAGUI_agent", "test")
RELEASES = (Release("2025", "cagui-agent", "test", 4_516),)

BENCHMARKS = (
    Benchmark(
        name="cagui-agent",
        tasks=(step_task(_HIGH, "Give the next action in a Chinese application, told the goal"),),
        load=late("snellen.tasks.benchmarks.cagui_agent.load:load"),
        place=Place(
            "cagui-agent",
            "huggingface.co",
            "openbmb/CAGUI",
            "CC BY-NC 4.0",
            tasks={"high": ("CAGUI_agent/domestic/*.json",)},
            images=("CAGUI_agent/domestic/*.jpeg",),
        ),
        releases=RELEASES,
        signs=Signs(
            rows=(
                row_sign(
                    _HIGH,
                    "episode_id step_id result_action_type ui_positions",
                    without="coat_action_desc pred",
                ),
            ),
            folders=("domestic/*/*.json", "*/domestic/*/*.json"),
        ),
    ),
)
