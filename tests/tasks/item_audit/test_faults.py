"""Faults of single items."""

from dataclasses import replace

import pytest

from snellen.tasks.item_audit.faults import contradictory, faults_of
from snellen.tasks.item_audit.items import holds, items_of
from snellen.tasks.item_audit.models import Fault
from snellen.tasks.pack.read import open_pack, open_references
from snellen.tasks.samples import exam_folder


@pytest.mark.parametrize(
    ("answers", "nothing", "expected"),
    [
        (["3", "three"], None, False),
        (["3", "3.0", "3 items"], None, False),
        (["1,200", "1200"], None, False),
        (["$5", "5"], None, False),
        (["3", "5"], None, True),
        (["Yes", "no"], None, True),
        (["yes", "Yes, it is"], None, False),
        (["<no answer>"], "<no answer>", False),
        (["<no answer>", "5"], "<no answer>", True),
        (["7:30", "7:30 PM", "half past seven"], None, False),
        (["1,5", "1.5"], None, False),
        (["268,00 €", "268"], None, False),
        (["1.520 €", "1520"], None, False),
        ([], None, False),
    ],
)
def test_accepted_answers_contradict_one_another(
    answers: list[str], nothing: str | None, expected: bool
) -> None:
    assert contradictory(answers, nothing) is expected


@pytest.mark.parametrize(
    ("text", "part", "expected"),
    [
        ("What is «Sign in» for?", "sign in", True),
        ("What is signing for?", "sign", False),
        ("营业时间是几点?", "营业时间", True),
        ("营业时间是几点?", "电话", False),
        ("Costs $1,200.50?", "1,200.50", True),
        ("anything", "", False),
        ("anything", "+", False),
    ],
)
def test_a_text_is_found_as_whole_words_or_without_spaces(
    text: str, part: str, expected: bool
) -> None:
    assert holds(text, part) is expected


@pytest.mark.parametrize(
    ("options", "visible"),
    [
        (("above", "below", "below and to the left"), True),
        (("above", "above and to the left", "below"), False),
        (("above", "above and to the right", "below"), False),
        (("above", "to the left", "below"), False),
    ],
)
def test_a_rule_that_names_words_of_several_options_tells_none(
    options: tuple[str, ...], visible: bool
) -> None:
    pack = open_pack(exam_folder("sample-full"))
    item = next(iter(items_of(pack, open_references(pack), "mmbench-gui/l1")))
    rule = "Where is B? Of two, one is to the left; of others, one is above."
    told = replace(item, question=rule, options=options, right={0}, answers=options[:1])
    assert (Fault.VISIBLE in faults_of(told, {})) is visible
