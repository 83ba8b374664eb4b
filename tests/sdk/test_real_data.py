"""`sdk.grade` on the real ScreenQA short answers, against the published definitions written out."""

import json
import re
import string
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from snellen import sdk

pytestmark = pytest.mark.realdata

NO_ANSWER = "<no answer>"
ADVERSARIAL = ["", " ", "...", "the", "A", "$", "+", NO_ANSWER, "<No answer>", "ß İ", "\x1c", "٣"]


def normalized(text: str) -> str:
    """SQuAD v1.1: lower, no ASCII punctuation, no articles, single spaces."""
    kept = "".join(character for character in text.lower() if character not in string.punctuation)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", kept).split())


def f1(prediction: str, gold: str) -> float:
    predicted, expected = normalized(prediction).split(), normalized(gold).split()
    same = sum((Counter(predicted) & Counter(expected)).values())
    if not same:
        return 0.0
    precision, recall = same / len(predicted), same / len(expected)
    return 2 * precision * recall / (precision + recall)


def published(prediction: str, golds: list[str]) -> tuple[float, float]:
    """screen_qa code/metrics.py, SQA-S."""
    if prediction == NO_ANSWER:
        right = float(NO_ANSWER in golds)
        return right, right
    golds = [gold for gold in golds if gold != NO_ANSWER]
    if not golds:
        return 0.0, 0.0
    exact = max(float(normalized(prediction) == normalized(gold)) for gold in golds)
    return exact, max(f1(prediction, gold) for gold in golds)


def rows_of(file: Path) -> list[dict[str, Any]]:
    return json.loads(file.read_text(encoding="utf-8"))


def ids_of(rows: list[dict[str, Any]], split: str) -> list[str]:
    seen: Counter[int] = Counter()
    ids: list[str] = []
    for row in rows:
        ids.append(f"{split}/{row['image_id']}/{seen[row['image_id']]}")
        seen[row["image_id"]] += 1
    return ids


def adversarial(number: int, golds: list[str], others: list[str]) -> str:
    gold = golds[number % len(golds)]
    edits = [
        gold,
        gold.upper(),
        f"the {gold}!",
        f"{gold} {others[0]}",
        " ".join(reversed(gold.split())),
        gold.replace(" ", "\u2028"),
        f"{NO_ANSWER} {gold}",
        others[-1],
        *ADVERSARIAL,
    ]
    return edits[number % len(edits)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("task", "file", "split", "count"),
    [
        ("screenqa/short", "short_answers/test.json", "test", 8_419),
        ("screenqa/short", "short_answers/validation.json", "validation", 8_614),
        ("screenqa/complex", "complex_qa/data.json", "data", 11_781),
    ],
)
def test_every_score_agrees_with_the_published_definition(
    screenqa_data: Path, task: str, file: str, split: str, count: int
) -> None:
    rows = rows_of(screenqa_data / file)
    ids = ids_of(rows, split)
    golds = [row["ground_truth"] for row in rows]
    said = [adversarial(number, gold, golds[number - 1]) for number, gold in enumerate(golds)]
    report = sdk.grade(
        [{"item_id": i, "response": text} for i, text in zip(ids, said, strict=True)],
        task=task,
        data=screenqa_data,
        split=split,
    )
    expected = [published(text, gold) for text, gold in zip(said, golds, strict=True)]
    assert report.provenance.items == count
    for score, (exact, overlap) in zip(report.scores, expected, strict=True):
        assert score.metrics["exact_match"] == exact
        assert score.metrics["f1"] == pytest.approx(overlap, abs=1e-12)
    assert report.metrics["exact_match"].value == pytest.approx(
        sum(exact for exact, _ in expected) / count, abs=1e-12
    )
    assert report.metrics["f1"].value == pytest.approx(
        sum(overlap for _, overlap in expected) / count, abs=1e-12
    )
    assert f"|data:v1.2:sha256:{report.provenance.data.sha256[:16]}|" in report.signature
    assert f"|n:{count}|" in report.signature


@pytest.mark.slow
def test_all_protocols_score_one_set_and_every_difference_is_shared_out(
    screenqa_data: Path,
) -> None:
    rows = rows_of(screenqa_data / "short_answers" / "test.json")
    golds = [row["ground_truth"] for row in rows]
    answers: list[dict[str, Any]] = [
        {"item_id": i, "response": adversarial(number, gold, golds[number - 1])}
        for number, (i, gold) in enumerate(zip(ids_of(rows, "test"), golds, strict=True))
    ]
    answers[7] = {"item_id": answers[7]["item_id"], "error": "time-out"}
    rescored = sdk.explain(answers, task="screenqa/short", data=screenqa_data)
    assert list(rescored.reports) == ["official", "robust", "multiui", "charset", "screensuite"]
    for name, report in rescored.reports.items():
        found = rescored.explain("official", name)
        assert abs(found.residual) <= 1e-12
        official = rescored.reports["official"].metrics["f1"].as_published
        assert found.first_value == official
        assert found.second_value == report.metrics["f1"].as_published
        parted = list(rescored.partings("official", name))
        assert bool(parted) == (name in ("robust", "multiui", "charset"))
