"""Say whether two models differ, on which items, and where.

The two models are generated: on 60 pages with three questions each, one answers rightly seven
times in ten, the other eight times. Run it with `python examples/compare_runs.py`.
"""

import random

from snellen import sdk

PAGES = range(60)
TASK = "visualwebbench/element_ground"
ITEMS = [f"{page}/{question}" for page in PAGES for question in range(3)]
REFERENCES = {item_id: random.Random(item_id).randrange(8) for item_id in ITEMS}
TAGS = {
    item_id: {
        "page": item_id.partition("/")[0],
        "kind": "icon" if item_id.endswith("0") else "text",
    }
    for item_id in ITEMS
}


def answers(model: str, accuracy: float) -> list[dict[str, str]]:
    """Answer every item, rightly with a probability."""
    rng = random.Random(model)
    return [
        {
            "item_id": item_id,
            "model": model,
            "response": "ABCDEFGH"[right if rng.random() < accuracy else (right + 1) % 8],
        }
        for item_id, right in REFERENCES.items()
    ]


def main() -> None:
    """Grade both, compare them, and break one down."""
    reports = {
        model: sdk.grade(
            answers(model, accuracy), task=TASK, references=REFERENCES, tags=TAGS, cluster="page"
        )
        for model, accuracy in (("red", 0.7), ("blue", 0.8))
    }
    for model, report in reports.items():
        interval = report.numbers.estimates["accuracy"].interval
        assert interval is not None
        print(f"{model}: {report.value:.3f} ({interval.low:.3f} to {interval.high:.3f})")
    found = sdk.compare(reports)[0]
    print(f"{found.second} - {found.first}: {found.difference.value:+.3f}, {found.verdict}")
    for test in found.tests:
        print(f"  {test.name}: p = {test.p:.4f}")
    print(f"  {len(found.gained)} items gained, {len(found.lost)} lost")
    print(f"  {found.items} items can show a difference of {found.detectable or 0:.3f}")
    for cell in reports["blue"].by("kind").cells:
        if cell.estimate is not None:
            print(f"blue on {cell.name}: {cell.estimate.value:.3f} of {cell.items} items")


if __name__ == "__main__":
    main()
