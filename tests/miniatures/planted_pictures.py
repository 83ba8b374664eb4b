"""Faults of boxes and pictures."""

from collections.abc import Callable
from random import Random

from PIL import Image, ImageDraw, ImageFilter, ImageOps
from planting import MATRIX, Box, Entry, Exam, Json, Plant, box_in, is_a, kind, overlap, size_of

# Boxes.


def _golden(change: Callable[[list[float], tuple[int, int], Random], list[float] | None]) -> Plant:
    """Return what changes the box of a reference, and nothing where it stays about the same."""

    def plant(exam: Exam, entry: Entry, chance: Random) -> bool:
        gold: Json = entry.gold
        width, height = size_of(entry)
        boxed = entry.task == "screenqa/ui_contents_boxes" and any(gold)
        if is_a(gold, dict) and "bbox" in gold:
            old = list(gold["bbox"])
        elif boxed:
            old = next(list(rater[0][0]) for rater in gold if rater)
        elif entry.task == MATRIX and gold["metric"] == "point":
            old = list(gold["answer"])
        else:
            return False
        new = change(old, (width, height), chance)
        if new is None:
            return False
        new = [round(side, 1) for side in new]
        inside = 0 <= new[0] < new[2] <= width and 0 <= new[1] < new[3] <= height
        if not inside or overlap(old, new) > 0.6:
            return False
        if boxed:
            entry.gold = [
                [[new, text] if box == old else [box, text] for box, text in rater]
                for rater in gold
            ]
        elif entry.task == MATRIX:
            entry.answer = new
        else:
            entry.gold = {**gold, "bbox": new}
        return True

    return plant


def _shifted(box: list[float], x: float, y: float) -> list[float]:
    return [box[0] + x, box[1] + y, box[2] + x, box[3] + y]


def _enter_boxes() -> None:
    def away(box: list[float], size: tuple[int, int], chance: Random) -> list[float]:
        wide, high = box[2] - box[0], box[3] - box[1]
        return _shifted(
            box, 0, 1.5 * high if box[3] + 1.5 * high < size[1] else -1.5 * high - 0 * wide
        )

    def half_off(box: list[float], size: tuple[int, int], chance: Random) -> list[float]:
        wide = (box[2] - box[0]) / 2
        return _shifted(box, wide if box[2] + wide < size[0] else -wide, 0)

    def a_line_down(box: list[float], size: tuple[int, int], chance: Random) -> list[float]:
        high = 0.5 * (box[3] - box[1])
        return _shifted(box, 0, high if box[3] + high < size[1] else -high)

    def enlarged(box: list[float], size: tuple[int, int], chance: Random) -> list[float]:
        wide, high = box[2] - box[0], box[3] - box[1]
        return [
            max(0, box[0] - wide),
            max(0, box[1] - high),
            min(size[0], box[2] + wide),
            min(size[1], box[3] + high),
        ]

    def shrunk(box: list[float], size: tuple[int, int], chance: Random) -> list[float]:
        return [*box[:2], box[0] + (box[2] - box[0]) / 2, box[1] + (box[3] - box[1]) / 2]

    def transposed(box: list[float], size: tuple[int, int], chance: Random) -> list[float]:
        return [box[1], box[0], box[3], box[2]]

    def mirrored(box: list[float], size: tuple[int, int], chance: Random) -> list[float]:
        return [size[0] - box[2], box[1], size[0] - box[0], box[3]]

    def from_below(box: list[float], size: tuple[int, int], chance: Random) -> list[float]:
        return [box[0], size[1] - box[3], box[2], size[1] - box[1]]

    def halved(box: list[float], size: tuple[int, int], chance: Random) -> list[float]:
        return [side / 2 for side in box]

    def whole(box: list[float], size: tuple[int, int], chance: Random) -> list[float]:
        return [0, 0, *size]

    def width_for_right(
        box: list[float], size: tuple[int, int], chance: Random
    ) -> list[float] | None:
        new = [box[0], box[1], box[2] - box[0], box[3] - box[1]]
        return new if new[2] > new[0] and new[3] > new[1] else None

    def a_row(box: list[float], size: tuple[int, int], chance: Random) -> list[float]:
        return [0, box[1], size[0], box[3]]

    changes = (away, half_off, a_line_down, enlarged, shrunk, transposed, mirrored, from_below)
    for change in (*changes, halved, whole, width_for_right, a_row):
        plant = _golden(change)
        plant.__name__ = f"box_{change.__name__}"
        kind()(plant)


_enter_boxes()


@kind()
def box_of_another_item(exam: Exam, entry: Entry, chance: Random) -> bool:
    gold: Json = entry.gold
    if not (is_a(gold, dict) and "bbox" in gold):
        return False
    for other in exam.others(entry, page=True):
        if overlap(other.gold["bbox"], gold["bbox"]) < 0.3:
            entry.gold = {**gold, "bbox": other.gold["bbox"]}
            return True
    return False


@kind("screenqa/ui_contents_boxes")
def box_of_another_text(exam: Exam, entry: Entry, chance: Random) -> bool:
    for other in exam.others(entry, page=True):
        if any(entry.gold) and any(other.gold):
            box = next(rater[0][0] for rater in other.gold if rater)
            own = next(rater[0][0] for rater in entry.gold if rater)
            if overlap(box, own) < 0.3:
                entry.gold = [[[box, text] for _, text in rater] for rater in entry.gold]
                return True
    return False


# Pictures.


def _changed(change: Callable[[Image.Image, Random], Image.Image]) -> Plant:
    def plant(exam: Exam, entry: Entry, chance: Random) -> bool:
        exam.show(entry, change(exam.picture(entry), chance))
        return True

    return plant


def _enter_pictures() -> None:
    def upside_down(picture: Image.Image, chance: Random) -> Image.Image:
        return ImageOps.flip(ImageOps.mirror(picture))

    def mirrored(picture: Image.Image, chance: Random) -> Image.Image:
        return ImageOps.mirror(picture)

    def blurred(picture: Image.Image, chance: Random) -> Image.Image:
        return picture.filter(ImageFilter.GaussianBlur(8))

    def pixelated(picture: Image.Image, chance: Random) -> Image.Image:
        small = picture.resize((max(1, picture.width // 12), max(1, picture.height // 12)))
        return small.resize(picture.size, Image.Resampling.NEAREST)

    def white(picture: Image.Image, chance: Random) -> Image.Image:
        return Image.new("RGB", picture.size, "white")

    def noise(picture: Image.Image, chance: Random) -> Image.Image:
        return Image.frombytes(
            "RGB", picture.size, chance.randbytes(picture.width * picture.height * 3)
        )

    def rolled(picture: Image.Image, chance: Random) -> Image.Image:
        new = Image.new("RGB", picture.size, "white")
        new.paste(picture, (0, picture.height // 3))
        return new

    def half_loaded(picture: Image.Image, chance: Random) -> Image.Image:
        new = Image.new("RGB", picture.size, "white")
        new.paste(picture.crop((0, 0, picture.width, 40)), (0, 0))
        return new

    for change in (upside_down, mirrored, blurred, pixelated, white, noise, rolled, half_loaded):
        plant = _changed(change)
        plant.__name__ = f"picture_{change.__name__}"
        kind()(plant)


_enter_pictures()


@kind()
def picture_of_another_page(exam: Exam, entry: Entry, chance: Random) -> bool:
    others = list(exam.others(entry, page=False))
    if not others:
        return False
    picture = exam.picture(chance.choice(others))
    size = size_of(entry)
    own = Image.new("RGB", size, "white")
    own.paste(picture, (0, 0))
    exam.show(entry, own)
    return True


@kind("visualwebbench/element_ocr", "webrssbench/ui_grouping", "webrssbench/text",
      "webrssbench/form_filling", "webrssbench/hint_text", "visualwebbench/action_prediction",
      "visualwebbench/element_ground", "visualwebbench/action_ground")  # fmt: skip
def marks_of_another_item(exam: Exam, entry: Entry, chance: Random) -> bool:
    """Show the same page with the marks of another item."""
    if entry.line["item"]["answer_format"]["kind"] in ("box", "point"):
        return False
    for other in exam.others(entry, page=True):
        mine, theirs = entry.line["images"]["screen"], other.line["images"]["screen"]
        if mine["sha256"] != theirs["sha256"] and size_of(entry) == size_of(other):
            boxes = entry.record.get("box"), other.record.get("box")
            if boxes[0] != boxes[1]:
                exam.show(entry, exam.picture(other))
                return True
    return False


@kind("visualwebbench/element_ocr", "webrssbench/ui_grouping", "webrssbench/form_filling",
      "webrssbench/hint_text", "visualwebbench/action_prediction", "visualwebbench/element_ground",
      "visualwebbench/action_ground")  # fmt: skip
def marks_lost(exam: Exam, entry: Entry, chance: Random) -> bool:
    """Show the page without any mark."""
    if entry.line["item"]["answer_format"]["kind"] in ("box", "point"):
        return False
    for other in exam.entries:
        if other.task == "visualwebbench/heading_ocr" and not other.touched:
            same = other.record.get("box") and size_of(other) == size_of(entry)
            if same and _site(other) == _site(entry):
                exam.show(entry, exam.picture(other))
                return True
    return False


def _site(entry: Entry) -> tuple[str, str]:
    return entry.ref["tags"].get("site", ""), entry.page.rpartition("/")[2]


def _whole(box: Box, picture: Image.Image) -> tuple[int, int, int, int]:
    left, top, right, bottom = (round(side) for side in box)
    return max(0, left), max(0, top), min(picture.width, right), min(picture.height, bottom)


_SEEN = ("visualwebbench", "screenqa", "mmbench-gui/l2", "webrssbench")


@kind(*_SEEN)
def target_painted_over(exam: Exam, entry: Entry, chance: Random) -> bool:
    box = box_in(entry)
    if box is None or "web_caption" in entry.task:
        return False
    picture = exam.picture(entry)
    left, top, right, bottom = _whole(box, picture)
    ground = picture.getpixel((max(0, left - 5), min(picture.height - 1, (top + bottom) // 2)))
    ImageDraw.Draw(picture).rectangle((left + 1, top + 1, right - 2, bottom - 2), fill=ground)
    exam.show(entry, picture)
    return True


@kind(*_SEEN)
def target_covered(exam: Exam, entry: Entry, chance: Random) -> bool:
    """Show a dialog over what is asked about."""
    box = box_in(entry)
    if box is None or "web_caption" in entry.task:
        return False
    picture = exam.picture(entry)
    left, top, right, bottom = _whole(box, picture)
    frame = (left - 20, top - 20, right + 20, bottom + 20)
    ImageDraw.Draw(picture).rectangle(frame, fill="#f4f4f8", outline="#444466", width=2)
    ImageDraw.Draw(picture).text((left, top), "We value your privacy. OK", fill="black")
    exam.show(entry, picture)
    return True


@kind("visualwebbench/element_ground_", "visualwebbench/action_ground_", "mmbench-gui/l2_advanced")
def target_copied(exam: Exam, entry: Entry, chance: Random) -> bool:
    """Show what is asked for at another place, too, so that two answers are right."""
    box = box_in(entry)
    if box is None:
        return False
    picture = exam.picture(entry)
    own = _whole(box, picture)
    copy = picture.crop(own)
    for _ in range(50):
        x = chance.randrange(max(1, picture.width - copy.width))
        y = chance.randrange(max(1, picture.height - copy.height))
        if overlap(box, (x, y, x + copy.width, y + copy.height)) == 0:
            picture.paste(copy, (x, y))
            exam.show(entry, picture)
            return True
    return False


@kind("visualwebbench/element_ground_", "visualwebbench/action_ground_", "mmbench-gui/l2")
def target_moved_in_picture(exam: Exam, entry: Entry, chance: Random) -> bool:
    """Show what is asked for at another place only."""
    box = box_in(entry)
    if box is None:
        return False
    picture = exam.picture(entry)
    left, top, right, bottom = own = _whole(box, picture)
    ground = picture.getpixel((max(0, left - 4), min(picture.height - 1, max(0, top - 4))))
    copy = picture.crop(own)
    ImageDraw.Draw(picture).rectangle((left, top, right - 1, bottom - 1), fill=ground)
    down = 2 * copy.height + 40
    y = top + down if bottom + down < picture.height else top - down
    if y < 0:
        return False
    picture.paste(copy, (left, y))
    exam.show(entry, picture)
    return True


@kind("visualwebbench/element_ocr", "visualwebbench/heading_ocr")
def text_half_covered(exam: Exam, entry: Entry, chance: Random) -> bool:
    box = box_in(entry)
    if box is None:
        return False
    picture = exam.picture(entry)
    left, top, right, bottom = _whole(box, picture)
    ImageDraw.Draw(picture).rectangle(((left + right) // 2, top, right, bottom), fill="#888888")
    exam.show(entry, picture)
    return True


@kind(MATRIX)
def chart_part_lost(exam: Exam, entry: Entry, chance: Random) -> bool:
    """Show a chart without its middle half."""
    if "chart" not in entry.record:
        return False
    picture = exam.picture(entry)
    wide, high = picture.size
    ImageDraw.Draw(picture).rectangle((wide // 4, 0, 3 * wide // 4, high), fill="white")
    exam.show(entry, picture)
    return True


@kind(MATRIX)
def chart_of_another_item(exam: Exam, entry: Entry, chance: Random) -> bool:
    if "chart" not in entry.record:
        return False
    others = [
        other
        for other in exam.others(entry)
        if "chart" in other.record and other.record["chart"] != entry.record["chart"]
    ]
    exam.show(entry, exam.picture(chance.choice(others)))
    return True


@kind(MATRIX)
def color_lost(exam: Exam, entry: Entry, chance: Random) -> bool:
    """Show in gray what asks for colors."""
    if "color" not in entry.ref["tags"].get("kind", ""):
        return False
    exam.show(entry, exam.picture(entry).convert("L").convert("RGB"))
    return True


@kind("webrssbench/color", "webrssbench/layout", "webrssbench/text")
def change_not_shown(exam: Exam, entry: Entry, chance: Random) -> bool:
    """Show the page as it was where it should be changed."""
    if entry.ref["tags"].get("state") in (None, "before"):
        return False
    for other in exam.others(entry):
        same = other.line.get("pair") == entry.line.get("pair")
        if same and other.ref["tags"].get("state") == "before":
            exam.show(entry, exam.picture(other))
            return True
    return False


@kind("webrssbench/position")
def crops_exchanged(exam: Exam, entry: Entry, chance: Random) -> bool:
    one, other = chance.sample(entry.line["context"]["names"], 2)
    pictures = exam.picture(entry, one), exam.picture(entry, other)
    exam.show(entry, pictures[1], one)
    exam.show(entry, pictures[0], other)
    return True


@kind("webrssbench/position")
def crop_of_another_page(exam: Exam, entry: Entry, chance: Random) -> bool:
    other = next(exam.others(entry, page=False), None)
    if other is not None:
        exam.show(entry, exam.picture(other, "crop_2"), "crop_1")
    return other is not None


@kind("webrssbench/position")
def crop_blank(exam: Exam, entry: Entry, chance: Random) -> bool:
    crop = exam.picture(entry, "crop_2")
    exam.show(entry, Image.new("RGB", crop.size, "white"), "crop_2")
    return True


@kind("webrssbench/position")
def crop_twice(exam: Exam, entry: Entry, chance: Random) -> bool:
    exam.show(entry, exam.picture(entry, "crop_1"), "crop_3")
    return True


@kind("webrssbench/position")
def crops_in_another_order(exam: Exam, entry: Entry, chance: Random) -> bool:
    images = entry.line["item"]["images"]
    images[1], images[2] = images[2], images[1]
    return True
