"""ROUGE against the published packages: rouge-score 0.1.2 and rouge 1.0.1.

Both sides read predictions and references from text inside the timed part. Rows marked "prepared"
read the references beforehand, which the packages can't; rows marked "one by one" call the
function for a single pair; if the Rust port rouge-score-rs is installed, a row with it in our place
is a yardstick. Texts are seeded: words by a Zipf law, predictions edited from the references. With
SNELLEN_DATA set, 10 tokens are questions of ScreenQA's validation split.
"""

import json
import os
import random
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from _timing import Row, options, race, show
from numpy.typing import NDArray

from snellen.grading.metrics.rouge import RougeReferences, rouge
from snellen.grading.metrics.rouge101 import Rouge101References, rouge101


class Pairs(NamedTuple):
    """Predictions and the reference of each."""

    predictions: list[str]
    references: list[str]

    def head(self, count: int) -> "Pairs":
        """Return the first pairs."""
        return Pairs(self.predictions[:count], self.references[:count])


# Tokens: how many pairs ours scores in one run, how many the peer does.
SIZES = {10: (2000, 2000), 50: (400, 400), 200: (96, 48), 1000: (32, 2)}
GOOGLE_TARGETS = {10: 8.0, 50: 15.0, 200: 45.0, 1000: 200.0}
PLTRDY_TARGETS = {10: 6.0, 50: 17.0, 200: 45.0}


def vocabulary(chance: random.Random, size: int = 5000) -> list[str]:
    """Make up distinct words of two to ten letters."""
    syllables = [first + second for first in "bcdfghklmnprstvw" for second in "aeiou"]
    words = {"".join(chance.choices(syllables, k=chance.randint(1, 5))) for _ in range(3 * size)}
    return sorted(words, key=lambda word: (len(word), word))[:size]


def edited(words: Sequence[str], pool: Sequence[str], chance: random.Random) -> list[str]:
    """Predict the words: a third replaced, followed by another or dropped, sometimes rotated."""
    out: list[str] = []
    for word in words:
        draw = chance.random()
        if draw < 0.2:
            out.append(chance.choice(pool))
        elif draw < 0.3:
            out.extend((word, chance.choice(pool)))
        elif draw > 0.35:
            out.append(word)
    cut = chance.randrange(len(out) + 1)
    return out[cut:] + out[:cut] if chance.random() < 0.3 else out or [chance.choice(pool)]


def punctuated(words: Sequence[str], chance: random.Random, sentence: int | None) -> str:
    """Write words with commas, and as sentences of about so many words."""
    text = ""
    left = sentence
    for word in words:
        text += (word.capitalize() if left == sentence else word) + ("," * (chance.random() < 0.05))
        if left is not None:
            left -= 1
        if left == 0:
            text, left = f"{text.rstrip(',')}.", sentence
        text += " "
    return text.rstrip(" ,")


def made_up(tokens: int, count: int, sentence: int | None) -> Pairs:
    """Make texts of so many words."""
    chance = random.Random(tokens)
    words = vocabulary(chance)
    weights = [1 / rank for rank in range(1, len(words) + 1)]
    pool = chance.choices(words, weights, k=20_000)
    texts = [chance.choices(words, weights, k=tokens) for _ in range(count)]
    return Pairs(
        [punctuated(edited(text, pool, chance), chance, sentence) for text in texts],
        [punctuated(text, chance, sentence) for text in texts],
    )


def screenqa(count: int) -> Pairs | None:
    """Take ScreenQA's questions of 9 to 11 words, if the data is there."""
    folder = os.environ.get("SNELLEN_DATA")
    if not folder:
        return None
    path = Path(folder, "screenqa", "short_answers", "validation.json")
    records: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    questions = [record["question"].split() for record in records]
    pool = [word for question in questions for word in question]
    chance = random.Random(10)
    texts = [question for question in questions if 9 <= len(question) <= 11]
    texts = (texts * (count // len(texts) + 1))[:count]
    return Pairs(
        [" ".join(edited(text, pool, chance)) for text in texts],
        [" ".join(text) for text in texts],
    )


def check(name: str, ours: NDArray[np.float64], peer: list[tuple[float, ...]]) -> None:
    """Stop unless the values agree."""
    worst = float(np.abs(ours - np.array(peer)).max())
    if worst > 1e-12:
        raise SystemExit(f"{name}: values differ by {worst}")


def google_rows(tokens: int, pairs: Pairs, few: int, rounds: int) -> list[Row]:
    """Race `rouge` against rouge-score."""
    scorer: Any = import_module("rouge_score.rouge_scorer").RougeScorer(
        ["rouge1", "rouge2", "rougeL"]
    )
    part = pairs.head(few)

    def peer() -> list[tuple[float, ...]]:
        return [
            tuple(part.fmeasure for part in scorer.score(reference, prediction).values())
            for prediction, reference in zip(*part, strict=True)
        ]

    def batch() -> NDArray[np.float64]:
        prepared = RougeReferences([[text] for text in pairs.references])
        return np.array(prepared.score(range(len(pairs.predictions)), pairs.predictions))

    name = f"rouge-score, {tokens} tokens"
    check(name, batch().T[:few], peer())
    prepared = RougeReferences([[text] for text in pairs.references])
    everyone = range(len(pairs.predictions))
    scale = len(pairs.predictions) / few
    target = GOOGLE_TARGETS[tokens]
    timed: list[tuple[str, Callable[[], object], float | None]] = [
        ("batch", batch, target),
        ("batch, prepared", lambda: prepared.score(everyone, pairs.predictions), target),
        ("one by one", lambda: list(map(rouge, *pairs)), None),
    ]
    if find_spec("rouge_score_rs"):
        rust: Any = import_module("rouge_score_rs.rouge_scorer").RougeScorer(
            ["rouge1", "rouge2", "rougeL"]
        )

        def ported() -> list[Any]:
            return [rust.score(*texts) for texts in zip(*reversed(pairs), strict=True)]

        timed.append(("rouge-score-rs", ported, None))
    return [
        race(f"{name}, {way}", ours, peer, rounds=rounds, target=goal, scale=scale)
        for way, ours, goal in timed
    ]


def pltrdy_rows(name: str, tokens: int, pairs: Pairs, few: int, rounds: int) -> list[Row]:
    """Race `rouge101` against rouge 1.0.1."""
    package: Any = import_module("rouge").Rouge()
    part = pairs.head(few)

    def peer() -> list[tuple[float, ...]]:
        return [
            tuple(part["f"] for part in scores.values()) for scores in package.get_scores(*part)
        ]

    def batch() -> NDArray[np.float64]:
        prepared = Rouge101References([[text] for text in pairs.references])
        return np.array(prepared.score(range(len(pairs.predictions)), pairs.predictions)[:3])

    check(name, batch().T[:few], peer())
    prepared = Rouge101References([[text] for text in pairs.references])
    everyone = range(len(pairs.predictions))
    scale = len(pairs.predictions) / few
    target = PLTRDY_TARGETS[tokens]
    timed: list[tuple[str, Callable[[], object], float | None]] = [
        ("batch", batch, target),
        ("batch, prepared", lambda: prepared.score(everyone, pairs.predictions), target),
        ("one by one", lambda: list(map(rouge101, *pairs)), None),
    ]
    return [
        race(f"{name}, {way}", ours, peer, rounds=rounds, target=goal, scale=scale)
        for way, ours, goal in timed
    ]


def main() -> None:
    """Print one table."""
    flags = options(__doc__ or "")
    rounds = flags.rounds or (2 if flags.quick else 9)
    shrink = 20 if flags.quick else 1
    rows: list[Row] = []
    for tokens, (many, few) in SIZES.items():
        if flags.quick and tokens == 1000:
            continue
        counts = many // (4 if flags.quick else 1), max(few // shrink, 2)
        real = screenqa(counts[0]) if tokens == 10 else None
        rows += google_rows(tokens, real or made_up(tokens, counts[0], 12), counts[1], rounds)
        if tokens not in PLTRDY_TARGETS:
            continue
        for kind, sentence in (("sentences", 12), ("one sentence", None)):
            if tokens == 10 and sentence:
                continue
            pairs = real or made_up(tokens, counts[0], sentence)
            name = f"rouge 1.0.1, {tokens} tokens, {kind}"
            rows += pltrdy_rows(name, tokens, pairs, counts[1], rounds)
    show(rows)
    print("10 tokens are", "ScreenQA questions" if os.environ.get("SNELLEN_DATA") else "generated")


if __name__ == "__main__":
    main()
