"""Addresses: only public ones, and the very one that was looked at."""

import ipaddress
from collections.abc import Sequence

import pytest

from snellen.grading.errors import DataError
from snellen.server.screenshots.addresses import Resolve, checked_address, is_public, resolve


def at(*addresses: str) -> Resolve:
    async def ask(host: str, port: int) -> Sequence[str]:
        return addresses

    return ask


PRIVATE = [
    "127.0.0.1",
    "127.9.9.9",
    "0.0.0.0",
    "10.0.0.1",
    "172.16.5.4",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "192.0.2.1",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "fe80::1",
    "fe80::1%eth0",
    "fc00::1",
    "fd12:3456::1",
    "ff02::1",
    "2001:db8::1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "2002:7f00:1::",
    "2002:a00:1::1",
]


@pytest.mark.parametrize("address", PRIVATE)
async def test_an_address_that_is_not_public_is_refused(address: str) -> None:
    with pytest.raises(DataError, match="which is not public: nothing is fetched there"):
        await checked_address("images.example", 443, at(address))


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:2800:220:1::1", "64:ff9b::5db8:d822"])
async def test_a_public_address_is_returned(address: str) -> None:
    assert is_public(ipaddress.ip_address(address))
    assert await checked_address("images.example", 443, at(address)) == address


async def test_one_private_address_among_public_ones_spoils_the_name() -> None:
    with pytest.raises(DataError, match=r"images.example is at 10.0.0.1"):
        await checked_address("images.example", 443, at("93.184.216.34", "10.0.0.1"))


async def test_loopback_is_allowed_only_where_it_is_asked_for() -> None:
    assert await checked_address("here", 80, at("127.0.0.1"), loopback=True) == "127.0.0.1"
    with pytest.raises(DataError, match="not public"):
        await checked_address("here", 80, at("10.0.0.1"), loopback=True)


async def test_a_name_without_an_address_is_said() -> None:
    with pytest.raises(DataError, match=r"images\.example has no address"):
        await checked_address("images.example", 443, at())
    with pytest.raises(DataError, match="has no address"):
        await checked_address("x" * 70 + ".example", 443)


async def test_the_system_knows_its_own_addresses() -> None:
    assert await resolve("127.0.0.1", 80) == ["127.0.0.1"]
    with pytest.raises(DataError, match="not public"):
        await checked_address("localhost", 80)
