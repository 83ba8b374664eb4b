"""VisualWebBench's webqa, from hand-made facts."""

from collections.abc import Callable
from random import Random
from typing import Any

from snellen.build.items import Made, Refused
from snellen.build.snapshots import Snapshot
from snellen.build.writers.visualwebbench.shared import Reason
from snellen.build.writers.visualwebbench.write import QUESTION_ITEMS, webqa

Freeze = Callable[..., Snapshot]
Blank = Callable[[], Any]


def reason(snapshot: Snapshot) -> str:
    (refusal,) = webqa(snapshot, Random(1))
    assert isinstance(refusal, Refused)
    return refusal.reason


def test_pages_without_facts_or_templates_are_refused(blank: Blank, freeze: Freeze) -> None:
    page = blank().pairs(Size="40 cm")
    assert reason(freeze(blank())) == Reason.NO_ANSWER
    assert reason(freeze(blank().pairs(Size="—"))) == Reason.NO_ANSWER
    assert reason(freeze(page, language="fi")) == Reason.NO_TEMPLATES
    assert reason(freeze(page, language="")) == Reason.NO_LANGUAGE


def test_a_page_has_few_questions_of_many_kinds_with_different_answers(
    blank: Blank, freeze: Freeze
) -> None:
    people = ["Ann Lee", "Bob Ray", "Cid Fox", "Dan Orr", "Eve Kay"]
    rooms = [f"A {number}" for number in range(10, 15)]
    pay = ["$1,200", "$900", "$3,400", "$2,000", "$700"]
    page = blank().pairs(Size="40 cm")
    page.table(["Name", "Room", "Pay"], *map(list, zip(people, rooms, pay, strict=True)))
    items = [one for one in webqa(freeze(page), Random(1)) if isinstance(one, Made)]
    assert {one.tags["question"] for one in items} == {
        "cell",
        "reverse",
        "pair",
        "highest",
        "lowest",
    }
    assert len({one.row["answer"][0] for one in items}) == QUESTION_ITEMS
    assert [one.row["id"] for one in items] == [f"shop/index/webqa_{n}" for n in range(1, 6)]
