"""The tables of exams as they are taken: tokens, attempts, answers, episodes."""

from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import Annotated

from sqlalchemy import ForeignKey, Index, UniqueConstraint

from snellen.grading.models.geometry import Space
from snellen.server.exam.rules import Contexts, Mode, Rules
from snellen.server.store.tables.columns import (
    CLUSTERED,
    INDEX,
    KEY,
    UNIQUE,
    AsText,
    Digest,
    Moment,
    Words,
    table,
)

# Most attempts of a store have the same rules.
RulesText = Annotated[
    Rules,
    AsText(
        lambda rules: rules.model_dump_json(),
        lru_cache(maxsize=64)(Rules.model_validate_json),
    ),
]
_OF_TOKEN = ForeignKey("tokens.id", ondelete="CASCADE")
_OF_ATTEMPT = ForeignKey("attempts.id", ondelete="CASCADE")


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

    id: Annotated[int, KEY]
    name: Annotated[str, UNIQUE]
    digest: Annotated[Digest, UNIQUE] = field(repr=False)
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

    digest: Annotated[Digest, KEY]
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

    id: Annotated[int, KEY]
    digest: Annotated[Digest, UNIQUE] = field(repr=False)
    secret: Digest = field(repr=False)
    caller: Annotated[str, INDEX]
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

    attempt: Annotated[int, _OF_ATTEMPT, KEY]
    place: Annotated[int, KEY]
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

    attempt: Annotated[int, _OF_ATTEMPT, KEY]
    client: Annotated[str, KEY]
    place: Annotated[int, KEY]
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

    attempt: Annotated[int, _OF_ATTEMPT, KEY]
    place: Annotated[int, KEY]
    number: Annotated[int, KEY]
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

    attempt: Annotated[int, _OF_ATTEMPT, KEY]
    place: Annotated[int, KEY]
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

    attempt: Annotated[int, _OF_ATTEMPT, KEY]
    place: Annotated[int, KEY]
    episode: Annotated[int, KEY]
    number: Annotated[int, KEY]
    given: str = field(repr=False)
    input: str | None = field(repr=False)
    note: str
    at: Moment
    microseconds: int
    frame: Digest | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameRow:
    """A screenshot of an attempt's episodes, as PNG; equal ones are kept once."""

    attempt: Annotated[int, _OF_ATTEMPT, KEY]
    digest: Annotated[Digest, KEY]
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

    id: Annotated[int, KEY]
    attempt: Annotated[int, _OF_ATTEMPT, INDEX]
    place: int | None
    at: Moment
    tool: str
    microseconds: int
    image_bytes: int = 0
    image_tokens: int = 0
    detail: str = "{}"


tokens = table("tokens", Token)
sessions = table("sessions", SessionRow)
attempts = table("attempts", Attempt)
items = table(
    "items",
    ItemRow,
    UniqueConstraint("attempt", "opaque"),
    Index("ix_items_open", "attempt", "answered", "place"),
    Index("ix_items_holder", "attempt", "holder", "answered"),
    options=CLUSTERED,
)
leases = table(
    "leases",
    LeaseRow,
    Index("ix_leases_pair", "attempt", "client", "pair"),
    options=CLUSTERED,
)
answers = table("answers", AnswerRow, options=CLUSTERED)
traces = table("traces", TraceRow)
episodes = table("episodes", EpisodeRow, options=CLUSTERED)
steps = table("steps", StepRow, options=CLUSTERED)
frames = table("frames", FrameRow)
