"""The pages: exam, leaderboard, submissions, items, and organizers' decisions."""

import asyncio
import re
import zlib
from collections import OrderedDict
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from operator import attrgetter
from typing import Any, get_args
from urllib.parse import urlencode

from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from snellen.grading.errors import SnellenError
from snellen.server.challenge import models
from snellen.server.challenge.boards import compare_submissions
from snellen.server.challenge.events import MOST_LISTED
from snellen.server.challenge.queries import Listed
from snellen.server.errors import ExamError, ForbiddenError, NotFoundError
from snellen.server.exam.file import Phase
from snellen.server.grading.pages import ReportPages
from snellen.server.http.actions import Actions, Decision
from snellen.server.http.api.access import Visitor
from snellen.server.http.api.api import operations
from snellen.server.http.api.exams import picture_response
from snellen.server.http.api.submissions import file_response
from snellen.server.http.auth import MadeToken, NewToken
from snellen.server.http.pages.charts import Progress, interval_chart, progress_chart
from snellen.server.http.pages.frame import FORM, HTML, Frame, go, style, words_of
from snellen.server.http.pages.session import back_to, cookie_name, sign_in
from snellen.server.http.responses import address_of, root_of
from snellen.server.http.uploads import keep_bytes, too_large
from snellen.server.store.tables.exams import Scope
from snellen.tasks import hosted
from snellen.tasks.hosted import Board, BoardRow, Counts, JobState, Source, Who
from snellen.tasks.pack.format import PackItem

PAGE_ITEMS = 24
PAGE_ROWS = 100
_KEPT_PAGES = 8
_MOST_COLUMNS = 5
"""With more tasks, a leaderboard only shows their mean; a submission's page shows all tasks."""
_SLACK = 1 << 20
# The report's own policy allows its style and script by their digests.
_REPORT_POLICY = "frame-ancestors 'none'"


class Pages(Frame):
    """The pages of a challenge.

    Args:
        actions: The actions of the exam's callers.
        document: Returns the OpenAPI document of the REST application.
        reports: Creates the pages of saved reports.
    """

    def __init__(
        self, actions: Actions, document: Callable[[], Mapping[str, Any]], reports: ReportPages
    ) -> None:
        super().__init__(actions)
        self._document = document
        self._reports = reports
        self._rendered: OrderedDict[tuple[str, int, str, bool], bytes] = OrderedDict()

    def routes(self) -> Sequence[Route]:
        route = self._route
        one = "/submissions/{submission}"
        return [
            route("/", self._exam),
            route("/style.css", style),
            route("/leaderboard", self._leaderboard),
            route("/submissions", self._list_submissions),
            route("/submissions", self._upload, "POST"),
            route(one, self._submission),
            route(f"{one}/file", self._file),
            route(f"{one}/report", self._report),
            *(
                route(f"{one}/{decision}", partial(self._decide, decision=decision), "POST")
                for decision in get_args(Decision)
            ),
            route("/compare", self._compare),
            route("/items", self._items),
            route("/item", self._item),
            route("/image", self._image),
            route("/signin", self._sign_in_form),
            route("/signin", self._sign_in, "POST"),
            route("/signout", self._sign_out, "POST"),
            route("/organize", self._organize),
            route("/organize/tokens", self._make_token, "POST"),
            route("/organize/revoke", self._revoke, "POST"),
            route("/organize/rescore", self._rescore, "POST"),
            route("/organize/phase", self._change_phase, "POST"),
            route("/organize/alike", self._alike),
            route("/organize/export", self._export),
            route("/api", self._api),
            route("/{rest:path}", self._nothing),
        ]

    # ---- public pages ------------------------------------------------------------------------

    async def _exam(self, request: Request, visitor: Visitor) -> Response:
        phase = self._challenge.phase(None)
        board = await self._board(phase, visitor)
        rows = () if board is None else board.rows[:_FIRST_ROWS]
        caption = f"The first {len(rows)}, phase {phase.title or phase.name}"
        return self._page("exam", request, visitor, rows=rows, caption=caption)

    async def _board(self, phase: Phase, visitor: Visitor) -> Board | None:
        """Return a phase's leaderboard; None: it is hidden from the visitor, or not there yet."""
        with suppress(ForbiddenError, NotFoundError):
            boards = self._actions.boards
            return (await boards.board_off_loop(phase, organizer=visitor.organizes)).board
        return None

    async def _leaderboard(self, request: Request, visitor: Visitor) -> Response:
        given = request.query_params
        phase = self._challenge.phase(given.get("phase") or None)
        task, tag = given.get("task") or None, given.get("tag") or None
        said = given.get("source", "")
        source = Source(said) if said in list(Source) else None
        boards, organizer = self._actions.boards, visitor.organizes
        kept = await boards.board_off_loop(phase, task, tag, source, organizer=organizer)
        asked = {"phase": phase.name, "task": task, "tag": tag, "source": source}
        query = urlencode({name: value for name, value in asked.items() if value})
        caption = f"{kept.board.task or 'All tasks'}, {phase.title or phase.name}" + (
            f", items with {tag}" if tag else ""
        )

        def page() -> Response:
            # Of a tag's items no chance is known.
            chance = None if tag else boards.chance(phase, kept.board, organizer=organizer)
            return self._page(
                "leaderboard",
                request,
                visitor,
                **self._rows(kept.board, visitor, given, query, public=public),
                marks=interval_chart(kept.board, chance),
                tags=boards.tags(phase, organizer=organizer),
                tag=tag,
                source=source,
                query=query,
                caption=caption,
                rounded=not self._challenge.visibility(phase, organizer=organizer).exact,
            )

        public = self._challenge.visibility(phase).reports is Who.PUBLIC
        return await boards.off_loop(page)

    @staticmethod
    def _rows(
        board: Board, visitor: Visitor, given: Mapping[str, str], query: str, *, public: bool
    ) -> Mapping[str, object]:
        """Return the rows of a page of a leaderboard, and what is in its table."""
        sort, first = given.get("sort", ""), _first(given.get("after", "0"))
        first = first if first < len(board.rows) else 0

        def sorted_by(key: str) -> str:
            other = key.removeprefix("-") if key.startswith("-") else f"-{key}"
            return f"?{query}&sort={other if sort == key else key}"

        shown = _sorted(board.rows, sort)[first : first + PAGE_ROWS]
        rows = [_shown(row, visitor, len(board.tasks), public=public) for row in shown]
        if not sort:
            groups = {row.group: row.submission for row in reversed(board.rows)}
            for row in rows:
                row["first_of_group"] = row["group"] and groups[row["group"]] == row["submission"]
        return {
            "board": board,
            "rows": rows,
            "first": first,
            "size": PAGE_ROWS,
            "sort": sort,
            "sorted_by": sorted_by,
            "in_order": f"{query}&{urlencode({'sort': sort})}" if sort else query,
            "measures": board.measures,
            "costs": any(_spent(row.cost) for row in board.rows if row.cost),
            "by_task": 1 < len(board.tasks) <= _MOST_COLUMNS,
            "eqa": len(board.tasks) == 1
            and any("eqa" in row.tasks[0].metrics for row in board.rows),
        }

    async def _nothing(self, request: Request, _: Visitor) -> Response:
        raise NotFoundError(f"there is no page {request.url.path[:64]!r} here")

    async def _api(self, request: Request, visitor: Visitor) -> Response:
        document = self._document()
        groups = operations(document, address_of(request), self._challenge.file.name)
        return self._page("api", request, visitor, document=document, groups=groups)

    # ---- items -------------------------------------------------------------------------------

    async def _items(self, request: Request, visitor: Visitor) -> Response:
        task = request.query_params.get("task") or next(iter(self._challenge.exam.offers))
        first = _first(request.query_params.get("after", "0"))
        shown = self._actions.items(visitor, task, first, PAGE_ITEMS)
        return self._page(
            "items", request, visitor, task=task, lines=shown.lines, first=first, size=PAGE_ITEMS,
            total=shown.total,
        )  # fmt: skip

    async def _item(self, request: Request, visitor: Visitor) -> Response:
        _, line = self._asked_item(request, visitor)
        return self._page("item", request, visitor, item=line.item, world=line.world)

    async def _image(self, request: Request, visitor: Visitor) -> Response:
        task, line = self._asked_item(request, visitor)
        pack, name = self._challenge.exam.packs_by_task[task], request.query_params.get("name")
        return await picture_response(self._actions.images, request, pack, line, name)

    def _asked_item(self, request: Request, visitor: Visitor) -> tuple[str, PackItem]:
        given = request.query_params
        self._actions.check_items(visitor)
        return self._actions.item(given.get("task"), given.get("item", ""))

    # ---- submissions -------------------------------------------------------------------------

    async def _list_submissions(self, request: Request, visitor: Visitor) -> Response:
        given = request.query_params
        state = given.get("state") or None
        if state is not None and state not in list(JobState):
            raise NotFoundError(f"there is no state {state[:20]!r}")
        found = await self._actions.submissions(
            visitor,
            state=None if state is None else JobState(state),
            before=given.get("before"),
        )
        return self._page(
            "submissions",
            request,
            visitor,
            rows=found.rows,
            progress=None if found.owner is None else self._progress(found.rows),
            quota=await self._quota(visitor),
            next=found.next,
            everybody=found.owner is None,
            states=[each.value for each in JobState],
            state=state,
            upload=visitor.may(Scope.SUBMIT),
        )

    def _progress(self, rows: Sequence[hosted.SubmissionStatus]) -> Progress | None:
        """Return a participant's progress in the phase of its newest submission with a score."""
        name = next((row.phase for row in rows if row.value is not None), None)
        if name is None:
            return None
        return progress_chart([row for row in rows if row.phase == name])

    async def _quota(self, visitor: Visitor) -> hosted.QuotaCard | None:
        """Return the visitor's uploads that are left; None: no phase takes one."""
        if visitor.name is None or not visitor.may(Scope.SUBMIT):
            return None
        try:
            return await self._read(lambda: self._actions.quota(visitor))
        except ForbiddenError:
            return None

    async def _upload(self, request: Request, visitor: Visitor) -> Response:
        at = self._challenge.now()
        caller, _ = self._actions.begin_upload(visitor, at)
        most = self._challenge.file.longest_upload
        said = request.headers.get("content-length", "")
        # A browser sends the length of its form, so a request without one is not from our page.
        if not said.isdecimal() or int(said) > most + _SLACK:
            raise too_large(most)
        async with request.form(max_files=1, max_fields=8) as form:
            file = form.get("file")
            if file is None or isinstance(file, str) or not file.filename:
                raise ExamError("choose a file")
            ending = next((each for each in _ENDINGS if file.filename.endswith(each)), "")
            body = await keep_bytes(_chunks(file.read), most)
            words = {name: str(form.get(name) or "") for name in ("name", "link", "task")}
        kept, new = await self._submissions.keep(
            models.Upload(
                caller=caller,
                body=body,
                form=ending,
                at=at,
                name=words["name"],
                link=words["link"],
                task=words["task"] or None,
            )
        )
        # The page of an earlier submission says that it is one, and which of its words stay.
        stays = [name for name in ("name", "link") if words[name] not in ("", getattr(kept, name))]
        again = "" if new else "?" + urlencode({"again": ",".join(stays) or "same"})
        return go(request, f"/submissions/{kept.id}{again}")

    async def _submission(self, request: Request, visitor: Visitor) -> Response:
        submission = request.path_params["submission"]
        row = await self._read(lambda: self._submissions.row(submission, None))
        phase = self._challenge.phases.of(row.phase)
        mine = visitor.organizes or (visitor.name is not None and visitor.name == row.caller)
        reports = self._challenge.visibility(phase, organizer=visitor.organizes).reports
        if not mine and reports is not Who.PUBLIC:
            visitor.owner()
            raise NotFoundError(f"you have no submission {submission[:40]!r}")
        owner = None if visitor.organizes else row.caller
        status = await self._read(lambda: self._submissions.status(submission, owner))
        board = await self._board(phase, visitor)
        ids = [] if board is None else [each.submission for each in board.rows]
        index = ids.index(submission) if submission in ids else None
        runs = await self._comparable(visitor)
        return self._page(
            "submission", request, visitor, status=status, mine=mine,
            reports=reports is not Who.HIDDEN,
            board=board, place=None if board is None or index is None else board.rows[index],
            after=0 if index is None else index - index % PAGE_ROWS,
            runs={key: text for key, text in runs.items() if key != submission},
            deciding=visitor.name == row.caller and not phase.over(self._challenge.now()),
            choosing=phase.counts is Counts.CHOSEN,
            again=request.query_params.get("again", "").split(","),
        )  # fmt: skip

    async def _comparable(self, visitor: Visitor) -> Mapping[str, str]:
        """Return submissions that a visitor may compare, by id, as texts to choose from.

        They are the first of each leaderboard, and the visitor's newest ones.
        """
        challenge = self._challenge
        found: dict[str, str] = {}
        for phase in challenge.file.phases:
            reports = challenge.visibility(phase).reports
            board = await self._board(phase, visitor) if reports is Who.PUBLIC else None
            for row in () if board is None else board.rows[:MOST_LISTED]:
                found[row.submission] = _choice(row.name, row.participant, phase, row.at)
            if visitor.organizes or (reports is not Who.HIDDEN and visitor.may(Scope.SUBMIT)):
                newest = partial(
                    self._submissions.listed,
                    visitor.owner(),
                    phase=challenge.phases.key(phase),
                    state=JobState.GRADED,
                    limit=MOST_LISTED,
                )
                listed: Sequence[Listed] = await self._read(newest)
                for row in listed:
                    found[row.id] = _choice(row.name, row.caller, phase, models.iso(row.at))
        return found

    async def _file(self, request: Request, visitor: Visitor) -> Response:
        submission = request.path_params["submission"]
        return file_response(*await self._actions.file(visitor, submission))

    async def _report(self, request: Request, visitor: Visitor) -> Response:
        submission = request.path_params["submission"]
        task = request.query_params.get("task") or None
        organizer = visitor.organizes
        found = await self._read(
            lambda: self._submissions.graded(submission, task, visitor.name, organizer=organizer)
        )
        key = (submission, found.grading, found.task, organizer)
        page = self._rendered.get(key)
        if page is None:
            body = zlib.decompress(found.report)
            render = partial(self._reports.render, with_references=organizer)
            try:
                root = root_of(request)
                site = (
                    (f"{root}/", "Exam"),
                    (f"{root}/submissions/{submission}", "Submission"),
                )
                page = await asyncio.to_thread(render, body, found.task, site)
            except SnellenError as error:
                raise ExamError(str(error)) from None
            self._rendered[key] = page
            while len(self._rendered) > _KEPT_PAGES:
                self._rendered.popitem(last=False)
        headers = {"Content-Security-Policy": _REPORT_POLICY, "Cache-Control": "no-store"}
        return Response(page, media_type=HTML, headers=headers)

    async def _compare(self, request: Request, visitor: Visitor) -> Response:
        given = request.query_params
        ids = (given.get("one", ""), given.get("other", "").strip())
        runs = await self._comparable(visitor)
        chosen = {"runs": runs, "ids": ids, "task": given.get("task", "")}
        if not all(ids):
            return self._page("compare", request, visitor, found=None, **chosen)
        found = await self._read(
            lambda: compare_submissions(
                self._challenge,
                ids,
                given.get("task") or None,
                visitor.name,
                organizer=visitor.organizes,
            )
        )
        rows = [await self._read(lambda one=each: self._submissions.row(one, None)) for each in ids]
        names = [row.name for row in rows]
        if names[0] == names[1]:
            names = [f"{row.name} ({row.id})" for row in rows]
        items = self._challenge.file.items
        gallery = items is Who.PUBLIC or visitor.may(Scope.SUBMIT) or visitor.organizes
        return self._page(
            "compare", request, visitor, found=found, names=names, gallery=gallery, **chosen
        )

    # ---- organizers' decisions ---------------------------------------------------------------

    async def _decide(self, request: Request, visitor: Visitor, decision: Decision) -> Response:
        submission = request.path_params["submission"]
        form = await words_of(request)
        on = "yes" in (form.get("chosen"), form.get("baseline"))
        await self._actions.decide(visitor, submission, decision, form.get("why", ""), on=on)
        return go(request, f"/submissions/{submission}")

    async def _organize(
        self, request: Request, visitor: Visitor, made: MadeToken | None = None
    ) -> Response:
        visitor.need(Scope.ORGANIZE)
        admin = visitor.may(Scope.ADMIN)
        tokens = await self._read(lambda: self._actions.tokens(visitor)) if admin else None
        return self._page(
            "organize",
            request,
            visitor,
            counts=await self._read(self._submissions.counts),
            events=await self._read(self._challenge.events.latest),
            tokens=tokens,
            scopes=list(Scope),
            made=made,
            requests=len(await self._read(lambda: self._actions.signup.requests(visitor))),
        )

    async def _make_token(self, request: Request, visitor: Visitor) -> Response:
        async with request.form(**FORM) as form:
            name = str(form.get("name") or "")
            scopes = [str(scope) for scope in form.getlist("scope")]
            days = str(form.get("days") or "")
            team = str(form.get("team") or "")
        try:
            asked = NewToken(
                name=name,
                scopes=tuple(map(Scope, scopes)),
                days=float(days) if days else None,
                team=team or None,
            )
        except ValueError:
            raise ExamError(
                "a token needs a name of letters, digits, dots, dashes and underscores, and a"
                " scope; it may have 1 to 36,500 days and a team with such a name"
            ) from None
        made = await self._actions.make_token(visitor, asked)
        return await self._organize(request, visitor, made)

    async def _revoke(self, request: Request, visitor: Visitor) -> Response:
        form = await words_of(request)
        await self._actions.revoke_token(visitor, form.get("name", ""))
        return go(request, "/organize")

    async def _rescore(self, request: Request, visitor: Visitor) -> Response:
        form = await words_of(request)
        await self._actions.rescore(visitor, form.get("phase", ""), form.get("why", ""))
        return go(request, "/organize")

    async def _change_phase(self, request: Request, visitor: Visitor) -> Response:
        form = await words_of(request)
        words = {name: form.get(name, "").strip() for name in ("start", "end")}
        try:
            given = models.PhaseChange.model_validate(
                {name: said or None for name, said in words.items()}
            )
        except ValidationError:
            raise ExamError(
                "write the date, the time and the offset, as 2026-12-31T23:59:59-12:00 (the last"
                " offset is 'anywhere on earth')"
            ) from None
        await self._actions.change_phase(visitor, form.get("phase", ""), given, form.get("why", ""))
        return go(request, "/organize")

    async def _alike(self, request: Request, visitor: Visitor) -> Response:
        named = request.query_params.get("phase") or None
        pairs = await self._actions.alike(visitor, named)
        phase = self._challenge.phase(named)
        title = phase.title or phase.name
        return self._page("alike", request, visitor, pairs=pairs, title=title)

    async def _export(self, request: Request, visitor: Visitor) -> Response:
        phase = self._challenge.phase(request.query_params.get("phase") or None)
        boards, organizer = self._actions.boards, visitor.organizes
        body = await boards.off_loop(lambda: boards.export(phase, organizer=organizer))
        name = f'attachment; filename="{self._challenge.file.name}-{phase.name}.json"'
        return Response(body, media_type="application/json", headers={"Content-Disposition": name})

    # ---- signing in --------------------------------------------------------------------------

    async def _sign_in_form(self, request: Request, visitor: Visitor) -> Response:
        return self._page(
            "signin", request, visitor, to=back_to(request.query_params.get("to", "/")), why=""
        )

    async def _sign_in(self, request: Request, visitor: Visitor) -> Response:
        form = await words_of(request)
        to = back_to(form.get("to", "/"))
        access = self._actions.access
        access.check_guesses(visitor.address)
        cookie = await asyncio.to_thread(access.tokens.sign_in, form.get("token", "").strip())
        if cookie is None:
            access.count_wrong(visitor.address)
            why = "This token is unknown, revoked or too old."
            page = self._page("signin", request, visitor, to=to, why=why)
            page.status_code = HTTPStatus.UNAUTHORIZED
            return page
        response = go(request, to)
        sign_in(request, response, cookie)
        return response

    async def _sign_out(self, request: Request, _: Visitor) -> Response:
        cookie = request.cookies.get(cookie_name(request))
        if cookie:
            await asyncio.to_thread(self._actions.access.tokens.sign_out, cookie)
        response = go(request, "/")
        response.delete_cookie(
            cookie_name(request), secure=request.url.scheme == "https", httponly=True
        )
        return response


_FIRST_ROWS = 10
_ENDINGS = sorted(set(hosted.FORMS.values()), key=len, reverse=True)


def _first(after: str) -> int:
    """Return the first index of a page by its cursor; 0 for any other text."""
    return int(after) if re.fullmatch(r"\d{1,9}", after) else 0


def _sorted(rows: Sequence[BoardRow], sort: str) -> Sequence[BoardRow]:
    """Return the rows in another order: by `value` or `at`; with `-` the highest is first."""
    key = sort.removeprefix("-")
    if key not in ("value", "at"):
        return rows
    return sorted(rows, key=attrgetter(key), reverse=sort.startswith("-"))


def _choice(name: str, participant: str, phase: Phase, at: str) -> str:
    """Return a submission's text in a list to choose from."""
    whose = "" if name == participant else f", {participant}"
    return f"{name}{whose}, {phase.title or phase.name}, {at[:16].replace('T', ' ')} UTC"


def _shown(row: BoardRow, visitor: Visitor, tasks: int, *, public: bool) -> dict[str, Any]:
    """Return a row of a leaderboard of some tasks for its template.

    It links to what the visitor may see.
    """
    items = sum(task.items for task in row.tasks)
    missing = sum(
        count for task in row.tasks for outcome, count in task.outcomes.items()
        if outcome.value == "missing"
    )  # fmt: skip
    # In an open phase, a task with few items is not shown by itself.
    whole = len(row.tasks) == tasks
    known = whole and any(task.outcomes for task in row.tasks)
    mine = visitor.organizes or row.participant == visitor.name
    return {
        **{name: getattr(row, name) for name in type(row).model_fields},
        "measures": row.measures,
        "by_task": {task.task: task for task in row.tasks},
        "first_of_group": False,
        "asked": items if whole else "",
        "missing": missing if known else "",
        "spent": _spent(row.cost),
        "open": mine or public,
    }


def _spent(cost: Mapping[str, Any]) -> str:
    said = [
        f"{cost['calls']:,} calls" if cost.get("calls") else "",
        f"{cost['steps']:,} steps" if cost.get("steps") else "",
        f"{cost['image_tokens']:,} image tokens" if cost.get("image_tokens") else "",
        f"{cost['seconds']:,.0f} s" if cost.get("seconds") else "",
    ]
    return ", ".join(filter(None, said))


async def _chunks(read: Callable[[int], Awaitable[bytes]]) -> AsyncGenerator[bytes]:
    while chunk := await read(256 << 10):
        yield chunk
