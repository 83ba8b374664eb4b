"""What the fields of stored answers are called, in rows, steps and scripts' results: one table.

A source's own names are given, or guessed if one name fits.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias, cast

from snellen.grading.errors import SubmissionError

FIELDS = ("item_id", "response", "attempt", "error", "model")
NEEDED = ("item_id", "response")

Fields: TypeAlias = Mapping[str, Any]

IDS = (
    *("item_id", "id", "sample_id", "question_id", "data_id", "custom_id", "uid"),
    *("task_id", "doc_id", "example_id", "index", "idx"),
)
"""The fields that may hold an item's id, the best first."""

IMAGES = (
    *("img_path", "img_filename", "image_path", "image_file", "image_name", "img_name", "img"),
    *("filename", "file_name", "image", "screenshot"),
)
CHATS = ("conversations", "messages", "prompt")
INSTRUCTIONS = (
    *("prompt_to_evaluate", "instruction", "low_instruction", "question", "query", "command"),
    *("instruction_en", "goal", "task", "text", "description"),
)
BOXES = (
    *("bbox", "gt_bbox", "gt", "ground_truth", "gt_box", "bbox_gt", "target_bbox", "box"),
    *("ground_truth_bbox", "bbox_x1y1x2y2"),
)
SIZES = ("img_size", "image_size")

_PARSED: Mapping[str, Sequence[str]] = {
    "pixels": (
        *("pred", "prediction_px", "pred_px", "pixel_coord", "predicted_px"),
        "pred_point_px",
    ),
    "view": ("pred_coord",),
    "unit": ("extracted_answer", "pred_norm", "prediction_norm", "predicted_norm"),
    "": (
        *("prediction", "predicted", "pred_point", "predicted_point", "prediction_point"),
        *("predicted_coords", "predicted_coordinates", "pred_coords", "pred_coordinates"),
        *("pred_bbox", "pred_box", "prediction_bbox", "prediction_box", "predicted_bbox"),
        *("predicted_box", "predict_bbox", "bbox_pred", "box_pred", "pred_boxes", "pred_bboxes"),
        *("topk_points", "point", "click", "coordinate", "coordinates"),
    ),
}
PARSED = {name: space for space, names in _PARSED.items() for name in names}
"""The fields of a parsed point or box, the best first, to what it counts by its name; empty: the
name does not say."""

PAIRS = (("pred_x", "pred_y"), ("predicted_x", "predicted_y"), ("extracted_x", "extracted_y"))
"""Two fields that hold the numbers of a point."""

POINTS = ("point", "coordinate", "coordinates", "click", "bbox")

RAW = (
    *("raw_response", "raw_output", "raw_text", "raw_prediction", "raw", "model_output"),
    *("model_response", "model_answer", "output_text", "generated_text", "response_text"),
    *("full_response", "full_output", "llm_output", "llm_response", "response", "output"),
    *("completion", "prediction", "pred", "model_prediction", "answer_text", "gpt_output"),
    *("gpt_response", "predicted_answer", "pred_answer", "generated", "filtered_resps", "resps"),
    "generation",
)
"""The fields of what a model wrote."""

ANSWERS = ("response", *RAW, "predicted", "pred_action", "predicted_action", "answer", "action")
"""The fields of a step's answer: its text before what a script read in it."""

_COMMON = (
    *("response", "prediction", "pred", "predicted", "answer", "output", "completion"),
    *("model_answer", "model_output", "model_response", "generated_text"),
)
"""The answers that a plain row is searched for first; the others count if there is none."""

VERDICTS = (
    *("correctness", "correct", "is_correct", "in_box", "is_in_bbox", "hit", "hit_top1"),
    *("success", "exact_match", "match", "is_match", "step_success", "action_correct"),
)
"""The fields of a script's own verdict; an agent's claim of success is none."""

MODELS = ("model", "model_name", "model_id")
"""The fields of who answered."""

USUAL: Mapping[str, Sequence[Sequence[str]]] = MappingProxyType(
    {
        "item_id": (("item_id", "itemid", "id", "question_id", "sample_id", "qid"), IDS),
        "response": (_COMMON, (*RAW, "pred_action", "predicted_action")),
    }
)
"""Other names for the fields that are needed, in lower case with underscores: a group of names
counts if none of the groups before it fits."""

_SHOWN = 10


class ColumnNames(NamedTuple):
    """A source's names of the fields."""

    other: Mapping[str, str]  # the fields with other names: our name to the source's
    notice: str  # a notice on guessed names; empty if none was guessed
    lacking: Mapping[str, str]  # a required field that is missing, to the reason and what to do


def check_columns(columns: Mapping[str, str]) -> None:
    """Check a mapping of a source's names to fields.

    Raises:
        SubmissionError: A field is not a submission's, or is given twice.
    """
    for name, field in columns.items():
        if field not in FIELDS:
            raise SubmissionError(
                f"{name!r} can't be read as {field!r}, which is not a field of a submission;"
                f" known: {', '.join(FIELDS)}"
            )
        others = [other for other in columns if columns[other] == field and other != name]
        if others:
            raise SubmissionError(
                f"both {name!r} and {others[0]!r} are mapped to {field}; map one of them"
            )


def named(names: Sequence[str], columns: Mapping[str, str], *, guess: bool) -> ColumnNames:
    """Return a source's names of the fields.

    Args:
        names: Its columns, or the fields of its first record.
        columns: Some of its names, mapped to fields.
        guess: Whether a missing required field may be recognized by a usual name.
    """
    other = {field: name for name, field in columns.items()}
    guessed: dict[str, str] = {}
    lacking: dict[str, str] = {}
    for field in NEEDED:
        if field in other or (field in names and field not in columns):
            continue
        groups = (
            [name for name in names if name not in columns and _plain(name) in group]
            for group in USUAL[field]
        )
        fitting = next((group for group in groups if group), list[str]())
        if guess and len(fitting) == 1:
            guessed[field] = fitting[0]
        else:
            lacking[field] = _advice(field, fitting, names)
    model = next((name for name in MODELS if name in names), "model")
    own = {} if model == "model" or model in columns or not guess else {"model": model}
    return ColumnNames(own | other | guessed, _notice(guessed), lacking)


def _plain(name: str) -> str:
    return re.sub(r"[\s-]+", "_", name.strip().lower())


def _advice(field: str, fitting: Sequence[str], names: Sequence[str]) -> str:
    some = fitting or names
    found = ", ".join(ascii(name) for name in some[:_SHOWN]) or "none"
    several = "several could be it" if len(fitting) > 1 else "found"
    example = fitting[0] if fitting else "NAME"
    return (
        f"{several}: {found}; say which it is with --map {example}={field}, in Python with"
        f" columns={{{example!r}: {field!r}}}"
    )


def _notice(guessed: Mapping[str, str]) -> str:
    if not guessed:
        return ""
    taken = " and ".join(f"{name!r} was read as {field}" for field, name in guessed.items())
    return f"{taken}, which the answers do not have by that name; --map NAME=FIELD reads another"


def first_of(row: Fields, names: Iterable[str]) -> tuple[str, Any]:
    """Return the first of some fields that holds something, with its name; `("", None)`: none."""
    return next(((name, row[name]) for name in names if row.get(name) is not None), ("", None))


def answer_of(row: Fields, names: Iterable[str] = RAW) -> tuple[str, Any]:
    """Return a row's answer and the name of its field: a text, or the last turn of a chat."""
    found = first_of(row, names)
    return found if found[0] else spoken_in(row)


def spoken_in(row: Fields) -> tuple[str, Any]:
    """Return what a model said last in a chat, and the chat's field; `("", None)`: no chat.

    The chat is `{"from": "gpt", "value": ...}` or `{"role": "assistant", "content": ...}`.
    """
    for name in ("conversations", "conversation", "messages"):
        turns = row.get(name)
        last: object = cast("list[object]", turns)[-1] if isinstance(turns, list) and turns else 0
        if isinstance(last, dict):
            turn = cast("Fields", last)
            if turn.get("from", turn.get("role")) in ("gpt", "assistant", "model"):
                return name, turn.get("value", turn.get("content"))
    return "", None
