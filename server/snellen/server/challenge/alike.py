"""Submissions of different participants that look copied, for organizers: a hint, never a verdict.

Two files are the same, or two submissions have the same wrong answers; right answers are alike
anyway. Answers are compared as text, without case and white space. Two runs that often give the
same answer, such as "no answer", agree by chance, so the agreement beyond chance counts as well
(Cohen's kappa).
"""

import zlib
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from snellen.grading.models.base import Closed
from snellen.server.challenge import queries
from snellen.server.challenge.boards import Boards
from snellen.server.challenge.service import Challenge
from snellen.server.exam.file import Phase
from snellen.server.exam.phases import ALL

MIN_WRONG = 20
"""The minimum number of items that both answer wrongly."""

MIN_SHARE, MIN_KAPPA = 0.9, 0.8
"""The minimum share of these items with the same answer, and of its agreement beyond chance.

Models that are not copies of each other give the same answer on about 60 % of the questions of a
leaderboard that both answer wrongly (Kim et al., Correlated Errors in Large Language Models, 2025).
"""

MOST_RUNS = 200
"""The number of runs, the best first, whose answers are compared."""


class NamedRun(Closed):
    """A submission, as far as it is named in a pair."""

    submission: str
    participant: str
    name: str


class Alike(Closed):
    """Two submissions of different participants that look alike.

    Attributes:
        one: The first, which arrived earlier or ranks higher.
        other: The second.
        same_file: Whether their files have the same bytes.
        wrong: The number of items that both answer wrongly; 0: they were not compared.
        same: The number of these items with the same answer.
    """

    one: NamedRun
    other: NamedRun
    same_file: bool
    wrong: int = 0
    same: int = 0


class _Answers(NamedTuple):
    run: NamedRun
    wrong: NDArray[np.bool_]
    texts: NDArray[np.int64]


class _Row(msgspec.Struct):
    item_id: str
    value: float
    attempt: int = 0
    response: msgspec.Raw = msgspec.Raw(b"null")


class _Report(msgspec.Struct):
    scores: list[_Row]


_DECODER = msgspec.json.Decoder(_Report)


def alike_submissions(challenge: Challenge, boards: Boards, phase: Phase) -> Sequence[Alike]:
    """Return the pairs of a phase's submissions that look copied, the same files first.

    Files are compared for all submissions, and answers for those on the leaderboard. It reads their
    reports, so it takes seconds.

    Raises:
        NotFoundError: The phase has no leaderboard yet.
    """
    rows = boards.board(phase, organizer=True).board.rows
    runs = [
        NamedRun(submission=row.submission, participant=row.participant, name=row.name)
        for row in rows
        if not row.baseline
    ]
    answers = [_answers(challenge, run) for run in runs[:MOST_RUNS]]
    return [*_same_files(challenge, phase), *_same_answers(answers)]


def _same_files(challenge: Challenge, phase: Phase) -> Iterator[Alike]:
    key = {"f": challenge.phases.key(phase)}
    by_digest: dict[bytes, dict[str, NamedRun]] = {}
    for row in challenge.database.read(lambda c: queries.OF_PHASE.all(c, key)):
        if row.removed is None and not row.baseline:
            run = NamedRun(submission=row.id, participant=row.caller, name=row.name)
            by_digest.setdefault(row.digest, {}).setdefault(row.caller, run)
    for same in by_digest.values():
        for one, other in combinations(same.values(), 2):
            yield Alike(one=one, other=other, same_file=True)


def _answers(challenge: Challenge, run: NamedRun) -> _Answers:
    """Return which of the exam's items a run answers wrongly, and the hash of each answer."""
    key = {"s": run.submission, "p": ALL}
    scores = challenge.database.read(lambda c: queries.SCORES.all(c, key))
    newest = {score.task: score.report for score in scores}  # the newest grading is the last
    wrong: list[bool] = []
    texts: list[int] = []
    for task in challenge.exam.offers:
        report = newest.get(task)
        found = [] if report is None else _DECODER.decode(zlib.decompress(report)).scores
        by_item = {row.item_id: row for row in found if row.attempt == 0}
        for item in challenge.exam.asked(task):
            row = by_item.get(item)
            text = b"null" if row is None else bytes(row.response)
            wrong.append(row is not None and row.value == 0 and text != b"null")
            texts.append(hash(b"".join(text.split()).lower()))
    return _Answers(run, np.array(wrong, dtype=np.bool_), np.array(texts, dtype=np.int64))


def _same_answers(answers: Sequence[_Answers]) -> Iterator[Alike]:
    for one, other in combinations(answers, 2):
        if one.run.participant == other.run.participant:
            continue
        both = one.wrong & other.wrong
        wrong = int(both.sum())
        if wrong < MIN_WRONG:
            continue
        left, right = one.texts[both], other.texts[both]
        same = int((left == right).sum())
        if same >= MIN_SHARE * wrong and _kappa(left, right) >= MIN_KAPPA:
            yield Alike(one=one.run, other=other.run, same_file=False, wrong=wrong, same=same)


def _kappa(left: NDArray[np.int64], right: NDArray[np.int64]) -> float:
    """Return the agreement beyond chance: 0 of independent answers, 1 of equal ones."""
    names, places = np.unique(np.concatenate([left, right]), return_inverse=True)
    one, other = (
        np.bincount(part, minlength=len(names)) / len(left)
        for part in np.split(places, [len(left)])
    )
    expected = float(one @ other)
    share = float((left == right).mean())
    return 0.0 if expected == 1 else (share - expected) / (1 - expected)
