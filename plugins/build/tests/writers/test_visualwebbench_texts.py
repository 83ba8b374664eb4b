"""Captions, headings and long texts from hand-made pages."""

import io
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from PIL import Image

from snellen.build.items import Made, Maker, Refused
from snellen.build.questions.text import count_words, is_plain
from snellen.build.screen.elements import Element, Screen
from snellen.build.snapshots import Captured, Snapshot
from snellen.build.writers.visualwebbench.shared import Reason
from snellen.build.writers.visualwebbench.texts import (
    OCR_ITEMS,
    element_ocr,
    heading_ocr,
    web_caption,
)

SHOP = "The shop sells running shoes and hiking boots for every season"
WORDS = " ".join(f"word{number}" for number in range(21))


def page(tmp_path: Path, *elements: dict[str, Any], **screen: Any) -> Snapshot:
    """Return a page of elements; `text` is also their own text if they have no other."""
    filled: list[dict[str, Any]] = [
        {"id": place, "tag": "div", "own": given.get("text", ""), **given}
        for place, given in enumerate(elements)
    ]
    built = tuple(Element(**each) for each in filled)
    file = io.BytesIO()
    Image.new("RGB", (400, 300), "white").save(file, "PNG")
    (tmp_path / "screen.png").write_bytes(file.getvalue())
    seen = Screen(400, 300, built, language="en", **screen)
    captured = Captured("index", "shop", "index.html", seen)
    (tmp_path / "snapshot.json").write_bytes(msgspec.json.encode(captured))
    return Snapshot(tmp_path)


def made(maker: Maker, snapshot: Snapshot) -> list[Made]:
    found = list(maker(snapshot, Random(1)))
    assert all(isinstance(one, Made) for one in found), found
    return [one for one in found if isinstance(one, Made)]


def reason(maker: Maker, snapshot: Snapshot) -> str:
    (only,) = maker(snapshot, Random(1))
    assert isinstance(only, Refused)
    return only.reason


def h1(text: str, **more: Any) -> dict[str, Any]:
    given = {"tag": "h1", "role": "heading", "level": 1, "text": text, "box": (10, 10, 200, 40)}
    return {**given, "font_size": 32.0, **more}


def p(text: str, **more: Any) -> dict[str, Any]:
    return {"tag": "p", "text": text, "box": (10, 60, 200, 120), **more}


def test_a_description_that_the_page_bears_out_is_the_caption(tmp_path: Path) -> None:
    snapshot = page(tmp_path, p(f"{SHOP}."), description=f"  {SHOP}\n")
    (item,) = made(web_caption, snapshot)
    assert item.task == "visualwebbench/web_caption"
    assert item.row == {
        "id": "shop/index/web_caption_1",
        "task_type": "web_caption",
        "website": "shop",
        "image": "raw_image/shop/index.png",
        "raw_image": "raw_image/shop/index.png",
        "image_size": [400, 300],
        "answer": SHOP,
    }
    assert item.images == {"raw_image/shop/index.png": snapshot.image()}
    assert item.tags == {"language": "en", "source": "meta"}


@pytest.mark.parametrize(
    ("description", "expected"),
    [
        ("", Reason.NO_DESCRIPTION),
        ("Shoes for you", Reason.SHORT_DESCRIPTION),
        (f"{SHOP} " * 10, Reason.SHORT_DESCRIPTION),
        ("Just another WordPress site with shoes", Reason.GENERIC_DESCRIPTION),
        ("Web site created using create-react-app", Reason.GENERIC_DESCRIPTION),
        ("Shoes for running, hiking and walking", Reason.GENERIC_DESCRIPTION),
        ("Reference: Shoes for running, hiking and walking", Reason.GENERIC_DESCRIPTION),
        ("A free template with charts, tables and a dark mode", Reason.OTHER_DESCRIPTION),
    ],
)
def test_other_descriptions_are_refused(tmp_path: Path, description: str, expected: Reason) -> None:
    title = "Shoes for running, hiking and walking"
    snapshot = page(tmp_path, p(f"{SHOP}."), description=description, title=title)
    assert reason(web_caption, snapshot) == expected


def test_what_a_site_says_of_itself_describes_no_page_with_a_title_of_its_own(
    tmp_path: Path,
) -> None:
    said = page(tmp_path, p(f"{SHOP}."), description=SHOP, title="59. Proxies")
    assert reason(web_caption, said) == Reason.OTHER_DESCRIPTION
    assert made(web_caption, page(tmp_path, p(f"{SHOP}."), description=SHOP, title="Our boots"))


def test_each_sentence_of_a_description_is_borne_out_by_the_page(tmp_path: Path) -> None:
    assert made(web_caption, page(tmp_path, p(f"{SHOP}."), description=f"{SHOP}. It sells boots."))
    for other in (f"{SHOP}. It loads faster.", f"{SHOP} since 1999."):
        found = page(tmp_path, p(f"{SHOP}."), description=other)
        assert reason(web_caption, found) == Reason.OTHER_DESCRIPTION


def test_what_only_the_frame_of_the_site_shows_bears_no_description_out(tmp_path: Path) -> None:
    snapshot = page(tmp_path, p(SHOP, landmark="contentinfo"), description=SHOP)
    assert reason(web_caption, snapshot) == Reason.OTHER_DESCRIPTION


def test_a_chinese_description_is_compared_by_pairs_of_signs(tmp_path: Path) -> None:
    text = "我们的商店出售各种跑步鞋和登山鞋"
    (item,) = made(web_caption, page(tmp_path, p(text), description=text))
    assert item.row["answer"] == text


def test_the_first_visible_h1_is_the_heading(tmp_path: Path) -> None:
    snapshot = page(tmp_path, h1("Running shoes"), h1("News", font_size=20.0), p(WORDS))
    (item,) = made(heading_ocr, snapshot)
    assert item.row["answer"] == "Running shoes"
    assert item.record == {"element": 0, "box": [10.0, 10.0, 200.0, 40.0]}


@pytest.mark.parametrize(("second", "made_of"), [("Appendix A: Keywords", 0), ("News", 1)])
def test_a_heading_that_names_the_site_is_not_the_main_one(
    tmp_path: Path, second: str, made_of: int
) -> None:
    below = h1(second, tag="h2", level=2, font_size=24.0, box=(10, 60, 200, 90))
    snapshot = page(tmp_path, h1("The Book"), below, title="A - Keywords - The Book")
    assert sum(isinstance(one, Made) for one in heading_ocr(snapshot, Random(1))) == made_of


@pytest.mark.parametrize(
    ("elements", "expected"),
    [
        ([p(WORDS)], Reason.NO_HEADING),
        ([h1("", alt="Logo")], Reason.PICTURE_HEADING),
        ([h1("Running shoes", cut=True)], Reason.CUT_HEADING),
        ([h1("Running shoes", covered=0.4)], Reason.CUT_HEADING),
        ([h1("7")], Reason.CUT_HEADING),
        ([h1("One"), h1("Two")], Reason.UNCLEAR_HEADING),
        ([h1("One"), h1("Two", tag="h2", level=2, font_size=40.0)], Reason.UNCLEAR_HEADING),
        (
            [h1("One Edit", own="One"), p("Edit", tag="button", role="button", parent=0)],
            Reason.CUT_HEADING,
        ),
    ],
)
def test_other_headings_are_refused(
    tmp_path: Path, elements: list[dict[str, Any]], expected: Reason
) -> None:
    assert reason(heading_ocr, page(tmp_path, *elements)) == expected


def test_a_text_of_more_than_20_words_is_boxed(tmp_path: Path) -> None:
    snapshot = page(tmp_path, p(WORDS, box=(40, 60, 240, 120)))
    (item,) = made(element_ocr, snapshot)
    assert item.row["answer"] == WORDS
    assert item.row["bbox"] == [0.1, 0.2, 0.6, 0.4]
    assert item.row["image"] == "image/shop/index/element_ocr_1.png"
    marked = Image.open(io.BytesIO(item.images["image/shop/index/element_ocr_1.png"]))
    assert marked.getpixel((39, 90)) == (255, 0, 0)
    assert item.record["words"] == 21


def test_a_text_of_20_words_is_not(tmp_path: Path) -> None:
    snapshot = page(tmp_path, p(WORDS.rpartition(" ")[0]))
    assert reason(element_ocr, snapshot) == Reason.NO_LONG_TEXT


def test_the_deepest_of_nested_texts_is_taken(tmp_path: Path) -> None:
    outer = {"text": WORDS, "own": "", "box": (0, 0, 400, 300)}
    (item,) = made(element_ocr, page(tmp_path, outer, p(WORDS, parent=0)))
    assert item.record["element"] == 1


@pytest.mark.parametrize(
    "elements",
    [
        [p(WORDS, clipped=True)],
        [p(WORDS, covered=0.3)],
        [p(f"Note: {WORDS}")],
        [p(f"\ue000 {WORDS}")],
        [p(" ".join([WORDS] * 10))],
        [p(WORDS), p("Close", box=(150, 100, 210, 130))],
        [p(WORDS), {"tag": "img", "role": "img", "box": (20, 70, 60, 110), "parent": 0}],
        [p(WORDS), {"tag": "input", "role": "textbox", "box": (20, 70, 60, 80), "parent": 0}],
        [p(WORDS), {"tag": "a", "role": "link", "box": (20, 70, 60, 110), "parent": 0}],
        [p(WORDS, own=""), p(WORDS[:60], tag="td", parent=0), p(WORDS[61:], tag="td", parent=0)],
    ],
    ids=[
        "clipped",
        "covered",
        "colon",
        "icon",
        "long",
        "other text",
        "picture",
        "field",
        "icon link",
        "grid",
    ],
)
def test_a_text_that_can_not_be_read_alone_is_refused(
    tmp_path: Path, elements: list[dict[str, Any]]
) -> None:
    assert reason(element_ocr, page(tmp_path, *elements)) == Reason.CUT_TEXT


def test_no_page_is_asked_for_more_than_a_few_texts(tmp_path: Path) -> None:
    many = [
        p(f"text {place} {WORDS}", box=(10, 20 * place, 300, 20 * place + 18))
        for place in range(10)
    ]
    items = made(element_ocr, page(tmp_path, *many))
    assert len({item.row["answer"] for item in items}) == len(items) == OCR_ITEMS


def test_equal_texts_are_asked_for_once(tmp_path: Path) -> None:
    snapshot = page(tmp_path, p(WORDS), p(WORDS, box=(10, 200, 200, 260)))
    assert len(made(element_ocr, snapshot)) == 1


def test_words_are_counted_in_scripts_without_spaces_too() -> None:
    assert count_words("one two - three") == 3
    assert count_words("これはとても長い文です") == 6
    assert count_words("") == 0


def test_signs_of_icon_fonts_are_not_plain() -> None:
    assert is_plain("Grüße, 你好 👋")
    assert not is_plain("\uf0c9 Menu")
