"""`sdk.grade` on a million stored answers, against json.loads and the published scorer.

The peer reads each line with json.loads and scores it with SQuAD's exact match and F1 written
straightforwardly, as screen_qa code/metrics.py does; it keeps two sums. Memory is the peak
resident set of a process that grades the whole file once.
"""

import json
import os
import random
import re
import string
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from _timing import options, race, show

from snellen import sdk

Questions = dict[str, list[str]]


def questions(count: int) -> tuple[Questions, str]:
    """Read the real short answers, or make some up; and say which."""
    folder = os.environ.get("SNELLEN_DATA")
    found: Questions = {}
    if folder:
        seen: Counter[int] = Counter()
        path = Path(folder) / "screenqa" / "short_answers" / "test.json"
        for row in json.loads(path.read_text(encoding="utf-8")):
            found[f"test/{row['image_id']}/{seen[row['image_id']]}"] = row["ground_truth"]
            seen[row["image_id"]] += 1
        return dict(list(found.items())[:count]), "real ScreenQA short answers"
    dice = random.Random(5)
    words = ["the", "12", "exercises", "Wall", "Sit", "$4", "rest", "monday", "a", "settings"]
    for number in range(count):
        answers = [" ".join(dice.choices(words, k=dice.randint(1, 5))) for _ in range(3)]
        found[f"test/{number}/0"] = answers
    return found, "synthetic short answers"


def write(path: Path, asked: Questions, attempts: int) -> int:
    """Write seeded edits of the references as answers, about 250 bytes a line."""
    dice = random.Random(11)
    lines = 0
    with path.open("w", encoding="utf-8") as file:
        for attempt in range(attempts):
            for item_id, references in asked.items():
                row = {
                    "item_id": item_id,
                    "response": edited(dice, dice.choice(references)),
                    "attempt": attempt,
                    "model": "a-model-of-some-name-2026-01-01",
                    "meta": {"latency": dice.random(), "trace": f"{dice.getrandbits(256):064x}"},
                }
                file.write(json.dumps(row) + "\n")
                lines += 1
    return lines


def edited(dice: random.Random, text: str) -> str:
    """Change a text as models do: case, an article, a lost word, a sentence around it."""
    match dice.randrange(6):
        case 0:
            return text
        case 1:
            return text.upper()
        case 2:
            return f"the {text}."
        case 3:
            return " ".join(text.split()[:-1]) or "no"
        case 4:
            return f"It says {text} on the screen"
        case _:
            return "<no answer>"


def normalized(text: str) -> str:
    """SQuAD v1.1's normalization, as its script writes it."""
    exclude = set(string.punctuation)
    text = "".join(character for character in text.lower() if character not in exclude)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", text).split())


def published(prediction: str, references: list[str]) -> tuple[float, float]:
    """Exact match and F1 of one answer, as published."""
    if prediction == "<no answer>":
        right = float(any(reference == "<no answer>" for reference in references))
        return right, right
    references = [reference for reference in references if reference != "<no answer>"]
    if not references:
        return 0.0, 0.0
    return (
        max(float(normalized(prediction) == normalized(gold)) for gold in references),
        max(f1(prediction, gold) for gold in references),
    )


def f1(prediction: str, gold: str) -> float:
    """Token F1 of one pair, as published."""
    predicted, expected = normalized(prediction).split(), normalized(gold).split()
    same = sum((Counter(predicted) & Counter(expected)).values())
    if same == 0:
        return 0.0
    precision, recall = same / len(predicted), same / len(expected)
    return 2 * precision * recall / (precision + recall)


def peer(path: Path, asked: Questions) -> tuple[float, float]:
    """Read and score as one would without us."""
    exact = total = lines = 0.0
    with path.open(encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            em, overlap = published(row["response"], asked[row["item_id"]])
            exact += em
            total += overlap
            lines += 1
    return exact / lines, total / lines


# The kernel's high-water mark of the process's own memory: ru_maxrss would count the parent's.
PEAK = """
import json, re, sys
from pathlib import Path
from snellen import sdk
asked = json.loads(Path(sys.argv[2]).read_text())
report = sdk.grade(sys.argv[1], task="screenqa/short", references=asked,
                   keep_scores=sys.argv[3] == "kept", progress=False)
print(int(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024)
"""


def peak(path: Path, references: Path, kept: str) -> float:
    """Grade in a process of its own and return its peak memory in MB."""
    run = subprocess.run(
        [sys.executable, "-c", PEAK, str(path), str(references), kept],
        check=True,
        capture_output=True,
        text=True,
    )
    return float(run.stdout)


def main() -> None:
    """Race both ways and print the table and the peaks."""
    chosen = options("grade a million stored answers")
    asked, what = questions(300 if chosen.quick else 10_000)
    with tempfile.TemporaryDirectory() as folder:
        path, references = Path(folder) / "answers.jsonl", Path(folder) / "references.json"
        lines = write(path, asked, 5 if chosen.quick else 119)
        references.write_text(json.dumps(asked), encoding="utf-8")
        print(f"{lines:,} answers, {path.stat().st_size / lines:.0f} bytes each; {what}")

        def ours() -> sdk.Report:
            return sdk.grade(path, task="screenqa/short", references=asked, progress=False)

        report = ours()
        found = (report.metrics["exact_match"].value, report.metrics["f1"].value)
        expected = peer(path, asked)
        if any(abs(a - b) > 1e-12 for a, b in zip(found, expected, strict=True)):
            raise SystemExit(f"the values differ: {found} and {expected}")
        show(
            [
                race(
                    "sdk.grade from JSONL",
                    ours,
                    lambda: peer(path, asked),
                    rounds=chosen.rounds or 3,
                    target=5,
                )
            ]
        )
        kept = peak(path, references, "kept")
        dropped = peak(path, references, "dropped")
        print(f"peak memory, scores kept: {kept:.0f} MB (target 500)")
        print(f"peak memory, scores dropped: {dropped:.0f} MB (target 250)")


if __name__ == "__main__":
    main()
