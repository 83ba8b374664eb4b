"""The tables of exams: tokens, sign-up, attempts, answers, episodes."""

from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import Annotated

from sqlalchemy import ForeignKey, Index, UniqueConstraint

from snellen.grading.models.geometry import Space
from snellen.server.exam.rules import Contexts, Mode, Rules
from snellen.server.store.tables import columns

# Most attempts of a store have the same rules.
RulesText = Annotated[
    Rules,
    columns.AsText(
        lambda rules: rules.model_dump_json(),
        lru_cache(maxsize=64)(Rules.model_validate_json),
    ),
]
_OF_TOKEN = ForeignKey("tokens.id", ondelete="CASCADE")
_OF_ATTEMPT = ForeignKey("attempts.id", ondelete="CASCADE")


class State(StrEnum):
    """The state of an attempt."""

    OPEN = "open"
    FINISHED = "finished"
    EXPIRED = "expired"
    ABANDONED = "abandoned"


class Scope(StrEnum):
    """A permission of a token."""

    TAKE = "take"
    """Taking the exam."""
    SUBMIT = "submit"
    """Reading items and uploading predictions."""
    ANNOTATE = "annotate"
    """Checking and creating references: answering items without seeing other raters' answers."""
    ORGANIZE = "organize"
    """Seeing all participants' attempts and submissions, and deciding about them."""
    ADMIN = "admin"
    """All of these, and creating and revoking tokens."""


@lru_cache(maxsize=64)
def _scopes(text: str) -> frozenset[Scope]:
    return frozenset(map(Scope, text.split()))


Scopes = Annotated[
    frozenset[Scope],
    columns.AsText(
        lambda scopes: " ".join(sorted(scopes)),
        _scopes,
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A token, which identifies a caller over HTTP.

    Attributes:
        digest: SHA-256 of the token. A token is 256 random bits, so a slower hash is not needed.
        scopes: Its permissions.
        revoked: The time when it was revoked; None: it was not revoked.
        expires: The time from which it is refused; None: never.
        team: The team that owns the holder's submissions and attempts; None: the holder owns them.
        subject: The subject and issuer of the identity provider's token with which the holder
            joined; None: without one.
    """

    id: Annotated[int, columns.KEY]
    name: Annotated[str, columns.UNIQUE]
    digest: Annotated[columns.Digest, columns.UNIQUE] = field(repr=False)
    scopes: Scopes
    created: columns.Moment
    revoked: columns.Moment | None
    expires: columns.Moment | None = None
    team: str | None = None
    subject: str | None = None

    def may(self, scope: Scope) -> bool:
        """Whether it has a scope; an admin's token has all."""
        return scope in self.scopes or Scope.ADMIN in self.scopes


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRow:
    """A session: a browser in which a token's holder signed in.

    Attributes:
        digest: SHA-256 of the cookie, which is 256 random bits.
        token: The token of its holder; revoking the token ends its sessions.
        expires: The time from which it is refused.
    """

    digest: Annotated[columns.Digest, columns.KEY]
    token: Annotated[int, _OF_TOKEN]
    expires: columns.Moment


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation:
    """An invitation to join.

    Attributes:
        digest: SHA-256 of its code, which is 256 random bits.
        caller: The organizer who made it.
        note: The organizer's words about it.
        uses: The number of people who may join by it.
        used: The number of those who joined.
        created: The time of its creation.
        expires: The time from which it is refused.
        revoked: The time when it was revoked; None: it was not revoked.
    """

    id: Annotated[int, columns.KEY]
    digest: Annotated[columns.Digest, columns.UNIQUE] = field(repr=False)
    caller: str
    note: str
    uses: int
    used: int = 0
    created: columns.Moment
    expires: columns.Moment
    revoked: columns.Moment | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinRequest:
    """An open request to join: its token is none before an organizer approves it."""

    id: Annotated[int, columns.KEY]
    name: Annotated[str, columns.UNIQUE]  # the name of the holder to be
    digest: Annotated[columns.Digest, columns.UNIQUE] = field(
        repr=False
    )  # SHA-256 of the token to be
    at: columns.Moment  # the time of the request
    team: str | None  # the team of the holder to be; None: none
    subject: Annotated[str | None, columns.UNIQUE]  # as of `Token`


@dataclass(frozen=True, slots=True, kw_only=True)
class Team:
    """A team that participants formed.

    Attributes:
        name: Its name.
        digest: SHA-256 of its code, which is 256 random bits, for others to join it.
        created: The time of its creation.
    """

    name: Annotated[str, columns.KEY]
    digest: Annotated[columns.Digest, columns.UNIQUE] = field(repr=False)
    created: columns.Moment


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The numbers of answered and open items of an attempt."""

    answered: int
    open: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """An attempt at an exam.

    Attributes:
        id: Its number in the store.
        digest: SHA-256 of its handle, which is 60 random bits and opens it for its caller alone.
        secret: The key that determines its items' ids and the shuffle of their options.
        caller: The caller who owns it.
        exam: The exam's name and digest.
        mode: The mode of its rules.
        tasks: Its tasks.
        rules: The rules at its start.
        contexts: The number of questions that a context may see.
        model: The model that answers, as declared.
        opened: The time of its start.
        deadline: The time when it expires; None: never.
        closed: The time when it was closed; None: it is open.
        state: Its state.
        total: The number of its items.
        answered: The number of answered items, updated with every answer, so that no call has to
            count items.
        report: Its report as JSON; None: it has none yet.
        space: The unit of its actions' coordinates: pixels or fractions of a screenshot.
    """

    id: Annotated[int, columns.KEY]
    digest: Annotated[columns.Digest, columns.UNIQUE] = field(repr=False)
    secret: columns.Digest = field(repr=False)
    caller: Annotated[str, columns.INDEX]
    exam: str
    mode: Mode
    tasks: columns.Words
    rules: RulesText
    contexts: Contexts
    model: str | None
    opened: columns.Moment
    deadline: columns.Moment | None
    closed: columns.Moment | None
    state: State
    total: int
    answered: int = 0
    report: str | None = field(default=None, repr=False)
    space: Space = Space.PIXELS

    @property
    def progress(self) -> Progress:
        """The numbers of its answered and open items."""
        return Progress(answered=self.answered, open=self.total - self.answered)


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemRow:
    """An item of an attempt."""

    attempt: Annotated[int, _OF_ATTEMPT, columns.KEY]
    place: Annotated[int, columns.KEY]  # its index in the attempt
    opaque: str  # its id in the attempt
    task: str
    item: str  # its id in the pack
    pair: str | None  # the pair to which it belongs; None: none
    answered: bool = False  # whether it has an answer
    holder: str | None = None  # the client that leased it last
    leased_until: columns.Moment | None = None  # the end of that client's lease
    views: int = 0  # the number of counted views
    submissions: int = 0  # the number of its answers


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaseRow:
    """A client that received an item. The row stays after the lease, since the item was seen."""

    attempt: Annotated[int, _OF_ATTEMPT, columns.KEY]
    client: Annotated[str, columns.KEY]
    place: Annotated[int, columns.KEY]
    at: columns.Moment


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRow:
    """An answer to an item.

    Attributes:
        number: The number of the answer among those to its item, from 1; negative, from -1 down, if
            it could not be read and might be written again.
        holder: The client that answered.
        given: The answer as received, as JSON.
        response: The answer as graded, as JSON.
        meta: The coordinate space and the view that the client declared, as JSON.
        at: The time when the call arrived.
    """

    attempt: Annotated[int, _OF_ATTEMPT, columns.KEY]
    place: Annotated[int, columns.KEY]
    number: Annotated[int, columns.KEY]
    holder: str
    given: str = field(repr=False)
    response: str = field(repr=False)
    meta: str
    at: columns.Moment


class EpisodeState(StrEnum):
    """The state of an episode."""

    OPEN = "open"
    ENDED = "ended"
    """Its agent submitted it."""
    BROKEN = "broken"
    """The environment failed, also when it was tried again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeRow:
    """An episode of an interactive item, in its state after the last step.

    Attributes:
        number: The number of the try, from 1: it is started again if it broke, or for another
            client than the one that played it.
        steps: The number of steps.
        looks: The number of views between steps.
        opened: The time of its start.
        closed: The time when it was submitted or broke.
        over: Whether its page ended it.
        snapshot: The data from which it is opened again, as JSON.
        result: The data that a grader needs, as JSON.
        image_tokens: The approximate cost of its images for a model, in tokens.
        client: The client that plays it.
        fault: The reason why it broke.
        calls: The number of calls and requests that it took.
        text_tokens: The approximate cost of the texts that were returned, in tokens.
        address: SHA-256 of the token of its page's address; None: it has no such page.
        browser: SHA-256 of the cookie of the browser that shows the page; None: none has opened it.
        browsers: The number of browsers that showed it, one after the other.
    """

    attempt: Annotated[int, _OF_ATTEMPT, columns.KEY]
    place: Annotated[int, columns.KEY]
    number: int
    state: EpisodeState
    steps: int
    looks: int
    opened: columns.Moment
    closed: columns.Moment | None
    over: bool
    snapshot: str = field(repr=False)
    result: str = field(repr=False)
    image_tokens: int
    client: str
    fault: str = ""
    calls: int = 0
    text_tokens: int = 0
    address: Annotated[columns.Digest | None, columns.INDEX] = field(default=None, repr=False)
    browser: columns.Digest | None = field(default=None, repr=False)
    browsers: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRow:
    """A step of an episode; step 0 is its first view.

    Attributes:
        episode: The number of its item's try.
        number: The number of the step; the agent's steps count from 1.
        given: The agent's request as JSON, cut if it is long.
        input: The input to the page, as JSON; None: none, the request could not be read.
        note: The message to the agent.
        at: The time of the step.
        microseconds: Its duration.
        frame: SHA-256 of the screenshot after it; None: it called a tool, without a screenshot.
    """

    attempt: Annotated[int, _OF_ATTEMPT, columns.KEY]
    place: Annotated[int, columns.KEY]
    episode: Annotated[int, columns.KEY]
    number: Annotated[int, columns.KEY]
    given: str = field(repr=False)
    input: str | None = field(repr=False)
    note: str
    at: columns.Moment
    microseconds: int
    frame: columns.Digest | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameRow:
    """A screenshot of an attempt's episodes, as PNG; equal ones are stored once."""

    attempt: Annotated[int, _OF_ATTEMPT, columns.KEY]
    digest: Annotated[columns.Digest, columns.KEY]
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceRow:
    """A call of an attempt."""

    id: Annotated[int, columns.KEY]
    attempt: Annotated[int, _OF_ATTEMPT, columns.INDEX]
    place: int | None  # the index of its item
    at: columns.Moment  # the time when it ended
    tool: str  # the called tool
    microseconds: int  # its duration
    image_bytes: int = 0  # the number of bytes of the returned images, before base64
    image_tokens: int = 0  # the approximate cost of these images for a model, in tokens
    detail: str = "{}"  # other data, as JSON


tokens = columns.table("tokens", Token, Index("ix_tokens_subject", "subject", unique=True))
invitations = columns.table("invitations", Invitation)
requests = columns.table("requests", JoinRequest)
teams = columns.table("teams", Team)
sessions = columns.table("sessions", SessionRow)
attempts = columns.table("attempts", Attempt)
items = columns.table(
    "items",
    ItemRow,
    UniqueConstraint("attempt", "opaque"),
    Index("ix_items_open", "attempt", "answered", "place"),
    Index("ix_items_holder", "attempt", "holder", "answered"),
    options=columns.CLUSTERED,
)
leases = columns.table("leases", LeaseRow, options=columns.CLUSTERED)
answers = columns.table("answers", AnswerRow, options=columns.CLUSTERED)
traces = columns.table("traces", TraceRow)
episodes = columns.table("episodes", EpisodeRow, options=columns.CLUSTERED)
steps = columns.table("steps", StepRow, options=columns.CLUSTERED)
frames = columns.table("frames", FrameRow)
