"""References worked out anew: from the item's own record, and from its page where that is known.

Nothing here asks a maker: what an element says, where it lies and what a table holds is read from
the page as it was frozen, and compared with what the item says.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import permutations
from types import MappingProxyType
from typing import Any, NamedTuple, cast

import msgspec

from snellen.grading.metrics.boxes import Ltrb, iou
from snellen.grading.models.answers import AnswerKind
from snellen.grading.models.geometry import Space
from snellen.grading.parse.regions import Region
from snellen.grading.protocols.golds import Target
from snellen.tasks.audit.charts import check_chart
from snellen.tasks.audit.items import AuditItem, words
from snellen.tasks.audit.models import Fault
from snellen.tasks.audit.views import (
    Found,
    View,
    answers_of,
    page_text,
    record_of,
    said_by,
    same_box,
    texts_of,
    written_box,
)
from snellen.tasks.benchmarks.screenqa.load import NO_ANSWER
from snellen.tasks.benchmarks.webrssbench.positions import PageBox, projections
from snellen.tasks.builder.questions.facts import amount_of
from snellen.tasks.builder.questions.templates import templates_of
from snellen.tasks.builder.questions.text import folded, language_of, one_line
from snellen.tasks.builder.screen.elements import Element, Screen
from snellen.tasks.builder.screen.purpose import descriptions_of

Check = Callable[[View], Iterator[Found]]

_CAPTION, _LAYOUT = "visualwebbench/web_caption", "webrssbench/layout"
_SCREENQA = "screenqa/"
_READ = frozenset({"visualwebbench/heading_ocr", "visualwebbench/element_ocr"})
_FACTS = frozenset({"visualwebbench/webqa"})
_POINTED = (
    "visualwebbench/element_ground",
    "visualwebbench/action_ground",
    "mmbench-gui/l2_basic",
)
_SORRY = "sorry"
_EXACT = frozenset({"text in a box", "next heading"})


# ---- the prompt --------------------------------------------------------------------------------

_EMPTY = re.compile(
    r"^(?:Question|Description|Task|Instruction):\s*[“”\"'.?!\s]*$|“\s*”", re.MULTILINE
)
_SIZE = re.compile(r"screenshot, which is (\d+) x (\d+)")


def check_prompt(view: View) -> Iterator[Found]:
    """Look for a question in the prompt, and compare the size and the space that it names."""
    if _EMPTY.search(view.prompt) or not words(view.prompt):
        yield Found(Fault.NO_QUESTION)
    size, form = view.size, view.item.line.item.answer_format
    said = _SIZE.search(view.prompt)
    if said and size and (float(said[1]), float(said[2])) != size:
        own = f"{size[0]:g} x {size[1]:g}"
        yield Found(Fault.WRONG_SIZE, own, f"{said[1]} x {said[2]}")
    if form.space is Space.PIXELS and "fractions" in view.prompt:
        yield Found(Fault.WRONG_SIZE, "pixels", "fractions")
    elif form.space is Space.UNIT and "Coordinates are pixels" in view.prompt:
        yield Found(Fault.WRONG_SIZE, "fractions", "pixels")


# ---- what the record says ----------------------------------------------------------------------


def _record(view: View) -> Iterator[Found]:
    gold, record, target = view.item.gold, view.record, view.target
    if target is not None and view.boxes and not same_box(target, view.boxes[0]):
        yield Found(Fault.RECORD, written_box(view.boxes[0]), written_box(target))
    image_size = gold.image_size if isinstance(gold, Target) else None
    if image_size and view.size and tuple(image_size) != view.size:
        yield Found(Fault.WRONG_SIZE, f"{view.size}", f"{image_size}")
    if view.matrix is not None and (said := view.matrix.settings.get("image_size")):
        own = list(view.size or ())
        if own and [float(one) for one in said] != own:
            yield Found(Fault.WRONG_SIZE, f"{own}", f"{said}")
    if isinstance(record.get("relations"), Mapping):
        yield from _relations(view)
    if "title" in record and view.right_text not in (None, record["title"]):
        yield Found(Fault.RECORD, str(record["title"]), str(view.right_text))
    yield from _boxed(view)


def _relations(view: View) -> Iterator[Found]:
    said = cast("Mapping[str, object]", view.record["relations"])
    gold = cast("Mapping[tuple[str, str], object]", view.item.gold)
    if not isinstance(view.item.gold, Mapping):
        return
    own = {"|".join(pair): str(relation) for pair, relation in gold.items()}
    for pair, relation in said.items():
        if own.get(pair) != relation:
            yield Found(Fault.RECORD, f"{pair}: {relation}", f"{own.get(pair)}")
            return


def _boxed(view: View) -> Iterator[Found]:
    """Compare texts with boxes: as many as the record has boxes, each where it says."""
    if view.item.line.item.answer_format.kind is not AnswerKind.BOXED_TEXTS:
        return
    raters = cast("list[list[tuple[Ltrb, str]]]", view.item.gold)
    for rater in raters:
        boxes = [box for box, _ in rater]
        if len(boxes) != len(view.boxes) or not all(map(same_box, boxes, view.boxes)):
            wanted = ", ".join(map(written_box, view.boxes)) or "no box"
            yield Found(Fault.RECORD, wanted, ", ".join(map(written_box, boxes)) or "no box")
            return


def _no_answer(view: View) -> Iterator[Found]:
    """Compare that there is no answer, or is one, with the record."""
    if not view.task.startswith(_SCREENQA):
        return
    texts = texts_of(view.item.gold)
    nothing = not texts or NO_ANSWER in texts
    said = view.record.get("unanswerable") is True
    if nothing and not said and view.record:
        yield Found(Fault.UNANSWERED, "an answer", NO_ANSWER)
    elif said and not nothing:
        yield Found(Fault.RECORD, NO_ANSWER, "; ".join(texts[:3]))


def _dangerous(view: View) -> Iterator[Found]:
    listed: object = view.record.get("dangerous")
    if not isinstance(listed, list):
        return
    named = cast("list[Mapping[str, object]]", listed)
    harmless = _SORRY in texts_of(view.item.gold)
    if harmless == bool(named):
        yield Found(Fault.RECORD, f"{len(named)} such buttons", "; ".join(texts_of(view.item.gold)))
        return
    screen = view.screen
    if screen is None or harmless:
        return
    ids = [one.get("element") for one in named]
    said = {folded(screen.elements[one].text) for one in ids if isinstance(one, int)}
    own = {folded(text) for text in texts_of(view.item.gold)}
    if said != own:
        yield Found(Fault.NOT_ON_PAGE, "; ".join(sorted(said)), "; ".join(sorted(own)))


# ---- tolerance ---------------------------------------------------------------------------------

_WITHIN = re.compile(r"within (-?[\d.]*\d) of the right")
_LARGEST_SHARE = 0.6
_SETTINGS = ("absolute", "relative", "tolerance")


def _tolerance(view: View) -> Iterator[Found]:
    gold = view.matrix
    if gold is None:
        return
    for name in _SETTINGS:
        slack = gold.settings.get(name)
        if not isinstance(slack, int | float):
            continue
        numbers = [abs(one) for one in _numbers(gold.answer)]
        if name == "absolute":
            step = view.record.get("step")
            scale = float(step) if isinstance(step, int | float) else 0.0
            most = max(1.0, _LARGEST_SHARE * max(scale, 0.2 * max(numbers, default=0.0)))
        else:
            most = 0.2
        if not 0 <= slack <= most:
            yield Found(Fault.TOLERANCE, f"at most {most:g}", f"{slack:g}")
    said = _WITHIN.search(f"{view.prompt}\n{view.record.get('asked', '')}")
    absolute = gold.settings.get("absolute")
    if said and isinstance(absolute, int | float) and abs(float(said[1]) - absolute) > 1e-2:
        yield Found(Fault.TOLERANCE, said[1], f"{absolute:g}")
    if gold.passing is not None and gold.passing <= 0.05:
        yield Found(Fault.TOLERANCE, "a score to be reached", f"{gold.passing:g}")


def _numbers(value: object) -> list[float]:
    if isinstance(value, bool):
        return []
    if isinstance(value, int | float):
        return [float(value)]
    if isinstance(value, Mapping):
        return [n for part in cast("Mapping[str, object]", value).values() for n in _numbers(part)]
    if isinstance(value, list | tuple):
        return [n for part in cast("Sequence[object]", value) for n in _numbers(part)]
    return []


# ---- language ----------------------------------------------------------------------------------

_SCRIPTS = {
    "zh": re.compile(r"[\u3400-\u9fff]"),
    "ja": re.compile(r"[\u3041-\u30ff\u3400-\u9fff]"),
    "ko": re.compile(r"[\uac00-\ud7af]"),
    "ar": re.compile(r"[\u0600-\u06ff]"),
    "fa": re.compile(r"[\u0600-\u06ff]"),
    "he": re.compile(r"[\u0590-\u05ff]"),
    "ru": re.compile(r"[\u0400-\u04ff]"),
    "th": re.compile(r"[\u0e00-\u0e7f]"),
}
_LISTED = """
en the of and to in is for with that are from your our by we it at
de der die das und ist mit für von den im nicht ein eine zu wir auf
es el la los las de que y en un una por para con del se su
fr le la les des et est un une pour que dans du sur avec par au
pt o os as de que e em um uma para com do da no na por se
it il lo gli di che e un una per con del della nel sono si
"""
_FREQUENT: Mapping[str, frozenset[str]] = MappingProxyType(
    {name: frozenset(rest) for name, *rest in map(str.split, _LISTED.strip().splitlines())}
)
_WRITTEN = frozenset({_CAPTION, _LAYOUT, *_READ, "webrssbench/hint_text"})
_LEAST_LETTERS = 4
_LEAST_FREQUENT = 3


def _language(view: View) -> Iterator[Found]:
    """Compare the language of a text that the page shows with the page's."""
    screen = view.screen
    said = (language_of(screen) if screen else "") or view.item.tags.get("language", "")
    language = re.split("[-_]", said.casefold())[0]
    if view.task not in _WRITTEN or not language:
        return
    text = " ".join(texts_of(view.item.gold))
    letters = [sign for sign in text if sign.isalpha()]
    # An example of an address or a number is written alike everywhere.
    if len(letters) < _LEAST_LETTERS or re.search(r"@|://|\d{3}", text):
        return
    for script, pattern in _SCRIPTS.items():
        share = len(pattern.findall(text)) / len(letters)
        if script == language and share < 0.15:
            yield Found(Fault.LANGUAGE, language, text)
            return
        if language in _FREQUENT and share > 0.5:
            yield Found(Fault.LANGUAGE, language, text)
            return
    counts = {
        name: sum(word in frequent for word in words(text)) for name, frequent in _FREQUENT.items()
    }
    own = counts.get(language)
    if own is None:
        return
    best = max(counts, key=lambda name: counts[name])
    if counts[best] >= _LEAST_FREQUENT and counts[best] > 2 * own + 1:
        yield Found(Fault.LANGUAGE, language, f"{best}: {text}")


# ---- where things lie --------------------------------------------------------------------------

_PLACES = re.compile(
    r"at the (?:(top|bottom) )?(left|center|right) of the screen"
    r"|on the (left|right) of the screen, halfway down|(in the middle of the screen)",
    re.IGNORECASE,
)
_DIRECTIONS: Mapping[str, str] = MappingProxyType(
    {
        "to the left": "left",
        "to the right": "right",
        "above": "top",
        "below": "bottom",
        "above and to the left": "top-left",
        "above and to the right": "top-right",
        "below and to the left": "bottom-left",
        "below and to the right": "bottom-right",
    }
)


def _said_place(view: View) -> Iterator[Found]:
    """Compare where an instruction says that something is with where the reference is."""
    box, size = view.target, view.size
    said = _PLACES.search(view.prompt)
    if box is None or size is None or said is None:
        return
    across = (box[0] + box[2]) / 2 / size[0]
    down = (box[1] + box[3]) / 2 / size[1]
    side = said[2] or said[3] or "center"
    height = said[1] or "middle"
    sides = {"left": (0, 1 / 3), "center": (1 / 3, 2 / 3), "right": (2 / 3, 1)}
    heights = {"top": (0, 1 / 3), "middle": (1 / 3, 2 / 3), "bottom": (2 / 3, 1)}
    for value, (low, high) in (
        (across, sides[side.lower()]),
        (down, heights[height.lower()]),
    ):
        if not low - 0.02 <= value <= high + 0.02:
            yield Found(Fault.WRONG_BOX, said[0], written_box(box))
            return


_GROUPED: Mapping[Region, Callable[[Ltrb, tuple[float, float]], bool]] = MappingProxyType(
    {
        Region.TOP: lambda box, size: box[1] < 450,
        Region.BOTTOM: lambda box, size: box[3] > size[1] - 450,
        Region.LEFT: lambda box, size: box[2] <= 0.5 * size[0],
        Region.RIGHT: lambda box, size: box[0] >= 0.5 * size[0],
    }
)
_LANDMARKS: Mapping[Region, frozenset[str]] = MappingProxyType(
    {
        Region.TOP: frozenset({"banner", "navigation"}),
        Region.BOTTOM: frozenset({"contentinfo"}),
        Region.LEFT: frozenset({"navigation", "complementary"}),
        Region.RIGHT: frozenset({"navigation", "complementary"}),
        Region.MAIN: frozenset({"main"}),
    }
)


def _region(view: View) -> Iterator[Found]:
    """Compare which part of a page is named with where its element lies, and in what."""
    gold, size = view.item.gold, view.size
    if not isinstance(gold, Region) or not view.boxes or size is None:
        return
    fits = _GROUPED.get(gold)
    if fits is not None and not fits(view.boxes[0], size):
        yield Found(Fault.WRONG_OPTION, f"a part with {written_box(view.boxes[0])}", str(gold))
        return
    screen, wanted = view.screen, _LANDMARKS.get(gold)
    if screen is None or wanted is None or not view.elements:
        return
    element = view.elements[0]
    around = {element.landmark, element.role, *(one.role for one in screen.ancestors(element))}
    if not around & wanted:
        yield Found(Fault.WRONG_OPTION, ", ".join(sorted(filter(None, around))), str(gold))


def _spatial(view: View) -> Iterator[Found]:
    """Say anew how the boxes of a question lie to each other."""
    boxes, own = view.boxes, view.right_text
    if view.matrix is None or own is None or not boxes:
        return
    right: str | None = None
    if view.kind in {"marked pair", "named pair"} and len(boxes) == 2:
        said = str(view.record.get("relation", ""))
        right = next((text for text, name in _DIRECTIONS.items() if name == said), None)
        if view.kind == "marked pair":
            first, second = (PageBox(b[0], b[1], b[2] - b[0], b[3] - b[1]) for b in boxes)
            seen = str(projections(second, first))
            right = next((text for text, name in _DIRECTIONS.items() if name == seen), right)
    elif view.kind == "nearest box" and len(boxes) > 2:
        x, y = _middle(boxes[-1])
        distances = [(x - u) ** 2 + (y - v) ** 2 for u, v in map(_middle, boxes[:-1])]
        right = f"box {chr(ord('A') + distances.index(min(distances)))}"
    elif view.kind == "order of boxes":
        side = 0 if "left edge" in view.prompt else 1
        order = sorted(range(len(boxes)), key=lambda place: boxes[place][side])
        right = ", ".join(chr(ord("A") + place) for place in order)
    if right is not None and right != own:
        yield Found(Fault.WRONG_OPTION, right, own)


def _middle(box: Ltrb) -> tuple[float, float]:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


# ---- tools -------------------------------------------------------------------------------------


def _typed(view: View) -> Iterator[Found]:
    """Look in the prompt for what is to be typed: all of it stands there."""
    gold = view.matrix
    if gold is None or gold.metric not in {"tool_call", "decisions"}:
        return
    _, listed, data = view.prompt.partition("The user's data:")
    if not listed:
        return
    answer: object = gold.answer
    calls = cast("Sequence[object]", answer) if isinstance(answer, list) else [answer]
    values = {part.partition(": ")[2].strip() for part in data.split("\n")[0].split("; ")}
    for call in calls:
        arguments = _arguments(call)
        for name, value in arguments.items():
            if name != "mark" and isinstance(value, str) and value not in values:
                yield Found(Fault.RECORD, "one of the user's data", value)
                return


def _arguments(call: object) -> Mapping[str, object]:
    if isinstance(call, Mapping):
        found = cast("Mapping[str, object]", call).get("arguments")
        if isinstance(found, Mapping):
            return cast("Mapping[str, object]", found)
    return {}


def _tools(view: View) -> Iterator[Found]:
    """Compare what a call names with the elements that the record names."""
    gold = view.matrix
    if gold is None or gold.metric != "tool_call" or not view.elements:
        return
    arguments = _arguments(gold.answer)
    if view.kind == "press what is marked":
        said = one_line(view.elements[0].text)
        if one_line(str(arguments.get("text"))) != said:
            yield Found(Fault.NOT_ON_PAGE, said, str(arguments.get("text")))
    elif view.kind == "choose what is named" and view.quoted:
        named = [folded(one.own) for one in view.elements]
        asked = folded(view.quoted[0])
        right = chr(ord("A") + named.index(asked)) if asked in named else "none"
        if arguments.get("mark") != right:
            yield Found(Fault.WRONG_OPTION, right, str(arguments.get("mark")))


# ---- what the page says ------------------------------------------------------------------------


def _text_of_element(view: View) -> Iterator[Found]:
    """Compare a text that is to be read with what its element says."""
    screen = view.screen
    if screen is None:
        return
    own = texts_of(view.item.gold)
    if view.task in {_CAPTION, _LAYOUT}:
        said = list(descriptions_of(screen).values())
        if said and not all(any(folded(t) in folded(one) for one in said) for t in own):
            yield Found(Fault.NOT_ON_PAGE, "; ".join(said), "; ".join(own))
        return
    if not view.elements:
        return
    first = view.elements[0]
    if view.kind == "next heading":
        first = view.elements[-1]
    exact = view.task in _READ or view.kind in _EXACT or view.task == "webrssbench/color"
    if exact:
        answer = view.matrix.answer if view.matrix is not None else view.item.gold
        texts = texts_of(answer)
        said = {one_line(first.text), one_line(first.own)}
        if not said & set(map(one_line, texts)):
            yield Found(Fault.NOT_ON_PAGE, one_line(first.text), "; ".join(texts))
    elif view.task in {"screenqa/ui_contents", "screenqa/ui_contents_boxes"}:
        said = view.elements
        for rater in cast("Sequence[Sequence[object]]", view.item.gold):
            texts = [texts_of(one)[0] for one in rater if texts_of(one)]
            if len(texts) != len(said) or not all(
                folded(text) in {folded(one) for one in said_by(element)}
                for text, element in zip(texts, said, strict=True)
            ):
                shown = "; ".join(one_line(one.text or one.value) for one in said)
                yield Found(Fault.NOT_ON_PAGE, shown, "; ".join(texts))
                return
    elif view.task == "screenqa/long":
        fragments = [folded(one.own or one.value or one.text) for one in view.elements]
        for sentence in own:
            if not all(fragment in folded(sentence) for fragment in fragments):
                yield Found(Fault.NOT_ON_PAGE, "; ".join(fragments), sentence)
                return


def _hint(view: View) -> Iterator[Found]:
    page = view.sight.page
    if view.task != "webrssbench/hint_text" or page is None:
        return
    change = page.change(view.task)
    named = view.record.get("element")
    if change is None:
        return
    before = next((one.before for one in change.elements if one.id == named), None)
    own = texts_of(view.item.gold)
    if before is not None and one_line(before.placeholder) not in map(one_line, own):
        yield Found(Fault.NOT_ON_PAGE, before.placeholder, "; ".join(own))


def _led(view: View) -> Iterator[Found]:
    """Compare where a click is said to lead with where it led."""
    page = view.sight.page
    if page is None or view.task != "visualwebbench/action_prediction":
        return
    clicks = [
        click
        for click in page.snapshot.captured.clicks
        if click.element == view.record.get("element") and click.title
    ]
    own = view.right_text
    if own is not None and clicks and folded(clicks[0].title) != folded(own):
        yield Found(Fault.WRONG_OPTION, one_line(clicks[0].title), own)


def _named(view: View) -> Iterator[Found]:
    """Compare what a question calls an element with what the element says."""
    if not view.task.startswith(_POINTED) or not view.elements or not view.quoted:
        return
    element = view.elements[0]
    said = {folded(text) for text in said_by(element)}
    if folded(view.quoted[-1]) not in said:
        shown = element.text or element.name or element.label
        yield Found(Fault.WRONG_BOX, f"what says “{view.quoted[-1]}”", f"what says “{shown}”")


def _places(view: View) -> Iterator[Found]:
    """Compare the record's boxes with where its elements are on the page."""
    screen = view.screen
    if screen is None or not view.elements:
        return
    boxes, elements = view.boxes, view.elements
    upper = 0.0
    window: object = view.record.get("window")
    if isinstance(window, list):
        upper = float(cast("list[float]", window)[0])
    page = view.sight.page
    moved = shown_after(view)
    if moved and page is not None:
        change = page.change(view.task, view.item.tags.get("mode"))
        after = {one.id: one.after for one in change.elements if one.after} if change else {}
        elements = [after.get(one.id, one) for one in elements]
    for place, box in enumerate(boxes):
        # One box beside several elements is that of one of them.
        owners = elements[place : place + 1] if len(boxes) == len(elements) else elements
        on_page = (box[0], box[1] + upper, box[2], box[3] + upper)
        if not any(_is_box_of(screen, element, on_page) for element in owners):
            wanted = ", ".join(written_box(element.box) for element in owners)
            yield Found(Fault.WRONG_BOX, wanted, written_box(on_page))
            return


def shown_after(view: View) -> bool:
    """Whether an item shows its page after a change."""
    return (
        view.item.tags.get("state") == "after"
        or view.record.get("removed") is True
        or view.task == "webrssbench/hint_text"
    )


_BAND = 5.0
_SEEN = 0.5


def _is_box_of(screen: Screen, element: Element, box: Ltrb) -> bool:
    """Whether a box is an element's own, or that of what is drawn within it."""
    inner = [
        one.ink
        for one in screen.elements
        if one.ink is not None
        and (one.id == element.id or any(o.id == element.id for o in screen.ancestors(one)))
    ]
    if same_box(box, element.box) or any(same_box(box, ink) for ink in inner):
        return True
    # Of a picture or an icon nothing is known but its room.
    lefts, tops, rights, bottoms = zip(*(inner or [box]), strict=True)
    around = (min(lefts), min(tops), max(rights), max(bottoms))
    left, top, right, bottom = element.box
    room = (left - _BAND, top - _BAND, right + _BAND, bottom + _BAND)
    within = all(a >= b for a, b in zip(box[:2], room[:2], strict=True)) and all(
        a <= b for a, b in zip(box[2:], room[2:], strict=True)
    )
    return within and (iou(box, around) >= _SEEN or _covers(box, around) >= _SEEN)


def _covers(box: Ltrb, other: Ltrb) -> float:
    """Return how much of another box lies in a box: an icon may stand beside the text."""
    across = min(box[2], other[2]) - max(box[0], other[0])
    down = min(box[3], other[3]) - max(box[1], other[1])
    area = (other[2] - other[0]) * (other[3] - other[1])
    return max(across, 0.0) * max(down, 0.0) / area if area else 0.0


# ---- facts -------------------------------------------------------------------------------------


class Statement(NamedTuple):
    """What a page says as data: a value, and the names that lead to it.

    Attributes:
        value: The value, folded.
        names: What may name it, folded.
        key: What must be among the names that are asked by, folded; empty: nothing.
    """

    value: str
    names: frozenset[str]
    key: str


def statements_of(facts: Iterable[Mapping[str, Any]], screen: Screen) -> list[Statement]:
    """Return what a page says as data."""
    found: list[Statement] = []
    for fact in facts:
        match fact.get("kind"):
            case "table":
                headers = [folded(text) for text in fact["headers"]]
                for row in fact["rows"]:
                    cells = [folded(text) for text in row]
                    found += [
                        Statement(cell, frozenset({*headers, *cells}) - {""}, header)
                        for cell, header in zip(cells, headers, strict=False)
                        if cell
                    ]
            case "pairs":
                for pair in fact["pairs"]:
                    label = folded(pair["label"])
                    found.append(Statement(folded(pair["value"]), frozenset({label}), label))
            case "prices":
                for item in fact["items"]:
                    name = folded(item["name"])
                    found.append(Statement(folded(item["price"]), frozenset({name}), name))
            case _:
                pass
    for element in screen.elements:
        if element.label and element.value:
            label = folded(element.label)
            found.append(Statement(folded(element.value), frozenset({label}), label))
    return found


_LOOKED_UP = frozenset({"cell", "row", "reverse", "pair", "price", "field", "read", "two steps"})


def _fact(view: View) -> Iterator[Found]:
    """Look up what a question names among the page's facts."""
    page, screen = view.sight.page, view.screen
    if page is None or screen is None or not view.quoted or view.record.get("unanswerable"):
        return
    if view.kind not in _LOOKED_UP or view.task in {"screenqa/long", "screenqa/complex"}:
        return
    own = answers_of(view)
    if not own:
        return
    asked = {folded(name) for name in view.quoted} - {""}
    statements = statements_of(page.snapshot.captured.facts, screen)
    answering = {
        one.value
        for one in statements
        if asked <= one.names and (one.key in asked or not one.key) and one.value not in asked
    }
    if not answering:
        return
    if not any(_is_answer(text, answering) for text in own):
        yield Found(Fault.NOT_ON_PAGE, "; ".join(sorted(answering)), "; ".join(own[:3]))


def _is_answer(text: str, answering: set[str]) -> bool:
    said = folded(text)
    return any(said == value for value in answering) or (
        len(answering) > 1
        and any(folded(" ".join(some)) == said for some in permutations(answering, 2))
    )


def _shown_somewhere(view: View) -> Iterator[Found]:
    """Look for an answer that is read from the page somewhere on the page."""
    screen = view.screen
    looked = view.task in _FACTS or (view.task == "screenqa/short")
    looked = looked or (view.matrix is not None and view.matrix.metric == "exact_match")
    if screen is None or not looked or view.record.get("unanswerable"):
        return
    own = answers_of(view)
    page = page_text(screen)
    parts = [part for text in own[:1] for part in _parts(text)]
    if not parts or not all(folded(part) in page for part in parts):
        yield Found(Fault.NOT_ON_PAGE, "a text of the page", "; ".join(own[:3]))


def _parts(text: str) -> list[str]:
    """Return what of an answer is shown together: two fragments may stand apart."""
    return [part for part in text.split(", ") if folded(part)]


def _absent(view: View) -> Iterator[Found]:
    """Look for what an unanswerable question names: it must not be on the page."""
    page, screen = view.sight.page, view.screen
    if page is None or screen is None or view.record.get("unanswerable") is not True:
        return
    asked = {folded(name) for name in view.quoted} - {""}
    for one in statements_of(page.snapshot.captured.facts, screen):
        if asked and asked <= one.names and one.key in asked:
            yield Found(Fault.ANSWERED, "nothing that answers it", one.value)
            return


# ---- numbers and counts ------------------------------------------------------------------------


def _counted(view: View) -> Iterator[Found]:
    """Calculate anew with the numbers that the record's elements show."""
    screen = view.screen
    if screen is None or not view.elements:
        return
    own = answers_of(view)
    if view.kind == "count":
        count = len(view.elements)
        if view.task == "screenqa/complex" and view.quoted:
            count = sum(folded(one.own) == folded(view.quoted[0]) for one in view.elements)
        right: Decimal | None = Decimal(count)
    elif view.kind in {"difference", "sum"} and len(view.elements) == 2:
        values = [_amount(one.own or one.text, screen) for one in view.elements]
        first, second = values
        if first is None or second is None:
            return
        right = first + second if view.kind == "sum" else abs(first - second)
    else:
        return
    number = view.matrix.answer if view.matrix is not None else None
    if isinstance(number, int | float):
        said: list[Decimal | None] = [Decimal(str(number))]
    else:
        said = [_amount(text, screen) for text in own[:1]]
    known = [one for one in said if one is not None]
    if known and all(abs(one - right) > Decimal("0.001") for one in known):
        yield Found(Fault.NOT_ON_PAGE, str(right), "; ".join(map(str, known)))


def _amount(text: str, screen: Screen) -> Decimal | None:
    templates = templates_of(language_of(screen))
    amount = None if templates is None else amount_of(text, templates)
    return None if amount is None else amount.value


def _ordered(view: View) -> Iterator[Found]:
    """Compare which option is said to come where with where the options are."""
    own = view.right_text
    if view.task != "mmbench-gui/l1" or not view.elements or own is None:
        return
    by_text = {folded(one.text or one.own): one for one in view.elements}
    if view.kind in {"place", "order"}:
        known = [by_text.get(folded(option)) for option in view.item.options]
        shown = [one for one in known if one is not None]
        if len(shown) != len(view.item.options):
            named = "; ".join(sorted(by_text))
            yield Found(Fault.RECORD, named, "; ".join(view.item.options))
            return
        shown.sort(key=lambda one: one.box[1], reverse="lowest" in view.prompt)
        right = shown[1 if "stands second" in view.prompt else 0]
        if folded(right.text or right.own) != folded(own):
            yield Found(Fault.WRONG_OPTION, one_line(right.text or right.own), own)
    elif view.kind == "next" and len(view.elements) == 2:
        said = one_line(view.elements[1].text or view.elements[1].own)
        if folded(said) != folded(own):
            yield Found(Fault.WRONG_OPTION, said, own)


# ---- twins -------------------------------------------------------------------------------------

_WAYS = ("", "_bbox", "_point")


def twins_of(view: View, at_fault: Collection[tuple[str, str]]) -> Iterator[Found]:
    """Compare with the items that were made of the same row, or are the pair's other half.

    An item is at fault that disagrees with most of them. Those that are at fault anyway have no
    say, and where the page is known nobody need be asked.
    """
    item = view.item
    others = [
        other
        for other in view.sight.items
        if other is not item and (other.task, other.item) not in at_fault and _kin(item, other)
    ]
    said = [found for other in others if (found := _contradiction(item, other)) is not None]
    if 2 * len(said) > len(others) and view.sight.page is None:
        yield Found(Fault.TWIN, *said[0])


def _kin(item: AuditItem, other: AuditItem) -> bool:
    if other.task == item.task:
        return item.line.pair is not None and other.line.pair == item.line.pair
    return other.item == item.item and _family(other.task) == _family(item.task)


def _contradiction(item: AuditItem, other: AuditItem) -> tuple[str, str] | None:
    if other.task == item.task:
        said = _plain(other.gold), _plain(item.gold)
        return said if said[0] != said[1] else None
    if record_of(other) != record_of(item):
        return _plain(record_of(other)), _plain(record_of(item))
    return _disagree(item.gold, item.task, other.gold, other.task)


def _family(task: str) -> str:
    if task.startswith(_SCREENQA):
        return "screenqa" if task != "screenqa/short" and task != "screenqa/complex" else task
    return re.sub(r"_(bbox|point)$", "", task)


def _disagree(gold: object, task: str, other: object, other_task: str) -> tuple[str, str] | None:
    if isinstance(gold, Target) and isinstance(other, Target):
        if not same_box(gold.bbox, other.bbox):
            return written_box(other.bbox), written_box(gold.bbox)
        return None
    pair = {task, other_task}
    if pair == {"screenqa/ui_contents", "screenqa/ui_contents_boxes"}:
        texts = [
            [texts_of(rater) for rater in cast("Sequence[object]", one)] for one in (other, gold)
        ]
        return (_plain(texts[0]), _plain(texts[1])) if texts[0] != texts[1] else None
    if "screenqa/long" in pair:
        long, contents = (gold, other) if task == "screenqa/long" else (other, gold)
        said = [folded(text) for text in texts_of(long)]
        for text in texts_of(contents):
            if not all(folded(text) in sentence for sentence in said):
                return text, "; ".join(said)
    return None


def _plain(value: object) -> str:
    if isinstance(value, Mapping):
        relations = cast("Mapping[object, object]", value)
        return "; ".join(f"{key}: {said}" for key, said in relations.items())
    return msgspec.json.encode(value).decode()


CHECKS: tuple[Check, ...] = (
    check_prompt,
    _record,
    _no_answer,
    _dangerous,
    _tolerance,
    _language,
    _said_place,
    _region,
    _spatial,
    check_chart,
    _typed,
    _tools,
    _text_of_element,
    _hint,
    _led,
    _named,
    _places,
    _fact,
    _shown_somewhere,
    _absent,
    _counted,
    _ordered,
)
"""What is worked out anew."""
