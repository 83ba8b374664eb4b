"""Faults that are planted in a built exam, its digests put right, are found; good items stay."""

import io
import json
import re
import shutil
from collections import Counter
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, cast

import pytest
from PIL import Image, ImageDraw, ImageFilter

from snellen.tasks import samples
from snellen.tasks.audit.audit import Witnesses, audit_pack
from snellen.tasks.audit.builds import BuildFolder, open_build
from snellen.tasks.audit.models import Audit, Fault
from snellen.tasks.builder.build import BuildSettings
from snellen.tasks.builder.exam import PackOptions, build_exam
from snellen.tasks.builder.pages import Pages, find_pages
from snellen.tasks.builder.sites import write_sites
from snellen.tasks.pack.check import check_pack
from snellen.tasks.pack.read import open_pack, open_references
from snellen.tasks.pack.references import canary_of, header

SAMPLE = Path(samples.__file__).parent / "exam"
NO_ANSWER = "<no answer>"
BOXES = ("_bbox", "_point", "l2_basic", "l2_advanced")
READ = ("heading_ocr", "element_ocr", "web_caption")


class Entry:
    """An item of a pack, its reference and its pictures, to be spoilt."""

    def __init__(self, exam: "Spoilt", line: dict[str, Any], reference: dict[str, Any]) -> None:
        self.exam = exam
        self.line = line
        self.reference = reference

    @property
    def task(self) -> str:
        return str(self.line["item"]["task"])

    @property
    def name(self) -> str:
        return f"{self.task} {self.line['item']['id']}"

    @property
    def gold(self) -> Any:
        return self.reference["gold"]

    @gold.setter
    def gold(self, value: object) -> None:
        self.reference["gold"] = value

    @property
    def record(self) -> dict[str, Any]:
        return self.reference.get("record") or {}

    @property
    def prompt(self) -> str:
        return str(self.line["item"]["prompt"])

    @prompt.setter
    def prompt(self, text: str) -> None:
        self.line["item"]["prompt"] = text

    def image(self, name: str = "screen") -> Image.Image:
        return self.exam.image(self.line["images"][name]["file"])

    def show(self, image: Image.Image, name: str = "screen") -> None:
        """Give the item another picture, and say its size right."""
        self.line["images"][name] = self.exam.keep(image)
        for shown in self.line["item"]["images"]:
            if shown["name"] == name:
                shown["width"], shown["height"] = image.size

    @property
    def box(self) -> tuple[int, int, int, int] | None:
        """Where the reference or the record has its box, in pixels."""
        box: Any = self.record.get("box") or next(iter(self.record.get("boxes", [])), None)
        return None if box is None else tuple(round(side) for side in box)  # pyright: ignore


class Spoilt:
    """A copy of a pack in which items are spoilt, written so that nothing shows by a digest."""

    def __init__(self, pack: Path) -> None:
        self.pack = pack
        self.manifest: dict[str, Any] = json.loads((pack / "manifest.json").read_bytes())
        lines = [json.loads(line) for line in (pack / "items.jsonl").read_text().splitlines()]
        own = [json.loads(line) for line in (pack / "references.jsonl").read_text().splitlines()]
        self.rest = own[1:]
        by_name = {(one["task"], one["item_id"]): one for one in self.rest if "item_id" in one}
        self.entries = [
            Entry(self, line, by_name[line["item"]["task"], line["item"]["id"]]) for line in lines
        ]
        self.added: dict[str, bytes] = {}

    def image(self, file: str) -> Image.Image:
        data = self.added.get(file) or (self.pack / "images" / file).read_bytes()
        return Image.open(io.BytesIO(data)).convert("RGB")

    def keep(self, image: Image.Image) -> dict[str, Any]:
        out = io.BytesIO()
        image.save(out, "PNG", compress_level=1)
        data = out.getvalue()
        digest = sha256(data).hexdigest()
        file = f"{digest[:2]}/{digest[2:34]}.png"
        self.added[file] = data
        return {"file": file, "sha256": digest, "bytes": len(data)}

    def write(self, folder: Path) -> None:
        shutil.copytree(self.pack, folder)
        for file, data in self.added.items():
            (folder / "images" / file).parent.mkdir(exist_ok=True)
            (folder / "images" / file).write_bytes(data)
        used = {one["file"] for entry in self.entries for one in entry.line["images"].values()}
        for path in [*(folder / "images").rglob("*.*")]:
            if path.relative_to(folder / "images").as_posix() not in used:
                path.unlink()
        items = b"".join(_line(entry.line) for entry in self.entries)
        canary = canary_of(sha256(items).hexdigest())
        references = header(canary, None) + b"".join(map(_line, self.rest))
        sizes = [path.stat().st_size for path in (folder / "images").rglob("*.*")]
        self.manifest |= {"canary": canary, "images": len(sizes), "image_bytes": sum(sizes)}
        for name, data in (("items.jsonl", items), ("references.jsonl", references)):
            (folder / name).write_bytes(data)
            self.manifest["files"][name] = {
                "sha256": sha256(data).hexdigest(),
                "bytes": len(data),
            }
        (folder / "manifest.json").write_text(json.dumps(self.manifest))


def _line(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, ensure_ascii=False).encode() + b"\n"


# ---- the faults: each spoils an item and says so, or leaves it where it can't be spoilt ---------

Plant = Callable[[Entry, Random], bool]


def _moved(entry: Entry, change: Callable[[list[float]], list[float]]) -> bool:
    gold = entry.gold
    if not entry.task.endswith(BOXES):
        return False
    gold["bbox"] = change(list(gold["bbox"]))
    return True


def box_moved(entry: Entry, random: Random) -> bool:
    across, down = random.choice([(70, 30), (-60, 25), (40, -35), (0, 60)])
    return _moved(entry, lambda b: [b[0] + across, b[1] + down, b[2] + across, b[3] + down])


def box_moved_everywhere(entry: Entry, random: Random) -> bool:
    if not box_moved(entry, random):
        return False
    entry.record["box"] = list(entry.gold["bbox"])
    return True


def box_enlarged(entry: Entry, random: Random) -> bool:
    by = random.choice((40, 60, 90))
    return _moved(entry, lambda b: [max(b[0] - by, 0), max(b[1] - by, 0), b[2] + by, b[3] + by])


def box_transposed(entry: Entry, random: Random) -> bool:
    box = entry.box
    return bool(box and box[0] != box[1]) and _moved(entry, lambda b: [b[1], b[0], b[3], b[2]])


def box_exchanged(entry: Entry, random: Random) -> bool:
    others = [
        one for one in entry.exam.entries if one.task == entry.task and one.gold != entry.gold
    ]
    return bool(others) and _moved(entry, lambda _: list(random.choice(others).gold["bbox"]))


def seen_box_moved(entry: Entry, random: Random) -> bool:
    """Move the box of a text that is read with its place."""
    raters: list[list[list[Any]]] = entry.gold
    if entry.task != "screenqa/ui_contents_boxes" or not raters[0]:
        return False
    for rater in raters:
        left, top, right, bottom = rater[0][0]
        rater[0][0] = [left + 45, top + 40, right + 45, bottom + 40]
    return True


def _painted(entry: Entry, draw: Callable[[Image.Image, tuple[int, int, int, int]], None]) -> bool:
    box = entry.box
    if box is None or "screen" not in entry.line["images"] or "window" in entry.record:
        return False
    image = entry.image()
    draw(image, box)
    entry.show(image)
    return True


def target_painted_over(entry: Entry, random: Random) -> bool:
    def draw(image: Image.Image, box: tuple[int, int, int, int]) -> None:
        ground = image.getpixel((max(box[0] - 6, 0), max(box[1] - 6, 0)))
        ImageDraw.Draw(image).rectangle(box, fill=ground)

    return _painted(entry, draw)


def target_covered(entry: Entry, random: Random) -> bool:
    def draw(image: Image.Image, box: tuple[int, int, int, int]) -> None:
        middle = (box[0] + box[2]) // 2
        ImageDraw.Draw(image).rectangle((box[0], box[1], middle, box[3]), fill="#888888")

    return _painted(entry, draw)


def target_copied(entry: Entry, random: Random) -> bool:
    if not entry.task.endswith(BOXES):
        return False

    def draw(image: Image.Image, box: tuple[int, int, int, int]) -> None:
        part = image.crop(box)
        place = (random.randrange(max(image.width - part.width, 1)), 4)
        image.paste(part, place)

    return _painted(entry, draw)


def another_page(entry: Entry, random: Random) -> bool:
    others = [
        one
        for one in entry.exam.entries
        if one.task == entry.task
        and one.reference["tags"].get("page") != entry.reference["tags"].get("page")
        and "screen" in one.line["images"]
        and not one.record.get("chart")
    ]
    if not others or entry.record.get("chart"):
        return False
    image = random.choice(others).image()
    own = entry.image().size
    entry.show(image.resize(own) if random.random() < 0.2 else _fitted(image, own))
    return True


def _fitted(image: Image.Image, size: tuple[int, int]) -> Image.Image:
    page = Image.new("RGB", size, image.getpixel((2, image.height - 2)))
    page.paste(image, (0, 0))
    return page


def upside_down(entry: Entry, random: Random) -> bool:
    entry.show(entry.image().transpose(Image.Transpose.ROTATE_180))
    return not entry.record.get("chart")


def mirrored(entry: Entry, random: Random) -> bool:
    entry.show(entry.image().transpose(Image.Transpose.FLIP_LEFT_RIGHT))
    return not entry.record.get("chart")


def blurred(entry: Entry, random: Random) -> bool:
    entry.show(entry.image().filter(ImageFilter.GaussianBlur(random.choice((2, 3, 5)))))
    return True


def crops_exchanged(entry: Entry, random: Random) -> bool:
    if entry.task != "webrssbench/position":
        return False
    one, other = entry.image("crop_1"), entry.image("crop_3")
    entry.show(other, "crop_1")
    entry.show(one, "crop_3")
    return True


def relation_turned(entry: Entry, random: Random) -> bool:
    if entry.task != "webrssbench/position":
        return False
    turned = {"left": "right", "right": "left", "top": "bottom", "bottom": "top"}
    pair = random.choice(sorted(entry.gold))
    gold = entry.gold[pair]
    entry.gold[pair] = "-".join(turned.get(part, "left") for part in gold.split("-"))
    return entry.gold[pair] != gold


def _changed(value: Any, change: Callable[[str], str]) -> Any:
    """Return a reference with every text in it changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_changed(part, change) for part in cast("list[Any]", value)]
    return value


_SPOKEN = (*READ, "webqa", "screenqa/short", "screenqa/long", "ui_contents", "color", "hint_text")


def _reworded(entry: Entry, change: Callable[[str], str]) -> bool:
    """Change every text of a reference likewise; or the first of several forms."""
    matrix = entry.task == "matrix/items" and entry.gold["metric"] in {"anls", "exact_match"}
    if not (entry.task.endswith(_SPOKEN) or matrix) or entry.record.get("unanswerable"):
        return False
    before = entry.gold["answer"] if matrix else entry.gold
    after = _changed(before, change)
    if matrix:
        entry.gold["answer"] = after
    else:
        entry.gold = after
    return bool(after != before)


def typo(entry: Entry, random: Random) -> bool:
    def change(text: str) -> str:
        places = [n for n in range(len(text) - 1) if text[n].isalpha() and text[n + 1].isalpha()]
        places = [n for n in places if text[n] != text[n + 1]]
        if not places:
            return text
        at = places[len(places) // 2]
        return f"{text[:at]}{text[at + 1]}{text[at]}{text[at + 2 :]}"

    return _reworded(entry, change)


def wrong_digit(entry: Entry, random: Random) -> bool:
    def change(text: str) -> str:
        return re.sub(r"\d(?=\D*$)", lambda found: str((int(found[0]) + 3) % 10), text)

    return _reworded(entry, change)


def lost_words(entry: Entry, random: Random) -> bool:
    if not entry.task.endswith(READ):
        return False

    def change(text: str) -> str:
        cut = text.split()
        return " ".join(cut[: len(cut) // 2]) if len(cut) > 3 else text[: len(text) // 2]

    return _reworded(entry, change)


def wrong_language(entry: Entry, random: Random) -> bool:
    if not entry.task.endswith((*READ, "webqa", "screenqa/short")):
        return False
    said = {
        "en": "Das ist die Beschreibung der Seite, die wir für Sie mit Sorgfalt gemacht haben.",
        "other": "This is the description of the page that we made for you with care.",
    }
    language = entry.reference["tags"].get("language", "en")
    return _reworded(entry, lambda _: said["en" if language == "en" else "other"])


def letter_off_by_one(entry: Entry, random: Random) -> bool:
    gold = entry.gold
    count = entry.line.get("context", {}).get("options")
    if not count:
        return False
    if entry.task == "matrix/items" and gold["metric"] == "accuracy":
        gold["answer"] = chr((ord(gold["answer"]) - 65 + 1) % count + 65)
    elif entry.task in {"visualwebbench/element_ground", "visualwebbench/action_ground"} or (
        entry.task == "visualwebbench/action_prediction"
    ):
        entry.gold = (gold + 1) % count
    elif entry.task == "mmbench-gui/l1":
        entry.gold = chr((ord(gold) - 65 + 1) % count + 65)
    else:
        return False
    return True


def no_answer_after_all(entry: Entry, random: Random) -> bool:
    if not entry.task.startswith("screenqa/") or entry.record.get("unanswerable"):
        return False
    if "ui_contents" in entry.task:
        entry.gold = [[]]
    else:
        entry.gold = [NO_ANSWER]
    return True


def answer_after_all(entry: Entry, random: Random) -> bool:
    if not entry.record.get("unanswerable") or "ui_contents" in entry.task:
        return False
    entry.gold = ["42 minutes"]
    return True


def wrong_chart_number(entry: Entry, random: Random) -> bool:
    if entry.task != "matrix/items" or entry.gold["metric"] != "numeric":
        return False
    entry.gold["answer"] = entry.gold["answer"] * 1.5 + 7
    return True


def wrong_chart_document(entry: Entry, random: Random) -> bool:
    if entry.task != "matrix/items" or entry.gold["metric"] != "spec":
        return False
    text = json.dumps(entry.gold["answer"])
    numbers = [*re.finditer(r"\d+\.\d+", text)]
    if not numbers:
        return False
    at = random.choice(numbers)
    entry.gold["answer"] = json.loads(f"{text[: at.start()]}{float(at[0]) + 40}{text[at.end() :]}")
    return True


def tolerance_of_a_million(entry: Entry, random: Random) -> bool:
    if entry.task != "matrix/items" or entry.gold["metric"] != "numeric":
        return False
    entry.gold["settings"] = {"absolute": 1_000_000.0}
    return True


def empty_question(entry: Entry, random: Random) -> bool:
    before = entry.prompt
    entry.prompt = re.sub(r"(Question|Description|Task|Instruction): .*", r"\1: ", before)
    return entry.prompt != before


def another_question(entry: Entry, random: Random) -> bool:
    others = [
        one.prompt
        for one in entry.exam.entries
        if one.task == entry.task and one.prompt != entry.prompt
    ]
    asked = "Question: " in entry.prompt and "Options" not in entry.prompt
    if not asked or not others:
        return False
    entry.prompt = random.choice(others)
    return True


def wrong_size_in_the_prompt(entry: Entry, random: Random) -> bool:
    before = entry.prompt
    entry.prompt = re.sub(r"which is (\d+) x (\d+)", r"which is \2 x \1", before)
    return entry.prompt != before


def wrong_region(entry: Entry, random: Random) -> bool:
    if entry.task != "webrssbench/ui_grouping":
        return False
    turned = {"top": "bottom", "bottom": "top", "left": "right", "right": "left"}
    entry.gold = turned.get(entry.gold, "top")
    return True


def safety_turned(entry: Entry, random: Random) -> bool:
    if entry.task != "webrssbench/safety":
        return False
    entry.gold = ["Delete"] if entry.gold == ["sorry"] else ["sorry"]
    return True


def mark_elsewhere(entry: Entry, random: Random) -> bool:
    """Draw the red box anew around something else."""
    others = [
        one
        for one in entry.exam.entries
        if one.task == entry.task
        and one is not entry
        and one.reference["tags"].get("page") == entry.reference["tags"].get("page")
        and one.record.get("box") != entry.record.get("box")
    ]
    marked = ("element_ocr", "action_prediction", "ui_grouping", "form_filling")
    if not entry.task.endswith(marked) or not others:
        return False
    entry.show(random.choice(others).image())
    return True


def same_before_and_after(entry: Entry, random: Random) -> bool:
    if entry.reference["tags"].get("state") != "after":
        return False
    before = next(
        (
            one
            for one in entry.exam.entries
            if one.task == entry.task
            and one.line.get("pair") == entry.line["pair"]
            and one.reference["tags"]["state"] == "before"
        ),
        None,
    )
    if before is None:
        return False
    entry.show(before.image())
    return True


def wrong_call(entry: Entry, random: Random) -> bool:
    if entry.task != "matrix/items" or entry.gold["metric"] != "tool_call":
        return False
    arguments = entry.gold["answer"]["arguments"]
    name = random.choice(sorted(arguments))
    other = "B" if arguments[name] == "A" else "A"
    arguments[name] = other if name == "mark" else f"{arguments[name]}x"
    return True


PLANTS: tuple[Plant, ...] = (
    box_moved,
    box_moved_everywhere,
    box_enlarged,
    box_transposed,
    box_exchanged,
    seen_box_moved,
    target_painted_over,
    target_covered,
    target_copied,
    another_page,
    upside_down,
    mirrored,
    blurred,
    crops_exchanged,
    relation_turned,
    typo,
    wrong_digit,
    lost_words,
    wrong_language,
    letter_off_by_one,
    no_answer_after_all,
    answer_after_all,
    wrong_chart_number,
    wrong_chart_document,
    tolerance_of_a_million,
    empty_question,
    another_question,
    wrong_size_in_the_prompt,
    wrong_region,
    safety_turned,
    mark_elsewhere,
    same_before_and_after,
    wrong_call,
)


class Measured(NamedTuple):
    """How many faults were planted and found, by kind; which good items were removed, of how many.

    `before` were removed from the pack before anything was planted, and count as neither.
    """

    planted: Counter[str]
    caught: Counter[str]
    wrong: list[str]
    good: int

    @property
    def share(self) -> float:
        return self.caught.total() / self.planted.total()


def audited(pack: Path, build: BuildFolder | None = None) -> Audit:
    opened = open_pack(pack)
    return audit_pack(opened, open_references(opened), witnesses=Witnesses(build))


def planted(
    pack: Path, room: Path, build: BuildFolder | None = None, seed: int = 0, times: int = 1
) -> Measured:
    """Plant faults in a copy of a pack, each in an item of its own, and audit it."""
    random = Random(seed)
    before = {f"{one.task} {one.item}" for one in audited(pack, build).removed}
    exam = Spoilt(pack)
    free = [entry for entry in exam.entries if entry.name not in before]
    random.shuffle(free)
    bad: dict[str, str] = {}
    for plant in PLANTS * times:
        for entry in free:
            line, reference = json.dumps(entry.line), json.dumps(entry.reference)
            if plant(entry, random):
                bad[entry.name] = plant.__name__
                free.remove(entry)
                break
            entry.line.update(json.loads(line))
            entry.reference.update(json.loads(reference))
    exam.write(room / "spoilt")
    found = audited(room / "spoilt", build)
    removed = {f"{one.task} {one.item}" for one in found.removed}
    wrong = [
        f"{one.task} {one.item}: {one.fault.value} ({one.expected[:80]} / {one.found[:80]})"
        for one in found.findings
        if f"{one.task} {one.item}" not in bad and f"{one.task} {one.item}" not in before
    ]
    return Measured(
        Counter(bad.values()),
        Counter(kind for name, kind in bad.items() if name in removed),
        wrong,
        len(exam.entries) - len(bad) - len(before),
    )


# ---- the tests ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_faults_in_a_pack_are_found_without_its_build(tmp_path: Path) -> None:
    found = planted(SAMPLE, tmp_path)
    assert check_pack(tmp_path / "spoilt").fine
    assert found.planted.total() >= 30
    assert found.share >= 0.7, found.planted - found.caught
    assert len(found.wrong) <= 0.01 * found.good, found.wrong


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build an exam of generated pages; its folder lies beside it."""
    room = tmp_path_factory.mktemp("built")
    _build(room)
    return room


def _build(room: Path) -> None:
    sites = write_sites(room / "pages", pages=3, seed=11)
    pages = [page for one in sites for page in find_pages(room / "pages" / one.name).pages]
    settings, options = BuildSettings(seed=11, clicks=6), PackOptions("fresh")
    build_exam(Pages(pages, []), room / "build", room / "exam", settings, options, jobs=2)


@pytest.mark.browser
@pytest.mark.thorough
def test_nine_of_ten_faults_are_found_against_the_build_and_no_good_item_is_removed(
    built: Path, tmp_path: Path
) -> None:
    build = open_build(built / "build")
    assert audited(built / "exam", build).removed == ()
    found = [planted(built / "exam", tmp_path / f"{seed}", build, seed) for seed in (1, 2)]
    count = sum(one.planted.total() for one in found)
    assert count >= 50
    assert sum(one.caught.total() for one in found) >= 0.9 * count, [
        one.planted - one.caught for one in found
    ]
    assert sum(len(one.wrong) for one in found) <= 0.01 * sum(one.good for one in found)


@pytest.mark.browser
@pytest.mark.thorough
def test_faults_in_what_a_build_made_are_found_when_it_resumes(built: Path, tmp_path: Path) -> None:
    shutil.copytree(built / "pages", tmp_path / "pages")
    shutil.copytree(built / "build", tmp_path / "build")
    spoilt = 0
    for file in (tmp_path / "build" / "made").rglob("made.jsonl"):
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        for line in lines:
            if line["task"] == "mmbench-gui/l2_basic" and "row" in line:
                line["row"]["bbox"] = [side + 50 for side in line["row"]["bbox"]]
                line["record"]["box"] = line["row"]["bbox"]
                spoilt += 1
        file.write_bytes(b"".join(map(_line, lines)))
    assert spoilt
    _build(tmp_path)
    left = {head.item.task for head in open_pack(tmp_path / "exam").lines.heads}
    assert "mmbench-gui/l2_basic" not in left


@pytest.mark.browser
@pytest.mark.thorough
def test_a_snapshot_that_was_changed_is_no_witness(built: Path, tmp_path: Path) -> None:
    shutil.copytree(built / "build", tmp_path / "build")
    screen = min((tmp_path / "build" / "snapshots").rglob("screen.png"))
    image = Image.open(screen).convert("RGB")
    ImageDraw.Draw(image).rectangle((200, 200, 500, 300), fill="#777777")
    image.save(screen)
    build = open_build(tmp_path / "build")
    name = f"{screen.parent.parent.name}/{screen.parent.name}"
    page = build.pages[name]
    found = audited(built / "exam", build)
    reasons = {one.fault for one in found.findings}
    assert Fault.SNAPSHOT in reasons
    assert page.changed_files == ("screen.png",)
