"""Which files of a GitHub repository are fetched, at a commit.

`SNELLEN_GITHUB_MIRROR` names a mirror of raw.githubusercontent.com, for where that is blocked.
"""

import os
import re
from collections.abc import Mapping, Sequence
from urllib.parse import quote

from snellen.grading.errors import InputError
from snellen.tasks.data.fetch.download import Remote

RAW = "https://raw.githubusercontent.com"

_COMMIT = re.compile(r"[0-9a-f]{40}")


def raw_files(
    name: str, revision: str, paths: Sequence[str], sha256: Mapping[str, str]
) -> list[Remote]:
    """Return where a repository's files are.

    Args:
        name: The repository, `owner/name`.
        revision: A commit's full hash: what is fetched must not change from file to file.
        paths: The files.
        sha256: Digests on record for this commit, by file.

    Raises:
        InputError: The revision is no commit.
    """
    if not _COMMIT.fullmatch(revision):
        raise InputError(
            f"{revision!r} is no commit: give the 40 digits of one, from"
            f" https://github.com/{name}/commits",
            field="revision",
        )
    base = (os.environ.get("SNELLEN_GITHUB_MIRROR") or RAW).rstrip("/")
    return [
        Remote(
            path=path,
            url=f"{base}/{name}/{revision}/{quote(path)}",
            sha256=sha256.get(path),
        )
        for path in paths
    ]
