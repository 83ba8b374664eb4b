"""The pages' rules: who sees what, whose changes are taken, and that text stays text."""

import json
import re
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from html import unescape
from typing import Any

import pytest
from hosted import NOON, add_graded, as_lines
from jsonschema import validate

from snellen.server.exam.file import GRACE_MS
from snellen.server.http.auth import SESSION_HOURS
from snellen.server.http.pages.pages import PAGE_ROWS
from snellen.server.store.tables.exams import Scope
from snellen.tasks.hosted import Counts

Opening = Callable[..., AbstractAsyncContextManager[Any]]
OPEN = ("/", "/leaderboard", "/api", "/signin", "/style.css")
PARTICIPANTS = ("/items", "/submissions")
ORGANIZERS = ("/organize", "/organize/signup", "/organize/annotations", "/organize/export")
FORMS: list[tuple[str, dict[str, str]]] = [
    ("/submissions/sub_0/remove", {"why": "because"}),
    ("/submissions/sub_0/restore", {"why": "because"}),
    ("/submissions/sub_0/baseline", {"baseline": "yes"}),
    ("/submissions/sub_0/retry", {}),
    ("/organize/rescore", {"phase": "main", "why": "because"}),
    ("/organize/tokens", {"name": "mallory", "scope": "admin"}),
    ("/organize/revoke", {"name": "root"}),
]
EVIL = '<script>alert(1)</script><img src=x onerror="alert(2)">\'"&'


async def test_items_have_pages_from_the_start_of_the_first_phase(site: Opening) -> None:
    async with site(start=datetime.fromtimestamp(NOON / 1000 + 60, UTC)) as here:
        ada, boss = await here.signed_in("ada"), await here.signed_in("boss", Scope.ORGANIZE)
        item = here.hosted.challenge.exam.asked("screenqa/short")[0]
        for path in ("/items", f"/item?item={item}", f"/image?item={item}"):
            early = await ada.get(path)
            assert early.status_code == 403, path
            assert (await boss.get(path)).status_code == 200, path
        here.hosted.time[0] = NOON + 60_000
        assert (await ada.get(f"/image?item={item}")).status_code == 200


@pytest.mark.slow
async def test_each_page_is_for_whom_it_is_for(site: Opening) -> None:
    async with site() as here:
        stranger = here.browser()
        agent = await here.signed_in("agent", Scope.TAKE)
        ada = await here.signed_in("ada")
        boss = await here.signed_in("boss", Scope.ORGANIZE)
        for path in OPEN:
            for browser in (stranger, agent, ada, boss):
                assert (await browser.get(path)).status_code == 200, path
        for path in PARTICIPANTS:
            statuses = [(await each.get(path)).status_code for each in (stranger, agent, ada, boss)]
            assert statuses == [401, 403, 200, 200], path
        for path in ORGANIZERS:
            statuses = [(await each.get(path)).status_code for each in (stranger, agent, ada, boss)]
            assert statuses == ([403] * 3 if "export" in path else [401, 403, 403]) + [200], path
        assert "Make a token" not in (await boss.get("/organize")).text
        root = await here.signed_in("root", Scope.ADMIN)
        assert "Make a token" in (await root.get("/organize")).text


async def test_a_leaderboard_of_one_task_asks_for_none(site: Opening) -> None:
    async with site() as here:
        page = (await here.browser().get("/leaderboard")).text
        assert '<select name="phase">' in page
        assert '<select name="task">' not in page


@pytest.mark.parametrize(("path", "form"), FORMS)
async def test_a_change_is_the_organizers_and_comes_from_an_own_page(
    site: Opening, path: str, form: dict[str, str]
) -> None:
    async with site() as here:
        ada, root = await here.signed_in("ada"), await here.signed_in("root", Scope.ADMIN)
        assert (await ada.post(path, data=form)).status_code == 403
        for told in (
            {"Sec-Fetch-Site": "cross-site"},
            {"Sec-Fetch-Site": "same-site"},
            {"Sec-Fetch-Site": "", "Origin": "http://127.0.0.1"},
        ):
            assert (await root.post(path, data=form, headers=told)).status_code == 403
        del root.headers["Sec-Fetch-Site"]
        for origin in ({}, {"Origin": "null"}, {"Origin": "http://127.0.0.1:81"}, {"Host": ""}):
            assert (await root.post(path, data=form, headers=origin)).status_code in (403, 421)
        sent = await root.post(path, data=form, headers={"Origin": "http://127.0.0.1"})
        assert sent.status_code == (404 if "sub_0" in path else 200 if "tokens" in path else 303)


@pytest.mark.parametrize(
    ("asked", "goes"),
    [
        ("/submissions?state=failed", "/submissions?state=failed"),
        ("//evil.example/", "/"),
        ("/\\evil.example/", "/"),
        ("https://evil.example/", "/"),
        ("/\t/evil.example/", "/"),
        ("/\r\nSet-Cookie: a=b", "/"),
        ("", "/"),
    ],
)
async def test_signing_in_leads_to_a_page_of_this_site_only(
    site: Opening, asked: str, goes: str
) -> None:
    async with site() as here:
        form = await here.browser().get("/signin", params={"to": asked})
        assert f'name="to" value="{goes}"' in form.text
        token = here.tokens.create("ada", [Scope.SUBMIT])
        sent = await here.browser().post("/signin", data={"token": token, "to": asked})
        assert sent.headers["location"] == goes


async def test_a_session_is_a_cookie_that_no_script_and_no_other_site_gets(site: Opening) -> None:
    async with site() as here:
        token = here.tokens.create("ada", [Scope.SUBMIT])
        plain = (await here.browser().post("/signin", data={"token": token})).headers["set-cookie"]
        safe = (await here.browser("https").post("/signin", data={"token": token})).headers[
            "set-cookie"
        ]
        for cookie in (plain, safe):
            assert {"HttpOnly", "Path=/", "SameSite=lax"} <= {*cookie.split("; ")}
            assert "Domain" not in cookie
            assert token not in cookie
        assert "Secure" not in plain
        assert safe.startswith("__Host-snellen=")
        assert "Secure" in safe


async def test_a_session_ends_by_signing_out_with_its_token_and_after_its_hours(
    site: Opening,
) -> None:
    async with site() as here:
        ada, bob, eve = [await here.signed_in(name) for name in ("ada", "bob", "eve")]
        cookie = ada.cookies["snellen"]
        assert (await ada.post("/signout")).headers["location"] == "/"
        assert "snellen" not in ada.cookies
        stolen = here.browser()
        stolen.cookies.set("snellen", cookie, domain="127.0.0.1")
        assert (await stolen.get("/submissions")).status_code == 401
        here.tokens.revoke("bob")
        assert (await bob.get("/submissions")).status_code == 401
        assert (await eve.get("/submissions")).status_code == 200
        here.hosted.time[0] += SESSION_HOURS * 3_600_000
        assert (await eve.get("/submissions")).status_code == 401


async def test_a_wrong_token_signs_nobody_in_and_guessing_is_stopped(site: Opening) -> None:
    async with site() as here:
        browser = here.browser()
        statuses = [
            (await browser.post("/signin", data={"token": f"snellen_{n}"})).status_code
            for n in range(63)
        ]
        assert statuses == [401] * 60 + [429] * 3
        assert not browser.cookies


@pytest.mark.parametrize(
    "form",
    [
        {"name": "ada", "scope": "submit", "days": "0"},
        {"name": "ada", "scope": "submit", "days": "99999"},
        {"name": "ada", "scope": "submit", "days": "nan"},
        {"name": "ada b", "scope": "submit"},
        {"name": "snellen", "scope": "submit"},
        {"name": "ada", "scope": "all"},
        {"name": "ada"},
    ],
)
async def test_a_token_that_cannot_be_made_is_refused_with_a_reason(
    site: Opening, form: dict[str, str]
) -> None:
    async with site() as here:
        root = await here.signed_in("root", Scope.ADMIN)
        sent = await root.post("/organize/tokens", data=form)
        assert sent.status_code == 409
        assert "A token" in sent.text
        assert [token.name for token in here.tokens.listed()] == ["root"]


@pytest.mark.parametrize(
    ("body", "form"),
    [
        (b"a" * 20_000 + b"=1", "application/x-www-form-urlencoded"),
        (b"&".join([b"a=1"] * 50), "application/x-www-form-urlencoded"),
        (b"--x\r\nbroken", "multipart/form-data; boundary=x"),
        (b"no boundary", "multipart/form-data"),
        (
            b'--x\r\nContent-Disposition: form-data; name="token"; filename="a"\r\n\r\n1\r\n--x--',
            "multipart/form-data; boundary=x",
        ),
    ],
)
async def test_a_form_that_is_too_large_or_broken_is_refused(
    site: Opening, body: bytes, form: str
) -> None:
    async with site() as here:
        sent = await here.browser().post("/signin", content=body, headers={"Content-Type": form})
        assert sent.status_code in (400, 401)
        assert "<h1>" in sent.text


@pytest.mark.slow
async def test_names_and_reasons_are_text_on_every_page(
    site: Opening, right: Mapping[str, str]
) -> None:
    async with site(reports="public", counts="all") as here:
        boss = await here.signed_in("boss", Scope.ADMIN)
        ada = await here.signed_in("ada")
        answers = dict.fromkeys(right, EVIL)
        one = await here.hosted.upload("ada", answers, name=EVIL[:200])
        other = await here.hosted.upload("bob", right, name=f"{EVIL}2")
        await here.work()
        for path in ("remove", "restore"):
            await boss.post(f"/submissions/{one.id}/{path}", data={"why": EVIL})
        pages = [
            "/leaderboard",
            f"/leaderboard?tag={EVIL}&sort={EVIL}&phase=main",
            f"/leaderboard?phase={EVIL}",
            f"/submissions/{one.id}",
            "/submissions",
            f"/submissions?state={EVIL}",
            f"/submissions/{EVIL}",
            f"/compare?one={one.id}&other={other.id}",
            f"/compare?one={EVIL}&other={EVIL}",
            f"/items?task={EVIL}",
            f"/item?item={EVIL}",
            f"/signin?to=/{EVIL}",
            f"/{EVIL}",
            "/organize",
        ]
        shown = 0
        for path in pages:
            for browser in (boss, ada, here.browser()):
                page = await browser.get(path)
                assert page.headers["content-type"] == "text/html; charset=utf-8"
                assert page.status_code < 500, path
                assert not re.search(r"<(script|img src=x)", page.text), path
                assert "script" not in page.headers["content-security-policy"]
                shown += "&lt;script&gt;" in page.text
        assert shown > 20


@pytest.mark.slow
async def test_a_report_runs_its_own_script_alone_and_holds_answers_as_text(
    site: Opening, right: Mapping[str, str]
) -> None:
    async with site(reports="public") as here:
        one = await here.hosted.upload("ada", dict.fromkeys(right, EVIL))
        await here.work()
        page = await here.browser().get(f"/submissions/{one.id}/report")
        assert page.status_code == 200
        assert page.headers["content-security-policy"] == "frame-ancestors 'none'"
        policy = re.search(r'http-equiv="Content-Security-Policy"\s+content="([^"]+)"', page.text)
        assert policy is not None
        assert "default-src 'none'" in policy[1]
        assert "unsafe-inline" not in policy[1]
        assert "<script>alert" not in page.text
        assert "<img src=x" not in page.text
        # It leads back to where it was opened.
        back = page.text.partition('aria-label="Site"')[2].partition("</nav>")[0]
        assert f'<a href="/submissions/{one.id}">' in back
        assert '<a href="/">' in back


@pytest.mark.slow
async def test_another_participants_run_is_not_shown_where_reports_are_not_public(
    site: Opening, right: Mapping[str, str]
) -> None:
    async with site(reports="own") as here:
        ada, bob = await here.signed_in("ada"), await here.signed_in("bob")
        one = await here.hosted.upload("ada", right)
        await here.work()
        path = f"/submissions/{one.id}"
        for page in (
            path,
            f"{path}/file",
            f"{path}/report",
            f"/compare?one={one.id}&other={one.id}",
        ):
            assert (await ada.get(page)).status_code == 200, page
            assert (await bob.get(page)).status_code == 404, page
            assert (await here.browser().get(page)).status_code == 401, page


async def test_pages_are_not_kept_by_browsers_nor_framed_and_a_strange_host_gets_none(
    site: Opening,
) -> None:
    async with site() as here:
        for path in ("/", "/submissions", "/nowhere"):
            headers = (await here.browser().get(path)).headers
            assert headers["cache-control"] == "no-store"
            assert "frame-ancestors 'none'" in headers["content-security-policy"]
            strange = await here.browser().get(path, headers={"Host": "evil.example"})
            assert strange.status_code == 421


@pytest.mark.slow
@pytest.mark.parametrize("counts", list(Counts))
async def test_the_exams_page_says_what_counts_and_begins_with_the_leaderboard(
    site: Opening, right: dict[str, str], counts: Counts
) -> None:
    async with site(counts=counts) as here:
        await here.hosted.upload("ada", dict(list(right.items())[:6]))
        empty = (await here.browser().get("/")).text
        assert "On the board" in empty
        assert "The first" not in empty
        await here.work()
        page = (await here.browser().get("/")).text
        assert page.index("50.0 %") < page.index("screenqa/short")


@pytest.mark.slow
async def test_a_participant_chooses_and_withdraws_on_the_page(
    site: Opening, right: dict[str, str]
) -> None:
    async with site(counts="chosen") as here:
        ada = await here.signed_in("ada", Scope.SUBMIT)
        kept = await here.hosted.upload("ada", right)
        await here.work()
        path = f"/submissions/{kept.id}"
        page = (await ada.get(path)).text
        assert "Choose it for the end" in page
        await ada.post(f"{path}/choose", data={"chosen": "yes"})
        assert "it counts at the end of the phase" in (await ada.get(path)).text
        assert "graded, chosen" in (await ada.get("/submissions")).text
        await ada.post(f"{path}/withdraw")
        assert "its participant withdrew it" in (await ada.get(path)).text
        other = await here.signed_in("bob", Scope.SUBMIT)
        assert (await other.post(f"{path}/choose")).status_code == 404


@pytest.mark.slow
async def test_a_runs_page_says_its_score_and_rank_and_leads_to_its_row(
    site: Opening, right: dict[str, str]
) -> None:
    async with site(reports="public", scores="public") as here:
        half = dict(list(right.items())[:6])
        best = await here.hosted.upload("ada", right, name="all of them")
        worse = await here.hosted.upload("ada", half, name="half of them")
        other = await here.hosted.upload("bob", dict(list(right.items())[:3]))
        await here.work()
        browser = here.browser()
        page = (await browser.get(f"/submissions/{best.id}")).text
        assert "100.0 %" in page[: page.index("<h2>Scores")]
        assert re.search(r"<dt>Rank</dt><dd>1(–2)? of 2 on the", page)
        assert f'href="/leaderboard?phase=main#{best.id}"' in page
        board = (await browser.get("/leaderboard")).text
        assert f'id="{best.id}"' in board
        assert f'href="/submissions/{best.id}"' in board
        # What does not count says so, instead of a rank.
        page = (await browser.get(f"/submissions/{worse.id}")).text
        assert "another submission of ada counts" in page
        assert re.search(
            r"<dt>Rank</dt><dd>(1–)?2 of 2 on", (await browser.get(f"/submissions/{other.id}")).text
        )


@pytest.mark.slow
async def test_a_rank_is_not_shown_where_scores_are_hidden(
    site: Opening, right: dict[str, str]
) -> None:
    async with site(scores="own") as here:
        ada, boss = await here.signed_in("ada"), await here.signed_in("boss", Scope.ORGANIZE)
        kept = await here.hosted.upload("ada", right)
        await here.work()
        path = f"/submissions/{kept.id}"
        assert "<dt>Rank</dt>" not in (await ada.get(path)).text
        assert "<dt>Rank</dt>" in (await boss.get(path)).text


@pytest.mark.slow
async def test_the_leaderboards_chart_has_lines_at_chance_and_at_baselines(
    site: Opening, right: Mapping[str, str]
) -> None:
    some = dict(list(right.items())[:7])
    async with site(exact=True) as here:
        assert 'class="marks"' not in (await here.browser().get("/leaderboard")).text
        await here.hosted.upload("ada", right, name="all of them")
        low = await here.hosted.upload("boss", some, name="seven")
        await here.work()
        await here.hosted.submissions.set_apart(low.id, "boss", baseline=True)
        page = unescape((await here.browser().get("/leaderboard")).text)
        (label,) = re.findall(r'class="marks" role="img" aria-label="([^"]+)"', page)
        said = r"chance 0\.0 %; baseline seven 58\.3 % \(.+\); all of them 100\.0 % \(.+\)\.$"
        assert re.search(said, label), label
        lines = re.findall(r'class="level" x1="([^"]+)"', page)
        assert lines == ["0.00%", "0.00%", "58.33%", "0.00%", "58.33%"]
        tagged = unescape((await here.browser().get("/leaderboard?tag=image_id=4965")).text)
        assert "baseline seven" in tagged
        assert "chance" not in tagged


@pytest.mark.slow
async def test_no_chance_is_shown_beside_values_of_a_part_of_the_items(
    site: Opening, right: Mapping[str, str]
) -> None:
    async with site(public_share=0.5, end=datetime.fromtimestamp(NOON / 1000 + 60, UTC)) as here:
        await here.hosted.upload("ada", right)
        await here.work()
        assert "; chance" not in (during := (await here.browser().get("/leaderboard")).text)
        assert "intervals: chance" not in during
        here.hosted.time[0] = NOON + 120_000 + GRACE_MS
        assert "intervals: chance 0.0 %; ada" in (await here.browser().get("/leaderboard")).text


@pytest.mark.slow
async def test_a_leaderboard_links_to_public_submissions_once_all_their_scores_are_shown(
    site: Opening, right: Mapping[str, str]
) -> None:
    end = datetime.fromtimestamp(NOON / 1000 + 60, UTC)
    async with site(public_share=0.5, reports="public", end=end) as here:
        page = f"/submissions/{(await here.hosted.upload('ada', right)).id}"
        await here.work()
        stranger = here.browser()
        for now, status in ((NOON, 401), (NOON + 120_000 + GRACE_MS, 200)):
            here.hosted.time[0] = now
            linked = f'href="{page}"' in (await stranger.get("/leaderboard")).text
            assert (await stranger.get(page)).status_code == status
            assert linked is (status == 200)


@pytest.mark.slow
async def test_a_participant_sees_the_progress_of_its_scores_as_they_are_shown(
    site: Opening, right: Mapping[str, str]
) -> None:
    async with site(counts="all", exact=True) as here:
        ada, boss = await here.signed_in("ada"), await here.signed_in("boss", Scope.ORGANIZE)
        for count, name in ((4, "four"), (7, "seven")):
            some = dict(list(right.items())[:count])
            await here.hosted.upload("ada", some, name=name, at=NOON + count)
            await here.hosted.upload("bob", some, name=f"bob's {name}", at=NOON + count)
            await here.work()
            chart = "Your scores in the order of arrival" in (await ada.get("/submissions")).text
            assert chart is (count == 7)
        page = unescape((await ada.get("/submissions")).text)
        (label,) = re.findall(r'aria-label="Your scores in the order of arrival: ([^"]+)"', page)
        shown = [part.split(" UTC: ") for part in label.split("; ")]
        assert [name.split(",")[0] for name, _ in shown] == ["four", "seven"]
        assert [score.split(" (")[0] for _, score in shown] == ["33.3 %", "58.3 %"]
        assert "Your scores" not in (await boss.get("/submissions")).text


@pytest.mark.slow
async def test_no_progress_is_drawn_of_hidden_scores(
    site: Opening, right: Mapping[str, str]
) -> None:
    async with site(scores="hidden") as here:
        ada = await here.signed_in("ada")
        for count in (4, 7):
            await here.hosted.upload("ada", dict(list(right.items())[:count]))
        await here.work()
        page = (await ada.get("/submissions")).text
        assert page.count("graded") == 2
        assert "Your scores" not in page


@pytest.mark.slow
@pytest.mark.parametrize("reports", ["own", "public", "hidden"])
async def test_two_runs_to_compare_are_chosen_from_those_whose_reports_one_may_see(
    site: Opening, right: dict[str, str], reports: str
) -> None:
    async with site(reports=reports, scores="public", counts="all") as here:
        half = dict(list(right.items())[:6])
        first = await here.hosted.upload("ada", right, name="all of them")
        second = await here.hosted.upload("ada", half, name="half of them")
        bobs = await here.hosted.upload("bob", half)
        await here.work()
        sees = {
            "stranger": here.browser(),
            "bob": await here.signed_in("bob"),
            "boss": await here.signed_in("boss", Scope.ORGANIZE),
        }
        every = {first.id, second.id, bobs.id}
        public = every if reports == "public" else set[str]()
        own = {bobs.id} if reports == "own" else set[str]()
        expected = {"stranger": public, "bob": public | own, "boss": every}
        for name, browser in sees.items():
            page = await browser.get("/compare")
            assert page.status_code == 200
            offered = set(re.findall(r'<option value="(sub_[a-z0-9]+)"', page.text))
            wanted = expected[name] if len(expected[name]) > 1 else set[str]()
            assert offered == wanted, name
        ids = f"one={first.id}&other={second.id}"
        page = (await sees["boss"].get(f"/compare?{ids}")).text
        assert "all of them and half of them" in page
        assert f'<option value="{second.id}" selected>half of them, ada, ' in page


@pytest.mark.slow
async def test_a_submissions_page_lists_its_faulty_lines_for_its_participant_alone(
    site: Opening, right: dict[str, str]
) -> None:
    lines = as_lines(dict(list(right.items())[:1])) + '{"item_id": 5}\n' * 22
    async with site(reports="public") as here:
        ada = await here.signed_in("ada")
        kept = await here.hosted.upload("ada", lines)
        await here.work()
        page = (await ada.get(f"/submissions/{kept.id}")).text
        assert "22 problems in the file; the rest was graded" in page
        assert "line 21, field <code>item_id</code>: item_id is the number 5" in page
        assert "line 22" not in page
        assert "and 2 more" in page
        assert (
            "problems in the file" not in (await here.browser().get(f"/submissions/{kept.id}")).text
        )


async def test_the_page_says_that_the_same_file_was_uploaded_before(site: Opening) -> None:
    async with site(uploads=1) as here:
        ada = await here.signed_in("ada")
        file = {"file": ("a.jsonl", b"{}")}
        first = await ada.post("/submissions", files=file, data={"name": "One"})
        again = await ada.post("/submissions", files=file, data={"name": "Two"})
        where = first.headers["location"]
        assert again.headers["location"] == f"{where}?again=name"
        assert "You uploaded" not in (await ada.get(where)).text
        page = (await ada.get(again.headers["location"])).text
        assert "You uploaded the same file before" in page
        assert "It keeps its name, not the one that you gave now." in page
        assert "Uploads left: 0 in all" in (await ada.get("/submissions")).text


async def test_an_organizer_moves_a_deadline_on_the_page_and_the_exams_page_says_so(
    site: Opening,
) -> None:
    end = datetime.fromtimestamp(NOON / 1000 + 3600, UTC)
    async with site(end=end) as here:
        boss = await here.signed_in("boss", Scope.ORGANIZE)
        given = {"phase": "main", "end": "2026-01-03T12:00:00-12:00", "start": "", "why": "late"}
        assert (await boss.post("/organize/phase", data=given)).status_code == 303
        said = "the end moved from 2026-01-01 13:00 UTC to 2026-01-04 00:00 UTC"
        assert said in (await here.browser().get("/")).text
        page = (await boss.get("/organize")).text
        assert said in page
        assert '<th scope="row">moved</th>' in page
        refused = await boss.post("/organize/phase", data={**given, "end": "tomorrow"})
        assert (refused.status_code, "Write the date" in refused.text) == (409, True)
        other = await here.signed_in("ada")
        assert (await other.post("/organize/phase", data=given)).status_code == 403


@pytest.mark.slow
async def test_the_page_of_copied_submissions_is_the_organizers(site: Opening) -> None:
    async with site() as here:
        for name in ("ada", "bob"):
            await here.hosted.upload(name, {"test/4965/1": "x"}, name=f"<b>{name}")
        await here.work()
        boss = await here.signed_in("boss", Scope.ORGANIZE)
        assert "/organize/alike?phase=main" in (await boss.get("/organize")).text
        page = (await boss.get("/organize/alike?phase=main")).text
        assert "&lt;b&gt;ada" in page
        assert "<td>file</td>" in page
        other = await here.signed_in("cy")
        assert (await other.get("/organize/alike")).status_code == 403


async def test_the_api_page_has_each_parameters_meaning_and_an_example_of_each_operation(
    site: Opening,
) -> None:
    async with site() as here:
        browser = here.browser()
        page = unescape((await browser.get("/api")).text)
        document = (await browser.get("/v1/openapi.json")).json()
        articles = page.split('<article class="operation">')[1:]
        said = [
            (path, method, operation)
            for path, methods in document["paths"].items()
            for method, operation in methods.items()
        ]
        assert len(articles) == len(said)
        for path, method, operation in said:
            heading = f"<code>{method.upper()} /v1{path}</code>"
            (article,) = (each for each in articles if heading in each)
            to = path.replace("{exam}", "sample").replace("{submission}", "SUBMISSION")
            assert f'curl "http://127.0.0.1/v1{to.partition("{")[0]}' in article
            for parameter in operation.get("parameters", ()):
                assert parameter["description"], parameter
                assert f"<dd>{parameter['description']} " in article
            # The examples are what the document's schemas describe.
            answer = operation["responses"].get("201") or operation["responses"].get("200", {})
            schema = answer.get("content", {}).get("application/json", {}).get("schema")
            if schema:
                example = re.search(r"<details>.*<pre[^>]*><code>(.*?)</code>", article, re.DOTALL)
                assert example is not None
                whole = {**schema, "components": document["components"]}
                validate(json.loads(example[1]), whole)
            body = operation.get("requestBody", {}).get("content", {}).get("application/json")
            if body and body["schema"].get("format") != "binary":
                sent = re.search(r"--json '(.*)'", article)
                assert sent is not None
                validate(
                    json.loads(sent[1]), {**body["schema"], "components": document["components"]}
                )


async def test_the_api_page_says_a_parameters_type_and_whether_it_is_needed(site: Opening) -> None:
    async with site() as here:
        page = (await here.browser().get("/api")).text
        assert "integer from 1 to 200, in the query, optional" in page
        assert "upload or attempt, in the query, optional" in page
        assert "string, in the path</span>" in page


@pytest.mark.slow
async def test_the_leaderboard_has_a_column_for_a_measure_once_the_phase_is_over(
    site: Opening,
) -> None:
    ground = "mmbench-gui/l2_basic"
    end = datetime.fromtimestamp(NOON / 1000 + 60, UTC)
    column = 'distance<br><span class="quiet small">px, lower is better</span></th>'
    async with site(pack="sample", end=end) as here:
        ada = await here.signed_in("ada")
        items = here.hosted.challenge.exam.asked(ground)
        kept = await here.hosted.upload("ada", dict.fromkeys(items, "(0.5, 0.5)"), task=ground)
        text = "screenqa/short"
        await here.hosted.upload("ada", {here.hosted.challenge.exam.asked(text)[0]: "x"}, task=text)
        await here.work()
        board, own = f"/leaderboard?task={ground}", f"/submissions/{kept.id}"
        assert "counts in the mean of all tasks alone" in (await ada.get(board)).text
        before = (await ada.get(own)).text
        assert "ada" in before
        assert "distance" not in before
        here.hosted.time[0] = NOON + 120_000 + GRACE_MS
        (measure,) = here.hosted.submissions.status(kept.id, "ada").scores[0].measures.values()
        shown = f"{measure.mean:,.1f}"
        page = (await ada.get(board)).text
        assert ">score</a>" in page
        assert column in page
        assert f'<td class="figure">{shown}</td>' in page
        assert "Distance: the mean over the answers that have it." in page
        assert f"distance {shown} px" in (await ada.get(own)).text
        # A leaderboard whose rows have no measure has no column for it.
        assert "is better" not in (await ada.get(f"/leaderboard?task={text}")).text


async def test_a_long_leaderboard_has_pages_in_any_order(site: Opening) -> None:
    async with site(reports="public") as here:
        await add_graded(here.hosted, PAGE_ROWS + 5)
        browser = here.browser()
        ids = [f"sub_{number:04}" for number in range(PAGE_ROWS + 5)]
        for sort in ("", "&sort=-at"):
            query = f"phase=main{sort}"
            first = unescape((await browser.get(f"/leaderboard?{query}")).text)
            assert f'href="?{query}&after={PAGE_ROWS}">Next' in first
            second = unescape((await browser.get(f"/leaderboard?{query}&after={PAGE_ROWS}")).text)
            assert f'href="?{query}&after=0">Before' in second
            assert f"Rows {PAGE_ROWS + 1} to {PAGE_ROWS + 5} of {PAGE_ROWS + 5}" in second
            rows = [re.findall(r'<tr id="(\w+)"', page) for page in (first, second)]
            assert [len(each) for each in rows] == [PAGE_ROWS, 5]
            assert sorted(rows[0] + rows[1]) == ids
        assert rows[0][0] == ids[-1]
        # A page beyond the last is the first.
        beyond = (await browser.get("/leaderboard?after=999999")).text
        assert "Rows 1 to" in beyond
        # A submission's page leads to the page on which its row is.
        shown = unescape((await browser.get("/leaderboard?after=100")).text)
        last = re.findall(r'<tr id="(\w+)"', shown)[-1]
        page = unescape((await browser.get(f"/submissions/{last}")).text)
        assert f'href="/leaderboard?phase=main&after={PAGE_ROWS}#{last}"' in page
