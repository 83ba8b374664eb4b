"""`sdk.reward` on 10,000 completions, against the published scorer of texts.

The peer of texts is SQuAD's exact match and F1 as `perf/grade.py` has it. Points are checked
against the first pair of numbers that one regular expression finds. The values must be equal, and
those of `sdk.grade` too. Seconds of one core are printed for 10,000 completions.
"""

import random
import re
import time
from collections.abc import Sequence
from typing import TypeAlias

from _timing import options, race, show
from grade import edited, published, questions

from snellen import sdk

PAIR = re.compile(r"(0\.\d+), (0\.\d+)")
Pairs: TypeAlias = Sequence[tuple[str, str]]
Targets: TypeAlias = dict[str, dict[str, list[int]]]


def targets(count: int) -> Targets:
    """Return references with seeded boxes, in pixels."""
    dice, size = random.Random(3), [1920, 1080]
    found: Targets = {}
    for number in range(count):
        left, top = dice.randrange(1500), dice.randrange(900)
        box = [left, top, left + dice.randrange(20, 400), top + dice.randrange(20, 170)]
        found[f"item-{number}"] = {"bbox": box, "image_size": size}
    return found


def inside(completion: str, target: dict[str, list[int]]) -> float:
    """Whether the first pair of fractions lies in the box, as published scripts look."""
    found = PAIR.search(completion)
    if found is None:
        return 0.0
    left, top, right, bottom = target["bbox"]
    width, height = target["image_size"]
    x, y = float(found[1]), float(found[2])
    return float(left / width <= x <= right / width and top / height <= y <= bottom / height)


def seconds(work: str, reward: sdk.Reward, pairs: Pairs, right: list[float], target: float) -> None:
    """Check the values, and print what 10,000 completions cost one core."""
    ids, completions = [item for item, _ in pairs], [said for _, said in pairs]
    if reward(completions, ids) != right:
        raise SystemExit(f"{work}: the values differ from the peer's")
    start = time.process_time()
    reward(completions, ids)
    took = (time.process_time() - start) / len(pairs) * 10_000
    print(f"{work}: {took:.2f} s of one core for 10,000 completions (target {target:g} s)")


def main() -> None:
    """Race the texts; the peer of points only checks the values, since it reads one form alone."""
    chosen = options("reward 10,000 completions")
    count, rounds = (500, 2) if chosen.quick else (10_000, 5)
    dice = random.Random(8)

    boxes = targets(1_500)
    points = [
        (dice.choice(list(boxes)), f"({dice.random():.4f}, {dice.random():.4f})")
        for _ in range(count)
    ]
    point = sdk.reward("screenspot-pro/point", "unit", references=boxes)
    right = [inside(said, boxes[item]) for item, said in points]
    seconds("points in a box", point, points, right, 3)
    same(point, points, boxes)

    asked, _ = questions(1_000)
    texts = [
        (item, edited(dice, dice.choice(asked[item]))) for item in dice.choices([*asked], k=count)
    ]
    exact = sdk.reward("screenqa/short", metric="exact_match", references=asked)

    def peer() -> list[float]:
        return [published(said, asked[item])[0] for item, said in texts]

    seconds("exact match of texts", exact, texts, peer(), 2)
    ids, completions = [item for item, _ in texts], [said for _, said in texts]
    show(
        [
            race(
                "exact match of texts",
                lambda: exact(completions, ids),
                peer,
                rounds=chosen.rounds or rounds,
                target=3,
            )
        ]
    )


def same(reward: sdk.Reward, pairs: Pairs, boxes: Targets) -> None:
    """Check that `sdk.grade` has the same values."""
    answers = [
        {"item_id": item, "attempt": number, "response": said}
        for number, (item, said) in enumerate(pairs[:200])
    ]
    report = sdk.grade(answers, task=reward.task, protocol="unit", references=boxes)
    graded = sum(score.value for score in report.scores)
    ours = sum(reward([said for _, said in pairs[:200]], [item for item, _ in pairs[:200]]))
    if graded != ours:
        raise SystemExit(f"sdk.grade has {graded}, the reward {ours}")


if __name__ == "__main__":
    main()
