"""SeeAct's batches of choices: one step has one answer."""

import json
from pathlib import Path

import pytest

from snellen import sdk

TASK = "mind2web/task"
PROMPT = "If none of these elements match, please select {}. None of the other options match"


def batch(number: int, letter: str, value: str = "None", none: str = "Q") -> dict[str, object]:
    text = f"A. is not it.\n(Final Answer)\n\nELEMENT: {letter}\n\nACTION: TYPE\n\nVALUE: {value}"
    prompt = ["", "", PROMPT.format(none)]
    return {"multichoice_id": number, "gpt_output": ["thought", text], "prompt": prompt}


@pytest.mark.parametrize(
    ("batches", "response"),
    [
        (
            [batch(0, "Q"), batch(1, "C", "New York"), batch(2, "D")],
            "C.\nAction: TYPE\nValue: New York",
        ),
        ([batch(0, "R", none="R"), batch(1, "B")], "B.\nAction: TYPE"),
        ([batch(0, "Q"), batch(1, "Q")], "Q.\nAction: TYPE"),
        ([{"multichoice_id": 0, "gpt_output": ["I can't"]}], "I can't"),
    ],
)
def test_the_first_batch_that_chooses_an_element_is_the_answer(
    tmp_path: Path, batches: list[object], response: str
) -> None:
    file = tmp_path / "run" / "a-1_b-2" / "prediction-4api.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text("\n".join(map(json.dumps, batches)))
    reference = {"action": {"type": "type", "text": "New York"}, "letters": "C"}
    for source in (tmp_path / "run", file):
        report = sdk.grade(
            source, task=TASK, protocol="official", references={"a-1/b-2": reference}
        )
        assert [score.response for score in report.scores] == [response]
        assert report.metrics["element"].value == float(response.startswith("C"))
