"""Addresses on the internet: which of them a server may be sent to by a pack."""

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Sequence
from ipaddress import IPv4Address, IPv6Address

from snellen.grading.errors import DataError

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""Returns the addresses of a host, by its name and port."""

_NAT64 = ipaddress.ip_network("64:ff9b::/96")


async def resolve(host: str, port: int) -> Sequence[str]:
    """Ask the system for a host's addresses.

    Raises:
        OSError: It has none.
    """
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(address[0]) for *_, address in found]


async def checked_address(
    host: str, port: int, ask: Resolve = resolve, *, loopback: bool = False
) -> str:
    """Return an address of a host that may be connected to.

    A name can mean another address each time that it is asked for, so the caller has to connect
    to the very address that is returned.

    Args:
        host: Its name, or an address.
        port: The port.
        ask: Finds the addresses of a name.
        loopback: Whether this machine's own are allowed.

    Raises:
        DataError: It has no address, or one that is not public: then none of them is trusted.
    """
    try:
        found = await ask(host, port)
    except (OSError, UnicodeError) as error:
        raise DataError(f"{host} has no address: {error}") from None
    if not found:
        raise DataError(f"{host} has no address")
    for address in found:
        # A scope, as in fe80::1%eth0, names a network card of this machine.
        plain = ipaddress.ip_address(address.partition("%")[0])
        if not (is_public(plain) or (loopback and plain.is_loopback)):
            raise DataError(
                f"{host} is at {address}, which is not public: nothing is fetched there"
            )
    return found[0]


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Whether an address belongs to the public internet, and so does the one it stands for.

    >>> is_public(ipaddress.ip_address("93.184.216.34"))
    True
    >>> is_public(ipaddress.ip_address("::ffff:169.254.169.254"))
    False
    """
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if address in _NAT64:
            inner = IPv4Address(int(address) & 0xFFFF_FFFF)
        if inner is not None:
            return is_public(inner)
    return address.is_global and not address.is_multicast
