"""Uploads outside of the database: files in a folder that all servers and workers can access.

A file is named by its owner and the SHA-256 of its bytes, so it never changes, readers can check
that it is complete, and all of an owner can be found. It is on disk before the row that names it;
without the row it is never read.
"""

import shutil
from hashlib import sha256
from pathlib import Path

from snellen.grading.errors import InputError
from snellen.server.errors import StoreError
from snellen.tasks.pack.folders import flush_folder, replace_hashed

_FAILED = "the uploads' files can't be reached: call again in a minute"


class Files:
    """Uploads in a folder.

    Args:
        folder: The folder; it is made if it is not there.

    Raises:
        StoreError: The folder can't be made.
    """

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"files can't be stored there: {error}", file=folder) from error

    def put(self, owner: str, body: bytes) -> str:
        """Store an owner's bytes, equal ones only once, and return the file's name.

        Raises:
            StoreError: They can't be stored.
        """
        name = f"{_folder_of(owner)}/{sha256(body).hexdigest()}"
        path = self._folder / name
        try:
            path.parent.mkdir(exist_ok=True)
            flush_folder(self._folder)
            replace_hashed(path, [body])
        except (InputError, OSError) as error:
            raise StoreError(f"nothing was stored; {_FAILED}") from error
        return name

    def get(self, name: str) -> bytes:
        """Return the bytes of a file.

        Raises:
            StoreError: They do not exist, or are damaged.
        """
        try:
            body = (self._folder / name).read_bytes()
        except FileNotFoundError as error:
            if not self._folder.is_dir():
                raise StoreError(_FAILED) from error
            raise self._lost(f"the file {name} is missing") from error
        except OSError as error:
            raise StoreError(_FAILED) from error
        if sha256(body).hexdigest() != name.rpartition("/")[2]:
            raise self._lost(f"the file {name} is damaged")
        return body

    def remove(self, owner: str) -> None:
        """Remove all files of an owner, also those that no row names.

        Raises:
            StoreError: They can't be removed.
        """
        try:
            shutil.rmtree(self._folder / _folder_of(owner))
        except FileNotFoundError:
            return
        except OSError as error:
            raise StoreError(_FAILED) from error

    def _lost(self, what: str) -> StoreError:
        return StoreError(f"{what}: restore it from a copy", file=str(self._folder), again=False)


def _folder_of(owner: str) -> str:
    return sha256(owner.encode(errors="surrogatepass")).hexdigest()[:32]
