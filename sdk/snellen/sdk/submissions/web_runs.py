"""Folders of web agents' runs: an answer a task, the network log beside it, and a verdict.

WebArena-Verified writes `TASK/agent_response.json` and `TASK/network.har`, and its evaluation
`TASK/eval_result.json`; runs with seeds have `TASK/control_seed_3/` between, each an attempt. A
trace of Playwright (`trace.zip`, `trace.network`) stands for the HAR. `config.json` of the folder
says where the sites were.
"""

import json
import re
import zipfile
from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import msgspec

from snellen.grading.errors import SubmissionError
from snellen.grading.models.base import NO_JSON
from snellen.grading.models.reports import ProblemKind
from snellen.sdk.submissions.batch import Batch, Collector, Limits
from snellen.sdk.submissions.files import display
from snellen.sdk.submissions.records import add_named

ANSWER = "agent_response.json"
_LOGS = ("network.har", "trace.network", "trace.zip")
_VERDICTS = ("official_eval.json", "eval_result.json")
_CHAT = "interact_messages.json"
_NUMBER = re.compile(r"[0-9]+$")


def read_web_runs(source: str, limits: Limits) -> Iterator[Batch] | None:
    """Read the answers in a folder, by task; None if it holds none.

    Args:
        source: The folder of a run, or of one of its tasks.
        limits: Of the answers; a log counts with its answer.

    Raises:
        SubmissionError: It holds chats of WebVoyager, which only a model can judge.
    """
    root = Path(source)
    files = sorted(root.rglob(ANSWER)) if root.is_dir() else []
    if not files and root.is_dir() and next(root.rglob(_CHAT), None) is not None:
        raise SubmissionError(
            f"it holds chats of WebVoyager ({_CHAT}), whose answers a model judges by screenshots:"
            " no protocol here grades them",
            file=display(source),
        )
    if not files or limits.known is None:
        return None
    return _read(source, files, limits.known().by_id, limits)


def _read(
    source: str, files: Sequence[Path], known: Container[str], limits: Limits
) -> Iterator[Batch]:
    root = Path(source)
    tasks = [_task_of(file, root, known) for file in files]
    seeds: defaultdict[str, set[int]] = defaultdict(set)
    for task, file in zip(tasks, files, strict=True):
        seeds[task].add(_seed_of(file))
    environments = _environments(root / "config.json")
    collector = Collector(limits)
    for task, file in zip(tasks, files, strict=True):
        collector.file = display(str(file))
        if task not in known:
            what = f"there is no task {task!r} in the data; the answer was left out"
            collector.fault(ProblemKind.UNKNOWN_ITEM, what, None)
            continue
        record = {
            "item_id": task,
            "attempt": sorted(seeds[task]).index(_seed_of(file)),
            **_response(file, environments, limits.max_response_chars),
        }
        before = len(collector.item_ids)
        add_named(collector, record, 1)
        # What can't be read here says nothing of the evaluation.
        verdict = None if "error" in record else _verdict(file.parent)
        collector.judge(before, verdict)
        yield from collector.ready()
    collector.file = display(source)
    yield from collector.rest()


def _task_of(file: Path, root: Path, known: Container[str]) -> str:
    """Return the task that a path names: the first part that is an id, or ends in one."""
    parts = (root.resolve().name, *file.parent.relative_to(root).parts)
    inside = parts[1:] or parts
    for part in inside:
        number = _NUMBER.search(part)
        if part in known:
            return part
        if number and part.startswith("task") and number[0] in known:
            return number[0]
    return inside[0]


def _seed_of(file: Path) -> int:
    number = _NUMBER.search(file.parent.name)
    return int(number[0]) if number and "seed" in file.parent.name else 0


def _environments(file: Path) -> Mapping[str, Any]:
    try:
        config = msgspec.json.decode(file.read_bytes())
    except (OSError, *NO_JSON):
        return {}
    found = cast("Mapping[str, Any]", config).get("environments") if _is_object(config) else None
    return cast("Mapping[str, Any]", found) if _is_object(found) else {}


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


def _response(file: Path, environments: Mapping[str, Any], longest: int) -> Mapping[str, Any]:
    """Return the fields `response` or `error` of a submission."""
    try:
        text = file.read_text(encoding="utf-8-sig", errors="replace")
    except OSError as error:
        return {"error": f"{display(str(file))} can't be read: {error.strerror}"}
    log = next((file.parent / name for name in _LOGS if (file.parent / name).is_file()), None)
    if log is None:
        return {"response": text}
    try:
        entries = [reduced for entry in _entries(log) if (reduced := _reduced(entry)) is not None]
    except SubmissionError as error:
        return {"error": str(error)}
    response = {"agent_response": text, "network": entries, "environments": environments}
    size = len(json.dumps(response, ensure_ascii=False))
    if size > longest:
        return {
            "error": f"{display(str(log))}: its requests have {size:,} characters, more than the"
            f" limit of {longest:,}"
        }
    return {"response": response}


def _entries(log: Path) -> Iterator[Any]:
    """Yield the entries of a HAR, or the requests of a trace.

    Raises:
        SubmissionError: It is cut off, or is neither.
    """
    file = display(str(log))
    try:
        if log.suffix == ".zip":
            with zipfile.ZipFile(log) as archive:
                data = archive.read("trace.network")
        else:
            data = log.read_bytes()
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        raise SubmissionError(f"it can't be read: {error}", file=file) from None
    if log.suffix != ".har":
        for number, line in enumerate(data.splitlines(), 1):
            entry = _decoded(line, file, number)
            if _is_object(entry) and entry.get("type") == "resource-snapshot":
                yield entry.get("snapshot")
        return
    whole = _decoded(data, file, None)
    entries = _fields(_fields(whole).get("log")).get("entries")
    if not isinstance(entries, list) or not entries:
        raise SubmissionError("it is no HAR with entries in log.entries", file=file)
    yield from cast("list[Any]", entries)


def _decoded(data: bytes, file: str, line: int | None) -> Any:  # noqa: ANN401  # any JSON
    try:
        return msgspec.json.decode(data)
    except NO_JSON:
        pass
    text = data.decode("utf-8", "replace")
    try:
        return json.loads(text)
    except RecursionError:
        raise SubmissionError("it is nested too deep", file=file, line=line) from None
    except ValueError as error:
        at = len(text[: getattr(error, "pos", len(text))].encode())
        if "Unterminated" in str(error) or at >= len(data.rstrip()) - 1:
            what = f"is cut off at byte {len(data):,}"
        else:
            what = f"is no JSON at byte {at:,} of {len(data):,}"
        raise SubmissionError(f"it {what}; copy it again", file=file, line=line) from None


def _reduced(entry: object) -> Mapping[str, Any] | None:
    """Return what the rules ask of an entry; None for a style, script, image or font."""
    # Loaded late: it needs the protocols, which no other reader does.
    from snellen.tasks.benchmarks.webarena.rules.requests import is_asset

    if not isinstance(entry, dict):
        return {}
    fields = cast("Mapping[str, Any]", entry)
    request, response = (_fields(fields.get(name)) for name in ("request", "response"))
    url = request.get("url")
    if isinstance(url, str) and is_asset(url):
        return None
    posted, content = _fields(request.get("postData")), _fields(response.get("content"))
    kept = {name: request[name] for name in ("method", "url") if name in request}
    kept["headers"] = [
        {"name": one.get("name"), "value": one.get("value")}
        for one in request.get("headers") or ()
        if _is_object(one) and not str(one.get("name", "")).lower().startswith(("sec-ch-", "user-"))
    ]
    if posted:
        kept["postData"] = {name: posted.get(name, "") for name in ("mimeType", "text")}
    answered: dict[str, Any] = {"status": response.get("status")}
    if response.get("cookies"):
        answered["cookies"] = response["cookies"]
    if "application/json" in str(content.get("mimeType")) and content.get("text"):
        answered["content"] = {name: content[name] for name in ("mimeType", "text")}
    return {"request": kept, "response": answered}


def _fields(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}


def _verdict(folder: Path) -> bool | None:
    """Return what the evaluation beside an answer said; None: there is none, or it broke."""
    for name in _VERDICTS:
        try:
            found = msgspec.json.decode((folder / name).read_bytes())
        except (OSError, *NO_JSON):
            continue
        score = _fields(found).get("score")
        if isinstance(score, int | float):
            return score >= 1
    return None
