"""Pages that want a text."""

import re
from collections.abc import Awaitable, Callable

from miniwob_hand import Hand, LostError

from miniwob_oracles.registry import ORACLES, Oracle, after, nth, oracle


def _typing(selector: str, text: Callable[[Hand], Awaitable[str]]) -> Oracle:
    async def oracle(hand: Hand) -> None:
        await hand.fill(selector, await text(hand))
        await hand.submit()

    return oracle


async def _last_quoted(hand: Hand) -> str:
    return hand.quoted[-1]


async def _cased(hand: Hand) -> str:
    return hand.quoted[0].upper() if "upper case" in hand.goal else hand.quoted[0].lower()


async def _word(hand: Hand) -> str:
    words = (await hand.texts("#area p"))[0].split()
    return re.sub(r"[^a-zA-Z]", "", words[nth(hand.goal)])


async def _last_word(hand: Hand) -> str:
    return re.sub(r"[^a-zA-Z]", "", (await hand.texts("#text-area"))[0].split()[-1])


async def _transformed(hand: Hand) -> str:
    return "".join(await hand.texts("#captcha span"))


async def _cell(hand: Hand) -> str:
    cells = await hand.texts("#tab td")
    return cells[cells.index(after(hand.goal, r"value of (.*) into")) + 1]


async def _solved(hand: Hand) -> str:
    (problem,) = await hand.texts("#math-problem")
    left, _, right = problem.partition("=")
    if "x" not in left:
        first, sign, second = left.split()
        return str(int(first) + (int(second) if sign == "+" else -int(second)))
    for value in range(-200, 201):
        first, sign, second = (str(value) if each == "x" else each for each in left.split())
        if int(first) + (int(second) if sign == "+" else -int(second)) == int(right):
            return str(value)
    raise LostError(problem)


async def _arithmetic(hand: Hand) -> str:
    (problem,) = await hand.texts("#math-problem")
    first, sign, second = re.findall(r"\d+|[-+x*÷/]", problem)[:3]
    one, other = int(first), int(second)
    return str({"+": one + other, "-": one - other}.get(sign, one * other))


async def _blocks(hand: Hand) -> str:
    return str(len(await hand.texts(".addition-block")))


ORACLES.update(
    {
        "enter-text": _typing("#tt", _last_quoted),
        "enter-text-dynamic": _typing("#tt", _last_quoted),
        "enter-text-2": _typing("#tt", _cased),
        "find-word": _typing("#answer-input", _word),
        "scroll-text": _typing("#answer-input", _last_word),
        "text-transform": _typing("#tt", _transformed),
        "read-table": _typing("#tt", _cell),
        "simple-algebra": _typing("#math-answer", _solved),
        "simple-arithmetic": _typing("#math-answer", _arithmetic),
        "visual-addition": _typing("#math-answer", _blocks),
    }
)


@oracle("read-table-2")
async def _cells(hand: Hand) -> None:
    cells = await hand.texts("#tab td")
    for index, label in enumerate(await hand.texts("#form label"), 1):
        await hand.fill(f"#tt{index}", cells[cells.index(label.removesuffix(":")) + 1])
    await hand.submit()


@oracle("enter-password")
async def _password(hand: Hand) -> None:
    await hand.fill("#password", hand.quoted[0])
    await hand.fill("#verify", hand.quoted[0])
    await hand.submit()


@oracle("login-user", "login-user-popup")
async def _login(hand: Hand) -> None:
    for field, text in zip(("#username", "#password"), hand.quoted, strict=True):
        await hand.click(field)
        if await hand.texts("#popup-cancel"):
            await hand.click("#popup-cancel")
            await hand.click(field)
        await hand.type(text)
    await hand.click("#subbtn")


@oracle("enter-date")
async def _enter_date(hand: Hand) -> None:
    await hand.click("#tt", None, 0)
    await hand.key("ArrowLeft", times=3)
    await hand.type(after(hand.goal, r"([\d/]{10})").replace("/", ""))
    await hand.submit()


@oracle("enter-time")
async def _enter_time(hand: Hand) -> None:
    hour, minute, half = re.findall(r"(\d+):(\d+)\s*(AM|PM)", hand.goal)[0]
    await hand.click("#tt")
    await hand.key("ArrowLeft", times=3)
    await hand.type(f"{int(hour):02}{minute}{half}")
    await hand.submit()


@oracle("guess-number")
async def _guess(hand: Hand) -> None:
    low, high = 0, 9
    while not hand.ended and low <= high:
        guess = (low + high) // 2
        await hand.at(await hand.find("#tt", where=(0.2, 0.5)))
        await hand.key("Control", "a")
        await hand.type(str(guess))
        await hand.submit()
        if hand.ended:
            return
        lower = await hand.look("() => !document.querySelector('#lower').matches('.hide')")
        low, high = (low, guess - 1) if lower else (guess + 1, high)


@oracle("copy-paste", "copy-paste-2")
async def _copy(hand: Hand) -> None:
    index = nth(hand.goal) if re.search(r"\d(st|nd|rd)", hand.goal) else 0
    await hand.click("#area textarea", None, index)
    await hand.key("Control", "a")
    await hand.key("Control", "c")
    await hand.click("#answer-input")
    await hand.key("Control", "v")
    await hand.submit()


@oracle("highlight-text", "highlight-text-2")
async def _highlight(hand: Hand) -> None:
    many = await hand.texts("#randomText p")
    selector = "#randomText p" if many else "#randomText"
    index = nth(hand.goal) if many else 0
    await hand.find(selector, None, index)
    left, top, width, height = await hand.box(selector, index)
    await hand.drag((left + 0.3, top + 3), (left + width - 0.3, top + height - 3))
    await hand.submit()


@oracle("multi-layouts", "multi-orderings")
async def _search(hand: Hand) -> None:
    genre, name, year = re.findall(r"for (.*) movies directed by (.*) from year (\d+)", hand.goal)[
        0
    ]
    texts = await hand.look(
        "() => [...document.querySelectorAll('#area input')]"
        ".map((each) => each.closest('p, .row, tr, .field, .ui-entry').textContent)"
    )
    for index, label in enumerate(texts):
        value = genre if "enre" in label else name if "irector" in label else year
        await hand.fill("#area input", value, index)
    await hand.click("#area button, #area .final, #area .ui-submit")


@oracle("use-autocomplete", "use-autocomplete-nodelay")
async def _autocomplete(hand: Hand) -> None:
    start, end = (*hand.quoted, "")[:2]
    items: list[str] = await hand.look("() => ITEMS")
    await hand.fill(
        "#tags", next(each for each in items if each.startswith(start) and each.endswith(end))
    )
    await hand.wait(1)
    await hand.key("Escape")
    await hand.submit()


@oracle("terminal")
async def _terminal(hand: Hand) -> None:
    names: list[str] = await hand.look("() => currentFiles")
    if "no file extension" in hand.goal:
        name = next(each for each in names if "." not in each)
    else:
        ending = after(hand.goal, r"extension (\.\S+)")
        name = next(each for each in names if each.endswith(ending))
    await hand.click("#terminal")
    await hand.type(f"rm {name}\n")
