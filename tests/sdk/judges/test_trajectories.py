"""Stored trajectories: two layouts, and what is wrong with one of them costs no other."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from snellen.grading.errors import InputError
from snellen.sdk.judges.trajectories import Trajectory, trajectories

CHAT = [
    {"role": "system", "content": "s"},
    {"role": "user", "content": "Now given a task: Find it.  Please interact with x"},
    {"role": "assistant", "content": "Thought: there\n\nAction: Click [3]"},
    {"role": "user", "content": "Observation: ..."},
    {"role": "assistant", "content": "no format"},
    {"role": "assistant", "content": "Thought: done\n\nAction: ANSWER; [It is [4] here]"},
]


def written(root: Path, name: str, value: object) -> Path:
    file = root / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(value if isinstance(value, str) else json.dumps(value))
    return file


def only(root: Path) -> Trajectory:
    (found,) = trajectories(root).values()
    assert isinstance(found, Trajectory)
    return found


def test_a_chat_has_the_task_the_answer_and_the_actions_before_it(tmp_path: Path) -> None:
    written(tmp_path, "taskShop--3/interact_messages.json", CHAT)
    written(tmp_path, "taskShop--3/result.json", {"verdict": "of another program"})
    for number in (10, 9):
        (tmp_path / f"taskShop--3/screenshot{number}.png").touch()
    found = only(tmp_path)
    assert (found.id, found.task) == ("Shop--3", "Find it.")
    # The published pattern ends at the first bracket.
    assert found.answer == "It is [4"
    assert (found.actions, found.thoughts) == (("Click [3]",), ("there", "done"))
    assert [path.name for path in found.screenshots] == ["screenshot9.png", "screenshot10.png"]


@pytest.mark.parametrize("messages", [CHAT[:4], CHAT[:1], [*CHAT[:3], {"content": []}]])
def test_a_chat_without_an_answer_has_an_empty_one(tmp_path: Path, messages: list[Any]) -> None:
    written(tmp_path, "taskA--0/interact_messages.json", messages)
    assert only(tmp_path).answer == ""


def test_a_result_has_its_fields_and_its_screenshots_in_the_order_of_their_numbers(
    tmp_path: Path,
) -> None:
    fields = {"task": "Find it.", "action_history": ["a", "b"], "final_result_response": None}
    written(tmp_path, "deep/1f/result.json", fields)
    for name in ("step_10.jpg", "step_9.png", ".DS_Store", "note.txt"):
        written(tmp_path, f"deep/1f/trajectory/{name}", "")
    found = only(tmp_path)
    assert (found.id, found.answer) == ("deep/1f", "")
    assert (found.actions, found.thoughts) == (("a", "b"), None)
    assert [path.name for path in found.screenshots] == ["step_9.png", "step_10.jpg"]


def test_the_second_version_of_a_result_has_steps_and_the_last_is_the_answer(
    tmp_path: Path,
) -> None:
    steps = [
        {"action": "click", "thought": "there", "screenshot": "z.png"},
        {"action": "type", "thought": None, "screenshot": "b.png"},
        {"action": "ANSWER: 4", "thought": "done", "screenshot": "a.png"},
    ]
    fields = {
        "schema_version": "online-mind2web-v2",
        "task": "Find it.",
        "action_history": steps,
        "agent_final_answer": "4",
    }
    written(tmp_path, "1f/result.json", fields)
    found = only(tmp_path)
    assert (found.answer, found.actions) == ("4", ("click", "type"))
    assert found.thoughts == ("there", "", "done")
    assert [path.name for path in found.screenshots] == ["z.png", "b.png", "a.png"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("result.json", '{"task": ', "it is no JSON"),
        ("result.json", "[]", "an object is expected"),
        ("result.json", {"task": "t", "action_history": [1]}, "'action_history'.*list of texts"),
        ("result.json", {"task": "t", "thoughts": "x"}, "'thoughts'.*list of texts"),
        ("interact_messages.json", {}, "no list of messages"),
        ("interact_messages.json", [{}, {"content": "hello"}], "second message has no task"),
        (
            "interact_messages.json",
            [*CHAT[:2], {"role": "assistant", "content": "Thought: x Action: ANSWER"}],
            "no text after ANSWER",
        ),
    ],
)
def test_a_faulty_trajectory_is_an_error_beside_the_others(
    tmp_path: Path, name: str, content: object, message: str
) -> None:
    written(tmp_path, "good/result.json", {"task": "t"})
    file = written(tmp_path, f"bad/{name}", content)
    found = trajectories(tmp_path)
    assert isinstance(found["good"], Trajectory)
    assert isinstance(found["bad"], InputError)
    with pytest.raises(InputError, match=rf"(?s){file.name}.*{message}"):
        raise found["bad"]


def test_a_folder_without_trajectories_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no trajectory"):
        trajectories(tmp_path)


@pytest.mark.realdata
def test_real_chats_of_webvoyager_are_read() -> None:
    found = trajectories(Path(os.environ["SNELLEN_DATA"]) / "real/predictions/webvoyager")
    answers = {item: one.answer for item, one in found.items() if isinstance(one, Trajectory)}
    assert set(answers) == {"ArXiv--11", "GitHub--0"}
    assert "resource-watch/resource-watch" in (answers["GitHub--0"] or "")
