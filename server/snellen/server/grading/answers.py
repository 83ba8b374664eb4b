"""Grading the answers of an attempt."""

from snellen.grading.models.reports import Report
from snellen.server.exam.spec import AnswerSet


def grade_answers(answers: AnswerSet) -> Report:
    """Grade the answers of one attempt to one task, as `sdk.grade` does."""
    # An agent waits for its first item, and grading is needed at the end.
    from snellen.sdk.local import grade

    return grade(
        answers.submissions,
        data=answers.data,
        protocol=answers.protocol.partition("@")[0],
        items=answers.items,
        progress=False,
    )
