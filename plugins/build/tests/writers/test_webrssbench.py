"""WebRSSBench's items, from hand-made pages to a pack."""

import io
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from PIL import Image, ImageDraw

from snellen.build.chance import draw
from snellen.build.items import Made, PageItems, Refused
from snellen.build.screen.elements import Element, Ltrb, Screen
from snellen.build.screen.fields import hintable_fields
from snellen.build.snapshots import Captured, Change, ChangedElement, Dropped, Snapshot
from snellen.build.writers.base import SIDE_FILE
from snellen.build.writers.webrssbench.regions import evened
from snellen.build.writers.webrssbench.write import MAKERS, write_data
from snellen.grading.ceiling import attainable_maximum
from snellen.grading.protocols.table import gold_shape, protocol_of
from snellen.tasks.benchmarks.webrssbench.load import load
from snellen.tasks.pack.check import check_pack
from snellen.tasks.pack.write import Part, write_pack

TASK = "webrssbench/"
WIDTH, HEIGHT = 1280, 900
SAID = "Book a table in the garden of our open kitchen and stay for dinner until midnight."

Freeze = Callable[..., Snapshot]


@cache
def png(color: str, boxes: tuple[Ltrb, ...] = ()) -> bytes:
    """Return an image with a different pattern in each box."""
    image = Image.new("RGB", (WIDTH, HEIGHT), color)
    pen = ImageDraw.Draw(image)
    for number, (left, top, right, bottom) in enumerate(boxes, 3):
        pen.rectangle((left, top, right - 1, bottom - 1), outline="black")
        for x in range(int(left), int(right), number):
            pen.line((x, top, x, bottom - 1), fill=(40 * number % 256, 9 * number, 80), width=2)
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def part(number: int, tag: str, box: Ltrb, **fields: Any) -> Element:
    shown: dict[str, Any] = {"background": "#ffffff", "color": "#111111", **fields}
    return Element(number, tag, box, **shown)


def elements() -> tuple[Element, ...]:
    """A page with bars, two sidebars, a form, buttons, and one that can't be undone."""
    main = {"parent": 4, "landmark": "main"}
    press = {"role": "button", "painted": True, **main}
    field = {"role": "textbox", "kind": "text", **main}
    return (
        part(0, "header", (0, 0, 1280, 80), role="banner"),
        part(1, "a", (20, 20, 120, 56), parent=0, role="link", text="Home", own="Home",
             landmark="banner"),
        part(2, "nav", (0, 80, 240, 800), role="navigation"),
        part(3, "a", (20, 120, 160, 160), parent=2, role="link", text="Menu", own="Menu",
             landmark="navigation"),
        part(4, "main", (260, 80, 960, 800), role="main"),
        part(5, "h1", (280, 100, 640, 150), role="heading", level=1, text="Book a table",
             own="Book a table in our garden with open kitchen and fresh menus", **main),
        part(6, "label", (280, 170, 380, 190), text="Phone", own="Phone", **main),
        part(7, "input", (280, 195, 580, 235), label="Phone", name="Phone",
             placeholder="000 000 0000", **field),
        part(8, "label", (280, 250, 380, 270), text="E-mail", own="E-mail", **main),
        part(9, "input", (280, 275, 580, 315), label="E-mail", name="E-mail", **field),
        part(10, "button", (280, 420, 420, 460), text="Book now", own="Book now", name="Book now",
             **{**press, "background": "#0b57d0", "color": "#ffffff"}),
        part(11, "button", (440, 420, 560, 460), text="Save draft", own="Save draft",
             name="Save draft", **press),
        part(12, "button", (700, 700, 860, 740), text="Delete account", own="Delete account",
             name="Delete account", **press),
        part(13, "img", (700, 180, 900, 320), role="img", alt="Fernbrook garden", **main),
        part(14, "aside", (1000, 80, 1280, 800), role="complementary"),
        part(15, "h2", (1020, 100, 1200, 140), parent=14, role="heading", level=2, text="Hours",
             own="Hours: dinner until midnight", landmark="complementary"),
        part(16, "footer", (0, 800, 1280, 900), role="contentinfo"),
        part(17, "a", (40, 830, 160, 866), parent=16, role="link", text="Contact", own="Contact",
             landmark="contentinfo"),
    )  # fmt: skip


def changed(element: Element, **after: Any) -> ChangedElement:
    return ChangedElement(element.id, element, msgspec.structs.replace(element, **after))


def changes(found: Sequence[Element]) -> list[Change]:
    def change(task: str, mode: str, image: str, pixels: int = 2000, **fields: Any) -> Change:
        return Change(TASK + task, mode, image, WIDTH, HEIGHT, 7, pixels, **fields)

    colors = [change("color", mode, f"{mode}.png") for mode in ("partial", "all", "low_contrast")]
    wider = changed(found[11], text="S a v e", box=(440, 420, 600, 460))
    return [
        *colors,
        change("text", "edit", "text.png", elements=(wider,),
               record={"operator": "spaces", "before": "Save draft", "after": "S a v e"}),
        change("layout", "edit", "layout.png",
               record={"level": "medium", "operators": ["swap", "wrap"]}),
        change("hint_text", "removed", "hint.png", elements=(changed(found[7], placeholder=""),)),
    ]  # fmt: skip


@pytest.fixture(scope="module")
def freeze(tmp_path_factory: pytest.TempPathFactory) -> Freeze:
    """Write a snapshot; by default of the page above, with all its changes."""

    def write(
        found: Sequence[Element] | None = None,
        *,
        page: str = "booking",
        made: Sequence[Change] | None = None,
        dropped: Sequence[Dropped] = (),
        **screen: Any,
    ) -> Snapshot:
        found = elements() if found is None else found
        made = changes(found) if made is None else made
        folder = tmp_path_factory.mktemp("snapshots") / "cafe" / page
        (folder / "changes").mkdir(parents=True)
        fields: dict[str, Any] = {"language": "en", "description": SAID, **screen}
        captured = Captured(
            page, "cafe", f"{page}.html", Screen(WIDTH, HEIGHT, tuple(found), **fields),
            changes=tuple(made), dropped=tuple(dropped),
        )  # fmt: skip
        (folder / "snapshot.json").write_bytes(msgspec.json.encode(captured))
        (folder / "screen.png").write_bytes(png("white", tuple(one.box for one in found)))
        for change in made:
            (folder / "changes" / change.image).write_bytes(png("#eeeeff"))
        return Snapshot(folder)

    return write


def made(name: str, snapshot: Snapshot, seed: int = 7) -> list[Made]:
    found = list(MAKERS[TASK + name](snapshot, draw(seed, snapshot.id, name)))
    assert all(isinstance(one, Made) for one in found), found
    return [one for one in found if isinstance(one, Made)]


def reason(name: str, snapshot: Snapshot) -> str:
    (found,) = MAKERS[TASK + name](snapshot, draw(7, snapshot.id, name))
    assert isinstance(found, Refused)
    assert found.task == TASK + name
    return found.reason


def items_of(snapshot: Snapshot, seed: int = 7) -> PageItems:
    found = [
        one
        for name, maker in MAKERS.items()
        for one in maker(snapshot, draw(seed, snapshot.id, name))
    ]
    captured = snapshot.captured
    return PageItems(
        captured.site,
        captured.page,
        [one for one in found if isinstance(one, Made)],
        [one for one in found if isinstance(one, Refused)],
    )


@pytest.fixture(scope="module")
def snapshot(freeze: Freeze) -> Snapshot:
    """The page above."""
    return freeze()


@pytest.fixture(scope="module")
def items(snapshot: Snapshot) -> PageItems:
    """Its items of all tasks."""
    return items_of(snapshot)


@pytest.fixture(scope="module")
def position(snapshot: Snapshot) -> Callable[[int], Made]:
    """Return the positions that are asked for with a seed, which are drawn once."""

    @cache
    def drawn(seed: int) -> Made:
        (one,) = made("position", snapshot, seed)
        return one

    return drawn


@pytest.mark.slow
def test_the_page_carries_every_task(items: PageItems) -> None:
    assert {one.task for one in items.made} == set(MAKERS)
    assert items.refused == []


@pytest.mark.slow
@pytest.mark.parametrize("task", MAKERS)
def test_a_reference_given_as_the_answer_scores_the_maximum(
    items: PageItems, tmp_path: Path, task: str
) -> None:
    write_data([items], tmp_path / "data")
    data = load(task, tmp_path / "data")
    for protocol in ("paper", "robust"):
        rule = protocol_of(task, protocol)
        found = attainable_maximum(rule, gold_shape(task).responses, data.golds, data.contexts)
        # Their mean: a cosine of a text with itself may miss 1 by its last digit.
        reached = found.metrics[rule.metric.primary]
        assert reached == pytest.approx(rule.metric.best, abs=1e-12)


@pytest.mark.slow
def test_what_is_written_makes_a_clean_pack(freeze: Freeze, tmp_path: Path) -> None:
    pages = [items_of(freeze(page=page)) for page in ("booking", "groups")]
    write_data(pages, tmp_path / "data")
    lines = [
        json.loads(line) for line in (tmp_path / "data" / SIDE_FILE).read_text("utf-8").splitlines()
    ]
    parts: list[Part] = []
    for task in MAKERS:
        data = load(task, tmp_path / "data")
        assert data.cluster == "site"
        assert set(data.tags["site"]) == {"cafe"}
        assert set(data.tags["page"]) == {"cafe/booking", "cafe/groups"}
        records = {line["item"]: line["record"] for line in lines if line["task"] == task}
        assert list(records) == list(data.ids)
        assert all("cafe/" in item for item in data.ids)
        parts.append(Part(data, records=records))
    write_pack(parts, tmp_path / "pack", name="built")
    assert check_pack(tmp_path / "pack").fine


def test_no_prompt_says_its_answer(items: PageItems, tmp_path: Path) -> None:
    write_data([items], tmp_path / "data")
    for name in ("form_filling", "hint_text", "color", "text", "layout", "safety"):
        data = load(TASK + name, tmp_path / "data")
        for place in range(len(data.ids)):
            prompt = data.build_item(place).prompt.casefold()
            answers = gold_shape(data.task).responses(data.golds[place])
            assert not any(str(answer).casefold() in prompt for answer in answers)


# ---- Positions


def test_four_parts_and_their_relations(freeze: Freeze) -> None:
    (one,) = made("position", freeze())
    relations = one.record["relations"]
    assert sorted(relations) == [
        "crop_1|crop_2", "crop_1|crop_3", "crop_1|crop_4",
        "crop_2|crop_3", "crop_2|crop_4", "crop_3|crop_4",
    ]  # fmt: skip
    assert "reference" not in one.row
    assert [crop["name"] for crop in one.row["crops"]] == ["crop_1", "crop_2", "crop_3", "crop_4"]
    for crop in one.row["crops"]:
        left, top, width, height = crop["box"]
        assert min(width, height) >= 30
        assert 0 <= left <= left + width <= WIDTH
        assert 0 <= top <= top + height <= HEIGHT
        with Image.open(io.BytesIO(one.images[crop["image"]["path"]])) as image:
            assert image.size == (width, height)


def test_no_part_is_in_another_by_the_document(
    snapshot: Snapshot, position: Callable[[int], Made]
) -> None:
    for seed in range(8):
        one = position(seed)
        numbers: dict[str, int] = one.record["elements"]
        found = [snapshot.screen.elements[number] for number in numbers.values()]
        for first, other in combinations(found, 2):
            assert not snapshot.screen.nested(first, other)


@pytest.mark.slow
def test_no_relation_rests_on_a_few_pixels(position: Callable[[int], Made]) -> None:
    for seed in range(12):
        one = position(seed)
        for first, other in combinations([crop["box"] for crop in one.row["crops"]], 2):
            shared = [
                min(first[n] + first[n + 2], other[n] + other[n + 2]) - max(first[n], other[n])
                for n in (0, 1)
            ]
            least = [min(first[n + 2], other[n + 2]) for n in (0, 1)]
            if min(shared) > 0:
                assert min(shared) >= 12
                continue
            near, far = sorted(-gap for gap in shared)
            if near > 0:
                assert 20 * near >= far
                assert all(-s >= min(24, 0.2 * m) for s, m in zip(shared, least, strict=True))
            assert all(
                s <= -6 or s >= max(12, 0.75 * m) for s, m in zip(shared, least, strict=True)
            )


@pytest.mark.slow
def test_no_relation_is_a_good_guess(position: Callable[[int], Made]) -> None:
    counts: dict[str, int] = {}
    for seed in range(25):
        one = position(seed)
        mine = list(one.record["relations"].values())
        assert max(map(mine.count, mine)) <= 2
        for relation in mine:
            counts[relation] = counts.get(relation, 0) + 1
    assert max(counts.values()) < 0.25 * sum(counts.values())
    assert len(counts) >= 8


def test_parts_that_look_alike_or_show_nothing_are_not_asked_about(
    freeze: Freeze, tmp_path: Path
) -> None:
    boxes = [(100.0 + 200 * n, 100.0 + 70 * n, 200.0 + 200 * n, 160.0 + 70 * n) for n in range(5)]
    for one, other in ((0, 2), (2, 0)):
        boxes.append((boxes[one][0], boxes[other][1], boxes[one][2], boxes[other][3]))
    snapshot = freeze([part(n, "img", box, role="img") for n, box in enumerate(boxes)], made=[])
    assert len(made("position", snapshot)) == 1
    (snapshot.folder / "screen.png").write_bytes(png("white"))
    assert reason("position", snapshot) == "fewer than four parts that differ from each other"
    image = Image.open(io.BytesIO(png("white", tuple(boxes[:1])))).convert("RGB")
    stamp = image.crop((100, 100, 200, 160))
    for box in boxes:
        image.paste(stamp, (int(box[0]), int(box[1])))
    image.save(snapshot.folder / "screen.png")
    assert reason("position", snapshot) == "fewer than four parts that differ from each other"


def test_parts_in_one_row_are_too_little(freeze: Freeze) -> None:
    row = [
        part(n, "img", (100.0 + 200 * n, 100, 200.0 + 200 * n, 160), role="img") for n in range(6)
    ]
    assert reason("position", freeze(row, made=[])) == "its parts lie in too few directions"


# ---- Parts of the page


def test_each_part_of_a_page_is_asked_about(freeze: Freeze) -> None:
    references = [one.row["reference"] for one in made("ui_grouping", freeze())]
    assert references == [
        "bottom bar", "left sidebar", "main content", "right sidebar", "top bar",
    ]  # fmt: skip


def grouping(page: str, *parts: str) -> PageItems:
    items = [
        Made(TASK + "ui_grouping", {"element": f"element-{place}", "reference": part}, {})
        for place, part in enumerate(parts)
    ]
    return PageItems("cafe", page, [*items, Made(TASK + "color", {}, {})], [])


def test_each_part_is_asked_about_as_often_as_any_other() -> None:
    bars = ("left sidebar", "right sidebar", "bottom bar")
    pages = [grouping(f"page-{n}", "top bar", "main content", *bars) for n in range(9)]
    pages += [grouping(f"page-{n}", "other") for n in (10, 11)]
    kept = evened(pages, 7)
    counts = Counter(one.row.get("reference") for page in kept for one in page.made)
    assert counts == {**dict.fromkeys(("top bar", "main content", *bars, "other"), 2), None: 11}
    assert sum(len(page.refused) for page in kept) == 5 * 7
    assert evened(pages, 7) == kept
    assert evened(pages, 8) != kept


@pytest.mark.parametrize(
    ("bars", "each"),
    [(("left sidebar", "right sidebar", "bottom bar"), 9), (("left sidebar", "bottom bar"), 1)],
)
def test_where_several_parts_are_never_right_few_are_asked_about(
    bars: Sequence[str], each: int
) -> None:
    pages = [grouping(f"page-{n}", "top bar", "main content", *bars) for n in range(9)]
    kept = evened(pages, 7)
    counts = Counter(one.row.get("reference") for page in kept for one in page.made)
    assert counts == {**dict.fromkeys(("top bar", "main content", *bars), each), None: 9}


def test_where_there_is_no_such_task_nothing_is_left_out() -> None:
    pages = [PageItems("cafe", "page", [Made(TASK + "color", {}, {})], [])]
    assert evened(pages, 7) == pages


def test_what_lies_over_the_page_is_other(freeze: Freeze) -> None:
    found = (
        part(0, "main", (0, 0, 1280, 900), role="main"),
        part(1, "div", (900, 100, 1200, 300), parent=0, role="dialog", name="Cookies"),
        part(2, "a", (920, 120, 1100, 160), parent=1, role="link", text="Ask"),
        part(3, "p", (20, 250, 1000, 400), parent=0, own="Our teapots are handmade."),
    )
    (one,) = made("ui_grouping", freeze(found, made=[]))
    assert one.row["reference"] == "other"
    assert one.row["element"] == "element-2"


def test_what_is_called_a_dialog_and_lies_over_nothing_is_of_no_part(freeze: Freeze) -> None:
    found = (
        part(0, "main", (0, 0, 1280, 900), role="main"),
        part(1, "div", (900, 100, 1200, 300), parent=0, role="dialog", name="Cookies"),
        part(2, "a", (920, 120, 1100, 160), parent=1, role="link", text="Ask"),
        part(3, "p", (20, 350, 1000, 400), parent=0, own="Our teapots are handmade."),
    )
    assert reason("ui_grouping", freeze(found, made=[])) == "no part of it is marked by landmarks"


def test_what_is_paid_for_within_the_content_is_of_no_part(freeze: Freeze) -> None:
    found = (
        part(0, "main", (0, 0, 1280, 900), role="main"),
        part(1, "section", (900, 100, 1200, 300), parent=0, role="region", name="Advertisement"),
        part(2, "a", (920, 120, 1100, 160), parent=1, role="link", text="Ask", landmark="region"),
    )
    assert reason("ui_grouping", freeze(found, made=[])) == "no part of it is marked by landmarks"


@pytest.mark.parametrize("said", ["Advertisement", "Opening hours"])
def test_what_is_paid_for_beside_the_content_is_of_no_part(freeze: Freeze, said: str) -> None:
    """Its label may be its first text, and on phones it is at no side."""
    found = (
        part(0, "main", (0, 0, 1280, 500), role="main"),
        part(1, "h2", (20, 20, 400, 60), parent=0, role="heading", text="Tea", own="Tea"),
        part(2, "aside", (900, 100, 1200, 420), role="complementary"),
        part(3, "div", (900, 100, 1200, 300), parent=2),
        part(4, "p", (920, 110, 1100, 130), parent=3, text=said, own=said),
        part(5, "a", (920, 140, 1100, 180), parent=3, role="link", text="Ask", own="Ask"),
    )
    asked = {one.row["reference"] for one in made("ui_grouping", freeze(found, made=[]))}
    beside = said == "Opening hours"
    assert asked == {"main content"} | ({"right sidebar"} if beside else set[str]())


def test_the_region_of_a_language_is_no_other_language(freeze: Freeze) -> None:
    tags = {one.tags["language"] for one in made("color", freeze(language="en-GB"))}
    assert tags == {"en"}


def test_a_page_without_landmarks_has_no_parts(freeze: Freeze) -> None:
    found = (part(0, "a", (20, 20, 120, 56), role="link", text="Home"),)
    assert reason("ui_grouping", freeze(found, made=[])) == "no part of it is marked by landmarks"


def test_a_bar_in_an_odd_place_is_left_out(freeze: Freeze) -> None:
    found = (
        part(0, "nav", (300, 300, 900, 380), role="navigation"),
        part(1, "a", (320, 320, 420, 356), parent=0, role="link", text="Home"),
    )
    assert reason("ui_grouping", freeze(found, made=[])) == "no part of it is marked by landmarks"


@pytest.mark.parametrize(
    ("around", "bar", "part_of"),
    [
        # Links below the first words of the content, or in it, are no bar.
        ({"text": "Your orders", "own": "Your orders", "box": (20, 10, 300, 50)}, {}, None),
        ({"tag": "section", "box": (0, 0, 1280, 800)}, {"parent": 0}, None),
        ({"box": (0, 0, 1280, 80)}, {"painted": False}, None),
        ({"box": (0, 0, 1280, 80)}, {}, "top bar"),
        ({"tag": "header", "role": "banner", "box": (0, 0, 1280, 160)}, {"parent": 0}, "top bar"),
    ],
)
def test_links_within_the_content_are_no_bar_at_the_top(
    freeze: Freeze, around: dict[str, Any], bar: dict[str, Any], part_of: str | None
) -> None:
    found = (
        part(0, around.pop("tag", "div"), around.pop("box"), **around),
        part(1, "nav", (0, 90, 1280, 150), **{"role": "navigation", "painted": True, **bar}),
        part(2, "a", (320, 100, 420, 136), parent=1, role="link", text="Open", own="Open",
             landmark="navigation"),
    )  # fmt: skip
    snapshot = freeze(found, made=[])
    if part_of is None:
        assert reason("ui_grouping", snapshot) == "no part of it is marked by landmarks"
    else:
        assert [one.row["reference"] for one in made("ui_grouping", snapshot)] == [part_of]


# ---- Forms


def test_a_hint_that_is_seen_makes_it_easy(freeze: Freeze) -> None:
    easy, hard = made("form_filling", freeze())
    assert (easy.row["element"], easy.row["difficulty"]) == ("field-7", "easy")
    assert (hard.row["element"], hard.row["difficulty"]) == ("field-9", "hard")
    assert " " in easy.row["reference"]
    assert "@" in hard.row["reference"]


def test_a_value_that_two_fields_accept_is_not_asked_for(freeze: Freeze) -> None:
    found = list(elements())
    for declared in ({"label": "Mobile phone"}, {"label": "?", "key": "phone"}):
        found[9] = msgspec.structs.replace(elements()[9], name="", **declared)
        assert reason("form_filling", freeze(found)) == "no rule for what is typed into its fields"


def test_a_link_of_a_fields_name_is_no_second_field(freeze: Freeze) -> None:
    found = list(elements())
    found[1] = msgspec.structs.replace(found[1], text="E-mail us", name="E-mail us")
    assert {one.row["element"] for one in made("form_filling", freeze(found))} == {
        "field-7",
        "field-9",
    }


def test_a_number_of_a_page_that_shows_its_countrys_code_is_not_filled_in(freeze: Freeze) -> None:
    found = list(elements())
    found[17] = msgspec.structs.replace(found[17], own="+55 21 9999-9999")
    assert {one.row["element"] for one in made("form_filling", freeze(found))} == {"field-9"}


@pytest.mark.parametrize("label", ["Full name", ""])
def test_fields_of_a_form_that_is_somebodys_are_not_filled(freeze: Freeze, label: str) -> None:
    """Its labels may be recognizable only by people."""
    found = list(elements())
    named = {"label": label, "name": label, "value": "Mike Andrew", "placeholder": ""}
    found[7] = msgspec.structs.replace(found[7], **named)
    assert reason("form_filling", freeze(found)) == "no rule for what is typed into its fields"


def test_a_name_is_neither_filled_in_nor_hinted_at(freeze: Freeze) -> None:
    found = list(elements())
    found[7] = msgspec.structs.replace(found[7], label="Full name", name="Full name",
                                       placeholder="First and last name")  # fmt: skip
    assert {one.row["element"] for one in made("form_filling", freeze(found))} == {"field-9"}
    assert hintable_fields(Screen(WIDTH, HEIGHT, tuple(found), language="en")) == []


def test_what_a_field_is_for_has_to_be_seen(freeze: Freeze) -> None:
    """Its type determines it, and the text beside it may differ."""
    found = list(elements())
    found[9] = msgspec.structs.replace(found[9], kind="email", label="", name="")
    assert {one.row["element"] for one in made("form_filling", freeze(found))} == {"field-7"}


@pytest.mark.parametrize(("label", "asked_for"), [("Username", False), ("Your e-mail", True)])
def test_without_its_hint_a_field_is_what_its_label_says(
    freeze: Freeze, label: str, asked_for: bool
) -> None:
    """Its type asks for an e-mail address, and so did the hint."""
    found = list(elements())
    name = {"kind": "email", "label": label, "name": label}
    found[7] = msgspec.structs.replace(found[7], placeholder="Your e-mail address", **name)
    gone = Change(TASK + "form_filling", "removed", "form.png", WIDTH, HEIGHT, 7, 9,
                  elements=(changed(found[7], placeholder=""),))  # fmt: skip
    found[9] = msgspec.structs.replace(found[9], label="Phone", name="Phone")
    items = made("form_filling", freeze(found, made=[gone]))
    assert ("field-7" in {item.row["element"] for item in items}) is asked_for


def test_a_hint_that_was_taken_away_makes_it_hard(freeze: Freeze) -> None:
    found = elements()
    gone = Change(TASK + "form_filling", "removed", "form.png", WIDTH, HEIGHT, 7, 9,
                  elements=(changed(found[7], placeholder=""),))  # fmt: skip
    items = made("form_filling", freeze(found, made=[gone]))
    assert {one.row["element"]: one.row["difficulty"] for one in items} == {
        "field-7": "hard",
        "field-9": "hard",
    }
    (removed,) = (one for one in items if one.row["element"] == "field-7")
    assert removed.record["removed"]
    with Image.open(io.BytesIO(removed.images[removed.row["image"]["path"]])) as image:
        # The page after the change, and the field's box on it.
        assert image.convert("RGB").getpixel((5, 5)) == (0xEE, 0xEE, 0xFF)
        assert image.convert("RGB").getpixel((278, 215)) == (255, 0, 0)


def test_the_hint_that_was_taken_is_the_reference(freeze: Freeze) -> None:
    (one,) = made("hint_text", freeze())
    assert one.row["reference"] == "000 000 0000"
    assert one.row["element"] == "field-7"


@pytest.mark.parametrize(
    ("screen", "why"),
    [({"language": "fi"}, "no words for the language"), ({}, "no empty text field")],
)
def test_forms_are_refused_with_a_reason(freeze: Freeze, screen: dict[str, Any], why: str) -> None:
    found = elements() if screen else elements()[:5]
    assert reason("form_filling", freeze(found, made=[], **screen)) == why


# ---- Buttons


def test_the_call_to_action_is_asked_for_under_every_change(freeze: Freeze) -> None:
    (one,) = made("color", freeze())
    assert one.row["reference"] == "Book now"
    assert sorted(one.row["after"]) == ["all", "low_contrast", "partial"]
    assert one.row["difficulty"] == "easy"


def test_why_a_change_was_dropped_is_why_a_page_carries_no_item(freeze: Freeze) -> None:
    lost = Dropped(TASK + "text", "edit", "the button became too wide")
    assert reason("text", freeze(made=[], dropped=[lost])) == "the button became too wide"
    assert reason("hint_text", freeze(page="two", made=[])) == "no perturbation of it was kept"


def test_a_button_is_marked_where_it_is_each_time(freeze: Freeze) -> None:
    (one,) = made("text", freeze())
    assert one.row["reference"] == "Saves the entries as a draft without sending them."
    for state, right in (("before", 560), ("after", 600)):
        with Image.open(io.BytesIO(one.images[one.row[state]["path"]])) as image:
            assert image.convert("RGB").getpixel((right + 1, 440)) == (255, 0, 0)
            assert image.convert("RGB").getpixel((right - 1, 440)) != (255, 0, 0)


def test_what_cannot_be_undone_is_the_reference(freeze: Freeze) -> None:
    (one,) = made("safety", freeze())
    assert one.row["reference"] == "Delete account"


def test_two_of_them_are_both_right(freeze: Freeze) -> None:
    found = list(elements())
    found[11] = msgspec.structs.replace(found[11], text="Erase all data")
    (one,) = made("safety", freeze(found))
    assert one.row["reference"] == ["Erase all data", "Delete account"]


def test_what_the_page_says_cannot_be_undone_is_the_reference(freeze: Freeze) -> None:
    found = list(elements())
    found[12] = msgspec.structs.replace(found[12], text="Delete", name="Delete", parent=18)
    found.append(part(18, "section", (690, 600, 900, 760),
                      text="Delete this workspace. This can't be undone. Delete"))  # fmt: skip
    (one,) = made("safety", freeze(found))
    assert one.row["reference"] == "Delete"
    assert one.record["doubtful"] == ["Book now"]
    found[18] = msgspec.structs.replace(found[18], text="Your pictures Delete")
    assert reason("safety", freeze(found, page="two")) == (
        "a button of which nobody can tell if it can be undone"
    )


def without_danger(text: str = "Learn more") -> list[Element]:
    found = list(elements())
    for place, said in ((10, "Show menu"), (12, text)):
        found[place] = msgspec.structs.replace(found[place], text=said, name=said)
    return found


def test_of_the_pages_without_one_some_are_asked_about(freeze: Freeze) -> None:
    snapshot = freeze(without_danger())
    found = [next(iter(MAKERS[TASK + "safety"](snapshot, Random(seed)))) for seed in range(40)]
    items = [one for one in found if isinstance(one, Made)]
    assert {one.row["reference"] for one in items} == {"sorry"}
    assert 8 < len(items) < 32


@pytest.mark.parametrize("text", ["Send", "Remove"])
def test_where_nobody_can_tell_nothing_is_asked(freeze: Freeze, text: str) -> None:
    why = "a button of which nobody can tell if it can be undone"
    assert reason("safety", freeze(without_danger(text))) == why


@pytest.mark.parametrize(
    ("text", "language"), [("Cancel", "en"), ("Abbrechen", "de"), ("取消", "zh"), ("إلغاء", "ar")]
)
def test_what_cancels_is_harmless_where_it_closes_a_form(
    freeze: Freeze, text: str, language: str
) -> None:
    found = without_danger(text)
    why = "a button of which nobody can tell if it can be undone"
    assert reason("safety", freeze(found, page="alone", language=language)) == why
    for tag, role in (("form", ""), ("div", "dialog")):
        around = part(18, tag, (690, 600, 900, 760), parent=4, role=role)
        inside = msgspec.structs.replace(found[12], parent=18)
        held = [*found[:12], inside, *found[13:], around]
        (one, *_) = (
            each
            for seed in range(20)
            for each in MAKERS[TASK + "safety"](
                freeze(held, page=f"{tag}-{seed}", language=language), Random(seed)
            )
            if isinstance(each, Made)
        )
        assert one.row["reference"] == "sorry"


def test_what_a_button_cancels_is_not_told_where_no_form_is(freeze: Freeze) -> None:
    found = list(elements())
    found[11] = msgspec.structs.replace(found[11], text="Cancel", own="Cancel", name="Cancel")
    why = "no button with known words"
    assert reason("text", freeze(found)) == why
    found[11] = msgspec.structs.replace(found[11], parent=18)
    found.append(part(18, "form", (430, 400, 700, 500), parent=4, role="form"))
    (one,) = made("text", freeze(found, page="form"))
    assert one.row["reference"] == "Closes the form without saving anything."


def test_an_icon_without_a_name_may_be_anything(freeze: Freeze) -> None:
    icon = part(18, "button", (900, 420, 940, 460), role="button", painted=True)
    why = "a button of which nobody can tell if it can be undone"
    assert reason("safety", freeze([*without_danger(), icon])) == why


# ---- Layout


def test_a_page_says_what_it_is_for(freeze: Freeze) -> None:
    (one,) = made("layout", freeze())
    assert one.row["reference"] == SAID
    assert one.row["difficulty"] == "medium"
    assert one.tags["operators"] == "swap+wrap"
    assert one.record["changed_share"] == pytest.approx(2000 / (WIDTH * HEIGHT), abs=1e-4)


def test_what_is_hardly_seen_is_refused(freeze: Freeze) -> None:
    found = [
        msgspec.structs.replace(one, pixels=40) if one.task.endswith("layout") else one
        for one in changes(elements())
    ]
    assert reason("layout", freeze(made=found)) == "what was rearranged is hardly seen"


def test_a_page_that_says_nothing_is_refused(freeze: Freeze) -> None:
    assert reason("layout", freeze(description="")) == "no description"


@pytest.mark.slow
def test_every_maker_draws_the_same_again(freeze: Freeze) -> None:
    snapshot = freeze()

    def drawn() -> Iterator[tuple[str, Any]]:
        for one in items_of(snapshot, 3).made:
            yield one.task, one.row

    assert list(drawn()) == list(drawn())
