"""What is offered, drawn, ordered and shuffled; what a pack and rules must hold."""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from snellen import sdk
from snellen.grading.models.items import AnswerFormat, AnswerKind, Item
from snellen.server.attempts.service import Service
from snellen.server.errors import ExamError
from snellen.server.exam.rules import Mode, Rules
from snellen.server.exam.spec import Exam, lettered, shuffle
from snellen.tasks.pack.read import open_pack, open_references
from snellen.tasks.pack.write import Part, write_pack

Serve = Callable[..., Service]
SECRET = bytes(32)
TASK = "screenqa/short"


def exam_of(packs: Path, name: str = "short", **rules: object) -> Exam:
    pack = open_pack(packs / name)
    checked = Rules.model_validate(rules)
    return Exam([pack], checked, {pack.name: open_references(pack)})


def test_the_order_is_the_seeds_and_nothing_elses(packs: Path) -> None:
    def order(seed: int, secret: bytes) -> list[str]:
        return [place.item for place in exam_of(packs, seed=seed).items([TASK], secret)]

    assert order(1, SECRET) == order(1, bytes(range(32)))
    assert order(1, SECRET) != order(2, SECRET)
    assert sorted(order(1, SECRET)) == sorted(order(2, SECRET))
    # It is the same on every version of Python: an attempt may outlive its server.
    by_digest = sorted(
        order(1, SECRET), key=lambda item: sha256(f"1|order|{TASK}|{item}".encode()).digest()
    )
    assert order(1, SECRET) == by_digest


def test_an_items_name_is_its_attempts_own_and_tells_nothing(packs: Path) -> None:
    exam = exam_of(packs)
    first = exam.items([TASK], SECRET)
    second = exam.items([TASK], bytes(range(32)))
    names = [place.opaque for place in (*first, *second)]
    assert len(set(names)) == 16
    assert all(len(name) == 10 and name.isalnum() for name in names)
    assert [place.opaque for place in exam.items([TASK], SECRET)] == names[:8]


def test_what_is_asked_holds_neither_id_nor_tags(packs: Path) -> None:
    exam = exam_of(packs)
    for place in exam.items([TASK], SECRET):
        asked = exam.question(place.task, place.item, SECRET)
        assert (asked.item.id, asked.item.tags) == (place.opaque, {})
        assert place.item not in asked.item.model_dump_json()


@pytest.mark.parametrize("size", [1, 3, 7])
def test_a_sample_is_the_seeds(packs: Path, size: int) -> None:
    drawn = {
        seed: {place.item for place in exam_of(packs, sample=size, seed=seed).items([TASK], SECRET)}
        for seed in range(60)
    }
    assert {len(items) for items in drawn.values()} == {size}
    assert len({item for items in drawn.values() for item in items}) == 8


def test_a_sample_holds_whole_pairs(packs: Path) -> None:
    for seed in range(10):
        exam = exam_of(packs, "paired", sample=5, seed=seed)
        pairs = [place.pair for place in exam.items([TASK], SECRET)]
        assert len(pairs) == 4
        assert all(pairs.count(pair) == 2 for pair in pairs)
        assert exam.offers[TASK].items == 4


def test_a_sample_smaller_than_a_pair_is_a_pair(packs: Path) -> None:
    exam = exam_of(packs, "paired", sample=1)
    (task,) = exam.offers
    places = exam.items([task], SECRET)
    assert len(places) == exam.offers[task].items == 2
    assert len({exam.packs[0].pair(task, place.item) for place in places}) == 1


def test_a_larger_sample_than_there_are_items_is_all_of_them(packs: Path) -> None:
    assert exam_of(packs, sample=99).offers[TASK].items == 8


def test_a_task_is_in_one_pack(packs: Path) -> None:
    both = [open_pack(packs / name) for name in ("short", "paired")]
    with pytest.raises(ExamError, match="screenqa/short is in two packs, short and paired"):
        Exam(both, Rules(mode=Mode.DEFERRED))
    with pytest.raises(ExamError, match="no pack to serve"):
        Exam([], Rules(mode=Mode.DEFERRED))


def test_without_references_an_exam_can_only_be_deferred(packs: Path) -> None:
    pack = open_pack(packs / "short")
    references = {"short": open_references(pack)}
    with pytest.raises(
        ExamError, match="without the references of short, the exam can only be deferred"
    ):
        Exam([pack], Rules())
    with pytest.raises(ExamError, match="must not have references"):
        Exam([pack], Rules(mode=Mode.DEFERRED), references)


def test_best_of_several_needs_references() -> None:
    with pytest.raises(ValidationError, match="can't count the best answer"):
        Rules.model_validate({"mode": "deferred", "counting": "best"})


def test_references_do_not_enter_what_an_exam_is_called(packs: Path, tmp_path: Path) -> None:
    pack = open_pack(packs / "short")
    copy = tmp_path / "copy"
    data = sdk.load(TASK, packs / "screenqa")
    write_pack([Part(data)], copy, name="short", images=False, key="ab" * 64)
    sealed = open_pack(copy)
    rules = Rules(mode=Mode.DEFERRED)
    assert sealed.manifest.files.keys() != pack.manifest.files.keys()
    assert Exam([sealed], rules).id == Exam([pack], rules).id
    assert Exam([open_pack(packs / "mixed")], rules).id != Exam([pack], rules).id


def choice(options: tuple[str, ...], prompt: str | None = None) -> Item:
    text = f"Which?\n{lettered(options)}\nAnswer:" if prompt is None else prompt
    form = AnswerFormat(kind=AnswerKind.CHOICE, example="B", options=options)
    return Item(id="x", task="mmbench-gui/l1", prompt=text, answer_format=form)


@given(
    st.lists(st.text("abc", min_size=1, max_size=3), min_size=2, max_size=8, unique=True),
    st.binary(min_size=32, max_size=32),
)
def test_a_shuffled_letter_leads_to_the_same_option(options: list[str], key: bytes) -> None:
    found = shuffle(choice(tuple(options)), key)
    assert found is not None
    for letter, option in zip("ABCDEFGH", found.item.answer_format.options, strict=False):
        assert f"{letter}. {option}" in found.item.prompt
        assert options["ABCDEFGH".index(found.original(letter))] == option


def test_every_order_of_options_comes_up(packs: Path) -> None:
    item = choice(("x", "y", "z"))
    orders = {
        found.order for key in range(200) if (found := shuffle(item, key.to_bytes(32, "big")))
    }
    assert len(orders) == 6


def test_options_that_are_drawn_in_the_image_stay(packs: Path) -> None:
    assert shuffle(choice(("a", "b"), "Which box? Answer with A or B."), SECRET) is None
    assert shuffle(choice(("only",)), SECRET) is None
    twice = choice(("a", "b"), "A. a\nB. b\nand again\nA. a\nB. b")
    assert shuffle(twice, SECRET) is None
    free = Item(
        id="x",
        task=TASK,
        prompt="A. a\nB. b",
        answer_format=AnswerFormat(kind=AnswerKind.TEXT, example="b", options=("a", "b")),
    )
    assert shuffle(free, SECRET) is None


async def test_options_stay_where_the_organizer_says_so(serve: Serve) -> None:
    service = serve("mixed", shuffle_options=False)
    exam = service.exam
    for place in exam.items(["mmbench-gui/l1"], SECRET):
        asked = exam.question(place.task, place.item, SECRET)
        assert asked.shuffled is None
        assert asked.item.prompt == asked.line.item.prompt
