"""The included exams: what they ask for stands in their pictures, as OCR reads them."""

from collections.abc import Sequence
from io import BytesIO
from typing import Any, cast

import numpy as np
import pytest
from PIL import Image
from rapidfuzz.fuzz import partial_ratio

from snellen.demo.ocr.reader import RapidReader, Shelf, cache_folder
from snellen.tasks.pack.format import PackImage
from snellen.tasks.pack.read import open_pack, open_references
from snellen.tasks.samples import exam_folder

READ = {
    *("screenqa/short", "screenqa/ui_contents", "screenqa/ui_contents_boxes"),
    *("visualwebbench/heading_ocr", "visualwebbench/element_ocr", "visualwebbench/webqa"),
}
"""The tasks whose references are texts of the screen."""
ALIKE = 80
"""The least similarity, in percent, of a word and what OCR reads of it."""


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("sample-full", marks=pytest.mark.thorough),
        pytest.param("wireframes", marks=pytest.mark.slow),
    ],
)
def test_every_text_that_is_asked_for_is_drawn(name: str) -> None:
    pytest.importorskip("rapidocr")
    pack = open_pack(exam_folder(name))
    references, reader, shelf = open_references(pack), RapidReader(), Shelf(cache_folder())

    def text(image: PackImage) -> str:
        with Image.open(BytesIO(pack.read_image(image))) as opened:
            picture = shelf.open(np.array(opened.convert("RGB"), dtype=np.uint8), reader)
        read = " ".join(line.text for line in picture.lines())
        shelf.keep(picture)
        return read

    missing: dict[str, Any] = {}
    for task in READ & pack.index.keys():
        golds = dict(references.golds[task].items())
        for item in pack.index[task]:
            images = pack.line(task, item).images.values()
            drawn = _folded(" ".join(map(text, images)))
            asked = texts_of(golds[item])
            if asked and not any(_is_in(text, drawn) for text in asked):
                missing[f"{task} {item}"] = golds[item]
    assert missing == {}


def _is_in(text: str, drawn: str) -> bool:
    # What is drawn in a script that OCR can't read, or is an answer that nothing shows, is no case.
    if text == "<no answer>" or any("؀" <= letter <= "ۿ" for letter in text):
        return True
    # Word by word: a line may be broken, with another column between its halves.
    return all(
        partial_ratio(_folded(word), drawn) >= ALIKE for word in text.split() if _folded(word)
    )


def _folded(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def texts_of(gold: object) -> list[str]:
    """Return the texts of a reference, however deep they are."""
    if isinstance(gold, str):
        return [gold]
    if isinstance(gold, list | tuple):
        return [text for part in cast("Sequence[object]", gold) for text in texts_of(part)]
    return []
