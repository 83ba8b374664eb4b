"""Any calls by any clients in any order: the service does what a few lines of rules say."""

import asyncio
import json
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,  # pyright: ignore[reportUnknownVariableType]  # partly typed there
)

from snellen.server.attempts.models import Caller
from snellen.server.attempts.service import Clock, Service
from snellen.server.errors import ExamError
from snellen.server.exam.rules import Contexts, Rules
from snellen.server.exam.spec import Exam
from snellen.server.store.database import Database
from snellen.server.store.schema import open_store
from snellen.server.store.tables.exams import Attempt, State
from snellen.tasks.pack.read import open_pack, open_references

MINUTE = 60_000
clients = st.sampled_from(["A", "B", "C"])
places = st.integers(0, 7)


@dataclass
class Row:
    """An item as the rules see it."""

    holder: str | None = None
    until: int = 0
    answers: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])


class AttemptMachine(RuleBasedStateMachine):
    """An attempt, and what must be true of it."""

    packs: Path

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.runner = asyncio.Runner()
        self.now = 1_700_000_000_000
        self.pack = open_pack(self.packs / "paired")
        self.seen: dict[str, set[int]] = {}
        self.state = State.OPEN
        self.database: Database | None = None

    @initialize(
        contexts=st.sampled_from(list(Contexts)),
        submissions=st.integers(1, 2),
        together=st.booleans(),
        minutes=st.sampled_from([None, 60]),
        counting=st.sampled_from(["first", "last"]),
    )
    def begin(
        self,
        contexts: Contexts,
        submissions: int,
        together: bool,
        minutes: int | None,
        counting: str,
    ) -> None:
        self.policy = Rules.model_validate(
            {
                "contexts": contexts,
                "submissions": submissions,
                "pairs_together": together,
                "minutes": minutes,
                "counting": counting,
                "lease_minutes": 10,
            }
        )
        self.open()
        started = self.run(self.service.start(Caller()))
        self.handle = started.handle
        attempt = started.attempt
        found = self.service.exam.items(attempt.tasks, attempt.secret, attempt.contexts)
        self.names = [place.opaque for place in found]
        self.ids = [place.item for place in found]
        self.rows = [Row() for _ in found]
        self.deadline = None if minutes is None else self.now + minutes * MINUTE

    def open(self) -> None:
        references = {"paired": open_references(self.pack)}
        self.database = open_store(self.folder / "x.sqlite")
        exam = Exam([self.pack], self.policy, references)
        self.service = Service(exam, self.database, Clock(now=lambda: self.now))

    def run(self, work: Any) -> Any:
        return self.runner.run(work)

    def teardown(self) -> None:
        self.runner.close()
        if self.database is not None:
            self.database.close()
        shutil.rmtree(self.folder)

    @property
    def attempt(self) -> Attempt:
        return self.service.attempt(self.handle, Caller().name)

    @property
    def takes_calls(self) -> bool:
        return self.state is State.OPEN and (self.deadline is None or self.now <= self.deadline)

    # ---- what the rules say ------------------------------------------------------------------

    def is_free(self, place: int, client: str) -> bool:
        row = self.rows[place]
        if row.holder in (None, client):
            return True
        return not row.answers and row.until < self.now

    def may_have(self, place: int, client: str) -> bool:
        seen = self.seen.get(client, set())
        fresh = self.policy.contexts is Contexts.FRESH
        return self.is_free(place, client) and not (fresh and seen - {place})

    def next_for(self, client: str) -> int | None:
        """Return what comes next: what it holds, then the first that it may have."""
        left = [place for place, row in enumerate(self.rows) if not row.answers]
        held = [place for place in left if self.rows[place].holder == client]
        free = [place for place in left if self.is_free(place, client)]
        return next(iter([*held, *free]), None)

    # ---- what can be called ------------------------------------------------------------------

    def lease(self, client: str, place: int | None) -> None:
        name = None if place is None else self.names[place]
        expected = self.next_for(client) if place is None else place
        allowed = self.takes_calls and expected is not None and self.may_have(expected, client)
        try:
            leased = self.run(self.service.lease(self.attempt, Caller(client=client), name))
        except ExamError:
            assert not allowed
            return
        assert allowed
        assert expected is not None
        assert leased.item.opaque == self.names[expected]
        self.rows[expected].holder, self.rows[expected].until = client, self.now + 10 * MINUTE
        self.seen.setdefault(client, set()).add(expected)

    @rule(client=clients)
    def lease_next(self, client: str) -> None:
        self.lease(client, None)

    @rule(client=clients, place=places)
    def lease_named(self, client: str, place: int) -> None:
        self.lease(client, place % len(self.rows))

    @rule(client=clients, place=places, text=st.sampled_from(["x", "y"]))
    def answer(self, client: str, place: int, text: str) -> None:
        self.submit(client, place % len(self.rows), text)

    def submit(self, client: str, place: int, text: str) -> None:
        row = self.rows[place]
        again = bool(row.answers) and row.answers[-1] == (client, text)
        allowed = (
            self.takes_calls and row.holder == client and len(row.answers) < self.policy.submissions
        )
        call = self.service.submit(self.attempt, Caller(client=client), self.names[place], text)
        try:
            receipt = self.run(call)
        except ExamError:
            assert not again
            assert not allowed
            return
        assert again or allowed
        assert receipt.again == again
        if not again:
            row.answers.append((client, text))
        assert receipt.number == len(row.answers)

    @rule(client=clients, text=st.sampled_from(["x", "y"]))
    def answer_what_comes_next(self, client: str, text: str) -> None:
        self.lease(client, None)
        for place, row in enumerate(self.rows):
            if row.holder == client and not row.answers:
                self.submit(client, place, text)

    @rule(minutes=st.sampled_from([1, 6, 11]))
    def wait(self, minutes: int) -> None:
        self.now += minutes * MINUTE

    @rule()
    def restart(self) -> None:
        assert self.database is not None
        self.database.close()
        self.open()

    @precondition(lambda self: sum(bool(row.answers) for row in self.rows) >= 3)
    @rule(how=st.sampled_from(["finish", "abandon", "sweep"]))
    def end(self, how: str) -> None:
        over = not self.takes_calls and self.state is State.OPEN
        if how == "sweep":
            swept = self.run(self.service.register.sweep(idle_minutes=1_000))
            assert (swept.expired, swept.abandoned) == (int(over), 0)
            self.state = State.EXPIRED if over else self.state
            return
        if self.state is State.OPEN:
            wanted = State.FINISHED if how == "finish" else State.ABANDONED
            self.state = State.EXPIRED if over else wanted
        if how == "abandon":
            assert self.run(self.service.register.abandon(self.attempt)).state is self.state
            return
        try:
            report = self.run(self.service.finish(self.attempt))
        except ExamError:
            assert self.state is State.ABANDONED
            return
        assert report.state is self.state
        assert report.tasks[0].answered == sum(bool(row.answers) for row in self.rows)

    # ---- what is always true -----------------------------------------------------------------

    @invariant()
    def adds_up(self) -> None:
        attempt = self.attempt
        answered = sum(bool(row.answers) for row in self.rows)
        assert (attempt.progress.answered, attempt.progress.open) == (
            answered,
            len(self.rows) - answered,
        )
        assert self.service.progress(attempt) == attempt.progress
        listed = self.service.list_items(attempt)
        assert [item.id for item in listed] == self.names
        assert [item.answered for item in listed] == [bool(row.answers) for row in self.rows]
        assert [item.leased_to for item in listed] == [
            row.holder if row.holder and not row.answers and row.until >= self.now else None
            for row in self.rows
        ]

    @invariant()
    def has_every_answer_that_counts_once(self) -> None:
        if self.state is State.OPEN:
            return
        (exported,) = self.service.export(self.service.register.numbered(1))
        kept = {
            record["item_id"]: (record["meta"]["client"], record["response"])
            for record in map(json.loads, exported.lines().splitlines())
            if record["response"] is not None
        }
        place = 0 if self.policy.counting == "first" else -1
        assert len(exported.lines().splitlines()) == len(self.rows)
        assert kept == {
            item: row.answers[place]
            for item, row in zip(self.ids, self.rows, strict=True)
            if row.answers
        }


@pytest.mark.slow
def test_any_calls_in_any_order_keep_the_rules(packs: Path) -> None:
    AttemptMachine.packs = packs
    check: Callable[..., None] = run_state_machine_as_test
    check(
        AttemptMachine,
        settings=settings(
            max_examples=40,
            stateful_step_count=40,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow],
            # Every step waits for the disk: to shrink a failure would take minutes.
            phases=[Phase.explicit, Phase.reuse, Phase.generate],
        ),
    )
