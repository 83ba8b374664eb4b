"""Settings: what a server is started with. Read once; nothing here changes while it runs."""

from dataclasses import dataclass, field
from pathlib import Path

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
    """

    packs: tuple[Path, ...]
    store: str | Path
    rules: Rules = field(default_factory=Rules)
    key: Path | None = None
    cache: Path | None = None


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
