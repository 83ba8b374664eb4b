"""Starting: what is asked of a new attempt before it is written."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection

from snellen.server.errors import ExamError
from snellen.server.exam.rules import Contexts, Rules
from snellen.server.logs import log
from snellen.server.store import queries

_LONGEST_MODEL = 200


def policy_of(rules: Rules, declared: Contexts | None) -> Contexts:
    """Return how many questions a context may see: as the server says, or else the client.

    Raises:
        ExamError: The client declares something else than the server asks for.
    """
    if rules.contexts is not None and declared not in (None, rules.contexts):
        raise ExamError(
            f"this exam asks for {rules.contexts} contexts, not {declared}", field="contexts"
        )
    return rules.contexts or declared or Contexts.CONTINUOUS


def check_model(model: str | None) -> None:
    """Check that a model's name can be kept.

    Raises:
        ExamError: It can't.
    """
    if model is not None and not (0 < len(model) <= _LONGEST_MODEL and model.isprintable()):
        raise ExamError(
            f"a model's name is 1 to {_LONGEST_MODEL} printable characters", field="model"
        )


def deadline_of(rules: Rules, opened: int) -> int | None:
    """Return when the time of an attempt is over; None: it has no end."""
    return None if rules.minutes is None else opened + round(rules.minutes * 60_000)


def has_left(connection: Connection, row: Mapping[str, Any], most: int | None) -> bool:
    """Whether a caller has an attempt left: of this exam in this mode, however the others ended."""
    if most is None:
        return True
    parameters = {"c": row["caller"], "e": row["exam"], "m": row["mode"]}
    return connection.execute(queries.STARTED, parameters).scalar_one() < most


def begin_again(connection: Connection, row: Mapping[str, Any], most: int | None) -> int:
    """Begin an attempt again of which nothing was handed out, with a new handle and all its time.

    Args:
        connection: In a transaction.
        row: The attempt that the caller asks for.
        most: How many attempts it may start.

    Returns:
        The attempt's number.

    Raises:
        ExamError: There is none of the same choices.
    """
    chosen = {name: row[name] for name in ("caller", "exam", "mode", "tasks", "contexts", "model")}
    found = queries.UNTOUCHED.first(connection, chosen)
    if found is None:
        words = "the one attempt is" if most == 1 else f"all {most} attempts are"
        raise ExamError(f"{words} used; ask the exam's organiser for more")
    opened: int = row["opened"]
    deadline = deadline_of(Rules.model_validate_json(found.rules), opened)
    times = {"opened": opened, "deadline": deadline}
    log().info("handle replaced", number=found.id, caller=row["caller"])
    queries.BEGIN_AGAIN.run(connection, {"a": found.id, "d": row["digest"], **times})
    return found.id
