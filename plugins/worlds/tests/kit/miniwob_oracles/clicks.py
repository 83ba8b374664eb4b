"""Pages that want one click, or a few."""

from collections.abc import Callable

from miniwob_hand import Hand, LostError

from miniwob_oracles.registry import ORACLES, Oracle, after, nth, oracle


def _clicking(selector: str, text: Callable[[Hand], str | None] = lambda _: None) -> Oracle:
    async def oracle(hand: Hand) -> None:
        await hand.click(selector, text(hand))

    return oracle


def _quoted(hand: Hand) -> str:
    return hand.quoted[-1]


ORACLES.update(
    {
        "click-test": _clicking("#area button"),
        "click-dialog": _clicking(".ui-dialog-titlebar-close"),
        "focus-text": _clicking("#tt"),
        "click-button": _clicking("#area button", _quoted),
        "unicode-test": _clicking("#area button", _quoted),
        "click-link": _clicking(".alink", _quoted),
        "click-test-2": _clicking("#area button", lambda hand: after(hand.goal, r"button (\w+)")),
        "click-test-transfer": _clicking(
            "#area button", lambda hand: after(hand.goal, r"button (\w+)")
        ),
        "click-tab": _clicking("#area li a", lambda hand: after(hand.goal, r"(Tab #\d)")),
    }
)


@oracle("click-button-sequence")
async def _sequence(hand: Hand) -> None:
    await hand.click("#area button", "ONE")
    await hand.click("#area button", "TWO")


@oracle("button-delay")
async def _delay(hand: Hand) -> None:
    await hand.click("#area button", "ONE")
    await hand.wait(int(after(hand.goal, r"wait (\d)")) - 0.3)
    await hand.click("#area button", "TWO")


@oracle("click-dialog-2")
async def _dialog(hand: Hand) -> None:
    if hand.quoted == ["x"]:
        await hand.click(".ui-dialog-titlebar-close")
    else:
        await hand.click(".ui-dialog-buttonset button", hand.quoted[0])


@oracle("click-color")
async def _color(hand: Hand) -> None:
    color = after(hand.goal, r"the (\w+) colored")
    await hand.click(f"#area [data-color={color}]")


@oracle("click-widget")
async def _widget(hand: Hand) -> None:
    await hand.click(f"[data-type={hand.quoted[0]}]")


@oracle("focus-text-2")
async def _focus(hand: Hand) -> None:
    await hand.click("#area input", None, nth(hand.goal))


@oracle("click-tab-2", "click-tab-2-easy", "click-tab-2-medium", "click-tab-2-hard")
async def _tab(hand: Hand) -> None:
    for index in range(len(await hand.texts("#area li a"))):
        await hand.click("#area li a", None, index)
        if await hand.look(
            "(text) => [...document.querySelectorAll('.alink')]"
            ".some((each) => each.offsetHeight && each.textContent === text)",
            hand.quoted[0],
        ):
            await hand.click(".alink", hand.quoted[0])
            return


@oracle("click-collapsible", "click-collapsible-nodelay")
async def _collapsible(hand: Hand) -> None:
    await hand.click("#area h3")
    await hand.wait(1)
    await hand.submit()


@oracle("click-collapsible-2", "click-collapsible-2-nodelay")
async def _sections(hand: Hand) -> None:
    section = await hand.look(
        "(text) => [...document.querySelectorAll('#area h3')].findIndex((each) =>"
        " [...each.nextElementSibling.querySelectorAll('.alink')]"
        ".some((link) => link.textContent === text))",
        hand.quoted[0],
    )
    await hand.click("#area h3", None, section)
    await hand.wait(1)
    await hand.click(".alink", hand.quoted[0])


@oracle("click-shades")
async def _shades(hand: Hand) -> None:
    color = after(hand.goal, r"shades of (\w+)")
    for index in range(
        await hand.look(f"() => document.querySelectorAll('[data-color={color}]').length")
    ):
        await hand.click(f"[data-color={color}]", None, index)
    await hand.submit()


@oracle("grid-coordinate")
async def _grid(hand: Hand) -> None:
    place = after(hand.goal, r"(\(.*\))")
    await hand.click(f'circle[id="{place}"]')


@oracle("click-menu")
async def _menu(hand: Hand) -> None:
    *path, last = hand.goal.removeprefix("Select ").split(">")
    for name in path:
        await hand.hover("#menu .ui-menu-item-wrapper", name)
        await hand.wait(1)
    await hand.click("#menu .ui-menu-item-wrapper", last)


@oracle("click-menu-2")
async def _icons(hand: Hand) -> None:
    name = await hand.look(
        "() => { const icon = document.querySelector('#query .ui-icon');"
        " if (!icon) return document.querySelector('#query').textContent.match(/.*\"(.*)\"/)[1];"
        " return Object.keys(PROBLEM_SET).find((key) =>"
        " icon.classList.contains(PROBLEM_SET[key])); }"
    )
    await hand.click("#open-menu")
    if name in {"Prev", "Stop", "Play", "Next"}:
        await hand.hover("#menu > li > div", "Playback")
        await hand.wait(1)
    await hand.click("#menu .ui-menu-item-wrapper", name)


@oracle("click-pie", "click-pie-nodelay")
async def _pie(hand: Hand) -> None:
    await hand.click("#divWheel text, #divWheel tspan", "+")
    await hand.wait(2)
    await hand.click("#divWheel text", hand.quoted[0])


@oracle("navigate-tree")
async def _tree(hand: Hand) -> None:
    for _ in range(12):
        if await hand.look(
            "(name) => window[Symbol.for('snellen.oracle')]?.all('#tree span', name).length",
            hand.quoted[0],
        ):
            await hand.click("#tree span", hand.quoted[0])
            return
        await hand.tool("texts", "#tree")
        if await hand.tool("box", ["#tree span", 0]) and await hand.look(
            "(name) => window[Symbol.for('snellen.oracle')].all('#tree span', name).length",
            hand.quoted[0],
        ):
            continue
        await hand.click("#tree li.expandable > .folder")
        await hand.wait(1)
    raise LostError(hand.quoted[0])
