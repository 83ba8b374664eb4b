"""A stage does each input where it is said, and says what it did not show."""

from collections.abc import Awaitable, Callable
from io import BytesIO

import msgspec
import numpy as np
import pytest
from PIL import Image

from snellen.grading.errors import InputError
from snellen.tasks.environments.base import EpisodeError
from snellen.tasks.environments.inputs import Input, InputKind
from snellen.tasks.environments.stage import Stage

OpenPage = Callable[..., Awaitable[Stage]]

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

EVENTS = """<body style="height:150px"><script>
const seen = [];
for (const name of ["mousedown", "mouseup", "click", "dblclick", "contextmenu", "auxclick"])
  document.addEventListener(name, (event) => {
    event.preventDefault();
    seen.push([name, event.pageX, event.pageY, event.button, event.detail,
      (event.ctrlKey ? "c" : "") + (event.shiftKey ? "s" : "")].join(" "));
  });
</script>"""
FIELD = "<textarea autofocus style='width:180px;height:100px'></textarea>"
VALUE = "() => document.querySelector('textarea').value"


def pixels(shot: bytes) -> "np.ndarray[tuple[int, ...], np.dtype[np.uint8]]":
    return np.asarray(Image.open(BytesIO(shot)).convert("RGB"))


def click(x: float, y: float) -> Input:
    return Input(InputKind.CLICK, ((x, y),))


@pytest.mark.parametrize(
    ("given", "seen"),
    [
        (click(41, 61), ["mousedown 20 30 0 1 ", "mouseup 20 30 0 1 ", "click 20 30 0 1 "]),
        (
            Input(InputKind.CLICK, ((40, 60),), count=2, keys=("Control", "Shift")),
            [
                *("mousedown 20 30 0 1 cs", "mouseup 20 30 0 1 cs", "click 20 30 0 1 cs"),
                *("mousedown 20 30 0 2 cs", "mouseup 20 30 0 2 cs", "click 20 30 0 2 cs"),
                "dblclick 20 30 0 2 cs",
            ],
        ),
        (
            Input(InputKind.CLICK, ((40, 60),), button="middle"),
            ["mousedown 20 30 1 1 ", "mouseup 20 30 1 1 ", "auxclick 20 30 1 1 "],
        ),
    ],
)
async def test_a_click_has_its_place_button_count_and_held_keys(
    open_page: OpenPage, given: Input, seen: list[str]
) -> None:
    stage = await open_page(EVENTS)
    assert await stage.act(given) == ""
    assert await stage.run("() => seen") == seen
    assert stage.pointer == given.path[0]


async def test_a_right_click_asks_for_the_context_menu(open_page: OpenPage) -> None:
    stage = await open_page(EVENTS)
    await stage.act(Input(InputKind.CLICK, ((40, 60),), button="right"))
    seen = await stage.run("() => seen.map((each) => each.split(' ')[0])")
    assert isinstance(seen, list)
    assert sorted(map(str, seen)) == ["auxclick", "contextmenu", "mousedown", "mouseup"]


async def test_keys_held_in_a_click_are_released_after_it(open_page: OpenPage) -> None:
    stage = await open_page(EVENTS)
    await stage.act(Input(InputKind.CLICK, ((40, 60),), keys=("Shift",)))
    await stage.run("() => { seen.length = 0 }")
    await stage.act(click(40, 60))
    assert await stage.run("() => seen.at(-1)") == "click 20 30 0 1 "


async def test_a_press_and_a_release_happen_where_the_pointer_is(open_page: OpenPage) -> None:
    stage = await open_page(EVENTS)
    await stage.act(Input(InputKind.MOVE, ((100, 80),)))
    await stage.act(Input(InputKind.DOWN))
    await stage.act(Input(InputKind.UP, ((120, 80),)))
    assert await stage.run("() => seen.slice(0, 2)") == [
        "mousedown 50 40 0 1 ",
        "mouseup 60 40 0 1 ",
    ]


DRAGGED = """<div id=box style="position:absolute;left:10px;top:10px;width:20px;height:20px;
background:red"></div><script>
let held = false; const path = [];
box.onmousedown = (event) => { held = true; event.preventDefault(); };
onmousemove = (event) => { if (held) {
  box.style.left = event.pageX - 10 + "px"; box.style.top = event.pageY - 10 + "px";
  path.push([event.pageX, event.pageY]); } };
onmouseup = () => { held = false; };
</script>"""


async def test_a_drag_follows_its_path(open_page: OpenPage) -> None:
    stage = await open_page(DRAGGED)
    await stage.act(Input(InputKind.DRAG, ((40, 40), (240, 40), (240, 200))))
    assert await stage.run("() => [box.style.left, box.style.top]") == ["110px", "90px"]
    path = await stage.run("() => path")
    assert isinstance(path, list)
    assert [120, 20] in path
    assert len(path) > 10


async def test_a_drag_of_one_point_begins_at_the_pointer(open_page: OpenPage) -> None:
    stage = await open_page(DRAGGED)
    await stage.act(Input(InputKind.MOVE, ((40, 40),)))
    await stage.act(Input(InputKind.DRAG, ((200, 100),)))
    assert await stage.run("() => [box.style.left, box.style.top]") == ["90px", "40px"]


async def test_a_scroll_is_in_pixels_of_the_screenshot_and_at_rest_after_it(
    open_page: OpenPage,
) -> None:
    stage = await open_page("<div style='height:2000px;width:1000px'></div>")
    await stage.act(Input(InputKind.SCROLL, ((40, 40),), scroll=(60, 300)))
    assert await stage.run("() => [scrollX, scrollY]") == [30, 150]
    await stage.act(Input(InputKind.SCROLL, scroll=(0, -100)))
    assert await stage.run("() => [scrollX, scrollY]") == [30, 100]
    assert stage.pointer == (200, 150)


@pytest.mark.parametrize("text", ["plain", "Grüße 中文 ✓ 🙂 é", "two\nlines", "ab" * 1000])
async def test_any_text_can_be_typed(open_page: OpenPage, text: str) -> None:
    stage = await open_page(FIELD)
    await stage.act(Input(InputKind.TYPE, text=text))
    assert await stage.run(VALUE) == text


LINES = ("Ünder the line.\t" * 8 + "\n") * 15
"""A text of almost 2,000 characters."""


async def test_a_long_text_is_typed_with_a_key_for_each_line(open_page: OpenPage) -> None:
    counting = "<script>keys = 0; addEventListener('keydown', () => keys++)</script>"
    page = await open_page(FIELD + counting)
    await page.act(Input(InputKind.TYPE, text=LINES))
    assert await page.run(VALUE) == LINES
    # Enter after each line; no keyboard has the first letter.
    assert await page.run("() => keys") == LINES.count("\n")
    await page.act(Input(InputKind.TYPE, text="k" * 100))
    assert await page.run("() => keys") == LINES.count("\n") + 100
    await page.act(Input(InputKind.TYPE, text="k" * 101))
    assert await page.run("() => keys") == LINES.count("\n") + 101
    assert await page.run(VALUE) == LINES + "k" * 201


@pytest.mark.parametrize(
    ("kind", "held"),
    [
        (InputKind.SCROLL, ["false true"]),
        (InputKind.DRAG, [f"false{' true' * moves}" for moves in range(3, 9)]),
    ],
)
async def test_keys_are_held_while_it_scrolls_or_drags(
    open_page: OpenPage, kind: InputKind, held: list[str]
) -> None:
    page = await open_page(
        "<body style='height:4000px'><script>held = [];"
        "for (const name of ['wheel', 'mousedown', 'mouseup', 'mousemove'])"
        "  addEventListener(name, (event) => held.push(event.ctrlKey), {passive: false})"
        "</script>"
    )
    path = ((20.0, 20.0),) if kind is InputKind.SCROLL else ((20.0, 20.0), (60.0, 60.0))
    await page.act(Input(kind, path, scroll=(0, 40), keys=("Control",)))
    # The mouse goes to its place before the keys are held.
    assert await page.run("() => held.join(' ')") in held
    # Nothing is zoomed.
    assert await page.run("() => [devicePixelRatio, innerWidth]") == [2, 200]
    await page.act(Input(InputKind.MOVE, ((30.0, 30.0),)))
    assert await page.run("() => held.at(-1)") is False


async def test_keys_are_pressed_together(open_page: OpenPage) -> None:
    stage = await open_page(FIELD)
    await stage.act(Input(InputKind.TYPE, text="some words"))
    await stage.act(Input(InputKind.KEY, keys=("Control", "a")))
    await stage.act(Input(InputKind.KEY, keys=("Shift", "x")))
    assert await stage.run(VALUE) == "X"
    for key in ("Backspace", "é", "+", "Enter"):
        await stage.act(Input(InputKind.KEY, keys=(key,)))
    assert await stage.run(VALUE) == "é+\n"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (click(400, 10), r"\(400, 10\) is outside the screen of 400 x 300 pixels"),
        (click(float("nan"), 10), "outside the screen"),
        (Input(InputKind.MOVE), "move needs a point"),
        (Input(InputKind.KEY, keys=("Hyper",)), "there is no key 'Hyper'"),
        (Input(InputKind.CLICK, keys=("é",)), "there is no key 'é'"),
        (Input(InputKind.KEY), "no key is named"),
        (Input(InputKind.CLICK, count=4), "single, double or triple"),
        (Input(InputKind.SCROLL, scroll=(0, float("inf"))), "can't scroll"),
        (Input(InputKind.WAIT, seconds=60), "can't wait 60 s"),
        (Input(InputKind.TYPE, text="x" * 1_000_000), "1,000,000 characters; the limit is 2,000"),
        (Input(InputKind.TYPE, text="\ud800"), "not Unicode"),
    ],
)
async def test_what_can_not_be_done_changes_nothing(
    open_page: OpenPage, given: Input, said: str
) -> None:
    stage = await open_page(EVENTS)
    with pytest.raises(InputError, match=said):
        await stage.act(given)
    assert await stage.run("() => seen") == []


LIST = """<style>div{width:80px;height:40px;overflow:auto}p{height:30px}</style><div id=list>
<p>one<p>two<p>three</div><p id=goal>goal</p><button>go</button><script>const seen = [];
for (const name of ["mousedown", "mouseup", "dblclick", "contextmenu", "mousemove", "wheel"])
  addEventListener(name, (event) => { const last = `${name} ${event.target.textContent}`;
    if (seen.at(-1) !== last) seen.push(last); });
</script>"""
THREE, GOAL, GO = (1, 0, 2), (1, 1), (1, 2)


@pytest.mark.parametrize(
    ("given", "seen"),
    [
        (Input(InputKind.CLICK, element=THREE, count=2),
         ["mousedown three", "mouseup three", "mousedown three", "mouseup three",
          "dblclick three"]),
        (Input(InputKind.CLICK, element=GO, button="right"),
         ["mousedown go", "contextmenu go", "mouseup go"]),
        (Input(InputKind.MOVE, element=THREE), []),
        (Input(InputKind.SCROLL, element=THREE, scroll=(0, -8)), ["wheel three"]),
        (Input(InputKind.DOWN, element=GO), ["mousedown go"]),
        (Input(InputKind.DRAG, element=THREE, onto=GOAL), ["mousedown three", "mouseup goal"]),
    ],
)  # fmt: skip
async def test_an_input_happens_at_the_middle_of_its_element(
    open_page: OpenPage, given: Input, seen: list[str]
) -> None:
    stage = await open_page(LIST)
    assert await stage.act(given) == ""
    assert await stage.run("() => seen.filter((each) => !each.startsWith('mousemove'))") == seen
    assert "mousemove three" in str(await stage.run("() => seen")) or given.element == GO


async def test_an_element_is_scrolled_to_no_farther_than_needed(open_page: OpenPage) -> None:
    stage = await open_page(f"{LIST}<p style='margin-top:200px'>end</p>")
    await stage.act(Input(InputKind.MOVE, element=GO))
    assert await stage.run("() => [scrollY, list.scrollTop]") == [0, 0]
    await stage.act(Input(InputKind.CLICK, element=THREE))
    assert await stage.run("() => [scrollY, list.scrollTop]") == [0, 50]
    # The middle of its row, 30 CSS pixels high at the end of a list of 40.
    assert stage.pointer == (80, 50)


async def test_a_stored_input_at_an_element_is_repeated_in_another_page(
    open_page: OpenPage,
) -> None:
    page, given = LIST + FIELD, Input(InputKind.CLICK, element=(1, 4))
    stored = msgspec.json.encode(given)
    assert stored == b'{"kind":"click","element":[1,4]}'
    assert msgspec.json.encode(click(1, 2)) == b'{"kind":"click","path":[[1,2]]}'
    states: list[object] = []
    for each in (given, msgspec.json.decode(stored, type=Input)):
        stage = await open_page(page, time="stepped")
        await stage.act(each)
        await stage.act(Input(InputKind.TYPE, text="word"))
        states.append(await stage.run("() => [seen, list.scrollTop, Date.now()]"))
        assert "word" in str(await stage.run(VALUE))
    assert states[0] == states[1]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (Input(InputKind.CLICK, element=(1, 9)), "no longer on the page"),
        (Input(InputKind.CLICK, element=(0, 0)), "nothing of it can be shown"),
        (Input(InputKind.DRAG, element=THREE, onto=(1, 0, 9)), "no longer on the page"),
        (Input(InputKind.DRAG, element=THREE), "ends at another one"),
        (Input(InputKind.CLICK, element=THREE, onto=GOAL), "ends at another one"),
        (Input(InputKind.CLICK, ((1, 1),), element=THREE), "can't have an element and a path"),
        (Input(InputKind.TYPE, text="a", element=THREE), "type can't have an element"),
    ],
)
async def test_an_input_at_an_element_that_is_gone_is_refused(
    open_page: OpenPage, given: Input, said: str
) -> None:
    stage = await open_page(LIST)
    with pytest.raises(InputError, match=said):
        await stage.act(given)
    assert await stage.run("() => [seen.length, list.scrollTop]") == [0, 0]
    assert await stage.act(click(10, 10)) == ""


async def test_a_screenshot_has_the_scale_of_the_stage(open_page: OpenPage) -> None:
    stage = await open_page("<body style='background:#0000ff'>")
    shown = pixels(await stage.shot())
    assert shown.shape == (300, 400, 3)
    assert shown[150, 200].tolist() == [0, 0, 255]
    assert stage.size == (400, 300)


async def test_an_input_waits_for_what_the_page_waits_for(open_page: OpenPage) -> None:
    page = """<button style="width:100px;height:50px">go</button><script>
    let open = 0;
    onclick = async () => { open++; for (const each of [1, 2, 3]) {
      const said = await (await fetch("/next", {method: "POST", body: String(each)})).text();
      document.querySelector("button").textContent = said; } open--; };
    </script>"""
    stage = await open_page(page, open_requests="open")
    await stage.act(click(20, 20))
    assert await stage.run("() => document.querySelector('button').textContent") == "heard 3"


async def test_an_input_waits_for_the_page_that_it_leads_to(open_page: OpenPage) -> None:
    stage = await open_page("<a href='/two'>to another page</a>")
    await stage.act(click(20, 20))
    assert await stage.run("() => location.pathname + document.body.textContent") == "/twoheard "


CLOCK = """<script>let ticks = 0; setInterval(() => ticks++, 100);</script>"""


async def test_stepped_time_passes_with_inputs_only(open_page: OpenPage) -> None:
    stage = await open_page(CLOCK, time="stepped")
    start = await stage.run("() => Date.now()")
    assert isinstance(start, int)
    await stage.run("() => { ticks = 0 }")
    await stage.act(click(10, 10))
    assert await stage.run("() => ticks") == 3
    await stage.act(Input(InputKind.WAIT, seconds=2))
    assert await stage.run("() => ticks") == 23
    assert await stage.run("() => Date.now()") == start + 2300


async def test_time_is_stepped_also_where_a_machine_was_slow_to_stop_it(
    open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    from playwright.async_api._generated import Clock

    install = Clock.install

    async def late(clock: Clock, *, time: float) -> None:
        await install(clock, time=time + 15)

    monkeypatch.setattr(Clock, "install", late)
    stage = await open_page(CLOCK, time="stepped")
    await stage.run("() => { ticks = 0 }")
    await stage.act(click(10, 10))
    assert await stage.run("() => ticks") == 3
    assert await stage.run("() => new Date().toISOString()") == "2025-06-16T10:00:01.300Z"


async def test_fixed_time_stands_still_while_timers_run(open_page: OpenPage) -> None:
    stage = await open_page(CLOCK, time="fixed")
    await stage.act(Input(InputKind.WAIT, seconds=0.5))
    ticks = await stage.run("() => ticks")
    assert isinstance(ticks, int)
    assert ticks > 0
    assert await stage.run("() => new Date().toISOString()") == "2025-06-16T10:00:00.000Z"


async def test_what_a_view_does_not_show_is_noted(open_page: OpenPage) -> None:
    links = "<a href='/two' style='display:block;width:100px;height:50px'>link</a>"
    stage = await open_page(f"{links}<input type=file style='display:block'>")
    note = await stage.act(Input(InputKind.CLICK, ((20, 20),), keys=("Control",)))
    assert note == "a second window opened and was closed"
    assert await stage.act(click(20, 110)) == "a choice of files was not opened"
    await stage.run("() => { onclick = () => open('/three') }")
    assert await stage.act(click(300, 250)) == "a second window opened and was closed"
    await stage.run("() => { onclick = () => alert('Are you there?') }")
    assert "'Are you there?'" in await stage.act(click(300, 250))
    assert await stage.act(Input(InputKind.MOVE, ((1, 1),))) == ""


async def test_a_link_to_another_site_leads_nowhere(open_page: OpenPage) -> None:
    stage = await open_page("<a href='https://example.com/'>away</a>")
    await stage.act(click(20, 20))
    assert await stage.run("() => location.href") == "https://page.invalid/"


async def test_each_stage_has_a_clipboard_of_its_own(open_page: OpenPage) -> None:
    mine, other = await open_page(FIELD), await open_page(FIELD)
    for stage, text in ((mine, "mine"), (other, "other")):
        await stage.act(Input(InputKind.TYPE, text=text))
        await stage.act(Input(InputKind.KEY, keys=("Control", "a")))
    await mine.act(Input(InputKind.KEY, keys=("Control", "x")))
    await other.act(Input(InputKind.KEY, keys=("Control", "c")))
    assert await mine.run(VALUE) == ""
    for stage in (mine, other):
        await stage.act(Input(InputKind.KEY, keys=("End",)))
        await stage.act(Input(InputKind.KEY, keys=("Control", "v")))
    assert await mine.run(VALUE) == "mine"
    assert await other.run(VALUE) == "otherother"
    empty = await open_page(FIELD)
    await empty.act(Input(InputKind.KEY, keys=("Control", "v")))
    assert await empty.run(VALUE) == ""


async def test_a_page_has_its_say_in_copying_and_pasting(open_page: OpenPage) -> None:
    stage = await open_page(
        f"""{FIELD}<script>
    document.oncopy = (event) => {{
      event.clipboardData.setData("text/plain", "another"); event.preventDefault(); }};
    </script>"""
    )
    await stage.act(Input(InputKind.TYPE, text="text"))
    for key in ("a", "c", "v"):
        await stage.act(Input(InputKind.KEY, keys=("Control", key)))
    assert await stage.run(VALUE) == "another"
    await stage.run("() => { document.onpaste = (event) => { event.preventDefault() } }")
    await stage.act(Input(InputKind.KEY, keys=("Control", "v")))
    assert await stage.run(VALUE) == "another"


async def test_a_closed_stage_takes_nothing(open_page: OpenPage) -> None:
    stage = await open_page(EVENTS)
    await stage.close()
    await stage.close()
    with pytest.raises(EpisodeError, match="closed"):
        await stage.shot()
