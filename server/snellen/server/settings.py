"""Settings of a server, read once at its start."""

from dataclasses import dataclass, field
from pathlib import Path

from snellen.server.exam.file import ExamFile, exam_of_packs
from snellen.server.exam.rules import Rules

LOOPBACK = ("127.0.0.1", "localhost", "::1")
"""The hosts that only this machine can reach."""


@dataclass(frozen=True, slots=True)
class Settings:
    """A server's packs, rules and storage.

    Attributes:
        packs: The folders of its packs.
        store: The database: a SQLite file, or a URL of SQLAlchemy.
        rules: The rules of every attempt.
        key: The file of the key of sealed references; None: the environment's.
        file: The hosted challenge; None: the packs form one with a single phase.
        episodes: Packs of interactive tasks that are created and added to `packs` before the exam
            is opened, by `snellen.tasks.samples.generated.generated_exam`.
    """

    packs: tuple[Path, ...]
    store: str | Path
    rules: Rules = field(default_factory=Rules)
    key: Path | None = None
    file: ExamFile | None = None
    episodes: tuple[str, ...] = ()

    @property
    def exam_file(self) -> ExamFile:
        """The challenge that is hosted."""
        return self.file or exam_of_packs([str(pack) for pack in self.packs], self.rules)


@dataclass(frozen=True, slots=True)
class Address:
    """The address on which a server listens.

    Attributes:
        host: A name or an address of this machine.
        port: The port; 0: any free port.
        names: Further host names that clients may use, such as `exam.example.org`.
    """

    host: str = "127.0.0.1"
    port: int = 8765
    names: tuple[str, ...] = ()

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return self.host in LOOPBACK
