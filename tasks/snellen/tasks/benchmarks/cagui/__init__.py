"""CAGUI: point at elements of Chinese Android applications, read them, or act in them."""

from snellen.grading.guesses import NoGuess
from snellen.grading.models.geometry import Space
from snellen.grading.models.items import AnswerKind
from snellen.tasks.benchmarks.point_table import Columns, PointPrompt, PointTable
from snellen.tasks.benchmarks.spec import Benchmark, TaskSpec, late, pointing_task, step_task
from snellen.tasks.data.release import Place, Release, Signs, row_sign
from snellen.tasks.prompts import Prompt

BBOX2TEXT, AGENT = "cagui/bbox2text", "cagui/agent"
_FILES = {"fun2point": "cap.jsonl", "text2point": "ocr.jsonl", "bbox2text": "ocr.jsonl"}
_TITLES = {
    "fun2point": "Point at an element of an app in Chinese, given what it does",
    "text2point": "Point at a text of an app in Chinese",
}
_SHA256 = {
    "cap.jsonl": "40e666fd44c6591baa56c30feec301ae390761b1c02d7a8bc3fd737321dbceab",
    "ocr.jsonl": "d9b6152f37ca00405f53cf18536805d3e925eed033227e2bfb323146dcd53193",
}
_POINT = PointPrompt(
    Prompt(
        "snellen-cagui-point-1",
        "You see a screenshot of an Android app in Chinese. Point at the one element that is"
        ' described. Reply with {"POINT":[x,y]} alone, x from the left and y from the top, in'
        " thousandths of the image's width and height from 0 to 1000.",
        "\n\nElement: {question}",
    ),
    Space.THOUSAND,
    '{"POINT":[250,612]}',
)
"""It asks for what the protocol `official` reads."""
_LAYOUT = Columns(
    instruction="text",
    box="abs_position",
    space=Space.PIXELS,
    image="image",
    fractions="rel_position",
)
TABLES = tuple(
    PointTable(
        task=f"cagui/{part}",
        title=_TITLES[part],
        layouts=(_LAYOUT,),
        files=(f"CAGUI_grounding/code/{name}", f"code/{name}", f"**/{name}"),
        split=part,
        above=1,
        images=(f"images/{name.removesuffix('.jsonl')}", "images"),
        asked=(_POINT,),
    )
    for part, name in _FILES.items()
    if part in _TITLES
)

PLACE = Place(
    "cagui",
    "huggingface.co",
    "openbmb/CAGUI",
    "CC BY-NC 4.0",
    tasks={
        **{part: (f"CAGUI_grounding/code/{name}",) for part, name in _FILES.items()},
        "agent": ("CAGUI_agent/domestic/*.json",),
    },
    images=("CAGUI_grounding/images/*", "CAGUI_agent/domestic/*.jpeg"),
)
RELEASES = (
    *(Release("2025-05", part, part, 1_500, _SHA256[name]) for part, name in _FILES.items()),
    Release("2025", "cagui", "test", 4_516),
)

BENCHMARKS = (
    Benchmark(
        name="cagui",
        tasks=(
            *(pointing_task(table.task, table.title) for table in TABLES),
            TaskSpec(
                BBOX2TEXT,
                "Read the text in a box of an app in Chinese",
                AnswerKind.TEXT,
                "accuracy",
                NoGuess("a text at random is next to never right"),
            ),
            step_task(AGENT, "Give the next action in an app in Chinese, given the goal"),
        ),
        load=late("snellen.tasks.benchmarks.cagui.load:load"),
        place=PLACE,
        releases=RELEASES,
        signs=Signs(
            names={_FILES[part]: f"cagui/{part}" for part in _TITLES},
            rows=(
                row_sign(
                    AGENT,
                    "episode_id step_id result_action_type ui_positions",
                    without="coat_action_desc pred",
                ),
            ),
            folders=(
                "CAGUI_grounding/code/*.jsonl",
                "code/*.jsonl",
                "domestic/*/*.json",
                "*/domestic/*/*.json",
            ),
            together=("cagui/text2point", BBOX2TEXT),
        ),
    ),
)
