"""WebArena: three tasks, by the answer, by a page that is opened and by a request that is sent."""

import json
from pathlib import Path
from typing import Any


def write(folder: Path) -> Path:
    shared: dict[str, Any] = {"intent_template": "", "instantiation_dict": {}, "revision": 1}
    answer: dict[str, Any] = {"evaluator": "AgentResponseEvaluator"}
    request: dict[str, Any] = {"evaluator": "NetworkEventEvaluator"}
    nothing: dict[str, Any] = {"results_schema": {"type": "null"}}
    rows: list[dict[str, Any]] = [
        {
            "task_id": 4,
            "sites": ["shopping"],
            "intent": "Get the prices of the two lamps",
            "eval": [
                {
                    **answer,
                    "results_schema": {
                        "type": "array",
                        "items": {"type": "number", "format": "currency"},
                    },
                    "expected": {
                        "task_type": "retrieve",
                        "status": "SUCCESS",
                        "retrieved_data": [12.5, [30, 31]],
                    },
                }
            ],
        },
        {
            "task_id": 17,
            "sites": ["gitlab"],
            "intent": "Open the issues of the lamp project",
            "eval": [
                {
                    **answer,
                    **nothing,
                    "expected": {
                        "task_type": "navigate",
                        "status": "SUCCESS",
                        "retrieved_data": None,
                    },
                },
                {**request, "expected": {"url": "^__GITLAB__/lamps/-/issues.*$"}},
            ],
        },
        {
            "task_id": 23,
            "sites": ["gitlab", "reddit"],
            "intent": "Comment 'bright' on the first issue",
            "eval": [
                {
                    **answer,
                    **nothing,
                    "expected": {
                        "task_type": "mutate",
                        "status": "SUCCESS",
                        "retrieved_data": None,
                    },
                },
                {
                    **request,
                    "expected": {
                        "url": "__GITLAB__/lamps/notes",
                        "http_method": "POST",
                        "post_data": {"$.note.note": "bright"},
                        "response_status": 201,
                    },
                },
            ],
        },
    ]
    originals: list[dict[str, Any]] = [
        {"eval_types": ["string_match"], "reference_answers": {"must_include": ["12.5", "30"]}},
        {"eval_types": ["url_match"], "reference_answers": None},
        {"eval_types": ["program_html"], "reference_answers": None},
    ]
    for row in rows:
        row |= {**shared, "intent_template_id": row["task_id"], "start_urls": ["__GITLAB__"]}
    (folder / "webarena-verified.json").write_text(json.dumps(rows))
    raw = [
        {"task_id": row["task_id"], "eval": original}
        for row, original in zip(rows, originals, strict=True)
    ]
    (folder / "test.raw.json").write_text(json.dumps(raw))
    (folder / "subsets").mkdir(exist_ok=True)
    hard = {"description": None, "task_ids": [23, 4]}
    (folder / "subsets" / "webarena-verified-hard.json").write_text(json.dumps(hard))
    return folder
