"""Contacts: people, by name, with a card each."""

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any, Literal

from markupsafe import Markup
from pydantic import Field, JsonValue

from snellen.worlds.desk.apps.calendar import Day
from snellen.worlds.desk.kit import verbs
from snellen.worlds.desk.kit.app import App
from snellen.worlds.desk.kit.markup import div, join, span, tag
from snellen.worlds.desk.kit.view import (
    CLOSE,
    Action,
    Grab,
    Layer,
    Options,
    View,
    avatar,
    do,
    go,
    long_day,
)

GROUPS = ("Client", "Supplier", "Team", "Friend")
LINES = ("name", "email", "phone", "company", "role", "city")
TITLES = {"email": "Email", "phone": "Phone", "company": "Company", "role": "Role", "city": "City"}

Group = Literal["Client", "Supplier", "Team", "Friend"]
Name = Annotated[str, Field(min_length=1)]


class Contact(verbs.Arguments):
    """A new contact."""

    name: Name
    email: str = ""
    phone: str = ""
    company: str = ""
    role: str = ""
    city: str = ""
    group: Group = "Client"
    note: str = ""


class ContactId(verbs.Arguments):
    """A contact that there is."""

    contact: str


class ContactChange(ContactId):
    """Changes to a contact; fields that are left out stay unchanged."""

    name: Name | None = None
    email: str | None = None
    phone: str | None = None
    company: str | None = None
    role: str | None = None
    city: str | None = None
    group: Group | None = None
    note: str | None = None
    birthday: Day | None = None


class ContactSearch(verbs.Arguments):
    """A filter of contacts."""

    text: str = ""
    group: Literal["", "Client", "Supplier", "Team", "Friend"] = ""


def add_contact(state: verbs.State, given: Contact) -> JsonValue:
    """Add a contact."""
    person = {**given.model_dump(), "birthday": ""}
    return {"contact": verbs.add(state["contacts"]["people"], person)}


def change_contact(state: verbs.State, given: ContactChange) -> JsonValue:
    """Change the given fields of a contact."""
    person = verbs.take(state["contacts"]["people"], given.contact, "contact")
    person.update(given.model_dump(exclude={"contact"}, exclude_none=True))
    return person


def remove_contact(state: verbs.State, given: ContactId) -> JsonValue:
    """Remove a contact."""
    verbs.take(state["contacts"]["people"], given.contact, "contact")
    del state["contacts"]["people"][given.contact]
    return {}


def list_contacts(state: verbs.State, given: ContactSearch) -> JsonValue:
    """List the contacts of a group that contain a text, by name."""
    return [
        {"id": key, "name": person["name"], "company": person["company"], "group": person["group"]}
        for key, person in _listed(state, given.text, given.group)
    ]


def read_contact(state: verbs.State, given: ContactId) -> JsonValue:
    """Read a contact."""
    return verbs.take(state["contacts"]["people"], given.contact, "contact")


def _listed(state: verbs.State, text: str, group: str) -> list[tuple[str, dict[str, Any]]]:
    wanted = text.lower().split()
    return sorted(
        (
            (key, person)
            for key, person in state["contacts"]["people"].items()
            if group in ("", person["group"])
            and all(word in " ".join(person[line] for line in LINES).lower() for word in wanted)
        ),
        key=lambda item: (item[1]["name"], item[0]),
    )


def _view(view: View) -> Markup:
    group = view.text("contacts.group")
    listed = _listed(view.state, view.text("contacts.search.done"), group)
    options = [("", "All groups"), *((name, name) for name in GROUPS)]
    new = {"dialog": "contacts.new", "form.*": None, "form.group": "Client"}
    bar = div(
        "toolbar",
        view.button("New contact", "contacts.new", go(new), sign="plus", kind="primary"),
        view.search("contacts.search", "Search contacts"),
        view.select("contacts.group", options),
        span("grow"),
        view.total(len(listed)),
    )
    now = view.text("contacts.open")
    rows = [
        view.press(
            "person on" if key == now else "person",
            f"contacts.open:{key}",
            go({"contacts.open": key}),
            avatar(person["name"]),
            span(
                "mail-words",
                span("mail-name", person["name"]),
                span("mail-subject", f"{person['role']}, {person['company']}"),
            ),
            label=person["name"],
            grab=Grab("person", partial(_dropped, key, person)),
            menu=partial(_verbs, key, person),
        )
        for key, person in listed
    ]
    where = f"contacts.page.{group}.{view.text('contacts.search.done')}"
    listing = view.scroll(where, rows) if rows else div("empty", "No contacts found")
    people = div("people", _groups(view, group), listing)
    return join(
        tag("section", bar, div("split", people, _card(view, now)), class_="fill"), _dialogs(view)
    )


def _groups(view: View, now: str) -> Markup:
    """Return the groups in a row: a click shows one, and a contact is dropped on it."""
    groups = [
        view.press(
            "group on" if group == now else "group",
            f"contacts.group.of:{group}",
            go({"contacts.group": "" if group == now else group}),
            group,
            label=group,
            data_d=view.place(f"contacts.to:{group}", "person", group=group),
        )
        for group in GROUPS
    ]
    return div("groups", groups)


def _dropped(key: str, person: dict[str, Any], place: Mapping[str, JsonValue]) -> Action:
    """Return the action of dropping a contact: on a group, or on a card of a board beside."""
    if "card" in place:
        given = {**place, "assignee": person["name"]}
        return do("change_card", given, then={"toast": "Card assigned"})
    return do("change_contact", {**place, "contact": key}, then={"toast": "Contact moved"})


def _verbs(key: str, person: dict[str, Any]) -> Options:
    return [
        ("edit", "Edit…", _edit(key, person)),
        *((f"is:{group}", f"Group: {group}", do("change_contact", {"contact": key, "group": group}))
          for group in GROUPS if group != person["group"]),
        ("remove", "Remove…", go({"dialog": "contacts.remove", "dialog.of": key})),
    ]  # fmt: skip


def _edit(key: str, person: dict[str, Any]) -> Action:
    form = {f"form.{name}": person[name] for name in (*LINES, "group", "note")}
    return go({"dialog": "contacts.edit", "dialog.of": key, **form})


def _card(view: View, key: str) -> Markup:
    person = view.state["contacts"]["people"].get(key)
    if person is None:
        return div("card-pane", div("empty", "Select a contact to see the card"))
    remove = go({"dialog": "contacts.remove", "dialog.of": key})
    birthday = long_day(person["birthday"]).partition(", ")[2] if person["birthday"] else ""
    facts = [(TITLES[name], person[name]) for name in LINES if name != "name"]
    return div(
        "card-pane",
        div(
            "card-head",
            avatar(person["name"]),
            div("", tag("h2", person["name"]), div("soft", person["group"])),
            span("grow"),
            view.button("Edit", "contacts.edit", _edit(key, person), sign="edit"),
            view.button("Remove", "contacts.remove", remove, sign="trash", kind="danger-quiet"),
        ),
        tag(
            "dl",
            [
                join(tag("dt", title), tag("dd", value or "-"))
                for title, value in (*facts, ("Birthday", birthday), ("Note", person["note"]))
            ],
        ),
    )


def _dialogs(view: View) -> Markup:
    name, key = view.text("dialog"), view.text("dialog.of")
    person = view.state["contacts"]["people"].get(key)
    if name == "contacts.remove" and person:
        then = {**CLOSE.ui, "contacts.open": None, "toast": "Contact removed"}
        return view.confirm(
            name,
            "Remove this contact?",
            f"{person['name']} will be removed from your contacts.",
            "Remove",
            do("remove_contact", {"contact": key}, then=then),
        )
    if name not in ("contacts.new", "contacts.edit"):
        return Markup("")
    with view.layer(Layer.DIALOG):
        halves = [view.input(f"form.{line}", line.capitalize()) for line in LINES]
        groups = [(group, group) for group in GROUPS]
        body = [
            div("halves", halves),
            view.labelled("Group", view.radio("form.group", groups)),
            view.input("form.note", "Note"),
        ]
        fields = {line: f"form.{line}" for line in (*LINES, "group", "note")}
        if name == "contacts.new":
            action = do("add_contact", {}, fields, {**CLOSE.ui, "toast": "Contact added"})
        else:
            then = {**CLOSE.ui, "toast": "Contact changed"}
            action = do("change_contact", {"contact": key}, fields, then)
        save = view.button("Save", "contacts.save", action, kind="primary")
        title = "New contact" if name == "contacts.new" else "Edit contact"
        return view.dialog(title, body, view.cancel(), save, wide=True)


CONTACTS = App(
    "contacts",
    "Contacts",
    _view,
    (
        verbs.read(list_contacts),
        verbs.read(read_contact),
        verbs.verb(add_contact),
        verbs.verb(change_contact),
        verbs.verb(remove_contact),
    ),
)
