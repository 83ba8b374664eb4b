"""Tasks: a goal, a world, the expected changes, and an oracle's path through the pages."""

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from random import Random
from typing import Final, Literal, TypeAlias

from pydantic import JsonValue

from snellen.grading.errors import SnellenError
from snellen.grading.models.items import AnswerForm
from snellen.tasks.environments.reasons import Reason
from snellen.worlds.desk.apps.table import VERBS
from snellen.worlds.desk.changes import Changes, changes
from snellen.worlds.desk.desktop import Desktop
from snellen.worlds.desk.kit.look import look_of
from snellen.worlds.desk.kit.verbs import State, copied
from snellen.worlds.desk.world.generator import make_world

Difficulty: TypeAlias = Literal["easy", "medium", "hard"]
DIFFICULTIES: Final[tuple[Difficulty, ...]] = ("easy", "medium", "hard")

INPUTS_OF_TEXT: Final = 3
"""A click into the field, select all, type."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer that a task asks for."""

    kind: AnswerForm  # its form, by which every unambiguous way to write it is right
    value: JsonValue  # the right answer; a date as 2025-06-16, places with semicolons between them


@dataclass(frozen=True, slots=True)
class Step:
    """A step of an oracle's path through the pages.

    Attributes:
        control: A control's key; with a text, the name of a text field.
        text: The new text of the field; None: the control is clicked.
        looks: Whether it only opens or filters something: without it the last state is the same.
        onto: The key of the place to which the control is dragged; empty: it is not dragged.
        typed: Whether the field has the focus already, so that the text is only typed.
        hovers: Whether the pointer only goes over it, and stays there.
    """

    control: str
    text: str | None = None
    looks: bool = False
    onto: str = ""
    typed: bool = False
    hovers: bool = False


@dataclass(frozen=True, slots=True)
class Task:
    """A task with its own world.

    Attributes:
        goal: The task in words, for the agent.
        state: The world before.
        expected: The changes that must be made, and no others.
        answer: The right answer; None without one.
        reason: Why it is infeasible; None if it is feasible.
        limit: The maximum number of steps.
        oracle: A path from the first page; empty if it is infeasible.
        calls: The same as tool calls, names and arguments, without calls that only read.
        tags: `template`, `apps`, `difficulty`, `level`, `feasible`, `look`.
    """

    goal: str
    state: State
    expected: Changes
    answer: Answer | None
    reason: Reason | None
    limit: int
    oracle: tuple[Step, ...]
    calls: tuple[tuple[str, Mapping[str, JsonValue]], ...]
    tags: Mapping[str, str]


class PathError(SnellenError):
    """A step that the page does not offer, or that the application refuses."""


def perform(desktop: Desktop, steps: Sequence[Step]) -> None:
    """Do steps on a desktop.

    Raises:
        PathError: The page has no such control or field, or a verb was refused.
    """
    for number, step in enumerate(steps, 1):
        if step.text is not None:
            if step.control not in desktop.page.fields:
                raise PathError(f"step {number}: the page has no field {step.control}")
            desktop.write({step.control: step.text})
            continue
        page = desktop.page
        if step.hovers:
            if step.control not in page.hovers:
                raise PathError(f"step {number}: nothing shows more at {step.control}")
            continue
        token = page.token(f"{step.control}.drag" if step.onto else step.control)
        place = page.place(step.onto) if step.onto else ""
        if token is None or place is None:
            missing = step.onto if token else step.control
            raise PathError(f"step {number}: the page has no control {missing}")
        desktop.open_step()
        desktop.handle(token, {}, place)
        desktop.close_step()
        if desktop.ui.get("refused"):
            raise PathError(f"step {number}: {step.control}: {desktop.ui['toast']}")


class Walk:
    """A path through the pages, recorded step by step.

    Attributes:
        desktop: The desktop after the steps so far.
        steps: The steps so far.
    """

    def __init__(self, state: State) -> None:
        self.desktop = Desktop(state)
        self.steps: list[Step] = []
        self._looks = False

    @contextmanager
    def looking(self) -> Generator[None]:
        """Mark the steps inside as steps that only open or filter something."""
        before, self._looks = self._looks, True
        yield
        self._looks = before

    def press(self, *keys: str) -> None:
        """Click controls, one after the other."""
        for key in keys:
            self._step(Step(key))

    def write(self, **texts: str) -> None:
        """Fill fields of the open form that don't hold these texts yet."""
        for name, text in texts.items():
            if (self.desktop.ui.get(f"form.{name}") or "") != text:
                self._step(Step(f"form.{name}", text))

    def fill(self, name: str, text: str) -> None:
        """Fill a field by its whole name."""
        self._step(Step(name, text))

    def type(self, name: str, text: str) -> None:
        """Type into a field that has the focus and whose text is selected."""
        self._step(Step(name, text, typed=True))

    def drag(self, key: str, onto: str) -> None:
        """Drag a control to a place."""
        self._step(Step(key, onto=onto))

    def hover(self, key: str) -> None:
        """Let the pointer stay over something that shows more then."""
        self.steps.append(Step(key, looks=True, hovers=True))
        perform(self.desktop, self.steps[-1:])

    def choose_verb(self, key: str, option: str) -> None:
        """Choose in the context menu of a control."""
        self.press(f"{key}.menu", f"{key}.menu:{option}")

    def go(self, app: str) -> None:
        """Open an application unless it is open."""
        if app not in (self.desktop.ui.get("app"), self.desktop.ui.get("beside")):
            self.press(f"dock:{app}")

    def beside(self, app: str, other: str) -> None:
        """Open two applications, one below the other."""
        with self.looking():
            self.go(app)
            self.choose_verb(f"dock:{other}", "beside")

    def choose(self, name: str, value: str) -> None:
        """Choose in a drawn list unless it is chosen."""
        if self.desktop.ui.get(name) != value:
            self.press(name, f"{name}:{value}")

    def choose_day(self, name: str, day: str) -> None:
        """Choose a date in a drawn calendar unless it is chosen."""
        if self.desktop.ui.get(name) == day:
            return
        self.press(name)
        while self.desktop.page.token(f"{name}:{day}") is None:
            later = day[:7] > str(self.desktop.ui["menu.month"])
            self.press(f"{name}.later" if later else f"{name}.earlier")
        self.press(f"{name}:{day}")

    def _step(self, step: Step) -> None:
        perform(self.desktop, [step])
        self.steps.append(replace(step, looks=self._looks))


class Draft:
    """An unfinished task, which a template's function fills.

    Attributes:
        state: The world before.
        rng: The source of all random choices.
        difficulty: `easy`, `medium` or `hard`.
        size: 1, 2 or 3: the number of items that an easy, medium or hard task is about.
        goal: The task in words, for the agent.
        answer: The right answer.
    """

    def __init__(self, name: str, seed: int, difficulty: Difficulty) -> None:
        self.state = make_world(seed)
        self.rng = Random(f"{name} {seed} {difficulty}")
        self.difficulty: Difficulty = difficulty
        self.size = DIFFICULTIES.index(difficulty) + 1
        self.goal = ""
        self.answer: Answer | None = None
        self.operations: list[tuple[str, Mapping[str, JsonValue]]] = []
        self.way: Callable[[Walk], None] | None = None
        self.twin: tuple[Reason, Callable[[State], None]] | None = None

    def expect(self, verb: str, **arguments: JsonValue) -> None:
        """Add an expected change of the world."""
        self.operations.append((verb, arguments))

    def path(self, way: Callable[[Walk], None]) -> Callable[[Walk], None]:
        """Set the way through the pages."""
        self.way = way
        return way

    def impossible(self, reason: Reason, change: Callable[[State], None]) -> None:
        """Add the one fact that makes the task infeasible, and the reason."""
        self.twin = (reason, change)


@dataclass(frozen=True, slots=True)
class Template:
    """A template: it makes any number of similar tasks.

    Attributes:
        name: Unique.
        apps: The applications that a task uses; one is level 3, more are level 4.
        fill: Fills a draft, with the same choices for both twins.
    """

    name: str
    apps: tuple[str, ...]
    fill: Callable[[Draft], None] = field(repr=False)

    @property
    def level(self) -> int:
        """3: one application; 4: several."""
        return 3 if len(self.apps) == 1 else 4

    def make(
        self,
        seed: int,
        difficulty: Difficulty,
        *,
        feasible: bool = True,
        look: int | None = None,
    ) -> Task:
        """Return a task; equal arguments give equal tasks.

        Args:
            seed: The seed of the world and of all choices.
            difficulty: Sets the number of items, and how they are described.
            feasible: Whether it can be done; the infeasible twin has the same goal.
            look: The seed of its look; None: the seed of the world.
        """
        draft = Draft(self.name, seed, difficulty)
        self.fill(draft)
        if draft.way is None or draft.twin is None:
            raise AssertionError(f"template {self.name} sets no way or no twin")
        tags = {
            "template": self.name,
            "apps": "+".join(self.apps),
            "difficulty": difficulty,
            "level": f"L{self.level}",
            "feasible": "yes" if feasible else "no",
        }
        if look is not None:
            draft.state["look"] = look_of(look)
        tags["look"] = " ".join(draft.state["look"].values())
        walk = Walk(draft.state)
        draft.way(walk)
        inputs = sum(
            1 if step.text is None or step.typed else INPUTS_OF_TEXT for step in walk.steps
        )
        limit = max(15, 5 * -(-(2 * inputs + 5) // 5))
        reason, change = draft.twin
        if feasible:
            calls = tuple(draft.operations)
            after = called(draft.state, calls)
            return Task(
                goal=draft.goal,
                state=draft.state,
                expected=changes(draft.state, after),
                answer=draft.answer,
                reason=None,
                limit=limit,
                oracle=tuple(walk.steps),
                calls=calls,
                tags=tags,
            )
        state = copied(draft.state)
        change(state)
        return Task(
            goal=draft.goal,
            state=state,
            expected=changes(state, state),
            answer=None,
            reason=reason,
            limit=limit,
            oracle=(),
            calls=(),
            tags=tags,
        )


def called(state: State, calls: Iterable[tuple[str, Mapping[str, JsonValue]]]) -> State:
    """Return the state after tool calls.

    Args:
        state: The state before, which is not changed.
        calls: Names of tools and their arguments.

    Raises:
        RefusalError: One of them can't be done.
    """
    for name, arguments in calls:
        state, _ = VERBS[name](state, arguments)
    return state


def passes(task: Task, after: State, answer: JsonValue = None, reason: str = "") -> bool:
    """Return whether an episode's end is what a task asks for; exact, for tests and for `draw`.

    Args:
        task: The task.
        after: The last state.
        answer: The agent's answer.
        reason: The reason that the agent gives for an infeasible task; empty if it gives none.
    """
    if (task.reason or "") != reason or changes(task.state, after) != task.expected:
        return False
    return task.answer is None or answer == task.answer.value
