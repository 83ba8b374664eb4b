"""Words that were replaced by plain ones do not come back."""

import re
import subprocess
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]

VERBS = (
    "Asked|Found|Given|Handed|Heard|Kept|Led|Lent|Played|Remade|Said|Seen|Shown|Sitting|Taken|Tried"
    "|Wanted"
)
REPLACED = {
    r"eyes shut": "blind",
    r"\bstr(?:ikes?|uck|iking)\b": "remove",
    r"\bmend(?:s|ed|ing)?\b": "fix",
    r"\bheed": "respect, apply, use",
    r"\bhangs? on\b": "depends on, is derived from",
    r"\bby lot\b": "at random",
    r"\b(?:nobody's|somebody else's)\b": "not assigned; belongs to another caller",
    r"\btold: Callable": "on_message, notify",
    rf"class _?(?:{VERBS})\b": "the noun that it is",
    r"takes some time": "must be greater than 0",
    r"\blame\b": "biases",
    r"goes on where": "resumes after",
    r"\bmade up\b": "generated",
    r"\bwhere there is no\b": "if there is no, without",
    r"normalis|organis|recognis|behaviour|colour|\bcentre": "the American spelling",
}
"""What is looked for, in any case, and what to write instead."""

# The manifest of a pack has a field of this name, and its format is published.
FIELD = re.compile(r"built\.struck|\bstruck[=:]|[\"`]struck[\"`]")


class Line(NamedTuple):
    """A line of a file of the project, without the manifest's field."""

    where: str
    text: str


def tracked() -> list[Path]:
    """Return the project's texts: code, templates and documentation."""
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    return [
        ROOT / name
        for name in listed
        if name.endswith((".py", ".md", ".j2", ".js", ".toml"))
        and name not in {"tests/test_words.py", "CHANGELOG.md"}
        and (ROOT / name).exists()
    ]


@cache
def lines() -> list[Line]:
    """Return all lines of the project's texts."""
    return [
        Line(f"{path.relative_to(ROOT)}:{number}", FIELD.sub("", line))
        for path in tracked()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("pattern", REPLACED)
def test_a_replaced_word_does_not_come_back(pattern: str) -> None:
    word = re.compile(pattern, re.IGNORECASE)
    found = [f"{line.where}: {line.text.strip()}" for line in lines() if word.search(line.text)]
    assert not found, f"write {REPLACED[pattern]!r} instead:\n" + "\n".join(found)
