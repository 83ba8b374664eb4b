"""The pages in a real browser: with the keyboard, without scripts, and as axe-core sees them."""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from hosted import as_lines

from snellen.annotate.models import RaterAnswer
from snellen.annotate.service import AnnotationPlan, Annotations
from snellen.server.http.auth import Tokens
from snellen.server.store.schema import open_store
from snellen.server.store.tables.exams import Scope
from snellen.tasks.pack.read import open_pack, open_references
from snellen.tasks.samples import exam_folder

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from playwright.sync_api import Page as Tab

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

EXAM = """
name = "sample"
title = "Screens, spring"
description = "Short questions about screenshots of phones."
packs = ["{pack}"]
store = "exam.sqlite"
[signup]
by = "approval"
teams = true
[[phases]]
name = "main"
title = "Main phase"
counts = "all"
reports = "public"
uploads_a_day = 5
"""
WIDE, NARROW = (1280, 900), (375, 740)
LOOKS = [(*size, scheme) for size in (WIDE, NARROW) for scheme in ("light", "dark")]
GRAVE = ("serious", "critical")


@dataclass
class Place:
    """A server, its tokens, and what was uploaded to it.

    Attributes:
        address: Where it listens.
        tokens: Of an admin, `root`, and of a participant, `ada`.
        runs: The ids of submissions that are graded.
    """

    address: str
    tokens: Mapping[str, str]
    runs: list[str]

    def send(self, answers: Mapping[str, str], name: str) -> str:
        """Upload answers, wait until they are graded, and return the submission's id."""
        headers = {"Authorization": f"Bearer {self.tokens['ada']}"}
        base = f"{self.address}/v1/exams/sample/submissions"
        with httpx2.Client(headers=headers, timeout=60) as http:
            sent = http.post(
                base,
                params={"name": name, "link": "https://example.org/paper"},
                content=as_lines(answers),
                headers={"Content-Type": "application/x-ndjson"},
            ).json()
            while "retry-after" in (found := http.get(f"{base}/{sent['id']}")).headers:
                time.sleep(0.1)
            assert found.json()["state"] == "graded"
        return sent["id"]


def annotate(service: Annotations) -> None:
    """Create an annotation of all questions that others have answered, some of them wrongly."""
    (pack,) = service.packs.values()
    service.create(
        AnnotationPlan("texts", pack, raters=3, note="Answer from what the screen shows.")
    )
    golds = open_references(pack).golds["screenqa/short"]
    given = [
        RaterAnswer(
            task="screenqa/short",
            item_id=item,
            rater=rater,
            given=golds[item][0] if number % 4 else f"answer {number}",
        )
        for number, item in enumerate(pack.index["screenqa/short"])
        for rater in ("cy", "dan", "root")[: 3 if number == 0 else 2]
    ]
    service.take_over("texts", given)


@pytest.fixture
def place(serve: Callable[..., Any], store: Path, tmp_path: Path, right: dict[str, str]) -> Place:
    database = open_store(store)
    held = Tokens(database)
    tokens = {
        "root": held.create("root", [Scope.ADMIN, Scope.SUBMIT]),
        "ada": held.create("ada", [Scope.SUBMIT]),
        "eve": held.create("eve", [Scope.ANNOTATE]),
    }
    annotate(Annotations([open_pack(exam_folder("wireframes"))], database))
    database.close()
    (tmp_path / "exam.toml").write_text(EXAM.format(pack=exam_folder("wireframes")))
    address = serve(str(tmp_path / "exam.toml")).url.removesuffix("/mcp")
    found = Place(address, tokens, [])
    half = dict(list(right.items())[:6])
    found.runs.append(found.send(right, "A model with every answer"))
    found.runs.append(found.send(half, "Half of them"))
    return found


@pytest.fixture
def tab_of(browser: "Browser", place: Place) -> Iterator[Callable[..., "Tab"]]:
    """Open tabs; what a page complains of fails the test, and so does a request elsewhere."""
    complaints: list[str] = []
    contexts: list[Any] = []

    def open_tab(size: tuple[int, int] = WIDE, **options: Any) -> "Tab":
        context = browser.new_context(
            base_url=place.address, viewport={"width": size[0], "height": size[1]}, **options
        )
        contexts.append(context)
        tab = context.new_page()
        tab.on("console", lambda said: complaints.append(f"{tab.url}: {said.text}"))
        tab.on("pageerror", lambda error: complaints.append(str(error)))
        tab.on(
            "request",
            lambda asked: (
                None
                if asked.url.startswith((place.address, "data:"))
                else complaints.append(asked.url)
            ),
        )
        return tab

    yield open_tab
    for context in contexts:
        context.close()
    # The console says so, too, of the page that there is not and of the token that is wrong.
    statuses = ("/nowhere: Failed to load resource", "401 (Unauthorized)")
    assert [said for said in complaints if not any(known in said for known in statuses)] == []


def sign_in(tab: "Tab", token: str, to: str = "/") -> None:
    """Sign in, as one does by hand."""
    tab.goto(f"/signin?to={to}")
    tab.get_by_label("Token").fill(token)
    tab.get_by_role("button", name="Sign in").click()
    tab.wait_for_url(f"**{to}")


def reach(tab: "Tab", role: str, name: str) -> None:
    """Go on with the tabulator until a control has the focus."""
    wanted = tab.get_by_role(role, name=name).first  # type: ignore[arg-type]
    for _ in range(60):
        tab.keyboard.press("Tab")
        if wanted.evaluate("element => element === document.activeElement"):
            return
    raise AssertionError(f"the tabulator does not reach {name!r}")


def test_a_participant_uploads_a_file_and_compares_runs_with_the_keyboard(
    tab_of: Callable[..., "Tab"], place: Place, tmp_path: Path, right: Mapping[str, str]
) -> None:
    tab = tab_of()
    tab.goto("/signin?to=/submissions")
    reach(tab, "textbox", "Token")
    tab.keyboard.type("snellen_wrong")
    tab.keyboard.press("Enter")
    tab.get_by_role("alert").wait_for()
    tab.get_by_label("Token").focus()
    tab.keyboard.type(place.tokens["ada"])
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/submissions")
    file = tmp_path / "answers.jsonl"
    file.write_text(as_lines(dict(list(right.items())[:9])))
    tab.get_by_label("File").set_input_files(file)
    reach(tab, "textbox", "Name on the leaderboard")
    tab.keyboard.type("Nine of twelve")
    reach(tab, "button", "Upload")
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/submissions/sub_*")
    # The page looks again by itself until the file is graded.
    tab.get_by_role("heading", name="Scores").wait_for(timeout=60_000)
    assert "75.0 %" in tab.locator("main").inner_text()
    reach(tab, "combobox", "Another submission")
    tab.keyboard.type("Half")
    reach(tab, "button", "Compare item by item")
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/compare?*")
    said = tab.locator("main").inner_text()
    assert "+25.0 points" in said
    assert "Nine of twelve scores higher on 3 items, Half of them on 0; 9 are the same." in said
    reach(tab, "link", "Leaderboard")
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/leaderboard")
    names = tab.locator("tbody th").all_inner_texts()
    for name, text in zip(
        ("A model with every answer", "Nine of twelve", "Half of them"), names, strict=True
    ):
        assert text.startswith(name)
    reach(tab, "button", "Sign out")
    tab.keyboard.press("Enter")
    tab.get_by_role("link", name="Sign in").wait_for()


def test_an_organizer_decides_without_scripts(tab_of: Callable[..., "Tab"], place: Place) -> None:
    tab = tab_of(java_script_enabled=False)
    sign_in(tab, place.tokens["root"], "/organize")
    run = f"/submissions/{place.runs[1]}"
    tab.goto(run)
    form = tab.locator("form").filter(has=tab.get_by_role("button", name="Remove"))
    form.get_by_label("Why").fill("made with the references")
    form.get_by_role("button").click()
    tab.get_by_text("It was taken off the leaderboard: made with the references").wait_for()
    tab.goto("/leaderboard")
    assert tab.locator("tbody tr").count() == 1
    tab.goto(run)
    form = tab.locator("form").filter(has=tab.get_by_role("button", name="Put back"))
    form.get_by_label("Why").fill("it was not")
    form.get_by_role("button").click()
    tab.get_by_role("button", name="Remove").wait_for()
    tab.goto("/organize")
    tab.get_by_label("Name", exact=True).fill("bob")
    tab.get_by_label("take").check()
    tab.get_by_role("button", name="Make a token").click()
    token = tab.get_by_role("alert").locator("code").inner_text()
    assert token.startswith("snellen_")
    known = {"Authorization": f"Bearer {token}"}
    items = f"{place.address}/v1/exams/sample/items"
    assert httpx2.get(items, headers=known).status_code == 200
    tab.get_by_role("button", name="Revoke bob").click()
    tab.get_by_role("cell", name="revoked").wait_for()
    assert httpx2.get(items, headers=known).status_code == 401
    said = tab.get_by_role("region", name="What was changed").inner_text()
    assert [said.count(word) for word in ("removed", "restored", "token", "revoked")] == [
        1,
        1,
        1,
        1,
    ]


def test_an_organizer_invites_and_a_person_joins_on_a_telephone_without_scripts(
    tab_of: Callable[..., "Tab"], place: Place
) -> None:
    boss, tab = [tab_of(NARROW, java_script_enabled=False) for _ in range(2)]
    sign_in(boss, place.tokens["root"], "/organize")
    boss.get_by_role("link", name="Invitations and requests").click()
    boss.get_by_label("Note").fill("the lab")
    boss.get_by_role("button", name="Make an invitation").click()
    tab.goto(boss.get_by_role("alert").locator("code").inner_text())
    tab.get_by_label("Name", exact=True).fill("zoe")
    tab.get_by_label("New team").fill("lab")
    tab.get_by_role("button", name="Join").click()
    tab.get_by_role("heading", name="You joined as zoe").wait_for()
    token = tab.get_by_role("alert").locator("code").inner_text()
    assert f"export SNELLEN_TOKEN={token}" in tab.locator("pre").inner_text()
    for each in (boss, tab):
        assert each.locator("html").evaluate("it => it.scrollWidth") == NARROW[0]
    sign_in(tab, token, "/submissions")
    tab.get_by_text("Signed in as lab").wait_for()
    # Of what a person asks for, an organizer decides.
    other = tab_of(NARROW, java_script_enabled=False)
    other.goto("/join")
    other.get_by_label("Name", exact=True).fill("kim")
    other.get_by_role("button", name="Ask to join").click()
    asked = other.get_by_role("alert").locator("code").inner_text()
    boss.goto("/organize/signup")
    boss.get_by_role("button", name="Approve kim").click()
    boss.get_by_text("There is none.").wait_for()
    sign_in(other, asked, "/submissions")


def test_a_phone_shows_the_scores_of_ones_submissions(
    tab_of: Callable[..., "Tab"], place: Place
) -> None:
    tab = tab_of(NARROW)
    sign_in(tab, place.tokens["ada"], "/submissions")
    for row in tab.locator("tbody tr").all():
        cell = row.locator("td").first
        assert "%" in cell.inner_text()
        box = cell.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= NARROW[0]


def shown(place: Place) -> dict[str, str]:
    """Return every page by a name, as an admin sees them."""
    item = next(iter(json.loads(line)["item"]["id"] for line in _items()))
    one, other = place.runs
    return {
        "exam": "/",
        "leaderboard": "/leaderboard",
        "items": "/items",
        "item": f"/item?item={item}",
        "submissions": "/submissions",
        "submission": f"/submissions/{one}",
        "compare": f"/compare?one={one}&other={other}",
        "organize": "/organize",
        "sign-up": "/organize/signup",
        "join": "/join",
        "alike": "/organize/alike",
        "annotations": "/annotate",
        "text": "/annotate/texts",
        "answers": "/annotate/texts/answers",
        "organized annotations": "/organize/annotations",
        "report of raters": "/organize/annotations/texts",
        "api": "/api",
        "signin": "/signin",
        "nowhere": "/nowhere",
    }


def _items() -> list[str]:
    return (exam_folder("wireframes") / "items.jsonl").read_text(encoding="utf-8").splitlines()


def test_axe_finds_nothing_grave_and_no_page_scrolls_sideways(
    tab_of: Callable[..., "Tab"], place: Place
) -> None:
    # It has no types.
    axe: Any = import_module("axe_playwright_python.sync_playwright").Axe()
    found: dict[str, list[str]] = {}
    for width, height, scheme in LOOKS:
        tab = tab_of((width, height), color_scheme=scheme)
        sign_in(tab, place.tokens["root"])
        for name, path in shown(place).items():
            tab.goto(path)
            faults = [
                f"{fault['id']}: {node['html'][:120]}"
                for fault in axe.run(tab).response["violations"]
                if fault["impact"] in GRAVE
                for node in fault["nodes"]
            ]
            wide = tab.evaluate("document.documentElement.scrollWidth")
            if wide > width:
                faults.append(f"it is {wide} px wide")
            if faults:
                found[f"{name}, {width} px, {scheme}"] = faults
    assert found == {}


def test_axe_finds_nothing_grave_on_the_list_of_several_exams(
    tmp_path: Path, serve: Callable[..., Any], browser: "Browser"
) -> None:
    axe: Any = import_module("axe_playwright_python.sync_playwright").Axe()
    files = [tmp_path / f"{name}.toml" for name in ("spring", "autumn")]
    for file in files:
        text = EXAM.replace("sample", file.stem).replace("exam.sqlite", f"{file.stem}.sqlite")
        file.write_text(text.format(pack=exam_folder("wireframes")))
    address = serve(*map(str, files)).url.removesuffix("/spring/mcp")
    for width, height, scheme in LOOKS:
        size: Any = {"width": width, "height": height}
        look: Any = scheme
        tab = browser.new_page(viewport=size, color_scheme=look)
        tab.goto(address)
        found = axe.run(tab).response["violations"]
        assert [fault for fault in found if fault["impact"] in GRAVE] == []
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        tab.get_by_role("link", name="Screens, spring").nth(1).click()
        assert tab.url == f"{address}/autumn/"
        tab.close()


BOXES, POINTS = "visualwebbench/action_ground_bbox", "mmbench-gui/l2_advanced"


@pytest.fixture
def places(serve: Callable[..., Any], store: Path) -> Place:
    """Return a server on which places are annotated: by elements, and by corners."""
    database = open_store(store)
    pack = open_pack(exam_folder("sample-full"))
    service = Annotations([pack], database)
    targets = open_references(pack).golds[BOXES]
    elements = {
        (BOXES, item): [(0.0, 0.0, 1280.0, 600.0), targets[item].bbox] for item in pack.index[BOXES]
    }
    service.create(AnnotationPlan("elements", pack, (BOXES,), elements=elements))
    service.create(AnnotationPlan("corners", pack, (POINTS,)))
    tokens = {"eve": Tokens(database).create("eve", [Scope.ANNOTATE])}
    database.close()
    address = serve(str(exam_folder("sample-full")), "--store", str(store)).url.removesuffix("/mcp")
    return Place(address, tokens, [])


@pytest.fixture
def rater_tab(
    browser: "Browser", places: Place
) -> Iterator[Callable[[tuple[int, int], str], "Tab"]]:
    """Open tabs of a rater's, without scripts."""
    contexts: list[Any] = []

    def open_tab(size: tuple[int, int], scheme: str) -> "Tab":
        context = browser.new_context(
            base_url=places.address,
            viewport={"width": size[0], "height": size[1]},
            color_scheme=scheme,  # type: ignore[arg-type]
        )
        contexts.append(context)
        tab = context.new_page()
        sign_in(tab, places.tokens["eve"], "/annotate")
        return tab

    yield open_tab
    for context in contexts:
        context.close()


def answered(places: Place, store: Path, name: str) -> list[Any]:
    """Return what raters gave, as the store has it."""
    database = open_store(store)
    try:
        return [
            one.given
            for one in Annotations([open_pack(exam_folder("sample-full"))], database).answers(name)
        ]
    finally:
        database.close()


def test_a_rater_presses_an_element_twice_with_the_mouse_and_with_the_keyboard(
    rater_tab: Callable[..., "Tab"], places: Place, store: Path
) -> None:
    tab = rater_tab(WIDE, "light")
    targets = [
        list(gold.bbox)
        for gold in open_references(open_pack(exam_folder("sample-full"))).golds[BOXES].values()
    ]
    tab.goto("/annotate/elements")
    element = tab.get_by_role("link", name="Element 2 of 2")
    rect = element.locator("rect")
    assert rect.evaluate("it => getComputedStyle(it).stroke") in ("rgba(0, 0, 0, 0)", "none")
    element.hover()
    assert rect.evaluate("it => getComputedStyle(it).stroke") == "rgb(10, 108, 116)"
    element.click()
    tab.get_by_role("button", name="Confirm element 2").click()
    tab.get_by_text("1 of 4 items answered by you").wait_for()
    reach(tab, "link", "Element 2 of 2")
    tab.keyboard.press("Enter")
    # The chosen element gets the focus.
    tab.locator("[aria-label='Confirm element 2']:focus").wait_for()
    tab.keyboard.press("Enter")
    tab.get_by_text("2 of 4 items answered by you").wait_for()
    given = answered(places, store, "elements")
    assert len(given) == 2
    assert all(box in targets for box in given)


def test_two_presses_on_the_image_are_a_box_in_its_own_pixels(
    rater_tab: Callable[..., "Tab"], places: Place, store: Path
) -> None:
    tab = rater_tab(NARROW, "dark")
    tab.goto("/annotate/corners")
    for corner, left, top in (("The first corner", 40, 50), ("The corner across", 240, 150)):
        tab.get_by_role("button", name=corner).click(position={"x": left, "y": top})
        tab.wait_for_load_state()
    tab.get_by_text("Chosen: 40, 50 to 240, 150").wait_for()
    tab.get_by_role("button", name="Confirm").click()
    tab.get_by_text("1 of 4 items answered by you").wait_for()
    assert answered(places, store, "corners") == [[40, 50, 240, 150]]


def test_axe_finds_nothing_grave_where_places_are_chosen(
    rater_tab: Callable[..., "Tab"],
) -> None:
    axe: Any = import_module("axe_playwright_python.sync_playwright").Axe()
    found: dict[str, list[str]] = {}
    for width, height, scheme in (LOOKS[0], LOOKS[-1]):
        tab = rater_tab((width, height), scheme)
        tab.goto("/annotate/elements")
        tab.get_by_role("link", name="Element 2 of 2").click()
        tab.get_by_role("button", name="Confirm element 2").wait_for()
        chosen = tab.url
        for path in ("/annotate/elements", chosen, "/annotate/corners"):
            tab.goto(path)
            faults = [
                f"{fault['id']}: {node['html'][:120]}"
                for fault in axe.run(tab).response["violations"]
                if fault["impact"] in GRAVE
                for node in fault["nodes"]
            ]
            wide = tab.evaluate("document.documentElement.scrollWidth")
            if wide > width:
                faults.append(f"it is {wide} px wide")
            if faults:
                found[f"{path}, {width} px, {scheme}"] = faults
    assert found == {}
