"""ScreenQA's five tasks: what is asked, in which form, and against what.

Source: ScreenQA (Hsiao et al., 2022) §3 and the README of
github.com/google-research-datasets/screen_qa. The prompts that its authors used for these tasks
are not published: the ones here are ours, and each item's tag `prompt` names the one it has.

Assumed of `answers_and_bboxes`, whose files are documented but do not say it in so many words: a
rater who found no answer has `full_answer` `<no answer>` and no `ui_elements`. Both are passed on
as they stand, so nothing depends on it but the reading of an empty list as "no answer", which is
what `code/metrics.py` does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from snellen.grading.models.geometry import Space
from snellen.grading.models.golds import Golds
from snellen.grading.models.items import AnswerFormat, AnswerKind, Item
from snellen.tasks.benchmarks.declared import own
from snellen.tasks.benchmarks.loading import pin_of, space_hint, task_in
from snellen.tasks.benchmarks.screenqa.format import (
    COMPLEX,
    LONG,
    SHORT,
    UI_CONTENTS,
    UI_CONTENTS_BOXES,
    Layout,
    Rows,
    read,
    rico_images,
)
from snellen.tasks.models import TaskData
from snellen.tasks.prompts import Prompt, prompt_of

NO_ANSWER = "<no answer>"

_APP = "You see a screenshot of a mobile app."
_PAGE = "You see a screenshot of a web page."
_FEWEST_WORDS = "Reply with the answer alone, in the fewest words possible."
_UNANSWERABLE = f"If the screen does not hold the answer, reply with exactly {NO_ANSWER}"
_NO_ELEMENTS = "If the screen does not hold the answer, reply with []"
_ELEMENTS = (
    "Find the UI elements that hold the answer. Give each element's text as it is written; an "
    'icon is named by what it shows, such as "home" or "4.5 stars", and a checkbox or radio '
    'button is "on" or "off".'
)


def _asked(name: str, wording: str, *others: Prompt) -> tuple[Prompt, ...]:
    """Return a prompt of ours, those that others published, and ours for web pages, last."""
    return (
        Prompt(f"snellen-screenqa-{name}-1", f"{_APP} {wording}"),
        *others,
        Prompt(f"snellen-screenqa-{name}-page-1", f"{_PAGE} {wording}"),
    )


# The wording is quoted, because an answer depends on it.
_PAPER_SHORT = Prompt(
    "screenqa-paper-short",
    "Answer the question based on the screenshot only. Do not use any other sources of "
    "information. The answer should be succinct and as short as possible.\nIf the answer is a "
    "text from the image, provide it exactly without rephrasing or augmenting. If there is no "
    f'answer on the image, output "{NO_ANSWER}".\n',
    "\n\nQuestion:\n{question}\n\nOutput:\n",
    source="ScreenQA, arXiv 2209.08199, appendix D, as ScreenSuite words it",
)


@dataclass(frozen=True, slots=True)
class ScreenQATask:
    """One of the five tasks.

    Attributes:
        layout: Where its references are published and their form there.
        prompts: How it can be asked; the first is the one used unless another is named.
        kind: The form of the answer.
        example: A made-up answer.
    """

    layout: Layout
    prompts: tuple[Prompt, ...]
    kind: AnswerKind
    example: str


TASKS: Mapping[str, ScreenQATask] = MappingProxyType(
    {
        "screenqa/short": ScreenQATask(
            SHORT,
            _asked("short", f"{_FEWEST_WORDS} {_UNANSWERABLE}", _PAPER_SHORT),
            AnswerKind.TEXT,
            "7:30 PM",
        ),
        "screenqa/long": ScreenQATask(
            LONG,
            _asked("long", f"Answer the question in one full sentence. {_UNANSWERABLE}"),
            AnswerKind.TEXT,
            "The alarm is set for 7:30 PM.",
        ),
        "screenqa/ui_contents": ScreenQATask(
            UI_CONTENTS,
            _asked(
                "ui-contents",
                f"{_ELEMENTS} Reply with a JSON list of these texts in reading order, and nothing"
                f" else. {_NO_ELEMENTS}",
            ),
            AnswerKind.UI_TEXTS,
            '["7:30 PM", "on"]',
        ),
        "screenqa/ui_contents_boxes": ScreenQATask(
            UI_CONTENTS_BOXES,
            _asked(
                "ui-contents-boxes",
                f"{_ELEMENTS} Reply with a JSON list of [[left, top, right, bottom], text], one an"
                f" element, in reading order, and nothing else. {_NO_ELEMENTS}",
            ),
            AnswerKind.BOXED_TEXTS,
            '[[[48, 320, 312, 384], "7:30 PM"], [[900, 320, 1020, 384], "on"]]',
        ),
        "screenqa/complex": ScreenQATask(
            COMPLEX,
            _asked(
                "complex",
                "The question may ask you to count, to calculate or to compare what it shows."
                f" {_FEWEST_WORDS}",
            ),
            AnswerKind.TEXT,
            "3",
        ),
    }
)

PAGE_PROMPTS: Mapping[str, str] = MappingProxyType(
    {task: spec.prompts[-1].name for task, spec in TASKS.items()}
)
"""For each task the name of the prompt that speaks of a web page, not of a mobile app."""

_UNIT_BOXES_EXAMPLE = '[[[0.04, 0.17, 0.29, 0.2], "7:30 PM"], [[0.83, 0.17, 0.94, 0.2], "on"]]'


def load(
    task: str,
    path: str | Path,
    split: str | None = None,
    images: str | Path | None = None,
    prompt: str | None = None,
) -> TaskData:
    """Load one split of one ScreenQA task.

    Args:
        task: `screenqa/` and one of short, long, ui_contents, ui_contents_boxes, complex.
        path: A copy of the screen_qa repository, one of its folders, one of its JSON files, a
            folder of a Hugging Face mirror, or one parquet file.
        split: `test`, `validation`, `train` (`data` for ComplexQA): a file's stem, or what
            precedes `-00000-of-00001`. None: `test` when there, else the only one.
        images: A folder with RICO's screenshots, `{image_id}.jpg` or `.png`; without it the
            images inside parquet files are used, where there are any.
        prompt: The name of one of the task's prompts; its first when None.

    Raises:
        DataError: A file can't be read or a row is not as documented: references are never
            guessed, so a single bad row stops the load.
        UnknownNameError: There is no such task, split or prompt.
        MissingExtraError: The data is parquet and pyarrow is not installed.
    """
    spec = task_in(TASKS, task, "ScreenQA")
    asked = prompt_of(spec.prompts, prompt)
    rows = read(spec.layout, Path(path), split)
    builder = _Builder(task, spec, asked, rows)
    return TaskData(
        task=task,
        split=rows.split,
        ids=rows.ids,
        golds=rows.golds,
        pin=pin_of(rows, own("screenqa").releases),
        build_item=builder.item,
        load_image=rows.load_image if images is None else rico_images(Path(images), rows.image_ids),
        raters=rows.golds if spec.layout.by_rater else Golds(),
        tags={
            "image_id": rows.image_ids,
            "question_word": [_question_word(question) for question in rows.questions],
            "no_answer": [_no_answer(gold) for gold in rows.golds],
        },
        cluster="image_id",
    )


_QUESTION_WORDS = {
    **{word: word for word in ("what", "which", "who", "when", "where", "how")},
    **dict.fromkeys(("is", "are", "do", "does", "can"), "yes/no"),
}


def _question_word(question: str) -> str:
    """Return what a question asks by its first words.

    >>> [_question_word(text) for text in ("How many are there?", "What's new?", "Is it on?")]
    ['how many', 'what', 'yes/no']
    """
    words = [word.strip("?.,:;!").partition("'")[0] for word in question.lower().split()[:2]]
    if words == ["how", "many"]:
        return "how many"
    return _QUESTION_WORDS.get(words[0], "other") if words else "other"


def _no_answer(gold: Sequence[object]) -> str:
    """Say how many of the answers are that there is none: `none`, `some` or `all`."""
    denials = sum(1 for answer in gold if not answer or answer == NO_ANSWER)
    return "none" if not denials else "all" if denials == len(gold) else "some"


@dataclass(frozen=True, slots=True)
class _Builder:
    task: str
    spec: ScreenQATask
    prompt: Prompt
    rows: Rows

    def item(self, index: int) -> Item:
        spec, rows = self.spec, self.rows
        unit = rows.space is Space.UNIT
        image = rows.images[index]
        hint = f"\n{space_hint(rows.space, image.width, image.height)}" if rows.space else ""
        return Item(
            id=self.rows.ids[index],
            task=self.task,
            prompt=self.prompt.ask(rows.questions[index], hint=hint),
            images=(image,),
            answer_format=AnswerFormat(
                kind=spec.kind,
                example=_UNIT_BOXES_EXAMPLE if unit else spec.example,
                space=rows.space,
            ),
            tags={"image_id": rows.image_ids[index], "prompt": self.prompt.name},
        )
