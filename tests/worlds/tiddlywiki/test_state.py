"""A wiki's state is its tiddlers, and edits of it can be told from each other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.worlds.tiddlywiki.state import (
    Edit,
    EditError,
    changes,
    edited,
    read_list,
    read_state,
    write_list,
)

NOTHING: dict[str, object] = {"changed": {}, "added": {}, "removed": {}}
WIKI = read_state(
    [
        {"title": "Tea", "text": "Hot.", "tags": "drink [[for guests]]", "modified": "1"},
        {"title": "Salt", "text": "White.", "status": "kept"},
    ]
)


def test_a_state_has_tags_as_a_list_and_says_not_when_a_tiddler_was_written() -> None:
    assert WIKI == {
        "Tea": {"title": "Tea", "text": "Hot.", "tags": ["drink", "for guests"]},
        "Salt": {"title": "Salt", "text": "White.", "status": "kept"},
    }


def test_neither_the_order_of_tags_nor_an_empty_field_nor_spaces_around_a_text_count() -> None:
    tea = {"title": "Tea", "text": " Hot.\n", "tags": "[[for guests]] drink", "type": ""}
    salt = {"title": "Salt", "text": "White.", "status": "kept", "tags": ""}
    assert changes(WIKI, read_state([salt, tea])) == NOTHING


@given(st.sets(st.text("ab c-", min_size=1).map(str.strip).filter(bool)))
def test_a_list_that_is_written_is_read_again(items: set[str]) -> None:
    spaced = {" ".join(item.split()) for item in items}
    assert read_list(write_list(spaced)) == sorted(spaced)


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (Edit("Tea", text="Cold."), {"changed": {"Tea.text": ["Hot.", "Cold."]}}),
        (
            Edit("Tea", untags=("drink",), tags=("new",)),
            {"changed": {"Tea.tags": [["drink", "for guests"], ["for guests", "new"]]}},
        ),
        (
            Edit("Salt", fields=(("status", "gone"), ("owner", "Ada"))),
            {"changed": {"Salt.owner": [None, "Ada"], "Salt.status": ["kept", "gone"]}},
        ),
        (Edit("Salt", "delete"), {"removed": {"tiddlers": [WIKI["Salt"]]}}),
        (
            Edit("Salt", to="Sugar"),
            {
                "removed": {"tiddlers": [WIKI["Salt"]]},
                "added": {"tiddlers": [{**WIKI["Salt"], "title": "Sugar"}]},
            },
        ),
        (
            Edit("Rice", "new", text="Dry. ", tags=("food",)),
            {"added": {"tiddlers": [{"title": "Rice", "text": "Dry.", "tags": ["food"]}]}},
        ),
    ],
)
def test_an_edit_changes_what_it_says_and_nothing_else(
    edit: Edit, expected: dict[str, object]
) -> None:
    assert changes(WIKI, edited(WIKI, [edit])) == NOTHING | expected


@pytest.mark.parametrize(
    "edit",
    [Edit("Milk", text="x"), Edit("Milk", "delete"), Edit("Tea", "new"), Edit("Tea", to="Salt")],
)
def test_an_edit_of_what_is_not_there_or_over_what_is_there_is_refused(edit: Edit) -> None:
    with pytest.raises(EditError, match="there"):
        edited(WIKI, [edit])
