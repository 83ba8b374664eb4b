"""The actions of an exam's callers, for REST and the pages: who may, what is done, what fails."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeVar

from starlette.requests import Request

from snellen.server.challenge import models
from snellen.server.challenge.alike import Alike, alike_submissions
from snellen.server.challenge.boards import Boards
from snellen.server.challenge.service import Challenge
from snellen.server.errors import ForbiddenError, NotFoundError
from snellen.server.exam.file import Phase
from snellen.server.exam.rules import Contexts
from snellen.server.http.api.access import Access, Visitor
from snellen.server.http.auth import MadeToken, NewToken, TokenCard
from snellen.server.http.signup import SignUp
from snellen.server.screenshots.service import WholeImages
from snellen.server.store.tables.endpoint import SubmissionRow
from snellen.server.store.tables.exams import Scope
from snellen.tasks import hosted
from snellen.tasks.hosted import JobState
from snellen.tasks.pack.format import PackItem

Decision = Literal["choose", "withdraw", "remove", "restore", "baseline", "retry"]
"""The decisions about a submission: the first two are its participant's, the others organizers'."""

T = TypeVar("T")


class ItemSlice(NamedTuple):
    """Some items of a task, and the number of all its items."""

    lines: Sequence[PackItem]
    total: int


class SubmissionSlice(NamedTuple):
    """Some submissions, the newest first."""

    rows: Sequence[hosted.SubmissionStatus]
    next: str | None  # the cursor of the next ones; None: there are none
    owner: str | None  # the participant whose submissions they are; None: all participants'


@dataclass(frozen=True, slots=True)
class Actions:
    """The actions of an exam's callers.

    An action raises UnauthorizedError or ForbiddenError if the caller may not do it. Those that are
    not coroutines read the store; see `Database.off_loop`.
    """

    challenge: Challenge
    boards: Boards = field(repr=False)
    access: Access = field(repr=False)
    images: WholeImages = field(default_factory=WholeImages, repr=False)

    def __post_init__(self) -> None:
        self.access.before.append(self.challenge.phases.refresh)

    @property
    def signup(self) -> SignUp:
        """The sign-up of the exam."""
        return SignUp(self.access, self.challenge)

    async def ask(self, request: Request, exam: str, work: Callable[[Visitor], T]) -> T:
        """Identify the caller of an exam and return the result of a read.

        Raises:
            NotFoundError: The exam is not served here.
        """
        if exam != self.challenge.file.name:
            raise NotFoundError(
                f"there is no exam {exam[:64]!r} here; there is: {self.challenge.file.name}",
                field="exam",
            )
        return await self.access.ask(request, work)

    async def visitor(self, request: Request, exam: str) -> Visitor:
        """Return the caller of an exam; raises as `ask`."""
        return await self.ask(request, exam, lambda visitor: visitor)

    # ---- items -------------------------------------------------------------------------------

    def check_items(self, visitor: Visitor, what: str = "items") -> None:
        """Check that the items, or their images, are visible to a caller now.

        Raises:
            ForbiddenError: They are not visible to the caller, or no phase has begun.
        """
        visitor.check(self.challenge.file.items, what)
        if visitor.organizes:
            return
        challenge = self.challenge
        challenge.phases.check_begun(challenge.now())
        fresh = challenge.exam.rules.contexts is Contexts.FRESH
        if fresh and visitor.may(Scope.TAKE):
            raise ForbiddenError(
                f"a token that takes this exam can't read its {what}: an attempt shows each item to"
                " a context that has seen no other; use a token for uploads alone"
            )

    def items(self, visitor: Visitor, task: str | None, first: int, limit: int) -> ItemSlice:
        """Return some items of a task, from an index on; raises as `task`."""
        self.check_items(visitor)
        exam, name = self.challenge.exam, self.task(task)
        ids = exam.asked(name)
        lines = [exam.line(name, item) for item in ids[first : first + limit]]
        return ItemSlice(lines, len(ids))

    def item(self, task: str | None, item: str) -> tuple[str, PackItem]:
        """Return an item with its task, for a caller who may see it; see `check_items`.

        Raises:
            NotFoundError: There is no such task or item.
        """
        name = self.task(task)
        if item not in self.challenge.exam.asked(name):
            raise NotFoundError(f"there is no item {item[:64]!r} of {name}", field="item")
        return name, self.challenge.exam.line(name, item)

    def task(self, named: str | None) -> str:
        """Return the named task, or the only one.

        Raises:
            NotFoundError: There is no task of that name, or no name is given and there are several.
        """
        offers = self.challenge.exam.offers
        if named is None and len(offers) == 1:
            return next(iter(offers))
        known = ", ".join(offers)
        if named is None:
            raise NotFoundError(f"give the task: {known}", field="task")
        if named not in offers:
            said = f"there is no task {named[:64]!r}; there are: {known}"
            raise NotFoundError(said, field="task")
        return named

    # ---- submissions -------------------------------------------------------------------------

    def begin_upload(
        self, visitor: Visitor, at: int, phase: str | None = None
    ) -> tuple[str, Phase]:
        """Return the participant and the phase of an upload that began at a time.

        Raises:
            ExamError: The phase takes no uploads then.
        """
        caller = visitor.need(Scope.SUBMIT)
        return caller, self.challenge.submissions.accepting(caller, phase, at)

    def quota(self, visitor: Visitor, phase: str | None = None) -> hosted.QuotaCard:
        """Return the caller's uploads that are left in a phase; raises as `Submissions.quota`."""
        return self.challenge.submissions.quota(visitor.need(Scope.SUBMIT), phase)

    async def submissions(
        self,
        visitor: Visitor,
        phase: str | None = None,
        state: JobState | None = None,
        before: str | None = None,
        limit: int = 50,
    ) -> SubmissionSlice:
        """Return the caller's submissions, an organizer all; raises as `Submissions.listed`."""
        owner, submissions = visitor.owner(), self.challenge.submissions
        key = self._key(phase)

        def work() -> SubmissionSlice:
            listed = submissions.listed(owner, phase=key, state=state, before=before, limit=limit)
            rows = submissions.statuses(listed, organizer=owner is None)
            return SubmissionSlice(rows, listed[-1].id if len(listed) == limit else None, owner)

        # What is shown of one of them depends on all that its participant sent before.
        return await asyncio.to_thread(work)

    def _key(self, phase: str | None) -> str:
        """Return the key of a phase; empty for all phases."""
        return "" if phase is None else self.challenge.phases.key(self.challenge.phase(phase))

    async def file(self, visitor: Visitor, submission: str) -> tuple[SubmissionRow, bytes]:
        """Return a submission and its file; raises as `Submissions.file_of`.

        That an organizer reads a participant's file is an event in the log.
        """
        submissions, owner = self.challenge.submissions, visitor.owner()
        row, parts = await self.challenge.database.off_loop(
            lambda: submissions.file_of(submission, owner)
        )
        body = await submissions.bytes_of(parts)
        if owner is None and visitor.name != row.caller:
            await self.challenge.events.note_read(visitor.need(Scope.ORGANIZE), row.id)
        return row, body

    async def decide(
        self,
        visitor: Visitor,
        submission: str,
        decision: Decision,
        why: str = "",
        *,
        on: bool = True,
    ) -> hosted.SubmissionStatus:
        """Decide about a submission, and return it; raises as the method of `Submissions`.

        Args:
            visitor: The participant, to choose or withdraw; otherwise an organizer.
            submission: Its id.
            decision: The decision.
            why: The reason, to remove or restore.
            on: Whether it is chosen, or a baseline; otherwise that is taken back.
        """
        submissions, owns = self.challenge.submissions, decision in ("choose", "withdraw")
        caller = visitor.need(Scope.SUBMIT if owns else Scope.ORGANIZE)
        match decision:
            case "choose":
                await submissions.choose(submission, caller, chosen=on)
            case "withdraw":
                await submissions.withdraw(submission, caller)
            case "remove":
                await submissions.remove(submission, caller, why)
            case "restore":
                await submissions.restore(submission, caller, why)
            case "baseline":
                await submissions.set_apart(submission, caller, baseline=on)
            case "retry":
                await submissions.retry(submission, caller)
        owner = caller if owns else None
        return await self.challenge.database.off_loop(lambda: submissions.status(submission, owner))

    # ---- organizers --------------------------------------------------------------------------

    async def rescore(self, visitor: Visitor, phase: str, why: str) -> int:
        """Grade a phase's submissions again and return their number; raises as `rescore`."""
        caller = visitor.need(Scope.ORGANIZE)
        return await self.challenge.rescore(self.challenge.phase(phase), caller, why)

    async def change_phase(
        self, visitor: Visitor, phase: str, given: models.PhaseChange, why: str
    ) -> None:
        """Change the times or quotas of a phase; raises as `Challenge.change_phase`."""
        await self.challenge.change_phase(phase, visitor.need(Scope.ORGANIZE), given, why)

    async def alike(self, visitor: Visitor, phase: str | None) -> Sequence[Alike]:
        """Return pairs of a phase's submissions that look copied."""
        visitor.need(Scope.ORGANIZE)
        return await asyncio.to_thread(
            alike_submissions, self.challenge, self.boards, self.challenge.phase(phase)
        )

    def events(
        self, visitor: Visitor, phase: str | None, after: int, limit: int
    ) -> Sequence[models.EventCard]:
        """Return a page of the event log; raises NotFoundError if there is no such phase."""
        visitor.need(Scope.ORGANIZE)
        return self.challenge.events.page(self._key(phase), after, limit)

    # ---- tokens ------------------------------------------------------------------------------

    def tokens(self, visitor: Visitor) -> Sequence[TokenCard]:
        """Return all tokens, the oldest first."""
        visitor.need(Scope.ADMIN)
        return [
            TokenCard.model_validate(row, from_attributes=True)
            for row in self.access.tokens.listed()
        ]

    async def make_token(self, visitor: Visitor, given: NewToken) -> MadeToken:
        """Create a token, with an event in the log; raises as `Tokens.create`."""
        caller, tokens = visitor.need(Scope.ADMIN), self.access.tokens
        token = await asyncio.to_thread(
            tokens.create, given.name, given.scopes, given.days, given.team, by=caller
        )
        return MadeToken(name=given.name, token=token)

    async def revoke_token(self, visitor: Visitor, name: str) -> None:
        """Revoke a token, with an event in the log; raises as `Tokens.revoke`."""
        caller = visitor.need(Scope.ADMIN)
        await asyncio.to_thread(self.access.tokens.revoke, name, by=caller)
