"""Pages that are dragged or drawn on."""

import math
import re
from typing import Final

from miniwob_hand import Hand, LostError

from miniwob_oracles.registry import after, nth, oracle
from snellen.grading.models.actions import Point


@oracle("drag-box")
async def _drag_box(hand: Hand) -> None:
    await hand.drag(await hand.middle("#draggableSmall"), await hand.middle("#draggableLarge"))
    await hand.submit()


@oracle("drag-circle", "drag-single-shape")
async def _drag_one(hand: Hand) -> None:
    x, y = await hand.middle("svg circle, svg rect, svg polygon")
    across, down = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}[
        after(hand.goal, r"Drag the \w+ (\w+)")
    ]
    await hand.drag((x, y), (x + 40 * across, y + 40 * down))
    await hand.submit()


async def _put(
    hand: Hand, marked: str, index: int, goal: tuple[float, float, float, float]
) -> None:
    left, top, width, height = goal
    place = await hand.middle(marked, index)
    for x, y in ((0.35, 0.35), (0.3, 0.5), (0.5, 0.3)):
        await hand.drag(place, (left + x * width, top + y * height))
        now = await hand.box(marked, index)
        if left < now[0] < left + width - 4 and top < now[1] < top + height - 4:
            return
        place = (now[0] + now[2] / 2, now[1] + now[3] / 2)


_TAGS: Final = {"rectangles": "rect", "circles": "circle", "triangles": "polygon"}
_SHAPES: Final = "svg > :not(#shape-container)"


async def _shape_facts(hand: Hand) -> list[tuple[str, str]]:
    found = await hand.look(
        f"() => [...document.querySelectorAll('{_SHAPES}')]"
        ".map((each) => [each.tagName, each.getAttribute('fill')])"
    )
    return [(str(tag), str(fill)) for tag, fill in found]


@oracle("drag-shapes")
async def _drag_shapes(hand: Hand) -> None:
    tag = _TAGS[after(hand.goal, r"all (\w+) into")]
    goal = await hand.box("#shape-container")
    for index, (each, _) in enumerate(await _shape_facts(hand)):
        if each == tag:
            await _put(hand, _SHAPES, index, goal)
    await hand.submit()


@oracle("drag-shapes-2")
async def _drag_shapes_2(hand: Hand) -> None:
    kind = after(hand.goal, r"all (\w+)")
    boxes = await hand.box("#shape-container", 0), await hand.box("#shape-container", 1)
    for index, (tag, fill) in enumerate(await _shape_facts(hand)):
        here = tag == _TAGS.get(kind) or fill == kind
        await _put(hand, _SHAPES, index, boxes[0 if here else 1])
    await hand.submit()


async def _move_item(hand: Hand, index: int, target: int) -> None:
    # Past the middle of the item whose place it takes.
    x, y = await hand.middle("#sortable li", index)
    left, top, width, height = await hand.box("#sortable li", target)
    aside, over = left + width / 2, top + height * (0.75 if target > index else 0.25)
    await hand.drag((x, y), (aside, over - (4 if target < index else -4)), (aside, over))


@oracle("drag-items")
async def _drag_items(hand: Hand) -> None:
    name, where = re.findall(r"Drag (\S+) (.*)", hand.goal)[0]
    index = (await hand.texts("#sortable li")).index(name)
    words = {"top": 0, "bottom": 4, "down": index + 1, "up": index - 1}
    target = next((words[word] for word in words if word in where), None)
    await _move_item(hand, index, nth(where) if target is None else target)


@oracle("drag-items-grid")
async def _drag_grid(hand: Hand) -> None:
    name, where = re.findall(r"Drag (\S+) (.*)\.", hand.goal)[0]
    index = (await hand.texts("#sortable li")).index(name)
    steps = {"up by": -3, "down by": 3, "left by": -1, "right by": 1}
    target = next((index + step for word, step in steps.items() if word in where), None)
    if target is None:
        row = 0 if "top" in where else 2 if "bottom" in where else 1
        column = 0 if "left" in where else 2 if "right" in where else 1
        target = 3 * row + column
    start, end = await hand.middle("#sortable li", index), await hand.middle("#sortable li", target)
    beyond = [b + 4 * ((b > a) - (b < a)) for a, b in zip(start, end, strict=True)]
    await hand.drag(start, (beyond[0], beyond[1]))


@oracle("drag-sort-numbers")
async def _sort(hand: Hand) -> None:
    for target in range(4):
        numbers = list(map(int, await hand.texts("#sortable li")))
        index = numbers.index(sorted(numbers)[target], target)
        if index != target:
            await _move_item(hand, index, target)
            await hand.wait(1)
    await hand.submit()


@oracle("drag-cube")
async def _cube(hand: Hand) -> None:
    x, y = await hand.middle(".viewport")
    for _ in range(40):
        (active,) = await hand.texts(".cube-image.active")
        if active == hand.quoted[0]:
            break
        tilt = await hand.look("() => cube.viewport.positionY")
        # Sides 6 and 1 are above and below; the others follow each other in between.
        if hand.quoted[0] in "16" or not 0 <= tilt <= 45:
            await hand.drag((x, y - 4), (x, y + 4))
        else:
            await hand.drag((x - 6, y), (x + 6, y))
        await hand.wait(1)
    await hand.submit()


@oracle("draw-line")
async def _line(hand: Hand) -> None:
    x, y = await hand.middle("#circ")
    left, top, width, height = await hand.box("svg")
    ends = (
        [(left + 3, y), (left + width - 4, y)]
        if "horizontal" in hand.goal
        else [(x, top + 3), (x, top + height - 4)]
    )
    await hand.drag(*ends)
    await hand.submit()


@oracle("draw-circle")
async def _circle(hand: Hand) -> None:
    x, y = await hand.middle("#circ")
    turns = [2 * math.pi * step / 24 for step in range(25)]
    await hand.drag(*((x + 24 * math.cos(turn), y + 24 * math.sin(turn)) for turn in turns))
    await hand.submit()


@oracle("resize-textarea")
async def _resize(hand: Hand) -> None:
    x, y = await hand.middle(".ui-resizable-se")
    step = 20 if "larger" in hand.goal else -20
    await hand.drag((x, y), (x + step, y) if "width" in hand.goal else (x, y + step))
    await hand.submit()


@oracle("right-angle", "bisect-angle", "find-midpoint", "circle-center")
async def _geometry(hand: Hand) -> None:
    # The page takes a click's place, less the goal's height, for a place of its drawing.
    async def circle(selector: str, index: int = 0) -> Point:
        x, y = await hand.look(
            "([selector, index]) => { const each = document.querySelectorAll(selector)[index];"
            " return [+each.getAttribute('cx'), +each.getAttribute('cy')]; }",
            [selector, index],
        )
        return x, y

    places = [(x, y) for x in range(5, 145) for y in range(5, 125)]
    if await hand.texts("#init-black"):
        vertex, one = await circle("#init-blue"), await circle("#init-black")
        best = min(places, key=lambda place: _off(place, vertex, one, math.pi / 2))
    elif await hand.texts(".init-black"):
        vertex = await circle(".init-blue")
        one, other = await circle(".init-black", 0), await circle(".init-black", 1)
        half = _angle(one, vertex, other) / 2
        best = min(
            places, key=lambda place: max(_off(place, vertex, each, half) for each in (one, other))
        )
    else:
        points = await hand.look("() => document.querySelectorAll('.black-circle').length")
        ends = [await circle(".black-circle", index) for index in range(points)]
        middle = [sum(each[axis] for each in ends) / len(ends) for axis in (0, 1)]
        best = middle[0], middle[1]
    await hand.at((best[0] + 0.5, best[1] + 50.5))
    await hand.submit()


def _angle(one: Point, vertex: Point, other: Point) -> float:
    turn = math.atan2(one[1] - vertex[1], one[0] - vertex[0])
    turn -= math.atan2(other[1] - vertex[1], other[0] - vertex[0])
    return abs((turn + math.pi) % (2 * math.pi) - math.pi)


def _off(place: Point, vertex: Point, one: Point, wanted: float) -> float:
    if math.dist(place, vertex) < 15:
        return 9.0
    return abs(_angle(place, vertex, one) - wanted)


@oracle("use-colorwheel", "use-colorwheel-2")
async def _wheel(hand: Hand) -> None:
    value = await hand.look(
        "() => { const box = document.querySelector('#query .cc');"
        " if (!box) return ui_utils.colorNameToHex(document.querySelector('#query').textContent"
        ".match(/Select (\\w+)/)[1]).slice(1);"
        " return getComputedStyle(box).backgroundColor.match(/\\d+/g)"
        ".map((each) => (+each).toString(16).padStart(2, '0')).join(''); }"
    )
    await hand.click("#col", count=3)
    await hand.key("Control", "a")
    await hand.type(str(value))
    # The color picker covers the button as long as its field has the focus.
    await hand.click("#query")
    await hand.submit()


@oracle("daily-calendar")
async def _calendar(hand: Hand) -> None:
    length, unit, start, end = re.findall(
        r"Create a ([\d.]+) (hour|min)\w* .* between (\d+[AP]M) and (\d+[AP]M)", hand.goal
    )[0]
    halves = round(float(length) * 2) if unit == "hour" else int(length) // 30
    first, last = (2 * (int(each[:-2]) % 12 + 12 * ("P" in each)) for each in (start, end))
    taken = await hand.look(
        "() => [...document.querySelectorAll('.event')].map((each) =>"
        " [parseFloat(each.style.top), parseFloat(each.style.height)])"
    )
    for half in range(first, last - halves + 1):
        top, bottom = half * 20.42 + 4, (half + halves) * 20.42 + 4
        if all(top >= y + height or bottom <= y + 0.5 for y, height in taken):
            break
    else:
        raise LostError(hand.goal)
    await hand.find(f"#hh-{half + halves - 1}")
    begin = await hand.middle(f"#hh-{half}")
    finish = await hand.middle(f"#hh-{half + halves - 1}")
    await hand.drag(
        (begin[0], begin[1] - 3), (finish[0], finish[1] + 2), (finish[0], finish[1] + 3)
    )
    await hand.click("#event-name")
    await hand.type(hand.quoted[0])
    await hand.click("#create-event .create")
