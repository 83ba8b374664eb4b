"""A report's page of 8,419 items: the seconds of saving it and its size, against their targets.

No public tool makes such a page, so there is no peer to race: the targets are absolute. Saving is
timed in a process of its own that has the report in memory and has imported nothing of what draws.
"""

import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from _timing import options

SECONDS = 5.0
MEGABYTES = 3.0

SAVE = """
import json, re, sys, time
from pathlib import Path
from snellen import sdk
answers, given, target = sys.argv[1:]
against = json.loads(given)
report = sdk.grade(answers, task="screenqa/short", progress=False, **against)
start = time.perf_counter()
report.save(target)
seconds = time.perf_counter() - start
peak = int(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024
print(json.dumps([seconds, peak, report.provenance.items]))
"""


def questions(count: int, folder: Path) -> tuple[dict[str, list[str]], dict[str, str], str]:
    """Return references, what to grade against, and what they are: real where there are any."""
    data = os.environ.get("SNELLEN_DATA")
    found: dict[str, list[str]] = {}
    if data:
        path = Path(data) / "screenqa" / "short_answers" / "test.json"
        seen: dict[str, int] = {}
        for row in json.loads(path.read_text(encoding="utf-8")):
            place = seen[row["image_id"]] = seen.get(row["image_id"], -1) + 1
            found[f"test/{row['image_id']}/{place}"] = row["ground_truth"]
        return found, {"data": str(path.parent.parent)}, "real ScreenQA questions"
    dice = random.Random(5)
    words = ["12", "exercises", "Wall", "Sit", "$4", "rest", "monday", "settings", "account"]
    for number in range(count):
        found[f"test/{number // 3}/{number % 3}"] = [
            " ".join(dice.choices(words, k=dice.randint(1, 5))) for _ in range(3)
        ]
    path = folder / "references.json"
    path.write_text(json.dumps(found), encoding="utf-8")
    return found, {"references": str(path)}, "made-up questions"


def answered(asked: dict[str, list[str]], path: Path) -> None:
    """Write seeded edits of the references as answers; some are missing or failed."""
    dice = random.Random(11)
    with path.open("w", encoding="utf-8") as file:
        for item_id, references in asked.items():
            text = dice.choice(references)
            edits = (
                text,
                text,
                text.upper(),
                f"It says {text} on the screen",
                " ".join(text.split()[:-1]) or "no",
                re.sub(r"\d", "7", text),
                "<no answer>",
            )
            row = {"item_id": item_id, "response": dice.choice(edits), "model": "a-model"}
            chance = dice.random()
            if chance < 0.02:
                row = {"item_id": item_id, "error": "request timed out"}
            if chance < 0.97:
                file.write(json.dumps(row) + "\n")


def main() -> None:
    """Save the page some times and print the seconds, the size and the peak."""
    chosen = options("save a report of 8,419 items as a page")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        asked, against, what = questions(300 if chosen.quick else 8419, folder)
        answers, target = folder / "answers.jsonl", folder / "report.html"
        answered(asked, answers)
        runs: list[tuple[float, float, int]] = []
        for _ in range(chosen.rounds or (1 if chosen.quick else 5)):
            done = subprocess.run(
                [sys.executable, "-c", SAVE, str(answers), json.dumps(against), str(target)],
                check=True,
                capture_output=True,
                text=True,
            )
            runs.append(json.loads(done.stdout))
        size = target.stat().st_size / 1e6
    seconds = [run[0] for run in runs]
    print(f"{runs[0][2]:,} items, {what}; {len(runs)} run(s)")
    print(f"report.save('report.html'): median {statistics.median(seconds):.2f} s,", end=" ")
    print(f"{min(seconds):.2f} to {max(seconds):.2f} (target {SECONDS:g})")
    print(f"the file, without pictures: {size:.2f} MB (target {MEGABYTES:g})")
    print(f"peak memory of the process: {max(run[1] for run in runs):.0f} MB")


if __name__ == "__main__":
    main()
