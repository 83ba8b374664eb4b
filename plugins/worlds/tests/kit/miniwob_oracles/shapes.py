"""Pages of shapes."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from miniwob_hand import Hand

from miniwob_oracles.registry import after, oracle


def _fits(shape: Mapping[str, Any], words: Iterable[str], sizes: float) -> bool:
    facts = {
        "large" if shape["size"] > sizes else "small",
        *(shape["color"], shape["type"], shape["text"], "item"),
    }
    return all(word in facts for word in words)


async def _shapes_of(hand: Hand, words: str) -> list[Mapping[str, Any]]:
    # Large ones are 20 pixels wide, small ones 15: MAX_SIZE of `shapes.js`.
    middle = await hand.look("() => shapes.MAX_SIZE * 0.93")
    found: list[Mapping[str, Any]] = await hand.tool("shapes")
    return [shape for shape in found if _fits(shape, words.split(), middle)]


@oracle("click-shape")
async def _shape(hand: Hand) -> None:
    shapes = await _shapes_of(hand, after(hand.goal, r"Click on an? (.*)"))
    await hand.at(shapes[0]["place"])


@oracle("count-shape")
async def _count(hand: Hand) -> None:
    shapes = await _shapes_of(hand, after(hand.goal, r"How many (.*)s are there"))
    await hand.click("#count-buttons button", str(len(shapes)))


@oracle("identify-shape")
async def _identify(hand: Hand) -> None:
    (shape,) = await hand.tool("shapes")
    kind = shape["text"] if shape["type"] == "shape" else shape["type"]
    await hand.click(f"[data-type={kind}]")


@oracle("count-sides")
async def _sides(hand: Hand) -> None:
    # The nearest point of a polygon's edge is its inner radius.
    nearest = await hand.look(
        """() => { const data = c.getContext("2d").getImageData(0, 0, 150, 100).data;
        let least = 99;
        for (let y = 0; y < 100; y++) for (let x = 0; x < 150; x++)
          if (data[4 * (150 * y + x) + 3] > 128)
            least = Math.min(least, Math.hypot(x + 0.5 - 75, y + 0.5 - 50));
        return least + 1.5; }"""
    )
    sides = min(range(3, 8), key=lambda n: abs(35 * math.cos(math.pi / n) - nearest))
    await hand.click("#form button", str(sides))


@oracle("ascending-numbers")
async def _ascending(hand: Hand) -> None:
    await hand.click("svg text", "1")
    for index in range(2, 6):
        await hand.click(f'svg rect[data-index="{index}"]')
