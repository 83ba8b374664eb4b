"""The pages of annotations: who reaches them, what raters see, what is kept of what they press."""

import html
import re
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
from hosted import NOON
from starlette.applications import Starlette
from starlette.middleware import Middleware

from snellen.annotate.service import AnnotationPlan, Annotations
from snellen.server.attempts.register import Clock
from snellen.server.challenge.service import Challenge
from snellen.server.exam.file import ExamFile
from snellen.server.grading.exam import references_digest
from snellen.server.host import open_exam
from snellen.server.http.app import Hosted, challenge_routes
from snellen.server.http.auth import Tokens
from snellen.server.http.safety import SafetyMiddleware
from snellen.server.settings import Settings
from snellen.server.store.tables.annotations import AnnotationMode
from snellen.server.store.tables.exams import Scope
from snellen.tasks.pack.read import Pack, open_pack, open_references
from snellen.tasks.samples import exam_folder

TEXTS, OPTIONS, LINES = "screenqa/short", "mmbench-gui/l1", "screenqa/ui_contents"
BOXES, POINTS = "visualwebbench/action_ground_bbox", "mmbench-gui/l2_advanced"
EVIL = '<script>alert(1)</script><img src=x onerror="alert(2)">\'"&'


@dataclass
class Site:
    """The sample exam with its annotations, and browsers that look at its pages."""

    app: Starlette
    tokens: Tokens
    service: Annotations
    challenge: Challenge
    pack: Pack

    async def signed_in(self, name: str, *scopes: Scope) -> httpx2.AsyncClient:
        """Return a browser that has signed in with a new token."""
        browser = self.stranger()
        token = self.tokens.create(name, scopes or (Scope.ANNOTATE,))
        assert (await browser.post("/signin", data={"token": token})).status_code == 303
        return browser

    def stranger(self) -> httpx2.AsyncClient:
        """Return a browser that has not signed in."""
        transport = httpx2.ASGITransport(self.app, raise_app_exceptions=False)
        headers = {"Sec-Fetch-Site": "same-origin"}
        return httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=headers)


Opening = Callable[..., AbstractAsyncContextManager[Site]]


@pytest.fixture
def site(either_store: str) -> Opening:
    """Return a function that serves the sample exam with annotations of some tasks."""

    @asynccontextmanager
    async def opened(**annotations: Mapping[str, Any]) -> AsyncGenerator[Site]:
        settings = Settings((exam_folder("sample-full"),), either_store)
        host = open_exam(settings)
        try:
            file = ExamFile(name="exam", packs=(str(exam_folder("sample-full")),))
            clock = Clock(now=lambda: NOON)
            challenge = Challenge(
                file, host.service.exam, references_digest(settings), host.database, clock
            )
            await challenge.begin()
            tokens = Tokens(host.database, lambda: NOON)
            served = Hosted(challenge, settings, 0)
            app = Starlette(
                routes=challenge_routes(served, tokens, guarded=True),
                middleware=[Middleware(SafetyMiddleware, names={"127.0.0.1"})],
            )
            pack = open_pack(exam_folder("sample-full"))
            service = Annotations([pack], host.database, clock)
            for name, more in annotations.items():
                service.create(AnnotationPlan(name, pack, **more))
            yield Site(app, tokens, service, challenge, pack)
        finally:
            host.close()

    return opened


def field(page: str, name: str) -> str:
    """Return the value of a hidden field."""
    found = re.search(rf'name="{name}" value="([^"]*)"', page)
    assert found is not None, f"{name} is not in the page"
    return html.unescape(found[1])


async def test_each_page_is_for_whom_it_is_for(site: Opening) -> None:
    async with site(texts={"tasks": (TEXTS,)}) as here:
        browsers = [
            here.stranger(),
            await here.signed_in("agent", Scope.TAKE),
            await here.signed_in("ada", Scope.SUBMIT),
            await here.signed_in("rater"),
            await here.signed_in("boss", Scope.ORGANIZE),
        ]
        item = next(iter(here.pack.index[TEXTS]))
        query = f"?task={TEXTS}&item={item}"
        for path in ("", "/texts", f"/texts{query}", "/texts/answers", f"/texts/image{query}"):
            statuses = [(await each.get(f"/annotate{path}")).status_code for each in browsers]
            assert statuses == [401, 403, 403, 200, 403], path
        for path in ("", "/texts"):
            statuses = [
                (await each.get(f"/organize/annotations{path}")).status_code for each in browsers
            ]
            assert statuses == [401, 403, 403, 403, 200], path
        rater = browsers[3]
        for path in ("/items", f"/item{query}", f"/image{query}", "/submissions", "/organize"):
            assert (await rater.get(path)).status_code == 403, path
        form = {"task": TEXTS, "item": item, "text": "seven"}
        for path, status in (
            ("/annotate/texts", [401, 403, 403, 303, 403]),
            ("/organize/annotations/texts/extend", [401, 403, 403, 403, 303]),
            ("/organize/annotations/texts/close", [401, 403, 403, 403, 303]),
        ):
            sent = [(await each.post(path, data=form)).status_code for each in browsers]
            assert sent == status, path


async def test_a_change_comes_from_an_own_page(site: Opening) -> None:
    async with site(texts={"tasks": (TEXTS,)}) as here:
        rater, boss = await here.signed_in("rater"), await here.signed_in("boss", Scope.ORGANIZE)
        form = {"task": TEXTS, "item": next(iter(here.pack.index[TEXTS])), "text": "seven"}
        elsewhere = {"Sec-Fetch-Site": "cross-site"}
        for browser, path in (
            (rater, "/annotate/texts"),
            (boss, "/organize/annotations/texts/close"),
            (boss, "/organize/annotations/texts/extend"),
        ):
            assert (await browser.post(path, data=form, headers=elsewhere)).status_code == 403
        assert here.service.answers("texts") == []


async def test_a_text_a_choice_and_lines_are_answered_by_a_form(site: Opening) -> None:
    async with site(
        texts={"tasks": (TEXTS,)}, options={"tasks": (OPTIONS,)}, lines={"tasks": (LINES,)}
    ) as here:
        ada = await here.signed_in("ada")
        kept: dict[str, Any] = {}
        for name, answer in (
            ("texts", {"text": "  seven "}),
            ("options", {"option": "B"}),
            ("lines", {"text": "one\r\n\r\ntwo"}),
        ):
            page = (await ada.get(f"/annotate/{name}")).text
            place = {"task": field(page, "task"), "item": field(page, "item")}
            sent = await ada.post(f"/annotate/{name}", data={**place, **answer})
            assert (sent.status_code, sent.headers["location"]) == (303, f"/annotate/{name}")
            (one,) = here.service.answers(name)
            assert (one.rater, one.item_id) == ("ada", place["item"])
            kept[name] = one.given
        assert kept == {"texts": "seven", "options": "B", "lines": ["one", "two"]}


async def test_an_element_is_pressed_and_pressed_again(site: Opening, tmp_path: Path) -> None:
    pack = open_pack(exam_folder("sample-full"))
    items = [*pack.index[BOXES]]
    boxes = [(0.0, 0.0, 640.0, 400.0), (10.0, 20.0, 110.0, 60.0)]
    plan = {"tasks": (BOXES,), "elements": {(BOXES, item): boxes for item in items}}
    async with site(boxes=plan) as here:
        ada = await here.signed_in("ada")
        page = (await ada.get("/annotate/boxes")).text
        links = re.findall(r'<a href="([^"]*element=\d+)" aria-label="Element (\d) of 2', page)
        assert [number for _, number in links] == ["1", "2"]
        assert "<button form" not in page
        chosen = (await ada.get(f"/annotate/boxes{html.unescape(links[1][0])}")).text
        assert 'aria-label="Confirm element 2"' in chosen
        assert here.service.answers("boxes") == []
        form = {name: field(chosen, name) for name in ("task", "item", "box")}
        assert (await ada.post("/annotate/boxes", data=form)).status_code == 303
        (kept,) = here.service.answers("boxes")
        assert kept.given == [10, 20, 110, 60]
        # What was chosen before is shown when the item is opened again.
        query = {"task": form["task"], "item": form["item"]}
        again = (await ada.get("/annotate/boxes", params=query)).text
        assert re.search(r'aria-label="Element 2 of 2[^>]*class="before"', again)
        for strange in ("2", "-1", "x", "9" * 30):
            page = (await ada.get("/annotate/boxes", params={**query, "element": strange})).text
            assert "Confirm element" not in page


async def test_without_elements_two_corners_make_a_box(site: Opening) -> None:
    async with site(points={"tasks": (POINTS,)}) as here:
        ada = await here.signed_in("ada")
        page = (await ada.get("/annotate/points")).text
        place = {"task": field(page, "task"), "item": field(page, "item"), "by": "corners"}
        assert '<input type="image" name="from"' in page
        first = (
            await ada.get("/annotate/points", params={**place, "from.x": "300", "from.y": "260"})
        ).text
        assert field(first, "first") == "300,260"
        assert '<input type="image" name="to"' in first
        corners = {"first": "300,260", "to.x": "100", "to.y": "200"}
        second = (await ada.get("/annotate/points", params={**place, **corners})).text
        form = {name: field(second, name) for name in ("task", "item", "box")}
        await ada.post("/annotate/points", data=form)
        (kept,) = here.service.answers("points")
        assert kept.given == [100, 200, 300, 260]
        typed = {**form, "box": "1, 2,3.5 4"}
        await ada.post("/annotate/points", data=typed)
        (kept,) = here.service.answers("points")
        assert kept.given == [1, 2, 3.5, 4]


@pytest.mark.parametrize(
    ("form", "status", "said"),
    [
        ({"box": "1,2,3"}, 409, "left, top, right, bottom"),
        ({"box": "a,b,c,d"}, 409, "four numbers"),
        ({"box": "0,0,99999,5"}, 409, "inside of it"),
        ({"do": "skip", "reason": " "}, 409, "why you can&#39;t tell"),
        ({"item": "nowhere", "box": "1,2,3,4"}, 404, "has no item"),
    ],
)
async def test_what_is_no_answer_is_refused_with_the_reason(
    site: Opening, form: dict[str, str], status: int, said: str
) -> None:
    async with site(points={"tasks": (POINTS,)}) as here:
        ada = await here.signed_in("ada")
        whole = {"task": POINTS, "item": next(iter(here.pack.index[POINTS])), **form}
        sent = await ada.post("/annotate/points", data=whole)
        assert (sent.status_code, said in sent.text) == (status, True), sent.text
        assert here.service.answers("points") == []


async def test_a_rater_sees_no_reference_and_no_answer_of_another(site: Opening) -> None:
    async with site(
        texts={"tasks": (TEXTS,)}, made={"tasks": (TEXTS,), "mode": AnnotationMode.MAKE}
    ) as here:
        ada, bob = await here.signed_in("ada"), await here.signed_in("bob")
        golds = open_references(here.pack).golds[TEXTS]
        seen: list[str] = []
        for name in ("texts", "made"):
            for item in here.pack.index[TEXTS]:
                form = {"task": TEXTS, "item": item, "text": f"zebra {item}"}
                assert (await ada.post(f"/annotate/{name}", data=form)).status_code == 303
                query = {"task": TEXTS, "item": item}
                seen.append((await bob.get(f"/annotate/{name}", params=query)).text)
            seen += [(await bob.get(f"/annotate/{name}{path}")).text for path in ("", "/answers")]
        seen.append((await bob.get("/annotate")).text)
        whole = html.unescape("\n".join(seen))
        assert "zebra" not in whole
        long = [text for gold in golds.values() for text in gold if len(text) > 5]
        assert long
        shown = {text for text in long if text in whole}
        # What items must say to be answered: how a question without an answer is answered.
        assert shown <= {"<no answer>"}


async def test_text_stays_text(site: Opening) -> None:
    async with site(texts={"tasks": (TEXTS,), "note": EVIL}) as here:
        ada, boss = await here.signed_in("ada"), await here.signed_in("boss", Scope.ORGANIZE)
        first, second, *_ = here.pack.index[TEXTS]
        await ada.post("/annotate/texts", data={"task": TEXTS, "item": first, "text": EVIL})
        skip = {"task": TEXTS, "item": second, "do": "skip", "reason": EVIL}
        await ada.post("/annotate/texts", data=skip)
        query = {"task": TEXTS, "item": first}
        for browser, path, params in (
            (ada, "/annotate", {}),
            (ada, "/annotate/texts", query),
            (ada, "/annotate/texts", {**query, "item": second}),
            (ada, "/annotate/texts/answers", {}),
            (ada, "/annotate/texts", {**query, "item": EVIL}),
            (ada, f"/annotate/{EVIL}", {}),
            (boss, "/organize/annotations/texts", {}),
        ):
            page = (await browser.get(path, params=params)).text
            assert "<script>alert" not in page
            assert "<img src=x" not in page


async def test_an_organizer_sees_the_report_and_what_was_decided_is_in_the_record(
    site: Opening,
) -> None:
    async with site(texts={"tasks": (TEXTS,), "raters": 1}) as here:
        ada, boss = await here.signed_in("ada"), await here.signed_in("boss", Scope.ORGANIZE)
        page = await boss.get("/organize/annotations/texts")
        assert "Nobody has answered an item yet." in page.text
        golds = open_references(here.pack).golds[TEXTS]
        items = [*golds]
        for item in items:
            text = "zebra" if item == items[0] else golds[item][0]
            await ada.post("/annotate/texts", data={"task": TEXTS, "item": item, "text": text})
        page = await boss.get("/organize/annotations/texts")
        said = html.unescape(page.text)
        assert "Human ceiling" in said
        assert "80.0 %" in said
        assert "1 items disputed" in said
        assert golds[items[0]][0] in said
        assert "zebra" in said
        assert here.service.next_item("texts", "bob") is None
        await boss.post("/organize/annotations/texts/extend")
        waiting = here.service.next_item("texts", "bob")
        assert waiting is not None
        assert waiting.item == items[0]
        await boss.post("/organize/annotations/texts/close")
        closed = await ada.post(
            "/annotate/texts", data={"task": TEXTS, "item": items[1], "text": "late"}
        )
        assert closed.status_code == 403
        assert "is closed" in (await ada.get("/annotate/texts")).text
        await boss.post("/organize/annotations/texts/close", data={"open": "yes"})
        events = [(event.what, event.why) for event in here.challenge.events.latest()]
        assert events == [
            ("annotation opened", "texts"),
            ("annotation closed", "texts"),
            ("annotation extended", "texts"),
        ]
