"""What a run of candidate code may use."""

import math
from dataclasses import dataclass

from snellen.grading.errors import InputError

_MIB = 1024 * 1024
# Below these the interpreter itself does not start, and that would look like a wrong answer.
_LEAST_MEMORY = 64 * _MIB
_LEAST_OPEN_FILES = 16


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run of candidate code may use; all of it is enforced by the kernel or by a kill.

    Attributes:
        wall_seconds: From its start to its end by the clock; then it is killed.
        cpu_seconds: Processor time of each process; then it is killed.
        memory_bytes: Address space of each process; then it gets a MemoryError.
        disk_bytes: The size of its one writable folder, and of each file in it.
        output_bytes: Standard output, and the same again of standard error; then it is killed.
        processes: Processes and threads together; 1 means that it can start neither, and that
            the limits on each process bound the run.
        open_files: File descriptors of each process.

    Raises:
        InputError: A limit is not positive, or so low that Python can't start.
    """

    wall_seconds: float = 10.0
    cpu_seconds: int = 5
    memory_bytes: int = 512 * _MIB
    disk_bytes: int = 16 * _MIB
    output_bytes: int = _MIB
    processes: int = 1
    open_files: int = 64

    def __post_init__(self) -> None:
        least = {
            "wall_seconds": 0.1,
            "cpu_seconds": 1,
            "memory_bytes": _LEAST_MEMORY,
            "disk_bytes": 4096,
            "output_bytes": 1,
            "processes": 1,
            "open_files": _LEAST_OPEN_FILES,
        }
        for name, lowest in least.items():
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= lowest):
                raise InputError(f"must be {lowest} or more, not {value}", field=name)


DEFAULT_LIMITS = Limits()
"""The limits of a run that names none."""
