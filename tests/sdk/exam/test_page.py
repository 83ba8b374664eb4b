"""The page of an attempt, and the means that it begins with."""

from dataclasses import replace
from html.parser import HTMLParser

import pytest
from pydantic import JsonValue

from snellen.sdk.exam.client import ExamItem
from snellen.sdk.exam.page import by_benchmark, mean_of, page_of, what_it_shows
from snellen.sdk.exam.taken import AttemptLog, Step, TakenExam

HOSTILE = "</style><script>alert(1)</script>"


class Page(HTMLParser):
    """The text, the tags and the summaries of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.words: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        if self.tags[-1:] != ["style"]:
            self.words += data.split()


def task(name: str, items: int, value: float, **more: JsonValue) -> dict[str, JsonValue]:
    """A task of an exam's report."""
    rest = {"answered": items, "metric": "f1", "signature": f"{name}|n:{items}", **more}
    interval: dict[str, JsonValue] = {"low": 0.9 * value, "high": 1.0}
    return {"task": name, "items": items, "value": value, "interval": interval, **rest}


def step(name: str, number: int, value: float | None, prompt: str = "What is it?") -> Step:
    """A step whose answer is worth a value; None: there was no answer."""
    question = ExamItem(f"{name}-{number}", name, prompt, "text")
    return Step(question, None if value is None else "it", "because", value=value)


@pytest.fixture
def demo() -> TakenExam:
    """Two benchmarks: one of two tasks with 1 and 3 items, one of a task with 2."""
    cost = {"calls": 9, "image_bytes": 0, "image_tokens": 0, "seconds": 1}
    tasks = [task("a/x", 1, 1.0, chance=0.2), task("a/y", 3, 0.5, chance=0.4), task("b/z", 2, 0.25)]
    blind = [task("a/x", 1, 0.0), task("a/y", 3, 0.2), task("b/z", 2, 0.0)]
    steps = [
        step("a/x", 0, 1.0, HOSTILE),
        *(step("a/y", number, value) for number, value in enumerate((1.0, 0.5, None))),
        *(step("b/z", number, value) for number, value in enumerate((0.5, None))),
    ]
    report = {"exam": "made", "mode": "practice", "tasks": tasks, "cost": cost}
    without = AttemptLog({**report, "tasks": blind}, [])
    return TakenExam(AttemptLog(report, steps), without, 2.0, "an agent", baseline=True)


def test_a_benchmark_s_score_is_the_mean_over_its_tasks(demo: TakenExam) -> None:
    means = {name: mean for name, mean, _ in by_benchmark(demo)}
    # By hand: (1 + 0.5) / 2, blind (0 + 0.2) / 2, chance (0.2 + 0.4) / 2.
    assert means["a"].value == pytest.approx(0.75)
    assert means["a"].blind == pytest.approx(0.1)
    assert means["a"].chance == pytest.approx(0.3)
    assert (means["a"].items, means["b"].items) == (4, 2)
    assert means["a"].low is not None
    assert means["a"].high is not None
    assert means["a"].low < 0.75 < means["a"].high


def test_chance_is_left_out_where_one_task_has_none(demo: TakenExam) -> None:
    means = {name: mean for name, mean, _ in by_benchmark(demo)}
    assert means["b"].chance is None


def test_it_says_in_two_sentences_what_it_shows(demo: TakenExam) -> None:
    whole = mean_of(demo.rows)
    said = what_it_shows(whole)
    # (1 + 0.5 + 0.25) / 3 and 0.2 / 3.
    assert "58.3 % with the images and 6.7 % without" in said
    assert "depends on looking" in said
    assert said.count(". ") == 1
    assert "depends on looking" not in what_it_shows(whole._replace(blind=whole.value))


def test_the_page_folds_tasks_under_their_benchmark_and_runs_nothing(demo: TakenExam) -> None:
    page = Page(page_of(demo).decode())
    assert page.tags.count("summary") == 2 + 1 + len(demo.taken.steps)
    assert "script" not in page.tags
    assert HOSTILE in " ".join(page.words)
    assert "a 4 items, 4 answered, 75.0 percent," in " ".join(page.words)
    assert "a/y 3 3 f1 50.0" in " ".join(page.words)
    assert page.tags.count("article") == 6


def test_an_attempt_that_was_taken_once_has_no_column_for_a_blind_one(demo: TakenExam) -> None:
    both = Page(page_of(demo).decode())
    once = Page(page_of(replace(demo, blind=None)).decode())
    assert [page.words.count("blind") > 0 for page in (both, once)] == [True, False]
    # A head and three tasks in two tables of tasks.
    assert both.tags.count("th") - once.tags.count("th") == 2
    assert both.tags.count("td") - once.tags.count("td") == 3
