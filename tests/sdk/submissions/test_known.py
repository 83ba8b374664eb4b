import pytest

from snellen.sdk.submissions.known import Clues, Known, KnownItem

SIZE = (1920.0, 1080.0)
ITEMS = [
    KnownItem("web/0", "a/one.png", "close the window", (10, 20, 30, 40), SIZE, same=1),
    KnownItem("web/1", "a/one.png", "open", (100, 200, 300, 400), SIZE, same=2),
    KnownItem("web/2", "b/two.png", "open", (500, 600, 700, 800), SIZE, same=3),
    KnownItem("mobile/0", "b/three.png", "open", (0.5, 0.5, 0.75, 0.75), SIZE, same=4),
]


def found(**clues: object) -> str | None:
    item = Known(ITEMS).find(Clues(**clues))  # type: ignore[arg-type]
    return None if item is None else item.id


@pytest.mark.parametrize(
    ("clues", "item"),
    [
        ({"id": "web/1"}, "web/1"),
        ({"id": "web_1"}, "web/1"),
        ({"id": "screenspot_web_v2_1"}, "web/1"),
        ({"id": "screenspot_mobile_v2_0"}, "mobile/0"),
        ({"id": "web_1", "image": "one.png", "instruction": "open"}, "web/1"),
        ({"id": "run-3:web/1"}, "web/1"),
        ({"id": "1"}, None),
        ({"id": "web_7"}, None),
    ],
)
def test_an_id_is_ours_or_numbers_a_part_of_the_data(clues: dict[str, str], item: str) -> None:
    assert found(**clues) == item


@pytest.mark.parametrize(
    ("clues", "item"),
    [
        ({"image": "/mnt/x/one.png", "instruction": " Open "}, "web/1"),
        ({"image": "C:\\images\\two.png", "instruction": "open"}, "web/2"),
        ({"image": "one.png", "instruction": "关闭", "box": (10, 20, 30, 40)}, "web/0"),
        ({"image": "one.png", "instruction": "关闭"}, None),
        ({"image": "one.png", "box": (10, 20, 30, 40)}, "web/0"),
        ({"image": "one.png", "instruction": "shut it", "box": (10, 20, 30, 40)}, None),
        ({"image": "other.png", "instruction": "open"}, None),
        ({"instruction": "open", "box": (500, 600, 700, 800)}, "web/2"),
        ({"instruction": "open"}, None),
        ({"instruction": "close the window", "box": (700, 20, 730, 40)}, None),
    ],
)
def test_two_of_image_instruction_and_box_name_an_item(
    clues: dict[str, object], item: str | None
) -> None:
    assert found(**clues) == item


@pytest.mark.parametrize(
    ("box", "view"),
    [
        ((960, 540, 1440, 810), None),
        ((960, 540, 480, 270), None),
        ((0.5, 0.5, 0.75, 0.75), None),
        ((0.5, 0.5, 0.25, 0.25), None),
        ((480, 270, 720, 405), (960.0, 540.0)),
    ],
)
def test_a_box_is_corners_or_a_size_in_pixels_fractions_or_another_image(
    box: tuple[float, ...], view: tuple[float, float] | None
) -> None:
    assert found(instruction="open", box=box, view=view) == "mobile/0"


def test_an_id_whose_image_and_instruction_are_another_items_is_not_believed() -> None:
    assert found(id="web/0", image="two.png", instruction="open") == "web/2"


def test_another_box_and_another_wording_are_remembered() -> None:
    known = Known(ITEMS)
    known.find(Clues("web/0", "one.png", "shut the window", (11, 20, 130, 40)))
    assert (list(known.moved), list(known.reworded)) == (["web/0"], ["web/0"])


def test_items_with_the_same_reference_are_taken_in_turn_and_others_left() -> None:
    alike = [KnownItem(name, "", "go back", action="navigate", same=1) for name in "ab"]
    known = Known([*alike, KnownItem("c", "", "tap", action="click", same=2)])
    rows = [Clues(instruction="go back", action="navigate")] * 3
    assert [item and item.id for item in map(known.find, rows)] == ["a", "b", None]
    assert known.alike == 3
    different = [KnownItem(name, "", "tap", action="click", same=name) for name in "de"]
    known = Known(different)
    assert known.find(Clues(instruction="tap", action="click")) is None
    assert known.ambiguous == 1


def test_an_id_may_hold_the_image_and_the_beginning_of_the_instruction() -> None:
    assert found(id="low_web_icon_000_one.png_close_the_wind") == "web/0"
    assert found(id="low_web_icon_000_one.png_something_else") is None


def test_a_steps_screenshot_names_its_episode_and_its_number() -> None:
    known = Known([KnownItem("7/3", "7_3", "tap", action="click")])
    for image in (
        "x/7_3.png",
        "episode_7-screenshot_3.png",
        "episode_7_screenshot_3.png",
        "7/screenshot_3.png",
    ):
        item = known.find(Clues(id="61", image=image))
        assert item is not None
        assert item.id == "7/3"


def test_a_row_of_another_part_of_the_benchmark_is_elsewhere() -> None:
    known = Known(ITEMS)
    assert known.is_elsewhere(Clues(part="desktop"))
    assert known.is_elsewhere(Clues("screenspot_desktop_v2_1"))
    assert not known.is_elsewhere(Clues("screenspot_web_v2_1", part="text"))
    assert not Known([KnownItem("cad_0")]).is_elsewhere(Clues(part="desktop"))
