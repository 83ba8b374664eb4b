"""The pages of sign-up: who may do what on them, and that secrets stay where they belong."""

import re
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from html import unescape
from typing import Any

import pytest

from snellen.server.http.api.access import WRONG_A_MINUTE
from snellen.server.store.tables.exams import Scope

Opening = Callable[..., AbstractAsyncContextManager[Any]]
SIGN_UP = "/organize/signup"
TOKEN = re.compile(r"snellen_[\w-]{43}")


def by(how: str, *, teams: bool = False, **exam: object) -> dict[str, Any]:
    """Return the settings of an exam file with sign-up."""
    return {"exam": {"signup": {"by": how, "teams": teams}, **exam}}


async def link_of(boss: Any, **given: str) -> str:
    """Create an invitation, and return its link without the server's address."""
    page = await boss.post(f"{SIGN_UP}/invite", data={"uses": "1", "days": "14", **given})
    assert page.status_code == 200, page.text
    return unescape(re.findall(r"http://127\.0\.0\.1(/join\?code=[^<\"]+)", page.text)[0])


def code_of(link: str) -> str:
    """Return the code of a link."""
    return link.partition("=")[2]


async def test_a_person_joins_by_a_link_and_signs_in_with_the_token(site: Opening) -> None:
    async with site(**by("invitation", teams=True)) as here:
        boss, eve = await here.signed_in("boss", Scope.ORGANIZE), here.browser()
        link = await link_of(boss, uses="2", note="<b>the lab</b>")
        form = await eve.get(link)
        assert f'name="code" value="{code_of(link)}"' in form.text
        given = {"code": code_of(link), "name": "eve", "team": "lab"}
        page = await eve.post("/join", data=given)
        assert page.status_code == 200, page.text
        assert page.headers["cache-control"] == "no-store"
        token = TOKEN.findall(page.text)[0]
        said = unescape(page.text)
        assert f"export SNELLEN_TOKEN={token}" in said
        assert 'snellen submit answers.jsonl --to http://127.0.0.1 --name "my agent"' in said
        assert "http://127.0.0.1/mcp" in said
        team_code = re.findall(r"team_[\w-]{43}", page.text)[0]
        sent = await eve.post("/signin", data={"token": token})
        assert sent.status_code == 303
        assert "Signed in as lab" in (await eve.get("/submissions")).text
        other = {"code": code_of(link), "name": "zoe", "team_code": team_code}
        page = await here.browser().post("/join", data=other)
        assert "Your team is lab." in page.text
        listed = await boss.get(SIGN_UP)
        assert "2 of 2" in listed.text
        assert "<b>the lab" not in listed.text
        # The secrets are on no other page, of an organizer's or of anybody's.
        for path in (SIGN_UP, "/organize", "/", "/api", "/join", "/leaderboard"):
            for browser in (boss, eve, here.browser()):
                text = (await browser.get(path)).text
                assert not [x for x in (token, team_code, code_of(link)) if x in text], path


async def test_a_used_link_says_so_before_a_name_is_written(site: Opening) -> None:
    async with site(**by("invitation")) as here:
        boss, eve = await here.signed_in("boss", Scope.ORGANIZE), here.browser()
        link = await link_of(boss)
        await eve.post("/join", data={"code": code_of(link), "name": "eve"})
        page = await eve.get(link)
        assert page.status_code == 409
        assert "This invitation is used up: ask the organizer for a new one" in page.text
        wrong = await eve.get("/join?code=x")
        assert (wrong.status_code, "copy the whole link" in wrong.text) == (404, True)
        # What a page shows again of its own address has no code in it.
        assert code_of(link) not in page.text


async def test_guessing_links_is_stopped_as_guessing_tokens_is(site: Opening) -> None:
    async with site(**by("invitation")) as here:
        eve = here.browser()
        found = [await eve.get(f"/join?code={number}") for number in range(WRONG_A_MINUTE + 1)]
        assert [each.status_code for each in found] == [404] * WRONG_A_MINUTE + [429]
        assert "wait a minute" in found[-1].text


async def test_no_other_site_gets_the_code_of_a_link_or_makes_a_person_join(
    site: Opening,
) -> None:
    async with site(**by("invitation")) as here:
        boss, eve = await here.signed_in("boss", Scope.ORGANIZE), here.browser()
        link = await link_of(boss)
        page = await eve.get(link)
        assert page.headers["referrer-policy"] == "no-referrer"
        assert page.headers["cache-control"] == "no-store"
        policy = page.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "form-action 'self'" in policy
        given = {"code": code_of(link), "name": "eve"}
        elsewhere = {"Sec-Fetch-Site": "cross-site"}
        assert (await eve.post("/join", data=given, headers=elsewhere)).status_code == 403
        assert [token.name for token in here.tokens.listed()] == ["boss"]


async def test_organizers_answer_requests_on_their_page(site: Opening) -> None:
    async with site(**by("approval")) as here:
        boss, eve = await here.signed_in("boss", Scope.ORGANIZE), here.browser()
        tokens: dict[str, str] = {}
        assert "wait for your answer" not in (await boss.get("/organize")).text
        for name in ("eve", "zoe"):
            page = await eve.post("/join", data={"name": name})
            assert "It works once an organizer approves." in page.text
            tokens[name] = TOKEN.findall(page.text)[0]
            assert (await eve.post("/signin", data={"token": tokens[name]})).status_code == 401
        assert "2 wait for your answer" in (await boss.get("/organize")).text
        assert "Approve<span" in (await boss.get(SIGN_UP)).text
        for name, answer in (("eve", "approve"), ("zoe", "refuse")):
            sent = await boss.post(f"{SIGN_UP}/answer", data={"name": name, "do": answer})
            assert sent.headers["location"] == SIGN_UP
        assert (await eve.post("/signin", data={"token": tokens["eve"]})).status_code == 303
        assert (await eve.post("/signin", data={"token": tokens["zoe"]})).status_code == 401
        record = (await boss.get("/organize")).text
        assert [record.count(f">{what}</th>") for what in ("asked to join", "approved")] == [2, 1]


async def test_organizers_answer_selected_requests_at_once(site: Opening) -> None:
    async with site(**by("approval")) as here:
        boss, crowd = await here.signed_in("boss", Scope.ORGANIZE), here.browser()
        names = [f"bot{number}" for number in range(30)]
        for name in (*names, "eve", "zoe", "last"):
            assert (await crowd.post("/join", data={"name": name})).status_code == 200
        page = (await boss.get(SIGN_UP)).text
        assert page.count('form="selected"') == 33
        assert "Refuse the selected</button>" in page
        sent = await boss.post(f"{SIGN_UP}/answer", data={"name": names, "do": "refuse"})
        assert sent.headers["location"] == SIGN_UP
        # Another organizer has answered one of them: the page says so, and the others count.
        given = {"name": ["bot0", "eve", "zoe"], "do": "approve"}
        said = await boss.post(f"{SIGN_UP}/answer", data=given)
        assert "There is no open request of 'bot0'" in unescape(said.text)
        assert [token.name for token in here.tokens.listed()] == ["boss", "eve", "zoe"]
        assert (await boss.get(SIGN_UP)).text.count('form="selected"') == 1


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("invite", {"uses": "1", "days": "1"}),
        ("revoke", {"number": "1"}),
        ("answer", {"name": "eve", "do": "approve"}),
    ],
)
async def test_sign_up_is_the_organizers_and_its_forms_are_on_own_pages(
    site: Opening, path: str, form: dict[str, str]
) -> None:
    async with site(**by("approval")) as here:
        boss, ada = await here.signed_in("boss", Scope.ORGANIZE), await here.signed_in("ada")
        await link_of(boss)
        await here.browser().post("/join", data={"name": "eve"})
        sent = await here.browser().post(f"{SIGN_UP}/{path}", data=form)
        assert sent.status_code == 401
        assert (await ada.post(f"{SIGN_UP}/{path}", data=form)).status_code == 403
        elsewhere = {"Sec-Fetch-Site": "cross-site"}
        forged = await boss.post(f"{SIGN_UP}/{path}", data=form, headers=elsewhere)
        assert forged.status_code == 403
        assert [token.name for token in here.tokens.listed()] == ["boss", "ada"]
        assert (await boss.post(f"{SIGN_UP}/{path}", data=form)).status_code in (200, 303)


@pytest.mark.parametrize(
    ("path", "form", "status", "said"),
    [
        ("invite", {"uses": "0"}, 409, "for 1 to 10,000 people and up to 366 days"),
        ("invite", {"uses": "many"}, 409, "for 1 to 10,000 people and up to 366 days"),
        ("invite", {"days": "nan"}, 409, "for 1 to 10,000 people and up to 366 days"),
        ("revoke", {"number": "9"}, 404, "There is no invitation 9; see the list"),
        ("revoke", {"number": "9" * 40}, 404, "There is no invitation 0; see the list"),
        ("revoke", {}, 404, "There is no invitation 0; see the list"),
        ("answer", {"name": "nobody", "do": "approve"}, 404, "There is no open request of"),
        ("answer", {"do": "refuse"}, 409, "Select at least one request"),
    ],
)
async def test_an_organizers_fault_has_one_sentence(
    site: Opening, path: str, form: dict[str, str], status: int, said: str
) -> None:
    async with site(**by("invitation")) as here:
        boss = await here.signed_in("boss", Scope.ORGANIZE)
        page = await boss.post(f"{SIGN_UP}/{path}", data=form)
        assert (page.status_code, said in unescape(page.text)) == (status, True), page.text


@pytest.mark.parametrize(
    ("name", "status", "said"),
    [
        ("boss", 409, "The name 'boss' was used before; attempts belong to names, so take another"),
        ("<b>", 409, "A token's name must have 1 to 64 letters"),
        ("x" * 1_000_000, 400, "Field exceeded maximum size of 16KB: go back and correct the form"),
    ],
)
async def test_a_persons_fault_has_one_sentence(
    site: Opening, name: str, status: int, said: str
) -> None:
    async with site(**by("approval")) as here:
        await here.signed_in("boss", Scope.ORGANIZE)
        page = await here.browser().post("/join", data={"name": name})
        assert (page.status_code, said in unescape(page.text)) == (status, True), page.text
        assert len(page.text) < 5_000


@pytest.mark.parametrize("how", ["closed", "invitation", "approval"])
async def test_strangers_find_the_page_to_join_where_the_exam_file_has_one(
    site: Opening, how: str
) -> None:
    async with site(**by(how)) as here:
        stranger, ada = here.browser(), await here.signed_in("ada")
        boss = await here.signed_in("boss", Scope.ORGANIZE)
        front, page = (await stranger.get("/")).text, await stranger.get("/join")
        assert ('href="/join"' in front) == (how != "closed")
        assert ('href="/organize/signup"' in (await boss.get("/organize")).text) == (
            how != "closed"
        )
        assert page.status_code == (403 if how == "closed" else 200)
        assert ("Ask to join</button>" in page.text) == (how == "approval")
        assert ('maxlength="100" required' in page.text) == (how == "invitation")
        assert "New team" not in page.text
        assert ">Join</a>" not in (await ada.get("/")).text


async def test_with_an_identity_provider_the_page_shows_what_to_send(site: Opening) -> None:
    provider = {
        "issuer": "https://id.example.org",
        "jwks": "https://id.example.org/keys",
        "resource": "https://exam.example.org/mcp",
    }
    async with site(**by("invitation", oauth=provider)) as here:
        link = await link_of(await here.signed_in("boss", Scope.ORGANIZE))
        page = unescape((await here.browser().get(link)).text)
        assert "<form" not in page.partition("<main")[2].partition("</main>")[0]
        assert "https://id.example.org" in page
        assert f'"code": "{code_of(link)}"' in page
        sent = await here.browser().post("/join", data={"name": "eve", "code": code_of(link)})
        assert sent.status_code == 401
        assert [token.name for token in here.tokens.listed()] == ["boss"]
