"""Sealing: deterministic encryption of references, equal bytes for equal input (AES-SIV, RFC 5297).

The key is 64 random bytes, written as 128 hexadecimal digits, and must not be inside the pack.
`cryptography` is imported when data is sealed or decrypted.
"""

import os
import re
import secrets
import stat
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from snellen.grading.errors import DataError, InputError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESSIV

KEY_VARIABLE = "SNELLEN_PACK_KEY"
"""The environment variable with the key, or with `@` and the path of the key's file."""

_KEY_BYTES = 64
_HEX = re.compile(rf"[0-9a-fA-F]{{{2 * _KEY_BYTES}}}")
_PURPOSE = b"snellen references"
_LONGEST_FILE = 4096


def new_key() -> str:
    """Return a new random key."""
    return secrets.token_hex(_KEY_BYTES)


def key_id(key: str) -> str:
    """Return an id of a key that does not reveal it: the beginning of a digest."""
    return sha256(_PURPOSE + _bytes(key)).hexdigest()[:16]


def write_key(path: Path, *, pack: Path | None = None) -> str:
    """Create a new key and write it to a file that only its owner can read.

    Args:
        path: The new file.
        pack: The pack of the key; the file must not be inside it.

    Raises:
        InputError: The file exists, can't be written, or would be inside the pack.
    """
    _check_outside(path, pack)
    key = new_key()
    try:
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:
        raise InputError("the file exists; a key is never overwritten", file=str(path)) from None
    except OSError as error:
        raise InputError(f"can't write the key: {error.strerror}", file=str(path)) from error
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(key + "\n")
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        # An incomplete key is useless, and would prevent writing a complete one.
        path.unlink(missing_ok=True)
        raise
    return key


def find_key(path: Path | None = None, *, pack: Path | None = None) -> str | None:
    """Return the key from a file, or from the environment; None if there is none.

    Args:
        path: The key's file; None to use `SNELLEN_PACK_KEY`.
        pack: The pack of the key; the key's file must not be inside it.

    Raises:
        InputError: The file can't be read, has no key, can be read by others than its owner, or is
            inside the pack.
    """
    if path is None:
        value = os.environ.get(KEY_VARIABLE, "").strip()
        if not value:
            return None
        if not value.startswith("@"):
            return _checked(value, KEY_VARIABLE)
        path = Path(value[1:])
    _check_outside(path, pack)
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            text = file.read(_LONGEST_FILE)
    except FileNotFoundError:
        raise InputError(
            "there is no such file; `snellen pack seal PACK --key FILE` creates a key",
            file=str(path),
        ) from None
    except OSError as error:
        raise InputError(f"can't read the key: {error.strerror}", file=str(path)) from error
    # Windows has other access rights: its mode bits always look readable by all.
    if os.name != "nt" and stat.S_IMODE(mode) & 0o077:
        raise InputError(f"others can read the key; run: chmod 600 {path}", file=str(path))
    return _checked(text.decode("ascii", "replace").strip(), str(path))


def seal(plain: bytes, key: str, header: bytes) -> bytes:
    """Encrypt bytes; the header is authenticated but not encrypted."""
    return _cipher(key).encrypt(plain, [_PURPOSE, header])


def unseal(sealed: bytes, key: str, header: bytes, *, file: str) -> bytes:
    """Decrypt bytes from `seal`.

    Raises:
        DataError: The key is wrong, or the bytes were changed.
        MissingExtraError: `cryptography` is not installed.
    """
    cipher = _cipher(key)
    from cryptography.exceptions import InvalidTag

    try:
        return cipher.decrypt(sealed, [_PURPOSE, header])
    except (InvalidTag, ValueError):
        raise DataError(
            "the key does not decrypt it, or it was changed; fetch the pack again", file=file
        ) from None


def _cipher(key: str) -> "AESSIV":
    from cryptography.hazmat.primitives.ciphers.aead import AESSIV

    return AESSIV(_bytes(key))


def _check_outside(path: Path, pack: Path | None) -> None:
    if pack is not None and path.resolve().is_relative_to(pack.resolve()):
        raise InputError(
            "a key inside the pack protects nothing; keep it elsewhere", file=str(path)
        )


def _bytes(key: str) -> bytes:
    return bytes.fromhex(key)


def _checked(key: str, where: str) -> str:
    if not _HEX.fullmatch(key):
        raise InputError(
            f"it is not a key; a key has {2 * _KEY_BYTES} hexadecimal digits", file=where
        )
    return key.lower()
