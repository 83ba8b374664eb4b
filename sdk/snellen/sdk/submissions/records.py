"""The rules for one record, the same for every source: valid records and problems."""

import json
import operator
from collections.abc import Container, Mapping, Sequence
from typing import Any, cast

from snellen.grading.models.reports import ProblemKind
from snellen.grading.models.scores import TOO_LONG
from snellen.sdk.submissions.batch import Collector
from snellen.sdk.submissions.columns import FIELDS, ColumnNames, first_of, named
from snellen.sdk.submissions.trajectories import (
    FaultyRecordError,
    GradedTask,
    StepFault,
    is_trajectory,
    steps_of,
)
from snellen.sdk.values import (
    NotJsonError,
    is_nested_too_deep,
    kind_of,
    shown,
    text_fault,
    to_json,
)

MAX_ATTEMPT = 2**31 - 1

_ABSENT = object()
_SKIPPED = "the submission was skipped"


class UnusableError(Exception):
    """The record can't be used: its item, attempt or response is unreadable."""


def add_record(collector: Collector, record: Mapping[str, Any], line: int) -> None:
    """Add a record from any source, or report its faults.

    A record without a readable item_id and attempt is skipped, and so is one whose response is not
    JSON. A wrong error, model or meta does not exclude it. A missing response without an error is a
    problem too, but the record stays because it was submitted. The record of an episode becomes one
    submission or, for a task of actions, one submission per step. The first record of a source
    decides the names of the fields.
    """
    if "task" not in collector.limits.columns and collector.is_elsewhere(record.get("task")):
        return
    graded = collector.limits.recorded
    if graded is not None and is_trajectory(record, record.get("image")):
        _add_steps(collector, record, graded, line)
        return
    if is_episode(record):
        record = _of_episode(collector, record, line)
    elif other := name_fields(collector, list(record)).other:
        record = _renamed(record, other)
    add_named(collector, record, line)


def name_fields(collector: Collector, names: Sequence[str]) -> ColumnNames:
    """Determine the field names from a source's first record, and report missing fields."""
    if collector.names is None and "error" not in names:
        lacking = collector.name(names).lacking.get("response")
        if lacking:
            collector.notices.append(f"the first record has no response; {lacking}")
            collector.without_response = lacking
    return collector.name(names)


def _renamed(record: Mapping[str, Any], other: Mapping[str, str]) -> Mapping[str, Any]:
    left = {*other, *other.values()}
    kept = {name: value for name, value in record.items() if name not in left}
    return kept | {field: record[name] for field, name in other.items() if name in record}


def add_named(collector: Collector, record: Mapping[str, Any], line: int) -> None:
    """Add a record whose fields have our names; see `add_record`."""
    try:
        item_id = _item_id(collector, record.get("item_id"), line)
        attempt = _attempt(collector, record.get("attempt"), line)
        error = _error(collector, record.get("error"), line)
        response = _response(collector, record.get("response", _ABSENT), error, line)
    except UnusableError:
        return
    model = _model(collector, record.get("model"), line)
    meta = record.get("meta")
    if not _is_absent(meta) and not isinstance(meta, Mapping):
        collector.fault(
            ProblemKind.WRONG_TYPE,
            f"meta must be an object, not {kind_of(meta)}; it was left out",
            line,
            "meta",
        )
    collector.add(item_id, response, attempt, error, model, line)


def is_episode(names: Container[object]) -> bool:
    """Whether a record or table with these fields is of episodes: it has a task but no item."""
    return "task_id" in names and "item_id" not in names and "response" not in names


def _add_steps(
    collector: Collector, record: Mapping[str, Any], graded: GradedTask, line: int
) -> None:
    """Add the submissions that the record of an episode of steps stands for."""
    try:
        attempt = _attempt(collector, record.get("attempt"), line)
        model = _model(collector, record.get("model"), line)
        for step in steps_of(record, graded, collector.limits.columns):
            if isinstance(step, StepFault):
                what = f"{step.what}; the step was skipped"
                collector.fault(ProblemKind.WRONG_TYPE, what, line, step.field)
                continue
            before = len(collector.item_ids)
            if "response" not in step.submission:
                collector.without_response = _names_no_answer(record)
            add_named(collector, {**step.submission, "attempt": attempt, "model": model}, line)
            collector.judge(before, step.verdict)
    except FaultyRecordError as fault:
        what = f"{fault.fault.what}; the episode was skipped"
        collector.fault(ProblemKind.WRONG_TYPE, what, line, fault.fault.field)
    except UnusableError:
        return


def _names_no_answer(record: Mapping[str, Any]) -> str:
    return named(list(record), {}, guess=False).lacking["response"]


def _of_episode(collector: Collector, record: Mapping[str, Any], line: int) -> Mapping[str, Any]:
    # Loaded late: it needs the protocols, and so numpy, which no other record does.
    from snellen.sdk.submissions.outcomes import REWARDS, STEPS
    from snellen.tasks.benchmarks.mmbench_gui.episodes import read_record

    plain: dict[str, object] = {}
    for key, value in record.items():
        try:
            if not _is_absent(value) and not (isinstance(value, str) and not value):
                plain[key] = to_json(value)
        except NotJsonError:
            # Kept as it is: no field of an episode may be that, so the reader says which it was.
            plain[key] = value
    for field, names in (("success", REWARDS), ("steps", STEPS)):
        name, value = first_of(plain, (field, *names))
        if name:
            plain[field] = len(cast("list[object]", value)) if isinstance(value, list) else value
    found = read_record(plain)
    for what, field in found.faults:
        collector.fault(ProblemKind.WRONG_TYPE, what, line, field)
    return found.submission


def add_parsed(collector: Collector, value: object, line: int) -> None:
    """Add a record that a lenient JSON parser returned, after checking all of it strictly."""
    if not isinstance(value, dict):
        collector.fault(
            ProblemKind.MALFORMED,
            f"a submission must be a JSON object, not {kind_of(value)}; it was skipped",
            line,
        )
        return
    record = cast("dict[str, object]", value)
    if collector.limits.recorded is not None and is_trajectory(record, record.get("image")):
        # Its steps are checked one by one, so that a faulty one does not cost the others.
        add_record(collector, record, line)
        return
    for key, part in record.items():
        try:
            to_json(key)
            to_json(part)
        except NotJsonError as fault:
            field = key if key in (*FIELDS, "meta") else None
            collector.fault(ProblemKind.MALFORMED, f"{fault}; {_SKIPPED}", line, field)
            return
    add_record(collector, record, line)


def limited(collector: Collector, response: object, line: int) -> object:
    """Return a response that is JSON, or `TOO_LONG` and a problem for one over the limit."""
    limit = collector.limits.max_response_chars
    if isinstance(response, str):
        size = len(response)
    elif isinstance(response, list | dict):
        whole = cast("object", response)
        size = len(json.dumps(whole, ensure_ascii=False, separators=(",", ":")))
    else:
        size = 0
    if size <= limit:
        return cast("object", response)
    collector.fault(
        ProblemKind.TOO_LONG,
        f"the response has {size:,} characters, more than the limit of {limit:,};"
        " it counts as unparsed",
        line,
        "response",
    )
    return TOO_LONG


def report_missing_response(collector: Collector, line: int) -> None:
    """Say that a record has neither a response nor an error."""
    collector.fault(
        ProblemKind.WRONG_TYPE,
        "the response is missing; give a response, or an error that says why there is none",
        line,
        "response",
    )


def report_deep_response(collector: Collector, response: object, line: int) -> bool:
    """Say so, and return True, when a response is nested too deep to be kept."""
    if not is_nested_too_deep(response):
        return False
    collector.fault(
        ProblemKind.MALFORMED, f"the response is nested too deep; {_SKIPPED}", line, "response"
    )
    return True


def _item_id(collector: Collector, value: object, line: int) -> str:
    if isinstance(value, str):
        fault = text_fault(value)
        if fault is None:
            return str.__str__(value)
        collector.fault(ProblemKind.MALFORMED, f"{fault}; {_SKIPPED}", line, "item_id")
        raise UnusableError
    what = "item_id is missing" if _is_absent(value) else f"item_id is {shown(value)}"
    collector.fault(
        ProblemKind.WRONG_TYPE, f'{what}; ids are text like "test/5/0"; {_SKIPPED}', line, "item_id"
    )
    raise UnusableError


def _attempt(collector: Collector, value: object, line: int) -> int:
    if _is_absent(value):
        return 0
    whole = int(value) if isinstance(value, float) and value.is_integer() else value
    if not isinstance(whole, bool | str):
        try:
            attempt = operator.index(cast("int", whole))
        except TypeError:
            attempt = -1
        if 0 <= attempt <= MAX_ATTEMPT:
            return attempt
    collector.fault(
        ProblemKind.WRONG_TYPE,
        f"attempt must be a whole number from 0 to {MAX_ATTEMPT}, not {shown(value)}; {_SKIPPED}",
        line,
        "attempt",
    )
    raise UnusableError


def _error(collector: Collector, value: object, line: int) -> str | None:
    if _is_absent(value):
        return None
    if isinstance(value, str):
        if text_fault(value) is None:
            return str.__str__(value) or None
        kept = value.encode("utf-8", "backslashreplace").decode()
        message = "error must be text that UTF-8 can encode; what can't be was escaped"
    elif value is False:
        kept, message = None, "error must be text; false was read as no error"
    else:
        kept = _as_text(value)
        message = f"error must be text, not {kind_of(value)}; it still counts as an error"
    collector.fault(ProblemKind.WRONG_TYPE, message, line, "error")
    return kept


def _as_text(value: object) -> str:
    try:
        return json.dumps(to_json(value), ensure_ascii=False)
    except NotJsonError:
        return kind_of(value)


def _response(collector: Collector, value: object, error: str | None, line: int) -> object:
    if value is _ABSENT:
        if error is None:
            report_missing_response(collector, line)
        return None
    if _is_absent(value):
        return None
    try:
        response = to_json(value)
    except NotJsonError as fault:
        collector.fault(ProblemKind.MALFORMED, f"{fault}; {_SKIPPED}", line, "response")
        raise UnusableError from fault
    return limited(collector, response, line)


def _model(collector: Collector, value: object, line: int) -> str | None:
    if _is_absent(value):
        return None
    if isinstance(value, str) and text_fault(value) is None:
        return str.__str__(value) or None
    what = "text that UTF-8 can encode" if isinstance(value, str) else f"text, not {kind_of(value)}"
    collector.fault(ProblemKind.WRONG_TYPE, f"model must be {what}; it was left out", line, "model")
    return None


def _is_absent(value: object) -> bool:
    """Whether there is nothing: None, or the NaN that frames put where nothing is."""
    return value is None or (isinstance(value, float) and value != value)
