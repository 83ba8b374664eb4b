"""Wrappers are dropped, elements with a meaning are kept, and parents are correct afterwards."""

from hypothesis import given
from hypothesis import strategies as st

from snellen.build.screen.duplicates import Candidate, drop_duplicates
from snellen.build.screen.elements import Ltrb

BOX = (0.0, 0.0, 100.0, 20.0)
INNER = (10.0, 2.0, 90.0, 18.0)


def make(
    raw: int,
    parent: int | None,
    tag: str = "div",
    role: str = "",
    text: str = "",
    own: str | None = None,
    box: Ltrb = BOX,
    painted: bool = False,
) -> Candidate:
    return Candidate(raw, parent, tag, role, text, text if own is None else own, box, painted)


def kept(*candidates: Candidate) -> list[tuple[str, int | None]]:
    drop_duplicates(candidates)
    return [(each.tag, each.parent) for each in candidates if not each.dropped]


def test_a_wrapper_of_one_element_goes() -> None:
    assert kept(make(0, None, text="Go", own=""), make(1, 0, "a", "link", "Go")) == [("a", None)]


def test_of_two_that_mean_something_the_deepest_stays() -> None:
    item = make(0, None, "li", "listitem", "Go", "")
    link = make(1, 0, "a", "link", "Go")
    assert kept(item, link) == [("a", None)]
    assert item.instead == 1


def test_a_heading_stays_around_its_link() -> None:
    heading = make(0, None, "h1", "heading", "Go", "")
    assert kept(heading, make(1, 0, "a", "link", "Go")) == [("h1", None), ("a", 0)]


def test_text_in_a_bare_span_is_its_buttons_own() -> None:
    button = make(0, None, "button", "button", "Save", "", painted=True)
    span = make(1, 0, "span", text="Save", box=INNER)
    icon = make(2, 0, "svg", box=INNER, painted=True)
    assert kept(button, span, icon) == [("button", None), ("svg", 0)]
    assert button.own == "Save"
    assert button.merged == [1]


def test_a_badge_in_a_button_stays() -> None:
    button = make(0, None, "button", "button", "Mail 3", "Mail", painted=True)
    badge = make(1, 0, "span", text="3", box=INNER, painted=True)
    assert kept(button, badge) == [("button", None), ("span", 0)]


def test_a_box_that_draws_and_says_nothing_goes() -> None:
    page = make(0, None, "main", "main", "x", "")
    assert kept(page, make(1, 0), make(2, 0, "p", text="x", box=INNER)) == [
        ("main", None),
        ("p", 0),
    ]


def test_chains_of_wrappers_end_at_what_is_kept() -> None:
    found = kept(
        make(0, None, "main", "main", "a b", ""),
        make(1, 0, text="a b", own=""),
        make(2, 1, text="a b", own=""),
        make(3, 2, "p", text="a", box=INNER),
        make(4, 2, "p", text="b", box=INNER),
    )
    assert found == [("main", None), ("p", 0), ("p", 0)]


@st.composite
def trees(draw: st.DrawFn) -> list[Candidate]:
    count = draw(st.integers(1, 25))
    candidates: list[Candidate] = []
    for raw in range(count):
        parent = draw(st.integers(0, raw - 1)) if raw else None
        own = draw(st.sampled_from(["", "", "a", "b"]))
        candidates.append(
            make(
                raw,
                parent,
                draw(st.sampled_from(["div", "span", "a", "td", "h1"])),
                draw(st.sampled_from(["", "", "link", "main", "heading"])),
                own,
                own,
                draw(st.sampled_from([BOX, INNER])),
                draw(st.booleans()),
            )
        )
    for candidate in reversed(candidates):
        if candidate.parent is not None and candidate.text:
            outer = candidates[candidate.parent]
            outer.text = f"{candidate.text} {outer.text}".strip()
    return candidates


@given(trees())
def test_what_stays_is_a_forest_and_no_text_is_lost(candidates: list[Candidate]) -> None:
    before = {word for each in candidates for word in each.own.split()}
    drop_duplicates(candidates)
    left = [each for each in candidates if not each.dropped]
    for each in left:
        assert each.parent is None or not candidates[each.parent].dropped
    assert {word for each in left for word in each.own.split()} == before
    for each in candidates:
        if each.structural and each.telling and each.tag in {"td", "h1"} and each.text:
            assert not each.dropped
