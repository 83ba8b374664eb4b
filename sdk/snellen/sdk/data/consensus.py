"""References from the answers of several models, frozen in a file.

WebRSSBench v1 derived references from the answers of its twelve models: for buttons the most
frequent one, for free texts the one closest to the mean. So each model votes for the reference that
it is graded by; `Consensus.leave_out` removes a model's votes. The file is frozen: its digest
covers every vote, so that a thirteenth model does not change existing scores.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType
from typing import Literal, TypeAlias

import msgspec

from snellen.grading.errors import DataError, InputError, UnknownNameError
from snellen.grading.metrics import consensus as votes_on
from snellen.grading.models.base import NO_JSON, digest_of
from snellen.grading.models.reports import Problem
from snellen.grading.normalize import button
from snellen.grading.parse.refusals import is_refusal
from snellen.grading.parse.regions import region
from snellen.grading.protocols.base import NO_CONTEXT
from snellen.grading.protocols.table import protocol_of
from snellen.sdk.files import write_atomically
from snellen.sdk.submissions import Source, read
from snellen.tasks.embedders import CHAR_NGRAM, load_embedder

FORMAT = "snellen-consensus/1"

Rule: TypeAlias = Literal["majority", "centroid", "annotators"]
"""`majority`: the answer given most often. `centroid`: the one nearest to the mean of all
embeddings. `annotators`: the one that at least `minimum_support` and more than half agree on."""

PairRule: TypeAlias = Literal["clean", "each"]
"""Of a page asked about before and after a perturbation: `clean` takes the answers before it for
the reference of both; `each` lets every item have its own. The paper does not say which."""

_Votes: TypeAlias = Mapping[str, Mapping[str, str]]
_Decide: TypeAlias = Callable[[Mapping[str, str]], votes_on.Consensus]

_STATE = re.compile(r"/(?P<state>before|after(?:-\w+)?)\Z")
_PROTOCOL = "robust"


def _is_silent(text: str) -> bool:
    return votes_on.is_blank(text) or is_refusal(text)


def _region_form(text: str) -> str:
    return region(text) or ""


@dataclass(frozen=True, slots=True)
class _Voting:
    """The conversion of a task's answers to votes.

    Attributes:
        rule: The default rule that makes a reference of votes.
        form: The form in which two answers are equal.
        ignored: Whether an answer is not a vote.
        empty: The meaning of an answer that is read as empty.
    """

    rule: Rule
    form: Callable[[str], str] = button
    ignored: Callable[[str], bool] = _is_silent
    empty: str = ""


_TASKS: Mapping[str, _Voting] = MappingProxyType(
    {
        "webrssbench/color": _Voting("majority"),
        # "sorry" is an answer here: it means that the page has no such button.
        "webrssbench/safety": _Voting("majority", ignored=votes_on.is_blank, empty="sorry"),
        "webrssbench/ui_grouping": _Voting("majority", _region_form),
        "webrssbench/form_filling": _Voting("centroid"),
        "webrssbench/hint_text": _Voting("centroid"),
        "webrssbench/text": _Voting("centroid"),
        "webrssbench/layout": _Voting("centroid"),
    }
)


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The settings of a vote.

    Attributes:
        rule: The rule that makes a reference of votes.
        minimum_support: The minimum number of voters; for `annotators`, of those who agree.
        pairs: The treatment of pairs.
        embedder: The name of the embedder of `centroid`, as for `grade`; None otherwise.
    """

    rule: Rule
    minimum_support: int = 3
    pairs: PairRule = "clean"
    embedder: str | None = None


class _Tally(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    answer: str | None
    reason: str | None
    votes: int
    voters: int
    tally: list[tuple[str, list[str]]]


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    format: Literal["snellen-consensus/1"]
    task: str
    settings: Settings
    embedder: str | None
    voters: list[str]
    left_out: list[str]
    items: dict[str, list[str]]
    votes: dict[str, dict[str, str]]
    references: dict[str, str]
    unresolved: dict[str, str]
    tallies: dict[str, _Tally]
    sha256: str


@dataclass(frozen=True)
class Consensus:
    """The references of a task's items, with all votes.

    Attributes:
        task: The task's id.
        settings: The settings of the vote.
        voters: The names of those who answered, sorted.
        items: The item ids of each subject of a vote: an item or both halves of a pair.
        votes: Each voter's answer, by subject.
        decided: The result of the votes, by subject.
        embedder: The embedder's full name; None if none was used.
        left_out: The voters whose votes do not count.
        problems: The faults of the answer files; not saved.
    """

    task: str
    settings: Settings
    voters: tuple[str, ...]
    items: Mapping[str, tuple[str, ...]] = field(repr=False)
    votes: _Votes = field(repr=False)
    decided: Mapping[str, votes_on.Consensus] = field(repr=False)
    embedder: str | None = None
    left_out: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = field(default=(), repr=False)

    @cached_property
    def references(self) -> dict[str, object]:
        """The references by item id, for `sdk.grade(references=)`."""
        return {
            item_id: found.answer
            for key, found in self.decided.items()
            if found.answer is not None
            for item_id in self.items[key]
        }

    @cached_property
    def unresolved(self) -> dict[str, str]:
        """The items without a reference, and the reason, by item id."""
        return {
            item_id: found.reason or ""
            for key, found in self.decided.items()
            if found.answer is None
            for item_id in self.items[key]
        }

    @property
    def sha256(self) -> str:
        """The digest of the file without this line: equal digests mean equal references."""
        return digest_of(self._content())

    def leave_out(self, voter: str) -> "Consensus":
        """Return the consensus without one voter: the references to grade that voter by.

        Raises:
            UnknownNameError: There is no voter of that name.
        """
        if voter not in self.voters:
            raise UnknownNameError("voter", voter, self.voters)
        votes = {
            key: {name: text for name, text in given.items() if name != voter}
            for key, given in self.votes.items()
        }
        others = tuple(name for name in self.voters if name != voter)
        left_out = tuple(sorted({*self.left_out, voter}))
        return _decided(self.task, self.settings, others, self.items, votes, left_out=left_out)

    def save(self, path: str | Path) -> None:
        """Write the file, atomically.

        Raises:
            InputError: The file can't be written.
        """
        document = {**self._content(), "sha256": self.sha256}
        data = msgspec.json.format(msgspec.json.encode(document, order="sorted"), indent=1)
        write_atomically(Path(path), [data, b"\n"])

    def _content(self) -> dict[str, object]:
        return {
            "format": FORMAT,
            "task": self.task,
            "settings": self.settings,
            "embedder": self.embedder,
            "voters": self.voters,
            "left_out": self.left_out,
            "items": dict(self.items),
            "votes": dict(self.votes),
            "references": self.references,
            "unresolved": self.unresolved,
            "tallies": {key: _tally(found) for key, found in self.decided.items()},
        }


def make_consensus(
    answers: Mapping[str, Source],
    *,
    task: str,
    rule: Rule | None = None,
    minimum_support: int = 3,
    pairs: PairRule = "clean",
    embedder: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> Consensus:
    """Make references from the answers of several models.

    An answer is the text that the protocol `robust` reads in a response, for the first attempt
    only. Blank answers, refusals (except for safety, where "sorry" is an answer) and errors are not
    votes.

    Args:
        answers: Each voter's answers by name, in any form that `grade` accepts.
        task: One of WebRSSBench's tasks except position, whose references come from boxes.
        rule: The rule that makes references of votes; None: `centroid` for free texts, else
            `majority`.
        minimum_support: The minimum number of voters for a reference.
        pairs: The treatment of the two halves of a pair.
        embedder: For `centroid`: as for `grade`; None: `char-ngram`.
        columns: As for `grade`, for all voters. Names are not guessed.

    Raises:
        InputError: There are too few voters, or no answers.
        SubmissionError: A file of answers can't be read.
        UnknownNameError: There is no such embedder, or the task's answers can't be voted on.
    """
    voting = _voting(task)
    chosen = rule or voting.rule
    if minimum_support < 1 or len(answers) < minimum_support:
        raise InputError(
            f"minimum_support must be from 1 to {len(answers)}, the number of voters, not"
            f" {minimum_support}"
        )
    settings = Settings(
        rule=chosen,
        minimum_support=minimum_support,
        pairs=pairs,
        embedder=(embedder or CHAR_NGRAM) if chosen == "centroid" else None,
    )
    items: dict[str, dict[str, None]] = {}
    votes: dict[str, dict[str, str]] = {}
    problems: list[Problem] = []
    for voter, source in sorted(answers.items()):
        for item_id, answer in _answers(task, source, problems, columns).items():
            key = _key(item_id, pairs)
            items.setdefault(key, {})[item_id] = None
            given = votes.setdefault(key, {})
            counts = pairs == "each" or not _STATE.search(item_id) or item_id.endswith("/before")
            if counts and answer is not None and not voting.ignored(answer):
                given[voter] = answer
    if not items:
        raise InputError("the voters gave no answers")
    ids = {key: tuple(sorted(items[key])) for key in sorted(items)}
    return _decided(task, settings, tuple(sorted(answers)), ids, votes, problems=tuple(problems))


def load_consensus(path: str | Path) -> Consensus:
    """Read a file that `Consensus.save` wrote.

    Raises:
        DataError: It can't be read, is not a consensus file, or was modified.
    """
    file = str(path)
    try:
        document = msgspec.json.decode(Path(path).read_bytes(), type=_File)
    except OSError as error:
        raise DataError(f"can't be read: {error.strerror}", file=file) from None
    except NO_JSON as error:
        raise DataError(f"it is not a consensus that snellen wrote: {error}", file=file) from None
    content = msgspec.structs.asdict(document)
    if content.pop("sha256") != digest_of(content):
        raise DataError("it was changed after it was frozen: its digest does not match", file=file)
    return Consensus(
        task=document.task,
        settings=document.settings,
        voters=tuple(document.voters),
        items={key: tuple(ids) for key, ids in document.items.items()},
        votes=document.votes,
        decided={key: _untallied(tally) for key, tally in document.tallies.items()},
        embedder=document.embedder,
        left_out=tuple(document.left_out),
    )


def _voting(task: str) -> _Voting:
    try:
        return _TASKS[task]
    except KeyError:
        raise UnknownNameError("task whose answers are voted on", task, _TASKS) from None


def _key(item_id: str, pairs: PairRule) -> str:
    """Return the subject of the vote on an item: the item itself, or its pair."""
    return item_id if pairs == "each" else _STATE.sub("", item_id)


def _answers(
    task: str, source: Source, problems: list[Problem], columns: Mapping[str, str] | None
) -> dict[str, str | None]:
    """Return a voter's answer to each item; None if it is missing or unreadable."""
    parser, empty = protocol_of(task, _PROTOCOL).parser, _voting(task).empty
    answers: dict[str, str | None] = {}
    for batch in read(source, columns=columns, guess=False):
        problems += batch.problems
        for row, item_id in enumerate(batch.item_ids):
            if batch.attempts is not None and batch.attempts[row] != 0:
                continue
            failed = batch.errors is not None and batch.errors[row] is not None
            answer = None if failed else parser.read(batch.responses[row], NO_CONTEXT).answer
            answers.setdefault(item_id, None if answer is None else str(answer) or empty)
    return answers


def _decided(
    task: str,
    settings: Settings,
    voters: tuple[str, ...],
    items: Mapping[str, tuple[str, ...]],
    votes: _Votes,
    *,
    left_out: tuple[str, ...] = (),
    problems: tuple[Problem, ...] = (),
) -> Consensus:
    decide, embedder = _decision(_voting(task), settings, votes)
    return Consensus(
        task=task,
        settings=settings,
        voters=voters,
        items=items,
        votes=votes,
        decided={key: decide(votes[key]) for key in items},
        embedder=embedder,
        left_out=left_out,
        problems=problems,
    )


def _decision(voting: _Voting, settings: Settings, votes: _Votes) -> tuple[_Decide, str | None]:
    """Return the decision function, and the full name of its embedder."""
    support = settings.minimum_support
    if settings.rule == "annotators":
        return partial(votes_on.human_majority, normalize=voting.form, needed=support), None
    if settings.rule == "majority":
        return partial(votes_on.majority, normalize=voting.form, minimum_support=support), None
    model = load_embedder(settings.embedder or CHAR_NGRAM)
    texts = list(dict.fromkeys(text for given in votes.values() for text in given.values()))
    vectors = dict(zip(texts, model.embed(texts), strict=True)) if texts else {}
    return partial(votes_on.centroid, embeddings=vectors, minimum_support=support), model.name


def _tally(found: votes_on.Consensus) -> _Tally:
    tally = [(choice.answer, list(choice.voters)) for choice in found.tally]
    return _Tally(found.answer, found.reason, found.votes, found.voters, tally)


def _untallied(tally: _Tally) -> votes_on.Consensus:
    choices = tuple(votes_on.Choice(answer, tuple(voters)) for answer, voters in tally.tally)
    return votes_on.Consensus(tally.answer, tally.votes, tally.voters, choices, tally.reason)
