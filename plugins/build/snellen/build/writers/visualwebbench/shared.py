"""Code shared by the makers of VisualWebBench's items: reasons, names and rows."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from snellen.build.items import Made, Refused
from snellen.build.questions.text import language_of
from snellen.build.snapshots import Snapshot


class Reason(StrEnum):
    """The reasons why a page gives no item."""

    NO_DESCRIPTION = "no meta description"
    SHORT_DESCRIPTION = "the meta description is too short or too long"
    GENERIC_DESCRIPTION = "the meta description would fit any page"
    LISTED_DESCRIPTION = "the meta description is a list of words, no sentence"
    OTHER_DESCRIPTION = "the meta description says what the page does not show"
    NO_HEADING = "no visible first heading"
    PICTURE_HEADING = "the first heading is a picture"
    CUT_HEADING = "the first heading can't be read in full"
    NOTED_HEADING = "small print or a badge stands in the first heading"
    UNCLEAR_HEADING = "another heading looks as important as the first"
    NO_LONG_TEXT = "no text of more than 20 words"
    CUT_TEXT = "no text of more than 20 words stands alone and can be read in full"
    NO_LANGUAGE = "the page does not say its language"
    NO_TEMPLATES = "no templates for the language"
    NO_ANSWER = "no fact with exactly one answer"
    FEW_CANDIDATES = "fewer than eight elements that do not overlap"
    NOT_UNIQUE = "no element that only one description fits"
    NO_CLICKS = "no click leads to another title"
    SAID = "what leads to another title says it"
    UNEVEN_TITLES = "left out, so that no title of a site is right more often than another"


def refused(config: str, reason: Reason) -> Refused:
    """Return the refusal of an item of a configuration."""
    return Refused(f"visualwebbench/{config}", reason.value)


def screen_name(snapshot: Snapshot) -> str:
    """Return the file name of a page's screenshot without marks."""
    return f"raw_image/{snapshot.id}.png"


def made(
    snapshot: Snapshot,
    config: str,
    number: int,
    row: Mapping[str, Any],
    *,
    marked: bytes | None = None,
    tags: Mapping[str, str] | None = None,
    record: Mapping[str, Any] | None = None,
) -> Made:
    """Return an item of a page.

    Args:
        snapshot: The page.
        config: The configuration.
        number: The item's number among the page's items of the configuration, from 1.
        row: The fields that only this configuration has.
        marked: The screenshot with marks; None for the plain one.
        tags: Tags in addition to the language.
        record: Details for checks.
    """
    name, item = screen_name(snapshot), f"{snapshot.id}/{config}_{number}"
    images = {name: snapshot.image()}
    shown = name
    if marked is not None:
        shown = f"image/{item}.png"
        images[shown] = marked
    screen = snapshot.screen
    return Made(
        f"visualwebbench/{config}",
        {
            "id": item,
            "task_type": config,
            "website": snapshot.captured.site,
            "image": shown,
            "raw_image": name,
            "image_size": [screen.width, screen.height],
            **row,
        },
        images,
        {"language": language_of(screen) or "unknown", **(tags or {})},
        record or {},
    )
