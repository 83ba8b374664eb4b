"""Who is asked what, what is kept of it, and what nobody else sees."""

import asyncio
import json

import pytest

from snellen.annotate.models import RaterAnswer
from snellen.annotate.queries import Place
from snellen.annotate.service import AnnotationPlan, Annotations
from snellen.server.errors import ExamError, ForbiddenError, NotFoundError
from snellen.server.store.database import Database
from snellen.server.store.tables.annotations import AnnotationMode
from snellen.tasks.pack.read import Pack

TASK, BOXES = "screenqa/short", "visualwebbench/action_ground_bbox"


def begun(service: Annotations, exam: Pack, **more: object) -> list[str]:
    """Create an annotation `checks` of five texts and return their items."""
    service.create(AnnotationPlan("checks", exam, (TASK,), **more))  # type: ignore[arg-type]
    return [*exam.index[TASK]]


async def all_of(service: Annotations, rater: str, text: str = "seven") -> list[str]:
    """Let a rater answer until nothing waits; return the items in that order."""
    order: list[str] = []
    while place := service.next_item("checks", rater):
        order.append(place.item)
        await service.answer("checks", rater, place, text)
    return order


async def test_each_rater_answers_every_item_once_in_an_order_of_their_own(
    service: Annotations, exam: Pack
) -> None:
    items = begun(service, exam, raters=9)
    orders = [await all_of(service, f"rater-{number}") for number in range(9)]
    assert all(sorted(order) == sorted(items) for order in orders)
    assert len({tuple(order) for order in orders}) > 5
    assert service.unfinished("checks") == 0


async def test_an_item_that_has_raters_enough_waits_for_nobody_else(
    service: Annotations, exam: Pack
) -> None:
    items = begun(service, exam, raters=2)
    await all_of(service, "ada")
    assert service.unfinished("checks") == len(items)
    await all_of(service, "bob")
    assert service.next_item("checks", "eve") is None
    card = service.card("checks", "eve")
    assert (card.items, card.answered, card.left, card.open) == (len(items), 0, 0, True)


async def test_who_can_not_tell_leaves_the_item_to_another_rater(
    service: Annotations, exam: Pack
) -> None:
    begun(service, exam, raters=1)
    place = service.next_item("checks", "ada")
    assert place is not None
    await service.skip("checks", "ada", place, "  the text is\ncut off ")
    assert service.next_item("checks", "ada") != place
    assert place.item in await all_of(service, "bob")
    (skipped,) = [one for one in service.answers("checks") if one.reason]
    assert (skipped.rater, skipped.given, skipped.reason) == ("ada", None, "the text is cut off")
    for reason in ("", " ", "x" * 501):
        with pytest.raises(ExamError, match="why you can't tell"):
            await service.skip("checks", "ada", place, reason)


async def test_an_answer_is_corrected_until_the_annotation_is_closed(
    service: Annotations, exam: Pack
) -> None:
    first = Place(task=TASK, item=begun(service, exam)[0])
    await service.answer("checks", "ada", first, " seven ")
    await service.answer("checks", "ada", first, "seven")
    await service.answer("checks", "ada", first, "eight")
    await service.skip("checks", "ada", first, "I was wrong")
    await service.answer("checks", "ada", first, "nine")
    (row,) = service.own("checks", "ada")
    assert (json.loads(row.given or ""), row.corrected, row.source) == ("nine", 3, "page")
    service.close("checks")
    for work in (
        service.answer("checks", "ada", first, "ten"),
        service.skip("checks", "ada", first, "no"),
    ):
        with pytest.raises(ForbiddenError, match="closed"):
            await work
    assert not service.card("checks", "ada").open
    service.close("checks", closed=False)
    await service.answer("checks", "ada", first, "ten")
    assert [one.given for one in service.answers("checks")] == ["ten"]


async def test_a_rater_sees_their_own_answer_and_nobody_elses(
    service: Annotations, exam: Pack
) -> None:
    first = Place(task=TASK, item=begun(service, exam)[0])
    await service.answer("checks", "ada", first, "zebra")
    theirs = service.item("checks", "bob", first.task, first.item)
    assert theirs.rating is None
    assert service.own("checks", "bob") == []
    own = service.item("checks", "ada", first.task, first.item)
    assert own.rating is not None
    assert json.loads(own.rating.given or "") == "zebra"


async def test_two_raters_at_once_lose_nothing(service: Annotations, exam: Pack) -> None:
    items = begun(service, exam, raters=3)
    raters = [f"rater-{number}" for number in range(6)]
    await asyncio.gather(
        *(
            service.answer("checks", rater, Place(task=TASK, item=item), rater)
            for rater in raters
            for item in items
        )
    )
    kept = service.answers("checks")
    assert {(one.item_id, one.rater, one.given) for one in kept} == {
        (item, rater, rater) for item in items for rater in raters
    }


async def test_one_more_rater_is_asked_for_what_is_disputed(
    service: Annotations, exam: Pack
) -> None:
    items = begun(service, exam, raters=2)
    await all_of(service, "ada")
    await all_of(service, "bob")
    disputed = [(TASK, items[1]), (TASK, items[3])]
    assert service.extend("checks", disputed) == 2
    # Asked again while they wait, nothing more is.
    assert service.extend("checks", [*disputed, (TASK, "nowhere")]) == 0
    assert service.next_item("checks", "ada") is None
    assert sorted(await all_of(service, "eve")) == sorted([items[1], items[3]])
    service.close("checks")
    with pytest.raises(ForbiddenError, match="closed"):
        service.extend("checks", disputed)


async def test_boxes_come_with_the_item_that_they_are_of(service: Annotations, exam: Pack) -> None:
    item = next(iter(exam.index[BOXES]))
    boxes = {(BOXES, item): [(0.0, 0.0, 50.0, 50.0), (10.0, 10.0, 20.5, 20.0)]}
    service.create(AnnotationPlan("places", exam, (BOXES,), elements=boxes))
    assert service.item("places", "ada", BOXES, item).elements == boxes[BOXES, item]
    await service.answer("places", "ada", Place(task=BOXES, item=item), [10, 10, 20.5, 20])
    with pytest.raises(ExamError, match="left, top, right, bottom"):
        await service.answer("places", "ada", Place(task=BOXES, item=item), "A")
    (kept,) = service.answers("places")
    assert kept.given == [10, 10, 20.5, 20]


def imported(item: str, given: str, rater: str = "eve@example.org") -> RaterAnswer:
    return RaterAnswer(
        task=TASK, item_id=item, rater=rater, given=given, at=5, source="label-studio"
    )


def test_answers_from_elsewhere_are_taken_over_all_or_none(
    service: Annotations, exam: Pack
) -> None:
    first, second, *_ = begun(service, exam)
    both = [imported(first, "seven"), imported(second, "eight")]
    assert service.take_over("checks", both) == 2
    assert service.take_over("checks", both) == 0
    assert service.take_over("checks", [both[0], imported(second, "nine")]) == 1
    assert {one.item_id: (one.given, one.at, one.source) for one in service.answers("checks")} == {
        first: ("seven", 5, "label-studio"),
        second: ("nine", 5, "label-studio"),
    }
    for last, error in (
        (imported("nowhere", "x"), NotFoundError),
        (imported(second, " "), ExamError),
    ):
        with pytest.raises(error):
            service.take_over("checks", [imported(first, "another"), last])
    assert sorted(str(one.given) for one in service.answers("checks")) == ["nine", "seven"]


def test_an_annotation_can_be_of_some_items(service: Annotations, exam: Pack) -> None:
    items = [*exam.index[TASK]]
    plan = AnnotationPlan("some", exam, (TASK,), items[1:3], AnnotationMode.MAKE, note="Look well.")
    assert service.create(plan) == 2
    assert service.places("some") == [Place(task=TASK, item=item) for item in items[1:3]]
    card = service.card("some", "ada")
    assert (card.mode, card.note) == (AnnotationMode.MAKE, "Look well.")


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ({"name": "Checks"}, "lower-case letters"),
        ({"name": "taken"}, "already"),
        ({"raters": 0}, "1 to 100 raters"),
        ({"raters": 101}, "1 to 100 raters"),
        ({"items": ["nowhere"]}, "no item 'nowhere'"),
        ({"items": []}, "at least one item"),
        ({"note": "x" * 4001}, "4,000 characters"),
    ],
)
def test_what_can_be_no_annotation_is_refused(
    service: Annotations, exam: Pack, plan: dict[str, object], message: str
) -> None:
    service.create(AnnotationPlan("taken", exam))
    with pytest.raises(ExamError, match=message):
        service.create(AnnotationPlan(**{"name": "checks", "pack": exam, **plan}))  # type: ignore[arg-type]
    assert [row.name for row in service.listed()] == ["taken"]


def test_annotations_of_other_packs_are_not_there(
    service: Annotations, exam: Pack, other: Pack
) -> None:
    begun(service, exam)
    elsewhere = Annotations([other], service.database)
    assert elsewhere.listed() == []
    for name in ("checks", "nothing", "Not a name", "x" * 100, "a\0b"):
        with pytest.raises(NotFoundError, match="there is no annotation"):
            elsewhere.card(name, "ada")
    with pytest.raises(NotFoundError, match="has no item"):
        service.item("checks", "ada", TASK, "nowhere")


def test_answers_are_there_after_the_store_was_opened_again(
    service: Annotations, exam: Pack
) -> None:
    first = begun(service, exam)[0]
    service.take_over("checks", [imported(first, "seven")])
    again = Database(service.database.name)
    try:
        assert Annotations([exam], again).answers("checks") == service.answers("checks")
    finally:
        again.close()
