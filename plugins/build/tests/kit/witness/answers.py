"""The names in a question and its answers, compared with the page.

These checks do not use the makers: a name must be on the page, an answer must be the text of its
element, and all accepted forms must be forms of one answer.
"""

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from snellen.build.perturb.fields import kind_of
from snellen.build.questions.text import folded, language_of, one_line
from snellen.build.questions.variants import joined, variants
from snellen.build.screen.elements import Screen
from snellen.build.screen.purpose import descriptions_of
from witness.faults import Fault
from witness.views import (
    Evidence,
    View,
    answers_of,
    page_text,
    said_by,
    texts_of,
)

_SHORT = frozenset({"visualwebbench/webqa", "screenqa/short"})
_ASKED = (*_SHORT, "screenqa/", "mmbench-gui/l1")
_BY_NAME = frozenset({"cell", "pair", "price", "field", "hint", "action", "phone", "email"})
_NUMBER = re.compile(r"\d+")
_SIGNS = re.compile(r"[$€£¥₹%]")


def _is_short(view: View) -> bool:
    exact = view.matrix is not None and view.matrix.metric == "exact_match"
    return view.task in _SHORT or exact


def check_option_count(view: View) -> Iterator[Evidence]:
    """Compare the number of options with the number that the parser expects."""
    offered, read = view.item.line.item.answer_format.options, view.item.line.context.options
    if offered and read is not None and len(offered) != read:
        yield Evidence(Fault.OPTION_COUNT, str(len(offered)), str(read))


def check_forms(view: View) -> Iterator[Evidence]:
    """Check that the other accepted forms follow from the first one."""
    if view.screen is None or not _is_short(view):
        return
    own = answers_of(view)
    if len(own) < 2 or view.record.get("unanswerable"):
        return
    language = language_of(view.screen)
    forms = {*variants(own[0], language), *variants(own[0], language, same=str)}
    parts = own[0].split(", ")
    forms |= {*joined(parts, language)}
    # Each of two values may contain commas.
    for place in range(1, len(parts)):
        two = [", ".join(parts[:place]), ", ".join(parts[place:])]
        forms |= {*joined(two, language)}
    for text in own[1:]:
        if text not in forms:
            yield Evidence(Fault.DISAGREES, own[0], text)
            return


def check_element_says(view: View) -> Iterator[Evidence]:
    """Compare an answer with the texts of the only element in the record."""
    if not _is_short(view) or len(view.elements) != 1 or view.kind not in _BY_NAME:
        return
    own = answers_of(view)
    form = _PLAUSIBLE.get(view.kind)
    if own and form is not None and not form.search(own[0]):
        yield Evidence(Fault.NOT_ON_PAGE, f"what is read as “{view.kind}”", own[0])
        return
    texts = {folded_signs(text) for text in said_by(view.elements[0])}
    if own and folded_signs(own[0]) not in texts:
        yield Evidence(Fault.NOT_ON_PAGE, "; ".join(sorted(texts)), own[0])


def folded_signs(text: str) -> str:
    """Return a normalized text with its currency and percent signs, which normalization removes."""
    return f"{folded(text)} {''.join(_SIGNS.findall(text))}"


def check_numbers(view: View) -> Iterator[Evidence]:
    """Check that a sentence's numbers and currency signs are in the question or on the page."""
    screen = view.screen
    sentences = view.task in {"screenqa/long", "visualwebbench/web_caption", "webrssbench/layout"}
    if screen is None or not sentences:
        return
    page = f"{page_signs(screen)} {view.prompt} {screen.description}"
    for pattern in (_NUMBER, _SIGNS):
        allowed = set(pattern.findall(page))
        for text in texts_of(view.item.gold):
            if strange := [match for match in pattern.findall(text) if match not in allowed]:
                yield Evidence(Fault.NOT_ON_PAGE, "a number of the page", strange[0])
                return


def page_signs(screen: Screen) -> str:
    """Return the unchanged texts of all elements of a page."""
    return " ".join(text for element in screen.elements for text in said_by(element))


def check_sentence(view: View) -> Iterator[Evidence]:
    """Check that a sentence contains the names that its question quotes."""
    if view.task != "screenqa/long" or view.record.get("unanswerable"):
        return
    # The answer need not repeat the column of the rows' names.
    names = view.quoted[1:] if view.kind == "reverse" else view.quoted
    for sentence in texts_of(view.item.gold):
        for name in names:
            if one_line(name) not in one_line(sentence):
                yield Evidence(Fault.RECORD, f"“{name}”", sentence)
                return


def check_caption(view: View) -> Iterator[Evidence]:
    """Compare a caption with each complete description of the page by its author."""
    if view.task != "visualwebbench/web_caption" or view.screen is None:
        return
    descriptions = list(map(one_line, descriptions_of(view.screen).values()))
    for text in texts_of(view.item.gold):
        if folded(text) not in map(folded, descriptions):
            yield Evidence(Fault.NOT_ON_PAGE, "; ".join(descriptions), text)
            return


def check_operation(view: View) -> Iterator[Evidence]:
    """Compare the operation in the question with the one in the record."""
    if not view.task.startswith(_ASKED) or view.kind not in {"difference", "sum"}:
        return
    plain = view.prompt
    for name in view.quoted:
        plain = plain.replace(name, "")
    if ("difference" in plain) is (view.kind == "sum"):
        yield Evidence(Fault.RECORD, view.kind, view.prompt.rpartition("\n")[2])


def check_names(view: View) -> Iterator[Evidence]:
    """Check that the names in an answerable question are on its page."""
    screen = view.screen
    if screen is None or not view.task.startswith(_ASKED) or view.record.get("unanswerable"):
        return
    page = page_text(screen)
    for name in view.quoted:
        if folded(name) and folded(name) not in page:
            yield Evidence(Fault.NOT_ON_PAGE, f"“{name}”", "nothing that says so")
            return


def check_absent(view: View) -> Iterator[Evidence]:
    """Check that the page has no answer to a question recorded as unanswerable."""
    screen = view.screen
    if screen is None or view.record.get("unanswerable") is not True:
        return
    names = {folded(name) for name in view.quoted} - {""}
    texts = {folded(text) for element in screen.elements for text in said_by(element)}
    # The row and the column of two tables are both on the page.
    if names and names <= texts and view.kind != "cell":
        yield Evidence(Fault.ANSWERED, "a page without these names", "; ".join(sorted(names)))


_PLAUSIBLE: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {
        "email": re.compile(r"\S+@\S+\.\w+"),
        "phone": re.compile(r"[\d ()/+.-]{6,}"),
        "date": re.compile(r".*\d.*[-/. ].*\d.*"),
        "time": re.compile(r"\d{1,2}([:.]\d{2}| ?[aph]).*", re.IGNORECASE),
        "people": re.compile(r"\d{1,4}"),
        "amount": re.compile(r"\D{0,4}[\d.,  ']+\D{0,4}"),
        "name": re.compile(r"[^\d@]+"),
        "first_name": re.compile(r"[^\d@]+"),
        "last_name": re.compile(r"[^\d@]+"),
        "city": re.compile(r"[^@]+"),
    }
)


def check_value(view: View) -> Iterator[Evidence]:
    """Compare the form of a field's value with the field's kind."""
    screen = view.screen
    if view.task != "webrssbench/form_filling" or screen is None or not view.elements:
        return
    kind = kind_of(screen, view.elements[0])
    form = _PLAUSIBLE.get(kind or "")
    for text in texts_of(view.item.gold):
        if form is not None and not form.fullmatch(text):
            yield Evidence(Fault.NOT_ON_PAGE, f"what a field for “{kind}” takes", text)
            return


def check_options_stand(view: View) -> Iterator[Evidence]:
    """Check that the options of a question about positions are on the page."""
    if view.task != "mmbench-gui/l1" or view.kind != "place":
        return
    if view.screen is None:
        return
    texts = {folded(text) for element in view.screen.elements for text in said_by(element)}
    for option in view.item.options:
        if folded(option) not in texts:
            yield Evidence(Fault.NOT_ON_PAGE, "a text of the page", one_line(option))
            return


CHECKS = (
    check_option_count,
    check_forms,
    check_element_says,
    check_numbers,
    check_sentence,
    check_caption,
    check_operation,
    check_names,
    check_absent,
    check_value,
    check_options_stand,
)
