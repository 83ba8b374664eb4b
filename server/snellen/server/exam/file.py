"""The exam file: the organizer's description of a challenge, in TOML next to the pack.

name = "web-2026"
title = "Reading the web, 2026"
packs = ["pack"]

[[phases]]
name = "final"
start = 2026-12-01T00:00:00+01:00
end = 2026-12-31T23:59:59-12:00
zone = "Europe/Berlin"
uploads_a_day = 5
"""

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Self
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BeforeValidator,
    Field,
    ValidationError,
    model_validator,
)

from snellen.grading.errors import InputError
from snellen.grading.models.base import Closed
from snellen.server.exam.names import folded
from snellen.server.exam.rules import Rules
from snellen.tasks.hosted import Counts, SignUpRules, Who
from snellen.tasks.samples import exam_folder, included_names, is_generated

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
GRACE_MS = 600_000
"""How long after a phase's end an upload may arrive whose SHA-256 was announced before it."""

MAIN = "main"
"""The one phase of an exam that names none."""


def _offset_given(value: object) -> object:
    # TOML has dates without a time and times without an offset; neither is an instant.
    if not isinstance(value, datetime | str) or (
        isinstance(value, datetime) and value.tzinfo is None
    ):
        raise ValueError(
            "write the date, the time and the offset, as 2026-12-31T23:59:59-12:00 (the last offset"
            " is 'anywhere on earth')"
        )
    return value


def _known_zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError(f"there is no time zone {name!r}; write one like Europe/Berlin") from None
    return name


def _is_name(name: str) -> str:
    if not NAME.fullmatch(name):
        raise ValueError("a name must have 1 to 64 lower-case letters, digits and dashes")
    return name


def _is_url(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ValueError("write an address that begins with https://")
    return url


Url = Annotated[str, AfterValidator(_is_url)]
Instant = Annotated[AwareDatetime, BeforeValidator(_offset_given)]
Zone = Annotated[str, AfterValidator(_known_zone)]
Name = Annotated[str, AfterValidator(_is_name)]


class Phase(Closed):
    """A period in which submissions are accepted, with its rules.

    Attributes:
        name: Its name.
        title: A title for people; empty: the name.
        start: The start; None: at once. The arrival of a request counts.
        end: The end; None: never.
        zone: The time zone in which a day of `uploads_a_day` begins.
        uploads: The number of uploads per participant in total; None: no limit.
        uploads_a_day: The number of uploads per participant and day.
        attempts: Whether finished attempts over MCP are on the leaderboard as well.
        counts: The submissions of a participant that are on it.
        scores: Who sees values and the leaderboard.
        reports: Who sees reports, which show the correct items.
        public_share: The share of the items (whole screens) whose values are visible during the
            phase; all are after its end. None: all are visible from the start.
        exact: Whether participants see exact values before its end. Otherwise values are rounded,
            because exact ones tell which answers are right.
        protocols: The protocol of a task, if it is not the pack's.
    """

    name: Name
    title: str = Field(default="", max_length=200)
    start: Instant | None = None
    end: Instant | None = None
    zone: Zone = "UTC"
    uploads: int | None = Field(default=None, ge=0)
    uploads_a_day: int | None = Field(default=None, ge=0)
    attempts: bool = True
    counts: Counts = Counts.BEST
    scores: Who = Who.PUBLIC
    reports: Who = Who.HIDDEN
    public_share: float | None = Field(default=None, gt=0, lt=1)
    exact: bool = False
    protocols: Mapping[str, str] = Field(default_factory=dict[str, str])

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.start is not None and self.end is not None and self.end <= self.start:
            raise ValueError("the end must be after the start")
        order = list(Who)
        if order.index(self.reports) > order.index(self.scores):
            raise ValueError(
                f'reports show scores: with scores = "{self.scores}", reports = "{self.reports}"'
                f' shows them to more people; write reports = "{self.scores}"'
            )
        return self

    def begun(self, at: int) -> bool:
        """Whether it has begun at a time, in milliseconds since 1970."""
        return self.start is None or at >= self.start.timestamp() * 1000

    def over(self, at: int) -> bool:
        """Whether it is over at a time."""
        return self.end is not None and at > self.end.timestamp() * 1000

    def open(self, at: int) -> bool:
        """Whether it accepts submissions at a time."""
        return self.begun(at) and not self.over(at)

    def closed(self, at: int) -> bool:
        """Whether also the time is over in which announced uploads may arrive."""
        return self.over(at - GRACE_MS)

    @property
    def last(self) -> int | None:
        """The last time at which it accepts submissions; None: it has no end."""
        return None if self.end is None else int(self.end.timestamp() * 1000)

    @property
    def final(self) -> int | None:
        """The last time at which announced uploads may arrive; None: it has no end."""
        return None if self.last is None else self.last + GRACE_MS

    @property
    def hides(self) -> bool:
        """Whether participants can't learn while it is open which of their answers are right."""
        return not self.exact and (self.reports is Who.HIDDEN or self.public_share is not None)

    def day(self, at: int) -> str:
        """Return the date of a time in its zone, as 2026-12-31."""
        moment = datetime.fromtimestamp(at / 1000, UTC).astimezone(ZoneInfo(self.zone))
        return moment.date().isoformat()


class OAuth(Closed):
    """An OAuth 2.1 identity provider, whose tokens are accepted in addition to snellen's own.

    Attributes:
        issuer: The identity provider, as named in its tokens.
        jwks: The URL of its keys.
        resource: The URL of this server, as the audience in its tokens.
    """

    issuer: Url
    jwks: Url
    resource: Url


class Forgotten(StrEnum):
    """The leaderboard rows of a participant whose data was deleted."""

    ANONYMOUS = "anonymous"
    """They stay without a name, so that the ranks of the others do not change."""
    DROPPED = "dropped"


class ExamFile(Closed):
    """A challenge.

    Attributes:
        name: Its name in URLs.
        title: A title for people; empty: the name.
        description: A description, in plain text.
        packs: The folders of its packs; relative paths start at the file's folder. A name that is
            no folder there is an included exam's: `sample`.
        store: The database: a SQLite file (relative to the file's folder) or a URL.
        files: The folder of uploaded files (relative to the file's folder); empty: in the store.
        rules: The rules of attempts.
        phases: Its phases; empty: one phase without an end.
        items: Who may read items and images over REST, which uploaders need.
        longest_upload: The maximum size of an upload, in bytes.
        grading_seconds: The maximum duration of the grading of a file, in seconds.
        oauth: An identity provider; None: only snellen's own tokens.
        teams: Each team's members, by the names of their tokens. Quota, attempts and rows are
            shared by the team. A token can also name a team.
        signup: How people get tokens by themselves.
        forgotten: The leaderboard rows of a participant whose data is deleted.
    """

    name: Name
    title: str = Field(default="", max_length=200)
    description: str = Field(default="", max_length=10_000)
    packs: tuple[str, ...] = Field(min_length=1)
    store: str = ""
    files: str = ""
    rules: Rules = Field(default_factory=Rules)
    phases: tuple[Phase, ...] = (Phase(name=MAIN),)
    items: Who = Who.OWN
    longest_upload: int = Field(default=64 << 20, gt=0)
    grading_seconds: float = Field(default=120, gt=0)
    oauth: OAuth | None = None
    teams: Mapping[str, tuple[str, ...]] = Field(default_factory=dict[str, tuple[str, ...]])
    signup: SignUpRules = SignUpRules()
    forgotten: Forgotten = Forgotten.ANONYMOUS

    @model_validator(mode="after")
    def _in_one_team(self) -> Self:
        members = [member for team in self.teams.values() for member in team]
        for name in (*self.teams, *members):
            if not name or len(name) > 256 or not name.isprintable():
                raise ValueError(f"teams: {name[:40]!r} is not a valid name of a team or a member")
        seen: dict[str, str] = {}
        for name in (*self.teams, *members):
            if (before := seen.get(folded(name))) is not None:
                raise ValueError(
                    f"teams: {before!r} and {name!r} look the same; a name is that of one"
                    " team, or of one member of one team"
                )
            seen[folded(name)] = name
        return self

    @property
    def team_of(self) -> Mapping[str, str]:
        """The team of each team member."""
        return {member: team for team, members in self.teams.items() for member in members}

    @model_validator(mode="after")
    def _names_differ(self) -> Self:
        names = [phase.name for phase in self.phases]
        if not names:
            raise ValueError("an exam has at least one phase; leave `phases` out for one")
        if len(set(names)) < len(names):
            raise ValueError("two phases have the same name")
        return self

    @property
    def by_name(self) -> Mapping[str, Phase]:
        # Not cached: `model_copy` copies a cache, and a copy may have other phases.
        return {phase.name: phase for phase in self.phases}


def read_exam_file(path: Path) -> ExamFile:
    """Read an exam file; paths in it become absolute.

    Raises:
        InputError: It can't be read, is not TOML, or a field is wrong; the message names it.
    """
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"can't be read: {error.strerror}", file=str(path)) from error
    except UnicodeDecodeError as error:
        raise InputError("it is not UTF-8 text", file=str(path)) from error
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"it is not TOML: {error}", file=str(path)) from error
    try:
        read = ExamFile.model_validate(given)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, found["loc"]))
        message = _plain(found["msg"], found["type"], place)
        raise InputError(message, file=str(path), field=place or None) from None
    home = path.parent.absolute()
    return read.model_copy(
        update={
            "packs": tuple(_pack(folder, home) for folder in read.packs),
            "store": _store(read, home),
            "files": read.files and str(home / read.files),
        }
    )


def exam_of_packs(names: Sequence[str], rules: Rules) -> ExamFile:
    """Return the challenge of packs without an exam file: one phase without an end.

    Its values are exact: who competes needs an exam file.

    Args:
        names: The packs' folders.
        rules: The rules of attempts.
    """
    name = _name_of("-".join(Path(name).resolve().name for name in names))
    phases = (Phase(name=MAIN, exact=True),)
    return ExamFile(name=name, packs=tuple(names), rules=rules, phases=phases)


def _name_of(words: str) -> str:
    return re.sub(r"[^a-z0-9-]+", "-", words.lower()).strip("-")[:64] or "exam"


def exam_file_for(pack: Path, title: str, file: Path, now: datetime) -> str:
    """Return an exam file for a pack, with all settings and their meanings.

    Args:
        pack: The pack's folder, or the name of an included exam.
        title: The pack's title.
        file: The path of the new file; the pack's path is relative to it.
        now: The start of its phase.
    """
    named = str(pack)
    if named not in included_names() or pack.is_dir():
        named = os.path.relpath(pack.resolve(), file.absolute().parent).replace(os.sep, "/")
    name = _name_of(title)
    start = now.replace(microsecond=0).isoformat()
    return _TEMPLATE.format(name=name, title=title, pack=named, start=start)


_TEMPLATE = """\
# A hosted exam: `snellen serve exam.toml` checks and serves it.
name = "{name}"
title = "{title}"
description = ""
packs = ["{pack}"]
store = "{name}.sqlite"         # or a database URL: postgresql://host/name
# files = "uploads"             # the folder where uploads are kept; default: the store
# grading_seconds = 120         # a file that takes longer to grade fails
items = "own"                   # who can read items over REST: hidden, own (with a token), public
# forgotten = "anonymous"       # rows of a participant whose data is deleted: anonymous, dropped

# [teams]                       # members share quota, attempts and leaderboard rows
# lab-a = ["ada", "bob"]        # names of tokens

# [signup]                      # how people get tokens by themselves
# by = "invitation"             # closed, invitation (a link), approval (also by asking)
# teams = true                  # whether they may form teams; default: false

# [oauth]                       # tokens of an identity provider, in addition to snellen's own
# issuer = "https://id.example.org"
# jwks = "https://id.example.org/.well-known/jwks.json"
# resource = "https://exam.example.org/mcp"

[rules]                         # rules of attempts over MCP
attempts = 1                    # attempts per participant; default: unlimited
# sample = 100                  # items per task; default: all
# rewrites = 1                  # how often an answer that can't be read may be written again

[[phases]]
name = "main"
start = {start}  # date, time and offset
# end = 2027-01-31T23:59:59-12:00        # -12:00 is "anywhere on earth"
zone = "UTC"                    # the time zone of the days for uploads_a_day
uploads_a_day = 5
uploads = 50                    # uploads in total
counts = "best"                 # a participant's that count: all, best, last, chosen (up to two)
scores = "public"               # who can see scores: hidden, own, public
reports = "hidden"              # who can see item results
# public_share = 0.5            # show scores on half of the screens until the end
# exact = true                  # exact scores before the end; they tell which answers are right
"""


def _pack(given: str, home: Path) -> str:
    folder = home / given
    if given not in included_names() or folder.is_dir():
        return str(folder)
    return given if is_generated(given) else str(exam_folder(given))


def _store(read: ExamFile, home: Path) -> str:
    if "://" in read.store:
        return read.store
    return str(home / (read.store or f"{read.name}.sqlite"))


def _plain(message: str, kind: str, place: str) -> str:
    if kind == "extra_forbidden":
        return f"there is no setting {place!r}"
    return message.removeprefix("Value error, ")
