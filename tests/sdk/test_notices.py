"""What a report says beside its numbers: the number as published, and who agrees with a file."""

from typing import Any

from snellen import sdk

TASK = "screenspot-v2/point"
GOLD = {"bbox": [960, 500, 1000, 530], "image_size": [1920, 1080]}
REFERENCES = dict.fromkeys("abcd", GOLD)


def graded(responses: list[object], **options: Any) -> sdk.Report:
    rows = [
        {"item_id": item, "response": said} for item, said in zip("abcd", responses, strict=True)
    ]
    return sdk.grade(rows, task=TASK, references=REFERENCES, progress=False, **options)


def test_a_report_of_our_reader_begins_with_both_numbers_and_the_difference() -> None:
    # The published code reads fractions alone; two answers are in pixels.
    report = graded(["(0.51, 0.477)", "(0.51, 0.477)", "click(980, 515)", "click(980, 515)"])
    published = report.numbers.as_published
    assert published is not None
    assert (published.protocol, published.metric) == ("official@1", "accuracy")
    assert (report.value, published.value, published.otherwise) == (1.0, 0.5, 2)
    alone = graded(["(0.51, 0.477)", "(0.51, 0.477)", "click(980, 515)", "click(980, 515)"],
                   protocol="official")  # fmt: skip
    assert published.value == alone.value
    first = str(report).splitlines()[0]
    assert first.startswith("accuracy 100.00; as published 50.00: official@1 reads SeeClick's")
    assert first.endswith("and 2 answers differ")


def test_equal_numbers_are_said_in_fewer_words() -> None:
    first = str(graded(["(0.51, 0.477)"] * 4)).splitlines()[0]
    assert first == "accuracy 100.00; as published 100.00, by official@1"


def test_a_published_protocol_has_no_other_number_beside_it() -> None:
    assert graded(["(0.51, 0.477)"] * 4, protocol="official").numbers.as_published is None
    text = sdk.grade({"a": "5"}, task="screenqa/short", references={"a": ["5"]}, progress=False)
    assert text.numbers.as_published is None


def test_the_protocol_that_agrees_better_with_a_files_verdicts_is_named() -> None:
    row = {"raw_response": "click(980, 515)", "pred": [980, 515], "correctness": "wrong"}
    rows = [{"id": item, **row} for item in "abcd"]
    report = sdk.grade(rows, task=TASK, references=REFERENCES, answer="raw", progress=False)
    (notice,) = [one for one in report.input.notices if one.code == "verdicts"]
    assert notice.message.startswith("agrees with the file's own verdicts on 0 of 4")
    assert notice.message.endswith(f"; `{notice.protocol}` agrees on 4 of 4")
    assert notice.protocol == "official@1"
