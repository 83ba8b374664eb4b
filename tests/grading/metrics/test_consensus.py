"""Labels that annotators agree on: votes, ties, white space."""

import pytest

from snellen.grading.errors import MetricError
from snellen.grading.metrics.consensus import human_majority


def test_three_of_four_annotators_make_a_label() -> None:
    votes = dict(zip("abcd", ["Buy", "buy", "help", "Buy"], strict=True))
    assert human_majority(votes, normalize=str.lower) == ("Buy", None)


@pytest.mark.parametrize(
    ("labels", "reason"),
    [
        ("xxyy", "the leading answer has 2 of 4 votes, 3 needed"),
        ("xyzw", "the leading answer has 1 of 4 votes, 3 needed"),
        ("xx  ", "the leading answer has 2 of 2 votes, 3 needed"),
        ("", "the leading answer has 0 of 0 votes, 3 needed"),
        ("xxxyyy", "the leading answer has 3 of 6 votes, no majority"),
    ],
)
def test_annotators_who_disagree_leave_an_item_unresolved(labels: str, reason: str) -> None:
    votes = {str(number): label for number, label in enumerate(labels)}
    assert human_majority(votes, normalize=str.lower) == (None, reason)


def test_no_result_depends_on_the_order_of_the_votes() -> None:
    votes = {"b": "Buy", "a": "BUY", "d": "buy", "c": "Buy", "e": "BUY"}
    turned = dict(reversed(votes.items()))
    made = human_majority(votes, normalize=str.lower)
    assert made == human_majority(turned, normalize=str.lower) == ("BUY", None)


def test_a_number_that_nobody_need_be_is_refused() -> None:
    with pytest.raises(MetricError, match="needed must be at least 1, not 0"):
        human_majority({}, normalize=str.lower, needed=0)
