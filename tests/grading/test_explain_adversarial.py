"""Explaining closes on whatever a model may say: 100,000 answers over all tasks and protocols."""

import math
import random
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, islice
from typing import Any

import numpy as np
import pytest
from miniatures import references

from snellen.grading.explain import explain, parts_of
from snellen.grading.grade import MAX_TEXT, Answers, Grader
from snellen.grading.models.scores import TOO_LONG
from snellen.grading.protocols.base import Context, Gold, Protocol
from snellen.grading.protocols.golds import TEXT, TEXTS
from snellen.grading.protocols.table import PROTOCOLS, gold_shape
from snellen.grading.tally import Tally

pytestmark = pytest.mark.thorough

REFERENCES = references()

ANSWERS = 100_000
PAIRS = [pair for known in PROTOCOLS.values() for pair in combinations(known, 2)]
EACH = math.ceil(ANSWERS / len(PAIRS))

# References that nothing, or no word, is left of.
HOLLOW = ["...", ". ", "Hello world. ", "$", "the", "<no answer>", "é", "中文", "0", "\u200b"]

TEXT_ANSWERS = [
    "", " ", "\n", "\t\r\n", ".", "..", "...", ". .", ".\n.", "\0", "\x1c", "\ufeff", "\u200b",
    "\u00a0", "\ud800", "x\udfffy", "\U0010ffff", "a", "A", "the", "The a an", "b.", "B)", "(C)",
    "I. text", "Z", "(z)", "AB", "A or B", "Ｂ", "B。", "答案：B", "İ", "ß", "ŉ", "ﬁ", "ΑΒΓ",
    "e\u0301" * 40, "👩‍👩‍👧‍👦", "مرحبا", "中文测试", "ひらがな", "한국어", "<no answer>",
    "No answer.",
    "[no_answer]", "sorry", "Sorry.", "I'm sorry, but I can't see the image.", "None", "null",
    "nan", "NaN", "inf", "-Infinity", "1e999", "1e-999", "0", "-0", "00", "1,000", "$4", "50%",
    "[]", "{}", "[[]]", "[", "{", '"', "'", "`", "```", "```json\n[]\n```", '{"answer": "B"}',
    '["a", "b"]', '[["a"]]', '[{"text": "a", "bounds": [0, 0, 5, 5]}]', '[[[0,0,5,5],"a"]]',
    '[[[5,5,0,0],"a"]]', '[[[NaN,0,5,5],"a"]]', "[0.1, 0.2, 0.3, 0.4]", "[1e200, 1e200]",
    "[0,0,1e200,1e200]", "(0.5, 0.3)", "(0.5，0.3)", "(-5, 10)", "(512, 300)", "50%, 30%",
    "1, 2", "click(x=100, y=200)", "<point>1 2</point>", "(1,920, 1,080)", "9" * 400,
    f"({'9' * 400}, 1)", "Answer:", "Answer: ", "ANSWER: \n", "\\boxed{C}", ":", "a:b:c", "10:30",
    '<meta name="description" content="', '<meta name="description" content="a">', "<meta>",
    "crop_1 is at the [left] of crop_2", "crop_2 is at the contains of crop_10", "top bar",
    "auxiliary area", "left auxiliary area", "\\", "\\u0000", "%s %d {0}", "a" * 5_000,
    "." * 5_000, "a. " * 1_500, "a " * 1_500, "A B " * 700, "[" * 5_000, "{" * 5_000,
]  # fmt: skip

JSON_ANSWERS: list[Any] = [
    None, True, False, 0, 1, -1, 7, 3.5, -0.0, math.nan, math.inf, -math.inf, 10**400, 5e-324, [],
    {}, [[]], [None], [True, False], [1], [1, 2], [0.5, 0.5], [1, 2, 3], [0.1, 0.2, 0.3, 0.4],
    [[0, 0, 5, 5]], [[0, 0], [5, 5]], [math.nan, 1], [math.inf] * 4, [10**400, 1], ["1", "2"],
    ["a"], ["a", "b"], ["b", "a"], ["a", 1], [["a"], []], [[[0, 0, 5, 5], "a"]],
    [[[5, 5, 0, 0], "a"]], [[[0, 0, math.nan, 5], "a"]], [[[0, 0, 5], "a"]], {"a": "b"},
    {"x": 1, "y": 2}, {"x": math.nan, "y": "2"}, {"point": [0.5, 0.5]}, {"bbox": [0, 0, 1, 1]},
    {"answer": "B"}, {"answer": None}, {"crop_1|crop_2": "left"}, {"crop_1|crop_2": 4}, {"|": "|"},
    {"success": True, "cost": 5}, {"success": 1, "cost": 0}, {"success": 0.5, "cost": 1e308},
    {"success": 2, "cost": 5}, {"success": math.nan, "cost": 5}, {"success": 1, "cost": -1},
    {"success": 1, "cost": math.inf}, {"success": 1}, {"cost": 1}, {"success": "1", "cost": "5"},
    {"success": 1, "cost": 5, "limit": 0}, {"success": 1, "cost": 10**400}, TOO_LONG,
]  # fmt: skip

HUGE = "a. B (0.5, 0.5) " * (MAX_TEXT // 16 + 1)
ALPHABETS = [
    "ab. ",
    "ABCDEFGHabc().,:*\n ",
    "0123456789.,-[](){}% e",
    "\"'`<>/=:{}[]",
    "éß中ひ😀\u0301",
]


def nested(depth: int) -> list[object]:
    inner: list[object] = []
    for _ in range(depth):
        inner = [inner]
    return inner


def adversarial(right: Sequence[Any], chance: random.Random) -> Iterator[Any]:
    """Yield answers without end: what breaks parsers, noise, and right ones a little changed."""
    yield HUGE
    yield nested(2_000)
    changes: list[Callable[[str], str]] = [
        str, str.upper, str.swapcase, lambda text: text[::-1], lambda text: f"{text}.",
        lambda text: f" {text}\n", lambda text: f'"{text}"', lambda text: f"**{text}**",
        lambda text: f"The answer is {text}", lambda text: f"Answer: {text}",
        lambda text: f"{text} {text}", lambda text: f"{text}: {text}", lambda text: text[1:],
        lambda text: f"<think>{text}</think>{text}", lambda text: text.replace(" ", ". "),
    ]  # fmt: skip
    while True:
        kind = chance.random()
        if kind < 0.3:
            yield chance.choice(TEXT_ANSWERS)
        elif kind < 0.45:
            yield chance.choice(JSON_ANSWERS)
        elif kind < 0.65:
            alphabet = chance.choice(ALPHABETS)
            yield "".join(chance.choices(alphabet, k=int(chance.expovariate(0.05))))
        elif kind < 0.75:
            yield chance.choice(right)
        else:
            said = chance.choice(right)
            yield chance.choice(changes)(said if isinstance(said, str) else repr(said))


def golds_of(task: str) -> list[Gold]:
    shape = gold_shape(task)
    assert task in REFERENCES, f"no miniature has references of {task}"
    published = list(REFERENCES[task])
    if shape is TEXT:
        published += HOLLOW
    elif shape is TEXTS:
        published += [[text] for text in HOLLOW]
        published.append(HOLLOW)
    return [shape.read(reference) for reference in published]


def sitting(task: str, seed: str) -> tuple[list[Gold], list[Context], list[Answers]]:
    """Return items, what parsers may know of them, and answers to nearly all, in two batches."""
    chance = random.Random(seed)
    shape, known = gold_shape(task), golds_of(task)
    right = [response for gold in known for response in shape.responses(gold)]
    golds = [known[item % len(known)] for item in range(EACH)]
    contexts = [shape.context(gold) for gold in golds]
    if chance.random() < 0.5:
        contexts = [
            context._replace(options=context.options or chance.choice([None, 1, 3, 26]))
            for context in contexts
        ]
    responses = list(islice(adversarial(right, chance), EACH))
    errors = ["gone" if chance.random() < 0.01 else None for _ in responses]
    order = chance.sample(range(EACH), EACH - EACH // 50)
    half = len(order) // 2
    batches = [
        Answers(
            np.array(items, dtype=np.int64),
            [0] * len(items),
            [responses[item] for item in items],
            [errors[item] for item in items],
        )
        for items in (order[:half], order[half:])
    ]
    return golds, contexts, batches


def printed(
    protocol: Protocol,
    golds: list[Gold],
    contexts: list[Context],
    answers: list[Answers],
    key: str | None,
) -> float:
    tally = Tally(protocol, golds)
    grader = Grader.of(protocol, golds, contexts)
    for batch in answers:
        tally.add(batch, grader.batch(batch))
    metric = tally.metrics(1)[key or protocol.metric.primary]
    return metric.value if metric.as_published is None else metric.as_published


@pytest.mark.slow
@pytest.mark.parametrize("task", [task for task, known in PROTOCOLS.items() if len(known) > 1])
def test_the_shares_add_up_whatever_is_answered(task: str) -> None:
    for first, second in combinations(PROTOCOLS[task], 2):
        given = sitting(task, f"{first.name} {second.name} {task}")
        golds, contexts, answers = given
        of_runs = {*first.metric.corpus_keys} & {*second.metric.corpus_keys}
        for key in (None, *sorted(of_runs)):
            if key == "eqa" and any(gold.limit is None for gold in golds):
                continue  # it is not defined without a limit
            if key == "category_mean":
                continue  # it is not defined but for six categories
            found = explain(
                first,
                second,
                golds=golds,
                contexts=contexts,
                answers=answers,
                attempts=1,
                key=key,
            )
            shares = [share.share for share in found.shares]
            assert [share.part for share in found.shares] == list(parts_of(first, second))
            assert all(map(math.isfinite, shares))
            assert abs(math.fsum(shares) - found.difference) <= 1e-12
            assert abs(found.residual) <= 1e-12
            assert found.difference == found.second_value - found.first_value
            assert found.first_value == printed(first, *given, key)
            assert found.second_value == printed(second, *given, key)


def test_these_are_a_hundred_thousand_answers_over_every_pair_of_protocols() -> None:
    assert len(PAIRS) * EACH >= ANSWERS
    assert {first.task for first, _ in PAIRS} == {
        task for task, known in PROTOCOLS.items() if len(known) > 1
    }
