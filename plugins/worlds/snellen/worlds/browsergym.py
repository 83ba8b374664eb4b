"""The desk as BrowserGym tasks, which importing this registers.

    import gymnasium
    import snellen.worlds.browsergym

    env = gymnasium.make("browsergym/snellen.desk.mail-delete")
    observation, info = env.reset(seed=1)

This process answers the page's requests, and its browser reaches nothing else.
"""

import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from random import Random
from typing import TYPE_CHECKING, Any, Final

from pydantic import JsonValue

from snellen.grading.errors import InputError, MissingExtraError
from snellen.grading.protocols.table import gold_shape, protocol_of
from snellen.grading.score_table import score_one
from snellen.tasks.benchmarks.desk.load import PROMPTS
from snellen.tasks.environments.base import Answered, Request
from snellen.tasks.environments.ending import read_end
from snellen.tasks.environments.reasons import REASONS
from snellen.worlds.desk.environment import SIZE
from snellen.worlds.desk.page import DeskPages, html
from snellen.worlds.desk.tasks import DIFFICULTIES, Difficulty
from snellen.worlds.desk.templates.table import LONG_TEMPLATES, TEMPLATES, gold_of
from snellen.worlds.training.splits import FIRST_SEED, SEEDS, check_seed

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

try:
    _Task: Any = import_module("browsergym.core.task").AbstractBrowserTask
    _register: Any = import_module("browsergym.core.registration").register_task
except ImportError:
    raise MissingExtraError("the desk in BrowserGym", "browsergym") from None

ADDRESS: Final = "https://desk.invalid/play"

ENDING: Final = (
    "When it is done, send a message to the user: only the answer, or “done” if none is asked for."
    " If it can't be done, report that it is infeasible, with one of these codes as the reason. "
    + " ".join(f"{code}: {sentence}" for code, sentence in REASONS.items())
)
# Playwright's wait_for_function is against the page's policy.
_SETTLE: Final = """async () => {
  for (let left = 1000; window.desk?.waiting(); left -= 1) {
    if (!left) throw new Error("the page got no reply");
    await new Promise((done) => setTimeout(done, 10));
  }
}"""
_KNOWN = {**TEMPLATES, **LONG_TEMPLATES}


class DeskTask(_Task):
    """A task of the desk; `desk` answers its page. See BrowserGym's `AbstractBrowserTask`.

    Args:
        seed: The seed of its world, below 2**31; None: a random one.
        template: The name of its template.
        difficulty: `easy`, `medium` or `hard`.
        infeasible: The share of seeds whose task can't be done.

    Raises:
        InputError: The seed is none for training, or there is no such difficulty.
    """

    def __init__(
        self,
        seed: int | None,
        template: str,
        difficulty: Difficulty = "medium",
        infeasible: float = 0.1,
    ) -> None:
        super().__init__(seed)  # pyright: ignore[reportUnknownMemberType]
        self.viewport, self.slow_mo = dict(zip(("width", "height"), SIZE, strict=True)), 0
        number = int(self.random.randint(SEEDS) if seed is None else seed)
        world = FIRST_SEED["desk"] + number
        check_seed("desk", world)
        if difficulty not in DIFFICULTIES:
            raise InputError(f"difficulty is easy, medium or hard, not {difficulty!r}")
        feasible = Random(f"feasible {template} {number}").random() >= infeasible
        self._task = _KNOWN[template].make(world, difficulty, feasible=feasible)
        self.desk, self._steps = DeskPages().open({"state": self._task.state}), 0
        self._chosen = {"template": template, "seed": number, "difficulty": difficulty}

    def setup(self, page: "Page") -> tuple[str, dict[str, Any]]:
        """Open the page, and return the goal and what may be known of the task."""
        page.context.route("**/*", self._answer)
        # A route does not see the sockets of a page.
        page.context.set_offline(True)
        page.goto(ADDRESS)
        return f"{PROMPTS[0].ask(self._task.goal)}\n\n{ENDING}", self._info

    def validate(
        self, page: "Page", chat_messages: Sequence[Mapping[str, Any]]
    ) -> tuple[float, bool, str, dict[str, Any]]:
        """Return the reward, whether the task is over, a message for the agent, and its steps."""
        page.evaluate(_SETTLE)
        try:
            said = _end_of(chat_messages[-1])
        except InputError as error:
            self._steps += 1
            return 0.0, False, str(error), self._info
        if said is None and self._steps < self._task.limit:
            return 0.0, False, "", self._info
        record = {**(said or {}), **self.desk.result, "cost": self._steps, "door": "url"}
        record |= {"limit": self._task.limit, "end": "limit" if said is None else "submitted"}
        gold, level = gold_of(self._task), f"desk/{self._task.tags['level'].lower()}"
        score = score_one(protocol_of(level), record, gold, gold_shape(level).context(gold))
        return score.value, True, "", {**self._info, "record": record}

    def _answer(self, route: "Route") -> None:
        asked = route.request
        if not asked.url.startswith(ADDRESS):
            route.abort("aborted")  # the page stays where it is
            return
        path, body = asked.url.removeprefix(ADDRESS).strip("/"), asked.post_data_buffer or b""
        reply, done = Answered(html("<p>All steps are used.</p>"))
        if self._steps < self._task.limit:
            reply, done = self.desk.answer(Request(asked.method, path, body))
        self._steps += done is not None
        headers = {**reply.headers, "content-type": reply.type}
        route.fulfill(status=reply.status, headers=headers, body=reply.body)

    @property
    def _info(self) -> dict[str, Any]:
        return {**self._chosen, "step": self._steps, "limit": self._task.limit}


def _end_of(message: Mapping[str, Any]) -> dict[str, JsonValue] | None:
    if message["role"] == "infeasible":
        # Of several codes the first one counts.
        code = re.search("|".join(REASONS), message["message"].lower())
        return {"status": "infeasible", **({"reason": code[0]} if code else {})}
    return read_end(message["message"]) if message["role"] == "assistant" else None


def register() -> None:
    """Register each template as `browsergym/snellen.desk.NAME`."""
    for name in _KNOWN:
        _register(f"snellen.desk.{name}", DeskTask, task_kwargs={"template": name})


register()
