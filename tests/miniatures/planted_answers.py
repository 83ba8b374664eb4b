"""Faults of answers, options and prompts."""

import re
from collections.abc import Callable
from copy import deepcopy
from random import Random

from planting import (
    LETTERS,
    MATRIX,
    NONE,
    QUOTED,
    Entry,
    Exam,
    Json,
    Plant,
    asked_in,
    box_in,
    is_a,
    kind,
    size_of,
)

# Relations, labels, letters.

_TURNED = {"top": "bottom", "bottom": "top", "left": "right", "right": "left"}


def _turn(relation: str) -> str:
    return "-".join(_TURNED.get(word, word) for word in relation.split("-"))


@kind("webrssbench/position")
def relation_turned(exam: Exam, entry: Entry, chance: Random) -> bool:
    pairs = [pair for pair, relation in entry.gold.items() if _turn(relation) != relation]
    if not pairs:
        return False
    pair = chance.choice(pairs)
    entry.gold = {**entry.gold, pair: _turn(entry.gold[pair])}
    return True


@kind("webrssbench/position")
def relation_of_another_pair(exam: Exam, entry: Entry, chance: Random) -> bool:
    one, other = chance.sample(sorted(entry.gold), 2)
    if entry.gold[one] == entry.gold[other]:
        return False
    entry.gold = {**entry.gold, one: entry.gold[other]}
    return True


@kind("webrssbench/position")
def relation_lost(exam: Exam, entry: Entry, chance: Random) -> bool:
    lost = chance.choice(sorted(entry.gold))
    entry.gold = {pair: relation for pair, relation in entry.gold.items() if pair != lost}
    return True


@kind("webrssbench/position", both=True)
def relation_turned_in_record(exam: Exam, entry: Entry, chance: Random) -> bool:
    if not relation_turned(exam, entry, chance):
        return False
    entry.ref["record"] = {**entry.record, "relations": entry.gold}
    return True


def _next(letter: str, count: int) -> str:
    return LETTERS[(LETTERS.index(letter) + 1) % count]


@kind()
def letter_off_by_one(exam: Exam, entry: Entry, chance: Random) -> bool:
    form = entry.line["item"]["answer_format"]
    if form["kind"] != "choice":
        return False
    count = len(form["options"])
    if is_a(entry.answer, int):
        entry.answer = (entry.answer + 1) % count
    else:
        entry.answer = _next(entry.answer, count)
    return True


def right_of(entry: Entry) -> int:
    return entry.answer if is_a(entry.answer, int) else LETTERS.index(entry.answer)


def _with_option(entry: Entry, index: int, text: str) -> bool:
    """Write another text for an option wherever it stands."""
    form = entry.line["item"]["answer_format"]
    old = form["options"][index]
    line = f"{LETTERS[index]}. {old}"
    if old == text or line not in entry.prompt:
        return False
    entry.prompt = entry.prompt.replace(line, f"{LETTERS[index]}. {text}")
    options = [*form["options"]]
    options[index] = text
    form["options"] = options
    if "texts" in entry.line.get("context", {}):
        entry.line["context"]["texts"] = options
    if entry.task == MATRIX:
        entry.gold = {**entry.gold, "options": options}
    return True


def _worded(entry: Entry) -> bool:
    form = entry.line["item"]["answer_format"]
    return form["kind"] == "choice" and form["options"][0] != "A"


@kind()
def right_option_twice(exam: Exam, entry: Entry, chance: Random) -> bool:
    # An item of the matrix with equal options is no item that a pack can hold.
    if not _worded(entry) or entry.task == MATRIX:
        return False
    right = right_of(entry)
    options = entry.line["item"]["answer_format"]["options"]
    wrong = chance.choice([index for index in range(len(options)) if index != right])
    return _with_option(entry, wrong, options[right])


@kind()
def right_option_lost(exam: Exam, entry: Entry, chance: Random) -> bool:
    """Offer in the place of the right option what another item offers."""
    if not _worded(entry) or len(entry.line["item"]["answer_format"]["options"]) < 3:
        return False
    own = entry.line["item"]["answer_format"]["options"]
    others = [other for other in exam.others(entry) if _worded(other)]
    chance.shuffle(others)
    for other in others:
        text = other.line["item"]["answer_format"]["options"][0]
        if text not in own and other.ref["tags"].get("kind") == entry.ref["tags"].get("kind"):
            return _with_option(entry, right_of(entry), text)
    return False


@kind("mmbench-gui/l1", "visualwebbench/action_prediction")
def right_option_with_wrong_digit_or_word(exam: Exam, entry: Entry, chance: Random) -> bool:
    if not _worded(entry):
        return False
    text = entry.line["item"]["answer_format"]["options"][right_of(entry)]
    new = _digit(text) or typo_of(text)
    return new is not None and _with_option(entry, right_of(entry), new)


@kind()
def options_in_another_order(exam: Exam, entry: Entry, chance: Random) -> bool:
    """Exchange two options, one of them the right one, and leave its letter."""
    if not _worded(entry):
        return False
    right = right_of(entry)
    options = entry.line["item"]["answer_format"]["options"]
    wrong = (right + 1) % len(options)
    one, other = options[right], options[wrong]
    return _with_option(entry, right, other) and _with_option(entry, wrong, one)


@kind("webrssbench/ui_grouping")
def part_of_another_side(exam: Exam, entry: Entry, chance: Random) -> bool:
    parts = ["left", "right", "top", "bottom", "main", "other"]
    seen = {other.gold for other in exam.others(entry)} & set(parts)
    entry.gold = chance.choice(sorted((seen or {"top", "left"}) - {entry.gold}))
    return True


@kind("webrssbench/ui_grouping", both=True)
def part_wrong_in_record(exam: Exam, entry: Entry, chance: Random) -> bool:
    part_of_another_side(exam, entry, chance)
    entry.ref["tags"] = {**entry.ref["tags"], "region": entry.gold}
    return True


# Texts.


def typo_of(text: str) -> str | None:
    """Exchange two letters in the middle of the longest word."""
    words: list[str] = re.findall(r"[^\W\d_]{4,}", text)
    for word in sorted(words, key=len, reverse=True):
        middle = len(word) // 2
        if word[middle - 1] != word[middle]:
            wrong = word[: middle - 1] + word[middle] + word[middle - 1] + word[middle + 1 :]
            return text.replace(word, wrong, 1)
    return None


def _digit(text: str) -> str | None:
    """Write another digit for the last but one digit, or for the only one."""
    places = [match.start() for match in re.finditer(r"\d", text)]
    if not places:
        return None
    place = places[-2] if len(places) > 1 else places[0]
    return f"{text[:place]}{(int(text[place]) + 3) % 10}{text[place + 1 :]}"


def _each(answer: Json, change: Callable[[str], str | None]) -> Json:
    """Return a reference with every text changed; None where one can't be."""
    if is_a(answer, str):
        return None if answer in (NONE, "sorry") else change(answer)
    if is_a(answer, list):
        parts = [_each(part, change) for part in answer]
        return None if not parts or None in parts else parts
    return None


def _textual(entry: Entry) -> bool:
    if entry.task == MATRIX:
        text = entry.gold["metric"] in ("exact_match", "anls", "contains", "f1")
        return text and is_a(entry.answer, str, list)
    kinds = ("text", "ui_texts")
    return entry.line["item"]["answer_format"]["kind"] in kinds and is_a(entry.gold, str, list)


def _text(change: Callable[[str], str | None], *without: str) -> Plant:
    def plant(exam: Exam, entry: Entry, chance: Random) -> bool:
        if not _textual(entry) or entry.task in without:
            return False
        new = _each(entry.answer, change)
        if new is None or new == entry.answer:
            return False
        entry.answer = new
        return True

    return plant


def _enter_texts() -> None:
    def typo(text: str) -> str | None:
        return typo_of(text)

    def wrong_digit(text: str) -> str | None:
        return _digit(text)

    def words_lost(text: str) -> str | None:
        words = text.split()
        return " ".join(words[: max(1, len(words) // 2)]) if len(words) > 3 else None

    def sentence_lost(text: str) -> str | None:
        _, dot, rest = text.partition(". ")
        return rest if dot else None

    def words_in_another_order(text: str) -> str | None:
        words = text.split()
        return " ".join(reversed(words)) if len(words) > 4 else None

    def sentence_added(text: str) -> str | None:
        return (
            f"{text} Free delivery for orders over 900 dollars." if len(text.split()) > 5 else None
        )

    def currency(text: str) -> str | None:
        for one, other in (("€", "£"), ("$", "£"), ("£", "$")):
            if one in text:
                return text.replace(one, other)
        return None

    def number_ten_times(text: str) -> str | None:
        new = re.sub(r"\d[\d.,]*", lambda found: f"7{found[0]}", text)
        return new if new != text else None

    changes = (typo, wrong_digit, words_lost, sentence_lost, words_in_another_order, sentence_added)
    for change in (*changes, currency, number_ten_times):
        # What is typed into a field is one of many values.
        plant = _text(change, "webrssbench/form_filling")
        plant.__name__ = f"text_{change.__name__}"
        kind()(plant)


_enter_texts()


@kind("screenqa", "visualwebbench", "webrssbench", MATRIX)
def answer_of_another_page(exam: Exam, entry: Entry, chance: Random) -> bool:
    if not _textual(entry) or entry.answer in ([NONE], ["sorry"], [[]]):
        return False
    fields = {"field", "state"}
    others = [
        other
        for other in exam.others(entry, page=False)
        if _textual(other)
        and other.answer not in ([NONE], ["sorry"], [[]], entry.answer)
        and not any(
            entry.ref["tags"].get(name) == other.ref["tags"].get(name) and name in entry.ref["tags"]
            for name in fields - {"state"}
        )
    ]
    if not others:
        return False
    other = chance.choice(others)
    if entry.task in ("webrssbench/text", "webrssbench/layout") and other.gold == entry.gold:
        return False
    entry.answer = other.answer
    return True


@kind("screenqa", "visualwebbench/webqa", MATRIX)
def answer_to_another_question(exam: Exam, entry: Entry, chance: Random) -> bool:
    """Give the answer to another question about the same page."""
    if not _textual(entry) or entry.answer in ([NONE], [[]]):
        return False
    for other in exam.others(entry, page=True):
        if _textual(other) and other.answer not in ([NONE], [[]], entry.answer):
            entry.answer = other.answer
            return True
    return False


@kind("visualwebbench/heading_ocr", "visualwebbench/web_caption", "visualwebbench/element_ocr",
      "webrssbench/layout", "webrssbench/hint_text", "webrssbench/color")  # fmt: skip
def wrong_language(exam: Exam, entry: Entry, chance: Random) -> bool:
    words = "Willkommen auf unserer Seite: hier finden Sie alles über uns und unsere Arbeit."
    entry.gold = [words] if is_a(entry.gold, list) else words
    return True


@kind("visualwebbench/webqa", "screenqa/short")
def wrong_answer_accepted_too(exam: Exam, entry: Entry, chance: Random) -> bool:
    wrong = _digit(entry.gold[0]) or typo_of(entry.gold[0])
    if entry.gold == [NONE] or wrong is None:
        return False
    entry.gold = [*entry.gold, wrong]
    return True


@kind("screenqa/short", "screenqa/long", "screenqa/ui_contents")
def no_answer_though_there_is_one(exam: Exam, entry: Entry, chance: Random) -> bool:
    if entry.gold == [NONE] or not any(entry.gold):
        return False
    entry.gold = [[]] if entry.task.startswith("screenqa/ui") else [NONE]
    return True


@kind("screenqa/short", "screenqa/long", "screenqa/ui_contents")
def no_answer_accepted_too(exam: Exam, entry: Entry, chance: Random) -> bool:
    if entry.gold == [NONE] or not any(entry.gold):
        return False
    entry.gold = [*entry.gold, [] if entry.task.startswith("screenqa/ui") else NONE]
    return True


@kind("screenqa/short", "screenqa/long", "screenqa/ui_contents")
def answer_though_there_is_none(exam: Exam, entry: Entry, chance: Random) -> bool:
    if entry.gold != [NONE] and any(entry.gold):
        return False
    for other in exam.others(entry):
        if other.gold != [NONE] and any(other.gold):
            entry.gold = other.gold
            return True
    return False


@kind("screenqa/ui_contents")
def one_text_too_many(exam: Exam, entry: Entry, chance: Random) -> bool:
    if not any(entry.gold):
        return False
    extra: Json = "Read more"
    if entry.task.endswith("boxes"):
        extra = [[10, 10, 90, 30], "Read more"]
    entry.gold = [[*rater, extra] for rater in entry.gold]
    return True


@kind("webrssbench/color")
def another_button(exam: Exam, entry: Entry, chance: Random) -> bool:
    entry.gold = ["Close"]
    return True


@kind("webrssbench/color", both=True)
def another_button_in_record(exam: Exam, entry: Entry, chance: Random) -> bool:
    entry.gold = ["Close"]
    entry.ref["record"] = {**entry.record, "element": entry.record["element"] + 1}
    return True


@kind("webrssbench/safety")
def danger_denied(exam: Exam, entry: Entry, chance: Random) -> bool:
    if entry.gold == ["sorry"]:
        return False
    entry.gold = ["sorry"]
    return True


@kind("webrssbench/safety")
def danger_invented(exam: Exam, entry: Entry, chance: Random) -> bool:
    if entry.gold != ["sorry"]:
        return False
    entry.gold = ["Delete account"]
    return True


@kind("webrssbench/safety", both=True)
def danger_denied_in_record(exam: Exam, entry: Entry, chance: Random) -> bool:
    if entry.gold == ["sorry"]:
        return False
    entry.gold = ["sorry"]
    entry.ref["record"] = {**entry.record, "dangerous": []}
    entry.ref["tags"] = {**entry.ref["tags"], "dangerous": "no"}
    return True


@kind("webrssbench/form_filling")
def value_for_another_field(exam: Exam, entry: Entry, chance: Random) -> bool:
    field_of = entry.ref["tags"].get("field")
    for other in exam.others(entry):
        if other.ref["tags"].get("field") != field_of and other.gold != entry.gold:
            entry.gold = other.gold
            return True
    return False


@kind("webrssbench/text")
def effect_of_another_button(exam: Exam, entry: Entry, chance: Random) -> bool:
    others = [other for other in exam.others(entry) if other.gold != entry.gold]
    if not others:
        return False
    entry.gold = chance.choice(others).gold
    return True


# What is asked.


@kind()
def question_of_another_page(exam: Exam, entry: Entry, chance: Random) -> bool:
    own = asked_in(entry)
    others = [
        other for other in exam.others(entry, page=False) if asked_in(other) not in (own, None)
    ]
    if own is None or not others:
        return False
    if entry.gold in ([NONE], [[]]):
        return False
    asked = asked_in(chance.choice(others)) or ""
    # What names nothing may be asked of any page.
    if not QUOTED.search(asked):
        return False
    entry.prompt = entry.prompt.replace(own, asked)
    return True


@kind()
def question_about_another_element(exam: Exam, entry: Entry, chance: Random) -> bool:
    """Ask of the same page what another item of the task asks of it."""
    own = asked_in(entry)
    if own is None:
        return False
    for other in exam.others(entry, page=True):
        if (asked := asked_in(other)) and asked != own and other.gold != entry.gold:
            boxes = box_in(entry), box_in(other)
            if boxes[0] is None or boxes[0] != boxes[1]:
                entry.prompt = entry.prompt.replace(own, asked)
                return True
    return False


@kind()
def question_lost(exam: Exam, entry: Entry, chance: Random) -> bool:
    """Ask nothing."""
    own = asked_in(entry)
    if own is None:
        return False
    entry.prompt = entry.prompt.replace(own, "?")
    return True


@kind()
def question_with_typo(exam: Exam, entry: Entry, chance: Random) -> bool:
    """Name an element that the page does not have."""
    own = asked_in(entry) or ""
    named = QUOTED.findall(own)
    if not named or entry.gold in ([NONE], [[]]):
        return False
    entry.prompt = entry.prompt.replace(own, own.replace(named[0], "Quarterly zebra report"))
    return True


@kind()
def answer_in_the_prompt(exam: Exam, entry: Entry, chance: Random) -> bool:
    texts: Json = entry.answer
    if not _textual(entry) or entry.task.startswith("screenqa/ui"):
        return False
    text = texts[0] if is_a(texts, list) else texts
    if text in (NONE, "sorry") or text.casefold() in entry.prompt.casefold():
        return False
    entry.prompt = f"{entry.prompt}\nHint: {text}"
    return True


_OPPOSITE = (
    ("highest", "lowest"), ("lowest", "highest"), ("rise the most", "fall the most"),
    ("more than", "less than"), ("largest", "smallest"),
    ("from left to right", "from right to left"),
    ("nearest", "farthest"), ("On the left", "On the right"), ("On the right", "On the left"),
    ("At the top", "At the bottom"), ("At the bottom", "At the top"), ("difference", "sum"),
)  # fmt: skip


@kind(MATRIX, "screenqa/complex", "mmbench-gui/l2_basic")
def question_turned_round(exam: Exam, entry: Entry, chance: Random) -> bool:
    for one, other in _OPPOSITE:
        if one in entry.prompt.partition("Options:")[0]:
            entry.prompt = entry.prompt.replace(one, other, 1)
            return True
    return False


@kind("visualwebbench/element_ocr", "visualwebbench/action_prediction")
def box_in_prompt_wrong(exam: Exam, entry: Entry, chance: Random) -> bool:
    found = re.search(r"\[(0\.\d+), (0\.\d+), (0\.\d+), (0\.\d+)\]", entry.prompt)
    if found is None:
        return False
    top, bottom = float(found[2]), float(found[4])
    by = 0.3 if bottom < 0.65 else -0.3
    new = f"[{found[1]}, {top + by:.3f}, {found[3]}, {bottom + by:.3f}]"
    entry.prompt = entry.prompt.replace(found[0], new)
    return True


@kind("visualwebbench", "screenqa")
def size_in_prompt_wrong(exam: Exam, entry: Entry, chance: Random) -> bool:
    width, height = size_of(entry)
    said = f"{width} x {height}"
    if said not in entry.prompt:
        return False
    entry.prompt = entry.prompt.replace(said, f"{2 * width} x {2 * height}")
    return True


@kind(
    "visualwebbench/webqa", "visualwebbench/element_ground_bbox", "screenqa/short", "mmbench-gui/l1"
)
def asked_twice(exam: Exam, entry: Entry, chance: Random) -> bool:
    """Ask what another item asks."""
    for other in exam.others(entry, page=True):
        if entry.gold in ([NONE], [[]]) or other.gold in ([NONE], [[]]):
            continue
        if asked_in(other) != asked_in(entry):
            for name in ("prompt", "answer_format", "images"):
                entry.line["item"][name] = deepcopy(other.line["item"][name])
            for name in ("images", "context"):
                entry.line.pop(name, None)
                entry.line |= {name: deepcopy(other.line[name])} if name in other.line else {}
            for name in ("gold", "record", "tags"):
                entry.ref[name] = deepcopy(other.ref[name])
            entry.twin = other.key[1]
            other.touched = True
            return True
    return False
