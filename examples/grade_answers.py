"""Grade the answers that ship with snellen, in Python: `python examples/grade_answers.py`."""

from pathlib import Path

from snellen import sdk

HERE = Path(__file__).parent


def main() -> None:
    """Grade, and say what dragged the number down."""
    report = sdk.grade(
        HERE / "answers.jsonl", task="screenqa/short", data=HERE / "screen_qa", protocol="official"
    )
    f1 = report.metrics["f1"]
    print(report.signature)
    print(f"F1 {f1.value:.4f} over all items, {f1.value_answered:.4f} over the answered ones")
    for score in report.scores:
        if score.value < 1:
            print(f"{score.item_id}: {score.value:.2f} ({score.outcome}) {score.response!r}")


if __name__ == "__main__":
    main()
