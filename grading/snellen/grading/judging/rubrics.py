"""Rubrics: by what a judge judges, each with a name, a version and a digest."""

import hashlib
import json
import tomllib
from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType

from pydantic import Field, ValidationError, model_validator

from snellen.grading.errors import InputError, UnknownNameError
from snellen.grading.models.base import Closed

_LAYOUT = 1
"""Goes up when the frame that `render` puts around a rubric's text changes."""


class Rubric(Closed):
    """By what a judge judges.

    Attributes:
        name: What it is called.
        version: Goes up whenever anything else here changes.
        instruction: What to judge and by which rules.
        levels: What each verdict means, from the worst, 0, to the best.
        passes: The level from which a response counts as right.
    """

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]*$")
    version: int = Field(ge=1)
    instruction: str = Field(min_length=1)
    levels: tuple[str, ...] = Field(min_length=2, max_length=11)
    passes: int = Field(ge=1)

    @model_validator(mode="after")
    def _passes_is_a_level(self) -> "Rubric":
        if self.passes >= len(self.levels):
            raise ValueError(
                f"passes is {self.passes}, but the best level is {len(self.levels) - 1}"
            )
        return self

    @property
    def id(self) -> str:
        """The name with the version: `correct@1`."""
        return f"{self.name}@{self.version}"

    @property
    def best(self) -> int:
        """The best level."""
        return len(self.levels) - 1

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of all that it says and of how it is put to a judge."""
        content = json.dumps({"layout": _LAYOUT, **self.model_dump()}, sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()


_RULES = """\
You compare the response to a question about a screenshot with one or more references.

- Take the references for right and complete, even where you would have answered otherwise. Any \
one of them is enough.
- What counts is what the response says. Wording, language, case, punctuation, the order of a list \
whose order says nothing, and other ways to write the same number, date or unit do not count.
- A response that commits itself to no answer, or to several of which only one is right, is wrong.
- A response that adds something which contradicts a reference is wrong.
- A reference may say that there is no answer on the screen, as in "<no answer>". A response that \
says the same, in any words, is then right, and any other wrong.
- A question may ask for a certain form, such as a letter alone. The form does not count here, as \
long as one answer can be read without a doubt."""

CORRECT = Rubric(
    name="correct",
    version=1,
    instruction=_RULES,
    levels=(
        "wrong: it does not say what a reference says",
        "right: it says what a reference says",
    ),
    passes=1,
)

GRADED = Rubric(
    name="graded",
    version=1,
    instruction=_RULES
    + "\n- Between wrong and right there are levels here, for responses that are right in part.",
    levels=(
        "wrong: nothing that counts agrees with a reference, or there is no answer",
        "mostly wrong: something agrees with a reference, the main point does not",
        "half right: half of what a reference says is there, or the main point is unclear",
        "mostly right: the main point agrees, with a minor omission or slip",
        "right: it says all that a reference says and nothing that contradicts it",
    ),
    passes=3,
)

RUBRICS: Mapping[str, Rubric] = MappingProxyType(
    {rubric.id: rubric for rubric in (CORRECT, GRADED)}
)
"""Every rubric that ships, by name and version."""


def rubric_of(name: str) -> Rubric:
    """Return a rubric by its name, its newest version where none is named.

    Raises:
        UnknownNameError: There is none of that name.

    >>> rubric_of("correct").id
    'correct@1'
    """
    if name in RUBRICS:
        return RUBRICS[name]
    versions = [rubric for rubric in RUBRICS.values() if rubric.name == name]
    if not versions:
        raise UnknownNameError("rubric", name, RUBRICS)
    return max(versions, key=lambda rubric: rubric.version)


def read_rubric(text: str, file: str | None = None) -> Rubric:
    """Read a rubric of one's own, written as TOML with the fields of `Rubric`.

    Raises:
        InputError: It is no TOML, or lacks or misspells a field; with the field.

    >>> read_rubric('''
    ... name = "polite"
    ... version = 1
    ... instruction = "Judge whether the response is polite."
    ... levels = ["impolite", "polite"]
    ... passes = 1
    ... ''').id
    'polite@1'
    """
    try:
        return Rubric.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"the rubric is not TOML: {error}", file=file) from None
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"])) or None
        raise InputError(f"the rubric can't be used: {first['msg']}", file=file, field=field) from (
            None
        )
