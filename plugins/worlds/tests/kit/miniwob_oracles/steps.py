"""Pages of several steps: dates, searches, mails, posts."""

import math
import random
import re
from collections.abc import Mapping, Sequence
from typing import Any

from miniwob_hand import Hand, pixels

from miniwob_oracles.registry import after, nth, oracle
from snellen.tasks.environments.inputs import Input, InputKind


@oracle("choose-date", "choose-date-easy", "choose-date-medium", "choose-date-nodelay")
async def _choose_date(hand: Hand) -> None:
    await _pick_date(hand, after(hand.goal, r"([\d/]{10})"))
    await hand.submit()


async def _pick_date(hand: Hand, date: str) -> None:
    month, day, year = map(int, date.split("/"))
    await hand.click("#datepicker")
    await hand.wait(1)
    for _ in range(24):
        (shown,) = await hand.texts(".ui-datepicker-title")
        name, shown_year = re.findall(r"(\w+)\s+(\d+)", shown)[0]
        names = (
            "January February March April May June July August September October November December"
        )
        ahead = 12 * (year - int(shown_year)) + month - 1 - names.split().index(name)
        if not ahead:
            break
        await hand.click(f".ui-datepicker-{'next' if ahead > 0 else 'prev'}")
    await hand.click(".ui-datepicker-calendar a", str(day))
    await hand.wait(1)


@oracle("book-flight", "book-flight-nodelay")
async def _flight(hand: Hand) -> None:
    start, end, date = re.findall(r"from: (.*) to: (.*) on ([\d/]+)", hand.goal)[0]
    known: list[str] = await hand.look("() => DOMESTIC_FLIGHTS")
    for field, name in (("#flight-from", start), ("#flight-to", end)):
        await hand.fill(field, next(each for each in known if name in each))
        await hand.wait(1)
        await hand.key("Escape")
    await _pick_date(hand, date)
    await hand.click("#search")
    about = "data-price" if "cheapest" in hand.goal else "data-duration"
    await _least(hand, about, "button.flight-price", most=False)


async def _least(hand: Hand, about: str, button: str, *, most: bool) -> None:
    values = await hand.look(
        "(name) => [...document.querySelectorAll(`[${name}]`)]"
        ".map((each) => +each.getAttribute(name))",
        about,
    )
    await hand.click(button, None, values.index(max(values) if most else min(values)))


@oracle("buy-ticket")
async def _ticket(hand: Hand) -> None:
    about = "data-price" if "cost" in hand.goal else "data-duration"
    most = "longest" in hand.goal or "expensive" in hand.goal
    await _least(hand, about, "button.buy-ticket", most=most)


@oracle("find-greatest")
async def _greatest(hand: Hand) -> None:
    values = list(map(int, await hand.texts(".card-value")))
    await hand.click(".card", None, values.index(max(values)))
    await hand.submit()


@oracle("generate-number")
async def _generate(hand: Hand) -> None:
    bound = re.search(r"\d+", hand.goal)
    limit = int(bound[0]) if bound else 0
    for _ in range(40):
        await hand.click("#generate")
        number = int((await hand.texts("#display-number"))[0])
        right = {
            "less": number < limit,
            "greater": number > limit,
            "odd": number % 2 == 1,
            "even": number % 2 == 0,
        }[after(hand.goal, r"(less|greater|odd|even)")]
        if right:
            break
    await hand.submit()


@oracle("hot-cold")
async def _hot(hand: Hand) -> None:
    rings = {"HOT": (0, 5), "WARM": (5, 10), "COLD": (10, 40), "ICE COLD": (40, 999)}
    places = [(x, y) for x in range(5, 155) for y in range(5, 120)]
    chance = random.Random(0)
    for _ in range(60):
        x, y = chance.choice(places)
        await hand.act(Input(InputKind.MOVE, (pixels((x + 0.5, y + 50.5)),)))
        (said,) = await hand.texts("#signal")
        if said == "HOT":
            await hand.at((x + 0.5, y + 50.5))
            return
        near, far = rings[said]
        places = [each for each in places if near <= math.dist(each, (x, y)) < far]


@oracle("order-food")
async def _food(hand: Hand) -> None:
    menu: list[Mapping[str, Any]] = await hand.look("() => MENU")
    names = [str(item["name"]).strip() for item in menu]
    if "one of each" in hand.goal:
        wanted = [index for index, name in enumerate(names) if name in hand.goal]
        for index in wanted:
            await hand.click(".food-item .add", None, index)
    else:
        count, kind = re.findall(r"Order (\d+) items that are (\S+)", hand.goal)[0]
        index = next(index for index, item in enumerate(menu) if kind in item["types"])
        for _ in range(int(count)):
            await hand.click(".food-item .add", None, index)
    await hand.submit("Order!")


@oracle("phone-book")
async def _phone(hand: Hand) -> None:
    name, kind = re.findall(r"Find (.*) in the contact book and click on their (\w+)", hand.goal)[0]
    for page in range(5):
        if await hand.texts("#contact .name") == [name]:
            await hand.click(f"#contact a.{kind}")
            if hand.ended:
                return
        if page < 4:
            await hand.click("#pagination a", ">")


@oracle("search-engine")
async def _engine(hand: Hand) -> None:
    index = nth(hand.goal)
    await hand.fill("#search-text", hand.quoted[0])
    await hand.click("#search")
    if index // 3:
        await hand.click("#pagination a", str(index // 3 + 1))
    await hand.click("#page-content a", None, index % 3)


@oracle("social-media")
async def _social(hand: Hand) -> None:
    user, action = re.findall(r'user (@\S+), click on the "(.*)" button', hand.goal)[0]
    index = (await hand.texts(".media .username")).index(user)
    kind = await hand.look(
        "(name) => Object.keys(ACTIONS).find((key) => ACTIONS[key] === name)", action
    )
    if kind not in {"reply", "retweet", "like"}:
        # Its image changes under the pointer; until the other one is loaded, it has no size.
        await hand.hover(".media .more", None, index)
        await hand.click(".media .more", None, index)
        await hand.click(f".media ul:not(.hide) .{kind}")
    else:
        await hand.click(f".media .controls > .{kind}", None, index)


@oracle("social-media-all", "social-media-some")
async def _posts(hand: Hand) -> None:
    action, count, user = re.findall(
        r'the "(.*)" button on (all|\d+) posts? by (@\S+) and', hand.goal
    )[0]
    users = await hand.texts(".media .username")
    places = [index for index, each in enumerate(users) if each == user]
    for index in places if count == "all" else places[: int(count)]:
        await hand.click(f".media .{action.lower()}", None, index)
    await hand.submit()


@oracle("sign-agreement")
async def _agreement(hand: Hand) -> None:
    if not hand.quoted:
        await hand.click("#cancel")
        return
    await _scroll_down(hand, "#text-area")
    await hand.fill("#name", hand.quoted[0])
    await hand.click("#area button", hand.quoted[1])


async def _scroll_down(hand: Hand, selector: str, way: int = 1) -> None:
    place = await hand.middle(selector)
    for _ in range(5):
        await hand.act(Input(InputKind.SCROLL, (pixels(place),), scroll=(0, way * 8000)))


@oracle("scroll-text-2")
async def _scroll(hand: Hand) -> None:
    await _scroll_down(hand, "#text-area", 1 if "bottom" in hand.goal else -1)
    await hand.submit()


@oracle("simon-says")
async def _simon(hand: Hand) -> None:
    pushed: list[int] = []
    last = None
    for _ in range(25):
        now = await hand.look("() => document.querySelector('button.push')?.dataset.button ?? null")
        if now and now != last:
            pushed.append(int(now))
        last = now
        await hand.wait(0.2)
    for button in pushed:
        await hand.click(f"#button-{button}")


@oracle("stock-market")
async def _stock(hand: Hand) -> None:
    limit = float(after(hand.goal, r"\$([\d.]+\d)"))
    place = await hand.find("#buy")
    for _ in range(110):
        shown = re.findall(r"[\d.]+", (await hand.texts("#stock-price"))[0])
        if shown and float(shown[0]) <= limit:
            break
        await hand.wait(0.1)
    await hand.at(place)


@oracle(
    *(f"email-inbox{kind}" for kind in ("", "-delete", "-forward", "-important", "-noscroll")),
    *(f"email-inbox{kind}" for kind in ("-reply", "-star-reply", "-forward-nl", "-nl-turk")),
    "email-inbox-forward-nl-turk",
)
async def _email(hand: Hand) -> None:
    fields = await hand.look("() => core.getUtterance().fields ?? core.currentFields ?? null")
    if fields:
        name, task = fields["by"], fields.get("task", "forward")
        text = fields.get("message") or fields.get("to") or ""
    else:
        name = after(hand.goal, r"email by (\w+)")
        task = after(hand.goal, r"(reply|forward|trash|star)")
        text = (hand.quoted or re.findall(r"forward that email to (\w+)", hand.goal) or [""])[0]
    index = (await hand.texts("#main .email-thread .email-sender")).index(name)
    thread = "#main .email-thread"
    if task in {"star", "trash", "delete", "important"}:
        kind = "star" if task in {"star", "important"} else "trash"
        await hand.click(f"{thread} .{kind}", None, index)
        return
    await hand.click(f"{thread} .email-sender", None, index)
    if task == "reply":
        await hand.click("#email .email-reply")
        await hand.fill("#reply-text", text)
        await hand.click("#send-reply")
    else:
        await hand.click("#email .email-forward")
        await hand.fill(".forward-sender", text)
        await hand.click("#send-forward")


@oracle("text-editor")
async def _editor(hand: Hand) -> None:
    everything = "everything" in hand.goal
    await hand.click("#editor .ql-editor p")
    if everything:
        await hand.key("Control", "a")
    else:
        word = after(hand.goal, r"give the text (.*) the (?:style|color)")
        start = await hand.look(
            "(word) => editor.getText().split(/(\\s)/).reduce(([at, hit], each) =>"
            " [at + each.length, hit < 0 && each === word ? at : hit], [0, -1])[1]",
            word,
        )
        await hand.key("Control", "Home")
        await hand.key("ArrowRight", times=start)
        for _ in word:
            await hand.key("Shift", "ArrowRight")
    if "style" in hand.goal:
        style = after(hand.goal, r"style (\w+)")
        names = {"bold": "bold", "italics": "italic", "underlined": "underline"}
        await hand.click(f".ql-{names[style]}")
    else:
        color = after(hand.goal, r"color (\w+)")
        value = await hand.look("(name) => COLOR_MAP[name][0]", color)
        await hand.click(".ql-color .ql-picker-label")
        await hand.wait(0.5)
        await hand.click(f'.ql-color .ql-picker-item[data-value="{value}"]')
    await hand.submit()


@oracle("tic-tac-toe")
async def _noughts(hand: Hand) -> None:
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]

    def worth(state: Sequence[int], move: int) -> tuple[int, int, int]:
        after = [*state]
        after[move] = 1
        sums = [sum(after[each] for each in line) for line in lines]
        blocks = sum(move in line and sum(state[each] for each in line) == -2 for line in lines)
        return (
            sums.count(3),
            blocks,
            2 * sums.count(2)
            + (move == 4)
            + sum(move in line and all(state[each] >= 0 for each in line) for line in lines),
        )

    while not hand.ended:
        state: list[int] = await hand.look("() => gameState")
        free = [move for move, value in enumerate(state) if value == 0]
        move = max(free, key=lambda move: worth(state, move))
        await hand.click(f"#ttt-{move}")
