"""TiddlyWiki's npm package, which not every machine has."""

import pytest

from snellen.grading.errors import InputError
from snellen.worlds.tiddlywiki.build import find_package


def _missing() -> str:
    try:
        find_package()
    except InputError as error:
        return error.message
    return ""


needs_package = pytest.mark.skipif(bool(_missing()), reason=_missing() or "it is there")
