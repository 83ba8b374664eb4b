"""The base of all pages: their visitor, their errors, and the frame around their content."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from http import HTTPStatus
from importlib.metadata import version
from importlib.resources import files
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from snellen.grading.protocols.plugins import registered
from snellen.server.errors import ExamError
from snellen.server.http.actions import Actions
from snellen.server.http.api.access import Visitor
from snellen.server.http.errors import headers_of, status_of
from snellen.server.http.pages.session import check_origin, visitor_of
from snellen.server.http.responses import address_of, root_of
from snellen.server.logs import fault, log
from snellen.server.store.tables.exams import Scope
from snellen.tasks.hosted import ExamCard, JoinBy, Who

HTML = "text/html; charset=utf-8"
PLUGINS = "snellen.pages"
"""The group of entry points of further pages."""

# Each look reads the installed package's metadata.
_VERSION = version("snellen")
_FAILED = "The server failed; its log has the reason. Try again."
# A form is read before its sender is known.
FORM: Mapping[str, int] = {"max_files": 0, "max_fields": 16, "max_part_size": 16 << 10}

Answer = Callable[[Request, Visitor], Awaitable[Response]]


class Frame:
    """The base class of the pages of a site.

    Args:
        actions: The actions of the exam's callers.
    """

    def __init__(self, actions: Actions) -> None:
        self._actions = actions
        self._challenge = actions.challenge
        self._submissions = actions.challenge.submissions

    # ---- responses ---------------------------------------------------------------------------

    def _route(self, path: str, answer: Answer, method: str = "GET") -> Route:
        return Route(path, self._answered(answer, method), methods=[method])

    def _answered(self, answer: Answer, method: str) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(request: Request) -> Response:
            visitor = Visitor()
            try:
                access = self._actions.access
                visitor = await access.tokens.database.off_loop(lambda: visitor_of(request, access))
                if method != "GET":
                    check_origin(request)
                return await answer(request, visitor)
            except ExamError as error:
                if error.__cause__ is not None:
                    log().error("fault", path=request.url.path, **fault(error))
                status, said = status_of(error), error.message
                headers = {
                    name: value
                    for name, value in headers_of(error).items()
                    if name != "WWW-Authenticate"
                }
            except HTTPException as error:  # a form that can't be read
                said = f"{error.detail.rstrip('.')}: go back and correct the form"
                status, headers = HTTPStatus(error.status_code), {}
            except Exception as error:  # noqa: BLE001  # its message may quote an answer
                log().error("fault", path=request.url.path, **fault(error))
                status, said, headers = HTTPStatus.INTERNAL_SERVER_ERROR, _FAILED, {}
            said = said[:1].upper() + said[1:]
            page = self._page(
                "problem", request, visitor, title=status.phrase, detail=said, status=status,
                to=_to(request),
            )  # fmt: skip
            page.status_code = status
            page.headers.update(headers)
            return page

        return endpoint

    def _page(self, name: str, request: Request, visitor: Visitor, **shown: object) -> Response:
        exam = self._challenge.card()
        return render(
            name,
            exam=exam,
            visitor=visitor,
            nav=_nav(exam, visitor),
            here=_here(request),
            root=root_of(request),
            base=address_of(request),
            **shown,
        )

    async def _read(self, work: Callable[[], Any]) -> Any:  # noqa: ANN401  # what the work returns
        return await self._challenge.database.off_loop(work)


def render(name: str, **shown: object) -> Response:
    """Return a page from its template."""
    html = _environment().get_template(f"{name}.html.j2").render(version=_VERSION, **shown)
    # The page must not be shown to the next user of the browser.
    return Response(html, media_type=HTML, headers={"Cache-Control": "no-store"})


async def style(request: Request, _: Visitor | None = None) -> Response:
    """Return the stylesheet of all pages."""
    body, etag = _stylesheet()
    headers = {"ETag": etag, "Cache-Control": "no-cache"}
    if request.headers.get("if-none-match") == etag:
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    return Response(body, media_type="text/css; charset=utf-8", headers=headers)


def _nav(exam: ExamCard, visitor: Visitor) -> Sequence[tuple[str, str]]:
    """Return the pages that a visitor may open, with their names."""
    public = any(phase.scores is Who.PUBLIC for phase in exam.phases)
    takes = visitor.may(Scope.SUBMIT) or visitor.organizes
    found = [("/", "Exam")]
    if public or visitor.organizes:
        found.append(("/leaderboard", "Leaderboard"))
    if exam.items is Who.PUBLIC or (takes and exam.items is Who.OWN) or visitor.organizes:
        found.append(("/items", "Items"))
    if takes:
        found.append(("/submissions", "Submissions"))
    if visitor.may(Scope.ANNOTATE):
        found.append(("/annotate", "Annotate"))
    if visitor.organizes:
        found.append(("/organize", "Organize"))
    found.append(("/api", "API"))
    if visitor.name is None and exam.signup.by is not JoinBy.CLOSED:
        found.append(("/join", "Join"))
    if visitor.name is None:
        found.append(("/signin", "Sign in"))
    return found


async def words_of(request: Request) -> Mapping[str, str]:
    """Return the fields of a form without files."""
    async with request.form(**FORM) as form:
        return {name: value for name, value in form.items() if isinstance(value, str)}


def go(request: Request, path: str) -> RedirectResponse:
    """Return a redirect to a path of the exam, after a change."""
    return RedirectResponse(root_of(request) + path, HTTPStatus.SEE_OTHER)


def _here(request: Request) -> str:
    return request.url.path.removeprefix(root_of(request))


def _to(request: Request) -> str:
    query = request.url.query
    return _here(request) + (f"?{query}" if query else "")


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %"


@cache
def _environment() -> Environment:
    # A plugin's templates are in its package, beside the module of its pages.
    added = [entry.module.rpartition(".")[0] for entry, *_ in registered(PLUGINS).values()]
    made = Environment(
        loader=ChoiceLoader(
            [PackageLoader("snellen.server.http.pages"), *map(PackageLoader, added)]
        ),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    made.filters["percent"] = _percent
    return made


@cache
def _stylesheet() -> tuple[bytes, str]:
    from snellen.grading.report.html import stylesheet

    own = (files("snellen.server.http.pages") / "pages.css").read_text("utf-8")
    body = (stylesheet() + own).encode()
    return body, f'"{sha256(body).hexdigest()[:32]}"'
