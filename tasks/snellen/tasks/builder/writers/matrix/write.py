"""The matrix's makers by task, and the layout of its items."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from snellen.tasks.benchmarks.matrix.format import ITEMS
from snellen.tasks.builder.items import Maker, PageItems
from snellen.tasks.builder.writers.base import as_lines, side_of, write_rows
from snellen.tasks.builder.writers.matrix.actions import make_decisions, make_tool_calls
from snellen.tasks.builder.writers.matrix.charts import make_charts
from snellen.tasks.builder.writers.matrix.code import make_code
from snellen.tasks.builder.writers.matrix.lookups import make_lookups
from snellen.tasks.builder.writers.matrix.pages import make_objects, make_ocr, make_spatial
from snellen.tasks.builder.writers.matrix.reasoning import (
    make_consistency,
    make_counterfactual,
    make_multi_step,
)
from snellen.tasks.builder.writers.matrix.shared import TASK, maker_of
from snellen.tasks.builder.writers.matrix.sights import make_captioning

MAKERS: Mapping[str, Maker] = MappingProxyType(
    {
        maker_of("object_recognition"): make_objects,
        maker_of("ocr"): make_ocr,
        maker_of("spatial_relation"): make_spatial,
        maker_of("captioning"): make_captioning,
        maker_of("vqa"): make_lookups,
        maker_of("chart"): make_charts,
        maker_of("multi_step"): make_multi_step,
        maker_of("consistency"): make_consistency,
        maker_of("counterfactual"): make_counterfactual,
        maker_of("tool_call"): make_tool_calls,
        maker_of("code"): make_code,
        maker_of("decisions"): make_decisions,
    }
)
"""The makers by `matrix/items/` and one of the twelve tasks; the name seeds a maker's choices."""


class NotMade(NamedTuple):
    """Items that can't be made from pages, which users must supply.

    Attributes:
        task: The task of the matrix.
        what: The items concerned.
        why: The reason.
    """

    task: str
    what: str
    why: str


NOT_MADE: tuple[NotMade, ...] = (
    NotMade(
        "object_recognition",
        "objects in photographs (`list_f1`)",
        "a page does not say what its photographs show; this needs people or labeled pictures",
    ),
    NotMade(
        "captioning",
        "free captions (`bleu`, `rougeL`)",
        "a good caption has many forms, and people have to write several; here the agent chooses"
        " a sentence. visualwebbench/web_caption uses a page's own description",
    ),
    NotMade(
        "vqa",
        "questions about photographs, or that need world knowledge",
        "the page does not say the answer, so there is no exact reference",
    ),
    NotMade(
        "code",
        "programs that are executed (`code`)",
        "tests for a program have to be written by hand; here the answer is the data of a chart"
        " (`spec`), and nothing is executed",
    ),
    NotMade(
        "decisions",
        "decisions that depend on responses of an environment",
        "a frozen page does not respond; mmbench-gui/l3 and mmbench-gui/l4 use an environment",
    ),
    NotMade(
        "multi_step",
        "items with text only, in any task",
        "an item without an image would measure something else; L1 is an image only",
    ),
)
"""Further questions of the twelve tasks, in the order of the tasks."""


def write_data(pages: Sequence[PageItems], folder: Path) -> None:
    """Write the matrix's items of all pages, one a line, into `items.jsonl`: see `write_rows`."""
    write_rows(
        pages,
        folder,
        {TASK},
        lambda _: ITEMS,
        lambda page, item: [side_of(page, item, item.row["id"])],
        as_lines,
    )
