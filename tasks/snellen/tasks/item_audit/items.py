"""Items for an audit: the specific part of the prompt, the options, and the correct answers."""

import ast
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from snellen.grading.models.items import AnswerKind
from snellen.grading.protocols.base import Gold, Protocol
from snellen.grading.protocols.table import protocol_of
from snellen.tasks.benchmarks.table import TASKS
from snellen.tasks.pack.format import PackItem
from snellen.tasks.pack.preview import responses_of
from snellen.tasks.pack.read import Pack, References

_LETTERED = re.compile(r"^\(?([A-Z])[.):] ?(.*)$")
_WORD = re.compile(r"\w+")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_SHARED_BY = 3
"""A line in this many prompts of a task belongs to the template."""


@dataclass(frozen=True, slots=True)
class AuditItem:
    """One item with its reference.

    Attributes:
        task: The task's id.
        item: The item's id.
        index: Its index among the task's items.
        line: Its data in the pack.
        gold: Its reference.
        site: Its independent group of items; its own id if the task has no groups.
        record: Its record, if there is one.
        tags: Its private tags, for groups.
        question: The lines of the prompt that are the item's own, without options.
        options: The options' texts; empty if there are none, or if they are in the picture.
        right: The indices of the correct options; empty if the answer is not an option.
        answers: The correct answers as texts; empty if an answer is not a text.
    """

    task: str
    item: str
    index: int
    line: PackItem = field(repr=False)
    gold: Gold = field(repr=False)
    site: str
    record: Any = field(repr=False)
    tags: Mapping[str, str] = field(repr=False)
    question: str
    options: tuple[str, ...]
    right: frozenset[int] = field(repr=False)
    answers: tuple[str, ...] = field(repr=False)

    @property
    def kind(self) -> AnswerKind:
        """The form of its answer."""
        return self.line.item.answer_format.kind

    @property
    def choices(self) -> int:
        """The number of options, in the prompt or in the picture."""
        return self.line.context.options or len(self.options)


def items_of(pack: Pack, references: References, task: str) -> list[AuditItem]:
    """Return a task's items.

    Raises:
        DataError: A line can't be read.
    """
    source = references.sources[task]
    sites = references.tags[task].get(source.cluster or "", {})
    golds, records = references.golds[task], references.records.get(task, {})
    protocol = protocol_of(task, pack.task(task).protocol)
    lines = [pack.lines[index] for index in pack.index[task].values()]
    template = _template([line.item.prompt for line in lines])
    items: list[AuditItem] = []
    for index, line in enumerate(lines):
        item_id = line.item.id
        options = options_of(line)
        responses = responses_of(protocol, golds[item_id], line)
        right = _right(responses, line, options, protocol)
        answers = tuple(options[index] for index in sorted(right) if index < len(options))
        items.append(
            AuditItem(
                task=task,
                item=item_id,
                index=index,
                line=line,
                gold=golds[item_id],
                site=sites.get(item_id, f"item {item_id}"),
                record=records.get(item_id),
                tags={
                    name: column[item_id]
                    for name, column in references.tags[task].items()
                    if item_id in column
                },
                question=_question(line, options, template),
                options=options,
                right=right,
                answers=answers if right else _texts(responses, line),
            )
        )
    return items


def words(text: str) -> tuple[str, ...]:
    """Return a text's case-folded words.

    >>> words("Sign in, now!")
    ('sign', 'in', 'now')
    """
    return tuple(_WORD.findall(text.casefold()))


def holds(text: str, part: str) -> bool:
    """Whether a text contains another as whole words, with anything between them.

    >>> holds("Which one says “Sign in”?", "sign  IN"), holds("signing in", "sign in")
    (True, False)
    """
    if _UNSPACED.search(part):
        return "".join(words(part)) in "".join(words(text))
    return f" {' '.join(words(part))} " in f" {' '.join(words(text))} " and bool(words(part))


def options_of(line: PackItem) -> tuple[str, ...]:
    """Return the texts of an item's options, if the item contains them.

    The sources are the form of its answer, the parser's context, and the prompt, which has one
    option a line with its letter, or a list in Python's syntax, as published.
    """
    given_options = line.item.answer_format.options
    if any(len(option) > 1 for option in given_options):
        return given_options
    if line.context.texts:
        return line.context.texts
    if line.item.answer_format.kind is not AnswerKind.CHOICE:
        return ()
    lettered: list[str] = []
    for text in line.item.prompt.splitlines():
        match = _LETTERED.match(text.strip())
        if match and match[1] == chr(ord("A") + len(lettered)):
            lettered.append(match[2])
    if len(lettered) > 1:
        return tuple(lettered)
    for text in line.item.prompt.splitlines():
        if text.startswith("["):
            listed = _listed(text)
            if len(listed) > 1:
                return listed
    return ()


def _listed(text: str) -> tuple[str, ...]:
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return ()
    if not isinstance(value, list):
        return ()
    return tuple(map(str, cast("list[object]", value)))


def _template(prompts: Sequence[str]) -> frozenset[str]:
    """Return the lines that several prompts of a task share."""
    counts = Counter(line for prompt in prompts for line in set(prompt.splitlines()))
    return frozenset(line for line, count in counts.items() if count >= _SHARED_BY)


def _question(line: PackItem, options: Sequence[str], template: frozenset[str]) -> str:
    left = {" ".join(option.split()) for option in options}
    kept: list[str] = []
    for text in line.item.prompt.splitlines():
        match = _LETTERED.match(text.strip())
        lettered = match is not None and " ".join(match[2].split()) in left
        if text not in template and not lettered and not (options and text.startswith("[")):
            kept.append(text)
    return "\n".join(kept)


def _right(
    responses: Iterable[object], line: PackItem, options: Sequence[str], protocol: Protocol
) -> frozenset[int]:
    kind = line.item.answer_format.kind
    if kind is AnswerKind.CHOICE:
        letters = [
            response
            for response in responses
            if isinstance(response, str) and re.fullmatch("[A-Z]", response)
        ]
        return frozenset(ord(letter) - ord("A") for letter in letters)
    if kind is AnswerKind.LABEL:
        # A class has several names; the protocol's parser makes them equal.
        classes = {
            _class(response, protocol, line) for response in responses if isinstance(response, str)
        }
        return frozenset(
            index
            for index, option in enumerate(options)
            if _class(option, protocol, line) in classes
        )
    return frozenset()


def _class(text: str, protocol: Protocol, line: PackItem) -> object:
    answer = protocol.parser.read(text, line.context).answer
    return text.casefold() if answer is None else answer


_SPOKEN = (AnswerKind.TEXT, AnswerKind.UI_TEXTS)


def _texts(responses: Iterable[object], line: PackItem) -> tuple[str, ...]:
    if line.item.answer_format.kind not in _SPOKEN:
        return ()
    distinct: dict[str, None] = {}
    for response in responses:
        if isinstance(response, str):
            distinct[response] = None
        elif isinstance(response, list | tuple):
            parts = cast("Sequence[object]", response)
            texts = [part for part in parts if isinstance(part, str)]
            # A list of calls or of other structures is not a text, and not an empty one either.
            if len(texts) == len(parts):
                distinct[" ".join(texts)] = None
    return tuple(distinct)


def guess_of(task: str) -> str | None:
    """Return the constant answer that is the task's own guess, such as `<no answer>`."""
    return getattr(TASKS[task].guess, "response", None)
