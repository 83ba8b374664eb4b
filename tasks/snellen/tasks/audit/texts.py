"""Texts of elements, compared with the item."""

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from snellen.tasks.audit.models import Fault
from snellen.tasks.audit.views import (
    Check,
    Found,
    View,
    said_by,
    texts_of,
)
from snellen.tasks.builder.questions.text import folded, one_line
from snellen.tasks.builder.screen.purpose import descriptions_of

_CAPTION, _LAYOUT = "visualwebbench/web_caption", "webrssbench/layout"
_READ = frozenset({"visualwebbench/heading_ocr", "visualwebbench/element_ocr"})
_POINTED = (
    "visualwebbench/element_ground",
    "visualwebbench/action_ground",
    "mmbench-gui/l2_basic",
)
_EXACT = frozenset({"text in a box", "next heading"})


# ---- tools -------------------------------------------------------------------------------------


def _typed(view: View) -> Iterator[Found]:
    """Check that the prompt contains all texts to enter."""
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
        arguments = cast("Mapping[str, object]", call).get("arguments")
        if isinstance(arguments, Mapping):
            return cast("Mapping[str, object]", arguments)
    return {}


def _tools(view: View) -> Iterator[Found]:
    """Compare the arguments of a call with the elements in the record."""
    gold = view.matrix
    if gold is None or gold.metric != "tool_call" or not view.elements:
        return
    arguments = _arguments(gold.answer)
    if view.kind == "press what is marked":
        label = one_line(view.elements[0].text)
        if one_line(str(arguments.get("text"))) != label:
            yield Found(Fault.NOT_ON_PAGE, label, str(arguments.get("text")))
    elif view.kind == "choose what is named" and view.quoted:
        named = [folded(element.own) for element in view.elements]
        wanted = folded(view.quoted[0])
        right = chr(ord("A") + named.index(wanted)) if wanted in named else "none"
        if arguments.get("mark") != right:
            yield Found(Fault.WRONG_OPTION, right, str(arguments.get("mark")))


# ---- texts of the page -------------------------------------------------------------------------


def _text_of_element(view: View) -> Iterator[Found]:
    """Compare a reference text with the text of its element."""
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
    before = next((changed.before for changed in change.elements if changed.id == named), None)
    own = texts_of(view.item.gold)
    if before is not None and one_line(before.placeholder) not in map(one_line, own):
        yield Found(Fault.NOT_ON_PAGE, before.placeholder, "; ".join(own))


def _led(view: View) -> Iterator[Found]:
    """Compare the target of a click in the reference with the recorded one."""
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
    """Compare the name of an element in a question with the element's texts."""
    if not view.task.startswith(_POINTED) or not view.elements or not view.quoted:
        return
    element = view.elements[0]
    texts = {folded(text) for text in said_by(element)}
    if folded(view.quoted[-1]) not in texts:
        shown = element.text or element.name or element.label
        yield Found(Fault.WRONG_BOX, f"what says “{view.quoted[-1]}”", f"what says “{shown}”")


CHECKS: tuple[Check, ...] = (
    _typed,
    _tools,
    _text_of_element,
    _hint,
    _led,
    _named,
)
