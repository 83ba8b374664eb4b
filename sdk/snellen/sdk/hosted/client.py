"""Clients of a hosted exam: `AsyncClient`, and `Client`, its blocking version.

client = sdk.Client("https://exam.example.org", token="snellen_...")
report = client.submit("answers.jsonl", name="my agent").wait(progress=True)
"""

import os
import uuid
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Callable,
    Generator,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import ExitStack, contextmanager
from functools import partial
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Self, TypeVar

import anyio
import msgspec
from pydantic import BaseModel, ValidationError

from snellen.grading.errors import InputError, MissingExtraError, SnellenError
from snellen.grading.models.base import NO_JSON
from snellen.grading.models.items import Item
from snellen.tasks import hosted

if TYPE_CHECKING:
    import httpx2
    import tenacity
    from anyio.from_thread import BlockingPortal

    from snellen.sdk.report import Report

T = TypeVar("T")
TOKEN_VARIABLE = "SNELLEN_TOKEN"
MEDIA_TYPES: Mapping[str, str] = {
    ".jsonl.gz": "application/gzip",
    ".jsonl": "application/x-ndjson",
    ".json": "application/json",
    ".csv": "text/csv",
    ".parquet": "application/vnd.apache.parquet",
}
"""The media type of a file by its ending."""

_TRIES = 5
_SECONDS = 60.0
_POLL_SECONDS, _MAX_POLL_SECONDS = 0.25, 2.0
_CHUNK = 256 << 10
_ANNOUNCED_BYTES = 1 << 20
"""The size from which a file is announced before it is sent: it may take a while."""
_AGAIN = frozenset({429, 502, 503, 504})
Watch = Callable[[hosted.SubmissionStatus], None]


class HostedError(InputError):
    """A hosted exam rejects a request; the message is the server's.

    Attributes:
        status: The response's status.
    """

    def __init__(self, message: str, status: int) -> None:
        self.status = status
        super().__init__(message)


class HostedUnreachableError(SnellenError):
    """A hosted exam can't be reached, or its response is not that of such a server."""


class _Announced(msgspec.Struct):
    phase: str


class _Exams(BaseModel):
    exams: list[hosted.ExamCard]


class _ItemPage(msgspec.Struct):
    items: Sequence[msgspec.Raw]
    next: str | None


class _Problem(msgspec.Struct):
    detail: str = ""
    title: str = ""


class _AgainError(Exception):
    """A response that can change on a retry."""

    def __init__(self, response: "httpx2.Response") -> None:
        self.response = response


class AsyncClient:
    """A client of a hosted exam.

    Reads and uploads are retried after temporary failures of the connection or the server. An
    upload has a key by which the server recognizes it.

    Args:
        url: The exam's address: the server's, and `/NAME` if the server has several exams.
        token: The server's token; None: `$SNELLEN_TOKEN`.
        exam: The exam's name; None: the server's only exam.
        transport: The transport of requests; None: httpx2's own.
    """

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        exam: str | None = None,
        transport: "httpx2.AsyncBaseTransport | None" = None,
    ) -> None:
        import httpx2

        if find_spec("tenacity") is None:
            raise MissingExtraError("a client of a hosted exam", "hosted")
        token = token or os.environ.get(TOKEN_VARIABLE)
        headers = {} if not token else {"Authorization": f"Bearer {token}"}
        try:
            self._http = httpx2.AsyncClient(
                base_url=f"{url.rstrip('/')}/v1/",
                headers=headers,
                timeout=_SECONDS,
                transport=transport,
            )
        except (httpx2.InvalidURL, ValueError) as error:
            raise InputError(f"{url!r} is not the address of a server: {error}") from None
        self._exam = exam

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def exams(self) -> list[hosted.ExamCard]:
        """Return the exams that the server hosts."""
        return _read(await self._get("exams"), _Exams).exams

    async def exam(self) -> hosted.ExamCard:
        """Return the exam.

        Raises:
            HostedError: There is no exam of that name, or there are several and no name was given.
        """
        if self._exam is not None:
            return _read(await self._get(f"exams/{self._exam}"), hosted.ExamCard)
        found = await self.exams()
        if len(found) != 1:
            names = ", ".join(exam.name for exam in found)
            raise InputError(f"give the exam: {names or 'the server hosts none'}")
        self._exam = found[0].name
        return found[0]

    async def items(self, task: str | None = None) -> AsyncIterator[Item]:
        """Yield a task's items, without references."""
        cursor: str | None = "0"
        while cursor is not None:
            query = {"task": task, "after": cursor, "limit": 200}
            page = _read(await self._of_exam("items", query), _ItemPage)
            for item in page.items:
                yield Item.model_validate_json(bytes(item))
            cursor = page.next

    async def image(self, item: str, name: str | None = None, task: str | None = None) -> bytes:
        """Return an image of an item; the first image by default."""
        return await self._of_exam("image", {"item": item, "name": name, "task": task})

    async def leaderboard(self, task: str | None = None, phase: str | None = None) -> hosted.Board:
        """Return a phase's leaderboard, of one task or of all."""
        rows: dict[str, hosted.BoardRow] = {}
        cursor: str | None = "0"
        while True:
            query = {"task": task, "phase": phase, "after": cursor, "limit": 5000}
            page = _read(await self._of_exam("leaderboard", query), hosted.BoardPage)
            # A row can move to the next page if the leaderboard changes meanwhile.
            rows |= {row.submission: row for row in page.rows}
            cursor = page.next
            if cursor is None:
                return page.model_copy(update={"rows": tuple(rows.values())})

    async def export(self, phase: str | None = None) -> bytes:
        """Return the data behind a leaderboard, for `snellen verify`."""
        return await self._of_exam("export", {"phase": phase})

    async def quota(self, phase: str | None = None) -> hosted.QuotaCard:
        """Return the uploads that are left, and the phase that takes them.

        Raises:
            HostedError: No phase takes uploads now.
        """
        return _read(await self._of_exam("quota", {"phase": phase}), hosted.QuotaCard)

    async def submit(
        self,
        file: str | Path,
        *,
        phase: str | None = None,
        task: str | None = None,
        name: str = "",
        link: str = "",
        key: str | None = None,
    ) -> "AsyncSubmission":
        """Upload a file of predictions.

        Args:
            file: JSON lines (also .gz), JSON, CSV or Parquet, as `sdk.grade` reads it.
            phase: The phase; None: the open one.
            task: The task that it answers; None: the lines name it, or the exam has only one.
            name: The submission's name on the leaderboard.
            link: A URL with more information.
            key: Identifies this upload; None: a new key. The same file with the same key is one
                submission, even if it is sent several times.

        Raises:
            HostedError: The server does not accept the file, or accepts no files now.
            InputError: The file can't be read.
        """
        path = Path(file)
        ending = next((each for each in MEDIA_TYPES if path.name.endswith(each)), None)
        if ending is None:
            known = ", ".join(MEDIA_TYPES)
            raise InputError(
                f"the name of a file of predictions must end with one of {known}", file=str(path)
            )
        try:
            size = (await anyio.Path(path).stat()).st_size
        except OSError as error:
            raise InputError(f"can't be read: {error.strerror}", file=str(path)) from error
        headers = {
            "Content-Type": MEDIA_TYPES[ending],
            "Content-Length": str(size),
            "Idempotency-Key": key or uuid.uuid4().hex,
        }
        exam = await self._name()
        if size >= _ANNOUNCED_BYTES:
            phase = await self._announce(path, phase)
        query = {"phase": phase, "task": task, "name": name or None, "link": link or None}
        response = await self._send(
            "POST", f"exams/{exam}/submissions", query, headers, partial(_chunks, path)
        )
        return AsyncSubmission(self, _read(response, hosted.SubmissionStatus))

    async def _announce(self, path: Path, phase: str | None) -> str | None:
        """Announce a file, so that it may be complete a while after the end; return its phase."""
        digest = sha256()
        async for chunk in _chunks(path):
            digest.update(chunk)
        given = msgspec.json.encode({"sha256": digest.hexdigest(), "phase": phase})
        headers = {"Content-Type": "application/json"}
        exam = await self._name()
        try:
            body = await self._send(
                "POST", f"exams/{exam}/announcements", {}, headers, lambda: given
            )
        except HostedError:  # the upload itself says whether it is accepted
            return phase
        return _read(body, _Announced).phase

    async def submission(self, submission: str) -> "AsyncSubmission":
        """Return a submission by its id."""
        status = _read(await self._of_exam(f"submissions/{submission}"), hosted.SubmissionStatus)
        return AsyncSubmission(self, status)

    async def follow(self, submission: str) -> AsyncIterator[hosted.SubmissionStatus]:
        """Yield a submission's status after each change, until it is done."""
        pause, last = _POLL_SECONDS, None
        while True:
            now = (await self.submission(submission)).status
            if now != last:
                yield now
            if now.done:
                return
            last = now
            await anyio.sleep(pause)
            pause = min(2 * pause, _MAX_POLL_SECONDS)

    async def report(self, submission: str, task: str | None = None) -> "Report":
        """Return a submission's report on a task; by default the only report."""
        from snellen.sdk.report import Report
        from snellen.sdk.saved import parse_report

        body = await self._of_exam(f"submissions/{submission}/report", {"task": task})
        found = parse_report(body, f"the report of {submission}")
        if found is None:
            raise HostedUnreachableError("this version can't read the server's report")
        return Report.of(found, found.scores if found.has_scores else None, None, found.tags)

    async def choose(self, submission: str, *, chosen: bool = True) -> hosted.SubmissionStatus:
        """Choose a submission to count at the end of its phase, or take the choice back."""
        return await self._decide(submission, "choose", {"chosen": chosen})

    async def withdraw(self, submission: str) -> hosted.SubmissionStatus:
        """Take a submission off the leaderboard; its upload stays used."""
        return await self._decide(submission, "withdraw", {})

    async def _decide(
        self, submission: str, what: str, said: Mapping[str, object]
    ) -> hosted.SubmissionStatus:
        async def body() -> AsyncIterator[bytes]:
            yield msgspec.json.encode(said)

        path = f"exams/{await self._name()}/submissions/{submission}/{what}"
        headers = {"Content-Type": "application/json"}
        return _read(await self._send("POST", path, {}, headers, body), hosted.SubmissionStatus)

    async def _name(self) -> str:
        return self._exam if self._exam is not None else (await self.exam()).name

    async def _of_exam(self, path: str, query: Mapping[str, object] | None = None) -> bytes:
        return await self._get(f"exams/{await self._name()}/{path}", query)

    async def _get(self, path: str, query: Mapping[str, object] | None = None) -> bytes:
        return await self._send("GET", path, query or {})

    async def _send(
        self,
        method: str,
        path: str,
        query: Mapping[str, object],
        headers: Mapping[str, str] | None = None,
        body: "Callable[[], AsyncIterator[bytes] | bytes] | None" = None,
    ) -> bytes:
        import httpx2
        import tenacity

        given: dict[str, Any] = {key: value for key, value in query.items() if value is not None}

        async def once() -> httpx2.Response:
            content = None if body is None else body()
            found = await self._http.request(
                method, path, params=given, headers=headers, content=content
            )
            if found.status_code in _AGAIN and _may_pass(found):
                raise _AgainError(found)
            return found

        retrying = tenacity.AsyncRetrying(
            retry=tenacity.retry_if_exception_type((_AgainError, httpx2.TransportError)),
            stop=tenacity.stop_after_attempt(_TRIES),
            wait=_wait,
            reraise=True,
        )
        try:
            response: httpx2.Response = await retrying(once)
        except httpx2.TransportError as error:
            raise HostedUnreachableError(
                f"{self._http.base_url} can't be reached: {error or type(error).__name__}"
            ) from error
        except _AgainError as error:
            response = error.response
        if not response.is_success:
            _refuse(response)
        return response.content


async def _chunks(path: Path) -> AsyncGenerator[bytes]:
    """Yield a file in parts, so that it is never in memory as a whole."""
    async with await anyio.open_file(path, "rb") as file:
        while chunk := await file.read(_CHUNK):
            yield chunk


def _read(body: bytes, kind: type[T]) -> T:
    try:
        if issubclass(kind, BaseModel):
            return kind.model_validate_json(body, extra="ignore")
        return msgspec.json.decode(body, type=kind)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        what = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    except NO_JSON as error:
        what = str(error)
    raise HostedUnreachableError(f"the response is not from a snellen server: {what}")


def _refuse(response: "httpx2.Response") -> NoReturn:
    try:
        problem = msgspec.json.decode(response.content, type=_Problem)
    except NO_JSON:
        problem = _Problem()
    said = problem.detail or problem.title or response.reason_phrase
    if response.status_code == 401 and "authorization" not in response.request.headers:
        said = f"a token is needed: set {TOKEN_VARIABLE}, or give `token`"
    raise HostedError(f"{said} ({response.status_code})", response.status_code)


def _may_pass(response: "httpx2.Response") -> bool:
    """Whether the server says when to retry; for a used-up quota it does not."""
    return response.status_code != 429 or "retry-after" in response.headers


def _wait(state: "tenacity.RetryCallState") -> float:
    """Return the seconds until the next try: the server's number, or an increasing one."""
    import tenacity

    error = state.outcome.exception() if state.outcome else None
    said = error.response.headers.get("retry-after", "") if isinstance(error, _AgainError) else ""
    if said.isdecimal():
        return min(float(said), _SECONDS)
    return tenacity.wait_random_exponential(multiplier=0.25, max=10)(state)


def _unseen(_: hosted.SubmissionStatus) -> None:
    """Show nothing."""


@contextmanager
def _shown() -> Generator[Watch]:
    """Show a submission's status on standard error."""
    from rich.console import Console

    with Console(stderr=True).status("waiting") as line:
        yield lambda now: line.update(f"{now.id}: {now.state}")


class AsyncSubmission:
    """A submission to a hosted exam.

    Attributes:
        status: The status when it was last read.
    """

    def __init__(self, client: AsyncClient, status: hosted.SubmissionStatus) -> None:
        self._client = client
        self.status = status

    @property
    def id(self) -> str:
        """What it is called."""
        return self.status.id

    async def done(self, *, progress: bool = False) -> hosted.SubmissionStatus:
        """Wait until it is graded, has failed or is stuck.

        Args:
            progress: Print each change of status to standard error.
        """
        with ExitStack() as stack:
            watch: Watch = stack.enter_context(_shown()) if progress else _unseen
            if not self.status.done:
                async for now in self._client.follow(self.id):
                    self.status = now
                    watch(now)
        return self.status

    async def wait(self, *, task: str | None = None, progress: bool = False) -> "Report":
        """Wait until it is graded, and return its report, as from `sdk.grade`.

        Args:
            task: The task of the report; None: the only one.
            progress: Print each change of status to standard error.

        Raises:
            HostedError: It failed or is stuck, or its report is not visible; `status` has its
                scores, if they are visible.
        """
        status = await self.done(progress=progress)
        if status.state != "graded":
            raise HostedError(f"submission {self.id} {status.state}: {status.error}", 409)
        return await self._client.report(self.id, task)


class Client:
    """A blocking client of a hosted exam; see `AsyncClient`.

    Args:
        url: The exam's address: the server's, and `/NAME` if the server has several exams.
        token: The server's token; None: `$SNELLEN_TOKEN`.
        exam: The exam's name; None: the server's only exam.
    """

    def __init__(self, url: str, *, token: str | None = None, exam: str | None = None) -> None:
        from anyio.from_thread import start_blocking_portal

        self._client = AsyncClient(url, token=token, exam=exam)
        self._stack = ExitStack()
        self._portal: BlockingPortal = self._stack.enter_context(start_blocking_portal())
        self._stack.callback(lambda: self._run(self._client.close))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._stack.close()

    def exams(self) -> list[hosted.ExamCard]:
        """Return the exams that the server hosts."""
        return self._run(self._client.exams)

    def exam(self) -> hosted.ExamCard:
        """Return the exam."""
        return self._run(self._client.exam)

    def items(self, task: str | None = None) -> Iterator[Item]:
        """Yield a task's items, without references."""
        found = self._client.items(task)
        while True:
            try:
                yield self._run(lambda: anext(found))
            except StopAsyncIteration:
                return

    def image(self, item: str, name: str | None = None, task: str | None = None) -> bytes:
        """Return an image of an item; the first image by default."""
        return self._run(lambda: self._client.image(item, name, task))

    def leaderboard(self, task: str | None = None, phase: str | None = None) -> hosted.Board:
        """Return a phase's leaderboard, of one task or of all."""
        return self._run(lambda: self._client.leaderboard(task, phase))

    def export(self, phase: str | None = None) -> bytes:
        """Return the data behind a leaderboard, for `snellen verify`."""
        return self._run(lambda: self._client.export(phase))

    def submit(
        self,
        file: str | Path,
        *,
        phase: str | None = None,
        task: str | None = None,
        name: str = "",
        link: str = "",
        key: str | None = None,
    ) -> "HostedSubmission":
        """Upload a file of predictions; see `AsyncClient.submit`."""
        given = {"phase": phase, "task": task, "name": name, "link": link, "key": key}
        sent = self._run(lambda: self._client.submit(file, **given))  # type: ignore[arg-type]
        return HostedSubmission(self._run, sent)

    def quota(self, phase: str | None = None) -> hosted.QuotaCard:
        """See `AsyncClient.quota`."""
        return self._run(lambda: self._client.quota(phase))

    def choose(self, submission: str, *, chosen: bool = True) -> hosted.SubmissionStatus:
        """See `AsyncClient.choose`."""
        return self._run(lambda: self._client.choose(submission, chosen=chosen))

    def withdraw(self, submission: str) -> hosted.SubmissionStatus:
        """See `AsyncClient.withdraw`."""
        return self._run(lambda: self._client.withdraw(submission))

    def submission(self, submission: str) -> "HostedSubmission":
        """Return a submission by its id."""
        return HostedSubmission(self._run, self._run(lambda: self._client.submission(submission)))

    def _run(self, work: Callable[[], Awaitable[T]]) -> T:
        async def run() -> T:
            return await work()

        return self._portal.call(run)


class HostedSubmission:
    """A submission to a hosted exam; each call blocks."""

    def __init__(
        self, run: Callable[[Callable[[], Awaitable[Any]]], Any], submission: AsyncSubmission
    ) -> None:
        self._run = run
        self._submission = submission

    @property
    def id(self) -> str:
        """What it is called."""
        return self._submission.id

    @property
    def status(self) -> hosted.SubmissionStatus:
        """The status when it was last read."""
        return self._submission.status

    def done(self, *, progress: bool = False) -> hosted.SubmissionStatus:
        """Wait until it is graded, has failed or is stuck; see `AsyncSubmission.done`."""
        return self._run(lambda: self._submission.done(progress=progress))

    def wait(self, *, task: str | None = None, progress: bool = False) -> "Report":
        """Wait for its report, as from `sdk.grade`; see `AsyncSubmission.wait`."""
        return self._run(lambda: self._submission.wait(task=task, progress=progress))
