"""Starting: what is asked of a new attempt before it is written."""

from typing import Any

from sqlalchemy import Connection

from snellen.server.errors import ExamError
from snellen.server.rules import Contexts, Rules
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


def check_left(connection: Connection, row: dict[str, Any], most: int | None) -> None:
    """Check that a caller has an attempt left: of this exam in this mode, however they ended.

    Raises:
        ExamError: It has none.
    """
    if most is None:
        return
    parameters = {"c": row["caller"], "e": row["exam"], "m": row["mode"]}
    if connection.execute(queries.STARTED, parameters).scalar_one() >= most:
        words = "the one attempt is" if most == 1 else f"all {most} attempts are"
        raise ExamError(f"{words} used; ask the exam's organiser for more")
