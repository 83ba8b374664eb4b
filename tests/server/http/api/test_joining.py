"""Sign-up over REST: by invitation, by approval, in teams; and what nobody gets by it."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from snellen.server.http.api.access import WRONG_A_MINUTE
from snellen.server.http.signup import MOST_REQUESTS
from snellen.server.store.tables.exams import Scope

EXAM = "/exams/sample"
DAY = 86_400_000
Opening = Callable[..., AbstractAsyncContextManager[Any]]


def by(how: str, *, teams: bool = False, **exam: object) -> dict[str, Any]:
    """Return the settings of an exam file with sign-up."""
    return {"exam": {"signup": {"by": how, "teams": teams}, **exam}}


async def invite(here: Any, boss: str, **given: object) -> dict[str, Any]:
    """Create an invitation."""
    made = await here.call("POST", "/invitations", boss, json=given)
    assert made.status_code == 201, made.text
    return made.json()


async def join(here: Any, **given: str) -> Any:
    """Join, or ask to, without a token."""
    return await here.call("POST", "/join", json=given)


async def joined(here: Any, **given: str) -> dict[str, Any]:
    """Join, or ask to, as must work."""
    sent = await join(here, **given)
    assert sent.status_code == 201, sent.text
    return sent.json()


async def said_of(here: Any, boss: str) -> list[tuple[str, str, str]]:
    """Return who did what in the event log."""
    events = (await here.get(f"{EXAM}/events", boss)).json()["events"]
    return [(event["caller"], event["what"], event["why"]) for event in events]


def stored_in(folder: Path) -> bytes:
    """Return the bytes of a SQLite store; a database server has none in the folder."""
    return b"".join(file.read_bytes() for file in folder.glob("exam.sqlite*"))


@pytest.mark.slow
async def test_an_invitation_gives_a_person_a_token_to_take_the_exam_and_to_upload(
    door: Opening,
) -> None:
    async with door(**by("invitation")) as here:
        boss = here.token("boss", Scope.ORGANIZE)
        made = await invite(here, boss, uses=2, note="the lab")
        assert made["link"] == f"http://127.0.0.1/join?code={made['code']}"
        ada = await joined(here, name="ada", code=made["code"])
        assert (ada["approved"], ada["team"], ada["team_code"]) == (True, None, None)
        assert f"export SNELLEN_TOKEN={ada['token']}" in ada["steps"]
        assert any("--to http://127.0.0.1 " in step for step in ada["steps"])
        assert any("http://127.0.0.1/mcp" in step for step in ada["steps"])
        held = here.tokens.holder(ada["token"])
        assert (held.name, held.scopes) == ("ada", {Scope.TAKE, Scope.SUBMIT})
        sent = await here.upload(ada["token"], {"a": "1"})
        assert (sent.status_code, sent.json()["participant"]) == (201, "ada")
        (listed,) = (await here.get("/invitations", boss)).json()["invitations"]
        assert (listed["used"], listed["uses"], listed["note"]) == (1, 2, "the lab")
        assert await said_of(here, boss) == [
            ("boss", "invitation", "number 1, uses 2, until 2026-01-15 12:00 UTC: the lab"),
            ("ada", "joined", "by invitation 1"),
        ]


async def test_a_body_that_is_no_text_is_answered_and_no_fault(door: Opening) -> None:
    async with door(**by("approval", teams=True)) as here:
        for body in (
            b'{"name": "\\ud800"}',
            b'{"name": "a", "code": "\\ud800"}',
            b'{"name": "a", "team_code": "\\ud800"}',
            b"[]",
            b"\xff",
            b"",
        ):
            headers = {"Content-Type": "application/json"}
            sent = await here.call("POST", "/join", None, headers, content=body)
            assert sent.status_code in (400, 404, 409, 422), (body, sent.text)
        assert here.requests() == []


async def test_a_use_is_for_one_person_however_many_come_at_once(door: Opening) -> None:
    async with door(**by("invitation")) as here:
        code = (await invite(here, here.token("boss", Scope.ORGANIZE), uses=2))["code"]
        sent = await asyncio.gather(*(join(here, name=f"p{n}", code=code) for n in range(6)))
        assert sorted(each.status_code for each in sent) == [201, 201, 409, 409, 409, 409]
        assert sum(token.name.startswith("p") for token in here.tokens.listed()) == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("given", "status", "said"),
    [
        ({}, 403, "an invitation is needed: open the link that the organizer sent you"),
        ({"code": "invitation_x"}, 404, "this invitation is unknown: copy the whole link, or ask"),
        ({"code": "used"}, 409, "this invitation is used up: ask the organizer for a new one"),
        ({"code": "old"}, 409, "this invitation has expired: ask the organizer for a new one"),
        ({"code": "revoked"}, 409, "this invitation was revoked: ask the organizer for a new one"),
        ({"code": "good", "name": "bob"}, 409, "the name 'bob' was used before"),
        ({"code": "good", "name": "lab"}, 409, "'lab' is a team's name; choose another"),
        ({"code": "good", "name": "cy"}, 409, "'cy' is a team's or a member's name; choose"),
        ({"code": "good", "name": "BOB"}, 409, "the name 'bob' was used before"),
        ({"code": "good", "name": "Lab"}, 409, "'Lab' is a team's name; choose another"),
        ({"code": "good", "name": "CY"}, 409, "'CY' looks like 'cy', which exists"),
        ({"code": "good", "team": "LAB"}, 409, "'LAB' looks like 'lab', which exists"),
        ({"code": "good", "team": "Bob"}, 409, "'Bob' is a participant's name; choose another"),
        ({"code": "good", "name": "LOCAL"}, 409, "must not be local or snellen"),
        ({"code": "good", "name": "a b"}, 409, "must have 1 to 64 letters, digits, dots"),
        ({"code": "good", "name": ""}, 409, "must have 1 to 64 letters, digits, dots"),
        ({"code": "good", "name": "local"}, 409, "must not be local or snellen"),
        ({"code": "good", "name": "a\x00"}, 409, "must have 1 to 64 letters, digits, dots"),
        ({"code": "good", "name": "x" * 10_000}, 409, "must have 1 to 64 letters, digits, dots"),
        ({"code": "good", "name": "x" * 1_000_000}, 413, "at most 65,536 bytes"),
        ({"code": "good", "team": "lab"}, 409, "there is a team 'lab'; give the code that its"),
        ({"code": "good", "team": "filed"}, 409, "there is a team 'filed'; give the code"),
        ({"code": "good", "team": "cy"}, 409, "'cy' is a participant's name; choose another"),
        ({"code": "good", "team": "bob"}, 409, "'bob' is a participant's name; choose another"),
        ({"code": "good", "team": "eve"}, 409, "'eve' is a team's name; choose another"),
        ({"code": "good", "team": "a b"}, 409, "a token's team must have 1 to 64 letters"),
        ({"code": "good", "team_code": "team_x"}, 404, "this team's code is unknown: ask a member"),
        ({"code": "good", "team": "x", "team_code": "y"}, 409, "not both of them"),
        ({"code": "good", "scopes": "admin"}, 422, "there is no parameter 'scopes'"),
    ],
)
async def test_each_fault_has_one_sentence_that_says_what_to_do(
    door: Opening, given: dict[str, str], status: int, said: str
) -> None:
    rules = by("invitation", teams=True, teams_={"filed": ["cy"]})
    rules["exam"]["teams"] = rules["exam"].pop("teams_")
    async with door(**rules) as here:
        boss = here.token("boss", Scope.ORGANIZE)
        here.tokens.create("bob", team="lab")
        codes = {"old": (await invite(here, boss, days=1))["code"]}
        here.hosted.time[0] += DAY
        made = {name: await invite(here, boss) for name in ("good", "used", "revoked")}
        await joined(here, name="first", code=made["used"]["code"])
        revoked = await here.call("DELETE", f"/invitations/{made['revoked']['number']}", boss)
        assert revoked.status_code == 204
        assert (await said_of(here, boss))[-1] == ("boss", "invitation revoked", "number 4")
        codes |= {name: each["code"] for name, each in made.items()}
        before = [token.name for token in here.tokens.listed()]
        whole = {"name": "eve", **given}
        if "code" in whole:
            whole["code"] = codes.get(whole["code"], whole["code"])
        sent = await join(here, **whole)
        assert (sent.status_code, said in sent.json()["detail"]) == (status, True), sent.text
        assert len(sent.text) < 500
        # Nothing was created, and nothing was used.
        assert [token.name for token in here.tokens.listed()] == before
        assert (await join(here, name="eve2", code=codes["good"])).status_code == 201


async def test_a_request_is_nothing_until_an_organizer_approves_it(door: Opening) -> None:
    async with door(**by("approval")) as here:
        boss = here.token("boss", Scope.ORGANIZE)
        ada, bob = [await joined(here, name=name) for name in ("ada", "bob")]
        assert not ada["approved"]
        assert (await join(here, name="ada")).status_code == 409
        for person in (ada, bob):
            assert (await here.get(f"{EXAM}/items", person["token"])).status_code == 401
            assert here.tokens.sign_in(person["token"]) is None
        listed = (await here.get("/requests", boss)).json()["requests"]
        assert [each["name"] for each in listed] == ["ada", "bob"]
        assert (await here.call("POST", "/requests/ada/approve", boss)).status_code == 204
        assert (await here.call("POST", "/requests/bob/refuse", boss)).status_code == 204
        assert (await here.get(f"{EXAM}/items", ada["token"])).status_code == 200
        assert (await here.get(f"{EXAM}/items", bob["token"])).status_code == 401
        for name in ("ada", "bob", "x" * 1000):
            again = await here.call("POST", f"/requests/{name}/approve", boss)
            assert again.status_code == 404
            assert "there is no open request of" in again.json()["detail"]
        assert (await here.get("/requests", boss)).json()["requests"] == []
        # Whoever was refused may ask again, and an invitation is no request.
        assert not (await joined(here, name="bob"))["approved"]
        code = (await invite(here, boss))["code"]
        assert (await joined(here, name="eve", code=code))["approved"]
        assert [what for _, what, _ in await said_of(here, boss)] == [
            "asked to join",
            "asked to join",
            "approved",
            "refused",
            "asked to join",
            "invitation",
            "joined",
        ]


async def test_a_name_that_an_organizer_gave_away_meanwhile_can_not_be_approved(
    door: Opening,
) -> None:
    async with door(**by("approval")) as here:
        boss = here.token("boss", Scope.ORGANIZE)
        ada = await joined(here, name="ada")
        here.token("ada")
        refused = await here.call("POST", "/requests/ada/approve", boss)
        assert (refused.status_code, "used before" in refused.text) == (409, True)
        assert (await here.get(f"{EXAM}/items", ada["token"])).status_code == 401
        assert len((await here.get("/requests", boss)).json()["requests"]) == 1


@pytest.mark.slow
async def test_asking_and_guessing_codes_are_limited_as_wrong_tokens_are(door: Opening) -> None:
    async with door(**by("approval")) as here:
        names = [f"p{number}" for number in range(WRONG_A_MINUTE + 3)]
        statuses = [(await join(here, name=name)).status_code for name in names]
        assert statuses == [201] * WRONG_A_MINUTE + [429] * 3
        assert len(here.requests()) == WRONG_A_MINUTE
    async with door(**by("invitation")) as here:
        code = (await invite(here, here.token("boss", Scope.ORGANIZE)))["code"]
        wrong = [await join(here, name="a", code=f"c{n}") for n in range(WRONG_A_MINUTE)]
        assert {each.status_code for each in wrong} == {404}
        # A good code does not help either, so that guessing does not pay.
        limited = await join(here, name="a", code=code)
        assert (limited.status_code, "wait a minute" in limited.text) == (429, True)


@pytest.mark.slow
async def test_open_requests_are_bounded(door: Opening) -> None:
    async with door(**by("approval")) as here:
        for number in range(MOST_REQUESTS):
            await here.ask(f"p{number}")
        full = await join(here, name="ada")
        assert full.status_code == 409
        assert "wait for the organizer; try again when some are answered" in full.text
        boss = here.token("boss", Scope.ORGANIZE)
        code = (await invite(here, boss))["code"]
        assert (await join(here, name="eve", code=code)).status_code == 201
        await here.call("POST", "/requests/p7/refuse", boss)
        assert (await join(here, name="ada")).status_code == 201


async def test_nobody_takes_over_answers_by_the_name_of_their_owner(door: Opening) -> None:
    async with door(**by("approval", teams=True)) as here:
        # The exam file had this team when it uploaded, and no token has its name.
        await here.hosted.upload("oldlab")
        for given in ({"name": "oldlab"}, {"name": "eve", "team": "oldlab"}):
            sent = await join(here, **given)
            assert sent.status_code == 409
            assert "there are answers of 'oldlab' already; choose another name" in sent.text
        sent = await join(here, name="OldLab")
        assert "'OldLab' looks like 'oldlab', which exists" in sent.text
        await here.ask("cy")
        sent = await join(here, name="CY")
        assert "somebody asked for the name 'CY'; choose another" in sent.text
        assert (await join(here, name="eve")).status_code == 201


async def test_a_team_is_formed_by_its_first_member_and_joined_by_its_code(door: Opening) -> None:
    async with door(**by("approval", teams=True)) as here:
        boss = here.token("boss", Scope.ORGANIZE)
        code = (await invite(here, boss, uses=2))["code"]
        ada = await joined(here, name="ada", code=code, team="lab")
        bob = await joined(here, name="bob", code=code, team_code=ada["team_code"])
        assert (ada["team"], bob["team"], bob["team_code"]) == ("lab", "lab", None)
        sent = (await here.upload(ada["token"], {"a": "1"})).json()
        assert sent["participant"] == "lab"
        mine = await here.get(f"{EXAM}/submissions/{sent['id']}", bob["token"])
        assert mine.status_code == 200
        # The code is of no use to whom no organizer lets in.
        eve = await joined(here, name="eve", team_code=ada["team_code"])
        found = await here.get(f"{EXAM}/submissions/{sent['id']}", eve["token"])
        assert found.status_code == 401
        refused = await join(here, name="zoe", team="lab")
        assert (refused.status_code, "give the code that its members have" in refused.text) == (
            409,
            True,
        )


async def test_a_team_ends_with_the_refusal_of_all_its_members(door: Opening) -> None:
    async with door(**by("approval", teams=True)) as here:
        boss = here.token("boss", Scope.ORGANIZE)
        ada = await joined(here, name="ada", team="lab")
        await joined(here, name="bob", team_code=ada["team_code"])
        assert (await join(here, name="lab")).status_code == 409
        await here.call("POST", "/requests/ada/refuse", boss)
        assert (await join(here, name="cy", team="lab")).status_code == 409
        await here.call("POST", "/requests/bob/refuse", boss)
        assert (await join(here, name="cy", team="lab")).status_code == 201


@pytest.mark.parametrize("how", ["invitation", "approval"])
async def test_without_leave_of_the_exam_file_no_team_is_formed(door: Opening, how: str) -> None:
    async with door(**by(how)) as here:
        code = (await invite(here, here.token("boss", Scope.ORGANIZE)))["code"]
        for given in ({"team": "lab"}, {"team_code": "team_x"}):
            sent = await join(here, name="ada", code=code, **given)
            assert (sent.status_code, "leave the team out" in sent.text) == (403, True)


async def test_without_sign_up_in_the_exam_file_nobody_joins(door: Opening) -> None:
    async with door() as here:
        assert (await here.get(EXAM)).json()["signup"] == {"by": "closed", "teams": False}
        for given in ({}, {"code": "x"}):
            sent = await join(here, name="ada", **given)
            assert (sent.status_code, "ask the organizer for a token" in sent.text) == (403, True)
        boss = here.token("boss", Scope.ORGANIZE)
        made = await here.call("POST", "/invitations", boss, json={})
        assert (made.status_code, "below [signup] in the exam file" in made.text) == (403, True)


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ({"uses": 0}, 422),
        ({"uses": 10_001}, 422),
        ({"days": 0}, 422),
        ({"days": 367}, 422),
        ({"note": "x" * 201}, 422),
        ({"note": "a\x00b"}, 409),
    ],
)
async def test_an_invitation_has_bounds(door: Opening, given: dict[str, Any], status: int) -> None:
    async with door(**by("invitation")) as here:
        boss = here.token("boss", Scope.ORGANIZE)
        assert (await here.call("POST", "/invitations", boss, json=given)).status_code == status
        assert (await here.call("DELETE", "/invitations/9", boss)).status_code == 404
        assert (await here.call("DELETE", f"/invitations/{2**31}", boss)).status_code == 422


async def test_codes_and_tokens_are_shown_once_and_the_store_has_digests(
    door: Opening, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    async with door(**by("approval", teams=True)) as here:
        boss = here.token("boss", Scope.ORGANIZE)
        code = (await invite(here, boss, note="once"))["code"]
        people = [
            await joined(here, name="ada", code=code, team="lab"),
            await joined(here, name="bob"),
        ]
        secrets = [code, people[0]["team_code"], *(person["token"] for person in people)]
        shown = ""
        for path in ("/invitations", "/requests", f"{EXAM}/events", EXAM, f"{EXAM}/export"):
            shown += (await here.get(path, boss)).text
        root = here.token("root", Scope.ADMIN)
        shown += (await here.get("/tokens", root)).text + capfd.readouterr().err
        written = stored_in(tmp_path)
        for each in secrets:
            bare = each.partition("_")[2]
            assert len(bare) == 43
            assert bare not in shown
            assert bare.encode() not in written


async def test_an_invitation_gives_nothing_else(door: Opening, right: Mapping[str, str]) -> None:
    async with door(**by("invitation", teams=True), scores="hidden") as here:
        boss, other = here.token("boss", Scope.ORGANIZE), here.token("other")
        theirs = (await here.upload(other, right)).json()["id"]
        code = (await invite(here, boss))["code"]
        ada = await joined(here, name="ada", code=code, team="lab")
        # Neither code is a token, for programs or for a browser.
        for secret in (code, ada["team_code"]):
            assert (await here.get(f"{EXAM}/items", secret)).status_code == 401
            assert here.tokens.sign_in(secret) is None
        for method, path, body in (
            ("GET", "/tokens", None),
            ("POST", "/tokens", {"name": "eve", "scopes": ["admin"]}),
            ("GET", "/invitations", None),
            ("POST", "/invitations", {}),
            ("GET", "/requests", None),
            ("GET", f"{EXAM}/events", None),
            ("POST", f"{EXAM}/submissions/{theirs}/remove", {"why": "mine"}),
            ("GET", f"{EXAM}/leaderboard", None),
        ):
            sent = await here.call(method, path, ada["token"], json=body)
            assert sent.status_code == 403, path
        for path in ("", "/file", "/report"):
            sent = await here.get(f"{EXAM}/submissions/{theirs}{path}", ada["token"])
            assert sent.status_code in (403, 404), path
        root = here.token("root", Scope.ADMIN)
        assert (await here.call("DELETE", "/tokens/ada", root)).status_code == 204
        assert (await here.get(f"{EXAM}/items", ada["token"])).status_code == 401
        assert (await join(here, name="ada", code=code)).status_code == 409
