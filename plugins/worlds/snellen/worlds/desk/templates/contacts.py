"""Tasks in the contacts."""

from snellen.tasks.environments.reasons import Reason
from snellen.worlds.desk.tasks import Answer, Draft, Template, Walk
from snellen.worlds.desk.templates import common
from snellen.worlds.desk.world.words import CITIES, FIRMS, FIRST, LAST, ROLES


def _phone(draft: Draft) -> None:
    chosen = common.some(draft, common.people(draft))
    numbers = [
        f"+1 555 {draft.rng.randrange(100, 1000)} {draft.rng.randrange(1000, 10000)}"
        for _ in chosen
    ]
    parts = [
        f"{common.person_words(draft, person)}: {number}"
        for (_, person), number in zip(chosen, numbers, strict=True)
    ]
    draft.goal = f"Enter new phone numbers in your contacts: {'; '.join(parts)}."
    for (key, _), number in zip(chosen, numbers, strict=True):
        draft.expect("change_contact", contact=key, phone=number)
    draft.impossible(Reason.NO_SUCH_ITEM, common.gone("contacts.people", chosen[-1][0]))

    @draft.path
    def way(walk: Walk) -> None:
        for (key, _), number in zip(chosen, numbers, strict=True):
            common.to_person(walk, key)
            walk.press("contacts.edit")
            walk.write(phone=number)
            walk.press("contacts.save")


def _group(draft: Draft) -> None:
    chosen = common.some(draft, common.people(draft))
    group = draft.rng.choice(("Client", "Supplier", "Team", "Friend"))
    for _, person in chosen:
        if person["group"] == group:
            person["group"] = "Supplier" if group == "Client" else "Client"
    words = common.series([common.person_words(draft, person) for _, person in chosen])
    draft.goal = f"In your contacts, move {words} to the group “{group}”."
    common.change_each(draft, "contacts.people", chosen, "change_contact", "contact", group=group)

    @draft.path
    def way(walk: Walk) -> None:
        for key, _ in chosen:
            common.to_person(walk, key)
            walk.press("contacts.edit", f"form.group:{group}", "contacts.save")


def _add(draft: Draft) -> None:
    names = {person["name"] for _, person in common.people(draft)}
    made: list[dict[str, str]] = []
    while len(made) < draft.size:
        first, last = draft.rng.choice(FIRST), draft.rng.choice(LAST)
        firm, domain = draft.rng.choice(FIRMS)
        if f"{first} {last}" in names:
            continue
        names.add(f"{first} {last}")
        made.append(
            {
                "name": f"{first} {last}",
                "email": f"{first}.{last}@{domain}".lower(),
                "company": firm,
                "role": draft.rng.choice(ROLES),
                "city": draft.rng.choice(CITIES),
            }
        )
    parts = [
        f"{person['name']}, email {person['email']}, company {person['company']}, role"
        f" {person['role']}, city {person['city']}"
        for person in made
    ]
    draft.goal = (
        f"Add to your contacts, in the group “Client”: {'; '.join(parts)}. Leave the other fields"
        " empty. If somebody of the same name is there already, add nobody."
    )
    for person in made:
        draft.expect("add_contact", **person)
    other = {"phone": "", "group": "Team", "birthday": "", "note": "", **made[-1]}
    draft.impossible(Reason.CONFLICT, common.more("contacts.people", other))

    @draft.path
    def way(walk: Walk) -> None:
        walk.go("contacts")
        for person in made:
            walk.press("contacts.new")
            walk.write(**person)
            walk.press("contacts.save")


def _remove(draft: Draft) -> None:
    chosen = common.some(draft, common.people(draft))
    words = common.series([common.person_words(draft, person) for _, person in chosen])
    draft.goal = f"Remove {words} from your contacts."
    common.change_each(draft, "contacts.people", chosen, "remove_contact", "contact")

    @draft.path
    def way(walk: Walk) -> None:
        for key, _ in chosen:
            common.to_person(walk, key)
            walk.press("contacts.remove", "contacts.remove.yes")


def _ask(draft: Draft) -> None:
    chosen = common.some(draft, common.people(draft))
    words = common.series([common.person_words(draft, person) for _, person in chosen])
    draft.goal = (
        f"What is the email address of {words}, as your contacts say?"
        if len(chosen) == 1
        else f"What are the email addresses of {words}, as your contacts say? Answer with a list."
    )
    emails = [person["email"] for _, person in chosen]
    draft.answer = Answer("text", emails[0]) if len(emails) == 1 else Answer("list", [*emails])
    draft.impossible(Reason.NO_SUCH_ITEM, common.gone("contacts.people", chosen[-1][0]))

    @draft.path
    def way(walk: Walk) -> None:
        for key, _ in chosen:
            common.to_person(walk, key)


CONTACTS = tuple(
    Template(name, ("contacts",), fill)
    for name, fill in (
        ("contacts-phone", _phone),
        ("contacts-group", _group),
        ("contacts-add", _add),
        ("contacts-remove", _remove),
        ("contacts-ask", _ask),
    )
)
