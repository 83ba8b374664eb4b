"""The purpose of a page in its author's words."""

import msgspec
import pytest

from snellen.tasks.builder.screen.elements import Element, Screen
from snellen.tasks.builder.screen.purpose import (
    GENERIC,
    LISTED,
    NO_DESCRIPTION,
    NOT_SHOWN,
    ONLY_NAMED,
    OTHER_LANGUAGE,
    SLOGAN,
    TOO_SHORT,
    UNTITLED,
    descriptions_of,
    page_kind,
    purpose,
)

SAID = "Handmade teapots from Fernbrook, fired twice and shipped within three days."
SHOWN = "Our handmade teapots are fired twice in Fernbrook and shipped quickly"


def page(description: str, shown: str = SHOWN, language: str = "en") -> Screen:
    text = Element(0, "p", (0, 0, 100, 20), own=shown, text=shown)
    return Screen(1280, 800, (text,), description=description, language=language)


def test_a_description_of_what_is_seen_says_what_a_page_is_for() -> None:
    assert purpose(page(f"  {SAID}\n")) == (SAID, "")


@pytest.mark.parametrize(
    ("screen", "reason"),
    [
        (page(""), NO_DESCRIPTION),
        (page("Teapots."), TOO_SHORT),
        (page(SAID, language="de"), OTHER_LANGUAGE),
        (page(SAID, language=""), OTHER_LANGUAGE),
        (page("Inbox. Free admin template by somebody, sixty pages, chart variants."), GENERIC),
        (page("Teapots fired twice can be found in the official documentation."), GENERIC),
        (page("Our teapots are fired twice; for further options, please visit the pages of"
              " Fernbrook."), GENERIC),
        (page("Teapots, fired twice, Fernbrook, handmade, shipped, quickly, days"), LISTED),
        (page("Our teapots: small brown teapot, large blue teapot, tall tea cup"), LISTED),
        (page("Whatever else somebody might write about entirely different things."), NOT_SHOWN),
    ],
)  # fmt: skip
def test_other_descriptions_say_nothing(screen: Screen, reason: str) -> None:
    assert purpose(screen) == ("", reason)


def test_slogans_and_names_are_no_purpose() -> None:
    shown = "Build sites faster with Fernbrook tools, ship sooner and sleep better than before"
    for said, reason in (
        ("Build your sites with us. Ship them all to us sooner. Sleep better than before.", SLOGAN),
        ("Build sites faster with Fernbrook! Ship sooner and sleep better with the tools.", SLOGAN),
        ("Ready to build faster sites? Ship sooner and sleep better with the tools.", SLOGAN),
        ("The tools of Fernbrook, to build your sites faster and to ship them sooner.", ONLY_NAMED),
    ):
        title = "Fernbrook tools: build and ship sites faster, sooner"
        screen = msgspec.structs.replace(page(said, shown), title=title)
        assert purpose(screen) == ("", reason)
    said = "The tools build your sites and ship them, so that you can sleep better than before."
    screen = msgspec.structs.replace(page(said, shown), title="Fernbrook tools")
    assert purpose(screen) == (said, "")


def test_the_head_comes_before_the_lead_of_a_page() -> None:
    heading = Element(0, "h1", (0, 0, 300, 30), role="heading", level=1, own="Teapots",
                      text="Teapots")  # fmt: skip
    lead = "Our teapots are fired twice and shipped within three days."
    text = Element(1, "p", (0, 40, 300, 60), own=lead, text=lead)
    screen = Screen(1280, 800, (heading, text), language="en", descriptions=("For machines.",))
    assert descriptions_of(screen) == {"head": "For machines.", "lead": lead}


def test_a_description_has_two_sentences_at_most() -> None:
    two = f"{SAID} They are handmade by two people in Fernbrook."
    assert purpose(page(f"{two} They sell them, too.")) == (two, "")


def test_a_description_without_a_word_of_the_title_says_nothing() -> None:
    screen = msgspec.structs.replace(page(SAID), title="My profile")
    assert purpose(screen) == ("", UNTITLED)
    assert purpose(msgspec.structs.replace(screen, title="Our teapots")) == (SAID, "")


def test_what_stands_in_bars_is_not_what_a_page_is_for() -> None:
    text = Element(0, "p", (0, 0, 100, 20), own=SHOWN, text=SHOWN, landmark="contentinfo")
    assert purpose(Screen(1280, 800, (text,), description=SAID, language="en")) == ("", NOT_SHOWN)


def test_a_long_description_ends_with_a_sentence() -> None:
    said, _ = purpose(page(f"{SAID} {'More of this is for you to find. ' * 30}"))
    assert said.startswith(SAID)
    assert said.endswith("find.")
    assert len(said.split()) <= 60


def test_pages_are_of_few_kinds() -> None:
    def of(*elements: Element) -> str:
        return page_kind(Screen(1280, 800, elements))

    box = (0.0, 0.0, 9.0, 9.0)
    assert of() == "text"
    assert of(Element(0, "input", box, kind="password")) == "account"
    assert of(*(Element(n, "input", box, role="textbox") for n in range(4))) == "form"
    assert of(Element(0, "table", box, role="table")) == "table"
    assert of(*(Element(n, "img", box, role="img") for n in range(4))) == "list"
