"""The audit of actions says which space fits, and what the answers would score in it."""

import json
import random

from snellen import sdk


def run(space: str, count: int = 60) -> tuple[list[dict[str, object]], dict[str, object]]:
    """Return right clicks in a space, in Qwen's call, and their references."""
    chance = random.Random(1)
    extent = {"thousand": (1000, 1000), "pixels": (1080, 2400), "view": (1092, 2408)}[space]
    answers: list[dict[str, object]] = []
    references: dict[str, object] = {}
    for number in range(count):
        x, y = chance.randint(100, 1000), chance.randint(200, 2300)
        item = f"{number // 5}/{number % 5}"
        references[item] = {
            "action": {"type": "click", "point": [x, y]},
            "image_size": [1080, 2400],
            "boxes": [[x - 40, y - 30, x + 40, y + 30]],
            "episode": str(number // 5),
            "step": number % 5,
        }
        at = [round(x / 1080 * extent[0]), round(y / 2400 * extent[1])]
        call = {"name": "mobile_use", "arguments": {"action": "click", "coordinate": at}}
        response = f"<tool_call>\n{json.dumps(call)}\n</tool_call>"
        answers.append({"item_id": item, "response": response})
    return answers, references


def test_thousandths_that_are_read_as_pixels_are_named_with_their_score() -> None:
    answers, references = run("thousand")
    report = sdk.grade(answers, task="androidcontrol/high", references=references)
    (notice,) = report.input.notices
    assert report.value == 0
    assert (notice.code, notice.space, notice.count) == ("space", "thousand", 60)
    assert "60 answers with a point score 100.0%; as `robust@" in notice.message
    assert report.input.warnings == (notice.message,)
    audit = report.audit()
    assert audit is not None
    assert (audit.readings[0].space.id, audit.readings[0].score, audit.as_read) == (
        "thousand",
        1,
        0,
    )


def test_steps_that_come_as_references_are_clustered_by_their_episode() -> None:
    answers, references = run("view")
    report = sdk.grade(answers, task="androidcontrol/high", references=references)
    estimate = report.numbers.estimate
    assert estimate is not None
    assert (report.numbers.clustered_by, estimate.clusters, estimate.items) == ("episode", 12, 60)


def test_auto_takes_the_space_that_alone_explains_them_and_signs_it() -> None:
    answers, references = run("thousand")
    for protocol in ("qwen", "robust"):
        report = sdk.grade(
            answers,
            task="androidcontrol/high",
            references=references,
            protocol=protocol,
            space="auto",
        )
        assert report.value == 1
        assert "|read:space=thousand,auto|" in report.signature


def test_auto_leaves_answers_as_they_are_that_are_right() -> None:
    answers, references = run("view")
    report = sdk.grade(answers, task="androidcontrol/high", references=references, space="auto")
    assert (report.value, report.provenance.read_as) == (1, "")


def test_a_declared_format_or_space_is_what_the_answers_count() -> None:
    answers, references = run("thousand")
    for read_as in (
        ("mai-ui", None, None),
        (None, "thousand", None),
        (None, None, (1000.0, 1000.0)),
    ):
        form, space, view = read_as
        report = sdk.grade(
            answers,
            task="androidcontrol/high",
            references=references,
            format=form,
            space=space,
            view=view,
        )
        assert report.value == 1
        assert "|read:" in report.signature
        again = sdk.regrade(report, protocol="robust")
        assert again.value == 1
        assert again.provenance.read_as == report.provenance.read_as
