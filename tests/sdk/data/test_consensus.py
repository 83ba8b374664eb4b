import json
from pathlib import Path
from typing import Any

import pytest

from snellen.grading.errors import DataError, InputError, UnknownNameError
from snellen.grading.metrics.similarity import CharNgramEmbedder, embedding_cosine
from snellen.grading.protocols.table import gold_shape
from snellen.sdk.data.consensus import Consensus, load_consensus, make_consensus
from snellen.tasks.benchmarks.webrssbench.load import left_out, load

Answers = dict[str, Any]

BUTTONS: dict[str, Answers] = {
    "a": {"test/shop/before": "Buy now", "test/shop/after-all": "Help", "test/news/before": "Go"},
    "b": {"test/shop/before": "“buy now”", "test/shop/after-all": "Help"},
    "c": {"test/shop/before": "Answer: Sign in", "test/news/before": "I'm sorry, I can't see it"},
    "d": {"test/shop/before": "Buy now", "test/news/before": ""},
}


def source(answers: Answers) -> list[dict[str, Any]]:
    return [{"item_id": item_id, "response": said} for item_id, said in answers.items()]


def voted(task: str = "color", answers: dict[str, Answers] | None = None, **how: Any) -> Consensus:
    given = BUTTONS if answers is None else answers
    sources = {voter: source(said) for voter, said in given.items()}
    return make_consensus(sources, task=f"webrssbench/{task}", **how)


def test_the_answer_given_most_often_is_the_reference_of_both_halves_of_a_pair() -> None:
    found = voted()
    assert found.references == {"test/shop/before": "Buy now", "test/shop/after-all": "Buy now"}
    assert found.unresolved == {"test/news/before": "1 voters, 3 needed"}
    tally = found.decided["test/shop"].tally
    assert [choice.voters for choice in tally] == [("a", "b", "d"), ("c",)]
    assert found.votes["test/shop"]["c"] == "Sign in"


def test_every_item_can_have_its_own_reference() -> None:
    found = voted(pairs="each", minimum_support=2)
    assert found.references == {"test/shop/before": "Buy now", "test/shop/after-all": "Help"}


def test_annotators_need_more_than_half() -> None:
    answers = {"a": {"p": "Buy"}, "b": {"p": "Buy"}, "c": {"p": "Go"}, "d": {"p": "Go"}}
    assert voted(answers=answers, rule="annotators", minimum_support=2).unresolved == {
        "p": "the leading answer has 2 of 4 votes, no majority"
    }
    assert voted(answers=answers, minimum_support=2).references == {"p": "Buy"}


def test_the_text_nearest_to_all_others_is_the_reference() -> None:
    texts = {"a": "Opens the basket", "b": "Opens a basket", "c": "A news page", "d": "The basket"}
    found = voted("text", {voter: {"test/p/before": said} for voter, said in texts.items()})
    embedder = CharNgramEmbedder()
    mean = {
        text: sum(embedding_cosine(text, other, embedder) for other in texts.values())
        for text in texts.values()
    }
    assert found.references == {"test/p/before": max(mean, key=mean.__getitem__)}
    assert found.embedder == embedder.name


def test_a_page_can_be_voted_to_have_no_dangerous_button() -> None:
    answers = {voter: {"p": "sorry"} for voter in "abc"} | {"d": {"p": "Delete"}}
    assert voted("safety", answers).references == {"p": "sorry"}


def test_classes_are_one_under_any_of_their_names() -> None:
    names = ("top bar", "Top sidebar", "It is in the top bar.", "main content")
    answers = {str(voter): {"p": said} for voter, said in enumerate(names)}
    assert voted("ui_grouping", answers).references == {"p": "top"}


def test_errors_later_attempts_and_what_can_not_be_read_are_no_votes() -> None:
    rows: list[dict[str, Any]] = [
        {"item_id": "p", "response": None, "error": "time-out"},
        {"item_id": "q", "response": "Buy", "attempt": 0},
        {"item_id": "q", "response": "Sell", "attempt": 1},
        {"item_id": "r", "response": ["Buy"]},
        {"response": "Buy"},
    ]
    found = make_consensus({"a": rows}, task="webrssbench/color", minimum_support=1)
    assert found.references == {"q": "Buy"}
    assert set(found.unresolved) == {"p", "r"}
    assert [problem.line for problem in found.problems] == [5]


def test_a_model_is_graded_without_its_own_vote() -> None:
    answers = {"a": {"p": "X"}, "b": {"p": "Y"}, "c": {"p": "Y"}, "d": {"p": "X"}, "e": {"p": "X"}}
    whole = voted(answers=answers, minimum_support=2)
    assert whole.references == {"p": "X"}
    without = whole.leave_out("d").leave_out("e")
    assert without.references == {"p": "Y"}
    assert (without.voters, without.left_out) == (("a", "b", "c"), ("d", "e"))
    assert without.sha256 != whole.sha256
    with pytest.raises(UnknownNameError, match="no voter 'z'"):
        whole.leave_out("z")


@pytest.mark.parametrize("task", ["color", "text"])
def test_a_file_gives_back_what_was_saved(tmp_path: Path, task: str) -> None:
    found = voted(task)
    found.save(tmp_path / "c.json")
    again = load_consensus(tmp_path / "c.json")
    assert (again.references, again.unresolved) == (found.references, found.unresolved)
    assert (again.sha256, again.decided) == (found.sha256, found.decided)
    assert again.leave_out("a").sha256 == found.leave_out("a").sha256
    again.save(tmp_path / "d.json")
    assert (tmp_path / "c.json").read_bytes() == (tmp_path / "d.json").read_bytes()


def test_the_order_of_voters_and_answers_changes_nothing() -> None:
    turned = {
        voter: dict(reversed(said.items())) for voter, said in reversed(list(BUTTONS.items()))
    }
    assert voted(answers=turned).sha256 == voted().sha256


def test_a_further_voter_makes_another_file_and_leaves_this_one(tmp_path: Path) -> None:
    first = voted()
    second = voted(answers={**BUTTONS, "e": {"test/shop/before": "Help"}})
    assert first.sha256 != second.sha256
    assert first.references == voted().references


def test_a_changed_file_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    voted().save(path)
    document = json.loads(path.read_text())
    for change in ({"references": {"test/shop/before": "Help"}}, {"voters": ["a"]}):
        path.write_text(json.dumps(document | change))
        with pytest.raises(DataError, match="was changed after it was frozen"):
            load_consensus(path)
    for text in ("[]", "{}", "{"):
        path.write_text(text)
        with pytest.raises(DataError, match="it is not a consensus that snellen wrote"):
            load_consensus(path)
    with pytest.raises(DataError, match="can't be read: No such file"):
        load_consensus(tmp_path / "nowhere.json")


def test_what_can_not_be_voted_on_is_an_error() -> None:
    with pytest.raises(UnknownNameError, match="whose answers are voted on 'webrssbench/position'"):
        voted("position")
    with pytest.raises(
        InputError, match="minimum_support must be from 1 to 4, the number of voters, not 5"
    ):
        voted(minimum_support=5)
    with pytest.raises(InputError, match="must be from 1 to 4, the number of voters, not 0"):
        voted(minimum_support=0)


def test_the_references_are_of_their_tasks_shape() -> None:
    for task in ("color", "text"):
        for reference in voted(task, minimum_support=1).references.values():
            gold_shape(f"webrssbench/{task}").read(reference)


def test_a_consensus_lies_beside_the_folders_that_a_script_wrote(tmp_path: Path) -> None:
    for page in ("shop", "news"):
        (tmp_path / page).mkdir()
        for image in ("original.png", "disturbed.png"):
            (tmp_path / page / image).write_bytes(b"generated")
    found = voted(
        answers={
            voter: {"test/shop/before": "Buy now", "test/news/before": "Go" * (voter == "a")}
            for voter in "abc"
        }
    )
    found.save(tmp_path / "color.references.json")
    data = load("webrssbench/color", tmp_path)
    # Nobody was asked about the page as it is after: it has the reference of its other half.
    assert list(data.ids) == ["test/shop/before", "test/shop/after-partial"]
    assert list(data.golds) == [["Buy now"], ["Buy now"]]
    assert "2 questions have their reference from color.references.json" in data.pin.note
    assert left_out("webrssbench/color", tmp_path) == dict.fromkeys(
        ("test/news/before", "test/news/after-partial"), "1 voters, 3 needed"
    )
