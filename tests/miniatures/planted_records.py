"""Faults of charts' numbers, and faults that are in the record as well."""

from collections.abc import Callable, Iterator
from copy import deepcopy
from random import Random

from planted_answers import letter_off_by_one, no_answer_though_there_is_one, right_of, typo_of
from planted_pictures import target_painted_over
from planting import MATRIX, NONE, Entry, Exam, Json, is_a, kind, overlap, size_of

# Numbers and steps of the matrix.


def _settings(entry: Entry) -> dict[str, Json]:
    return entry.gold.get("settings") or {}


def _tolerance(entry: Entry) -> float:
    return _settings(entry).get("absolute", 0)


def _metric(*names: str) -> Callable[[Entry], bool]:
    return lambda entry: entry.task == MATRIX and entry.gold["metric"] in names


@kind(MATRIX)
def number_wrong(exam: Exam, entry: Entry, chance: Random) -> bool:
    if not _metric("numeric")(entry):
        return False
    off = _tolerance(entry)
    entry.answer = round(entry.answer * 1.2 + 2 * off + 1, 2)
    return True


@kind(MATRIX)
def number_of_another_bar(exam: Exam, entry: Entry, chance: Random) -> bool:
    if not _metric("numeric")(entry) or "chart" not in entry.record:
        return False
    values = [value for row in entry.record["chart"]["series"].values() for value in row]
    off = _tolerance(entry)
    wrong = [value for value in values if abs(value - entry.answer) > 2 * off + 1]
    entry.answer = chance.choice(wrong)
    return True


@kind(MATRIX)
def tolerance_of_a_million(exam: Exam, entry: Entry, chance: Random) -> bool:
    if not _metric("numeric", "spec")(entry):
        return False
    settings = {**_settings(entry), "absolute": 1e6}
    entry.gold = {**entry.gold, "settings": settings}
    return True


@kind(MATRIX)
def tolerance_not_as_said(exam: Exam, entry: Entry, chance: Random) -> bool:
    """Count other answers than the prompt says."""
    settings = _settings(entry)
    if "absolute" not in settings:
        return False
    entry.gold = {**entry.gold, "settings": {**settings, "absolute": settings["absolute"] * 10}}
    return True


def _walk(value: Json) -> Iterator[tuple[Json, Json]]:
    parts = value.items() if is_a(value, dict) else enumerate(value)
    for key, part in list(parts):
        if is_a(part, dict, list):
            yield from _walk(part)
        else:
            yield value, key


@kind(MATRIX)
def value_in_document_wrong(exam: Exam, entry: Entry, chance: Random) -> bool:
    if not _metric("spec", "decisions", "tool_call")(entry):
        return False
    answer = deepcopy(entry.answer)
    places = [(home, key) for home, key in _walk(answer) if is_a(home[key], int, float)]
    if not places:
        return False
    home, key = chance.choice(places)
    off = _tolerance(entry)
    home[key] = home[key] + 3 * off + max(2, abs(home[key]) // 2)
    entry.answer = answer
    return True


@kind(MATRIX)
def label_in_document_wrong(exam: Exam, entry: Entry, chance: Random) -> bool:
    if not _metric("spec", "decisions", "tool_call")(entry):
        return False
    answer = deepcopy(entry.answer)
    places = [
        (home, key)
        for home, key in _walk(answer)
        if is_a(home[key], str) and key not in ("kind", "name")
    ]
    if not places:
        return False
    home, key = chance.choice(places)
    single = len(home[key]) == 1
    home[key] = ("B" if home[key] != "B" else "C") if single else "Elsewhere"
    entry.answer = answer
    return True


@kind(MATRIX)
def step_lost(exam: Exam, entry: Entry, chance: Random) -> bool:
    if not is_a(entry.answer, list) or len(entry.answer) < 2 or entry.gold["metric"] not in (
        "spec", "decisions",
    ):  # fmt: skip
        return False
    entry.answer = entry.answer[:-1]
    return True


@kind(MATRIX)
def steps_in_another_order(exam: Exam, entry: Entry, chance: Random) -> bool:
    if not is_a(entry.answer, list) or len(entry.answer) < 2 or entry.gold["metric"] not in (
        "spec", "decisions",
    ):  # fmt: skip
        return False
    entry.answer = entry.answer[::-1]
    return True


@kind(MATRIX)
def chart_kind_wrong(exam: Exam, entry: Entry, chance: Random) -> bool:
    answer: Json = entry.answer
    if not is_a(answer, dict) or "kind" not in answer:
        return False
    entry.answer = {**answer, "kind": "pie" if answer["kind"] != "pie" else "line"}
    return True


@kind(MATRIX, both=True)
def chart_value_wrong_in_record(exam: Exam, entry: Entry, chance: Random) -> bool:
    """Take a bar for another height, in the record as in the reference."""
    if not _metric("numeric")(entry) or entry.ref["tags"].get("kind") not in (
        "value", "value, asked in the picture",
    ):  # fmt: skip
        return False
    record = deepcopy(entry.record)
    chart = record["chart"]
    values = [row for row in chart["series"].values() if entry.answer in row]
    if not values:
        return False
    new = round(entry.answer * 1.4, 1)
    for row in values:
        row[row.index(entry.answer)] = new
    entry.ref["record"], entry.answer = record, new
    return True


@kind(MATRIX, both=True)
def consistency_wrong_in_record(exam: Exam, entry: Entry, chance: Random) -> bool:
    if "true" not in entry.record or entry.answer not in ("A", "B"):
        return False
    entry.ref["record"] = {**entry.record, "true": not entry.record["true"]}
    return letter_off_by_one(exam, entry, chance)


@kind(MATRIX, both=True)
def order_wrong_in_record(exam: Exam, entry: Entry, chance: Random) -> bool:
    if "order" not in entry.record:
        return False
    letter_off_by_one(exam, entry, chance)
    options = entry.line["item"]["answer_format"]["options"]
    entry.ref["record"] = {**entry.record, "order": options[right_of(entry)].split(", ")}
    return True


@kind(
    "visualwebbench/element_ground_", "visualwebbench/action_ground_", "mmbench-gui/l2", both=True
)
def box_of_another_item_in_record(exam: Exam, entry: Entry, chance: Random) -> bool:
    """Take another element for the one that is meant, in the record as in the reference."""
    for other in exam.others(entry, page=True):
        if overlap(other.gold["bbox"], entry.gold["bbox"]) < 0.2:
            entry.gold = {**entry.gold, "bbox": other.gold["bbox"]}
            names = ("box", "element", "painted", "ink")
            said = {name: other.record[name] for name in names if name in other.record}
            entry.ref["record"] = {**entry.record, **said}
            return True
    return False


@kind(
    "visualwebbench/element_ground_", "visualwebbench/action_ground_", "mmbench-gui/l2", both=True
)
def box_moved_in_record(exam: Exam, entry: Entry, chance: Random) -> bool:
    left, top, right, bottom = entry.gold["bbox"]
    by = 1.2 * (bottom - top)
    if bottom + by > size_of(entry)[1]:
        return False
    new = [left, round(top + by, 1), right, round(bottom + by, 1)]
    entry.gold = {**entry.gold, "bbox": new}
    said = {name: new for name in ("box", "ink", "painted") if entry.record.get(name)}
    entry.ref["record"] = {**entry.record, **said}
    return True


@kind("screenqa/ui_contents_boxes", both=True)
def text_box_moved_in_record(exam: Exam, entry: Entry, chance: Random) -> bool:
    if not any(entry.gold) or len(entry.record.get("boxes", [])) != 1:
        return False
    left, top, right, bottom = entry.record["boxes"][0]
    by = 1.5 * (bottom - top)
    if bottom + by > size_of(entry)[1]:
        return False
    new = [left, round(top + by, 1), right, round(bottom + by, 1)]
    entry.gold = [[[new, text] for _, text in rater] for rater in entry.gold]
    entry.ref["record"] = {**entry.record, "boxes": [new]}
    return True


@kind("screenqa/short", "visualwebbench/webqa", both=True)
def answer_of_another_element_in_record(exam: Exam, entry: Entry, chance: Random) -> bool:
    """Answer with another element's text, and say in the record that it is the one."""
    for other in exam.others(entry, page=True):
        answered = NONE not in (*entry.gold, *other.gold)
        if answered and other.record != entry.record and not {*other.gold} & {*entry.gold}:
            entry.gold = other.gold
            entry.ref["record"] = other.record
            return True
    return False


@kind("screenqa/short", "screenqa/long", "screenqa/ui_contents", both=True)
def no_answer_in_record(exam: Exam, entry: Entry, chance: Random) -> bool:
    """Say that the screen does not hold what it holds, in the record as in the reference."""
    if not no_answer_though_there_is_one(exam, entry, chance):
        return False
    entry.ref["record"] = {"question_of": entry.page, "unanswerable": True}
    entry.ref["tags"] = {**entry.ref["tags"], "no_answer": "all"}
    return True


@kind("webrssbench/hint_text", "webrssbench/form_filling", both=True)
def label_wrong_in_record(exam: Exam, entry: Entry, chance: Random) -> bool:
    others = [other for other in exam.others(entry) if other.gold != entry.gold]
    others = [one for one in others if one.ref["tags"]["field"] != entry.ref["tags"]["field"]]
    if not others:
        return False
    other = chance.choice(others)
    entry.gold = other.gold
    said = {name: other.record[name] for name in ("label", "placeholder") if name in other.record}
    entry.ref["record"] = {**entry.record, **said}
    entry.ref["tags"] = {**entry.ref["tags"], "field": other.ref["tags"]["field"]}
    return True


@kind("visualwebbench/action_prediction", both=True)
def title_wrong_in_record(exam: Exam, entry: Entry, chance: Random) -> bool:
    letter_off_by_one(exam, entry, chance)
    title = entry.line["item"]["answer_format"]["options"][right_of(entry)]
    entry.ref["record"] = {**entry.record, "title": title}
    return True


@kind("visualwebbench/element_ocr", "visualwebbench/heading_ocr", both=True)
def read_wrong_in_record(exam: Exam, entry: Entry, chance: Random) -> bool:
    """Take another element for the one that is read."""
    text = typo_of(entry.gold)
    if text is None:
        return False
    entry.gold = text
    entry.ref["record"] = {**entry.record, "element": entry.record["element"] + 1}
    return True


@kind("visualwebbench", "screenqa", both=True)
def target_painted_over_in_build(exam: Exam, entry: Entry, chance: Random) -> bool:
    return target_painted_over(exam, entry, chance)
