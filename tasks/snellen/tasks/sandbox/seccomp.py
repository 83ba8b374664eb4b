"""The system-call filter: a second wall behind the namespaces.

Namespaces leave some doors ajar that candidate code has no use for: sockets of families that
have no namespace (vsock reaches the host of a virtual machine), memory that no resource limit
counts (System V segments, memfd), new namespaces with capabilities of their own, and kernel
interfaces with a history. The filter answers all of them with EPERM.

The program is classic BPF as described in the kernel's Documentation/userspace-api/seccomp_filter;
the numbers are those of asm/unistd_64.h and asm-generic/unistd.h.
"""

import errno
import struct
from dataclasses import dataclass
from typing import Final

_LOAD: Final = 0x20
_EQUAL: Final = 0x15
_AT_LEAST: Final = 0x35
_ANY_BIT: Final = 0x45
_RETURN: Final = 0x06

_ALLOW: Final = 0x7FFF0000
_KILL: Final = 0x80000000
_DENY: Final = 0x00050000 | errno.EPERM
_ABSENT: Final = 0x00050000 | errno.ENOSYS

# Offsets into struct seccomp_data: the call's number, the architecture, the first argument.
_NUMBER: Final = 0
_ARCHITECTURE: Final = 4
_FIRST_ARGUMENT: Final = 16

_AF_UNIX: Final = 1
# CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
_NEW_NAMESPACES: Final = 0x7E020000
# Calls of the x32 interface on x86-64 carry this bit and would slip past the numbers.
_X32: Final = 0x40000000


@dataclass(frozen=True, slots=True)
class _Machine:
    audit: int
    socket: int
    clone: int
    denied: tuple[int, ...]


# The same numbers on every machine: io_uring, the new mount interface, pidfd_getfd,
# mount_setattr, quotactl_fd, memfd_secret.
_DENIED_EVERYWHERE: Final = (
    *(425, 426, 427),
    *(428, 429, 430, 431, 432, 433),
    *(438, 442, 443, 447),
)
_CLONE3: Final = 435

# In both tables, row by row: ptrace, process_vm_readv and _writev; mount, umount2, pivot_root,
# chroot; unshare, setns; shmget, shmat, semget, msgget, mq_open, memfd_create; keyctl, add_key,
# request_key; bpf, perf_event_open, userfaultfd; name_to_handle_at, open_by_handle_at,
# fanotify_init; init_module, finit_module, delete_module, kexec_load, kexec_file_load;
# syslog, acct, quotactl, swapon, swapoff, reboot, vhangup, personality; sethostname,
# setdomainname, settimeofday, clock_settime.
_MACHINES: Final = {
    "x86_64": _Machine(
        audit=0xC000003E,
        socket=41,
        clone=56,
        denied=(
            *(101, 310, 311),
            *(165, 166, 155, 161),
            *(272, 308),
            *(29, 30, 64, 68, 240, 319),
            *(250, 248, 249),
            *(321, 298, 323),
            *(303, 304, 300),
            *(175, 313, 176, 246, 320),
            *(103, 163, 179, 167, 168, 169, 153, 135),
            *(170, 171, 164, 227),
        ),
    ),
    "aarch64": _Machine(
        audit=0xC00000B7,
        socket=198,
        clone=220,
        denied=(
            *(117, 270, 271),
            *(40, 39, 41, 51),
            *(97, 268),
            *(194, 196, 190, 186, 180, 279),
            *(219, 217, 218),
            *(280, 241, 282),
            *(264, 265, 262),
            *(105, 273, 106, 104, 294),
            *(116, 89, 60, 224, 225, 142, 58, 92),
            *(161, 162, 170, 112),
        ),
    ),
}

MACHINES: Final = tuple(_MACHINES)
"""The machines there is a filter for, as `platform.machine()` names them."""


def program(machine: str) -> bytes:
    """Assemble the filter for a machine, as an array of `struct sock_filter`.

    Raises:
        KeyError: There is no filter for this machine.
    """
    table = _MACHINES[machine]
    code = [
        _instruction(_LOAD, _ARCHITECTURE),
        _instruction(_EQUAL, table.audit, then=1),
        _instruction(_RETURN, _KILL),
        _instruction(_LOAD, _NUMBER),
        _instruction(_AT_LEAST, _X32, otherwise=1),
        _instruction(_RETURN, _DENY),
        # The C library takes "no such call" for an old kernel and falls back to clone, whose
        # flags a filter can read.
        *_when(_CLONE3, _ABSENT),
    ]
    for number in (*table.denied, *_DENIED_EVERYWHERE):
        code += _when(number, _DENY)
    code += [
        _instruction(_EQUAL, table.socket, otherwise=4),
        _instruction(_LOAD, _FIRST_ARGUMENT),
        _instruction(_EQUAL, _AF_UNIX, otherwise=1),
        _instruction(_RETURN, _ALLOW),
        _instruction(_RETURN, _DENY),
        _instruction(_EQUAL, table.clone, otherwise=3),
        _instruction(_LOAD, _FIRST_ARGUMENT),
        _instruction(_ANY_BIT, _NEW_NAMESPACES, otherwise=1),
        _instruction(_RETURN, _DENY),
        _instruction(_RETURN, _ALLOW),
    ]
    return b"".join(code)


def _when(number: int, verdict: int) -> list[bytes]:
    return [_instruction(_EQUAL, number, otherwise=1), _instruction(_RETURN, verdict)]


def _instruction(code: int, operand: int, *, then: int = 0, otherwise: int = 0) -> bytes:
    return struct.pack("=HBBI", code, then, otherwise, operand)
