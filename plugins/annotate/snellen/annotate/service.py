"""Annotations: raters answer items of a pack. Independent of references and of the transport."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import NamedTuple

from pydantic import JsonValue
from sqlalchemy import Connection

from snellen.annotate import queries
from snellen.annotate.forms import checked, form_of
from snellen.annotate.models import RaterAnswer
from snellen.annotate.queries import Place
from snellen.grading.errors import DataError
from snellen.grading.metrics.boxes import Ltrb
from snellen.grading.models.base import Closed
from snellen.server.attempts.register import Clock
from snellen.server.errors import ExamError, ForbiddenError, NotFoundError
from snellen.server.logs import log
from snellen.server.store.database import Database
from snellen.server.store.statements import row_values
from snellen.server.store.tables.annotations import (
    AnnotationItemRow,
    AnnotationMode,
    AnnotationRow,
    RatingRow,
)
from snellen.tasks.pack.format import PackItem
from snellen.tasks.pack.read import Pack

MOST_RATERS = 100
PAGE = "page"
"""The source of an answer that was given on a page of the server."""

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
_LONGEST_NOTE = 4000
_LONGEST_REASON = 500


class AnnotationPlan(NamedTuple):
    """An annotation to create.

    Attributes:
        name: Its name, in lower-case letters, digits and dashes.
        pack: The pack.
        tasks: The tasks to annotate; empty: all.
        items: The items to annotate; None: all.
        mode: The purpose of the answers.
        raters: The number of raters per item.
        note: Instructions for raters.
        elements: The boxes to choose from, by task and item.
    """

    name: str
    pack: Pack
    tasks: Sequence[str] = ()
    items: Sequence[str] | None = None
    mode: AnnotationMode = AnnotationMode.CHECK
    raters: int = 2
    note: str = ""
    elements: Mapping[tuple[str, str], Sequence[Ltrb]] = {}  # it is not changed


class AnnotationCard(Closed):
    """An annotation, as a rater may see it.

    Attributes:
        name: Its name.
        mode: The purpose of the answers.
        note: Instructions for raters.
        items: The number of its items.
        answered: The number of items that the rater has answered or skipped.
        left: The number of items that the rater still has to answer.
        open: Whether answers and corrections are accepted.
    """

    name: str
    mode: AnnotationMode
    note: str
    items: int
    answered: int
    left: int
    open: bool


class ItemToRate(NamedTuple):
    """An item as a rater sees it."""

    task: str
    line: PackItem  # its line in the pack
    elements: Sequence[Ltrb]  # the boxes to choose from
    rating: RatingRow | None  # the rater's earlier answer; None: there is none


class Annotations:
    """The annotations of the packs that are served.

    Several raters answer each item, each in their own order, and no rater sees another's answers.
    Two raters who get the same item at the same time may both answer it: the additional answer is
    kept.

    Args:
        packs: The packs; annotations of other packs are ignored.
        database: The store.
        clock: The source of time.
    """

    def __init__(
        self, packs: Iterable[Pack], database: Database, clock: Clock | None = None
    ) -> None:
        self.packs = {pack.digest: pack for pack in packs}
        self.database = database
        self._clock = clock or Clock()

    # ---- what organizers do ------------------------------------------------------------------

    def create(self, plan: AnnotationPlan) -> int:
        """Create an annotation and return the number of its items.

        Raises:
            ExamError: The name is taken, there are no items, or raters can't answer the items.
        """
        if not _NAME.fullmatch(plan.name):
            raise ExamError(
                "an annotation's name must have 1 to 64 lower-case letters, digits and dashes",
                field="name",
            )
        if not 1 <= plan.raters <= MOST_RATERS:
            raise ExamError(f"an item has 1 to {MOST_RATERS} raters", field="raters")
        if len(plan.note) > _LONGEST_NOTE:
            raise ExamError(f"a note may have at most {_LONGEST_NOTE:,} characters", field="note")
        places = _places(plan)
        row = AnnotationRow(
            id=0,
            name=plan.name,
            pack=plan.pack.digest,
            mode=plan.mode,
            note=plan.note,
            created=self._clock.now(),
        )

        def work(connection: Connection) -> None:
            if queries.NAMED.first(connection, {"n": plan.name}) is not None:
                raise ExamError(f"an annotation {plan.name!r} exists already", field="name")
            number = queries.add_annotation(connection, row)
            for task, item in places:
                boxes = plan.elements.get((task, item), ())
                kept = AnnotationItemRow(
                    annotation=number,
                    task=task,
                    item=item,
                    wanted=plan.raters,
                    elements=json.dumps(boxes),
                )
                queries.ADD_ITEM.run(connection, row_values(kept))

        self.database.submit(work).result()
        return len(places)

    def extend(self, name: str, disputed: Iterable[tuple[str, str]]) -> int:
        """Request one more rater for each of some items; return the number of items.

        Args:
            name: The annotation.
            disputed: Tasks and items.

        Raises:
            NotFoundError: There is no such annotation.
            ForbiddenError: It is closed.
        """
        wanted = list(disputed)

        def work(connection: Connection) -> int:
            found = self._open(connection, name)
            changed = 0
            for task, item in wanted:
                key = {"a": found.id, "t": task, "i": item}
                row = queries.ITEM.first(connection, key)
                own = queries.RATINGS_OF_ITEM.all(connection, key)
                answered = sum(rating.given is not None for rating in own)
                if row is not None and row.wanted <= answered < MOST_RATERS:
                    queries.EXTEND.run(connection, {**key, "w": answered + 1})
                    changed += 1
            return changed

        return self.database.submit(work).result()

    def close(self, name: str, *, closed: bool = True) -> None:
        """Close an annotation, or open it again.

        Raises:
            NotFoundError: There is none of that name.
        """
        at = self._clock.now() if closed else None

        def work(connection: Connection) -> None:
            found = self._named(connection, name)
            queries.CLOSE.run(connection, {"a": found.id, "at": at})

        self.database.submit(work).result()

    def take_over(self, name: str, answers: Sequence[RaterAnswer]) -> int:
        """Import answers; return the number of new or corrected answers.

        All are imported, or none.

        Raises:
            NotFoundError: There is no such annotation, or it lacks the item of an answer.
            ForbiddenError: It is closed.
            ExamError: An answer is not valid for its item.
        """

        def work(connection: Connection) -> int:
            found = self._open(connection, name)
            return sum(self._keep(connection, found, answer) for answer in answers)

        return self.database.submit(work).result()

    def listed(self) -> Sequence[AnnotationRow]:
        """Return the annotations of the packs that are served, the oldest first."""
        rows = self.database.read(lambda c: queries.ALL.all(c, {}))
        return [row for row in rows if row.pack in self.packs]

    def named(self, name: str) -> AnnotationRow:
        """Return an annotation.

        Raises:
            NotFoundError: There is none of that name.
        """
        return self.database.read(lambda c: self._named(c, name))

    def answers(self, name: str) -> Sequence[RaterAnswer]:
        """Return all raters' answers, by task, item and rater."""
        found = self.named(name)
        rows = self.database.read(lambda c: queries.RATINGS.all(c, {"a": found.id}))
        return [_answer(row) for row in rows]

    def places(self, name: str) -> Sequence[Place]:
        """Return the items of an annotation, in the pack's order."""
        found = self.named(name)
        rows = self.database.read(lambda c: queries.ITEMS.all(c, {"a": found.id}))
        index = self.packs[found.pack].index
        return sorted(rows, key=lambda row: index[row.task][row.item])

    def unfinished(self, name: str) -> int:
        """Return the number of items with fewer answers than required."""
        found = self.named(name)
        return self.database.read(lambda c: queries.UNFINISHED.one(c, {"a": found.id})).count

    # ---- what raters do ----------------------------------------------------------------------

    def card(self, name: str, rater: str) -> AnnotationCard:
        """Return an annotation, and a rater's progress.

        Raises:
            NotFoundError: There is none of that name.
        """

        def read(connection: Connection) -> AnnotationCard:
            found = self._named(connection, name)
            key = {"a": found.id, "r": rater}
            return AnnotationCard(
                name=found.name,
                mode=found.mode,
                note=found.note,
                items=len(queries.ITEMS.all(connection, key)),
                answered=queries.OWN_COUNT.one(connection, key).count,
                left=len(queries.OPEN_ITEMS.all(connection, key)),
                open=found.closed is None,
            )

        return self.database.read(read)

    def next_item(self, name: str, rater: str) -> Place | None:
        """Return the next item for a rater; None: there is none.

        The order is the rater's own, and does not change.

        Raises:
            NotFoundError: There is no such annotation.
        """

        def order(place: Place) -> bytes:
            return sha256(f"{name}|{rater}|{place.task}|{place.item}".encode()).digest()

        def read(connection: Connection) -> Place | None:
            found = self._named(connection, name)
            waiting = queries.OPEN_ITEMS.all(connection, {"a": found.id, "r": rater})
            return min(waiting, key=order, default=None)

        return self.database.read(read)

    def item(self, name: str, rater: str, task: str, item: str) -> ItemToRate:
        """Return an item as a rater sees it, with only their own answer.

        Raises:
            NotFoundError: The annotation has no such item.
        """

        def read(
            connection: Connection,
        ) -> tuple[AnnotationRow, AnnotationItemRow, RatingRow | None]:
            found = self._named(connection, name)
            key = {"a": found.id, "t": task, "i": item}
            row = queries.ITEM.first(connection, key)
            if row is None:
                raise NotFoundError(f"{name} has no item {item[:64]!r} of {task[:64]!r}")
            return found, row, queries.RATING.first(connection, {**key, "r": rater})

        found, row, rating = self.database.read(read)
        line = self.packs[found.pack].line(task, item)
        boxes = [tuple(box) for box in json.loads(row.elements)]
        return ItemToRate(task, line, boxes, rating)

    def own(self, name: str, rater: str) -> Sequence[RatingRow]:
        """Return a rater's answers, the latest first."""
        found = self.named(name)
        return self.database.read(lambda c: queries.OWN_RATINGS.all(c, {"a": found.id, "r": rater}))

    async def answer(self, name: str, rater: str, place: Place, given: JsonValue) -> None:
        """Save a rater's answer, which replaces an earlier one; it is on disk when this returns.

        Raises:
            NotFoundError: The annotation has no such item.
            ForbiddenError: It is closed.
            ExamError: It is not a valid answer to the item.
        """
        await self._write(name, _rated(rater, place, given=given))

    async def skip(self, name: str, rater: str, place: Place, reason: str) -> None:
        """Save that a rater skips an item, and the reason; as for `answer`.

        Raises:
            ExamError: No reason is given.
        """
        why = " ".join(reason.split())
        if not why or len(why) > _LONGEST_REASON:
            raise ExamError(
                f"say why you can't tell, in 1 to {_LONGEST_REASON} characters", field="reason"
            )
        await self._write(name, _rated(rater, place, reason=why))

    async def _write(self, name: str, answer: RaterAnswer) -> None:
        def work(connection: Connection) -> None:
            self._keep(connection, self._open(connection, name), answer)

        await self.database.write(work)
        log().info("rated", annotation=name, rater=answer.rater, skipped=bool(answer.reason))

    def _keep(self, connection: Connection, found: AnnotationRow, answer: RaterAnswer) -> bool:
        """Write an answer; return whether it is new or changed."""
        key = {"a": found.id, "t": answer.task, "i": answer.item_id}
        if queries.ITEM.first(connection, key) is None:
            raise NotFoundError(
                f"{found.name} has no item {answer.item_id[:64]!r} of {answer.task[:64]!r}"
            )
        given = None
        if not answer.reason:
            line = self.packs[found.pack].line(answer.task, answer.item_id)
            try:
                given = json.dumps(checked(line.item, line.context, answer.given))
            except DataError as error:
                raise ExamError(error.message, field="given") from None
        row = RatingRow(
            annotation=found.id,
            task=answer.task,
            item=answer.item_id,
            rater=answer.rater,
            given=given,
            reason=answer.reason,
            at=answer.at or self._clock.now(),
            source=answer.source,
        )
        before = queries.RATING.first(connection, {**key, "r": answer.rater})
        if before is None:
            queries.ADD_RATING.run(connection, row_values(row))
            return True
        if (before.given, before.reason) == (row.given, row.reason):
            return False
        changed = {"g": row.given, "why": row.reason, "at": row.at, "s": row.source}
        queries.CORRECT.run(connection, {**key, "r": row.rater, **changed})
        return True

    def _named(self, connection: Connection, name: str) -> AnnotationRow:
        found = None
        if _NAME.fullmatch(name):
            found = queries.NAMED.first(connection, {"n": name})
        if found is None or found.pack not in self.packs:
            raise NotFoundError(f"there is no annotation {name[:64]!r} of the packs served here")
        return found

    def _open(self, connection: Connection, name: str) -> AnnotationRow:
        found = self._named(connection, name)
        if found.closed is not None:
            raise ForbiddenError(f"the annotation {name} is closed and accepts no more answers")
        return found


def _places(plan: AnnotationPlan) -> Sequence[tuple[str, str]]:
    pack = plan.pack
    tasks = plan.tasks or tuple(pack.index)
    for task in tasks:
        pack.task(task)
    chosen = None if plan.items is None else set(plan.items)
    places = [
        (task, item)
        for task in tasks
        for item in pack.index[task]
        if chosen is None or item in chosen
    ]
    if chosen is not None and (strange := chosen - {item for _, item in places}):
        raise ExamError(f"the pack {pack.name} has no item {min(strange)!r}", field="items")
    if not places:
        raise ExamError("an annotation has at least one item", field="items")
    for task, item in places:
        try:
            form_of(pack.line(task, item).item)
        except DataError as error:
            raise ExamError(error.message, field="task") from None
    return places


def _rated(rater: str, place: Place, given: JsonValue = None, reason: str = "") -> RaterAnswer:
    return RaterAnswer(
        task=place.task, item_id=place.item, rater=rater, given=given, reason=reason, source=PAGE
    )


def _answer(row: RatingRow) -> RaterAnswer:
    return RaterAnswer(
        task=row.task,
        item_id=row.item,
        rater=row.rater,
        given=None if row.given is None else json.loads(row.given),
        reason=row.reason,
        at=row.at,
        source=row.source,
    )
