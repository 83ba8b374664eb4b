"""Exact match and token F1 of ScreenQA short answers against the published SQuAD v1.1 algorithm.

Reads short_answers/test.json from the folder in SNELLEN_DATA; without it, makes answers of its
own from a seed. A pair is one prediction and one reference.
"""

import json
import os
import random
import re
import string
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np
from _timing import options, race, show

from snellen.grading.metrics.squad import SquadReferences, SquadScore, squad

SEED = 20240601
CHUNK = 10_000
WORDS = (
    "the",
    "a",
    "of",
    "to",
    "settings",
    "account",
    "email",
    "sign",
    "up",
    "café",
    "$4.99",
    "U.S.",
)


class Pair(NamedTuple):
    """One prediction against one reference."""

    prediction: str
    reference: str


def main() -> None:
    """Check that the values agree, then time them."""
    flags = options(__doc__ or "")
    pairs = make_pairs(5_000 if flags.quick else 100_000)
    rounds = flags.rounds or (2 if flags.quick else 5)
    predictions = [pair.prediction for pair in pairs]
    references = SquadReferences.prepare([pair.reference] for pair in pairs)
    check(pairs, references)

    def peer() -> list[SquadScore]:
        return [published(pair.prediction, pair.reference) for pair in pairs]

    def prepared() -> list[SquadScore]:
        score = references.score_one
        return [score(index, prediction) for index, prediction in enumerate(predictions)]

    def batches() -> None:
        for start in range(0, len(pairs), CHUNK):
            chunk = predictions[start : start + CHUNK]
            references.score(np.arange(start, start + len(chunk)), chunk)

    def unprepared() -> list[SquadScore]:
        return [squad(pair.prediction, [pair.reference]) for pair in pairs]

    rows = [
        race("one pair at a time, references prepared", prepared, peer, rounds=rounds, target=7),
        race(f"batches of {CHUNK:,}", batches, peer, rounds=rounds, target=10),
        race("one pair at a time, nothing prepared", unprepared, peer, rounds=rounds),
    ]
    print(f"{len(pairs):,} pairs; published: {rows[0].peer / len(pairs) * 1e6:.1f} us a pair")
    show(rows)


def make_pairs(count: int) -> list[Pair]:
    """Draw references and edit each into a prediction, as models get answers wrong."""
    draw = random.Random(SEED)
    answers = load_answers(draw)
    pairs: list[Pair] = []
    for reference in draw.choices(answers, k=count):
        words = reference.split()
        kept = [word for word in words if draw.random() < 0.7]
        edits = (
            reference,
            reference.upper(),
            f"The {reference}.",
            f"It is {reference}",
            " ".join(kept),
            " ".join(draw.sample(words, len(words))),
            draw.choice(answers),
        )
        pairs.append(Pair(draw.choice(edits), reference))
    return pairs


def load_answers(draw: random.Random) -> list[str]:
    """Read every answer of the test split, or make some up."""
    folder = os.environ.get("SNELLEN_DATA")
    if folder:
        path = Path(folder, "screenqa", "short_answers", "test.json")
        questions = json.loads(path.read_text(encoding="utf-8"))
        return [answer for question in questions for answer in question["ground_truth"]]
    return [" ".join(draw.choices(WORDS, k=draw.choice((1, 1, 2, 2, 3, 5)))) for _ in range(20_000)]


def check(pairs: list[Pair], references: SquadReferences) -> None:
    """Stop if any value differs from the published algorithm's."""
    batch = references.score(np.arange(len(pairs)), [pair.prediction for pair in pairs])
    for index, pair in enumerate(pairs):
        theirs = published(*pair)
        ours = references.score_one(index, pair.prediction)
        columns = SquadScore(float(batch.exact_match[index]), float(batch.f1[index]))
        if ours != columns or not np.allclose(ours, theirs, rtol=0, atol=1e-12):
            raise SystemExit(f"{pair}: ours {ours}, batch {columns}, published {theirs}")


def published(prediction: str, reference: str) -> SquadScore:
    """Do what evaluate-v1.1.py of SQuAD does for one pair, as plainly as it does."""
    exact = 1.0 if normalized(prediction) == normalized(reference) else 0.0
    mine, theirs = normalized(prediction).split(), normalized(reference).split()
    shared = sum((Counter(mine) & Counter(theirs)).values())
    if shared == 0:
        return SquadScore(exact, 0.0)
    precision, recall = shared / len(mine), shared / len(theirs)
    return SquadScore(exact, 2 * precision * recall / (precision + recall))


def normalized(text: str) -> str:
    """Normalize as normalize_answer of that script does."""
    punctuation = set(string.punctuation)
    kept = "".join(character for character in text.lower() if character not in punctuation)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", kept).split())


if __name__ == "__main__":
    main()
