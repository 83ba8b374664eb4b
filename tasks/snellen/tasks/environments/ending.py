"""How an agent ends an episode: done, with an answer where one is asked for, or infeasible."""

import json

from pydantic import JsonValue

from snellen.grading.errors import InputError
from snellen.tasks.environments.reasons import REASONS

_STATUSES = {"done": "done", "infeasible": "infeasible", "fail": "infeasible"}
_FORM = 'write it like {"status": "done", "answer": "..."} or {"status": "infeasible",\
 "reason_code": "not_available"}'


def read_end(answer: JsonValue) -> dict[str, JsonValue]:
    """Parse the end of an episode.

    The form is `{"status": "done" | "infeasible", "answer": ..., "reason_code": ...}`, as JSON or
    as its text. Any other text is the answer to a task that is done.

    >>> read_end("17:30")
    {'status': 'done', 'answer': '17:30'}

    Raises:
        InputError: The status is neither of the two, or an infeasible task has no known reason.
    """
    given: JsonValue = answer
    if isinstance(answer, str):
        plain = answer.strip()
        if plain.lower() in _STATUSES:
            given = {"status": plain.lower()}
        elif plain.startswith("{"):
            try:
                given = json.loads(plain)
            except (ValueError, RecursionError) as error:
                raise InputError(
                    f"the answer is not valid JSON ({error}); {_FORM}", field="answer"
                ) from None
    if not isinstance(given, dict):
        return {"status": "done", "answer": given}
    unknown = sorted(given.keys() - {"status", "answer", "reason_code", "reason"})
    if unknown:
        raise InputError(f"there is no field {unknown[0][:40]!r}; {_FORM}", field="answer")
    status = given.get("status", "done")
    if status not in _STATUSES:
        raise InputError(f"the status must be done or infeasible; {_FORM}", field="answer")
    ended: dict[str, JsonValue] = {"status": _STATUSES[str(status)]}
    if given.get("answer") is not None:
        ended["answer"] = given["answer"]
    if ended["status"] == "infeasible":
        reason = given.get("reason_code", given.get("reason"))
        if reason not in REASONS:
            raise InputError(
                f"the status infeasible needs a reason_code, one of {', '.join(REASONS)}",
                field="answer",
            )
        ended["reason"] = reason
    return ended
