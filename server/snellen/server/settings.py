"""Settings: what a server is started with. Read once; nothing here changes while it runs."""

from dataclasses import dataclass, field
from pathlib import Path

from snellen.server.exam.file import ExamFile, exam_of_packs
from snellen.server.exam.rules import Rules

LOOPBACK = ("127.0.0.1", "localhost", "::1")
"""The hosts that only this machine can reach."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a server offers, by which rules, and where it keeps what is done.

    Attributes:
        packs: The folders of its packs.
        store: The database: a SQLite file, or an URL as SQLAlchemy writes it.
        rules: What holds for every attempt.
        key: The file of the key that opens sealed references; None: the environment's.
        cache: Where images that packs leave on the web are kept; None: they are not fetched.
        file: The challenge that is hosted; None: the packs make one of a single phase.
        episodes: Packs of interactive tasks that are made, and join `packs`, before the exam is
            opened; names of `snellen.tasks.environments.table.PACKS`.
    """

    packs: tuple[Path, ...]
    store: str | Path
    rules: Rules = field(default_factory=Rules)
    key: Path | None = None
    cache: Path | None = None
    file: ExamFile | None = None
    episodes: tuple[str, ...] = ()

    @property
    def exam_file(self) -> ExamFile:
        """The challenge that is hosted."""
        return self.file or exam_of_packs([str(pack) for pack in self.packs], self.rules)


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server listens.

    Attributes:
        host: A name or an address of this machine.
        port: The port; 0: any that is free.
        names: Further names that clients may call it by, as `exam.example.org`.
    """

    host: str = "127.0.0.1"
    port: int = 8765
    names: tuple[str, ...] = ()

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return self.host in LOOPBACK
