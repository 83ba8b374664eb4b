"""A person's attempt: the pages with the goal, its tasks one after the other, and the report."""

import asyncio
import webbrowser
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from snellen import sdk
from snellen.server.attempts.models import AnswerMeta, Caller, Lease
from snellen.server.episodes.service import Episodes
from snellen.server.errors import ExamError
from snellen.server.host import Host, LazyHost
from snellen.server.http.playing import own_pages
from snellen.server.http.responses import NO_STORE
from snellen.server.mcp.views import PLAY
from snellen.server.store.tables.exams import Attempt, State
from snellen.tasks.environments.reasons import REASONS

ME = Caller("person", "main")
_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self';"
    " frame-src 'self'; form-action 'self'; frame-ancestors 'none'"
)
_REPORT_POLICY = "frame-ancestors 'none'"


class Session:
    """A person's attempt at an exam.

    Args:
        host: The exam.
        attempt: The attempt.
        folder: Where answers and reports are written.
    """

    def __init__(self, host: Host, attempt: Attempt, folder: Path) -> None:
        self.over = asyncio.Event()
        self.pages: Sequence[Path] = ()
        self._host = host
        self._attempt = attempt
        self._folder = folder
        self._lease: Lease | None = None
        self._page = Environment(loader=PackageLoader("snellen.play", "."), autoescape=True)

    def routes(self) -> list[Route]:
        """Return the routes of its pages."""
        return [
            Route("/", self._task),
            Route("/state", self._state),
            Route("/end", self._end, methods=["POST"]),
            Route("/reports/{name}", self._report),
            Route("/close", self._close, methods=["POST"]),
        ]

    async def _task(self, request: Request) -> Response:
        attempt, said = self._attempt, request.query_params.get("said", "")
        progress = self._host.service.progress(attempt)
        if not progress.open:
            return await self._finished()
        self._lease = lease = await self._host.service.lease(attempt, ME)
        turn = await self._episodes.open(attempt, lease)
        goal = lease.question.item.prompt.partition("\n\nTask: ")[2] or lease.question.item.prompt
        return self._shown(
            "task.html",
            goal=goal,
            number=progress.answered + 1,
            count=attempt.total,
            left=turn.left,
            page=f"{PLAY}/{turn.page}",
            reasons=REASONS,
            said=said,
        )

    async def _state(self, _: Request) -> Response:
        if self._lease is None:
            return RedirectResponse("/", 303)
        try:
            left = (await self._episodes.open(self._attempt, self._lease)).left
        except ExamError:  # the task was ended a moment ago
            left = 0
        return JSONResponse({"left": left}, headers=NO_STORE)

    async def _end(self, request: Request) -> Response:
        if self._lease is None:
            return RedirectResponse("/", 303)
        form = await request.form()
        answer: dict[str, Any] = {"status": "done"}
        if reason := form.get("reason"):
            answer = {"status": "infeasible", "reason_code": reason}
        elif said := str(form.get("answer", "")).strip():
            answer["answer"] = said
        item = self._lease.item.opaque
        try:
            await self._episodes.end(self._attempt, ME, item, answer, AnswerMeta())
        except ExamError as error:
            return RedirectResponse(f"/?said={quote(str(error))}", 303)
        return RedirectResponse("/", 303)

    async def _finished(self) -> Response:
        service = self._host.service
        if not self.pages:
            await service.finish(self._attempt)
            closed = await service.close(self._attempt)
            self.pages = await asyncio.to_thread(self._graded, closed)
        names = [page.name for page in self.pages]
        return self._shown("report.html", pages=names, folder=self._folder)

    async def _close(self, _: Request) -> Response:
        self.over.set()
        return HTMLResponse("<!doctype html><p>You can close this page.</p>")

    def _graded(self, closed: Attempt) -> Sequence[Path]:
        """Write each task's answers, report and page, and return the pages."""
        service, pages = self._host.service, list[Path]()
        for part in service.export(closed):
            file = self._folder / f"{part.task.replace('/', '-')}.jsonl"
            file.write_text(part.lines(), encoding="utf-8")
            pack = service.exam.packs_by_task[part.task]
            report = sdk.grade(file, task=part.task, data=pack.folder, progress=False)
            report.save(file.with_suffix(".json"))
            pages.append(file.with_suffix(".html"))
            report.save(pages[-1])
        return pages

    async def _report(self, request: Request) -> Response:
        known = {page.name: page for page in self.pages}
        page = known.get(request.path_params["name"])
        if page is None:
            return RedirectResponse("/", 303)
        return HTMLResponse(
            page.read_bytes(), headers={"Content-Security-Policy": _REPORT_POLICY, **NO_STORE}
        )

    def _shown(self, name: str, **known: object) -> Response:
        html = self._page.get_template(name).render(**known)
        return HTMLResponse(html, headers={"Content-Security-Policy": _POLICY, **NO_STORE})

    @property
    def _episodes(self) -> Episodes:
        assert self._host.episodes is not None
        return self._host.episodes


async def run_play(host: LazyHost, folder: Path, tell: Callable[[str], None]) -> Sequence[Path]:
    """Serve a person's attempt until all its tasks are done, and return the reports' pages.

    Args:
        host: The exam, with door url.
        folder: Where answers and reports are written.
        tell: Prints a message.
    """
    try:
        opened = await host.get()
        service = opened.service
        mine = [each for each in service.register.list_attempts() if each.state is State.OPEN]
        attempt = service.served(mine[0]) if mine else (await service.start(ME)).attempt
        session = Session(opened, attempt, folder)
        async with own_pages(host, session.routes(), "'self'"):
            tell(f"{attempt.progress.open} tasks at {host.address}")
            webbrowser.open(host.address)
            await session.over.wait()
        return session.pages
    finally:
        await host.close()
