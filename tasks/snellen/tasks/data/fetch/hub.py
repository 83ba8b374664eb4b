"""Which files a Hugging Face repository holds, asked through huggingface_hub.

The library is asked for what a listing needs: the commit behind a name, the tree with its digests,
who one is logged in as, and which endpoint (`HF_ENDPOINT`). Its own downloads start a file over
after an interrupt, so the bytes are fetched by `snellen.tasks.data.fetch.download`.
"""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from snellen.grading.errors import MissingExtraError
from snellen.tasks.data.fetch.download import Remote
from snellen.tasks.data.fetch.faults import Refused, Unreachable, proxies_told

if TYPE_CHECKING:
    from huggingface_hub import HfApi

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
