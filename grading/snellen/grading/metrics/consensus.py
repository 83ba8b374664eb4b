"""Reference answers made from votes, of models (WebRSSBench v1) or of annotators (v2).

A consensus of models is circular: each model votes for the reference that it is graded by. So
`leave_one_out` removes the graded model's vote. `freeze` fixes the references under a hash, because
a thirteenth model must not change the scores of the other twelve.

Ties always go to the answer of the lowest voter id, so no result depends on the order of a mapping.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from snellen.grading.errors import MetricError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# The cosines of mirrored answers differ only by rounding errors of this order of magnitude.
_SAME_COSINE = 1e-12


class Choice(NamedTuple):
    """An answer that got votes: its most frequent raw form and its voters."""

    answer: str
    voters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Consensus:
    """The result of the votes on one item.

    Attributes:
        answer: The agreed answer in its most frequent raw form; None if there is none.
        votes: Voters for the leading answer, also if there is no agreed answer.
        voters: Voters who gave an answer.
        tally: All answers, the leading one first.
        reason: Why there is no answer; None if there is one.
    """

    answer: str | None
    votes: int
    voters: int
    tally: tuple[Choice, ...]
    reason: str | None = None

    @property
    def resolved(self) -> bool:
        """Whether there is an agreed answer."""
        return self.answer is not None

    @property
    def share(self) -> float | None:
        """Share of the voters who gave the leading answer; None if there are no voters."""
        return self.votes / self.voters if self.voters else None


@dataclass(frozen=True, slots=True)
class FrozenConsensus:
    """A set of references with a hash that identifies it.

    Attributes:
        references: Item ids and agreed answers, by item id.
        unresolved: Item ids and why they have no answer, by item id.
        document: Canonical JSON of the whole set, votes included: sorted keys, ASCII, no spaces, no
            floats. Write it to a file unchanged.
        sha256: Hex digest of the document's bytes.
    """

    references: tuple[tuple[str, str], ...]
    unresolved: tuple[tuple[str, str], ...]
    document: str
    sha256: str


def is_blank(text: str) -> bool:
    """Whether a text is empty or white space."""
    return not text.strip()


def unchanged(text: str) -> str:
    """Return the text itself: the normal form without normalization."""
    return text


def majority(
    votes: Mapping[str, str],
    *,
    normalize: Callable[[str], str],
    minimum_support: int = 3,
    ignored: Callable[[str], bool] = is_blank,
) -> Consensus:
    """The answer chosen most often (WebRSSBench v1, reference of the color tasks).

    Answers are grouped by normal form. The most frequent raw form of a group is kept.

    Args:
        votes: Raw answer by voter id.
        normalize: Normal form of an answer; an empty one is not a vote.
        minimum_support: The minimum number of voters (voters, not votes for the winner).
        ignored: Whether a raw answer is not a vote: blank, a refusal.

    Raises:
        MetricError: If `minimum_support` is less than 1.

    >>> votes = {"a": "Buy now", "b": "buy now", "c": "Sign up", "d": "Buy now", "e": ""}
    >>> result = majority(votes, normalize=str.casefold)
    >>> result.answer, result.votes, result.share
    ('Buy now', 3, 0.75)
    """
    _check_minimum(minimum_support, "minimum_support")
    tally = _tally(votes, normalize, ignored)
    return _decide(tally, _shortage(tally, minimum_support))


def human_majority(
    labels: Mapping[str, str],
    *,
    normalize: Callable[[str], str],
    needed: int = 3,
    ignored: Callable[[str], bool] = is_blank,
) -> Consensus:
    """The label that enough annotators agree on (WebRSSBench v2: three of four).

    Args:
        labels: Raw label by annotator id.
        normalize: Normal form of a label; an empty one is not a vote.
        needed: The number that must agree; they must also be more than half of the voters.
        ignored: Whether a raw label is not a vote.

    Raises:
        MetricError: If `needed` is less than 1.

    >>> human_majority({"a": "Yes", "b": "Yes", "c": "No", "d": "No"}, normalize=str.lower).reason
    'the leading answer has 2 of 4 votes, 3 needed'
    """
    _check_minimum(needed, "needed")
    tally = _tally(labels, normalize, ignored)
    agreed, voters = _leading(tally), _voters(tally)
    reason = None
    if agreed < needed:
        reason = f"the leading answer has {agreed} of {voters} votes, {needed} needed"
    elif agreed * 2 <= voters:
        reason = f"the leading answer has {agreed} of {voters} votes, no majority"
    return _decide(tally, reason)


def centroid(
    votes: Mapping[str, str],
    embeddings: "Mapping[str, NDArray[np.floating]]",
    *,
    minimum_support: int = 3,
    ignored: Callable[[str], bool] = is_blank,
) -> Consensus:
    """The answer closest to the mean of all answers (WebRSSBench v1, form and text tasks).

    Closeness is the cosine. With embeddings of unit length the result is the medoid, the answer
    with the highest mean cosine to all others. Otherwise long vectors pull the mean.

    Args:
        votes: Raw answer by voter id.
        embeddings: Embedding of each distinct raw answer, all of one shape (d,).
        minimum_support: The minimum number of voters.
        ignored: Whether a raw answer is not a vote.

    Returns:
        In the tally equal raw answers form a group, the chosen answer first and the others by
        number of votes. `votes` counts the voters with exactly the same text, often only one.

    Raises:
        MetricError: If an answer has no embedding, or one that is zero, not finite or of another
            shape, or `minimum_support` is less than 1.
    """
    _check_minimum(minimum_support, "minimum_support")
    tally = _tally(votes, unchanged, ignored)
    reason = _shortage(tally, minimum_support)
    if reason is not None:
        return _decide(tally, reason)
    nearest = _nearest(tally, embeddings)
    if nearest is None:
        return _decide(tally, "the embeddings of the answers cancel out")
    others = (choice for choice in tally if choice is not nearest)
    return _decide((nearest, *others), None)


def leave_one_out(
    votes: Mapping[str, str], voter: str, decide: Callable[[Mapping[str, str]], Consensus]
) -> Consensus:
    """The consensus without one voter, to grade that voter by.

    Args:
        votes: Raw answer by voter id.
        voter: The voter to leave out; for one without a vote, the result is the full consensus.
        decide: Makes a consensus of the remaining votes, such as a partial of `majority`.

    >>> from functools import partial
    >>> rule = partial(majority, normalize=str.lower, minimum_support=2)
    >>> leave_one_out({"a": "x", "b": "y", "c": "y", "d": "x"}, "d", rule).answer
    'y'
    """
    return decide({name: answer for name, answer in votes.items() if name != voter})


def freeze(items: Mapping[str, Consensus]) -> FrozenConsensus:
    """Fix the references of a set of items, with votes and unresolved items.

    Args:
        items: Consensus by item id; the order does not matter.

    Raises:
        MetricError: If there are no items.

    >>> both = {"q2": majority({}, normalize=str.lower),
    ...         "q1": majority({"a": "x", "b": "x", "c": "x"}, normalize=str.lower)}
    >>> frozen = freeze(both)
    >>> frozen.references, frozen.unresolved
    ((('q1', 'x'),), (('q2', '0 voters, 3 needed'),))
    """
    if not items:
        raise MetricError("there are no items to freeze")
    entries = {name: _entry(consensus) for name, consensus in items.items()}
    document = json.dumps(entries, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    named = sorted(items.items())
    return FrozenConsensus(
        references=tuple((name, c.answer) for name, c in named if c.answer is not None),
        unresolved=tuple((name, c.reason or "") for name, c in named if c.answer is None),
        document=document,
        sha256=sha256(document.encode("ascii")).hexdigest(),
    )


def _entry(consensus: Consensus) -> dict[str, object]:
    return {
        "answer": consensus.answer,
        "reason": consensus.reason,
        "tally": [{"answer": choice.answer, "voters": choice.voters} for choice in consensus.tally],
        "voters": consensus.voters,
        "votes": consensus.votes,
    }


def _tally(
    votes: Mapping[str, str], normalize: Callable[[str], str], ignored: Callable[[str], bool]
) -> tuple[Choice, ...]:
    """Group the votes by normal form, most votes first, then lowest voter id."""
    groups: dict[str, list[str]] = {}
    for voter, answer in sorted(votes.items()):
        form = "" if ignored(answer) else normalize(answer)
        if form:
            groups.setdefault(form, []).append(voter)
    choices = (
        Choice(_commonest(votes[v] for v in group), tuple(group)) for group in groups.values()
    )
    return tuple(sorted(choices, key=lambda choice: (-len(choice.voters), choice.voters[0])))


def _commonest(answers: Iterable[str]) -> str:
    """Return the most frequent answer; the first of several."""
    counts: dict[str, int] = {}
    for answer in answers:
        counts[answer] = counts.get(answer, 0) + 1
    return max(counts, key=counts.__getitem__)


def _decide(tally: tuple[Choice, ...], reason: str | None) -> Consensus:
    answer = tally[0].answer if reason is None else None
    return Consensus(answer, _leading(tally), _voters(tally), tally, reason)


def _leading(tally: tuple[Choice, ...]) -> int:
    return len(tally[0].voters) if tally else 0


def _voters(tally: tuple[Choice, ...]) -> int:
    return sum(len(choice.voters) for choice in tally)


def _shortage(tally: tuple[Choice, ...], minimum: int) -> str | None:
    voters = _voters(tally)
    return None if voters >= minimum else f"{voters} voters, {minimum} needed"


def _check_minimum(minimum: int, name: str) -> None:
    if minimum < 1:
        raise MetricError(f"{name} must be at least 1, not {minimum}")


def _nearest(
    tally: tuple[Choice, ...], embeddings: "Mapping[str, NDArray[np.floating]]"
) -> Choice | None:
    """Return the choice with the highest cosine to the mean vote; None if the mean is zero."""
    import numpy as np

    vectors = [_vector(choice.answer, embeddings) for choice in tally]
    shapes = {vector.shape for vector in vectors}
    if len(shapes) > 1:
        raise MetricError(f"embeddings of different shapes: {sorted(shapes)}")
    matrix = np.stack(vectors)
    weights = np.array([len(choice.voters) for choice in tally], dtype=np.float64)
    middle = weights @ matrix / weights.sum()
    lengths = np.linalg.norm(matrix, axis=1)
    length = np.linalg.norm(middle)
    if length <= _SAME_COSINE * lengths.max():
        return None
    cosines = matrix @ middle / (lengths * length)
    best = [
        c
        for c, cosine in zip(tally, cosines, strict=True)
        if cosines.max() - cosine <= _SAME_COSINE
    ]
    return min(best, key=lambda choice: choice.voters[0])


def _vector(answer: str, embeddings: "Mapping[str, NDArray[np.floating]]") -> "NDArray[np.float64]":
    import numpy as np

    if answer not in embeddings:
        raise MetricError(f"no embedding for the answer {answer!r}")
    vector = np.asarray(embeddings[answer], dtype=np.float64)
    if vector.ndim != 1 or not np.isfinite(vector).all() or not vector.any():
        raise MetricError(f"the embedding of {answer!r} is not a finite vector other than zero")
    return vector
