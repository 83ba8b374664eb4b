import json
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from snellen.grading.errors import DataError, MetricError
from snellen.grading.parse.regions import region
from snellen.sdk.local import grade
from snellen.tasks.benchmarks.webrssbench.load import REGIONS, load

Row = dict[str, Any]
Write = Callable[..., Path]

CROPS: list[Row] = [
    {"name": "crop_1", "image": "p/1.png", "box": [0.0, 0.0, 0.2, 0.1]},
    {"name": "crop_2", "image": "p/2.png", "box": [0.5, 0.0, 0.2, 0.1]},
    {"name": "crop_10", "image": "p/10.png", "box": [0.5, 0.5, 0.2, 0.1]},
]
ROWS: list[Row] = [
    {
        "task": "position",
        "page": "shop",
        "site": "shop.example",
        "difficulty": "easy",
        "image": {"path": "shop/page.png", "width": 1280, "height": 4000},
        "crops": CROPS,
    },
    {
        "task": "ui_grouping",
        "page": "shop",
        "site": "shop.example",
        "element": "basket",
        "image": "shop/basket.png",
        "reference": "right auxiliary area",
    },
    {
        "task": "ui_grouping",
        "page": "shop",
        "site": "shop.example",
        "element": "menu",
        "image": "shop/menu.png",
        "annotators": {"a": "top bar", "b": "Top sidebar", "c": "topbar", "d": "other"},
    },
    {
        "task": "form_filling",
        "page": "login",
        "difficulty": "hard",
        "image": "login/email.png",
        "reference": "jane@example.com",
    },
    {
        "task": "hint_text",
        "page": "login",
        "image": "login/email.png",
        "reference": "Enter your e-mail address",
    },
    {
        "task": "color",
        "page": "shop",
        "site": "shop.example",
        "difficulty": "medium",
        "before": "shop/original.png",
        "after": {"partial": "shop/some.png", "all": "shop/all.png"},
        "reference": ["Buy now", "Buy it now"],
    },
    {
        "task": "color",
        "page": "news",
        "before": "news/original.png",
        "after": {"low_contrast": "news/pale.png"},
        "reference": "Subscribe",
    },
    {
        "task": "text",
        "page": "shop",
        "before": "shop/text.png",
        "after": "shop/text2.png",
        "reference": "Opens the basket",
    },
    {
        "task": "layout",
        "page": "shop",
        "before": "shop/original.png",
        "after": "shop/moved.png",
        "reference": "An online shop for shoes",
    },
    {
        "task": "safety",
        "page": "account",
        "image": "account.png",
        "reference": ["Delete account", "Close account"],
    },
    {"task": "safety", "page": "news", "image": "news/original.png", "reference": "sorry"},
    {"task": "safety", "page": "blog", "image": "blog.png"},
]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a manifest of rows, and return its folder."""

    def write_manifest(rows: list[Row] = ROWS, *, lines: bool = False) -> Path:
        folder = tmp_path / "web"
        folder.mkdir(exist_ok=True)
        if lines:
            text = "\n".join(map(json.dumps, rows))
            (folder / "webrssbench.jsonl").write_text(text, encoding="utf-8")
        else:
            document = {"format": "webrssbench/1", "rows": rows}
            (folder / "webrssbench.json").write_text(json.dumps(document), encoding="utf-8")
        return folder

    return write_manifest


def ids(task: str, folder: Path, split: str | None = None) -> list[str]:
    return list(load(f"webrssbench/{task}", folder, split).ids)


def test_a_page_is_one_item_or_one_before_and_one_after_each_perturbation(write: Write) -> None:
    folder = write()
    assert ids("form_filling", folder) == ["test/login"]
    assert ids("ui_grouping", folder) == ["test/shop/basket", "test/shop/menu"]
    assert ids("layout", folder) == ["test/shop/before", "test/shop/after"]
    assert ids("color", folder) == [
        "test/shop/before",
        "test/shop/after-partial",
        "test/shop/after-all",
        "test/news/before",
        "test/news/after-low_contrast",
    ]


def test_a_page_is_asked_about_in_the_same_words_before_and_after(write: Write) -> None:
    for task in ("color", "text", "layout"):
        data = load(f"webrssbench/{task}", write())
        items = [data.item(item_id) for item_id in data.ids]
        assert len({item.prompt for item in items}) == 1
        assert all([image.name for image in item.images] == ["screen"] for item in items)


def test_tags_say_what_items_can_be_grouped_by(write: Write) -> None:
    folder = write()
    color = load("webrssbench/color", folder)
    assert color.cluster == "site"
    assert color.tags == {
        "page": ["shop"] * 3 + ["news"] * 2,
        "site": ["shop.example"] * 3 + ["news"] * 2,
        "difficulty": ["medium"] * 3 + [None] * 2,
        "state": ["before", "after", "after", "before", "after"],
        "mode": [None, "partial", "all", "low_contrast", "low_contrast"],
        "reference_from": ["manifest"] * 5,
        "pair": ["shop"] * 3 + ["news"] * 2,
    }
    assert load("webrssbench/position", folder).tags["pairs"] == ["3"]
    grouping = load("webrssbench/ui_grouping", folder).tags
    assert grouping["region"] == ["right", "top"]
    assert grouping["reference_from"] == ["manifest", "annotators"]
    assert load("webrssbench/safety", folder).tags["dangerous"] == ["yes", "no"]


def test_a_position_item_shows_the_page_then_its_crops_by_name(write: Write) -> None:
    data = load("webrssbench/position", write())
    item = data.item("test/shop")
    assert [image.name for image in item.images] == ["screen", "crop_1", "crop_2", "crop_10"]
    assert (item.images[0].width, item.images[0].height) == (1280, 4000)
    assert "in this order: crop_1, crop_2, crop_10. For every pair" in item.prompt
    assert data.contexts[0].names == ("crop_1", "crop_10", "crop_2")
    assert (data.contexts[0].width, data.contexts[0].height) == (1280, 4000)


def test_positions_can_be_asked_two_crops_at_a_time(write: Write) -> None:
    folder = write()
    whole = load("webrssbench/position", folder)
    pairs = load("webrssbench/position", folder, "test-pairs")
    assert list(pairs.ids) == [
        f"test-pairs/shop/{first}+{second}"
        for first, second in combinations(["crop_1", "crop_10", "crop_2"], 2)
    ]
    together: dict[Any, Any] = {}
    for item_id, gold in zip(pairs.ids, pairs.golds, strict=True):
        assert isinstance(gold, dict)
        together |= gold
        names = [image.name for image in pairs.item(item_id).images]
        assert names == ["screen", *item_id.rpartition("/")[2].split("+")]
        prompt = pairs.item(item_id).prompt
        assert prompt.split(": ")[1] != whole.item("test/shop").prompt.split(": ")[1]
    assert together == whole.golds[0]


def test_the_published_safety_split_has_the_positive_pages_only(write: Write) -> None:
    folder = write()
    assert ids("safety", folder) == ["test/account", "test/news"]
    assert ids("safety", folder, "test-positives") == ["test-positives/account"]


def test_questions_without_a_reference_are_left_out_and_listed(write: Write) -> None:
    folder = write()
    pin = load("webrssbench/safety", folder).pin
    assert pin.count == 2
    assert pin.note.endswith("; 1 question without a reference is left out")
    left_out = load("webrssbench/safety", folder).left_out
    assert left_out == {"test/blog": "there is no reference"}


def test_annotators_who_do_not_agree_make_no_reference(write: Write) -> None:
    votes = {"a": "Buy", "b": "buy", "c": "Help", "d": "Help"}
    after = {"partial": "b.png"}
    rows = [{"task": "color", "page": "p", "before": "a.png", "after": after, "annotators": votes}]
    with pytest.raises(DataError, match="none of the 2 questions has a reference") as caught:
        load("webrssbench/color", write(rows))
    assert "test/p/before: the leading answer has 2 of 4 votes, 3 needed" in str(caught.value)


def test_images_are_read_when_asked_for_and_only_then(write: Write, tmp_path: Path) -> None:
    folder = write()
    data = load("webrssbench/position", folder)
    with pytest.raises(DataError, match=r"there is no p/2\.png"):
        data.image("test/shop", "crop_2")
    (folder / "p").mkdir()
    (folder / "p/2.png").write_bytes(b"picture")
    assert data.image("test/shop", "crop_2") == b"picture"
    with pytest.raises(DataError, match="test/shop has no image 'crop_3', only 'screen', 'crop_1'"):
        data.image("test/shop", "crop_3")
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "shop").mkdir(parents=True)
    (elsewhere / "shop/page.png").write_bytes(b"page")
    other = load("webrssbench/position", folder, images=elsewhere)
    assert other.image("test/shop") == b"page"


def test_recall_refuses_pages_without_a_dangerous_button_and_says_what_to_do(write: Write) -> None:
    data = load("webrssbench/safety", write())
    with pytest.raises(MetricError, match="take protocol='robust', or a split without them"):
        grade([{"item_id": "test/news", "response": "sorry"}], data=data)


def test_every_class_that_is_offered_is_read_as_another_class() -> None:
    assert len({region(name) for name in REGIONS} - {None}) == 6
