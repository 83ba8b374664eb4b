"""Turn the steps of an oracle into inputs at the places of controls on the screen."""

from typing import cast

from snellen.tasks.environments.desk.environment import DeskEpisode
from snellen.tasks.environments.desk.tasks import PathError, Step
from snellen.tasks.environments.inputs import Input, InputKind

_FIND = """(selector) => {
  const found = document.querySelector(selector);
  if (!found) return null;
  const box = found.getBoundingClientRect();
  const point = [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)];
  const hit = document.elementFromPoint(...point);
  return { point, covered: !(hit && (found === hit || found.contains(hit))) };
}"""


async def locate(episode: DeskEpisode, step: Step) -> tuple[float, float]:
    """Return the middle of the control that a step clicks, in pixels of the screenshot.

    Raises:
        PathError: The page does not show it, or something covers it.
    """
    page = episode.desktop.page
    if step.text is None:
        token = page.token(step.control)
        selector = f'[data-c="{token}"]'
    else:
        selector = f'[data-f="{step.control}"]'
    found = await episode.stage.run(_FIND, selector)
    if not isinstance(found, dict):
        raise PathError(f"the page shows no {step.control}")
    if found["covered"]:
        raise PathError(f"{step.control} is covered or outside the screen")
    x, y = cast(list[float], found["point"])
    return x, y


async def inputs(episode: DeskEpisode, step: Step) -> list[Input]:
    """Return the inputs of a step on the current page.

    Raises:
        PathError: The page does not show its control, or something covers it.
    """
    click = Input(InputKind.CLICK, (await locate(episode, step),))
    if step.text is None:
        return [click]
    delete = Input(InputKind.KEY, keys=("Delete",))
    written = Input(InputKind.TYPE, text=step.text) if step.text else delete
    return [click, Input(InputKind.KEY, keys=("Control", "a")), written]
