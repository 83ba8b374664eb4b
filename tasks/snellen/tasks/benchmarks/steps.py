"""What every benchmark has in common whose items ask for the next action of a recorded episode."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from snellen.grading.errors import DataError
from snellen.grading.models.actions import Action
from snellen.grading.models.geometry import Space
from snellen.grading.models.golds import Golds
from snellen.grading.models.items import AnswerFormat, AnswerKind, Image, Item
from snellen.grading.models.reports import DataPin
from snellen.grading.parse.vocabularies.plain import PLAIN
from snellen.grading.protocols.base import NO_CONTEXT, Context
from snellen.grading.protocols.golds import StepGold
from snellen.tasks.io.boxes import outside_note, reaches_outside
from snellen.tasks.io.images import is_inside
from snellen.tasks.io.rows import SCREEN
from snellen.tasks.models import TaskData
from snellen.tasks.prompts import Prompt

EXAMPLE = '{"format": "plain", "action": "click", "x": 330, "y": 1310}'
"""A made-up answer, in pixels of the screenshot."""

_ASKS = (
    "You use a device for a person. You see its screen and what is to be done. Reply with the next"
    ' action alone, as one JSON object with "format": "plain" and "action", one of click,'
    " long_press, double_click, right_click, type, select, scroll, key, open_app, navigate, wait,"
    " finish. A click or a press has x and y, in pixels of the screenshot from the top left"
    " corner; type and select have text; scroll has direction, where to look on"
    ' ("down" shows what is below); key and navigate have button (enter; back, home, recent);'
    " open_app has app; finish has status (success or infeasible)."
)
STEP_PROMPTS = (
    Prompt("snellen-action-1", _ASKS, "\n\n{question}"),
    Prompt(
        "snellen-action-history-1", f"{_ASKS} You are told what was done before.", "\n\n{question}"
    ),
)
"""How a step can be asked for: alone, or after the right actions before it, as published."""

_HISTORY = STEP_PROMPTS[1].name


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRow:
    """One step."""

    id: str  # the item's id
    goal: str  # what the whole episode is for; empty where the data does not say
    instruction: str = ""  # what this step is for; empty where nobody is told
    before: tuple[Action, ...] = ()  # the episode's earlier actions, as the reference has them
    gold: StepGold  # what was done
    image: str = ""  # its screenshot
    tags: dict[str, str] = field(default_factory=dict[str, str])  # what it can be grouped by


def question_of(row: StepRow, *, history: bool) -> str:
    """Return what is asked of a step: the goal, the step's instruction, the actions before it."""
    lines = [f"Goal: {row.goal}"] if row.goal else []
    if row.instruction:
        lines.append(f"Now: {row.instruction}")
    if not history:
        return "\n".join(lines)
    done = [f"{index}. {PLAIN.write(action)}" for index, action in enumerate(row.before, 1)]
    return "\n".join([*lines, "Done before:", *(done or ["nothing"])])


def step_data(
    task: str,
    split: str,
    rows: Sequence[StepRow],
    *,
    pin: DataPin,
    prompt: Prompt,
    images: Callable[[int, str], bytes] | None,
) -> TaskData:
    """Return a split of a task that asks for the next action, from its rows.

    The steps of an episode are a cluster, and `action` (its type), `episode length` and `episode`
    are tags that nobody who answers is shown.

    Raises:
        DataError: There are no rows, or an id is there twice.
    """
    if not rows:
        raise DataError("holds no rows", file=pin.path)
    for row in rows:
        if row.image and not is_inside(row.image):
            raise DataError(
                f"the step {row.id}: {row.image!r} is no path below the images", file=pin.path
            )
    ids = [row.id for row in rows]
    if len(set(ids)) < len(ids):
        twice = next(name for index, name in enumerate(ids) if name in ids[:index])
        raise DataError(
            f"the step {twice!r} is there twice, so answers can't be told apart", file=pin.path
        )
    lengths: dict[str, int] = {}
    for row in rows:
        lengths[row.gold.episode] = lengths.get(row.gold.episode, 0) + 1

    outside = outside_note(
        [
            row.id
            for row in rows
            if any(reaches_outside(box, row.gold.image_size) for box in row.gold.boxes)
        ]
    )
    history = prompt.name == _HISTORY

    def item(index: int) -> Item:
        row = rows[index]
        size = row.gold.image_size
        width, height = (int(size[0]), int(size[1])) if size else (None, None)
        return Item(
            id=row.id,
            task=task,
            prompt=prompt.ask(question_of(row, history=history)),
            images=(Image(name=SCREEN, width=width, height=height),),
            answer_format=AnswerFormat(kind=AnswerKind.ACTION, example=EXAMPLE, space=Space.PIXELS),
            tags={"prompt": prompt.name},
        )

    own = rows[0].tags
    return TaskData(
        task=task,
        split=split,
        ids=ids,
        golds=Golds([row.gold for row in rows]),
        pin=pin.model_copy(update={"note": "; ".join(filter(None, (pin.note, outside)))}),
        build_item=item,
        load_image=images,
        contexts=[
            Context(width=row.gold.image_size[0], height=row.gold.image_size[1])
            if row.gold.image_size
            else NO_CONTEXT
            for row in rows
        ],
        tags={
            "action": [row.gold.action.type.value for row in rows],
            "episode": [row.gold.episode for row in rows],
            "episode length": [str(lengths[row.gold.episode]) for row in rows],
            **{tag: [row.tags.get(tag) for row in rows] for tag in own},
        },
        cluster="episode",
        shows_references=history,
    )
