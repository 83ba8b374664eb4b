"""Fetching a benchmark's published files into a folder that its loader reads.

A fetch is pinned to a commit, checked against the published digests where there are any, and goes
on where an interrupted one stopped. What came, and from where, stands in `snellen-fetch.json` in
the folder.

huggingface_hub is asked for what a listing needs: the commit behind a name, the tree with its
digests, who one is logged in as, and which endpoint (`HF_ENDPOINT`). Its own downloads start a file
over after an interrupt, so the bytes are fetched by `snellen.tasks.data.fetch.download`.
"""

import os
import re
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from snellen.grading.errors import InputError, MissingExtraError
from snellen.tasks.benchmarks.table import place_of
from snellen.tasks.data.fetch.download import Remote
from snellen.tasks.data.fetch.faults import (
    FetchError,
    Refused,
    Unreachable,
    disk_full,
    proxies_told,
)
from snellen.tasks.data.fetch.manifest import FetchedFile, Manifest, read_manifest
from snellen.tasks.data.fetch.names import LOCK, is_own
from snellen.tasks.data.fetch.transfer import Progress, Transfer
from snellen.tasks.data.pins import remember_revision, revision_of
from snellen.tasks.data.release import Place
from snellen.tasks.io.images import is_inside

if TYPE_CHECKING:
    from huggingface_hub import HfApi


__all__ = [
    "FetchError",
    "Fetched",
    "FetchedFile",
    "Progress",
    "fetch",
]


@dataclass(frozen=True, slots=True)
class Fetched:
    """What a fetch came to."""

    benchmark: str  # the benchmark's id
    folder: Path  # where its files are: what to give as data
    repository: str  # where they came from
    revision: str  # the commit
    files: tuple[FetchedFile, ...]  # all files asked for, there and checked
    new: tuple[str, ...] = ()  # the paths of those that were downloaded this time
    notes: tuple[str, ...] = ()  # what a user should know besides

    @property
    def size(self) -> int:
        """The bytes of all files asked for."""
        return sum(file.size for file in self.files)


def fetch(
    benchmark: str,
    to: str | Path | None = None,
    *,
    tasks: Sequence[str] = (),
    revision: str | None = None,
    images: bool = True,
    watch: Callable[[Progress], None] | None = None,
) -> Fetched:
    """Fetch a benchmark's published files into a folder.

    What is there already is checked by its digest and not fetched again; a file that was cut off
    is taken up where it stopped. A folder holds one revision.

    Args:
        benchmark: Its id, such as `visualwebbench`; `snellen fetch --help` has them all.
        to: The folder; None: one named like the benchmark, in the working folder.
        tasks: Only what these tasks need; none: everything.
        revision: A commit (on Hugging Face also a branch or a tag); None: the one that the folder
            holds, else the pinned one, else that of the first fetch on this machine, else what
            the repository holds now.
        images: Whether to fetch files that hold nothing but images.
        watch: Called with how far it is, from several threads but one at a time.

    Raises:
        UnknownNameError: There is no such benchmark or task.
        InputError: The folder holds something else, or what is asked for makes no sense.
        MissingExtraError: It is on Hugging Face, and huggingface_hub is not installed.
        FetchError: It failed; the message says what to do. What came is kept.
    """
    place = place_of(benchmark)
    folder = Path(benchmark if to is None else to)
    place.wanted((), tasks, images=images)
    with _alone(folder, place):
        before = read_manifest(folder)
        asked = _asked_revision(place, folder, before, revision)
        with _told(place, folder):
            commit, remotes = _list(place, asked)
            manifest = before or Manifest(
                benchmark=benchmark, repository=place.repository, revision=commit
            )
            if manifest.revision != commit:
                raise _other_revision(folder, manifest, commit)
            chosen = place.wanted([remote.path for remote in remotes], tasks, images=images)
            wanted = [remote for remote in remotes if remote.path in set(chosen)]
            _check_paths(place, wanted)
            transfer = Transfer(folder, manifest, wanted, watch)
            transfer.run()
    notes = [place.note] if place.note else []
    if place.revision is None:
        notes.append(remember_revision(place.repository, commit))
    return Fetched(
        benchmark=benchmark,
        folder=folder,
        repository=place.repository,
        revision=commit,
        files=tuple(transfer.records[remote.path] for remote in wanted),
        new=tuple(sorted(transfer.new)),
        notes=tuple(notes),
    )


# ---- which files -------------------------------------------------------------------------------


def _asked_revision(
    place: Place, folder: Path, manifest: Manifest | None, revision: str | None
) -> str | None:
    if manifest is None:
        return revision or place.revision or revision_of(place.repository)
    if manifest.repository != place.repository:
        raise InputError(
            f"holds {manifest.repository} already; give another folder with --to",
            file=str(folder),
        )
    return revision or manifest.revision


def _other_revision(folder: Path, manifest: Manifest, commit: str) -> InputError:
    return InputError(
        f"holds revision {manifest.revision} of {manifest.repository}, and {commit} was asked"
        " for; give another folder with --to",
        file=str(folder),
    )


def _list(place: Place, revision: str | None) -> tuple[str, Sequence[Remote]]:
    if place.host == "huggingface.co":
        return list_files(place.name, revision)
    commit = revision or place.revision
    if commit is None:
        raise InputError(f"give revision=, a commit of {place.page}: none is on record")
    # The digests on record are those of the pinned commit's files.
    sha256: Mapping[str, str] = place.sha256 if commit == place.revision else {}
    return commit, raw_files(place.name, commit, place.files, sha256)


def _check_paths(place: Place, remotes: Sequence[Remote]) -> None:
    if not remotes:
        raise FetchError(
            f"{place.page} holds none of the files that are known of it",
            "It may be laid out otherwise now: look at its page, and fetch it by hand.",
        )
    for remote in remotes:
        if not is_inside(remote.path):
            raise FetchError(f"{place.page} names a file outside of its folder: {remote.path!r}")
        if is_own(remote.path):
            raise FetchError(f"{place.page} holds {remote.path!r}, a name of snellen's own")


# ---- what goes wrong ---------------------------------------------------------------------------


@contextmanager
def _alone(folder: Path, place: Place) -> Generator[None]:
    """Hold the folder, which is made where there is none."""
    from filelock import FileLock, Timeout

    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / LOCK)
        lock.acquire(timeout=0)
    except Timeout:
        raise FetchError(
            f"another fetch of {place.benchmark} into {folder} is under way",
            "Wait for its end, or give another folder with --to.",
        ) from None
    except OSError as error:
        raise FetchError(f"{folder} can't be written to: {error.strerror}") from error
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _told(place: Place, folder: Path) -> Generator[None]:
    """Turn what goes wrong into an error that says what to do."""
    goes_on = "What is there is kept: run this again to go on."
    try:
        yield
    except Unreachable as error:
        mirror = "SNELLEN_GITHUB_MIRROR" if place.host == "github.com" else "HF_ENDPOINT"
        raise FetchError(
            f"{place.host} can't be reached ({error})",
            f"{goes_on} Behind a firewall set HTTPS_PROXY, or {mirror} to a mirror. By hand:"
            f" download {place.page} into {folder}.",
        ) from error
    except Refused as error:
        advice = error.advice or _ADVICE.get(error.status, f"Look at {place.page}.")
        raise FetchError(f"{error}", f"{advice} {goes_on} Its page: {place.page}") from error
    except OSError as error:
        if disk_full(error):
            raise FetchError(f"the disk of {folder} is full", goes_on) from error
        raise FetchError(
            f"{error.filename or folder} can't be written: {error.strerror or error}", goes_on
        ) from error


_ADVICE = {
    401: "It asks for a login: `hf auth login`, or set HF_TOKEN.",
    403: "It may not be read: accept its terms on its page and log in.",
    404: "It is not there: was it moved, or is the revision wrong?",
    429: "It was asked too often: wait a while.",
}
"""What to do about a status."""


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


_PATIENCE = 30.0


class Listing(NamedTuple):
    """What a repository holds at one commit."""

    revision: str
    files: Sequence[Remote]


def list_files(name: str, revision: str | None) -> Listing:
    """List a data set's files.

    Args:
        name: The data set, `owner/name`.
        revision: A commit, a branch or a tag; None: the default branch.

    Raises:
        MissingExtraError: huggingface_hub is not installed.
        Refused: There is no such repository or revision, or it may not be read.
        Unreachable: The hub can't be reached.
    """
    try:
        # httpx2 is what huggingface_hub asks with.
        import httpx2
        from huggingface_hub import HfApi
        from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled
    except ImportError:
        raise MissingExtraError("fetching from Hugging Face", "fetch") from None
    api = HfApi(endpoint=os.environ.get("HF_ENDPOINT") or None, library_name="snellen")
    try:
        return _listing(api, name, revision)
    except HfHubHTTPError as error:
        raise _refusal(error, name, revision) from error
    except OfflineModeIsEnabled:
        raise Unreachable("HF_HUB_OFFLINE is set, so nothing is asked") from None
    except (httpx2.HTTPError, OSError) as error:
        raise Unreachable(f"{api.endpoint}: {error}") from error


def _listing(api: "HfApi", name: str, revision: str | None) -> Listing:
    from huggingface_hub import get_token, hf_hub_url
    from huggingface_hub.hf_api import RepoFile
    from huggingface_hub.utils import get_session

    token = get_token()
    if token and not token.isascii():
        advice = "Set HF_TOKEN again, or log in with `hf auth login`."
        raise Refused("the token for Hugging Face can't be sent: it is not ASCII", 0, advice)
    with proxies_told():
        get_session()
    # Asked for first, because it is the one question that is not asked again and again in vain.
    commit = api.dataset_info(name, revision=revision, timeout=_PATIENCE).sha
    if commit is None:
        raise Unreachable(f"{api.endpoint} did not say which commit {revision or 'main'} is")
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    tree = api.list_repo_tree(name, recursive=True, revision=commit, repo_type="dataset")
    return Listing(
        commit,
        [
            Remote(
                path=entry.path,
                url=hf_hub_url(
                    name,
                    entry.path,
                    repo_type="dataset",
                    revision=commit,
                    endpoint=api.endpoint,
                ),
                size=entry.lfs.size if entry.lfs else entry.size,
                sha256=entry.lfs.sha256 if entry.lfs else None,
                git_blob=None if entry.lfs else entry.blob_id,
                headers=headers,
            )
            for entry in tree
            if isinstance(entry, RepoFile)
        ],
    )


def _refusal(error: Exception, name: str, revision: str | None) -> Refused:
    from huggingface_hub.errors import (
        GatedRepoError,
        HfHubHTTPError,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    status = error.response.status_code if isinstance(error, HfHubHTTPError) else 0
    if isinstance(error, GatedRepoError):
        return Refused(
            f"{name} is gated",
            status,
            "Accept its terms on its page, log in with `hf auth login` (or set HF_TOKEN), and"
            " run this again",
        )
    if isinstance(error, RevisionNotFoundError):
        return Refused(f"{name} has no revision {revision!r}", status, "Give --revision=main")
    if isinstance(error, RepositoryNotFoundError):
        return Refused(
            f"{name} is not there, or not to be seen without logging in ({status})",
            status,
            "If it is private, log in with `hf auth login` (or set HF_TOKEN)",
        )
    return Refused(f"{name}: the hub answered {status}", status)
