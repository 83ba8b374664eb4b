"""The tables, each spelled once: a dataclass is its row, and its fields are the columns.

Times are milliseconds since 1970 in UTC; JSON is text as it came, but where a field has a type of
its own. A row is made by every call, so it is a plain dataclass: an object that SQLAlchemy's ORM
tracks takes eight times as long to make, and its import half a second more.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from enum import StrEnum
from functools import lru_cache
from types import NoneType, UnionType
from typing import Annotated, Any, Union, cast, get_args, get_origin, get_type_hints

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Dialect,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.schema import SchemaItem
from sqlalchemy.types import TypeDecorator, TypeEngine

from snellen.grading.models.geometry import Space
from snellen.server.exam.rules import Contexts, Mode, Rules

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)


# ---- columns from fields -----------------------------------------------------------------------


class AsText(TypeDecorator[Any]):
    """A value of Python's that is kept as text.

    Args:
        write: Makes the text of a value, or of its text.
        read: Makes the value of a text.
    """

    impl = Text
    cache_ok = True

    def __init__(self, write: Callable[[Any], str], read: Callable[[str], Any]) -> None:
        super().__init__()
        self.write = write
        self.read = read

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:  # noqa: ANN401  # as SQLAlchemy has it
        """Return the text."""
        return None if value is None else self.write(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:  # noqa: ANN401
        """Return the value."""
        return None if value is None else self.read(value)


Moment = Annotated[int, BigInteger()]
Digest = Annotated[bytes, LargeBinary(32)]
Words = Annotated[
    tuple[str, ...],
    AsText(lambda words: json.dumps(words), lambda text: tuple(json.loads(text))),
]
# Most attempts of a store have the same rules.
RulesText = Annotated[
    Rules,
    AsText(
        lambda rules: rules.model_dump_json(),
        lru_cache(maxsize=64)(Rules.model_validate_json),
    ),
]
_KEY: Mapping[str, Any] = {"primary_key": True}
_UNIQUE: Mapping[str, Any] = {"unique": True}
_INDEX: Mapping[str, Any] = {"index": True}
_OF_TOKEN = ForeignKey("tokens.id", ondelete="CASCADE")
_OF_ATTEMPT = ForeignKey("attempts.id", ondelete="CASCADE")
_TYPES: Mapping[type, TypeEngine[Any]] = {
    int: Integer(),
    str: Text(),
    bool: Boolean(),
    float: Double(),
    bytes: LargeBinary(),
}
# SQLite keeps such a table in the order of its key: a change touches a page less.
_CLUSTERED: Mapping[str, Any] = {"sqlite_with_rowid": False}


def _table(
    name: str, row: type, *constraints: SchemaItem, options: Mapping[str, Any] | None = None
) -> Table:
    """Return the table of a dataclass."""
    hints = get_type_hints(row, include_extras=True)
    defaults = {part.name: part.default for part in fields(row) if part.default is not MISSING}
    columns = [_column(part, hints[part], defaults.get(part)) for part in hints]
    return Table(name, metadata, *columns, *constraints, **(options or {}))


def _column(name: str, hint: Any, default: object) -> Column[Any]:  # noqa: ANN401  # any annotation
    """Return a field's column: None is a value of it where the field may be None.

    What stands beside a type in `Annotated` is the column's type, a key to another table, or
    what else a `Column` takes.
    """
    nullable, kind = False, hint
    sql_type: TypeEngine[Any] | None = None
    keys: list[ForeignKey] = []
    more: dict[str, Any] = {}
    while (origin := get_origin(kind)) in (Annotated, Union, UnionType):
        first, *rest = get_args(kind)
        if origin is not Annotated:
            nullable = NoneType in rest
            rest = []
        for extra in rest:
            if isinstance(extra, TypeEngine):
                sql_type = cast("TypeEngine[Any]", extra)
            elif isinstance(extra, ForeignKey):
                keys.append(ForeignKey(extra.target_fullname, ondelete=extra.ondelete))
            else:
                more |= extra
        kind = first
    if sql_type is None:
        # What is no plain type is an enumeration, kept as its value.
        sql_type = _TYPES.get(kind) or AsText(lambda word: kind(word).value, kind)
    return Column(name, sql_type, *keys, nullable=nullable, default=default, **more)


# ---- rows --------------------------------------------------------------------------------------


class State(StrEnum):
    """Where an attempt is in its life."""

    OPEN = "open"
    FINISHED = "finished"
    EXPIRED = "expired"
    ABANDONED = "abandoned"


class Scope(StrEnum):
    """What a token is for."""

    TAKE = "take"
    """Taking the exam."""
    SUBMIT = "submit"
    """Reading items and uploading predictions."""
    ANNOTATE = "annotate"
    """Checking and making references: answering items, and seeing nobody else's answers."""
    ORGANIZE = "organize"
    """Seeing everybody's attempts and submissions, and deciding about them."""
    ADMIN = "admin"
    """All of these, and making and revoking tokens."""


@lru_cache(maxsize=64)
def _scopes(text: str) -> frozenset[Scope]:
    return frozenset(map(Scope, text.split()))


Scopes = Annotated[
    frozenset[Scope],
    AsText(
        lambda scopes: " ".join(sorted(scopes)),
        _scopes,
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """Who may call over HTTP.

    Attributes:
        digest: SHA-256 of the token: it is 256 random bits, so nothing slower is needed.
        scopes: What it is for.
        revoked: When it was revoked; None: it was not.
        expires: From when on it is refused; None: never.
        team: Whose its holder's submissions and attempts are; None: the holder's own.
    """

    id: Annotated[int, _KEY]
    name: Annotated[str, _UNIQUE]
    digest: Annotated[Digest, _UNIQUE] = field(repr=False)
    scopes: Scopes
    created: Moment
    revoked: Moment | None
    expires: Moment | None = None
    team: str | None = None

    def may(self, scope: Scope) -> bool:
        """Whether it is for something; an admin's is for everything."""
        return scope in self.scopes or Scope.ADMIN in self.scopes


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRow:
    """A browser that a token's holder signed in with.

    Attributes:
        digest: SHA-256 of the cookie, which is 256 random bits.
        token: Whose it is: a token that is revoked ends its sessions.
        expires: From when on it is refused.
    """

    digest: Annotated[Digest, _KEY]
    token: Annotated[int, _OF_TOKEN]
    expires: Moment


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How many items of an attempt are answered, and how many are open."""

    answered: int
    open: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """An attempt.

    Attributes:
        id: Its number in the store.
        digest: SHA-256 of its handle, which is 192 random bits.
        secret: What its items are named and its options are shuffled by.
        caller: Whose it is.
        exam: The exam's name and digest.
        mode: That of its rules.
        tasks: What is taken.
        rules: The rules that it began under.
        contexts: How many questions a context may see.
        model: Who answers, as declared.
        opened: When.
        deadline: When its time is over; None: it has no end.
        closed: When it was closed; None: it was not.
        state: Where it is in its life.
        total: How many items it has.
        answered: How many have an answer; kept with every answer, so that no call counts items.
        report: Its report as JSON, once it is made.
        space: What its actions' coordinates count, in pixels of a screenshot or shares of it.
    """

    id: Annotated[int, _KEY]
    digest: Annotated[Digest, _UNIQUE] = field(repr=False)
    secret: Digest = field(repr=False)
    caller: Annotated[str, _INDEX]
    exam: str
    mode: Mode
    tasks: Words
    rules: RulesText
    contexts: Contexts
    model: str | None
    opened: Moment
    deadline: Moment | None
    closed: Moment | None
    state: State
    total: int
    answered: int = 0
    report: str | None = field(default=None, repr=False)
    space: Space = Space.PIXELS

    @property
    def progress(self) -> Progress:
        """How far it is."""
        return Progress(answered=self.answered, open=self.total - self.answered)


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemRow:
    """An item of an attempt.

    Attributes:
        place: Where it stands in the attempt.
        opaque: What it is called in the attempt.
        task: Its task.
        item: Its own id.
        pair: The pair that it is half of; None: it is of none.
        answered: Whether it has an answer.
        holder: The client that it was given to last.
        leased_until: Until when it is that client's.
        views: How many views were counted.
        submissions: How many answers it has.
    """

    attempt: Annotated[int, _OF_ATTEMPT, _KEY]
    place: Annotated[int, _KEY]
    opaque: str
    task: str
    item: str
    pair: str | None
    answered: bool = False
    holder: str | None = None
    leased_until: Moment | None = None
    views: int = 0
    submissions: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaseRow:
    """Who has ever been given what: an item whose lease ended was seen all the same."""

    attempt: Annotated[int, _OF_ATTEMPT, _KEY]
    client: Annotated[str, _KEY]
    place: Annotated[int, _KEY]
    pair: str | None
    at: Moment


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRow:
    """An answer.

    Attributes:
        number: Which answer to its item this is, from 1.
        holder: The client that gave it.
        given: It as it came, as JSON.
        response: It as it is graded, as JSON.
        meta: How the item was looked at, as JSON.
        at: When the call came in.
    """

    attempt: Annotated[int, _OF_ATTEMPT, _KEY]
    place: Annotated[int, _KEY]
    number: Annotated[int, _KEY]
    holder: str
    given: str = field(repr=False)
    response: str = field(repr=False)
    meta: str
    at: Moment


class EpisodeState(StrEnum):
    """Where an episode is in its life."""

    OPEN = "open"
    ENDED = "ended"
    """Its agent submitted it."""
    BROKEN = "broken"
    """The environment failed, and did again when it was tried again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeRow:
    """An interactive item that is played, as it stands after its last step.

    Attributes:
        number: Which try this is, from 1: a broken episode may be begun again.
        steps: How many were taken.
        looks: How often it was looked at between steps.
        opened: When.
        closed: When it was submitted, or broke.
        over: Whether its page ended it.
        snapshot: What it is opened again from, as JSON.
        result: What a grader needs to know of it, as JSON.
        image_tokens: What its images cost a model, roughly.
        fault: Why it broke.
    """

    attempt: Annotated[int, _OF_ATTEMPT, _KEY]
    place: Annotated[int, _KEY]
    number: int
    state: EpisodeState
    steps: int
    looks: int
    opened: Moment
    closed: Moment | None
    over: bool
    snapshot: str = field(repr=False)
    result: str = field(repr=False)
    image_tokens: int
    fault: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRow:
    """A step of an episode; step 0 is its first view.

    Attributes:
        episode: Which try of its item it belongs to.
        number: Which step, from 1.
        given: What the agent asked for, as JSON, cut where it is long.
        input: What was done, as JSON; None: nothing, it could not be read.
        note: What the agent was told of it.
        at: When.
        microseconds: How long it took.
        frame: SHA-256 of the screenshot after it; None: a tool was called, and there is none.
    """

    attempt: Annotated[int, _OF_ATTEMPT, _KEY]
    place: Annotated[int, _KEY]
    episode: Annotated[int, _KEY]
    number: Annotated[int, _KEY]
    given: str = field(repr=False)
    input: str | None = field(repr=False)
    note: str
    at: Moment
    microseconds: int
    frame: Digest | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameRow:
    """A screenshot of an attempt's episodes, as PNG; equal ones are kept once."""

    attempt: Annotated[int, _OF_ATTEMPT, _KEY]
    digest: Annotated[Digest, _KEY]
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceRow:
    """One call of an attempt.

    Attributes:
        place: Which item it was about.
        at: When it ended.
        tool: What was called.
        microseconds: How long it took.
        image_bytes: The bytes of the images that it returned, before base64.
        image_tokens: What these cost a model, roughly.
        detail: What else is worth keeping, as JSON.
    """

    id: Annotated[int, _KEY]
    attempt: Annotated[int, _OF_ATTEMPT, _INDEX]
    place: int | None
    at: Moment
    tool: str
    microseconds: int
    image_bytes: int = 0
    image_tokens: int = 0
    detail: str = "{}"


class Source(StrEnum):
    """Where a submission came from."""

    UPLOAD = "upload"
    ATTEMPT = "attempt"


class JobState(StrEnum):
    """How far the grading of a submission is."""

    QUEUED = "queued"
    GRADING = "grading"
    GRADED = "graded"
    FAILED = "failed"
    """The answers can't be graded, and the error says why: the participant's to fix."""
    STUCK = "stuck"
    """The server could not grade it, several times over: the organizer's to fix."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionRow:
    """Predictions that were uploaded, or the answers of an attempt.

    Attributes:
        id: What it is called; nothing can be read from it.
        phase: The phase that it counts in.
        caller: Whose it is: a token's name.
        source: Where it came from.
        attempt: The number of its attempt; None: it was uploaded.
        task: The one task that its lines answer; None: each line says it.
        name: What the leaderboard calls it.
        link: Where more is said of it; empty: nowhere.
        form: The ending of its file, which says how it is read.
        digest: SHA-256 of its bytes.
        size: How many these are.
        at: When the upload began, or the attempt was closed.
        day: The date of that in the phase's zone.
        cost: What it took, as far as is known, as JSON.
        conditions: How it was made, as a part of its signature; empty: not known.
        baseline: Whether the leaderboard sets it apart, as a baseline.
        removed: Why it was taken off the leaderboard; None: it was not.
    """

    id: Annotated[str, _KEY]
    phase: str
    caller: Annotated[str, _INDEX]
    source: Source
    attempt: Annotated[int | None, _UNIQUE]
    task: str | None
    name: str
    link: str
    form: str
    digest: Digest
    size: int
    at: Moment
    day: str
    cost: str = "{}"
    conditions: str = ""
    baseline: bool = False
    removed: str | None = None


_OF_SUBMISSION = ForeignKey("submissions.id", ondelete="CASCADE")
_OF_GRADING = ForeignKey("gradings.id", ondelete="CASCADE")


@dataclass(frozen=True, slots=True, kw_only=True)
class PartRow:
    """A part of a submission's file, compressed by zlib: every machine sees them, a backup has all.

    Attributes:
        number: Which part, from 0.
        body: Its bytes; empty where they are an object outside of the store.
        kept: SHA-256 of that object; None: there is none.
    """

    submission: Annotated[str, _OF_SUBMISSION, _KEY]
    number: Annotated[int, _KEY]
    body: bytes = field(repr=False)
    kept: Digest | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRow:
    """An idempotency key: the same upload sent again is the same submission."""

    caller: Annotated[str, _KEY]
    key: Annotated[str, _KEY]
    digest: Digest
    submission: Annotated[str, _OF_SUBMISSION]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaRow:
    """How many uploads of a caller a phase has taken on a day; a day that is empty: in all."""

    phase: Annotated[str, _KEY]
    caller: Annotated[str, _KEY]
    day: Annotated[str, _KEY]
    used: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GradingRow:
    """What submissions of a phase are graded by; a phase's newest finished one is shown.

    Attributes:
        phase: The phase.
        references: SHA-256 of all references, and of the protocols.
        protocols: The protocol of each task, with its version, as JSON.
        snellen: The version that grades.
        at: When it was begun.
        why: Why; empty for a phase's first.
        shown: Since when the leaderboard is by it; None: it is not finished.
    """

    id: Annotated[int, _KEY]
    phase: Annotated[str, _INDEX]
    references: Digest
    protocols: str
    snellen: str
    at: Moment
    why: str
    shown: Moment | None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRow:
    """The grading of one submission, which is its own job: whoever has the latest try may write.

    Attributes:
        state: How far it is.
        tries: How often a worker took it.
        worker: Who did last.
        lease: Until when it is that worker's, by the database's clock.
        at: When it was queued, by the same clock.
        error: What went wrong; None: nothing.
    """

    submission: Annotated[str, _OF_SUBMISSION, _KEY]
    grading: Annotated[int, _OF_GRADING, _KEY]
    state: JobState
    at: Moment
    tries: int = 0
    worker: str | None = None
    lease: Moment | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreNumbers:
    """What a submission scores on a task in a grading, on a part of its items; it never changes.

    Attributes:
        part: `all`, or `public` and `private` where a phase parts its items.
        value: The primary metric.
        low: The lower end of its 95 % interval; None: it has none.
        high: The upper end.
        items: How many items.
        outcomes: How many items ended in each outcome, as JSON.
        signature: All that the value depends on.
    """

    submission: Annotated[str, _OF_SUBMISSION, _KEY]
    grading: Annotated[int, _OF_GRADING, _KEY]
    task: Annotated[str, _KEY]
    part: Annotated[str, _KEY]
    metric: str
    value: float
    low: float | None
    high: float | None
    items: int
    outcomes: str
    signature: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreValues(ScoreNumbers):
    """The same item by item.

    Attributes:
        item_values: Each item's value in the pack's order, float64, compressed by zlib.
        item_groups: The number of each item's independent group, int32, likewise.
    """

    item_values: bytes = field(repr=False)
    item_groups: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRow(ScoreValues):
    """The same with the saved report, compressed by zlib; a part of the items has none."""

    report: bytes | None = field(repr=False, default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRow:
    """What an organizer or a grading changed: the record that a leaderboard is defended with.

    Attributes:
        submission: What it is about; None: a whole phase.
        caller: Who did it.
        what: `removed`, `restored`, `rescored`, `same`, `retried`, `shown`, `baseline`, `ranked`,
            `token`, `revoked`, `annotation closed`, `annotation opened`, `annotation extended`.
        why: The reason given.
        detail: Before and after, as JSON.
    """

    id: Annotated[int, _KEY]
    phase: Annotated[str, _INDEX]
    submission: str | None
    at: Moment
    caller: str
    what: str
    why: str
    detail: str = "{}"


class AnnotationMode(StrEnum):
    """What raters' answers are for."""

    CHECK = "check"
    """References are there, and are compared with what raters answer."""
    MAKE = "make"
    """References are made of what raters answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotationRow:
    """Items of a pack that raters answer.

    Attributes:
        name: What it is called.
        pack: SHA-256 of what the pack asks, as hexadecimal digits.
        mode: What the answers are for.
        note: What raters are to know, in plain text.
        created: When it was created.
        closed: When it was closed: from then on no answer is taken or corrected; None: it is open.
    """

    id: Annotated[int, _KEY]
    name: Annotated[str, _UNIQUE]
    pack: str
    mode: AnnotationMode
    note: str
    created: Moment
    closed: Moment | None = None


_OF_ANNOTATION = ForeignKey("annotations.id", ondelete="CASCADE")


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotationItemRow:
    """An item of an annotation.

    Attributes:
        wanted: How many raters are to answer it; who can't tell does not count.
        elements: The boxes that a rater chooses from, as JSON, in pixels of the first image.
    """

    annotation: Annotated[int, _OF_ANNOTATION, _KEY]
    task: Annotated[str, _KEY]
    item: Annotated[str, _KEY]
    wanted: int
    elements: str = "[]"


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingRow:
    """A rater's answer to an item: one, which may be corrected until the annotation is closed.

    Attributes:
        rater: Who answered: a token's name, or who it was in the program it was imported from.
        given: The answer as JSON; None: the rater can't tell.
        reason: Why not; empty where there is an answer.
        at: When it was given, or corrected last.
        source: Where: `page`, or the program that it was imported from.
        corrected: How often it was corrected.
    """

    annotation: Annotated[int, _OF_ANNOTATION, _KEY]
    task: Annotated[str, _KEY]
    item: Annotated[str, _KEY]
    rater: Annotated[str, _KEY]
    given: str | None = field(repr=False)
    reason: str
    at: Moment
    source: str
    corrected: int = 0


tokens = _table("tokens", Token)
sessions = _table("sessions", SessionRow)
attempts = _table("attempts", Attempt)
items = _table(
    "items",
    ItemRow,
    UniqueConstraint("attempt", "opaque"),
    Index("ix_items_open", "attempt", "answered", "place"),
    Index("ix_items_holder", "attempt", "holder", "answered"),
    options=_CLUSTERED,
)
leases = _table(
    "leases",
    LeaseRow,
    Index("ix_leases_pair", "attempt", "client", "pair"),
    options=_CLUSTERED,
)
answers = _table("answers", AnswerRow, options=_CLUSTERED)
traces = _table("traces", TraceRow)
episodes = _table("episodes", EpisodeRow, options=_CLUSTERED)
steps = _table("steps", StepRow, options=_CLUSTERED)
frames = _table("frames", FrameRow)
submissions = _table(
    "submissions", SubmissionRow, Index("ix_submissions_phase", "phase", "at", "id")
)
parts = _table("parts", PartRow)
keys = _table("keys", KeyRow, options=_CLUSTERED)
quotas = _table("quotas", QuotaRow, options=_CLUSTERED)
gradings = _table("gradings", GradingRow)
jobs = _table("jobs", JobRow, options=_CLUSTERED)
# An idle worker asks every second: without this it would look at every job there ever was.
Index(
    "ix_jobs_open",
    jobs.c.at,
    postgresql_where=jobs.c.state.in_((JobState.QUEUED, JobState.GRADING)),
    sqlite_where=jobs.c.state.in_((JobState.QUEUED, JobState.GRADING)),
)
scores = _table("scores", ScoreRow)
events = _table("events", EventRow)
annotations = _table("annotations", AnnotationRow)
annotation_items = _table("annotation_items", AnnotationItemRow, options=_CLUSTERED)
ratings = _table("ratings", RatingRow, options=_CLUSTERED)
