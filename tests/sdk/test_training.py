"""`sdk.reward`: the values of `sdk.grade`, in the form that training loops call."""

import asyncio
import inspect
import json
import math
import pickle
import warnings
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from miniatures import references, written

from snellen import sdk
from snellen.grading.errors import DataError, InputError, UnknownNameError
from snellen.grading.protocols.table import PROTOCOLS, gold_shape
from snellen.tasks.samples import exam_folder

REFERENCES = {"a": ["12 exercises", "12"], "b": ["Wall Sit"]}
STRANGE = ["", "B", "<no answer>", "(0.5, 0.3)", "click(x=100, y=20)", "half \ud83d", "the 12"]


def short(**options: Any) -> sdk.Reward:
    return sdk.reward("screenqa/short", references=REFERENCES, faults="raise", **options)


def said(*texts: str | None) -> list[dict[str, Any]]:
    return [{"role": "assistant", "content": text} for text in texts]


def without_warning() -> AbstractContextManager[None]:
    """Let any warning fail."""
    return warnings.catch_warnings(action="error")


def texts_of(task: str, golds: Sequence[Any]) -> list[str]:
    """Return right answers to some items, as texts, and strange ones."""
    right = [response for gold in golds for response in gold_shape(task).responses(gold)]
    return [one if isinstance(one, str) else json.dumps(one) for one in right][:6] + STRANGE


@pytest.mark.parametrize("task", PROTOCOLS)
def test_the_rewards_are_the_values_of_grade(task: str, tmp_path: Path) -> None:
    data = sdk.load(task, written(task.partition("/")[0], tmp_path))
    ids, texts = data.ids[:4], texts_of(task, list(data.golds)[:4])
    rows = [(item, number, text) for item in ids for number, text in enumerate(texts)]
    stored = [{"item_id": i, "attempt": n, "response": t} for i, n, t in rows]
    for protocol in sdk.protocols_of(task):
        report = sdk.grade(stored, task=task, data=data, protocol=protocol.name)
        judged = {(score.item_id, score.attempt): score for score in report.scores}
        reward = sdk.reward(task, protocol.name, data=data)
        with (
            pytest.warns(RuntimeWarning, match="NaN")
            if report.input.outcomes[sdk.Outcome.ERROR]
            else without_warning()
        ):
            given = reward([t for *_, t in rows], [item for item, *_ in rows])
        for (item, number, _), value in zip(rows, given, strict=True):
            score = judged.get((item, number))
            if score is None:  # a text that no file can hold: the line was left out
                assert value == 0.0
            elif score.outcome is sdk.Outcome.ERROR:
                assert math.isnan(value)
            else:
                assert value == score.value


@pytest.mark.parametrize("task", PROTOCOLS)
def test_a_call_that_brings_its_references_has_the_values_of_score(task: str) -> None:
    golds = references()[task]
    read = [gold_shape(task).read(gold) for gold in golds]
    texts = texts_of(task, read)
    rows = [(gold, text) for gold in golds for text in texts]
    as_json = [json.dumps(g) if isinstance(g, dict | list) else g for g, _ in rows]
    expected = [sdk.score(task, response=text, reference=gold) for gold, text in rows]
    right = [math.nan if score.outcome is sdk.Outcome.ERROR else score.value for score in expected]
    reward = sdk.reward(task)
    with pytest.warns(RuntimeWarning) if any(map(math.isnan, right)) else without_warning():
        given = reward([text for _, text in rows], reference=[gold for gold, _ in rows])
        stored = reward([text for _, text in rows], reference=as_json)
    assert given == pytest.approx(right, abs=0, nan_ok=True)
    assert stored == pytest.approx(right, abs=0, nan_ok=True)


def test_the_last_thing_that_the_assistant_said_is_judged() -> None:
    chat = [
        {"role": "user", "content": "How many?"},
        *said("13"),
        {"role": "tool", "content": "12 exercises"},
        {"role": "assistant", "content": [{"type": "text", "text": "12"}]},
        {"role": "user", "content": "Thanks"},
    ]
    assert short()([chat, said("13"), said("12")], "a") == [1.0, 0.0, 1.0]


def test_a_call_of_a_tool_is_read_as_an_answer_where_the_protocol_reads_calls() -> None:
    call = {"name": "computer_use", "arguments": '{"action": "left_click", "coordinate": [5, 5]}'}
    chat = [
        {"role": "assistant", "content": "", "tool_calls": [{"type": "function", "function": call}]}
    ]
    reference = {"bbox": [0, 0, 10, 10], "image_size": [100, 100]}
    reward = sdk.reward("screenspot-v2/point", "robust", space="pixels")
    assert reward([chat, said("(5, 5)"), "(50, 5)"], reference=[reference] * 3) == [1.0, 1.0, 0.0]


def test_an_empty_answer_and_a_refusal_are_zero_and_not_a_fault() -> None:
    thought = [{"role": "assistant", "content": None, "reasoning_content": "I see a"}]
    refusal = [{"role": "assistant", "content": None, "refusal": "12"}]
    assert short()(["", said(""), thought, said(None), refusal], "a") == [0.0] * 5


def test_one_completion_instead_of_a_list_is_one_reward() -> None:
    assert short()("12", "a") == short()(said("12")[0], ["a"]) == [1.0]
    with pytest.raises(InputError, match="2 values of item_id for 1 completions; give lists"):
        short()("12", ["a", "a"])


def test_arrays_are_references_and_ids_too() -> None:
    box = {"bbox": np.array([0, 0, 10, 10]), "image_size": np.array([100, 100])}
    reward = sdk.reward("screenspot-v2/point", "robust", space="pixels")
    assert reward(["(5, 5)"], reference=[box]) == [1.0]
    assert short()(["12"], np.array(["a"])) == [1.0]
    report = sdk.grade({"a": "(0.05, 0.05)"}, task="screenspot-v2/point", references={"a": box})
    assert report.value == 1.0


@pytest.mark.parametrize(
    ("completion", "reason"),
    [
        (None, "it is None"),
        (12, "it is int, no text"),
        ([], "it is list, no text"),
        ([{"role": "user", "content": "12"}], "it is list, no text, no turn of an assistant"),
        (["12"], "it is list, no text"),
    ],
    ids=["none", "number", "empty", "user", "strings"],
)
def test_what_is_no_completion_is_a_fault(completion: Any, reason: str) -> None:
    with pytest.raises(InputError, match=rf"completions\[1\] can't be judged: {reason}"):
        short()(["12", completion], "a")
    reward = sdk.reward("screenqa/short", references=REFERENCES)
    with pytest.warns(RuntimeWarning, match=f"1 of 3 rewards are NaN.*{reason}"):
        right, fault, wrong = reward(["12", completion, "13"], "a")
    assert (right, wrong) == (1.0, 0.0)
    assert math.isnan(fault)


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ({"item_id": ["a", "zz"]}, "screenqa/short has no item 'zz'; ids look like 'a'"),
        ({"item_id": ["a", 5]}, "its item_id is int, not a text"),
        (
            {"item_id": "a", "task": ["screenqa/short", "screenqa/long"]},
            "it is of screenqa/long, and this reward is of screenqa/short",
        ),
    ],
    ids=["unknown", "number", "another task"],
)
def test_an_item_that_is_not_there_is_a_fault_of_its_own_row(
    columns: dict[str, Any], reason: str
) -> None:
    with pytest.raises(InputError, match=reason):
        short()(["12", "12"], **columns)
    with pytest.warns(RuntimeWarning, match=reason):
        values = sdk.reward("screenqa/short", references=REFERENCES)(["12", "12"], **columns)
    assert values[0] == 1.0
    assert math.isnan(values[1])


def test_a_reference_of_another_shape_is_a_fault() -> None:
    reward = sdk.reward("screenqa/short", faults="raise")
    with pytest.raises(InputError, match=r"completions\[1\].*expected .*"):
        reward(["12", "12"], reference=[["12"], {"a": 1}])


def test_lists_of_unequal_length_raise_whatever_becomes_of_faults() -> None:
    reward = sdk.reward("screenqa/short", references=REFERENCES)
    with pytest.raises(InputError, match="1 values of item_id for 2 completions"):
        reward(["12", "12"], item_id=["a"])
    with pytest.raises(InputError, match="item_id is int, not a list of one a completion"):
        reward(["12"], item_id=7)  # pyright: ignore[reportArgumentType]


def test_without_items_or_references_a_call_raises() -> None:
    with pytest.raises(InputError, match="give item_id="):
        short()(["12"])
    with pytest.raises(InputError, match="item_id needs the task's data"):
        sdk.reward("screenqa/short")(["12"], item_id=["a"])


def test_names_that_are_not_there_are_refused_at_once() -> None:
    with pytest.raises(UnknownNameError, match="no metric of screenqa/short under official@1 'f2'"):
        short(metric="f2")
    with pytest.raises(InputError, match="faults is 'nan' or 'raise', not 'zero'"):
        sdk.reward("screenqa/short", faults="zero")  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="screenqa/short has none"):
        short(space="unit")


def test_another_metric_gives_the_partial_credit_that_it_defines() -> None:
    answer = ["12 of them"]
    assert short(metric="exact_match")(answer, "a") == [0.0]
    assert short()(answer, "a") == [0.5]


def test_trl_gets_a_name_a_coroutine_and_every_column() -> None:
    """As TRL's GRPO trainer calls it: prompts, completion_ids and the data set's columns."""
    reward = short()
    rest = {"prompts": ["?"] * 2, "completion_ids": [[1], [2]], "trainer_state": None}
    assert reward.__name__ == "screenqa/short"
    assert short(metric="f1").__name__ == "screenqa/short:f1"
    assert inspect.iscoroutinefunction(reward.asynchronous)
    assert reward.asynchronous.__name__ == "screenqa/short"
    found = asyncio.run(reward.asynchronous(completions=["12", "no"], item_id=["a", "b"], **rest))
    assert found == reward(completions=["12", "no"], item_id=["a", "b"], **rest) == [1.0, 0.0]


def test_verl_gets_a_score_an_answer() -> None:
    assert short().compute_score("screenqa/short", "12", None, {"item_id": "a"}) == 1.0
    alone = sdk.reward("screenqa/short", faults="raise")
    assert alone.compute_score("acme/screens", "12", '["12"]') == 1.0
    assert alone.compute_score("acme/screens", "13", ["12"], {"index": 4}) == 0.0
    with pytest.raises(InputError, match="it is of screenqa/long"):
        alone.compute_score("screenqa/long", "12", ["12"])


def test_a_reward_can_be_sent_to_another_process() -> None:
    assert pickle.loads(pickle.dumps(short(metric="exact_match")))(["12"], "a") == [1.0]


def test_an_item_of_another_split_is_found_by_its_id(screenqa_splits: Path) -> None:
    reward = sdk.reward("screenqa/short", data=screenqa_splits, split="test", faults="raise")
    assert reward(["12", "seven"], ["test/5/0", "train/7/0"]) == [1.0, 1.0]
    with pytest.raises(InputError, match="no item 'nowhere/7/0'"):
        reward(["12"], ["nowhere/7/0"])


@pytest.fixture
def screenqa_splits(tmp_path: Path) -> Path:
    for split, number, answer in (("test", 5, "12"), ("train", 7, "seven")):
        row = {
            "image_id": number,
            "question": "How many?",
            "ground_truth": [answer],
            "image_width": 10,
            "image_height": 20,
        }
        (tmp_path / "short_answers").mkdir(exist_ok=True)
        (tmp_path / "short_answers" / f"{split}.json").write_text(json.dumps([row]))
    return tmp_path


@pytest.mark.slow
def test_the_rows_show_the_items_and_no_reference(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path)
    reward = sdk.reward("visualwebbench/webqa", data=exam_folder("sample"))
    data = sdk.load("visualwebbench/webqa", exam_folder("sample"))
    rows: Any = reward.rows()
    assert rows.column_names == ["item_id", "prompt", "images"]
    golds = dict(zip(data.ids, data.golds, strict=True))
    for row, item_id in zip(rows, data.selected or data.ids, strict=True):
        (message,) = row["prompt"]
        image, text = message["content"]
        assert (row["item_id"], image["type"]) == (item_id, "image")
        assert text["text"] == data.item(item_id).prompt
        assert row["images"][0].size[0] == data.item(item_id).images[0].width
        assert not any(right in json.dumps(row["prompt"]) for right in golds[item_id])


@pytest.mark.slow
def test_the_rows_of_a_task_without_images_are_chats_of_texts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path)
    rows: Any = sdk.reward("mmbench-gui/l3", data=written("mmbench-gui", tmp_path)).rows()
    assert rows.column_names == ["item_id", "prompt"]
    assert rows[0]["prompt"][0]["role"] == "user"
    assert isinstance(rows[0]["prompt"][0]["content"], str)


def test_rows_need_data(screenqa_splits: Path) -> None:
    with pytest.raises(InputError, match="rows need the task's data"):
        short().rows()
    with pytest.raises(UnknownNameError, match="no split"):
        sdk.reward("screenqa/short", data=screenqa_splits).rows("nowhere")
    with pytest.raises(DataError, match="loaded without images"):
        sdk.reward("screenqa/short", data=screenqa_splits).rows("train")
