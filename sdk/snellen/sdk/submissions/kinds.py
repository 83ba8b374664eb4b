"""The kinds of stored results that the field's scripts write, recognized by their fields.

Every kind is a function from a row to what it says: which item it is about, the answer as the
script parsed it, the model's own text, and what the script thought of it.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, cast

from snellen.sdk.submissions.columns import (
    BOXES,
    CHATS,
    IDS,
    IMAGES,
    INSTRUCTIONS,
    MODELS,
    PAIRS,
    PARSED,
    POINTS,
    RAW,
    VERDICTS,
    Fields,
    first_of,
    spoken_in,
)
from snellen.sdk.submissions.known import Box, Clues, Size

_YES = frozenset({"correct", "right", "true", "yes", "c", "pass", "passed", "1", "1.0"})
_NO = frozenset(
    {"wrong", "incorrect", "false", "no", "i", "fail", "failed", "wrong_format", "0", "0.0"}
)
_ACTIONS: Mapping[str, tuple[str, str]] = {
    "click": ("click", ""),
    "long_press": ("long_press", ""),
    "scroll": ("scroll", ""),
    "type": ("type", ""),
    "open_app": ("open_app", ""),
    "wait": ("wait", ""),
    "complete": ("finish", ""),
    "press_back": ("navigate", "back"),
    "press_home": ("navigate", "home"),
}
"""GUI-R1's recorded actions, in our words."""

_BARE = (
    *((name,) for name in (*PARSED, *BOXES)),
    ("x", "y"),
    *(("x0", "y0", "x1", "y1"), ("x1", "y1", "x2", "y2"), ("left", "top", "right", "bottom")),
)
"""The fields that hold the numbers of an answer in a row that has little else."""

_ATTEMPTS = ("attempt", "_ng_rollout_index", "rollout_index", "rollout", "trial", "run_id", "run")


class Parsed(NamedTuple):
    """An answer as a script parsed it.

    Attributes:
        field: The field that it stands in.
        value: The numbers of a point or a box; None: the script found none.
        space: What they count by the field's name; empty: unknown.
        view: The size of the image that they were written for, with the space `view`.
    """

    field: str
    value: Sequence[float] | None
    space: str = ""
    view: Size | None = None


class Raw(NamedTuple):
    """What a model wrote, and the field that it stands in."""

    field: str
    value: object
    view: Size | None = None


class RowContent(NamedTuple):
    """What a row says.

    Attributes:
        clues: Of its item.
        parsed: The answer as parsed; None: the row has no such field.
        raw: The model's own text; None: the row has no such field.
        verdict: What the script thought; None: nothing, or neither right nor wrong.
        error: Why there is no answer.
        attempt: The number of the try.
        model: Who answered.
    """

    clues: Clues
    parsed: Parsed | None = None
    raw: Raw | None = None
    verdict: bool | None = None
    error: object = None
    attempt: int = 0
    model: str | None = None


class Kind(NamedTuple):
    """A kind of rows."""

    name: str  # what a report calls it
    fits: Callable[[Fields], bool]  # whether a row is of this kind
    read: Callable[[Fields], list[RowContent]]  # what the row says, one for each answer in it


def kind_of_row(row: Fields) -> Kind | None:
    """Return the kind of a row; None for a plain submission or anything else."""
    if "response" in row and "item_id" in row:
        return None
    return next((kind for kind in KINDS if kind.fits(row)), None)


def point_of(value: object) -> Sequence[float] | None:
    """Return the numbers of a point or a box in any usual form; None if it is none."""
    if isinstance(value, str):
        text = value.strip()
        if not text or text[0] not in "[({" or text[-1] not in "])}" or len(text) > 200:
            return None
        try:
            value = json.loads(text.replace("(", "[").replace(")", "]"))
        except ValueError:
            return None
    if isinstance(value, dict):
        fields = cast("Fields", value)
        inner = next((fields[name] for name in POINTS if name in fields), None)
        value = [fields[name] for name in ("x", "y") if name in fields] or inner
    if not isinstance(value, list | tuple):
        return None
    numbers = cast("Sequence[object]", value)
    if len(numbers) in (1, 3, 5, 10) and isinstance(numbers[0], list):
        # The best of several points stands first.
        numbers = cast("Sequence[object]", numbers[0])
    if len(numbers) == 2 and all(isinstance(part, list) for part in numbers):
        numbers = [side for part in numbers for side in cast("Sequence[object]", part)]
    if len(numbers) not in (2, 4) or not all(
        isinstance(side, int | float) and not isinstance(side, bool) for side in numbers
    ):
        return None
    return cast("Sequence[float]", numbers)


def verdict_of(value: object) -> bool | None:
    """Return a verdict; None for a reward between 0 and 1, an opinion, or anything else."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return bool(value) if value in (0, 1) else None
    if isinstance(value, str):
        word = value.strip().casefold()
        return True if word in _YES else False if word in _NO else None
    return None


def text_of(value: object) -> object:
    """Return what a model wrote: out of lists around it, and without an echoed prompt."""
    for _ in range(3):
        if not isinstance(value, list):
            break
        parts = cast("list[object]", value)
        if len(parts) != 1 or point_of(parts) is not None:
            break
        value = parts[0]
    if isinstance(value, str) and value.startswith(("user\n", "system\n", "<|im_start|>")):
        for mark in ("\nassistant\n", "<|im_start|>assistant\n"):
            if mark in value:
                return value.rpartition(mark)[2]
    return cast("object", value)


def _text(row: Fields, names: Iterable[str]) -> str:
    return next((row[name] for name in names if row.get(name) and isinstance(row[name], str)), "")


def _id(row: Fields, names: Iterable[str] = IDS) -> str:
    _, value = first_of(row, names)
    known = isinstance(value, str | int) and not isinstance(value, bool)
    return str(value) if known else ""


def _size(value: object) -> Size | None:
    sides = point_of(value)
    return None if sides is None or len(sides) != 2 or min(sides) <= 0 else (sides[0], sides[1])


def _clues(row: Fields, view: Size | None = None) -> Clues:
    box: Box = tuple(next(filter(None, (point_of(row.get(name)) for name in BOXES)), ()))
    if box and max(box) < 0:
        # GUI-R1's (-100, -100) stands for no target.
        box = ()
    action, detail = _ACTIONS.get(_text(row, ("gt_action",)), ("", ""))
    detail = detail or _text(row, ("gt_input_text",))
    names = _text(row, IMAGES), _text(row, INSTRUCTIONS)
    part = _text(row, ("grounding_type", "group", "split")).lower()
    return Clues(_id(row), *names, box, view, action, detail, part)


def _attempt(row: Fields) -> int:
    _, value = first_of(row, _ATTEMPTS)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0


def verdict_in(row: Fields) -> bool | None:
    """Return a row's verdict on its own answer."""
    verdicts = (verdict_of(row.get(name)) for name in VERDICTS)
    return next((verdict for verdict in verdicts if verdict is not None), None)


def error_of(value: object) -> object:
    """Return an error as text: of an object its type and message."""
    if isinstance(value, dict):
        fields = cast("Fields", value)
        inner = fields.get("error")
        if isinstance(inner, dict) and "message" not in fields:
            return error_of(cast("object", inner))
        said = [str(fields[name]) for name in ("type", "code", "message") if fields.get(name)]
        return ": ".join(said) or json.dumps(value)
    return value or None


def fault_in(row: Fields) -> object:
    """Return the error that a row states, also as its status: `rate_limit_error`."""
    status = row.get("status")
    failed = isinstance(status, str) and status.lower().endswith(("error", "timeout"))
    return error_of(row.get("error")) or (status if failed else None)


def _model(row: Fields) -> str | None:
    return _text(row, MODELS) or None


def _is_grounding(row: Fields) -> bool:
    if not any(name in row for name in (*PARSED, *RAW, *(pair[0] for pair in PAIRS))):
        return False
    return any(
        name in row for name in (*BOXES, "prompt_to_evaluate", "correctness", "raw_response")
    ) or (
        any(name in row for name in IMAGES) and any(name in row for name in (*INSTRUCTIONS, *CHATS))
    )


def _grounding(row: Fields) -> list[RowContent]:
    """Read a row of the ScreenSpot-Pro script, or of one of its many relatives."""
    scaled = "pred_coord" in row
    view = _size(row.get("image_size")) if scaled else None
    parsed = _parsed(row, view)
    raw = next(
        (
            Raw(name, text_of(row[name]), view if scaled else None)
            for name in RAW
            if name in row
            and row[name] is not None
            and not (parsed is not None and parsed.field == name)
        ),
        None,
    )
    has_answer = (parsed is not None and parsed.value is not None) or raw is not None
    error = None if parsed is not None and parsed.value is not None else fault_in(row)
    if not has_answer and error is None and parsed is None:
        parsed = Parsed(next(name for name in (*PARSED, *RAW) if name in row), None)
    return [
        RowContent(
            _clues(row, view),
            parsed,
            raw,
            verdict_in(row),
            error,
            _attempt(row),
            _model(row),
        )
    ]


def _parsed(row: Fields, view: Size | None) -> Parsed | None:
    null = None
    for name, space in PARSED.items():
        if name not in row:
            continue
        value = row[name]
        if value is None:
            null = null or Parsed(name, None, space, view if space == "view" else None)
        elif (point := point_of(value)) is not None:
            if space == "view" and view is None:
                space = ""
            return null or Parsed(name, point, space, view if space == "view" else None)
    for pair in PAIRS:
        point = point_of([_number(row.get(name)) for name in pair])
        if point is not None:
            return null or Parsed(pair[0], point)
    return null


def _number(value: object) -> object:
    """Return the number that a cell of a table holds as text; anything else as it is."""
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return value
    return value


def _is_batch(row: Fields) -> bool:
    return "custom_id" in row and any(name in row for name in ("response", "result", "error"))


def _batch(row: Fields) -> list[RowContent]:
    """Read a row of OpenAI's or Anthropic's batch output."""
    clues = Clues(_id(row, ("custom_id",)))
    result = row.get("result")
    if isinstance(result, dict):
        fields = cast("Fields", result)
        if fields.get("type") != "succeeded":
            error = error_of(fields.get("error")) or fields.get("type") or "no result"
            return [RowContent(clues, error=error)]
        return [RowContent(clues, raw=Raw("result.message", said(fields.get("message"))))]
    response = row.get("response")
    body = cast("Fields", response).get("body") if isinstance(response, dict) else None
    status = cast("Fields", response).get("status_code") if isinstance(response, dict) else None
    if body is None or (isinstance(status, int) and status >= 400):
        error = error_of(row.get("error")) or error_of(body) or f"status {status}"
        return [RowContent(clues, error=error)]
    return [RowContent(clues, raw=Raw("response.body", said(body)))]


def said(value: object) -> object:
    """Return what an API's object says: its text; itself if it calls a tool, or is a refusal."""
    from snellen.grading.parse.envelope import opened

    found = opened(value)
    if found is None or found.calls or found.refused:
        return value
    return found.text


def _is_chat(row: Fields) -> bool:
    return bool(spoken_in(row)[0]) and not any(name in row for name in (*PARSED, *RAW))


def _chat(row: Fields) -> list[RowContent]:
    """Read a row whose answer is the last turn of a chat, as OS-Atlas and UGround store them."""
    name, value = spoken_in(row)
    turn = {"role": "assistant", "content": value}
    text = said(turn) if isinstance(value, list) else value
    return [
        RowContent(
            _clues(row),
            None,
            Raw(name, text),
            verdict_in(row),
            fault_in(row),
            _attempt(row),
            _model(row),
        )
    ]


def _is_lmms(row: Fields) -> bool:
    return "doc_id" in row and ("filtered_resps" in row or "resps" in row)


def _lmms(row: Fields) -> list[RowContent]:
    """Read a sample of lmms-eval (or of lm-eval): its own answers come in lists."""
    doc = row.get("doc")
    whole = {**(cast("Fields", doc) if isinstance(doc, dict) else {}), **row}
    name, value = first_of(row, ("filtered_resps", "resps"))
    parts = cast("list[object]", value) if isinstance(value, list) else [value]
    verdict = verdict_of(first_of(row, ("exact_match", "acc", "accuracy", "correct"))[1])
    clues = _clues(whole)._replace(id=_id(whole, ("item_id", "id", "question_id", "doc_id")))
    one = len(parts) == 1
    return [
        RowContent(clues, None, Raw(name, text_of(part)), verdict if one else None, attempt=number)
        for number, part in enumerate(parts)
    ]


def _is_evalscope(row: Fields) -> bool:
    return "index" in row and ("model_output" in row or "sample_score" in row)


def _evalscope(row: Fields) -> list[RowContent]:
    """Read a prediction or a review of EvalScope; its rows are in the order of finishing."""
    score = row.get("sample_score")
    holder = cast("Fields", score).get("sample_metadata") if score else row.get("metadata")
    clues = _clues(cast("Fields", holder) if isinstance(holder, dict) else {})
    clues = clues._replace(id=clues.id or _id(row, ("index",)))
    if isinstance(score, dict):
        inner = cast("Fields", cast("Fields", score).get("score") or {})
        value = inner.get("value")
        values = list(cast("Fields", value).values()) if isinstance(value, dict) else [value]
        verdict = verdict_of(values[0]) if len(values) == 1 else None
        name = "prediction" if inner.get("prediction") is not None else "extracted_prediction"
        return [
            RowContent(clues, None, Raw(f"sample_score.score.{name}", inner.get(name)), verdict)
        ]
    output = row["model_output"]
    error = error_of(cast("Fields", output).get("error")) if isinstance(output, dict) else None
    return [
        RowContent(
            clues,
            None,
            Raw("model_output", said(cast("object", output))),
            error=error,
            model=_model(row),
        )
    ]


def _is_vlmevalkit(row: Fields) -> bool:
    return "index" in row and "prediction" in row and "question" in row


def _vlmevalkit(row: Fields) -> list[RowContent]:
    """Read a row of VLMEvalKit's table, whose `answer` is the reference."""
    clues = Clues(_id(row, ("id", "index")), _text(row, ("image_path",)), _text(row, ("question",)))
    verdict = verdict_of(first_of(row, ("hit", "match"))[1])
    return [RowContent(clues, None, Raw("prediction", row["prediction"]), verdict)]


def _is_rollout(row: Fields) -> bool:
    nemo = "responses_create_params" in row and "response" in row
    return nemo or ("completion" in row and "reward" in row)


def _rollout(row: Fields) -> list[RowContent]:
    """Read a rollout of NeMo Gym or of verifiers; a reward that is shaped is no verdict."""
    about: Fields = {}
    for name in ("verifier_metadata", "info", "metadata"):
        if isinstance(row.get(name), dict):
            about = {**cast("Fields", row[name]), **about}
    names = ("task_id", *IDS, "_ng_task_index")
    clues = _clues(about)._replace(id=_id(about, names) or _id(row, names))
    name = "response" if "responses_create_params" in row else "completion"
    value = row[name]
    if isinstance(value, list):
        # A chat: what was said last is the answer.
        turns = [
            cast("Fields", turn) for turn in cast("list[object]", value) if isinstance(turn, dict)
        ]
        spoken = [turn for turn in turns if turn.get("role") == "assistant"]
        value = spoken[-1] if spoken else None
    error = error_of(cast("Fields", value).get("error")) if isinstance(value, dict) else None
    raw = None if value is None else Raw(name, said(cast("object", value)))
    return [RowContent(clues, None, raw, verdict_of(row.get("reward")), error, _attempt(row))]


def _is_inspect(row: Fields) -> bool:
    return "epoch" in row and "output" in row and "id" in row and "target" in row


def _inspect(row: Fields) -> list[RowContent]:
    """Read a sample of an Inspect log; its epochs are attempts."""
    about = row.get("metadata")
    clues = _clues(cast("Fields", about) if isinstance(about, dict) else {})
    scores = row.get("scores")
    values = list(cast("Fields", scores).values()) if isinstance(scores, dict) else []
    value = cast("Fields", values[0]).get("value") if len(values) == 1 else None
    epoch = row["epoch"]
    output = row["output"]
    model = cast("Fields", output).get("model") if isinstance(output, dict) else None
    return [
        RowContent(
            clues._replace(id=_id(row, ("id",))),
            None,
            Raw("output", said(cast("object", output))),
            verdict_of(value),
            error_of(row.get("error")),
            epoch - 1 if isinstance(epoch, int) and epoch > 0 else 0,
            model if isinstance(model, str) else None,
        )
    ]


def _is_bare(row: Fields) -> bool:
    known = (*IDS, *MODELS, *_ATTEMPTS, *VERDICTS)
    names = next((one for one in _BARE if row.keys() >= set(one)), ())
    if not names or not any(name in row for name in IDS) or not row.keys() <= {*names, *known}:
        return False
    # What a model wrote is read as a response.
    return names[0] not in RAW or point_of(row[names[0]]) is not None


def _bare(row: Fields) -> list[RowContent]:
    """Read a row that has an id and a point or a box, as PointerBench's predictions have."""
    names = next((names for names in _BARE if row.keys() >= set(names)), ("point",))
    numbers = [_number(row[name]) for name in names] if len(names) > 1 else row.get(names[0])
    clues, point = Clues(_id(row)), point_of(numbers)
    parsed = Parsed(" + ".join(names), point)
    raw = None if point or numbers is None else Raw(names[0], numbers)
    return [RowContent(clues, parsed, raw, verdict_in(row), None, _attempt(row), _model(row))]


KINDS: tuple[Kind, ...] = (
    Kind("batch output", _is_batch, _batch),
    Kind("an lmms-eval log", _is_lmms, _lmms),
    Kind("an EvalScope log", _is_evalscope, _evalscope),
    Kind("an Inspect log", _is_inspect, _inspect),
    Kind("rollouts", _is_rollout, _rollout),
    Kind("a VLMEvalKit table", _is_vlmevalkit, _vlmevalkit),
    Kind("a script's results", _is_grounding, _grounding),
    Kind("conversations", _is_chat, _chat),
    Kind("points by their ids", _is_bare, _bare),
)
"""All kinds; the first that fits a file's first row reads it."""
