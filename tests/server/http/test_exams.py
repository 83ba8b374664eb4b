"""`snellen serve` with several exam files: each below its name, and nothing of one at another."""

import asyncio
import json
import re
import shutil
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from html import unescape
from importlib.resources import files
from pathlib import Path
from typing import Any

import httpx2
import pytest
from hosted import as_lines
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from prometheus_client.parser import text_string_to_metric_families
from starlette.routing import Router
from typer.testing import CliRunner

from snellen import sdk
from snellen.annotate.service import AnnotationPlan, Annotations
from snellen.cli.app import app as command
from snellen.cli.serving import settings_of_each
from snellen.grading.errors import SnellenError
from snellen.server.challenge.workers import Worker
from snellen.server.http.app import exam_app
from snellen.server.http.exams import ServedExam, open_exams, several
from snellen.server.settings import Address
from snellen.server.store.tables.exams import Scope
from snellen.tasks.samples import exam_folder

NAMES = ("spring", "autumn")
EXAM = """\
name = "{name}"
title = "The {name} exam"
packs = ["{pack}"]
items = "public"
{more}
[signup]
by = "approval"
teams = true
[rules]
attempts = 1
[[phases]]
name = "main"
title = "Main phase"
reports = "public"
"""
ADDRESS = "http://127.0.0.1"
OWN_PAGE = {"Sec-Fetch-Site": "same-origin"}
TASK = "screenqa/short"


SERVE = [sys.executable, "-c", "from snellen.cli import main; main()", "serve", "--port", "0"]


def exam_file(
    folder: Path, name: str, more: str = "", *, file: str = "", pack: Path | None = None
) -> Path:
    path = folder / f"{file or name}.toml"
    path.write_text(EXAM.format(name=name, pack=pack or exam_folder("wireframes"), more=more))
    return path


@dataclass
class Server:
    """A server of several exams, in memory."""

    app: Router
    exams: Mapping[str, ServedExam]

    def http(self, token: str | None = None, scheme: str = "http") -> httpx2.AsyncClient:
        """Return a client that keeps cookies, and whose forms are the server's own."""
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        transport = httpx2.ASGITransport(self.app, raise_app_exceptions=False)
        address = ADDRESS.replace("http", scheme)
        return httpx2.AsyncClient(
            transport=transport, base_url=address, headers={**OWN_PAGE, **headers}, timeout=60
        )

    def token(self, exam: str, name: str, *scopes: Scope) -> str:
        """Create a token of an exam."""
        return self.exams[exam].tokens.create(name, scopes)

    async def signed_in(self, exam: str, *scopes: Scope) -> httpx2.AsyncClient:
        """Return a browser that has signed in at an exam."""
        browser = self.http()
        sent = await sign_in(browser, exam, self.token(exam, "ada", *scopes))
        assert sent.status_code == 303
        return browser

    async def work(self, exam: str) -> None:
        """Grade all that waits."""
        hosted = self.exams[exam].hosted
        assert hosted is not None
        worker = Worker(hosted.challenge, hosted.settings)
        try:
            while await asyncio.to_thread(worker.step):
                pass
        finally:
            worker.close()


async def sign_in(
    browser: httpx2.AsyncClient, exam: str, token: str, to: str = "/"
) -> httpx2.Response:
    """Send the form of a sign-in."""
    return await browser.post(f"/{exam}/signin", data={"token": token, "to": to})


Opening = Callable[..., AbstractAsyncContextManager[Server]]


@pytest.fixture
def server(tmp_path: Path) -> Opening:
    """Return a function that serves two exams, by further lines of their files."""

    @asynccontextmanager
    async def opened(**more: str) -> AsyncGenerator[Server]:
        paths = [exam_file(tmp_path, name, more.get(name, "")) for name in NAMES]
        every = settings_of_each(paths, None, None, None)
        address = Address()
        with open_exams(every, 0, lambda settings: settings) as exams:
            for exam in exams:
                assert exam.challenge is not None
                await exam.challenge.begin()
                # As at the first start: from then on every call needs a token.
                exam.tokens.create("admin", [Scope.ADMIN])
            app = several(exams, [exam_app(exam, address) for exam in exams], address)
            async with app.lifespan_context(app):
                yield Server(app, {exam.name: exam for exam in exams})

    return opened


# ---- pages ---------------------------------------------------------------------------------------


def links(page: str, address: str) -> Sequence[str]:
    """Return the addresses that a page of this server leads to by GET."""
    given = re.findall(r'(?:href|src)="([^"#]+)', page)
    given += re.findall(r'<form method="get"[^>]* action="([^"]+)"', page)
    found: list[str] = []
    for link in map(unescape, given):
        if link.startswith("?"):
            found.append(address.partition("?")[0] + link)
        elif not link.startswith(("data:", "https:")):
            found.append(link)
    return found


async def crawl(browser: httpx2.AsyncClient, exam: str, *more: str) -> Mapping[str, int]:
    """Follow every link of an exam's pages; return the status of each address."""
    statuses: dict[str, int] = {}
    waiting = [f"/{exam}/", *more]
    while waiting:
        address = waiting.pop()
        if address in statuses:
            continue
        assert address.startswith(f"/{exam}/"), address
        got = await browser.get(address)
        statuses[address] = got.status_code
        if got.headers["content-type"].startswith("text/html"):
            for form in re.findall(r'action="([^"]*)"', got.text):
                assert form.startswith(f"/{exam}/"), (address, form)
            waiting += links(got.text, address)
    return statuses


@pytest.mark.slow
async def test_every_link_of_an_exam_stays_below_its_name_and_is_answered(
    server: Opening, right: Mapping[str, str]
) -> None:
    async with server() as here:
        for name, exam in here.exams.items():
            assert exam.challenge is not None
            packs, database = exam.challenge.exam.packs, exam.host.database
            (pack,) = packs
            service = Annotations(packs, database)
            service.create(AnnotationPlan("checks", pack, tasks=(TASK,)))
            browser = await here.signed_in(name, Scope.ADMIN)
            runs: list[str] = []
            for answers in (right, dict(list(right.items())[:6])):
                sent = await browser.post(
                    f"/{name}/submissions", files={"file": ("a.jsonl", as_lines(answers).encode())}
                )
                assert sent.headers["location"].startswith(f"/{name}/submissions/")
                runs.append(sent.headers["location"].rpartition("/")[2])
            await here.work(name)
            item = next(iter(right))
            form = {"task": TASK, "item": item, "text": "zebra"}
            rated = await browser.post(f"/{name}/annotate/checks", data=form)
            assert rated.headers["location"] == f"/{name}/annotate/checks"
            compared = f"/{name}/compare?one={runs[0]}&other={runs[1]}"
            statuses = await crawl(browser, name, compared)
            assert {address: status for address, status in statuses.items() if status != 200} == {}
            paths = {address.partition("?")[0].removeprefix(f"/{name}") for address in statuses}
            assert paths >= {
                *("/", "/style.css", "/leaderboard", "/items", "/item", "/image", "/submissions"),
                *("/compare", "/annotate", "/annotate/checks", "/annotate/checks/answers", "/api"),
                *("/annotate/checks/image", "/organize", "/organize/annotations/checks"),
                *("/organize/signup", "/organize/alike", "/organize/export", "/v1/openapi.json"),
                f"/v1/exams/{name}/leaderboard",
            }
            for ending in ("/report", "/file"):
                assert [path for path in paths if path.endswith(ending)]
            stranger = await crawl(here.http(), name)
            assert set(stranger.values()) <= {200, 401}
            assert stranger[f"/{name}/join"] == stranger[f"/{name}/signin"] == 200


def test_no_template_of_an_exam_has_a_link_from_the_root_of_the_server() -> None:
    templates = files("snellen.server.http.pages") / "templates"
    texts = {each.name: each.read_text("utf-8") for each in templates.iterdir()}
    links = {name: re.findall(r'(?:href|src|action)="/[^"]*', text) for name, text in texts.items()}
    assert {name for name, found in links.items() if found} == {"exams.html.j2"}


@pytest.mark.slow
async def test_a_name_without_a_slash_leads_to_the_exam(server: Opening) -> None:
    async with server() as here:
        sent = await here.http().get("/spring")
        assert sent.headers["location"] == "/spring/"
        assert (await here.http().get("/winter/")).status_code == 404


async def test_the_first_page_lists_the_exams_with_their_phases(server: Opening) -> None:
    async with server() as here:
        page = (await here.http().get("/")).text
        for name in NAMES:
            assert f'<a href="/{name}/">The {name} exam</a>' in page
            assert f"http://127.0.0.1/{name}/mcp" in page
        assert page.count("Main phase, open") == 2
        style = re.search(r'<link rel="stylesheet" href="([^"]+)"', page)
        assert style is not None
        assert (await here.http().get(style[1])).headers["content-type"].startswith("text/css")


async def test_a_form_leads_back_to_the_exam_that_it_is_of(server: Opening) -> None:
    async with server() as here:
        token = here.token("spring", "ada", Scope.SUBMIT)
        refused = (await here.http().get("/spring/submissions?state=failed")).text
        link = re.search(r'<a href="(/spring/signin\?to=[^"]+)"', refused)
        assert link is not None
        form = (await here.http().get(unescape(link[1]))).text
        to = re.search(r'name="to" value="([^"]+)"', form)
        assert to is not None
        for given, location in (
            (unescape(to[1]), "/spring/submissions?state=failed"),
            ("/autumn/organize", "/spring/autumn/organize"),
            ("https://evil.example.org/", "/spring/"),
        ):
            sent = await sign_in(here.http(), "spring", token, given)
            assert sent.headers["location"] == location


async def test_a_change_from_another_site_is_refused_below_a_name_too(server: Opening) -> None:
    async with server() as here:
        browser = await here.signed_in("spring", Scope.ADMIN)
        elsewhere = {"Sec-Fetch-Site": "cross-site"}
        for path, form in (("tokens", {"name": "eve", "scope": "admin"}), ("revoke", {})):
            sent = await browser.post(f"/spring/organize/{path}", data=form, headers=elsewhere)
            assert sent.status_code == 403


# ---- one exam is nothing at another --------------------------------------------------------------


async def status_of_mcp(http: httpx2.AsyncClient, exam: str) -> int:
    sent = await http.post(
        f"/{exam}/mcp",
        json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
        headers={"Accept": "application/json, text/event-stream"},
    )
    return sent.status_code


@pytest.mark.slow
@pytest.mark.parametrize(("own", "other"), [NAMES, NAMES[::-1]])
async def test_a_token_of_one_exam_is_nothing_at_the_other(
    server: Opening, own: str, other: str
) -> None:
    async with server() as here:
        token = here.token(own, "boss", Scope.ADMIN)
        here.token(other, "boss", Scope.ADMIN)
        http = here.http(token)
        for path in ("submissions", "v1/exams/{}/submissions", "metrics", "organize"):
            statuses = [
                (await http.get(f"/{exam}/{path.format(exam)}")).status_code
                for exam in (own, other)
            ]
            assert statuses == [200, 401], path
        assert (await sign_in(here.http(), own, token)).status_code == 303
        assert (await sign_in(here.http(), other, token)).status_code == 401
        assert [await status_of_mcp(http, exam) for exam in (own, other)] == [200, 401]


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_a_browser_is_signed_in_at_each_exam_by_itself(server: Opening, scheme: str) -> None:
    async with server() as here:
        browser = here.http(scheme=scheme)
        tokens = {name: here.token(name, f"ada-{name}", Scope.SUBMIT) for name in NAMES}
        first = await sign_in(browser, "spring", tokens["spring"])
        cookie = first.headers["set-cookie"]
        assert ("secure" in cookie.lower()) == cookie.startswith("__Host-") == (scheme == "https")
        assert (await browser.get("/autumn/submissions")).status_code == 401
        await sign_in(browser, "autumn", tokens["autumn"])
        for name in NAMES:
            assert f"Signed in as ada-{name}" in (await browser.get(f"/{name}/submissions")).text
        out = await browser.post("/spring/signout")
        assert out.headers["location"] == "/spring/"
        statuses = [(await browser.get(f"/{name}/submissions")).status_code for name in NAMES]
        assert statuses == [401, 200]


async def test_a_cookie_under_the_other_exams_name_opens_nothing(server: Opening) -> None:
    async with server() as here:
        browser = await here.signed_in("spring", Scope.ADMIN)
        ((name, value),) = browser.cookies.items()
        assert "spring" in name
        for other in (name, name.replace("spring", "autumn"), "snellen"):
            forged = here.http()
            forged.cookies.set(other, value)
            assert (await forged.get("/autumn/organize")).status_code == 401


async def test_requests_of_one_exam_are_not_in_the_numbers_of_the_other(server: Opening) -> None:
    async with server() as here:
        await here.http().get("/spring/v1/exams/spring")
        for name, seen in (("spring", True), ("autumn", False)):
            http = here.http(here.token(name, "boss", Scope.ORGANIZE))
            text = (await http.get(f"/{name}/metrics")).text
            routes = {
                sample.labels["route"]
                for family in text_string_to_metric_families(text)
                for sample in family.samples
                if "route" in sample.labels
            }
            assert ("/v1/exams/{exam}" in routes) is seen


# ---- programs ------------------------------------------------------------------------------------


@pytest.mark.slow
async def test_programs_get_addresses_below_the_name(
    server: Opening, right: Mapping[str, str]
) -> None:
    async with server() as here:
        http = here.http(here.token("autumn", "boss", Scope.ADMIN))
        document = (await http.get("/autumn/v1/openapi.json")).json()
        assert document["servers"] == [{"url": "/autumn/v1"}]
        sent = await http.post(
            "/autumn/v1/exams/autumn/submissions",
            content=as_lines(right),
            headers={"Content-Type": "application/x-ndjson"},
        )
        assert sent.headers["location"].startswith("/autumn/v1/exams/autumn/submissions/")
        assert (await http.get(sent.headers["location"])).json()["id"] == sent.json()["id"]
        made = (await http.post("/autumn/v1/invitations", json={})).json()
        assert made["link"].startswith("http://127.0.0.1/autumn/join?code=")
        assert (await here.http().get(made["link"])).status_code == 200
        joined = await http.post("/autumn/v1/join", json={"name": "dora", "code": made["code"]})
        steps = "\n".join(joined.json()["steps"])
        assert "--to http://127.0.0.1/autumn " in steps
        assert "http://127.0.0.1/autumn/mcp " in steps
        assert 'curl "http://127.0.0.1/autumn/v1/' in unescape((await http.get("/autumn/api")).text)


@pytest.mark.slow
async def test_an_agent_takes_each_exam_over_mcp(
    server: Opening, agent_of: Callable[[Client], Any]
) -> None:
    async with server() as here:
        # Each exam allows one attempt.
        for name in NAMES:
            token = here.token(name, "ada", Scope.TAKE)
            async with here.http(token) as http:
                transport = streamable_http_client(f"{ADDRESS}/{name}/mcp", http_client=http)
                async with Client(transport) as client:
                    agent = agent_of(client)
                    await agent.start()
                    item = await agent.item()
                    assert (await agent.answer(item["item"], "2"))["item"] == item["item"]


PROVIDER = """\
[oauth]
issuer = "https://id.example.org"
jwks = "https://id.example.org/keys"
resource = "https://exam.example.org/{path}"
"""


async def test_agents_learn_where_tokens_of_each_exam_come_from(server: Opening) -> None:
    async with server(**{name: PROVIDER.format(path=f"{name}/mcp") for name in NAMES}) as here:
        for name in NAMES:
            refused = await here.http().post(f"/{name}/mcp", json={})
            assert refused.status_code == 401
            where = refused.headers["www-authenticate"]
            said = re.search(r'resource_metadata="https://exam.example.org(.+)"', where)
            assert said is not None
            found = (await here.http().get(said[1])).json()
            assert found["resource"] == f"https://exam.example.org/{name}/mcp"


# ---- the whole server ----------------------------------------------------------------------------


async def test_with_one_exam_that_fails_the_server_is_ready_for_the_other(server: Opening) -> None:
    async with server() as here:
        http = here.http()
        assert (await http.get("/health")).json() == {"status": "ok"}
        here.exams["autumn"].host.close()
        found = await http.get("/ready")
        states = found.json()["exams"]
        assert (found.status_code, states["spring"]) == (200, "ready")
        assert "the store fails" in states["autumn"]
        assert [(await http.get(f"/{name}/ready")).status_code for name in NAMES] == [200, 503]
        assert (await http.get("/")).status_code == 200
        assert (await http.get("/spring/")).status_code == 200


async def test_a_server_whose_exams_all_fail_is_not_ready(server: Opening) -> None:
    async with server() as here:
        for exam in here.exams.values():
            exam.host.close()
        found = await here.http().get("/ready")
        assert (found.status_code, found.json()["status"]) == (503, "not ready")


async def test_no_foreign_name_of_the_server_is_answered(server: Opening) -> None:
    async with server() as here:
        for path in ("/", "/spring/", "/spring/mcp"):
            sent = await here.http().get(path, headers={"Host": "evil.example.org"})
            assert sent.status_code == 421


@pytest.mark.slow
def test_a_fault_of_one_exam_leaves_the_other_as_it_is(
    tmp_path: Path, environment: dict[str, str], right: Mapping[str, str]
) -> None:
    pack = shutil.copytree(exam_folder("wireframes"), tmp_path / "pack")
    paths = [exam_file(tmp_path, "spring"), exam_file(tmp_path, "autumn", pack=pack)]
    answers = tmp_path / "answers.jsonl"
    answers.write_text(as_lines(right))
    with subprocess.Popen(
        [*SERVE, *map(str, paths)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stderr is not None
            tokens = dict(process.stdout.readline().split() for _ in NAMES)
            serving = (line for line in process.stderr if line.startswith("serving on "))
            spring, autumn = (next(serving).split()[-1].removesuffix("/mcp") for _ in NAMES)
            # The references of one exam can't be read from here on.
            (pack / "references.jsonl").unlink()
            with sdk.Client(autumn, token=tokens["autumn"]) as client:
                client.submit(answers)
            with sdk.Client(spring, token=tokens["spring"]) as client:
                assert client.submit(answers).wait().value == 1.0
            fault = json.loads(next(line for line in process.stderr if "not graded" in line))
            assert fault["exam"] == "autumn"
            assert httpx2.get(f"{autumn}/leaderboard").status_code == 200
        finally:
            process.terminate()
    assert process.returncode == 0


# ---- what is refused -----------------------------------------------------------------------------


def refusal(*paths: Path) -> str:
    """Open exams that can't be served together, and return what is said."""
    with (
        pytest.raises(SnellenError) as caught,
        open_exams(settings_of_each(paths, None, None, None), 0, lambda found: found),
    ):
        pass
    return str(caught.value)


def test_exams_that_are_not_separate_are_refused_with_what_to_change(tmp_path: Path) -> None:
    spring = exam_file(tmp_path, "spring")
    for other, said in (
        (exam_file(tmp_path, "spring", file="copy"), "write another name in one of them"),
        (exam_file(tmp_path, "autumn", 'store = "./spring.sqlite"'), "write another store"),
        (exam_file(tmp_path, "ready"), "write another name in the exam file"),
        (exam_file(tmp_path, "winter", PROVIDER.format(path="mcp")), "ends with /winter/mcp"),
        (spring, "two exam files have the name 'spring'"),
    ):
        assert said in refusal(spring, other)
    assert not list(tmp_path.glob("*.sqlite"))


def test_an_exam_that_can_not_be_opened_is_named(tmp_path: Path) -> None:
    (tmp_path / "autumn.sqlite").write_text("no database" * 100)
    said = refusal(exam_file(tmp_path, "spring"), exam_file(tmp_path, "autumn"))
    assert said.startswith("exam autumn: ")
    assert "autumn.sqlite" in said


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("grading_seconds = 0", ["autumn.toml", "grading_seconds", "greater than 0"]),
        ("items = ", ["autumn.toml", "line 5"]),
        ("nonsense = 1", ["autumn.toml", "there is no setting 'nonsense'"]),
    ],
)
def test_a_wrong_exam_file_is_named_and_no_exam_is_started(
    tmp_path: Path, more: str, said: Sequence[str]
) -> None:
    good, wrong = exam_file(tmp_path, "spring"), exam_file(tmp_path, "autumn", more)
    result = CliRunner().invoke(command, ["serve", str(good), str(wrong)])
    assert (result.exit_code, result.stdout) == (2, "")
    for part in said:
        assert part in result.stderr
    assert not list(tmp_path.glob("*.sqlite"))


def test_an_exam_file_whose_pack_is_missing_is_named(tmp_path: Path) -> None:
    wrong = exam_file(tmp_path, "autumn", pack=tmp_path / "nowhere")
    said = refusal(exam_file(tmp_path, "spring"), wrong)
    assert said.startswith(
        f"{wrong}, field 'packs': {tmp_path / 'nowhere'}: there is no such folder"
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["serve", "spring.toml", "autumn.toml", "--store", "x.sqlite"], "in each exam file"),
        (["serve", "spring.toml", "sample"], "give one exam file, or packs"),
        (["mcp", "spring.toml", "autumn.toml"], "several exam files only to `serve`"),
        (["worker", "spring.toml", "autumn.toml"], "several exam files only to `serve`"),
    ],
)
def test_several_exam_files_are_for_serve_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: Sequence[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in NAMES:
        exam_file(tmp_path, name)
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())
