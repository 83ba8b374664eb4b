"""Load CAGUI: two parts that ask for a point, one for a text, one for the next action.

Source: Zhang et al., 2025, "AgentCPM-GUI"; huggingface.co/datasets/openbmb/CAGUI.
"""

from dataclasses import dataclass, fields, replace
from pathlib import Path

from snellen.grading.models.items import AnswerKind
from snellen.tasks.benchmarks import point_rows
from snellen.tasks.benchmarks.aitw_steps import StepSet
from snellen.tasks.benchmarks.declared import own
from snellen.tasks.benchmarks.grounding import GroundingRow, Size, grounding_data
from snellen.tasks.models import TaskData
from snellen.tasks.prompts import prompt_of

BBOX2TEXT, AGENT = "cagui/bbox2text", "cagui/agent"
_CAGUI = own("cagui")
_STEPS = StepSet(AGENT, ("domestic",), ("CAGUI_agent", "test"), _CAGUI.releases)


@dataclass(frozen=True, slots=True, kw_only=True)
class _BoxedText(GroundingRow):
    """A box, and the text in it, which is the instruction of the task that asks for the box."""

    def target(self, size: Size | None) -> str:
        return self.instruction

    def thousandths(self) -> str:
        """Return the box in thousandths of its image."""
        width, height = self.size or (1.0, 1.0)
        sides = zip(self.box, (width, height) * 2, strict=True)
        return str([round(side / extent * 1000) for side, extent in sides])


def load(
    task: str,
    path: str | Path,
    split: str | None = None,
    images: str | Path | None = None,
    prompt: str | None = None,
) -> TaskData:
    """Load a part of CAGUI.

    Args:
        task: `cagui/` and one of fun2point, text2point, bbox2text, agent.
        path: The published folder, or one of its files.
        split: The part's own name, the only one; of the agent part `test`.
        images: A folder of screenshots; None: those beside the files, if they are there.
        prompt: The name of one of the task's prompts; its first when None.

    Raises:
        DataError: A file can't be read or a row is not as published.
        UnknownNameError: There is no such task, split or prompt.
    """
    if task == AGENT:
        return _STEPS.load(task, path, split, images, prompt)
    part = task.partition("/")[2]
    releases = [release for release in _CAGUI.releases if release.role == part]
    if task != BBOX2TEXT:
        return point_rows.load(
            _CAGUI.tables, _CAGUI.place, releases, task, path, split, images, prompt
        )
    asked = prompt_of(_CAGUI.prompts[BBOX2TEXT], prompt)
    table = replace(_CAGUI.tables[1], task=BBOX2TEXT, split=part)
    read = point_rows.read_points(table, _CAGUI.place, releases, path, split, images)
    rows = [
        _BoxedText(**{field.name: getattr(row, field.name) for field in fields(row)})
        for row in read.rows
    ]
    return grounding_data(
        task,
        read.split,
        rows,
        pin=read.pin,
        prompt=asked,
        asked_in=None,
        images=read.images,
        question=lambda index: rows[index].thousandths(),
        example="\u767b\u5f55",
        shown=(),
        kind=AnswerKind.TEXT,
    )
