"""Files outside of the database and of packs: objects in a folder or in a bucket of S3.

An upload's object is named by its owner and the SHA-256 of its bytes, so it never changes, readers
can check that it is complete, and all of an owner can be found. It is on disk before the row that
names it; without the row it is never read.
"""

import os
from hashlib import sha256
from pathlib import Path

from snellen.grading.errors import DataError, MissingExtraError
from snellen.server.errors import StoreError

_FAILED = "the uploads' files can't be reached: call again in a minute"


class Objects:
    """A folder or a bucket, whose objects are read by their names.

    Args:
        place: A folder, or an URL such as `s3://bucket/prefix`; keys and endpoint of a bucket are
            read from the environment (`AWS_ACCESS_KEY_ID` and the like).

    Raises:
        MissingExtraError: The package that reads and writes objects is not installed.
        StoreError: The place is not valid.
    """

    def __init__(self, place: str) -> None:
        try:
            from obstore import exceptions
            from obstore.store import LocalStore, from_url
        except ImportError as error:
            raise MissingExtraError("files in a bucket or a folder", "s3") from error
        self._place = place
        self._folder = None if "://" in place else Path(place)
        self._exists = exceptions.AlreadyExistsError
        # What it raises for a missing object, and for a folder's, are Python's own.
        self._faults = (exceptions.BaseError, OSError, ValueError)
        try:
            self._store = (
                from_url(place)
                if self._folder is None
                else LocalStore(self._folder.absolute(), mkdir=True)
            )
        except self._faults as error:
            raise StoreError(f"files can't be stored there: {error}", file=place) from error

    def read(self, name: str, size: int) -> bytes:
        """Return the bytes of an object.

        Args:
            name: Its name below the place, with forward slashes.
            size: Its expected size in bytes; an object of another size is not read.

        Raises:
            DataError: It does not exist, or has another size.
            StoreError: The place can't be reached.
        """
        import obstore

        file = f"{self._place}/{name}"
        try:
            found = obstore.get(self._store, name)
            held = found.meta["size"]
            body = bytes(found.bytes()) if held == size else None
        except FileNotFoundError:
            message = "it is missing; copy the pack's images there"
            raise DataError(message, file=file) from None
        except self._faults as error:
            raise StoreError("the images can't be reached: call again in a minute") from error
        if body is None:
            raise DataError(
                f"it has {held:,} bytes, and the pack was made with {size:,}; copy the images there"
                " again",
                file=file,
            )
        return body


class Files(Objects):
    """Uploads as objects in a folder or a bucket, each named by its bytes; see `Objects`."""

    def put(self, owner: str, body: bytes) -> str:
        """Store an owner's bytes, equal ones only once, and return the object's name.

        Raises:
            StoreError: They can't be stored.
        """
        import obstore

        name = f"{_folder_of(owner)}/{sha256(body).hexdigest()}"
        try:
            try:
                obstore.put(self._store, name, body, mode="create")
            except self._exists:
                # A crash may have left a part of it.
                if obstore.head(self._store, name)["size"] == len(body):
                    return name
                obstore.put(self._store, name, body)
            if self._folder is not None:
                _sync(self._folder / name)
        except self._faults as error:
            raise StoreError(f"nothing was stored; {_FAILED}") from error
        return name

    def get(self, name: str) -> bytes:
        """Return the bytes of an object.

        Raises:
            StoreError: They do not exist, or are damaged.
        """
        import obstore

        try:
            body = bytes(obstore.get(self._store, name).bytes())
        except FileNotFoundError as error:
            if self._folder is not None and not self._folder.is_dir():
                raise StoreError(_FAILED) from error
            raise StoreError(
                f"the object {name} is missing: restore it from a copy",
                file=self._place,
                again=False,
            ) from error
        except self._faults as error:
            raise StoreError(_FAILED) from error
        if sha256(body).hexdigest() != name.rpartition("/")[2]:
            raise StoreError(
                f"the object {name} is damaged: restore it from a copy",
                file=self._place,
                again=False,
            )
        return body

    def remove(self, owner: str) -> None:
        """Remove all objects of an owner, also those that no row names.

        Raises:
            StoreError: They can't be removed.
        """
        import obstore

        try:
            pages = obstore.list(self._store, prefix=_folder_of(owner))  # pyright: ignore[reportUnknownMemberType]  # as tables of Arrow
            obstore.delete(self._store, [each["path"] for page in pages for each in page])
        except self._faults as error:
            raise StoreError(_FAILED) from error


def _folder_of(owner: str) -> str:
    return sha256(owner.encode(errors="surrogatepass")).hexdigest()[:32]


def _sync(path: Path) -> None:
    """Flush a file and its directory entry to disk."""
    for each in (path, path.parent, path.parent.parent):
        handle = os.open(each, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
