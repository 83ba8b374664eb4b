"""The system-call filter, judged by a second reading of its program."""

import struct

import pytest

from snellen.tasks.sandbox import seccomp

X86, ARM = 0xC000003E, 0xC00000B7
ALLOWED, DENIED, ABSENT, KILLED = 0x7FFF0000, 0x00050001, 0x00050026, 0x80000000


def verdict(machine: str, architecture: int, number: int, argument: int = 0) -> int:
    """Interpret the filter as the kernel's seccomp documentation describes classic BPF."""
    data = struct.pack("=IIQQ", number, architecture, 0, argument)
    instructions = list(struct.iter_unpack("=HBBI", seccomp.program(machine)))
    place, accumulator = 0, 0
    while True:
        code, then, otherwise, operand = instructions[place]
        place += 1
        if code == 0x20:
            (accumulator,) = struct.unpack_from("=I", data, operand)
        elif code == 0x06:
            return operand
        else:
            tests = {
                0x15: accumulator == operand,
                0x35: accumulator >= operand,
                0x45: bool(accumulator & operand),
            }
            place += then if tests[code] else otherwise


@pytest.mark.parametrize(
    ("machine", "architecture", "numbers"),
    [
        ("x86_64", X86, {"read": 0, "socket": 41, "clone": 56, "ptrace": 101, "mount": 165}),
        ("aarch64", ARM, {"read": 63, "socket": 198, "clone": 220, "ptrace": 117, "mount": 40}),
    ],
)
def test_the_filter_tells_harmless_calls_from_others(
    machine: str, architecture: int, numbers: dict[str, int]
) -> None:
    def judge(name: str, argument: int = 0) -> int:
        return verdict(machine, architecture, numbers[name], argument)

    assert judge("read") == ALLOWED
    assert judge("ptrace") == DENIED
    assert judge("mount") == DENIED
    assert judge("socket", 1) == ALLOWED
    assert judge("socket", 2) == DENIED
    assert judge("socket", 40) == DENIED
    assert judge("clone", 0x3D0F00) == ALLOWED  # what a thread is made with
    assert judge("clone", 0x10000000) == DENIED
    assert verdict(machine, architecture, 435) == ABSENT
    assert verdict(machine, architecture, 0x40000000 | 41) == DENIED
    assert verdict(machine, 0x40000003, numbers["read"]) == KILLED


def test_there_is_no_filter_for_an_unknown_machine() -> None:
    with pytest.raises(KeyError):
        seccomp.program("riscv64")
