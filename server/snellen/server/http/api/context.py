"""The objects that routes share, and their JSON responses."""

import re
from dataclasses import dataclass, field

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from snellen.grading.models.base import Closed
from snellen.server.challenge.boards import Boards
from snellen.server.challenge.service import Challenge
from snellen.server.errors import ForbiddenError, NotFoundError
from snellen.server.exam.rules import Contexts
from snellen.server.http.api.access import Access, Visitor
from snellen.server.http.signup import SignUp
from snellen.server.screenshots.service import WholeImages
from snellen.server.store.tables.exams import Scope

JSON = "application/json"
LONGEST_BODY = 64 << 10
"""The maximum size of a JSON body, in bytes: it is read before its sender is known."""


class Parameters(Closed):
    """The parameters of a request; the API's document has their meanings from the docstring."""

    @classmethod
    def __pydantic_init_subclass__(cls, **_: object) -> None:
        """Give each parameter the line of the docstring that is about it."""
        for name, meaning in re.findall(
            r"^ {4,8}(\w+): (.+(?:\n {9,}.+)*)", cls.__doc__ or "", re.M
        ):
            cls.model_fields[name].description = " ".join(meaning.split())


class PhaseQuery(Parameters):
    """The query for a phase.

    Attributes:
        phase: The phase; default: the open one.
    """

    phase: str | None = None


@dataclass(frozen=True, slots=True)
class RouteContext:
    """The objects that routes share."""

    challenge: Challenge
    boards: Boards = field(repr=False)
    access: Access = field(repr=False)
    images: WholeImages = field(default_factory=WholeImages, repr=False)

    def __post_init__(self) -> None:
        self.access.before.append(self.challenge.phases.refresh)

    @property
    def signup(self) -> SignUp:
        """The sign-up of the exam."""
        return SignUp(self.access.tokens, self.challenge.file)

    def check_exam(self, name: str) -> None:
        """Check that an exam is served here.

        Raises:
            NotFoundError: It is not served here.
        """
        if name != self.challenge.file.name:
            raise NotFoundError(
                f"there is no exam {name[:64]!r} here; there is: {self.challenge.file.name}",
                field="exam",
            )

    def check_items(self, visitor: Visitor, what: str) -> None:
        """Check that the items, or their images, are visible to a caller now.

        Raises:
            UnauthorizedError: The request has no token, and needs one.
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


def address_of(request: Request) -> str:
    """Return the exam's address, as the caller sees it."""
    return str(request.base_url).rstrip("/")


def root_of(request: Request) -> str:
    """Return the path of the exam's address: its prefix, or empty if it is alone on its server."""
    return request.scope.get("app_root_path", request.scope.get("root_path", ""))


def answered(said: BaseModel, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Return a model as a response."""
    return Response(said.model_dump_json(), status, headers, media_type=JSON)
