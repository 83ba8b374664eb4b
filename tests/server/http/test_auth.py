"""Tokens: made once, kept as digests, revoked at once."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from snellen.server.errors import ExamError
from snellen.server.http.auth import Tokens
from snellen.server.store.database import Database
from snellen.server.store.schema import open_store
from snellen.server.store.tables.exams import Scope


@pytest.fixture
def database(store: Path) -> Iterator[Database]:
    database = open_store(store)
    yield database
    database.close()


@pytest.fixture
def tokens(database: Database) -> Tokens:
    return Tokens(database, now=lambda: 1_000)


def held(tokens: Tokens, token: str) -> tuple[str, frozenset[Scope]] | None:
    """Return whose a token is, and what for."""
    holder = tokens.holder(token)
    return None if holder is None else (holder.name, holder.scopes)


def test_a_token_tells_its_holder_and_scopes(tokens: Tokens) -> None:
    token = tokens.create("alice", [Scope.TAKE, Scope.ORGANIZE])
    assert held(tokens, token) == ("alice", {Scope.TAKE, Scope.ORGANIZE})
    assert held(tokens, tokens.create("bob")) == ("bob", {Scope.TAKE})


def test_a_team_is_the_participant_of_its_members(tokens: Tokens, database: Database) -> None:
    made = [tokens.create("ada", team="lab"), tokens.create("bob", team="lab")]
    own = tokens.create("eve")
    found = [tokens.holder(token) for token in (*made, own)]
    assert all(found)
    assert [tokens.participant(each) for each in found if each] == ["lab", "lab", "eve"]
    # What the exam file says comes first.
    filed = Tokens(database, teams={"ada": "other", "eve": "other"})
    assert [filed.participant(each) for each in found if each] == ["other", "lab", "other"]


def test_nobody_has_the_name_of_a_team(tokens: Tokens, database: Database) -> None:
    tokens.create("ada", team="lab")
    with pytest.raises(ExamError, match="'lab' is a team's name"):
        tokens.create("lab")
    with pytest.raises(ExamError, match="'lab' is a team's name"):
        tokens.create("lab", team="lab")
    with pytest.raises(ExamError, match="'ada' is a participant's name"):
        tokens.create("bob", team="ada")
    with pytest.raises(ExamError, match="a token's team must have 1 to 64 letters"):
        tokens.create("bob", team="a team")
    with pytest.raises(ExamError, match="'filed' is a team's name"):
        Tokens(database, teams={"ada": "filed"}).create("filed")


@pytest.mark.parametrize(
    ("name", "team", "said"),
    [
        ("ANN", None, "the name 'ann' was used before"),
        ("Ann", "lab", "the name 'ann' was used before"),
        ("LAB", None, "'LAB' is a team's name"),
        ("bob", "ANN", "'ANN' is a participant's name"),
        ("bob", "Lab", "'Lab' looks like 'lab', which exists"),
        ("CY", None, "'CY' looks like 'cy', which exists"),
        ("bob", "FILED", "'FILED' looks like 'filed', which exists"),
        ("Snellen", None, "must not be local or snellen"),
        ("bob", "LOCAL", "must not be local or snellen"),
    ],
)
def test_a_name_that_looks_like_another_is_refused(
    name: str, team: str | None, said: str, tokens: Tokens, database: Database
) -> None:
    tokens.create("ann", team="lab")
    filed = Tokens(database, teams={"cy": "filed"})
    with pytest.raises(ExamError, match=said):
        filed.create(name, team=team)
    filed.create("cy")
    filed.create("dora", team="lab")


def test_names_that_look_alike_stay_valid_in_a_store_that_has_them(
    tokens: Tokens, database: Database
) -> None:
    tokens.create("ann", team="lab")
    known = tokens.create("bob", team="lab")
    database.submit(
        lambda c: c.exec_driver_sql(
            "UPDATE tokens SET name = 'ANN', team = 'LAB' WHERE name = 'bob'"
        )
    ).result()
    assert held(tokens, known) == ("ANN", {Scope.TAKE})
    tokens.create("cy", team="LAB")
    tokens.revoke("ANN")
    assert held(tokens, known) is None


@pytest.mark.parametrize("other", ["", "snellen_", "nonsense", "é" * 100])
def test_anything_else_has_no_holder(tokens: Tokens, other: str) -> None:
    token = tokens.create("alice")
    assert tokens.holder(other) is None
    assert tokens.holder(token + "x") is None
    assert tokens.holder(token[:-1]) is None


def test_no_two_tokens_are_alike_and_each_says_what_it_is(tokens: Tokens) -> None:
    made = {tokens.create(f"agent-{number}") for number in range(20)}
    assert len(made) == 20
    # 32 random bytes take 43 characters.
    assert all(token.startswith("snellen_") and len(token) == 8 + 43 for token in made)


def test_a_token_is_nowhere_in_the_store(tokens: Tokens, database: Database, store: Path) -> None:
    token = tokens.create("alice")
    database.close()
    written = b"".join(path.read_bytes() for path in store.parent.glob(f"{store.name}*"))
    assert b"alice" in written
    assert token.encode() not in written
    assert token.removeprefix("snellen_").encode() not in written


def test_a_revoked_token_has_no_holder_and_stays_listed(tokens: Tokens) -> None:
    token = tokens.create("alice")
    assert [listed.revoked for listed in tokens.listed()] == [None]
    tokens.revoke("alice")
    assert tokens.holder(token) is None
    assert [(listed.name, listed.created, listed.revoked) for listed in tokens.listed()] == [
        ("alice", 1_000, 1_000)
    ]
    # Revoking it again changes nothing.
    tokens.revoke("alice")


def test_a_name_is_given_once_for_attempts_belong_to_names(tokens: Tokens) -> None:
    tokens.create("alice")
    with pytest.raises(ExamError, match="take another"):
        tokens.create("alice")
    tokens.revoke("alice")
    with pytest.raises(ExamError, match="take another"):
        tokens.create("alice")


@pytest.mark.parametrize("name", ["", "local", "a b", "-x", "x" * 65, "näme", "a\n"])
def test_a_name_that_could_be_taken_for_another_is_refused(tokens: Tokens, name: str) -> None:
    with pytest.raises(ExamError, match="a token's name must have 1 to 64 letters"):
        tokens.create(name)


def test_a_token_that_is_not_there_can_not_be_revoked(tokens: Tokens) -> None:
    with pytest.raises(ExamError, match="there is no token 'alice'"):
        tokens.revoke("alice")


def test_tokens_are_asked_for_once_there_was_one(tokens: Tokens) -> None:
    assert not tokens.known
    tokens.create("alice")
    tokens.revoke("alice")
    assert tokens.known
