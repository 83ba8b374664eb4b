"""Ask whether two tasks agree, and what papers print of it: `python examples/correlate_runs.py`."""

from random import Random

from scipy.stats import pearsonr

from snellen import sdk
from snellen.tasks.published.tables import published_rows, published_table, standing

REFERENCES = {f"item {number}": [str(number)] for number in range(40)}
SKILLS = {"tiny": 0.2, "small": 0.35, "medium": 0.5, "large": 0.65, "huge": 0.85}


def value(task: str, skill: float, random: Random) -> float:
    """Return the score of a made-up model that knows so many of the answers."""
    answers = [
        {"item_id": item, "response": right if random.random() < skill else "I don't know"}
        for item, (right,) in REFERENCES.items()
    ]
    return sdk.grade(answers, task=task, references=REFERENCES).value


def main() -> None:
    """Correlate made-up runs on two tasks, and two columns of a printed table."""
    random = Random(1)
    short, complex_ = (
        [value(task, skill, random) for skill in SKILLS.values()]
        for task in ("screenqa/short", "screenqa/complex")
    )
    found = pearsonr(short, complex_)
    low, high = found.confidence_interval()
    print(f"Made-up runs: {found.statistic:+.2f} ({low:+.2f} to {high:+.2f}), n={len(short)}")

    table = published_table("VisualWebBench table 1")
    names = ("web_caption", "action_ground")
    rows = [row for row in table.cells.values() if all(name in row for name in names)]
    captions, actions = ([row[name] for row in rows] for name in names)
    found = pearsonr(captions, actions)
    print(f"{table.source}, captioning and action grounding over {len(rows)} models:")
    print(f"coefficient {found.statistic:+.2f}, p {found.pvalue:.5f}")

    where = standing(published_rows("visualwebbench/web_caption"), 0.3)
    print(f"\nA score of 0.300 in captioning is number {where.rank} of {where.of + 1}", end="")
    if where.below and where.above:
        print(
            f", between {where.below.model} ({where.below.value:.3f})"
            f" and {where.above.model} ({where.above.value:.3f})"
        )


if __name__ == "__main__":
    main()
