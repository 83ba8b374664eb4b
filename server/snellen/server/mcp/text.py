"""The texts for an examinee, except those of items."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from snellen.server.exam.rules import Contexts, Counting, Door, Mode, Rules
from snellen.tasks.environments.reasons import REASONS

if TYPE_CHECKING:
    from snellen.server.exam.spec import ExamSpec
    from snellen.tasks.pack.format import PackTask

INSTRUCTIONS = (
    "An exam about screenshots. start_attempt gives a handle and get_item the first item; look"
    " closer with get_screenshot where you need to; submit_answer with next=true also returns the"
    " next item. When nothing is open, finish_attempt."
)
NEW_CONTEXT = "one item a context: get the next one in a new context, under another client name"


_MEANS = {
    Door.SCREEN: "with act",
    Door.MARKS: "with act and marks",
    Door.TREE: "with act and refs",
    Door.TOOLS: "with the application's tools",
    Door.URL: "on the page at their url, in your own browser",
    Door.WEBMCP: "with the WebMCP tools of the page at their url",
}
"""What interactive items are done with, by their door."""


def instructions(door: Door | None) -> str:
    """Return the instructions of a server, which hosts pass to their model.

    Args:
        door: The interface of interactive items; None: there are none.
    """
    return f"{INSTRUCTIONS} {_acting(door)}" if door else INSTRUCTIONS


def _acting(door: Door) -> str:
    does = _MEANS[door]
    return f"Items with steps_left are interactive: do their task {does}, then submit_answer."


def rules_said(rules: Rules, contexts: Contexts | None = None) -> list[str]:
    """Return the rules as sentences, for the examinee."""
    policy = contexts or rules.contexts
    said = [_hears(rules.mode), _answers(rules), _rewrites(rules.rewrites)]
    if rules.minutes is not None:
        said.append(f"An attempt lasts {rules.minutes:g} minutes.")
    if rules.attempts is not None:
        said.append(f"You may start {rules.attempts} {_many(rules.attempts, 'attempt')}.")
    if rules.views is not None:
        said.append(
            f"You may take {rules.views} {_many(rules.views, 'view')} of an item's images with"
            " get_screenshot."
        )
    said.append(f"No side of a view is longer than {min(rules.max_view_side, 2000)} pixels.")
    if policy is Contexts.FRESH:
        said.append(
            "One item a context: after each answer start a new context, under another client name."
        )
    elif policy is Contexts.CONTINUOUS:
        said.append("A context may see any number of items.")
    said.append(f"An item is kept {rules.lease_minutes:g} minutes for the client that took it.")
    return said


def acting_said(rules: Rules, space: str) -> list[str]:
    """Return the rules of interactive items, as sentences, for the examinee."""
    minutes = rules.episode_minutes
    limit = [] if minutes is None else [f"A task lasts {minutes:g} minutes at most."]
    return [*_acts(rules.door, space), *limit, _ending()]


def _acts(door: Door, space: str) -> list[str]:
    if door is Door.TOOLS:
        return [
            "Items with steps_left are interactive: call an application's tool with attempt, item,"
            " an action and only the arguments that the action takes. Each call is a step, also one"
            " that only reads or that is refused. There is no screen."
        ]
    if door is Door.URL:
        return [
            "Items with a url are interactive: open it in your own browser and do the task there."
            " Whatever the page sends is a step; to look, scroll or write is none. get_item shows"
            " the steps left."
        ]
    if door is Door.WEBMCP:
        return [
            "Items with a url are interactive: open it in your own browser, and do the task with"
            " the WebMCP tools of the page. Each call is a step. get_item shows the steps left."
        ]
    if door in (Door.MARKS, Door.TREE):
        word, where = ("mark", "screenshot") if door is Door.MARKS else ("ref", "tree")
        return [
            f"Items with steps_left are interactive: call act with an action and the {word} of a"
            f" control on the last {where}; each {where} has other {word}s. Each click, text, key"
            " combination, drag, scroll or wait is a step, and so is an action that can't be read."
            f" Text with a {word} replaces what is there: three steps, the first two a click and"
            " ctrl+a."
        ]
    counts = {
        "pixels": "pixels of the screenshot",
        "unit": "fractions of the screenshot's width and height, 0 to 1",
        "thousand": "thousandths of the screenshot's width and height, 0 to 1000",
    }[space]
    return [
        "Items with steps_left are interactive: call act. Each click, text, key combination, drag,"
        " scroll or wait is a step, and so is an action that can't be read. get_screenshot is no"
        " step.",
        f"Coordinates are {counts}.",
    ]


def _ending() -> str:
    reasons = " ".join(f"{code}: {sentence}" for code, sentence in REASONS.items())
    return (
        'End each with submit_answer: {"status": "done"}, with "answer" if the task asks for one,'
        ' or {"status": "infeasible", "reason_code": "..."} if it can\'t be done. The reason codes:'
        f" {reasons}"
    )


def image_fault(name: str) -> str:
    """Return the text that replaces an image that can't be shown."""
    return (
        f"The image {name!r} can't be shown: it is damaged or missing. This is a fault of the exam:"
        " the item counts as an error and never as a wrong answer. Submit any answer to go on to"
        " the next item, or name another one of list_items."
    )


def rules_page(rules: Rules) -> str:
    """Return the rules as a page of Markdown."""
    lines = "\n".join(f"- {sentence}" for sentence in rules_said(rules))
    return f"# Rules of this exam\n\n{INSTRUCTIONS}\n\n{lines}\n"


def card(spec: "ExamSpec", task: str) -> str:
    """Return a task's card as a page of Markdown; it reveals nothing about references."""
    pack_task: PackTask = spec.packs_by_task[task].task(task)
    licence = spec.packs_by_task[task].manifest.licence
    lines = [
        f"# {task}",
        "",
        f"- Items in an attempt: {spec.offers[task].items}",
        f"- Scored by: {pack_task.protocol}",
        f"- Split: {pack_task.split}",
    ]
    if pack_task.prompt:
        lines.append(f"- Prompt: {pack_task.prompt}")
    if licence:
        lines.append(f"- Licence: {licence}")
    return "\n".join(lines) + "\n"


def offered(spec: "ExamSpec") -> dict[str, Any]:
    """Return the mode, the tasks and their items, as `list_benchmarks` shows them."""
    return {
        "mode": spec.rules.mode.value,
        "tasks": [
            {"task": offer.task, "items": offer.items, "card": f"exam://benchmarks/{offer.task}"}
            for offer in spec.offers.values()
        ],
        "rules": "exam://rules",
        "next": "start_attempt",
    }


def take_exam(tasks: Sequence[str], door: Door | None) -> str:
    """Return the prompt with which an agent takes the exam; the door as in `instructions`."""
    acting = f" {_acting(door)}" if door else ""
    which = f" with tasks {', '.join(tasks)}" if tasks else ""
    return (
        f"Take the exam that this server gives. Call start_attempt{which} and keep the handle;"
        " pass it to every call. Call get_item for the first item. Then, until next is"
        " finish_attempt: read the item's prompt and look at its images; call get_screenshot for a"
        " part or a tile at full size where something is too small to read; answer in the form that"
        " the item asks for with submit_answer and next=true, which also returns the next item."
        f"{acting}"
        " Answer every item yourself from what the images show,"
        " even if you are not sure. At the end call finish_attempt and show its report."
    )


def _hears(mode: Mode) -> str:
    return {
        Mode.EXAM: "You hear nothing about your answers until the attempt is finished.",
        Mode.PRACTICE: "This is practice: each answer's score is given at once, and never counts.",
        Mode.DEFERRED: "Answers are recorded here and graded elsewhere.",
    }[mode]


def _answers(rules: Rules) -> str:
    if rules.submissions == 1:
        return "One answer to an item is taken."
    counted = {
        Counting.FIRST: "the first counts",
        Counting.LAST: "the last counts",
        Counting.BEST: "the best counts",
    }[rules.counting]
    return f"{rules.submissions} answers to an item are taken; {counted}."


def _rewrites(times: int) -> str:
    if not times:
        return "An answer that can't be read is kept as it is."
    often = "once" if times == 1 else f"{times} times"
    return f"An answer that can't be read may be written again {often}; the next is kept as it is."


def _many(count: int, word: str) -> str:
    return word if count == 1 else f"{word}s"
