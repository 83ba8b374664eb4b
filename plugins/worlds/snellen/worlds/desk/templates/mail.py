"""Tasks in the mail."""

import re
from typing import Any

from pydantic import JsonValue

from snellen.tasks.environments.reasons import Reason
from snellen.worlds.desk.tasks import Answer, Draft, Template, Walk
from snellen.worlds.desk.templates import common

ANSWERS = (
    "Thank you, I will take care of it.",
    "Agreed. Please go ahead.",
    "I need two more days for this.",
    "Let us talk about it tomorrow.",
    "This is fine with me.",
)


def _each(draft: Draft, verb: str, *keys: str, **arguments: JsonValue) -> None:
    """Do the same with some messages of the inbox, by clicks on these controls."""
    chosen = common.some_mail(draft)
    words = common.series([common.mail_words(draft, message) for _, message in chosen])
    noun = "message" if len(chosen) == 1 else "messages"
    draft.goal = draft.goal.format(f"{noun} in your inbox: {words}")
    for key, _ in chosen:
        draft.expect(verb, message=key, **arguments)
    draft.impossible(Reason.NO_SUCH_ITEM, common.gone("mail.messages", chosen[-1][0]))

    @draft.path
    def way(walk: Walk) -> None:
        for key, _ in chosen:
            common.to_message(walk, key)
            walk.press(*keys)


def _archive(draft: Draft) -> None:
    draft.goal = "Archive the following {}."
    _each(draft, "move_message", "mail.move", "mail.move:archive", folder="archive")


def _delete(draft: Draft) -> None:
    draft.goal = "Delete the following {}."
    _each(draft, "move_message", "mail.trash", folder="trash")


def _label(draft: Draft) -> None:
    label = draft.rng.choice(("Work", "Private", "Later"))
    for message in draft.state["mail"]["messages"].values():
        message["label"] = "" if message["label"] == label else message["label"]
    draft.goal = f"Give the label “{label}” to the following {{}}."
    _each(draft, "label_message", "mail.label", f"mail.label:{label}", label=label)


def _mark(draft: Draft) -> None:
    for key, message in common.inbox(draft):
        draft.state["mail"]["messages"][key] = {**message, "unread": False}
    draft.goal = "Mark as unread the following {}."
    _each(draft, "mark_message", "mail.unread", unread=True)


def _reply(draft: Draft) -> None:
    chosen = common.some_mail(draft)
    answers = draft.rng.sample(ANSWERS, len(chosen))
    parts = [
        f"to {common.mail_words(draft, message)}: “{answer}”"
        for (_, message), answer in zip(chosen, answers, strict=True)
    ]
    draft.goal = f"Reply to messages in your inbox with exactly these words: {common.series(parts)}"
    for (key, _), answer in zip(chosen, answers, strict=True):
        draft.expect("reply_to_message", message=key, body=answer)
    draft.impossible(Reason.NO_SUCH_ITEM, common.gone("mail.messages", chosen[-1][0]))

    @draft.path
    def way(walk: Walk) -> None:
        for (key, _), answer in zip(chosen, answers, strict=True):
            common.to_message(walk, key)
            walk.press("mail.reply")
            walk.write(body=answer)
            walk.press("mail.send")


def _forward(draft: Draft) -> None:
    chosen = common.some_mail(draft)
    persons = [person for _, person in common.some(draft, common.people(draft))]
    parts = [
        f"{common.mail_words(draft, message)} to {person['email']}"
        for (_, message), person in zip(chosen, persons, strict=True)
    ]
    draft.goal = (
        f"Forward messages of your inbox, with no words of your own: {common.series(parts)}."
    )
    for (key, _), person in zip(chosen, persons, strict=True):
        draft.expect("forward_message", message=key, to=[person["email"]])
    draft.impossible(Reason.NO_SUCH_ITEM, common.gone("mail.messages", chosen[-1][0]))

    @draft.path
    def way(walk: Walk) -> None:
        for (key, _), person in zip(chosen, persons, strict=True):
            common.to_message(walk, key)
            walk.press("mail.forward")
            walk.write(to=person["email"])
            walk.press("mail.send")


def _invoice(draft: Draft) -> None:
    def number(message: dict[str, Any]) -> str:
        return message["subject"].removeprefix("Invoice ")

    found = [item for item in common.inbox(draft) if item[1]["subject"].startswith("Invoice INV-")]
    while len(found) < draft.size:
        key, message = draft.rng.choice([item for item in common.inbox(draft) if item not in found])
        given = f"INV-{draft.rng.randrange(1000, 9999)}"
        amount = draft.rng.randrange(200, 9000)
        body = f"Hello,\n\nPlease find the invoice {given} over ${amount:,}.00. It is due soon."
        message.update(subject=f"Invoice {given}", body=body)
        found.append((key, message))
    chosen = common.some(draft, found)
    amounts = [
        int(re.findall(r"\$([\d,]+)\.00", message["body"])[0].replace(",", ""))
        for _, message in chosen
    ]
    named = common.series([number(message) for _, message in chosen])
    noun = "invoice" if len(chosen) == 1 else "invoices"
    draft.goal = (
        f"What is the amount, in dollars, of the {noun} {named} in your inbox"
        f"{', taken together' if len(chosen) > 1 else ''}? Answer with a number."
    )
    draft.answer = Answer("money", sum(amounts))
    draft.impossible(Reason.NO_SUCH_ITEM, common.gone("mail.messages", chosen[-1][0]))

    @draft.path
    def way(walk: Walk) -> None:
        for key, _ in chosen:
            common.to_message(walk, key)


def _sole(draft: Draft) -> None:
    """Choose a message by its sender's first name, which must be unique."""
    found = [
        item
        for item in common.alone(common.inbox(draft), "from")
        if sum(
            each["name"].split()[0] == item[1]["name"].split()[0] for _, each in common.inbox(draft)
        )
        == 1
    ]
    chosen = common.some(draft, found)
    firsts = common.series([message["name"].split()[0] for _, message in chosen])
    draft.goal = (
        f"Give a star to the only message from {firsts} in your inbox."
        if len(chosen) == 1
        else f"In your inbox, {firsts} wrote one message each. Give a star to each of them."
    )
    for key, _ in chosen:
        draft.state["mail"]["messages"][key]["starred"] = False
        draft.expect("star_message", message=key, starred=True)
    key, message = chosen[-1]
    second = {
        **message,
        "subject": f"Re: {message['subject']}",
        "date": f"{message['date'][:10]}T06:55",
        "starred": False,
    }
    draft.impossible(Reason.AMBIGUOUS, common.more("mail.messages", second))

    @draft.path
    def way(walk: Walk) -> None:
        walk.go("mail")
        for key, _ in chosen:
            walk.press(f"mail.star:{key}")


MAIL = tuple(
    Template(name, ("mail",), fill)
    for name, fill in (
        ("mail-archive", _archive),
        ("mail-delete", _delete),
        ("mail-label", _label),
        ("mail-mark", _mark),
        ("mail-reply", _reply),
        ("mail-forward", _forward),
        ("mail-invoice", _invoice),
        ("mail-star", _sole),
    )
)
