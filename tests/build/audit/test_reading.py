"""The text read at a reference's place, compared with the reference."""

import pytest

from snellen.build.audit.reading import check_page, check_reading
from snellen.build.audit.views import Sight, View
from snellen.tasks.audit.items import items_of
from snellen.tasks.audit.models import Fault
from snellen.tasks.pack.read import open_pack, open_references
from snellen.tasks.samples import exam_folder

PACK = open_pack(exam_folder("sample-full"))
HEADING, CHART = "visualwebbench/heading_ocr", "matrix/items"


def views(task: str) -> list[View]:
    items = items_of(PACK, open_references(PACK), task)
    return [View(item, Sight(None, {}, items)) for item in items]


VIEW = next(view for view in views(HEADING) if view.item.tags["language"] in {"en", "de", "es"})
TEXT = str(VIEW.item.gold)


def faults(*readings: str) -> list[Fault]:
    said = dict(zip((1.0, 2.0), readings, strict=True))
    return [one.fault for one in check_reading(VIEW, lambda digest, box, scale: said[scale])]


@pytest.mark.parametrize(
    ("readings", "expected"),
    [
        ((TEXT, TEXT), []),
        ((TEXT.upper(), f" {TEXT}."), []),
        ((TEXT, f"{TEXT[:-1]}x"), []),
        ((f"{TEXT[:-1]}x", f"{TEXT[:-2]}xy"), []),
        ((f"{TEXT[:-1]}x", f"{TEXT[:-1]}x"), [Fault.MISREAD]),
        ((f"{TEXT} and more", f"{TEXT} and more"), [Fault.MISREAD]),
        (("something else", "quite another text"), [Fault.MISREAD]),
        (("", TEXT[:3]), []),
    ],
)
def test_a_text_is_at_fault_where_two_readings_agree_on_another_one(
    readings: tuple[str, str], expected: list[Fault]
) -> None:
    assert faults(*readings) == expected


def test_a_chart_s_labels_are_read_in_its_picture() -> None:
    view = next(view for view in views(CHART) if view.record.get("chart"))
    labels = view.record["chart"]["labels"]
    assert [
        *check_page(view, lambda _: "\n".join([*labels, *view.record["chart"]["series"]]))
    ] == []
    found = [*check_page(view, lambda _: "another chart")]
    assert [one.fault for one in found] == [Fault.NOT_READ]
