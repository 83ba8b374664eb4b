"""Consensus references: votes, ties, centroids, leaving one out, freezing."""

import json
import random
from functools import partial
from hashlib import sha256

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from snellen.grading.errors import MetricError
from snellen.grading.metrics.consensus import (
    Choice,
    Consensus,
    centroid,
    freeze,
    human_majority,
    leave_one_out,
    majority,
    unchanged,
)

VOTES = st.dictionaries(st.text("abcdefgh", min_size=1, max_size=3), st.sampled_from("xXyYz "))
lowered = partial(majority, normalize=str.lower)


def test_the_answer_chosen_most_often_wins() -> None:
    result = lowered({"a": "Buy", "b": "Cart", "c": "buy", "d": "Buy"})
    assert result.answer == "Buy"
    assert result.resolved
    assert (result.votes, result.voters, result.share) == (3, 4, 0.75)
    assert result.tally == (Choice("Buy", ("a", "c", "d")), Choice("Cart", ("b",)))
    assert result.reason is None


def test_the_most_frequent_raw_form_is_kept() -> None:
    votes = {"a": "BUY", "b": "Buy", "c": "Buy", "d": "buy"}
    assert lowered(votes).answer == "Buy"


def test_of_equally_frequent_raw_forms_the_lowest_voters_is_kept() -> None:
    assert lowered({"c": "buy", "b": "Buy", "a": "BUY"}).answer == "BUY"


def test_a_tie_goes_to_the_side_of_the_lowest_voter() -> None:
    votes = {"m4": "left", "m3": "right", "m2": "right", "m1": "left"}
    assert lowered(votes).answer == "left"


@given(VOTES, st.randoms(use_true_random=False))
def test_the_order_of_the_votes_does_not_matter(
    votes: dict[str, str], shuffler: random.Random
) -> None:
    names = list(votes)
    shuffler.shuffle(names)
    assert lowered({name: votes[name] for name in names}) == lowered(votes)


@given(VOTES)
def test_the_leading_answer_has_no_fewer_votes_than_any_other(votes: dict[str, str]) -> None:
    result = lowered(votes, minimum_support=1)
    real = [answer.lower() for answer in votes.values() if answer.strip()]
    assert result.voters == len(real)
    if real:
        assert result.votes == max(real.count(answer) for answer in real)
        assert result.answer is not None
        assert real.count(result.answer.lower()) == result.votes
    else:
        assert (result.answer, result.share) == (None, None)


def test_empty_answers_and_refusals_are_no_votes() -> None:
    votes = {"a": "", "b": "  ", "c": "Sorry, I cannot", "d": "Buy", "e": "Buy", "f": "Buy"}
    result = lowered(
        votes, ignored=lambda text: not text.strip() or text.lower().startswith("sorry")
    )
    assert (result.answer, result.votes, result.voters) == ("Buy", 3, 3)


def test_an_answer_with_an_empty_normal_form_is_no_vote() -> None:
    votes = {"a": "!!", "b": "Buy!", "c": "Buy", "d": "buy"}
    result = majority(votes, normalize=lambda text: text.strip("!").lower())
    assert result.voters == 3


def test_too_few_voters_leave_an_item_unresolved() -> None:
    result = lowered({"a": "Buy", "b": "Buy", "c": ""})
    assert result.answer is None
    assert not result.resolved
    assert result.reason == "2 voters, 3 needed"
    assert (result.votes, result.share) == (2, 1.0)


def test_no_votes_have_no_share() -> None:
    assert lowered({}) == Consensus(None, 0, 0, (), "0 voters, 3 needed")
    assert lowered({}).share is None


def test_three_of_four_annotators_make_a_label() -> None:
    result = human_majority(dict(zip("abcd", "xxyx", strict=True)), normalize=unchanged)
    assert (result.answer, result.votes, result.voters) == ("x", 3, 4)


@pytest.mark.parametrize(
    ("labels", "reason"),
    [
        ("xxyy", "the leading answer has 2 of 4 votes, 3 needed"),
        ("xyzw", "the leading answer has 1 of 4 votes, 3 needed"),
        ("xx", "the leading answer has 2 of 2 votes, 3 needed"),
        ("", "the leading answer has 0 of 0 votes, 3 needed"),
        ("xxxyyy", "the leading answer has 3 of 6 votes, no majority"),
    ],
)
def test_annotators_who_disagree_leave_an_item_unresolved(labels: str, reason: str) -> None:
    result = human_majority({str(i): label for i, label in enumerate(labels)}, normalize=unchanged)
    assert (result.answer, result.reason) == (None, reason)


def medoid(votes: dict[str, str], embeddings: dict[str, NDArray[np.float64]]) -> float:
    """The highest mean cosine of an answer to all others."""
    vectors = [embeddings[answer] for answer in votes.values()]
    return max(mean_cosine(vector, vectors) for vector in vectors)


def mean_cosine(vector: NDArray[np.float64], others: list[NDArray[np.float64]]) -> float:
    return float(np.mean([vector @ o / np.linalg.norm(vector) / np.linalg.norm(o) for o in others]))


@given(st.integers(0, 10**6), st.integers(3, 9), st.integers(2, 5))
def test_with_unit_vectors_the_centroid_is_the_medoid(seed: int, voters: int, width: int) -> None:
    # Section 1.5.
    generator = np.random.default_rng(seed)
    votes = {f"m{i}": f"answer {generator.integers(voters)}" for i in range(voters)}
    embeddings = {f"answer {i}": generator.normal(size=width) for i in range(voters)}
    embeddings = {text: v / np.linalg.norm(v) for text, v in embeddings.items()}
    answer = centroid(votes, embeddings).answer
    assert answer is not None
    vectors = [embeddings[text] for text in votes.values()]
    best = medoid(votes, embeddings)
    assert mean_cosine(embeddings[answer], vectors) == pytest.approx(best, abs=1e-9)


def test_with_other_lengths_the_centroid_is_not_the_medoid() -> None:
    votes = {"a": "east", "b": "east-ish", "c": "north"}
    embeddings = {
        "east": np.array([1.0, 0.0]),
        "east-ish": np.array([0.9, 0.1]),
        "north": np.array([0.0, 50.0]),
    }
    assert centroid(votes, embeddings).answer == "north"
    units = {text: v / np.linalg.norm(v) for text, v in embeddings.items()}
    assert centroid(votes, units).answer == "east-ish"


def test_votes_for_the_same_text_pull_the_centroid() -> None:
    embeddings = {"x": np.array([1.0, 0.0]), "y": np.array([0.0, 1.0])}
    result = centroid({"a": "x", "b": "y", "c": "y"}, embeddings)
    assert (result.answer, result.votes, result.voters) == ("y", 2, 3)
    assert result.tally == (Choice("y", ("b", "c")), Choice("x", ("a",)))


def test_mirrored_answers_tie_and_the_lowest_voters_wins() -> None:
    angles = {"x": 0.1, "y": -0.1, "z": 1.3, "w": -1.3}
    embeddings = {t: np.array([np.cos(angle), np.sin(angle)]) for t, angle in angles.items()}
    assert centroid({"b": "x", "a": "y", "c": "z", "d": "w"}, embeddings).answer == "y"
    assert centroid({"a": "x", "b": "y", "c": "z", "d": "w"}, embeddings).answer == "x"


def test_answers_that_cancel_out_have_no_centroid() -> None:
    embeddings = {"x": np.array([1.0, 0.0]), "y": np.array([-1.0, 0.0])}
    result = centroid({"a": "x", "b": "y", "c": "x", "d": "y"}, embeddings)
    assert (result.answer, result.reason) == (None, "the embeddings of the answers cancel out")


def test_a_centroid_needs_voters_too_and_ignores_the_empty() -> None:
    result = centroid({"a": "x", "b": "", "c": " "}, {"x": np.ones(2)})
    assert (result.answer, result.reason) == (None, "1 voters, 3 needed")


@pytest.mark.parametrize(
    ("embedding", "message"),
    [
        (np.zeros(2), "the embedding of 'y' is not a finite vector other than zero"),
        (np.array([np.nan, 1.0]), "the embedding of 'y' is not a finite vector other than zero"),
        (np.ones((2, 2)), "the embedding of 'y' is not a finite vector other than zero"),
        (np.ones(3), r"embeddings of different shapes: \[\(2,\), \(3,\)\]"),
        (None, "no embedding for the answer 'y'"),
    ],
)
def test_an_answer_without_direction_is_an_error(
    embedding: NDArray[np.float64] | None, message: str
) -> None:
    embeddings = {"x": np.ones(2)} | ({} if embedding is None else {"y": embedding})
    with pytest.raises(MetricError, match=message):
        centroid({"a": "x", "b": "y", "c": "x"}, embeddings)


def test_leaving_one_out_takes_its_own_vote_away() -> None:
    votes = {"a": "x", "b": "y", "c": "y", "d": "x"}
    rule = partial(lowered, minimum_support=2)
    assert lowered(votes).answer == "x"
    assert leave_one_out(votes, "d", rule).answer == "y"
    assert leave_one_out(votes, "b", rule).answer == "x"


def test_who_has_not_voted_is_graded_by_all() -> None:
    votes = {"a": "x", "b": "y", "c": "y"}
    assert leave_one_out(votes, "model-13", lowered) == lowered(votes)
    assert "model-13" not in votes


def test_freezing_lists_references_and_unresolved_items_by_id() -> None:
    agreed, split = lowered(dict.fromkeys("abc", "Buy")), lowered({"a": "x"})
    frozen = freeze({"q10": agreed, "q2": split, "q1": agreed})
    assert frozen.references == (("q1", "Buy"), ("q10", "Buy"))
    assert frozen.unresolved == (("q2", "1 voters, 3 needed"),)


def test_the_frozen_document_is_canonical_and_hashed() -> None:
    frozen = freeze({"q": lowered({"a": "größer", "b": "größer", "c": "klein"})})
    content = {
        "q": {
            "answer": "größer",
            "reason": None,
            "tally": [
                {"answer": "größer", "voters": ["a", "b"]},
                {"answer": "klein", "voters": ["c"]},
            ],
            "voters": 3,
            "votes": 2,
        }
    }
    assert json.loads(frozen.document) == content
    assert frozen.document == json.dumps(content, sort_keys=True, separators=(",", ":"))
    assert frozen.sha256 == sha256(frozen.document.encode()).hexdigest()


@given(st.dictionaries(st.text(max_size=3), VOTES, min_size=1), st.randoms(use_true_random=False))
def test_the_hash_does_not_depend_on_the_order_of_the_items(
    votes: dict[str, dict[str, str]], shuffler: random.Random
) -> None:
    items = {name: lowered(cast) for name, cast in votes.items()}
    names = list(items)
    shuffler.shuffle(names)
    assert freeze({name: items[name] for name in names}) == freeze(items)


def test_any_change_of_a_vote_changes_the_hash() -> None:
    votes = {"a": "x", "b": "x", "c": "y"}
    frozen = freeze({"q": lowered(votes)})
    assert freeze({"q": lowered(votes | {"m13": "x"})}).sha256 != frozen.sha256
    assert freeze({"q": lowered(votes | {"c": "z"})}).sha256 != frozen.sha256
    assert freeze({"p": lowered(votes)}).sha256 != frozen.sha256


def test_nothing_to_freeze_and_no_support_are_errors() -> None:
    with pytest.raises(MetricError, match="there are no items to freeze"):
        freeze({})
    with pytest.raises(MetricError, match="minimum_support must be at least 1, not 0"):
        lowered({}, minimum_support=0)
    with pytest.raises(MetricError, match="minimum_support must be at least 1, not 0"):
        centroid({}, {}, minimum_support=0)
    with pytest.raises(MetricError, match="needed must be at least 1, not 0"):
        human_majority({}, normalize=unchanged, needed=0)
