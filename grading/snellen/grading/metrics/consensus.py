"""The label that annotators agree on (WebRSSBench v2).

Ties go to the answer of the lowest voter id, so no result depends on the order of a mapping.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from snellen.grading.errors import MetricError


class _Choice(NamedTuple):
    """An answer that got votes: its most frequent raw form and its voters."""

    answer: str
    voters: tuple[str, ...]


class Consensus(NamedTuple):
    """The result of the votes on one item."""

    answer: str | None  # the agreed answer in its most frequent raw form; None if there is none
    reason: str | None  # why there is no answer; None if there is one


def human_majority(
    labels: Mapping[str, str], *, normalize: Callable[[str], str], needed: int = 3
) -> Consensus:
    """Return the label that enough annotators agree on (WebRSSBench v2: three of four).

    Args:
        labels: Raw label by annotator id; a blank one is not a vote.
        normalize: Normal form of a label; an empty one is not a vote.
        needed: The number that must agree; they must also be more than half of the voters.

    Raises:
        MetricError: If `needed` is less than 1.

    >>> human_majority({"a": "Yes", "b": "Yes", "c": "No", "d": "No"}, normalize=str.lower).reason
    'the leading answer has 2 of 4 votes, 3 needed'
    """
    if needed < 1:
        raise MetricError(f"needed must be at least 1, not {needed}")
    tally = _tally(labels, normalize)
    agreed = len(tally[0].voters) if tally else 0
    voters = sum(len(choice.voters) for choice in tally)
    if agreed < needed:
        return Consensus(
            None, f"the leading answer has {agreed} of {voters} votes, {needed} needed"
        )
    if agreed * 2 <= voters:
        return Consensus(None, f"the leading answer has {agreed} of {voters} votes, no majority")
    return Consensus(tally[0].answer, None)


def _tally(votes: Mapping[str, str], normalize: Callable[[str], str]) -> list[_Choice]:
    """Group the votes by normal form, most votes first, then lowest voter id."""
    groups: dict[str, list[str]] = {}
    for voter, answer in sorted(votes.items()):
        if answer.strip() and (form := normalize(answer)):
            groups.setdefault(form, []).append(voter)
    choices = [
        _Choice(_commonest(votes[v] for v in group), tuple(group)) for group in groups.values()
    ]
    return sorted(choices, key=lambda choice: (-len(choice.voters), choice.voters[0]))


def _commonest(answers: Iterable[str]) -> str:
    """Return the most frequent answer; the first of several."""
    counts: dict[str, int] = {}
    for answer in answers:
        counts[answer] = counts.get(answer, 0) + 1
    return max(counts, key=counts.__getitem__)
