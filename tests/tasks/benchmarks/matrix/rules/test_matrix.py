"""Items of the matrix, each by the metric that it names."""

import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snellen.grading.ceiling import attainable_maximum
from snellen.grading.errors import ExecutionError
from snellen.grading.explain import explain
from snellen.grading.grade import OUTCOMES, Answers, Grader
from snellen.grading.metrics.code import Execution
from snellen.grading.models.scores import Outcome, Score
from snellen.grading.protocols.table import protocol_of
from snellen.grading.score_table import score_one
from snellen.tasks.benchmarks.matrix.rules import GOLD, with_executor
from snellen.tasks.benchmarks.matrix.rules.metrics import METRICS

OPTIONS = ["Home", "Settings", "About"]
CALL = {"name": "click", "arguments": {"x": 160, "button": "left"}}
TESTS = "from answer import total\nassert total([1, 2]) == 3\n"
# What each of the framework's twelve tasks can be asked as, and every metric at least once.
TWELVE: dict[str, list[dict[str, Any]]] = {
    "object_recognition": [
        {"metric": "list_f1", "answer": ["cup", "table", "cup"]},
        {"metric": "list_f1", "answer": []},
        {"metric": "box", "answer": [0.1, 0.2, 0.3, 0.4]},
    ],
    "ocr": [{"metric": "anls", "answer": "Sign in"}, {"metric": "anls", "answer": "你好"}],
    "spatial_relation": [
        {"metric": "relation", "answer": {"logo|menu": "left", "menu|form": "top"}}
    ],
    "captioning": [
        {"metric": "bleu", "answer": ["A dog runs over a meadow.", "A running dog."]},
        {"metric": "rougeL", "answer": ["A dog runs over a meadow.", "Ein Hund läuft"]},
    ],
    "vqa": [
        {"metric": "accuracy", "answer": "B", "options": OPTIONS},
        {"metric": "exact_match", "answer": ["3.4", "$"]},
        {"metric": "contains", "answer": "Q3"},
    ],
    "chart": [
        {"metric": "numeric", "answer": 1234.5, "settings": {"relative": 0.01, "unit": "km"}},
        {"metric": "numeric", "answer": ["15 %", -3, 0]},
    ],
    "multi_step": [{"metric": "f1", "answer": "a red car"}],
    "consistency": [{"metric": "accuracy", "answer": ["yes", "true"]}],
    "counterfactual": [
        {"metric": "numeric", "answer": 30, "settings": {"unit": ["million euros", "M"]}}
    ],
    "tool_call": [
        {"metric": "tool_call", "answer": CALL},
        {"metric": "tool_call", "answer": [{"name": "stop"}, CALL]},
        {"metric": "point", "answer": [10, 20, 30, 40], "settings": {"image_size": [99, 50]}},
    ],
    "code": [
        {"metric": "spec", "answer": {"type": "bar", "values": [1, 2.5], "note": None}},
        {"metric": "code", "answer": "total = sum", "settings": {"tests": TESTS}},
        {"metric": "code", "answer": "print(3)", "settings": {"prints": "3\n"}},
    ],
    "decisions": [{"metric": "decisions", "answer": ["open the menu", CALL]}],
}
EVERY = [pytest.param(one, id=f"{t}-{one['metric']}") for t, many in TWELVE.items() for one in many]


class OnThisMachine:
    """Runs the programs of these tests, which are our own, as they are."""

    def run(self, code: str, *, files: Mapping[str, str] | None = None) -> Execution:
        """Run a program in a folder of its own."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**(files or {}), "main.py": code}.items():
                (Path(folder) / name).write_text(text, encoding="utf-8")
            ran = subprocess.run(
                [sys.executable, "main.py"], cwd=folder, capture_output=True, text=True, check=False
            )
        return Execution(ran.returncode == 0, ran.returncode, ran.stdout, "", False, None, 0.0)


ITEMS = protocol_of("matrix/items")
RUNNING = with_executor(ITEMS, OnThisMachine())


def scored(response: object, **reference: object) -> Score:
    """Score a response by the metric that its reference names."""
    gold = GOLD.read(reference)
    return score_one(RUNNING, response, gold, GOLD.context(gold))


def values(response: object, **reference: object) -> tuple[float, float]:
    """Return the score and whether it is correct."""
    metrics = scored(response, **reference).metrics
    return metrics["score"], metrics["correct"]


def test_all_twelve_tasks_and_every_metric_are_tried() -> None:
    assert len(TWELVE) == 12
    assert {one["metric"] for many in TWELVE.values() for one in many} == set(METRICS)


@pytest.mark.parametrize("reference", EVERY)
def test_a_reference_given_as_the_answer_scores_the_maximum(reference: dict[str, Any]) -> None:
    gold = GOLD.read(reference)
    found = attainable_maximum(RUNNING, GOLD.responses, [gold], [GOLD.context(gold)])
    assert found.below == ()
    assert found.metrics == pytest.approx({"score": 1, "correct": 1}, abs=1e-12)


def test_bleu_is_sacrebleus_sentence_bleu() -> None:
    from sacrebleu import sentence_bleu

    references = ["A dog runs over a meadow.", "A brown dog is running."]
    expected = sentence_bleu("A dog is running over it.", references).score / 100
    assert 0 < expected < 1
    said = scored("A dog is running over it.", metric="bleu", answer=references)
    assert said.value == pytest.approx(expected, abs=1e-12)


# ---- Programs ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("program", "right"),
    [
        ("```python\ndef total(values):\n    return sum(values)\n```", 1),
        ("def total(values): return 0", 0),
        ("def total(", 0),
        # The framework's own reference for its code task.
        ("execution_pass", 0),
        # Ending the process before the tests have come to their end is no pass.
        ("import sys\nsys.exit(0)", 0),
        ("import os\nos._exit(0)", 0),
    ],
)
def test_a_program_passes_when_its_tests_come_to_their_end(program: str, right: float) -> None:
    tests = {"tests": TESTS}
    assert values(program, metric="code", answer="total = sum", settings=tests) == (right, right)


# What docs/matrix.md warns of: it reads the program that tests it and prints how that ends.
FORGES = """
import os, re, sys
source = open(sys.modules["__main__"].__file__).read()
print(re.search(r"print\\('\\\\n(\\w+)'\\)", source)[1], flush=True)
os._exit(0)
"""


def test_a_program_can_fake_passing_tests_and_not_what_it_must_print() -> None:
    assert values(FORGES, metric="code", answer="pass", settings={"tests": TESTS})[0] == 1
    assert values(FORGES, metric="code", answer="pass", settings={"prints": "a\nb\n"})[0] == 0


@pytest.mark.parametrize(
    ("program", "right"),
    [("print('a')\nprint('b ')\n", 1), ("print('a b')", 0), ("print('a\\nb'); 1 / 0", 0)],
)
def test_a_program_passes_when_it_prints_what_is_asked(program: str, right: float) -> None:
    prints = {"prints": "a\nb\n"}
    assert values(program, metric="code", answer="pass", settings=prints) == (right, right)


def test_without_an_executor_a_program_is_an_error_and_never_wrong() -> None:
    gold = GOLD.read(TWELVE["code"][1])
    score = score_one(ITEMS, "total = sum", gold, GOLD.context(gold))
    assert score.outcome is Outcome.ERROR
    assert "SandboxExecutor(allow=True)" in score.note


class BreaksAfter:
    """Runs so many programs and then no more."""

    def __init__(self, runs: int) -> None:
        self.left = runs

    def run(self, code: str, *, files: Mapping[str, str] | None = None) -> Execution:
        """Run nothing, and count."""
        self.left -= 1
        if self.left < 0:
            raise ExecutionError(f"no room for {len(code)} characters and {len(files or {})} files")
        return Execution(True, 0, "", "", False, None, 0.0)


def test_an_executor_that_can_run_nothing_makes_errors_and_no_zeros() -> None:
    gold = GOLD.read(TWELVE["code"][1])
    protocol = with_executor(ITEMS, BreaksAfter(0))
    score = score_one(protocol, "total = sum", gold, GOLD.context(gold))
    assert score.outcome is Outcome.ERROR
    assert score.note.startswith("candidate code could not be run: no room for")


def test_an_executor_that_breaks_down_costs_only_what_it_could_not_run() -> None:
    gold = GOLD.read(TWELVE["code"][1])
    grader = Grader.of(with_executor(ITEMS, BreaksAfter(1)), [gold] * 3, [GOLD.context(gold)] * 3)
    program = "def total(numbers):\n    return 0"
    columns = grader.batch(Answers(np.arange(3), [0] * 3, [program] * 3))

    assert [OUTCOMES[code] for code in columns.outcomes] == [
        Outcome.ANSWERED,
        Outcome.ERROR,
        Outcome.ERROR,
    ]
    assert "no room" in columns.notes[1]


def test_only_the_matrix_takes_an_executor() -> None:
    for protocol in (protocol_of("screenqa/short"), protocol_of("matrix/items", "published")):
        assert with_executor(protocol, OnThisMachine()) is protocol


# ---- Anything at all ---------------------------------------------------------------------------

PLAIN = [one for many in TWELVE.values() for one in many if one["metric"] != "code"]
GOLDS = [GOLD.read(one) for one in PLAIN]
CONTEXTS = [GOLD.context(gold) for gold in GOLDS]
PIECES = (
    *("B", "Settings", "cup", "Sign in", "logo is left of menu", "A dog", "1234.5", "15 %", "yes"),
    *("[", "]", "{", "}", '"', ",", "\n", " ", "Answer:", "(0.2, 0.3)", "click(x=160)", "```"),
    *('{"type": "bar"}', '["cup"]', '{"name": "click", "arguments": {}}', "1e999", "1 or 2"),
)
written = st.lists(st.sampled_from(PIECES), max_size=5).map("".join) | st.text(max_size=12)
anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | written,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(written, inner, max_size=3),
    max_leaves=6,
)


@given(item=st.sampled_from(range(len(PLAIN))), response=anything)
def test_any_response_scores_between_0_and_1_and_is_correct_from_its_mark_on(
    item: int, response: object
) -> None:
    gold = GOLDS[item]
    score = score_one(ITEMS, response, gold, CONTEXTS[item])
    assert 0 <= score.value <= 1
    mark = METRICS[gold.metric].passing if gold.passing is None else gold.passing
    assert score.metrics["correct"] == float(score.value >= mark - 1e-9)


@settings(max_examples=15)
@given(st.lists(anything, min_size=len(PLAIN), max_size=len(PLAIN)))
def test_the_difference_to_the_published_code_is_shared_out_whole(responses: list[object]) -> None:
    rows = np.arange(len(PLAIN))
    found = explain(
        protocol_of("matrix/items", "published"),
        ITEMS,
        golds=GOLDS,
        contexts=CONTEXTS,
        answers=[Answers(rows, [0] * len(PLAIN), responses)],
        attempts=1,
    )
    assert abs(found.residual) < 1e-12


def test_a_mixture_with_the_published_parser_reads_what_the_text_holds() -> None:
    gold = GOLD.read({"metric": "numeric", "answer": 12})
    published = protocol_of("matrix/items", "published")
    found = explain(
        published,
        ITEMS,
        golds=[gold],
        contexts=[GOLD.context(gold)],
        answers=[Answers(np.array([0]), [0], ["Answer: 12"])],
        attempts=1,
    )
    shares = {share.part.value: share.share for share in found.shares}
    assert shares == {"parser": 0, "normalization": 0, "metric": 1, "denominator": 0}
