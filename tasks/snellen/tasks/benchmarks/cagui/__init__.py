"""CAGUI's grounding parts: point at elements of Chinese Android applications."""

from snellen.grading.models.geometry import Space
from snellen.tasks.benchmarks.point_table import (
    Columns,
    PointPrompt,
    PointTable,
    pointing_benchmark,
)
from snellen.tasks.data.release import Place, Release, Signs
from snellen.tasks.prompts import Prompt

_FILES = {"fun2point": "cap.jsonl", "text2point": "ocr.jsonl"}
_TITLES = {
    "fun2point": "Point at an element of an app in Chinese, given what it does",
    "text2point": "Point at a text of an app in Chinese",
}
_SHA256 = {
    "fun2point": "40e666fd44c6591baa56c30feec301ae390761b1c02d7a8bc3fd737321dbceab",
    "text2point": "d9b6152f37ca00405f53cf18536805d3e925eed033227e2bfb323146dcd53193",
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
_TABLES = tuple(
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
)

BENCHMARKS = (
    pointing_benchmark(
        _TABLES,
        Place(
            "cagui",
            "huggingface.co",
            "openbmb/CAGUI",
            "CC BY-NC 4.0",
            tasks={part: (f"CAGUI_grounding/code/{name}",) for part, name in _FILES.items()},
            images=("CAGUI_grounding/images/*",),
        ),
        tuple(Release("2025-05", part, part, 1_500, _SHA256[part]) for part in _FILES),
        Signs(
            names={name: f"cagui/{part}" for part, name in _FILES.items()},
            folders=("CAGUI_grounding/code/*.jsonl", "code/*.jsonl"),
        ),
    ),
)
