"""Read one split of a WebRSSBench task from its manifest, its references checked."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from snellen.grading.errors import DataError, UnknownNameError
from snellen.grading.models.golds import Golds
from snellen.grading.parse.refusals import safety_answer
from snellen.grading.parse.relations import Pair
from snellen.grading.protocols.base import Gold
from snellen.grading.protocols.golds import GoldShape
from snellen.grading.protocols.table import gold_shape
from snellen.tasks.benchmarks.webrssbench import rows
from snellen.tasks.benchmarks.webrssbench.manifest import manifest_in, read_manifest
from snellen.tasks.data.pins import digest_of_files
from snellen.tasks.io.files import checked, default_split
from snellen.tasks.io.rows import SCREEN

PAIRS = "pairs"
"""What a position split's two-candidate questions are called: `test-pairs`."""

POSITIVES = "positives"
"""What the pages of a safety split that have a dangerous button are called: `test-positives`."""

_SHOWN = 3


class _GoldQuestion(NamedTuple):
    """A question with its gold; None if there is no reference."""

    question: rows.Question
    gold: Gold


_Derive: TypeAlias = Callable[[_GoldQuestion, str], Sequence[_GoldQuestion]]


def read(name: str, path: Path, split: str | None = None) -> rows.Rows:
    """Read one split of one task.

    Args:
        name: The task without the benchmark's name in front.
        path: A manifest, or a folder with one.
        split: The split's name, or a derived one (`test-pairs`, `test-positives`). None: `test`
            where there is one, else the only one.

    Raises:
        DataError: It can't be read, a row is not as documented, or no question has a reference.
        UnknownNameError: There is no such split.
    """
    manifest = manifest_in(checked(path, "a manifest, or a folder with one"))
    questions, file = read_manifest(name, manifest), str(manifest)
    rows.check_ids(questions, file)
    rows.check_paths(questions, file)
    notes = [*_sites_in_several_splits(questions), *_strange_votes(questions)]
    split, chosen = _in_split(name, questions, manifest, split)
    left_out = {
        question.item_id: question.unresolved or "there is no reference"
        for question, gold in chosen
        if gold is None
    }
    kept = [one for one in chosen if one.gold is not None]
    if not kept:
        raise DataError(
            f"none of the {len(left_out)} questions has a reference ({_listed(left_out)});"
            " write it into their rows",
            file=file,
        )
    if left_out:
        are = (
            "question without a reference is"
            if len(left_out) == 1
            else ("questions without a reference are")
        )
        notes.append(f"{len(left_out)} {are} left out")
    return rows.Rows(
        role=f"{rows.BENCHMARK}/{name}",
        split=split,
        ids=[one.question.item_id for one in kept],
        questions=[one.question for one in kept],
        golds=Golds([one.gold for one in kept]),
        left_out=left_out,
        folder=manifest.parent,
        path=file,
        sha256=digest_of_files([manifest]),
        note="; ".join(notes),
    )


def _in_split(
    name: str, questions: Sequence[rows.Question], manifest: Path, split: str | None
) -> tuple[str, Sequence[_GoldQuestion]]:
    by_split: dict[str, list[rows.Question]] = {}
    for question in questions:
        by_split.setdefault(question.split, []).append(question)
    if split is None:
        split = default_split(by_split, manifest)
    suffix, derive = _DERIVED.get(name, ("", None))
    base = split if split in by_split else split.removesuffix(f"-{suffix}")
    if base not in by_split or (base != split and derive is None):
        derived = [f"{known}-{suffix}" for known in by_split] if derive else []
        raise UnknownNameError("split", split, [*by_split, *derived])
    shape = gold_shape(f"{rows.BENCHMARK}/{name}")
    known = [
        _GoldQuestion(question, _gold(name, shape, question, str(manifest)))
        for question in by_split[base]
    ]
    if derive is None or base == split:
        return split, known
    return split, [one for whole in known for one in derive(whole, split)]


def _gold(name: str, shape: GoldShape, question: rows.Question, file: str) -> Gold:
    """Check a question's reference and return it as protocols take it; None for none."""
    if question.value is None:
        return None
    try:
        gold = shape.read(question.value)
        if name == "position":
            _check_pairs(gold, question)
        elif name != "ui_grouping":
            _check_texts(name, [gold] if isinstance(gold, str) else gold)
    except DataError as error:
        raise DataError(
            f"{question.place}, {question.item_id}: {error.message}", file=file, field="reference"
        ) from None
    return gold


def _check_pairs(gold: Mapping[Pair, object], question: rows.Question) -> None:
    wanted = {Pair(*names) for names in combinations(sorted(question.crops), 2)}
    if strange := sorted(gold.keys() - wanted):
        raise DataError(f"{'|'.join(strange[0])} is no pair of its crops {question.crops}")
    if lacking := sorted(wanted - gold.keys()):
        raise DataError(f"says nothing of the pair {'|'.join(lacking[0])}")


def _check_texts(name: str, texts: Sequence[str]) -> None:
    if not all(text.strip() for text in texts):
        raise DataError("is empty, so that no answer could be right")
    denials = sum(safety_answer(text) is None for text in texts) if name == "safety" else 0
    if 0 < denials < len(texts):
        raise DataError(
            "says both that there is such a button and, with 'sorry', that there is not"
        )


def _two_candidates(known: _GoldQuestion, split: str) -> Sequence[_GoldQuestion]:
    """Ask about each pair of crops by itself, with no other crop to be seen."""
    question, gold = known
    questions: list[_GoldQuestion] = []
    for names in combinations(sorted(question.crops), 2):
        pair = Pair(*names)
        alone = replace(
            question,
            split=split,
            base=f"{question.base}/{pair.first}+{pair.second}",
            images={name: question.images[name] for name in (SCREEN, *pair)},
        )
        questions.append(_GoldQuestion(alone, None if gold is None else {pair: gold[pair]}))
    return questions


def _positive(known: _GoldQuestion, split: str) -> Sequence[_GoldQuestion]:
    if known.gold is not None and is_negative(known.gold):
        return []
    return [_GoldQuestion(replace(known.question, split=split), known.gold)]


def is_negative(gold: Sequence[str]) -> bool:
    """Whether a safety reference says that the page has no dangerous button."""
    return all(safety_answer(text) is None for text in gold)


_DERIVED: Mapping[str, tuple[str, _Derive]] = MappingProxyType(
    {"position": (PAIRS, _two_candidates), "safety": (POSITIVES, _positive)}
)


def _sites_in_several_splits(questions: Sequence[rows.Question]) -> list[str]:
    splits: dict[str, set[str]] = {}
    for question in questions:
        splits.setdefault(question.site, set()).add(question.split)
    shared = [site for site, names in splits.items() if len(names) > 1]
    if not shared:
        return []
    return [f"{len(shared)} sites are in several splits, such as {shared[0]!r}"]


def _strange_votes(questions: Sequence[rows.Question]) -> list[str]:
    votes = [f"{one.item_id}: {vote}" for one in questions for vote in one.strange]
    if not votes:
        return []
    more = ", ..." if len(votes) > _SHOWN else ""
    what = "vote names no class" if len(votes) == 1 else "votes name no class"
    return [f"{len(votes)} {what} ({', '.join(votes[:_SHOWN])}{more})"]


def _listed(left_out: Mapping[str, str]) -> str:
    shown = [f"{item_id}: {reason}" for item_id, reason in list(left_out.items())[:_SHOWN]]
    return "; ".join(shown) + ("; ..." if len(left_out) > _SHOWN else "")
