# ruff: noqa: INP001  (a script beside the page that it writes)
"""Write the tables and the picture of scorers.md from published runs: `python docs/scorers.py`.

The runs are public files of results; `$SNELLEN_DATA/real/predictions` has copies of them. With
`--check` nothing is written: the status is 1 when the page is not what it would be.
"""

import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from snellen import sdk
from snellen.grading.explain import Part
from snellen.grading.report.svg import altair

DOCS = Path(__file__).parent
PAGE, PICTURE = DOCS / "scorers.md", DOCS / "scorers.svg"
_PART = re.compile(r"(<!-- runs: (?P<name>\w+) -->\n).*?(<!-- end of runs -->\n)", re.DOTALL)

COLUMNS = {
    "reader": (Part.PARSER,),
    "unit": (Part.UNIT,),
    "rule": (Part.NORMALIZATION, Part.METRIC),
    "denominator": (Part.DENOMINATOR,),
}
"""What a difference is divided into, and the parts of a protocol that each is."""

OURS = {"robust", "unit", "pixels", "thousand"}


@dataclass(frozen=True)
class Run:
    """A published file of results.

    Attributes:
        model: Who answered.
        file: The file, below `predictions`.
        task: The task.
        source: The repository that published it.
        printed: What its authors' code says the answers score, in percent, from the verdicts or
            totals in the file; None if it has none.
        text: Whether the file has the model's text; otherwise only the point read from it.
        point: Whether it has the point that the authors' code read.
        split: The split of the data; None: its default.
    """

    model: str
    file: str
    task: str
    source: str
    printed: float | None = None
    text: bool = True
    point: bool = True
    split: str | None = None


RUNS = (
    Run(
        "MAI-UI",
        "mai-ui/SSPro.jsonl.gz",
        "screenspot-pro/point",
        "Tongyi-MAI/MAI-UI",
        67.05,
    ),
    Run(
        "OmniParser v2 with GPT-4o",
        "omniparser-sspro/logs_sspro_omniv2.json",
        "screenspot-pro/point",
        "microsoft/OmniParser",
        39.60,
        text=False,
    ),
    Run(
        "GUI-R1-3B",
        "gui-r1/screenspot_pro_test_3b_cpt55.json.gz",
        "screenspot-pro/point",
        "YangRui2015/GUI-R1",
        text=False,
    ),
    Run(
        "Qwen2.5-VL",
        "screenspot-pro-script/qwen25vl.json.gz",
        "screenspot-pro/point",
        "woodhalloween/ScreenSpot-Pro-GUI-Grounding",
        20.43,
    ),
    Run(
        "Qwen2-VL",
        "screenspot-pro-script/qwen2vl.json.gz",
        "screenspot-pro/point",
        "woodhalloween/ScreenSpot-Pro-GUI-Grounding",
        1.45,
    ),
    Run(
        "Byting-HYQ's model",
        "byting-ssv1-web/eval_single_web.json",
        "screenspot-v1/point",
        "Byting-HYQ/gui-grounding",
        87.16,
        split="web",
    ),
    Run(
        "GUI-R1-3B",
        "gui-r1/screenspot_test_3b_cpt55.json.gz",
        "screenspot-v1/point",
        "YangRui2015/GUI-R1",
        text=False,
    ),
    Run("MAI-UI", "mai-ui/SSV2.jsonl.gz", "screenspot-v2/point", "Tongyi-MAI/MAI-UI", 94.89),
    Run("MAI-UI", "mai-ui/OS_G.jsonl.gz", "osworld-g/original", "Tongyi-MAI/MAI-UI", 61.70),
    Run("MAI-UI", "mai-ui/OS_G_Refine.jsonl.gz", "osworld-g/refined", "Tongyi-MAI/MAI-UI", 69.50),
)


@dataclass(frozen=True)
class Row:
    """A protocol's score of a run's texts, and how it differs from the nearest to the authors'."""

    protocol: str
    value: float
    shares: dict[str, float]


@dataclass(frozen=True)
class Scored:
    """A run under every protocol of its task.

    Attributes:
        run: The run.
        items: The number of its items.
        rows: The rows of its texts; of its points if it has no texts.
        points: The score of the stored points by protocol.
    """

    run: Run
    items: int
    rows: Sequence[Row]
    points: dict[str, float]


def main() -> int:
    """Write the page and its picture, or with --check compare the page; return the status."""
    scored = [score(run) for run in RUNS]
    old = PAGE.read_text(encoding="utf-8")
    new = page(old, scored)
    if "--check" in sys.argv[1:]:
        return int(new != old)
    PAGE.write_text(new, encoding="utf-8")
    picture(scored)
    return 0


def page(text: str, scored: Sequence[Scored]) -> str:
    """Return the page with its tables as they are now."""
    parts: dict[str, Callable[[Sequence[Scored]], Iterator[str]]] = {
        "summary": _summary,
        "tables": _tables,
    }

    def part(match: re.Match[str]) -> str:
        lines = "".join(f"{line}\n" for line in parts[match["name"]](scored))
        return f"{match[1]}\n{lines}\n{match[3]}"

    return _PART.sub(part, text)


def score(run: Run) -> Scored:
    """Grade a run under every protocol, and explain each score by the nearest to the authors'."""
    real = Path(os.environ["SNELLEN_DATA"]) / "real"
    with TemporaryDirectory() as room:
        place = DATA[run.task.partition("/")[0]](real, Path(room))
        data = sdk.load(run.task, place, split=run.split)
    file = real / "predictions" / run.file

    def values(answer: str) -> tuple[sdk.ProtocolReports, dict[str, float]]:
        found = sdk.explain(file, data=data, answer=answer, progress=False)
        return found, {name: 100 * _printed(report) for name, report in found.reports.items()}

    points = values("parsed")[1] if run.point else {}
    found, known = values("raw" if run.text else "parsed")
    target = max(known.values()) if run.printed is None else run.printed
    nearest = min(known, key=lambda name: abs(known[name] - target))
    rows = [Row(nearest, known[nearest], {})]
    for name, value in known.items():
        if name != nearest:
            why = {share.part: 100 * share.share for share in found.explain(nearest, name).shares}
            shares = {
                column: sum(why.get(part, 0.0) for part in parts)
                for column, parts in COLUMNS.items()
            }
            rows.append(Row(name, value, shares))
    rows[1:] = sorted(rows[1:], key=lambda row: -row.value)
    return Scored(run, len(data), rows, points)


def _printed(report: sdk.Report) -> float:
    metric = report.numbers.headline
    return metric.value if metric.as_published is None else metric.as_published


def _summary(scored: Sequence[Scored]) -> Iterator[str]:
    yield "| run | benchmark | the authors' | lowest | highest |"
    yield "|---|---|---|---|---|"
    for one in scored:
        low, high = (pick(one.rows, key=lambda row: row.value) for pick in (min, max))
        yield (
            f"| {one.run.model} | {_benchmark(one.run)} | {_number(one.run.printed)}"
            f" | {low.value:.2f} ({low.protocol}) | {high.value:.2f} ({high.protocol}) |"
        )


def _tables(scored: Sequence[Scored]) -> Iterator[str]:
    for one in scored:
        run = one.run
        yield f"### {run.model} on {_benchmark(run)}"
        yield ""
        said = "no score in the file" if run.printed is None else f"the file says {run.printed:.2f}"
        held = "texts" if run.text else "points, read by the authors' code"
        yield (
            f"{one.items:,} items, {held}; [{run.source}](https://github.com/{run.source}); {said}."
        )
        yield ""
        yield f"| protocol | score | {' | '.join(COLUMNS)} |"
        yield f"|---|---|{'---|' * len(COLUMNS)}"
        for row in one.rows:
            cells = [_signed(row.shares[name]) if row.shares else "" for name in COLUMNS]
            yield f"| `{row.protocol}` | {row.value:.2f} | {' | '.join(cells)} |"
        if run.text and one.points:
            low, high = min(one.points.values()), max(one.points.values())
            each = f"{low:.2f}" if high - low < 0.005 else f"{low:.2f} to {high:.2f}"
            yield ""
            yield f"The points that the authors' code read from these texts: {each}."
        yield ""


def _benchmark(run: Run) -> str:
    name = run.task.removesuffix("/point")
    return name if run.split is None else f"{name} {run.split}"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _signed(value: float) -> str:
    return "0" if abs(value) < 0.005 else f"{value:+.2f}"


def picture(scored: Sequence[Scored]) -> None:
    """Draw every score of every run on one axis."""
    alt = altair()
    rows = [
        {
            "run": f"{one.run.model}, {_benchmark(one.run)}",
            "protocol": row.protocol,
            "score": row.value,
            "kind": "snellen's protocol" if row.protocol in OURS else "published protocol",
        }
        for one in scored
        for row in one.rows
    ]
    marks = [
        {"run": f"{one.run.model}, {_benchmark(one.run)}", "score": one.run.printed}
        for one in scored
        if one.run.printed is not None
    ]
    order = list(dict.fromkeys(row["run"] for row in rows))
    y = alt.Y("run:N", sort=order, title=None, axis=alt.Axis(labelLimit=300, grid=True))
    x = alt.X("score:Q", title="score in percent", scale=alt.Scale(domain=[0, 100]))
    dots = (
        alt.Chart(alt.Data(values=rows))
        .mark_circle(size=90, opacity=0.75)
        .encode(
            x=x,
            y=y,
            color=alt.Color(
                "kind:N",
                title=None,
                scale=alt.Scale(range=["#c2410c", "#1d4ed8"]),
                legend=alt.Legend(orient="top"),
            ),
        )
    )
    printed = (
        alt.Chart(alt.Data(values=marks))
        .mark_tick(color="black", thickness=2, size=22)
        .encode(x=x, y=y)
    )
    chart = (dots + printed).properties(width=520, height=alt.Step(34))
    chart.configure_view(stroke=None).save(PICTURE)


# ---- the data of each benchmark, from public copies ---------------------------------------------


def _osworld_g(real: Path, room: Path) -> Path:
    """Write the published layout from the copies, which have the boxes as corners."""
    (room / "benchmark").mkdir()
    for name in ("OSWorld-G", "OSWorld-G_refined"):
        rows: list[dict[str, Any]] = []
        for row in json.loads((real / f"osworld-g/{name}_sspro_format.json").read_bytes()):
            box = row["bbox"]
            kind = "polygon" if len(box) > 4 else "bbox" if any(box) else "refusal"
            rows.append(
                {
                    "id": row["id"],
                    "image_path": row["img_filename"],
                    "image_size": row["img_size"],
                    "instruction": row["instruction"],
                    "box_type": kind,
                    "box_coordinates": [*box[:2], box[2] - box[0], box[3] - box[1]]
                    if kind == "bbox"
                    else box,
                    "GUI_types": row["ui_type"],
                }
            )
        (room / f"benchmark/{name}.json").write_text(json.dumps(rows))
    return room


DATA: dict[str, Callable[[Path, Path], Path]] = {
    "screenspot-pro": lambda real, _: real / "screenspot-pro",
    "screenspot-v1": lambda real, _: real / "screenspot-v1",
    "screenspot-v2": lambda real, _: real / "screenspot-v2",
    "osworld-g": _osworld_g,
}

if __name__ == "__main__":
    sys.exit(main())
