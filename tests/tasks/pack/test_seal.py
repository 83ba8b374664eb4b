"""Keys stay outside of packs and private; AES-SIV is checked against a second implementation."""

import os
import re
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CTR
from cryptography.hazmat.primitives.cmac import CMAC
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.errors import DataError, InputError
from snellen.tasks.pack.seal import (
    KEY_VARIABLE,
    find_key,
    key_id,
    new_key,
    seal,
    unseal,
    write_key,
)

KEY = bytes(range(64)).hex()
POSIX = pytest.mark.skipif(os.name == "nt", reason="Windows keeps rights elsewhere")


def cmac(key: bytes, data: bytes) -> bytes:
    code = CMAC(AES(key))
    code.update(data)
    return code.finalize()


def xor(one: bytes, other: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(one, other, strict=True))


def doubled(block: bytes) -> bytes:
    number = int.from_bytes(block) << 1
    return ((number & (1 << 128) - 1) ^ (0x87 if number >> 128 else 0)).to_bytes(16)


def aes_siv(key: bytes, headers: list[bytes], plain: bytes) -> bytes:
    """RFC 5297, sections 2.4 and 2.6, implemented from the text."""
    first, second = key[:32], key[32:]
    total = cmac(first, bytes(16))
    for header in headers:
        total = xor(doubled(total), cmac(first, header))
    if len(plain) >= 16:
        last = plain[:-16] + xor(plain[-16:], total)
    else:
        last = xor(doubled(total), (plain + b"\x80").ljust(16, b"\0"))
    vector = cmac(first, last)
    counter = int.from_bytes(vector) & ~(1 << 63) & ~(1 << 31)
    cipher = Cipher(AES(second), CTR(counter.to_bytes(16))).encryptor()
    return vector + cipher.update(plain) + cipher.finalize()


@given(st.binary(min_size=1, max_size=100), st.binary(max_size=40))
def test_sealing_is_the_standards_cipher(plain: bytes, header: bytes) -> None:
    expected = aes_siv(bytes.fromhex(KEY), [b"snellen references", header], plain)
    assert seal(plain, KEY, header) == expected


@given(st.binary(min_size=1, max_size=200), st.binary(max_size=40))
def test_what_was_sealed_is_opened_by_its_key_and_header_alone(plain: bytes, header: bytes) -> None:
    sealed = seal(plain, KEY, header)
    assert unseal(sealed, KEY, header, file="x") == plain
    changed = bytes([sealed[0] ^ 1]) + sealed[1:]
    for bytes_, key, head in (
        (sealed, new_key(), header),
        (sealed, KEY, header + b"!"),
        (changed, KEY, header),
        (sealed[:-1], KEY, header),
        (b"", KEY, header),
    ):
        with pytest.raises(DataError, match=r"^x: the key does not decrypt it, or it was changed"):
            unseal(bytes_, key, head, file="x")


def test_equal_input_makes_equal_bytes() -> None:
    assert seal(b"gold", KEY, b"head") == seal(b"gold", KEY, b"head")


def test_a_key_is_named_without_being_told() -> None:
    keys = [new_key() for _ in range(20)]
    assert len({key_id(key) for key in keys}) == 20
    assert all(re.fullmatch("[0-9a-f]{16}", key_id(key)) for key in keys)
    assert all(key_id(key) not in key for key in keys)
    assert key_id(KEY) == key_id(KEY.upper())


def test_a_new_key_is_its_owners_alone_and_found_again(tmp_path: Path) -> None:
    key = write_key(tmp_path / "key")
    assert find_key(tmp_path / "key") == key
    assert len(bytes.fromhex(key)) == 64
    if os.name != "nt":
        assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600


def test_a_key_is_never_overwritten(tmp_path: Path) -> None:
    key = write_key(tmp_path / "key")
    with pytest.raises(InputError, match="never overwritten"):
        write_key(tmp_path / "key")
    assert find_key(tmp_path / "key") == key


def test_no_key_is_made_where_there_is_no_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        write_key(tmp_path / "none" / "key")


@POSIX
@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o666, 0o610])
def test_a_key_that_others_can_read_is_refused(mode: int, tmp_path: Path) -> None:
    write_key(tmp_path / "key")
    (tmp_path / "key").chmod(mode)
    with pytest.raises(InputError, match=r"others can read the key; run: chmod 600 .*key"):
        find_key(tmp_path / "key")


@pytest.mark.parametrize("inside", ["key", "images/key", "../pack/key"])
def test_a_key_inside_the_pack_is_refused(inside: str, tmp_path: Path) -> None:
    pack = tmp_path / "pack"
    (pack / "images").mkdir(parents=True)
    with pytest.raises(InputError, match="inside the pack protects nothing"):
        write_key(pack / inside, pack=pack)
    write_key(pack / inside)
    with pytest.raises(InputError, match="inside the pack protects nothing"):
        find_key(pack / inside, pack=pack)


@POSIX
def test_a_link_to_a_key_inside_the_pack_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pack").mkdir()
    write_key(tmp_path / "pack" / "key")
    (tmp_path / "link").symlink_to(tmp_path / "pack" / "key")
    with pytest.raises(InputError, match="inside the pack"):
        find_key(tmp_path / "link", pack=tmp_path / "pack")


def test_the_environment_holds_the_key_or_names_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(KEY_VARIABLE, raising=False)
    assert find_key() is None
    monkeypatch.setenv(KEY_VARIABLE, "")
    assert find_key() is None
    monkeypatch.setenv(KEY_VARIABLE, KEY.upper() + "\n")
    assert find_key() == KEY
    other = write_key(tmp_path / "key")
    assert find_key(tmp_path / "key") == other
    monkeypatch.setenv(KEY_VARIABLE, f"@{tmp_path / 'key'}")
    assert find_key() == other
    with pytest.raises(InputError, match="inside the pack"):
        find_key(pack=tmp_path)


@pytest.mark.parametrize(
    "text", ["", "SECRET", "SECRET" * 20, KEY[:-1], KEY + "0", "é" * 64, "\x00" * 128]
)
def test_what_is_no_key_is_refused_unseen(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "key"
    path.write_text(text, encoding="utf-8")
    path.chmod(0o600)
    with pytest.raises(InputError, match="128 hexadecimal digits") as caught:
        find_key(path)
    assert "SECRET" not in str(caught.value)
    assert KEY[:-1] not in str(caught.value)
    if text and "\x00" not in text:
        monkeypatch.setenv(KEY_VARIABLE, text)
        with pytest.raises(InputError, match=f"^{KEY_VARIABLE}: ") as caught:
            find_key()
        assert "SECRET" not in str(caught.value)


def test_a_key_that_is_not_there_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match="no such file; `snellen pack seal PACK --key FILE` creates"
    ):
        find_key(tmp_path / "none")
    with pytest.raises(InputError, match="can't read the key"):
        find_key(tmp_path)
