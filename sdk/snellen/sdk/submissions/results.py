"""Stored results of the field's scripts: from rows of any kind to submissions.

Two readings of all rows: what each says, then which field is the answer and what it counts.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from snellen.grading.errors import SubmissionError
from snellen.grading.models.reports import Problem, ProblemKind
from snellen.sdk.submissions.batch import Batch, Collector, Limits
from snellen.sdk.submissions.choices import answers_of, is_choice
from snellen.sdk.submissions.columns import named
from snellen.sdk.submissions.containers import (
    FOLDER_NAME,
    Row,
    episodes_in,
    first_row,
    is_object,
    paths_of,
    rows_of,
)
from snellen.sdk.submissions.files import display
from snellen.sdk.submissions.kinds import Kind, Parsed, Raw, RowContent, kind_of_row, text_of
from snellen.sdk.submissions.known import Known, KnownItem
from snellen.sdk.submissions.outcomes import is_outcome, item_of, outcome_of, record_of
from snellen.sdk.submissions.records import add_named, add_record, is_episode
from snellen.sdk.submissions.trajectories import is_trajectory
from snellen.sdk.submissions.web_runs import read_web_runs

_SHOWN = 3
_SPACES = ("pixels", "unit", "thousand")
_ONLY_HERE = (".xlsx", ".eval", ".json.gz", ".csv.gz", ".tsv.gz")
_LOOKED_AT = 20
_DOUBTFUL = 5
_UNITS = {
    "pixels": "in pixels of the image",
    "unit": "in fractions of the image",
    "thousand": "in thousandths of the image",
    "view": "in pixels of the image of the size that each row says",
}


def read_results(source: str, limits: Limits) -> Iterator[Batch] | None:
    """Read stored results; None for a file that is none, which another reader reads.

    Raises:
        SubmissionError: It can't be read, or no field in it is an answer.
    """
    if limits.known is None:
        return None
    if runs := read_web_runs(source, limits):
        return runs
    if episodes := list(episodes_in(source)):
        return _episodes(source, episodes, limits.known(), limits)
    paths = paths_of(source)
    first = next(first_row(paths[0]), None) or {}
    special = is_choice(first) or _ends(first, limits)
    if paths == [source] and not special and _has_reader(source, limits):
        return None
    rows, faults = _rows_in(paths)
    if is_choice(first):
        answers = answers_of(rows)
        said = f"read as SeeAct's choices: {len(rows):,} batches are {len(answers):,} answers"
        return _plainly(source, answers, limits, said)
    if read := _of_a_script(source, rows, limits):
        return _after(faults, read)
    if len(rows) == 1 and not limits.known().by_id.keys().isdisjoint(rows[0].fields):
        # One object of answers by their ids.
        by_id = [
            Row({"item_id": item, "response": answer}, rows[0].file, line)
            for line, (item, answer) in enumerate(rows[0].fields.items(), 1)
        ]
        return _plainly(source, by_id, limits)
    if not rows or (source.lower().endswith(".json") and _is_ours(rows[0].fields)):
        return None
    return _after(faults, _plainly(source, rows, limits))


def _of_a_script(source: str, rows: Sequence[Row], limits: Limits) -> Iterator[Batch] | None:
    """Read the rows of a script, or of ended episodes; None for plain rows and recorded steps."""
    if not rows:
        return None
    if _ends(rows[0].fields, limits):
        known = Known(()) if limits.known is None else limits.known()
        return _episodes(source, rows, known, limits)
    kind = next(filter(None, (kind_of_row(row.fields) for row in rows[:_LOOKED_AT])), None)
    if kind is None or _is_episode(rows[0].fields, limits):
        return None
    return _read(source, rows, kind, limits)


def _ends(row: Mapping[str, Any], limits: Limits) -> bool:
    """Whether a row says how an episode ended, and such are graded."""
    if limits.known is None or not is_outcome(row, "page"):
        return False
    items = limits.known().items
    return bool(items) and is_outcome(row, items[0].episode)


def _rows_in(paths: Sequence[str]) -> tuple[list[Row], list[Problem]]:
    """Return the rows of all files; of several, those that can't be read are problems."""
    rows: list[Row] = []
    faults: list[Problem] = []
    for path in paths:
        try:
            rows += rows_of(path)
        except SubmissionError as error:
            if len(paths) == 1:
                raise
            what = f"{error.message}; the file was skipped"
            faults.append(Problem(kind=ProblemKind.MALFORMED, message=what, file=display(path)))
    if not rows and faults:
        what = f"no file in it can be read: {faults[0].message}"
        raise SubmissionError(what, file=faults[0].file)
    return rows, faults


def _after(faults: list[Problem], batches: Iterator[Batch]) -> Iterator[Batch]:
    if faults:
        yield Batch([], [], None, None, None, (), faults)
    yield from batches


def _has_reader(path: str, limits: Limits) -> bool:
    """Whether another reader streams a file: one of submissions, or of episodes."""
    lowered = path.lower()
    if lowered.endswith(_ONLY_HERE):
        return False
    first = next(first_row(path), None)
    document = lowered.endswith(".json") and is_object(path)
    if first is None:
        return not document
    if _is_episode(first, limits):
        return True
    return kind_of_row(first) is None and not document


def _episodes(source: str, rows: Sequence[Row], known: Known, limits: Limits) -> Iterator[Batch]:
    """Read how episodes ended; several rows of an item are attempts."""
    collector = Collector(limits, source)
    attempts = Counter[object]()
    for row in rows:
        outcome = outcome_of(row.fields, str(row.fields.get(FOLDER_NAME, "")))
        record = record_of(outcome, item_of(outcome.names, known))
        name = record.get("item_id", record.get("task_id"))
        collector.file = row.file
        add_record(collector, {**record, "attempt": attempts[name]}, row.line)
        attempts[name] += 1
    collector.file = source
    yield from collector.ready()
    yield from collector.rest()


def read_listed(rows: Sequence[object], limits: Limits) -> Iterator[Batch] | None:
    """Read rows in memory; None if they are plain rows, or of recorded steps."""
    if _of_a_script("", _numbered(rows[:_LOOKED_AT]), limits) is None:
        return None
    return _of_a_script("", _numbered(rows), limits)


def _numbered(rows: Sequence[object]) -> list[Row]:
    return [
        Row(cast("Mapping[str, Any]", row) if isinstance(row, Mapping) else {}, "", line)
        for line, row in enumerate(rows, 1)
    ]


def _is_episode(row: Mapping[str, Any], limits: Limits) -> bool:
    """Whether a row is of a recorded episode or its step, which has a reader of its own."""
    return limits.recorded is not None and is_trajectory(row, row.get("image"))


def _is_ours(row: Mapping[str, Any]) -> bool:
    """Whether a whole object stands for a document of ours, whose reader says what it lacks."""
    return not {"item_id", "submissions", "scores"}.isdisjoint(row)


def _plainly(source: str, rows: Sequence[Row], limits: Limits, notice: str = "") -> Iterator[Batch]:
    """Read rows with our names, or usual ones, that stand where only results are looked for."""
    first = rows[0].fields
    names = named(list(first), limits.columns, guess=limits.guess)
    if names.lacking and not is_episode(first) and not _is_episode(first, limits):
        raise SubmissionError(_no_answer(rows), file=source or None)
    collector = Collector(limits, rows[0].file)
    collector.notices += [notice] if notice else []
    for row in rows:
        collector.file = row.file or None
        add_record(collector, row.fields, row.line)
    yield from collector.ready()
    yield from collector.rest()


def _no_answer(rows: Sequence[Row]) -> str:
    names = dict.fromkeys(name for row in rows[:_LOOKED_AT] for name in row.fields)
    shown = ", ".join(map(ascii, list(names)[:20])) or "none"
    return (
        f"no field in it is known as an answer; its fields are {shown}; say which it is with"
        " --map NAME=response, in Python with columns={NAME: 'response'}"
    )


def _read(source: str, rows: Sequence[Row], kind: Kind, limits: Limits) -> Iterator[Batch]:
    known = limits.known() if limits.known is not None else Known(())
    # Rows of another kind are reported before the good ones are added.
    collector = Collector(limits._replace(most_bad=None), rows[0].file or None)
    found: list[tuple[Row, RowContent]] = []
    for row in rows:
        one = kind if kind.fits(row.fields) else kind_of_row(row.fields)
        if one is None:
            collector.file = row.file or None
            collector.fault(
                ProblemKind.MALFORMED,
                f"the row is not of {kind.name}; it was skipped",
                row.line,
            )
            continue
        found += [(row, said) for said in one.read(row.fields)]
    here = [(row, said) for row, said in found if not known.is_elsewhere(said.clues)]
    joined = [(row, said, known.find(said.clues)) for row, said in here]
    _check_joined(joined or [(*one, None) for one in found], known, source)
    choice = _Choice(joined, limits)
    collector.notices.append(choice.says(kind))
    seen: dict[tuple[str, int], str] = {}
    repeated = 0
    for row, said, item in joined:
        collector.file = row.file or None
        record = choice.record(said, item)
        key = (record["item_id"], said.attempt)
        own = repr((record.get("response"), record.get("error"), said.model))
        if seen.get(key) == own:
            repeated += 1
            continue
        seen.setdefault(key, own)
        before = len(collector.item_ids)
        add_named(collector, record, row.line)
        collector.judge(before, said.verdict)
    if len(here) < len(found):
        collector.notices.append(
            f"{len(found) - len(here):,} rows say that they are of another part of the benchmark,"
            " and were left out"
        )
    collector.notices += _remarks(known, repeated, choice)
    yield from collector.ready()
    yield from collector.rest()


def _check_joined(
    joined: Sequence[tuple[Row, RowContent, KnownItem | None]], known: Known, source: str
) -> None:
    """Refuse rows that name no item at all, as the id of none of them is known."""
    if not joined or any(item is not None for _, _, item in joined):
        return
    _, said, _ = joined[0]
    if not any((said.clues.id, said.clues.image, said.clues.instruction)):
        names = ", ".join(map(ascii, list(joined[0][0].fields)[:20]))
        raise SubmissionError(
            f"the rows name no item: neither an id nor an image and an instruction; the fields"
            f" are {names}",
            file=source or None,
        )
    example = known.items[0].id if known.items else "none"
    raise SubmissionError(
        f"none of the {len(joined):,} rows could be joined to an item: they look like"
        f" {said.clues.words!r}, the task's ids like {example!r}. Is it the right task and split?",
        file=source or None,
        field="item_id",
    )


def _remarks(known: Known, repeated: int, choice: "_Choice") -> list[str]:
    said: list[str] = []
    if repeated:
        said.append(f"{repeated:,} rows repeat an earlier row exactly, and count once")
    for items, what in ((known.moved, "box"), (known.reworded, "instruction")):
        if items:
            shown = ", ".join(list(items)[:_SHOWN])
            said.append(
                f"{len(items):,} rows have another {what} than the data, which may be of another"
                f" version or split: {shown}"
            )
    if known.ambiguous:
        said.append(
            f"{known.ambiguous:,} rows fit several items with different references, and were left"
            " out"
        )
    if known.alike:
        said.append(
            f"{known.alike:,} rows fit several items with the same reference, which were taken in"
            " turn"
        )
    if choice.doubt:
        said.append(choice.doubt)
    if choice.nulls:
        said.append(
            f"{choice.nulls:,} rows have a text, but {choice.field} is null: the script read no"
            " answer in it, and they count as unparsed (--answer raw reads the texts)"
        )
    return said


class _Choice:
    """Which field of the rows is the answer, and what it counts.

    The parsed answer comes first: the text is often about a resized or cropped image, whose scale
    the file lacks. Of actions, the text comes first: a parsed point is only a part of one.
    """

    def __init__(
        self, joined: Sequence[tuple[Row, RowContent, KnownItem | None]], limits: Limits
    ) -> None:
        self.doubt = ""
        self._columns = {field: name for name, field in limits.columns.items()}
        self._fields = {id(said): row.fields for row, said, _ in joined}
        items = [item for _, _, item in joined if item is not None]
        actions = bool(items) and all(item.action for item in items)
        parsed = [said.parsed for _, said, _ in joined if said.parsed and said.parsed.value]
        raw = [said.raw for _, said, _ in joined if said.raw is not None]
        wanted = limits.answer or ("raw" if actions or not parsed else "parsed")
        if wanted == "raw" and not raw and parsed:
            wanted = "raw" if limits.answer else "parsed"
        self._raw = wanted == "raw"
        source = raw if self._raw else parsed
        if "response" in self._columns:
            self.field, self.space = self._columns["response"], ""
        elif not source:
            if any(said.error for _, said, _ in joined):
                self.field, self.space = "error", ""
            else:
                raise SubmissionError(
                    _no_answer([row for row, _, _ in joined])
                    + (f" (--answer {wanted} finds none)" if limits.answer else "")
                )
        else:
            self.field = Counter(one.field for one in source).most_common(1)[0][0]
            self.space = "" if self._raw else self._space(joined)
        self.other = "parsed" if self._raw and parsed else "raw" if raw and not self._raw else ""
        self.nulls = 0

    def _space(self, joined: Sequence[tuple[Row, RowContent, KnownItem | None]]) -> str:
        """Return what the parsed answers count: by name, by their size, and by the verdicts."""
        points = [
            (said.parsed, said.verdict, item)
            for _, said, item in joined
            if said.parsed is not None and said.parsed.value and said.parsed.field == self.field
        ]
        named = points[0][0].space
        if named == "view":
            return named
        sides = [abs(side) for parsed, _, _ in points for side in parsed.value or ()]
        if max(sides) <= 1 and any(side != int(side) for side in sides):
            named = "unit"
        elif named == "unit" and max(sides) > 2:
            named = ""
        judged = [
            one for one in points if one[1] is not None and one[2] and len(one[2].pixels) == 4
        ]
        scores = {
            space: sum(_hits(parsed, item, space) == verdict for parsed, verdict, item in judged)
            for space in _SPACES
        }
        best = max(scores, key=scores.__getitem__)
        if judged and scores[best] > scores.get(named, 0) + len(judged) // 50:
            named = best
        if judged and scores[best] < 0.95 * len(judged):
            self.doubt = (
                f"the file's verdicts agree best with {self.field!r} {_UNITS[best]}: on"
                f" {scores[best]:,} of {len(judged):,}; --answer raw reads the texts"
            )
        elif not judged and named:
            self._doubt(points, named)
        if not named and max(sides) > 1000:
            named = "pixels"
        return named

    def _doubt(
        self, points: Sequence[tuple[Parsed, bool | None, KnownItem | None]], named: str
    ) -> None:
        """Say it where points hit far more often in another unit than in that of their name."""
        hits = {
            space: sum(_hits(parsed, item, space) for parsed, _, item in points)
            for space in _SPACES
        }
        best = max(hits, key=hits.__getitem__)
        if hits[best] > hits[named] + max(_DOUBTFUL, len(points) // 20):
            self.doubt = (
                f"{hits[named]:,} of {len(points):,} points are in their boxes {_UNITS[named]}, and"
                f" {hits[best]:,} {_UNITS[best]}: if {self.field!r} counts these, grade with"
                f" --map {self.field}=response --space {best}"
            )

    def says(self, kind: Kind) -> str:
        """Return the sentence of the report."""
        unit = f" {_UNITS[self.space]}" if self.space else ""
        if not self.space and not self._raw and "response" not in self._columns:
            unit = " in the protocol's unit, as the file says none (--space says it)"
        other = f"; --answer {self.other} takes the other" if self.other else ""
        return f"read as {kind.name}: the answer is {self.field!r}{unit}{other}"

    def record(self, said: RowContent, item: KnownItem | None) -> dict[str, Any]:
        """Return the submission of a row."""
        record: dict[str, Any] = {
            "item_id": said.clues.words or "a row without a name" if item is None else item.id,
            "attempt": said.attempt,
            "model": said.model,
        }
        if said.error is not None:
            record["error"] = said.error
            return record
        if "response" in self._columns:
            record["response"] = text_of(self._fields[id(said)].get(self._columns["response"]))
            return record
        record["response"] = self._raw_of(said.raw) if self._raw else self._parsed_of(said)
        return record

    def _raw_of(self, raw: Raw | None) -> object:
        if raw is None or raw.view is None:
            return None if raw is None else raw.value
        return {"view": list(raw.view), "response": raw.value}

    def _parsed_of(self, said: RowContent) -> object:
        parsed = said.parsed
        if parsed is None or parsed.value is None:
            if said.raw is None or not said.raw.value:
                return None
            self.nulls += 1
            return "null"
        numbers = list(parsed.value)
        space = self.space if parsed.field == self.field else parsed.space
        if space == "view":
            return {"view": list(parsed.view or ()), "response": numbers}
        return {"space": space, "response": numbers} if space else numbers


def _hits(parsed: Parsed, item: KnownItem | None, space: str) -> bool:
    """Whether a parsed point is in the box of its item, were it in a space."""
    if item is None or not parsed.value or len(item.pixels) != 4:
        return False
    numbers = parsed.value
    x, y = numbers[0], numbers[1]
    if len(numbers) == 4:
        x, y = (numbers[0] + numbers[2]) / 2, (numbers[1] + numbers[3]) / 2
    if space != "pixels":
        if item.size is None:
            return False
        share = 1 if space == "unit" else 1000
        x, y = x * item.size[0] / share, y * item.size[1] / share
    left, top, right, bottom = item.pixels
    return left <= x <= right and top <= y <= bottom
