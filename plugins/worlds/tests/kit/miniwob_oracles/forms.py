"""Pages of boxes, lists and sliders."""

import itertools
import re

from miniwob_hand import Hand

from miniwob_oracles.registry import after, nth, oracle


@oracle("click-option")
async def _option(hand: Hand) -> None:
    await hand.click("#boxes label", after(hand.goal, r"Select (.*) and click"))
    await hand.submit()


@oracle("click-checkboxes", "click-checkboxes-large", "click-checkboxes-transfer")
async def _boxes(hand: Hand) -> None:
    names = after(hand.goal, r"Select (.*) and click")
    for name in names.split(", ") if names != "nothing" else ():
        await hand.click("#area label", name)
    await hand.submit()


@oracle("click-checkboxes-soft")
async def _synonyms(hand: Hand) -> None:
    groups: list[list[str]] = await hand.look("() => SYNONYMS")
    labels = await hand.texts("#boxes label")
    for name in after(hand.goal, r"similar to (.*) and click").split(", "):
        group = next(
            group for group in groups if name in group and any(each in group for each in labels)
        )
        await hand.click("#boxes label", next(each for each in labels if each in group))
    await hand.submit()


@oracle("click-scroll-list")
async def _scroll_list(hand: Hand) -> None:
    names = after(hand.goal, r"Select (.*) from the scroll list").split(", ")
    known = await hand.texts("#options option")
    # A country's name may hold a comma.
    chosen = [name for name in known if name in ", ".join(names)]
    wanted = [name for name in chosen if not any(name in other != name for other in chosen)]
    for name in wanted:
        await hand.click("#options option", name, 0, "Control")
    await hand.submit()


@oracle("choose-list")
async def _list(hand: Hand) -> None:
    name = after(hand.goal, r"Select (.*) from the list")
    await hand.click("#options")
    await hand.click("#options option", name)
    await hand.submit()


@oracle("form-sequence-3")
async def _dropdown(hand: Hand) -> None:
    await hand.click("#dropdown-container .selectric")
    await hand.wait(0.5)
    await hand.click(".selectric-items li", after(hand.goal, r"Choose (.*) from the dropdown"))
    await hand.wait(0.5)
    await hand.click("#buttons button", hand.quoted[0])


async def _slide(hand: Hand, slider: str, value: int, label: str) -> None:
    # A handle takes arrow keys, and Page keys for a fifth of the way.
    await hand.click(f"{slider} .ui-slider-handle")
    now = int((await hand.texts(label))[0])
    key = "ArrowRight" if value > now else "ArrowLeft"
    await hand.key(key, times=abs(value - now))


@oracle("use-slider")
async def _slider(hand: Hand) -> None:
    await _slide(hand, "#slider", int(after(hand.goal, r"Select (-?\d+)")), "#val")
    await hand.submit()


@oracle("use-slider-2")
async def _sliders(hand: Hand) -> None:
    for index, value in enumerate(re.findall(r"\d+", hand.goal), 1):
        await _slide(hand, f"#slider-{index}", int(value), f"#val-{index}")
    await hand.submit()


@oracle("form-sequence")
async def _form(hand: Hand) -> None:
    await _slide(hand, "#slider", int(after(hand.goal, r"Select (-?\d+)")), "#val")
    await hand.click(f"#checkbox-{nth(hand.goal) + 1}")
    await hand.submit()


@oracle("form-sequence-2")
async def _form_2(hand: Hand) -> None:
    radio, box = hand.goal.split(" and enter ")
    await hand.click("#area input[type=radio]", None, nth(radio))
    await hand.fill("#area input[type=text]", hand.quoted[0], nth(box))
    await hand.submit()


@oracle("use-spinner")
async def _spinner(hand: Hand) -> None:
    value = int(after(hand.goal, r"Select (-?\d+)"))
    for _ in range(abs(value)):
        await hand.click(f".ui-spinner-{'up' if value > 0 else 'down'}")
    await hand.submit()


@oracle("number-checkboxes")
async def _pattern(hand: Hand) -> None:
    rows: list[list[int]] = await hand.look(f"() => PATTERNS[{hand.quoted[0]}]")
    for index, wanted in enumerate(itertools.chain.from_iterable(rows)):
        if wanted:
            await hand.click("#checkboxes input", None, index)
    await hand.submit()


@oracle("odd-or-even")
async def _odd(hand: Hand) -> None:
    for index, number in enumerate(await hand.texts(".display-number")):
        await hand.click(".odd" if int(number) % 2 else ".even", None, index)
    await hand.submit()
