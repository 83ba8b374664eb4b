"""Runs whose verdicts were stored: the episodes of a folder, a file or a list, of any task set.

They are the items of `outcomes/run` themselves, unless a list says what the set has.
"""

import json
import os
import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import suppress
from fnmatch import fnmatch
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, cast

from snellen.grading.errors import SubmissionError
from snellen.sdk.submissions.batch import Batch, Collector, Limits
from snellen.sdk.submissions.columns import IDS
from snellen.sdk.submissions.containers import (
    FOLDER_NAME,
    STEPS_JSON,
    Row,
    episodes_in,
    rows_of,
)
from snellen.sdk.submissions.files import display, is_submission
from snellen.sdk.submissions.kinds import kind_of_row
from snellen.sdk.submissions.known import Known
from snellen.sdk.submissions.outcomes import (
    REWARDS,
    flat,
    item_of,
    number_of,
    outcome_of,
    verdict_of,
)
from snellen.sdk.submissions.records import add_named
from snellen.tasks.benchmarks.outcomes.load import domain_of, run_data
from snellen.tasks.models import TaskData

RUN = "outcomes/run"
_TABLES = (".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".json.gz", ".jsonl.gz", ".csv.gz")
_LOGS = (".log", ".txt")
_LOGGED = re.compile(
    r"\[Config file\]: (?P<start>\S+)|\[Result\] \((?P<verdict>PASS|FAIL)\) (?P<task>\S+)"
    r"|\[(?:Unhandled|OpenAI) Error\] (?P<error>.*)"
)
_HASH = re.compile(r"(_\d+)_[0-9a-f]{6}$")
"""What AgentLab adds to a folder's name that would be there twice."""
_TRIAL = re.compile(r"(?:\w+_)?seed_\d+|(?:run|trial|attempt|rollout|epoch|try)[-_]?\d+", re.I)
"""A folder of one of several tries at the same tasks, as also a bare number is above them."""
_SHOWN, _LONGEST = 3, 1 << 20


class Episode(NamedTuple):
    """One episode of a run."""

    id: str  # its task's, as the run names it
    names: Sequence[str]  # what a list may call its task
    domain: str | None
    model: str | None
    record: Mapping[str, object]  # its `response` or its `error`
    file: str
    line: int


class StoredRun:
    """The episodes of a run.

    Attributes:
        source: Where they were read, for messages.
        episodes: All of them; several of one task are attempts.
    """

    def __init__(self, source: str, episodes: Sequence[Episode]) -> None:
        self.source = source
        self.episodes = episodes

    @cached_property
    def data(self) -> TaskData:
        """The tasks that the run holds."""
        domains: dict[str, str | None] = {}
        for one in sorted(self.episodes, key=lambda episode: episode.id):
            domains[one.id] = domains.get(one.id) or one.domain
        return run_data(domains)

    def batches(self, known: Known) -> Iterator[Batch]:
        """Yield the episodes as submissions to the tasks of a list, or of the run itself."""
        attempts = Counter[object]()
        several = len({episode.model for episode in self.episodes} - {None}) > 1
        # A problem names the file of its batch.
        chunk = 1 if len({episode.file for episode in self.episodes}) > 1 else 16_384
        collector = Collector(Limits(chunk, _LONGEST), self.source or None)
        for episode in self.episodes:
            found = item_of(episode.names, known)
            item = episode.id if found is None else found.id
            key = (item, episode.model if several else None)
            record = {"item_id": item, "attempt": attempts[key], "model": episode.model}
            attempts[key] += 1
            collector.file = episode.file or None
            add_named(collector, {**record, **episode.record}, episode.line)
            yield from collector.ready()
        collector.notices += self._notices()
        yield from collector.rest()

    def _notices(self) -> Iterator[str]:
        lost = [one for one in self.episodes if "no verdict" in str(one.record.get("error", ""))]
        if lost:
            shown = ", ".join(one.id for one in lost[:_SHOWN])
            yield (
                f"{len(lost):,} of the {len(self.episodes):,} episodes have no verdict: they count"
                f" as errors, not as failures of the agent: {shown}"
            )


def run_of(submissions: object, *, sure: bool, listed: bool) -> StoredRun | None:
    """Read a run whose verdicts were stored; None for answers, which are graded.

    Args:
        submissions: A folder, a file or rows.
        sure: Whether it is to be one; else a file that holds no verdict is none.
        listed: Whether the items are known: submissions to them have their own reader.

    Raises:
        SubmissionError: It is to be one, or a folder without known items, and holds no verdict.
    """
    if isinstance(submissions, str | os.PathLike):
        path = os.fsdecode(cast("str", submissions))
        if path == "-" or not os.path.exists(path) or (listed and is_submission(path)):
            return None
        try:
            rows = list(chain.from_iterable(_rows_in(path)))
        except SubmissionError:
            if sure:
                raise
            return None
        answers = not sure and any(_is_answer(row.fields) for row in rows)
        episodes = [] if answers else _episodes(rows)
        if not episodes and (sure or (os.path.isdir(path) and not listed)):
            raise SubmissionError(_no_verdict(Path(path)), file=display(path))
        return StoredRun(display(path), episodes) if episodes else None
    if hasattr(submissions, "columns"):
        # A frame of polars, or of pandas.
        frame = cast("Any", submissions)
        polars = hasattr(frame, "to_dicts")
        submissions = frame.to_dicts() if polars else frame.to_dict("records")
    if not sure or not isinstance(submissions, list | tuple):
        return None
    given = [
        Row(cast("Mapping[str, Any]", row), "", line)
        for line, row in enumerate(cast("Sequence[object]", submissions), 1)
        if isinstance(row, Mapping)
    ]
    ours = listed and any("item_id" in row.fields for row in given)
    return None if ours or not given else StoredRun("", _episodes(given))


def _is_answer(row: Mapping[str, Any]) -> bool:
    """Whether a row holds an answer that a task's rules judge, and not a verdict alone."""
    judged = "verifier_metadata" in row or FOLDER_NAME in row
    return not judged and (kind_of_row(row) is not None or {"item_id", "response"} <= row.keys())


def _rows_in(path: str) -> Iterator[list[Row]]:
    """Yield the episodes of a path by how they are stored; the first way that has some counts."""
    if not os.path.isdir(path):
        yield _logged([path]) if path.lower().endswith(_LOGS) else rows_of(path)
        if fnmatch(Path(path).name, "eval_report*.json"):
            yield _without_results(path)
        return
    if found := list(episodes_in(path, unfinished=True)):
        yield found
        return
    files = [str(file) for file in sorted(Path(path).rglob("*")) if file.is_file()]
    if found := _logged([file for file in files if file.lower().endswith(_LOGS)]):
        yield found
        return
    for file in files:
        if file.lower().endswith(_TABLES):
            # Settings and logs lie beside.
            with suppress(SubmissionError):
                yield rows_of(file)


def _without_results(path: str) -> list[Row]:
    """Read the tasks that MobileWorld's report names beside those with results."""
    fault = {"error": "no verdict: the report has no result of it"}
    whole: Any = json.loads(Path(path).read_bytes())
    parts = cast("dict[str, Any]", whole) if isinstance(whole, dict) else {}
    names = parts.get("tasks_with_no_results", ())
    return [Row({"task_name": name, **fault}, display(path), 1) for name in names]


def _logged(files: Sequence[str]) -> list[Row]:
    """Read WebArena's logs: the last verdict on a task counts, or else its last error.

    A log and the file of errors, or a log merged of others, say the same episode twice.
    """
    found: dict[str, Row] = {}
    for file in files:
        lines = Path(file).read_text(encoding="utf-8", errors="replace").splitlines()
        task = ""
        for number, line in enumerate(lines, 1):
            if (match := _LOGGED.search(line)) is None:
                continue
            task = Path(match["task"] or match["start"] or task).stem
            said = {"score": match["verdict"]} if match["verdict"] else {}
            fault = match["error"] or ("no verdict: its log ends without one" if not said else "")
            row = Row({"task_id": task, **(said or {"error": fault})}, display(file), number)
            judged = task in found and "score" in found[task].fields
            if said or (not judged and (match["error"] or task not in found)):
                found[task] = row
    return list(found.values())


def _episodes(rows: Sequence[Row]) -> list[Episode]:
    places = _places([row for row in rows if FOLDER_NAME in row.fields])
    judged = {row.file for row in rows if not flat(row.fields).keys().isdisjoint(REWARDS)}
    return [
        episode
        for row in rows
        for fields in _trials(row.fields)
        if (episode := _episode(row._replace(fields=fields), places, judged)) is not None
    ]


def _episode(
    row: Row, places: Mapping[str, tuple[str, str | None]], judged: Container[str]
) -> Episode | None:
    """Return the episode of a row; None if it is none: no row of its file has a verdict."""
    folder, fields = str(row.fields.get(FOLDER_NAME, "")), flat(row.fields)
    outcome = outcome_of(fields, folder)
    if folder:
        item, model = places[folder]
        model = model or outcome.model
    else:
        seeded = "env.task_seed" in fields
        own = outcome.names[0 if seeded else -1] if outcome.names else ""
        ids = (str(fields[name]) for name in ("slug", *IDS) if fields.get(name) not in (None, ""))
        item, model = own or next(ids, ""), outcome.model
    stated = outcome.error is not None or row.file in judged
    if not item or not stated or item.startswith("==="):
        return None
    names, domain = [item, *outcome.names], domain_of(fields, item)
    if "cum_reward" in fields and "." in item:
        # AgentLab's BENCHMARK.TASK_SEED.
        domain = domain or item.partition(".")[0]
        names.append(item.rpartition("_")[0])
    names += [f"{domain}/{item}"] if domain else []
    return Episode(item, names, domain, model, verdict_of(outcome), row.file, row.line)


def _trials(row: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return a row's trials: AndroidWorld's table has the mean and the number of a task's trials.

    Trials that raised are errors. A mean that is no count of successes stays one episode.
    """
    ended, failed = (number_of(row.get(f"num_{name}_trials")) for name in ("complete", "fail"))
    mean = number_of(row.get("mean_success_rate"))
    won = (mean or 0.0) * (ended or 0.0)
    if ended is None or abs(won - round(won)) > 0.01 or ended + (failed or 0) > 1000:
        return [row]
    plain = {name: value for name, value in row.items() if name not in REWARDS}
    successes = [float(index < round(won)) for index in range(int(ended))]
    return [
        *({**plain, "success": one} for one in successes),
        *({**plain, "error": "an exception ended the trial"} for _ in range(int(failed or 0))),
    ]


def _places(rows: Sequence[Row]) -> dict[str, tuple[str, str | None]]:
    """Return the id and the run of each folder of an episode: `DOMAIN/TASK`, or `TASK`.

    The folder above a task's is its domain, unless MobileWorld wrote it, or another holds most of
    its tasks as well: it is a run then. Runs whose folders are numbered, as `run_2` or `3`, are
    attempts, all others are models.
    """
    found: dict[str, list[str]] = {}
    above: defaultdict[str, set[str]] = defaultdict(set)
    flatly = False
    for row in rows:
        parts = str(row.fields[FOLDER_NAME]).split("/")
        # A trial may also stand below its task.
        at = 1 if len(parts) > 1 and _TRIAL.fullmatch(parts[-1]) else 0
        found["/".join(parts)] = parts = [*parts[len(parts) - at :], *parts[: len(parts) - at]]
        above[parts[-1]].add(parts[-2] if len(parts) > 1 + at else "")
        flatly = flatly or Path(row.file).with_name(STEPS_JSON).is_file()
    shared = sum(len(parents) > 1 for parents in above.values())
    size = 1 if flatly or 2 * shared > len(above) else 2
    places: dict[str, tuple[str, str | None]] = {}
    for folder, parts in found.items():
        named = [*(part for part in parts[:-1] if not _TRIAL.fullmatch(part)), parts[-1]]
        run = [part for part in named[:-size] if not part.isdigit()]
        places[folder] = _HASH.sub(r"\1", "/".join(named[-size:])), "/".join(run)
    several = len({run for _, run in places.values()}) > 1
    return {
        folder: (item, run if several and run else None) for folder, (item, run) in places.items()
    }


def _no_verdict(path: Path) -> str:
    said = (
        "no verdict is stored in it: looked for result.txt, summary_info.json, result.json,"
        " eval_result.json, `[Result] (PASS)` in logs, and rows with a task and a success, reward"
        " or score. What an agent says of itself is none (docs/outcomes.md). Answers need a task"
        " and data (--task, --data)"
    )
    if path.is_dir() and next(path.rglob("*.pkl.gz"), None) is not None:
        said += (
            ". Its .pkl.gz files, as AndroidWorld writes them, are not read, because unpickling can"
            " run any code: give a table with a row an episode (task_template, is_successful,"
            " episode_length, exception_info), or what process_episodes returns, as CSV"
        )
    return said
