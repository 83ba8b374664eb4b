"""How an agent ends an episode."""

import json

from pydantic import JsonValue

from snellen.server.errors import ExamError
from snellen.tasks.environments.reasons import REASONS

_STATUSES = {"done": "done", "infeasible": "infeasible", "fail": "infeasible"}
_FORM = 'it looks like {"status": "done", "answer": "..."} or {"status": "infeasible",\
 "reason_code": "not_available"}'


def read_end(answer: JsonValue) -> dict[str, JsonValue]:
    """Read how an agent ends an episode.

    `{"status": "done" | "infeasible", "answer": ..., "reason_code": ...}`, as JSON or its text; a
    plain text that is none is what the task asks for, of a task that is done.

    >>> read_end("17:30")
    {'status': 'done', 'answer': '17:30'}

    Raises:
        ExamError: The status is none of the two, or an infeasible task has no known reason.
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
                raise ExamError(
                    f"the answer is no JSON ({error}); {_FORM}", field="answer"
                ) from None
    if not isinstance(given, dict):
        return {"status": "done", "answer": given}
    odd = sorted(given.keys() - {"status", "answer", "reason_code", "reason"})
    if odd:
        raise ExamError(f"there is no field {odd[0][:40]!r}; {_FORM}", field="answer")
    status = given.get("status", "done")
    if status not in _STATUSES:
        raise ExamError(f"the status is done or infeasible; {_FORM}", field="answer")
    ended: dict[str, JsonValue] = {"status": _STATUSES[str(status)]}
    if given.get("answer") is not None:
        ended["answer"] = given["answer"]
    if ended["status"] == "infeasible":
        reason = given.get("reason_code", given.get("reason"))
        if reason not in REASONS:
            raise ExamError(
                f"an infeasible task has a reason_code, one of {', '.join(REASONS)}",
                field="answer",
            )
        ended["reason"] = reason
    return ended
