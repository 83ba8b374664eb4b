"""Recoloring: some buttons, all of them, or the whole page to low contrast.

WebRSSBench's script counts a color as changed even if the change is not visible, and allows white
text on yellow. Here exactly `k` buttons get another hue, with `!important` and without pictures
behind it, and a text contrast of at least 3:1. All of that is measured afterwards.
"""

from collections.abc import Sequence
from functools import partial
from random import Random
from typing import TYPE_CHECKING

from snellen.build.perturb.base import Attempted, ChangeMaker, Check, Declined
from snellen.build.screen.buttons import labelled_buttons, primary_button
from snellen.build.screen.contrast import LEGIBLE, contrast, hue_distance, saturation
from snellen.build.screen.elements import MARKED, After, Element, Screen

if TYPE_CHECKING:
    from playwright.sync_api import Page

TOO_FEW = "fewer than two buttons"
NOT_RECOLORED = "a button kept its color"
ILLEGIBLE = "a text's contrast is below 3:1"
NOT_PALE = "the page kept its contrast"

STRONG = (
    "#d50000", "#c51162", "#aa00ff", "#6200ea", "#304ffe", "#0277bd", "#00838f", "#00796b",
    "#2e7d32", "#827717", "#ff6d00", "#ffd600", "#00e5ff", "#76ff03",
)  # fmt: skip
"""Conspicuous colors; black, white and grays are not among them."""

SHARES = (0.1, 0.3)
PALE = {"page": "#fafafa", "text": "#bfbfbf", "button": "#ededed", "button_text": "#c9c9c9"}
"""Source: WebRSSBench, appendix, algorithm 2."""

_HUES_APART = 40.0
_TOLERANCE = 0.5

_PAINT = """(jobs) => {
  for (const { selector, background, color } of jobs) {
    const button = document.querySelector(selector);
    button.style.setProperty("background-image", "none", "important");
    button.style.setProperty("background-color", background, "important");
    for (const part of [button, ...button.querySelectorAll("*")]) {
      part.style.setProperty("color", color, "important");
      if (part !== button) {
        part.style.setProperty("background", "none", "important");
      }
    }
  }
}"""

_WASH = """({ pale, selectors }) => {
  const style = document.createElement("style");
  // An id that is nowhere, so that no other rule that is important is more specific.
  const all = "*:not(#snellen#snellen)";
  style.textContent = `
    html:not(#snellen), body:not(#snellen) { background: ${pale.page} !important; }
    ${all}:not(img):not(video):not(canvas):not(svg):not(svg *) {
      background-color: ${pale.page} !important; background-image: none !important;
      color: ${pale.text} !important; text-shadow: none !important;
      border-color: ${pale.button} !important;
    }
    ${all}[data-snellen-pale], [data-snellen-pale] ${all} {
      background-color: ${pale.button} !important; color: ${pale.button_text} !important;
    }
    ::placeholder { color: ${pale.text} !important; }`;
  document.head.append(style);
  for (const selector of selectors) {
    document.querySelector(selector).setAttribute("data-snellen-pale", "");
  }
}"""


def recolor(
    page: "Page", screen: Screen, random: Random, *, every: bool = False
) -> Attempted | Declined:
    """Give some buttons, or all, a strong color of another hue.

    Of n buttons, `clamp(round(p n), 1, n)` are changed, with p drawn from 0.1..0.3; all n if
    `every`.
    """
    action = primary_button(screen)
    if isinstance(action, str):
        return Declined(action)
    candidates = labelled_buttons(screen)
    if len(candidates) < 2:
        return Declined(TOO_FEW)
    share = 1.0 if every else random.uniform(*SHARES)
    count = min(max(round(share * len(candidates)), 1), len(candidates))
    chosen = sorted(random.sample(candidates, count), key=lambda button: button.id)
    painted = {button.id: _paint_for(button, random) for button in chosen}
    page.evaluate(
        _PAINT,
        [
            {"selector": MARKED % number, "background": background, "color": color}
            for number, (background, color) in painted.items()
        ],
    )
    return Attempted(
        elements=list(painted),
        record={
            "share": round(share, 4),
            "buttons": len(candidates),
            "recolored": count,
            "colors": {str(number): colors for number, colors in painted.items()},
            "contrasts": {
                str(number): round(contrast(*colors), 3) for number, colors in painted.items()
            },
            "action": action.id,
        },
        kept=sorted({action.id, *painted}),
        tolerance=_TOLERANCE,
        checks=[_recolored(chosen), _legible(list(painted))],
    )


def wash_out(page: "Page", screen: Screen, random: Random) -> Attempted | Declined:
    """Give the whole page the low contrast of WebRSSBench's second algorithm; texts are kept."""
    action = primary_button(screen)
    if isinstance(action, str):
        return Declined(action)
    numbers = [button.id for button in labelled_buttons(screen)]
    page.evaluate(_WASH, {"pale": PALE, "selectors": [MARKED % number for number in numbers]})
    return Attempted(
        elements=numbers,
        record={
            **PALE,
            "text_contrast": round(contrast(PALE["text"], PALE["page"]), 4),
            "button_contrast": round(contrast(PALE["button_text"], PALE["button"]), 4),
            "action": action.id,
        },
        kept=numbers,
        tolerance=_TOLERANCE,
        checks=[_pale(numbers)],
    )


def _paint_for(button: Element, random: Random) -> tuple[str, str]:
    """Return a background of another hue, and a legible text color."""
    grey = not button.background or saturation(button.background) < 0.15
    fitting = [
        color for color in STRONG if grey or hue_distance(color, button.background) >= _HUES_APART
    ]
    background = random.choice(fitting)
    if button.color and contrast(button.color, background) >= LEGIBLE:
        return background, button.color
    return background, max(("#ffffff", "#000000"), key=lambda text: contrast(text, background))


def _recolored(chosen: Sequence[Element]) -> Check:
    def check(after: After) -> str | None:
        for button in chosen:
            now = after.elements.get(button.id)
            if now is None or not now.background or now.background == button.background:
                return NOT_RECOLORED
        return None

    return check


def _legible(numbers: Sequence[int]) -> Check:
    def check(after: After) -> str | None:
        for number in numbers:
            now = after.elements[number]
            if contrast(now.color, now.background) < LEGIBLE:
                return ILLEGIBLE
        return None

    return check


def _pale(numbers: Sequence[int]) -> Check:
    def check(after: After) -> str | None:
        for number in numbers:
            now = after.elements.get(number)
            if now is None or not now.background or contrast(now.color, now.background) >= LEGIBLE:
                return NOT_PALE
        return None

    return check


COLOR_CHANGES = (
    ChangeMaker("webrssbench/color", "partial", recolor),
    ChangeMaker("webrssbench/color", "all", partial(recolor, every=True)),
    ChangeMaker("webrssbench/color", "low_contrast", wash_out),
)
