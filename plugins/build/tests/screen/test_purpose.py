"""The purpose of a page in its author's words."""

from typing import Any

import msgspec
import pytest

from snellen.build.screen.elements import Element, Screen
from snellen.build.screen.purpose import (
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
    lead_of,
    page_kind,
    purpose,
    standfirst_of,
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
        ("Build your sites with Fernbrook. Ship sooner, sleep better. You will see it.", SLOGAN),
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


def test_what_a_description_says_is_judged_by_the_sentences_that_are_kept() -> None:
    rest = f"{SAID} They are handmade by two people in Fernbrook."
    said = f"Or completely awesome teapots. Depends the needs. {rest}"
    assert purpose(page(said)) == ("", TOO_SHORT)
    screen = page(f"We are people who fire things in Fernbrook every day. It is nice. {rest}",
                  f"{SHOWN} people fire things every day nice")  # fmt: skip
    assert purpose(msgspec.structs.replace(screen, title="Teapots")) == ("", UNTITLED)


def test_the_beginning_of_a_page_that_a_program_cut_off_is_no_description() -> None:
    for dots in ("...", "…"):
        assert purpose(page(f"{SAID} They are handmade{dots}")) == ("", NO_DESCRIPTION)


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


LEAD = "Handmade teapots from Fernbrook are fired twice and shipped within three days."


def headed(*texts: str, title: str = "Teapots", language: str = "en") -> Screen:
    heading = Element(0, "h1", (0, 0, 300, 30), role="heading", level=1, own=title,
                      text=title, font_size=30)  # fmt: skip
    paragraphs = [
        Element(n, "p", (0, 20 + 20 * n, 300, 40 + 20 * n), own=text, text=text, font_size=16)
        for n, text in enumerate(texts, start=1)
    ]
    return Screen(1280, 800, (heading, *paragraphs), language=language)


def test_the_first_sentence_under_the_main_heading_describes_a_page() -> None:
    said = f"{LEAD} They are handmade by two people in Fernbrook. More is listed here:"
    assert lead_of(headed("June 3", said)) == LEAD


@pytest.mark.parametrize(
    ("language", "title", "said"),
    [
        ("de", "Teekannen", "Teekannen sind Gefäße, z. B. aus Ton, in denen Tee bereitet wird."),
        ("es", "Teteras", "Las teteras son recipientes de barro en los que se prepara el té."),
        ("fr", "Théières", "Les théières sont des récipients d'argile où le thé est préparé."),
        ("pt", "Bules", "Os bules de Fernbrook são recipientes de barro onde se prepara o chá."),
    ],
)
def test_other_languages_have_their_own_words_for_what_something_is(
    language: str, title: str, said: str
) -> None:
    screen = headed(said, title=title, language=language)
    assert lead_of(screen) == said
    assert lead_of(msgspec.structs.replace(screen, language="fi")) == ""


@pytest.mark.parametrize(
    "said",
    [
        "Some of the more demanding teapots can be asked for by those who know the potter.",
        "The teapots of Fernbrook are not well adapted to the new ovens behind the house.",
        "Teapots use the ordinary ovens of the valley whenever a potter has fired them.",
        "Teapots are currently fired twice and shipped to the whole valley within three days.",
    ],
)
def test_what_denies_limits_or_says_nothing_of_what_something_is_describes_no_page(
    said: str,
) -> None:
    assert lead_of(headed(said)) == ""


def test_a_sentence_about_another_guide_or_a_package_describes_no_page() -> None:
    guide = "The Fernbrook Developer Guide provides documentation for everyone who fires teapots."
    assert lead_of(headed(guide, title="User Guide")) == ""
    assert lead_of(headed(guide, title="Developer Guide")) == guide
    package = "Chart.js is a third party package that draws all the charts of Fernbrook."
    assert lead_of(headed(package, title="Charts")) == ""
    assert lead_of(headed(package, title="Chart.js")) == package


def test_what_comes_after_a_paragraph_that_can_not_be_quoted_describes_nothing() -> None:
    """It begins with one sentence that is too long for a description."""
    long = f"The teapots of Fernbrook {'and its many neighbours ' * 20}are fired by hand."
    assert lead_of(headed(long, f"These {LEAD}")) == ""


@pytest.mark.parametrize("first", ["Copyright 2020 Fernbrook. All rights reserved.", "Hello."])
def test_what_comes_after_a_short_sentence_goes_on_from_it(first: str) -> None:
    assert lead_of(headed(first, LEAD)) == ""


@pytest.mark.parametrize(
    "said", ["as Section 5.4 says", "by Edit → Teapots", "by File > Pots", "by Ctrl+T", "as in § 4"]
)
def test_what_names_a_part_a_menu_or_a_key_is_for_who_reads_a_handbook(said: str) -> None:
    assert lead_of(headed(f"{LEAD.rstrip('.')} {said}.")) == ""


@pytest.mark.parametrize(("after", "lead"), [("form", ""), ("label", ""), ("p", LEAD)])
def test_what_stands_before_a_field_says_how_to_fill_it_in(after: str, lead: str) -> None:
    screen = headed(LEAD, "Words")
    last = msgspec.structs.replace(screen.elements[2], tag=after)
    elements = (*screen.elements[:2], last)
    assert lead_of(msgspec.structs.replace(screen, elements=elements)) == lead


@pytest.mark.parametrize(
    "said",
    [
        "By default teapots are fired twice, and their lids are made by another potter.",
        "The oven that stands behind the house fires some of the teapots of the valley.",
        "Teapots are fired twice, and their lids are made by another potter. More",
        "Teapots are fired twice, and their lids are made by another potter, and so on...",
    ],
)
def test_what_begins_with_something_else_or_breaks_off_does_not_describe_the_page(
    said: str,
) -> None:
    assert lead_of(headed(said)) == said.removesuffix(" More") * said.endswith("More")


def test_what_the_rest_of_a_page_does_not_go_on_about_describes_no_page() -> None:
    """It may explain a word, or praise another thing; a page that names itself is believed."""
    others = (
        "Open your wallet on the first of May, before the office moves to another town: whoever"
        " brings letters later waits until autumn. Every morning the ferry leaves from the long"
        " wooden bridge, and returns with newspapers, bread, milk, flour, apples, nails, ropes,"
        " lamps and whatever else islanders ordered by telephone during winter."
    )
    for said in (LEAD, "On this page you see which teapots Fernbrook has, and what each costs."):
        assert lead_of(headed(said)) == said
        assert lead_of(headed(said, others)) == ("" if said == LEAD else said)


def test_what_stands_under_the_heading_of_a_part_describes_that_part() -> None:
    for level in (2, 5):
        screen = headed(LEAD)
        part = Element(1, f"h{level}", (0, 32, 300, 50), role="heading", level=level, own="Pots",
                       text="Pots", font_size=20)  # fmt: skip
        text = msgspec.structs.replace(screen.elements[1], id=2, box=(0, 55, 300, 75))
        elements = (screen.elements[0], part, text)
        assert lead_of(msgspec.structs.replace(screen, elements=elements)) == ""


def test_one_of_several_headings_is_that_of_a_part() -> None:
    screen = headed(LEAD)
    part = Element(1, "h2", (0, 32, 300, 50), role="heading", level=2, own="Pots", text="Pots")
    text = msgspec.structs.replace(screen.elements[1], id=2, box=(0, 55, 300, 75))
    next_part = msgspec.structs.replace(part, id=3, box=(0, 90, 300, 110), own="Jugs", text="Jugs")
    for landmark in ("main", "banner"):
        title = msgspec.structs.replace(screen.elements[0], landmark=landmark)
        elements = (title, part, text, next_part)
        assert lead_of(msgspec.structs.replace(screen, elements=elements)) == ""


def test_the_last_of_several_headings_is_that_of_a_part() -> None:
    """The title stands over a picture that is no part of the content."""
    screen = headed(LEAD)
    part = Element(
        1, "h2", (0, 32, 300, 50), role="heading", level=2, own="Teapots", text="Teapots"
    )
    last = msgspec.structs.replace(part, id=2, box=(0, 55, 300, 75), own="Jugs", text="Jugs")
    text = msgspec.structs.replace(screen.elements[1], id=3, box=(0, 80, 300, 100))
    title = msgspec.structs.replace(screen.elements[0], landmark="banner")
    changed = msgspec.structs.replace(screen, elements=(title, part, last, text))
    assert lead_of(changed) == ""


@pytest.mark.parametrize(
    "text",
    [
        "Teapots, fired twice",
        "You are caught up on everything before today, and three new threads need a reply.",
        "Handmade teapots from Fernbrook, cups, saucers, plates, bowls, jugs, trays and lids",
    ],
)
def test_other_paragraphs_describe_nothing(text: str) -> None:
    assert lead_of(headed(text)) == ""


@pytest.mark.parametrize(
    "text",
    [
        "The same as the 'cups' example, but with this one the handmade teapots are a bit larger.",
        "In this example handmade teapots from Fernbrook are fired twice and shipped to you.",
        "Unlike cups, handmade teapots from Fernbrook are fired twice and shipped within days.",
        "Handmade teapots are fired twice, as on the previous page, and are shipped within days.",
        "Handmade teapots from Fernbrook are fired twice. For cups, please read the page of cups.",
        "Handmade teapots are from Fernbrook. You can check the full documentation of them here.",
        "Teapots, die in Fernbrook gebrannt sind: Für Tassen lesen Sie bitte die Seite der Tassen.",
        "The handmade teapot and is fired twice, so that it is easy to keep your teapots hot.",
    ],
)
def test_a_paragraph_that_needs_another_page_describes_nothing(text: str) -> None:
    assert lead_of(headed(text)) == ""


@pytest.mark.parametrize(
    "text",
    [
        "Here you see which handmade teapots Fernbrook has, and what each of them costs.",
        "This page lists handmade teapots of Fernbrook and is kept up to date by the potters.",
    ],
)
def test_a_paragraph_that_speaks_of_its_own_page_describes_it(text: str) -> None:
    assert lead_of(headed(text)) == text


STANDFIRST = "Fire your own teapots in our kiln, with all the tools and glazes that it takes."


def fronted(said: str = STANDFIRST, size: float = 20, top: float = 60, **more: Any) -> Screen:
    """A page with a heading, a text below it, and running text."""
    return Screen(
        1280,
        800,
        (
            Element(0, "h1", (40, 20, 300, 50), role="heading", level=1, own="Kiln", text="Kiln"),
            Element(1, "p", (40, top, 300, top + 24), own=said, text=said, font_size=size, **more),
            Element(2, "p", (40, 400, 300, 420), own=SHOWN * 3, text=SHOWN * 3, font_size=16),
        ),
        title="Teapots for all",
        language="en",
    )


def test_a_paragraph_in_larger_type_below_the_heading_is_the_standfirst() -> None:
    assert standfirst_of(fronted()) == STANDFIRST
    assert descriptions_of(fronted()) == {"standfirst": STANDFIRST}
    assert purpose(fronted())[0] == STANDFIRST


@pytest.mark.parametrize(
    "screen",
    [
        fronted(size=16),
        fronted(top=300),
        fronted(cut=True),
        fronted(STANDFIRST.rstrip(".")),
        fronted("All about teapots."),
        fronted("See the documentation for all the tools and glazes that a kiln takes."),
    ],
)
def test_other_texts_below_a_heading_are_no_standfirst(screen: Screen) -> None:
    assert standfirst_of(screen) == ""


def test_of_two_first_headings_none_has_a_standfirst() -> None:
    screen = fronted()
    second = msgspec.structs.replace(screen.elements[0], id=3)
    screen = msgspec.structs.replace(screen, elements=(*screen.elements, second))
    assert standfirst_of(screen) == ""
