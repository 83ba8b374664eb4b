"""The matrix of four dimensions and four levels, whose items are their user's own."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

from snellen.grading.errors import UnknownNameError
from snellen.grading.models import items
from snellen.grading.models.geometry import Size, Space
from snellen.grading.models.golds import Golds
from snellen.grading.models.reports import DataPin, PinVerdict
from snellen.tasks.benchmarks.declared import own
from snellen.tasks.benchmarks.loading import task_in
from snellen.tasks.benchmarks.matrix.format import MatrixItem, read_items
from snellen.tasks.benchmarks.matrix.rules import TASK, context_of, golds, settings_of
from snellen.tasks.io.images import ImageFiles, image_folder, size_of
from snellen.tasks.models import TaskData
from snellen.tasks.prompts import Prompt, prompt_of

ALL = "all"
"""The only split."""

OWN = "own items"
"""What a data pin calls the release: nobody published it."""

_KINDS = {
    "list_f1": items.AnswerKind.UI_TEXTS,
    "relation": items.AnswerKind.RELATIONS,
    "point": items.AnswerKind.POINT,
    "box": items.AnswerKind.BOX,
    "tool_call": items.AnswerKind.TOOL_CALL,
}


def load(
    task: str,
    path: str | Path,
    split: str | None = None,
    images: str | Path | None = None,
    prompt: str | None = None,
) -> TaskData:
    """Load a user's own items.

    Args:
        task: `matrix/items`.
        path: A file of JSON Lines, or the folder that holds it as `items.jsonl`.
        split: `all`, the only one.
        images: The folder that the images' paths start from; None: the file's own.
        prompt: The name of one of the task's prompts; its first when None.

    Raises:
        DataError: The file can't be read, or lines of it can't be used; they are listed.
        UnknownNameError: There is no such task, split or prompt.
    """
    task_in({TASK: TASK}, task, "matrix")
    if split not in (None, ALL):
        raise UnknownNameError(f"split of {task}", split, (ALL,))
    chosen = prompt_of(own("matrix").prompts[task], prompt)
    given = None if images is None else image_folder(Path(images), "the items' images")
    file = read_items(Path(path), given)
    rows = file.items
    files = ImageFiles(file.folder, lambda index, name: [rows[index].images[name]], field="images")
    size = _sizes(files)
    return TaskData(
        task=TASK,
        split=ALL,
        ids=[row.id for row in rows],
        golds=Golds([row.gold for row in rows]),
        pin=DataPin(
            release=OWN,
            sha256=file.sha256,
            count=len(rows),
            verdict=PinVerdict.UNKNOWN,
            note=_note(rows),
            path=str(file.path),
        ),
        build_item=lambda index: _ask(rows[index], chosen, lambda name: size(index, name)),
        load_image=files if any(row.images for row in rows) else None,
        contexts=[context_of(row.gold) for row in rows],
        tags={
            "dimension": [row.dimension for row in rows],
            "level": [row.level for row in rows],
            "task": [row.task for row in rows],
            "metric": [row.gold.metric for row in rows],
            "group": [row.group for row in rows],
            # Shows whether a model prefers some letters: options are asked in their file's order.
            "letter": [_letter(row.gold) for row in rows],
            **{
                tag: [row.tags.get(tag) for row in rows]
                for tag in dict.fromkeys(tag for row in rows for tag in row.tags)
            },
        },
        cluster="group",
    )


def _note(rows: Sequence[MatrixItem]) -> str:
    """Name the items whose score a program can fake."""
    settings = ((row.id, settings_of(row.gold)) for row in rows)
    tested = [name for name, one in settings if isinstance(one, golds.CodeSettings) and one.tests]
    if not tested:
        return ""
    more = f" and {len(tested) - 3} more" if len(tested) > 3 else ""
    return (
        f"a program can fake passing `tests` ({', '.join(tested[:3])}{more}), because it runs in"
        " their process; `prints` is compared outside of it"
    )


# ---- What is asked -----------------------------------------------------------------------------


def _ask(row: MatrixItem, prompt: Prompt, size: Callable[[str], Size | None]) -> items.Item:
    gold = row.gold
    kind = (
        items.AnswerKind.CHOICE if gold.options else _KINDS.get(gold.metric, items.AnswerKind.TEXT)
    )
    return items.Item(
        id=row.id,
        task=TASK,
        prompt=prompt.ask(_question(row)),
        images=tuple(_image(name, size(name)) for name in row.images),
        answer_format=items.AnswerFormat(
            kind=kind,
            example=_ANSWERS[gold.metric]["example"],
            options=gold.options,
            space=Space.UNIT if gold.metric in ("point", "box") else None,
        ),
        tags={
            "dimension": row.dimension,
            "level": row.level,
            "task": row.task,
            "prompt": prompt.name,
        },
    )


def _question(row: MatrixItem) -> str:
    options = [f"{chr(ord('A') + index)}. {text}" for index, text in enumerate(row.gold.options)]
    lettered = ["Options:", *options] if options else []
    return "\n".join([row.question, *lettered, "", _form(row.gold)])


def _form(gold: golds.MatrixGold) -> str:
    """Say what the answer should look like."""
    if gold.options:
        return OPTIONS
    settings = settings_of(gold)
    unit = settings.unit if isinstance(settings, golds.NumberSettings) else ()
    first = unit if isinstance(unit, str) else next(iter(unit), "")
    return _ANSWERS[gold.metric]["form"].replace("{unit}", f", in {first}" if first else "")


def _image(name: str, size: Size | None) -> items.Image:
    if size is None:
        return items.Image(name=name)
    return items.Image(name=name, width=int(size.width), height=int(size.height))


def _sizes(files: ImageFiles) -> Callable[[int, str], Size | None]:
    """Return what reads an image's size, once a file; None if there is no image to read."""

    @cache
    def of_file(file: Path) -> Size | None:
        found = size_of(file)
        return None if found is None else Size(width=found.width, height=found.height)

    return lambda index, name: of_file(files.file(index, name))


# ---- What is right -----------------------------------------------------------------------------


def _letter(gold: golds.MatrixGold) -> str | None:
    """Return the right option's letter; None where there are no options or several are right."""
    letters = golds.letters_of(gold) if gold.options else ()
    return letters[0] if len(letters) == 1 else None


OPTIONS = "The answer is the letter of the right option."

_ANSWERS: Mapping[str, Mapping[str, str]] = own("matrix").more["answers"]
"""By metric the sentence that asks for an answer's form, and a made-up answer; `{unit}` says the
unit of a number."""
