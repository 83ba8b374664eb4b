"""Changes say what became different, whatever new objects are called."""

from hypothesis import given
from hypothesis import strategies as st

from snellen.worlds.desk.changes import changes

NOTHING: dict[str, dict[str, object]] = {"changed": {}, "added": {}, "removed": {}}
OBJECTS = st.dictionaries(
    st.text("abc", min_size=1, max_size=2), st.fixed_dictionaries({"v": st.integers(0, 2)})
)


def world(**notes: object) -> dict[str, object]:
    return {"clock": "2025-06-16T10:00", "notes": {"all": notes}}


def test_equal_states_have_no_changes() -> None:
    assert changes(world(a={"v": 1}), world(a={"v": 1})) == NOTHING


def test_a_changed_field_is_named_by_its_path_with_both_values() -> None:
    found = changes(world(a={"v": 1, "w": {"x": 2}}), world(a={"v": 1, "w": {"x": 3, "y": 4}}))
    assert found["changed"] == {"notes.all.a.w.x": [2, 3], "notes.all.a.w.y": [None, 4]}


def test_new_objects_are_listed_without_their_ids() -> None:
    first = changes(world(), world(n1={"v": 1}, n2={"v": 0}))
    second = changes(world(), world(n9={"v": 0}, n4={"v": 1}))
    assert first == second == {**NOTHING, "added": {"notes.all": [{"v": 0}, {"v": 1}]}}


def test_a_removed_object_is_listed_as_it_was() -> None:
    assert changes(world(a={"v": 1}), world())["removed"] == {"notes.all": [{"v": 1}]}


def test_references_to_new_objects_do_not_depend_on_their_ids() -> None:
    def after(key: str) -> dict[str, object]:
        return world(a={"of": key}, **{key: {"v": 2, "next": [key]}})

    before = world(a={"of": ""})
    assert changes(before, after("n1")) == changes(before, after("zz"))
    assert changes(before, after("n1"))["changed"] == {"notes.all.a.of": ["", "<notes.all>"]}


def test_an_object_that_was_there_before_is_named_by_its_id_wherever_it_stands() -> None:
    def bought(key: str) -> dict[str, object]:
        return {"shop": {"goods": {"g1": {}, "g2": {}}, "cart": {key: {"product": key}}}}

    before: dict[str, object] = {"shop": {"goods": {"g1": {}, "g2": {}}, "cart": {}}}
    assert changes(before, bought("g1")) != changes(before, bought("g2"))


@given(OBJECTS, OBJECTS)
def test_nothing_changed_exactly_where_states_are_equal(
    before: dict[str, object], after: dict[str, object]
) -> None:
    assert (changes(world(**before), world(**after)) == NOTHING) == (before == after)


@given(OBJECTS, OBJECTS)
def test_as_much_is_added_on_the_way_there_as_is_removed_on_the_way_back(
    before: dict[str, object], after: dict[str, object]
) -> None:
    there = changes(world(**before), world(**after))
    back = changes(world(**after), world(**before))
    assert there["added"] == back["removed"]
    assert set(there["changed"]) == set(back["changed"])
