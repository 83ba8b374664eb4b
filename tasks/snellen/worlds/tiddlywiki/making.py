"""Generate the tasks of an exam in a wiki."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from snellen.grading.protocols.golds import Changes, OutcomeGold
from snellen.tasks.benchmarks.tiddlywiki.load import Row, write_rows
from snellen.tasks.environments.reasons import Reason
from snellen.worlds.desk.templates.common import series
from snellen.worlds.tiddlywiki.build import build_wiki
from snellen.worlds.tiddlywiki.notes import PROTECTED, STATUSES, Notes
from snellen.worlds.tiddlywiki.state import Edit, read_list, write_list
from snellen.worlds.tiddlywiki.tasks import Draft, Task, Template, draw

_CODE: Final = re.compile(r"Code: (\S+)")
_BUDGET: Final = re.compile(r"Budget: (\d+)")
_PHONE: Final = re.compile(r"555-\d{4}")
_SUBJECTS: Final = (
    "Parking at the office",
    "Lost and found",
    "Summer party",
    "Printer on the second floor",
    "Emergency contacts",
    "Guest network",
)
_SENTENCES: Final = (
    "Ask Facilities for the key.",
    "The door is open until seven.",
    "Please bring your own cup.",
    "It will be replaced next week.",
    "Call the front desk first.",
)


def _of(draft: Draft, tag: str, count: int | None = None) -> list[str]:
    """Choose as many notes with a tag as the task is about."""
    found = [
        title
        for title, note in sorted(draft.notes.items())
        if tag in read_list(note.get("tags", ""))
    ]
    return draft.rng.sample(found, count or draft.size)


def _content(draft: Draft) -> list[str]:
    """Return the titles of all notes that have a code."""
    return [title for title, note in sorted(draft.notes.items()) if _CODE.search(note["text"])]


def _words(draft: Draft, titles: Sequence[str]) -> str:
    """Describe notes: by title or, in hard tasks, by the code in their text."""
    many = "" if len(titles) == 1 else "s"
    if draft.difficulty == "hard":
        return f"the note{many} with the code{many} {_codes(draft, titles)}"
    return f"the note{many} {series([f'“{title}”' for title in titles])}"


def _codes(draft: Draft, titles: Sequence[str]) -> str:
    return series([_code(draft, title) for title in titles])


def _code(draft: Draft, title: str) -> str:
    found = _CODE.search(draft.notes[title]["text"])
    return found[1] if found else ""


def _gone(title: str) -> tuple[Reason, Callable[[Notes], None]]:
    """Return the twin in which a note is missing."""

    def change(notes: Notes) -> None:
        del notes[title]

    return Reason.NO_SUCH_ITEM, change


def _there(title: str) -> tuple[Reason, Callable[[Notes], None]]:
    """Return the twin in which a note of a title exists already."""

    def change(notes: Notes) -> None:
        notes[title] = {"title": title, "text": "This note is kept.", "tags": "instructions"}

    return Reason.CONFLICT, change


def _protected(title: str) -> tuple[Reason, Callable[[Notes], None]]:
    """Return the twin in which a note must not be changed."""

    def change(notes: Notes) -> None:
        tags = read_list(notes[title]["tags"])
        notes[title]["tags"] = write_list([*tags, PROTECTED])

    return Reason.NOT_ALLOWED, change


def _create(draft: Draft) -> None:
    titles = draft.rng.sample(_SUBJECTS, draft.size)
    texts = draft.rng.sample(_SENTENCES, draft.size)
    tags = ("office", "to do") if draft.difficulty == "hard" else ("office",)
    parts = [f"“{title}” with the text “{text}”" for title, text in zip(titles, texts, strict=True)]
    named = series([f"“{tag}”" for tag in tags])
    what = f"a new note: {parts[0]}. It" if len(parts) == 1 else f"new notes: {series(parts)}. Each"
    draft.goal = (
        f"Make {what} gets the tag{'s' if len(tags) > 1 else ''} {named}. If there is a note of"
        " such a title already, leave everything as it is."
    )
    draft.edits += [
        Edit(title, "new", text=text, tags=tags) for title, text in zip(titles, texts, strict=True)
    ]
    draft.twin = _there(titles[-1])


def _tag(draft: Draft) -> None:
    titles = draft.rng.sample(_content(draft), draft.size)
    tag = draft.rng.choice(("urgent", "for review", "archive"))
    draft.goal = f"Add the tag “{tag}” to {_words(draft, titles)}."
    draft.edits += [Edit(title, tags=(tag,)) for title in titles]
    draft.twin = _gone(titles[-1])


def _untag(draft: Draft) -> None:
    # Others have the tag as well, and keep it.
    tagged = draft.rng.sample(_content(draft), draft.size + 2)
    titles = tagged[: draft.size]
    for title in tagged:
        note = draft.notes[title]
        note["tags"] = write_list([*read_list(note["tags"]), "outdated"])
    draft.goal = f"Take the tag “outdated” off {_words(draft, titles)}."
    draft.edits += [Edit(title, untags=("outdated",)) for title in titles]
    draft.twin = _gone(titles[-1])


def _rename(draft: Draft) -> None:
    titles = draft.rng.sample(_content(draft), draft.size)
    names = draft.rng.sample(_SUBJECTS, draft.size)
    parts = [f"{_words(draft, [old])} to “{new}”" for old, new in zip(titles, names, strict=True)]
    draft.goal = (
        f"Rename {series(parts)}. If another note has such a title already,"
        " leave everything as it is."
    )
    draft.edits += [Edit(old, to=new) for old, new in zip(titles, names, strict=True)]
    draft.twin = _there(names[-1])


def _delete(draft: Draft) -> None:
    titles = draft.rng.sample(_content(draft), draft.size)
    draft.goal = (
        f"Delete {_words(draft, titles)}. Notes with the tag “{PROTECTED}”"
        " must stay: if one of them has it, delete none."
    )
    draft.edits += [Edit(title, "delete") for title in titles]
    draft.twin = _protected(titles[-1])


def _phone(draft: Draft) -> None:
    people = _of(draft, "person")
    parts: list[str] = []
    for title in people:
        text = draft.notes[title]["text"]
        number = f"555-{draft.rng.randrange(1000, 10000)}"
        while number in text:
            number = f"555-{draft.rng.randrange(1000, 10000)}"
        parts.append(f"{_words(draft, [title])} to {number}")
        draft.edits.append(Edit(title, text=_PHONE.sub(number, text)))
    draft.goal = (
        f"Change the phone number in {series(parts)}, and nothing else in the text."
        f" Notes with the tag “{PROTECTED}” must stay as they are: if one of them has it,"
        " change none."
    )
    draft.twin = _protected(people[-1])


def _line(draft: Draft) -> None:
    titles = _of(draft, "minutes")
    line = draft.rng.choice(_SENTENCES)
    draft.goal = (
        f"Add a paragraph at the end of {_words(draft, titles)}, after an empty line: “{line}”"
    )
    draft.edits += [Edit(title, text=f"{draft.notes[title]['text']}\n\n{line}") for title in titles]
    draft.twin = _gone(titles[-1])


def _status(draft: Draft) -> None:
    titles = _of(draft, "project")
    status = draft.rng.choice(STATUSES)
    for title in titles:
        # A note that has the value already needs no edit.
        if draft.notes[title]["status"] == status:
            draft.notes[title]["status"] = STATUSES[STATUSES.index(status) - 1]
    draft.goal = f"Set the field “status” of {_words(draft, titles)} to “{status}”."
    draft.edits += [Edit(title, fields=(("status", status),)) for title in titles]
    draft.twin = _gone(titles[-1])


def _owner(draft: Draft) -> None:
    titles = draft.rng.sample(_content(draft), draft.size)
    person = draft.rng.choice(_of(draft, "person", 4))
    many = "" if len(titles) == 1 else "s"
    draft.goal = (
        f"Find the note{many} with the code{many} {_codes(draft, titles)}, and add a field “owner”"
        f" with the value “{person}”{' to each' if many else ''}. If several notes have the same"
        " code, leave everything as it is."
    )
    draft.edits += [Edit(title, fields=(("owner", person),)) for title in titles]
    code = _code(draft, titles[-1])

    def change(notes: Notes) -> None:
        text = f"This note has the same code.\n\nCode: {code}"
        notes["Copied entry"] = {"title": "Copied entry", "text": text, "tags": "instructions"}

    draft.twin = (Reason.AMBIGUOUS, change)


def _budget(draft: Draft) -> None:
    titles = _of(draft, "project", draft.size + 1)
    draft.goal = (
        f"What is the budget of {_words(draft, titles)} in dollars, taken"
        " together? Answer with a number."
    )
    found = [_BUDGET.search(draft.notes[title]["text"]) for title in titles]
    draft.answer = sum(int(budget[1]) for budget in found if budget)
    draft.looks += titles
    draft.twin = _gone(titles[-1])


TEMPLATES: Final = {
    template.name: template
    for template in (
        Template("wiki-create", _create),
        Template("wiki-tag", _tag),
        Template("wiki-untag", _untag),
        Template("wiki-rename", _rename),
        Template("wiki-delete", _delete),
        Template("wiki-phone", _phone),
        Template("wiki-line", _line),
        Template("wiki-status", _status),
        Template("wiki-owner", _owner),
        Template("wiki-budget", _budget),
    )
}


COUNT: Final = len(TEMPLATES)
"""One task of each template."""


def make_tasks(folder: Path, *, seed: int, count: int = COUNT) -> Path:
    """Write the file of an exam's tasks, which `tiddlywiki/l3` loads.

    Args:
        folder: The folder for the file.
        seed: The seed of wikis and tasks; with it anybody can compute the references.
        count: How many tasks.

    Returns:
        The file.

    Raises:
        InputError: TiddlyWiki is not installed, or no wiki can be made of it.
    """
    wiki = build_wiki()
    return write_rows(rows_of(draw([*TEMPLATES.values()], count, seed), wiki), folder)


def rows_of(tasks: Sequence[Task], wiki: str) -> list[Row]:
    """Return tasks as the lines of a file; ids reveal nothing about references.

    Args:
        tasks: The tasks.
        wiki: The SHA-256 of the empty wiki's HTML.
    """
    return [
        Row(
            id=f"wiki-{number:04}",
            goal=task.goal,
            tiddlers=[dict(each) for each in task.tiddlers],
            wiki=wiki,
            gold=OutcomeGold(
                limit=task.limit,
                changes=msgspec.convert(task.expected, Changes),
                answer=task.answer,
                # Budgets are in dollars.
                kind=None if task.answer is None else "money",
                reason=None if task.reason is None else task.reason.value,
            ),
            tags=task.tags,
        )
        for number, task in enumerate(tasks, 1)
    ]
