"""An exam with its references, as only graders read it."""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256

from snellen.server.errors import ExamError
from snellen.server.exam.rules import Mode
from snellen.server.exam.spec import Exam
from snellen.server.settings import Settings
from snellen.tasks.pack import read
from snellen.tasks.pack.seal import find_key


def read_exam(settings: Settings) -> Exam:
    """Read packs, and their references unless answers are only recorded.

    Raises:
        SnellenError: A pack can't be read, or a pack to be graded has no references.
    """
    packs = [read.open_pack(folder) for folder in settings.packs]
    if settings.rules.mode is Mode.DEFERRED:
        return Exam(packs, settings.rules)
    for pack in packs:
        if not read.has_references(pack):
            raise ExamError(
                f"the pack {pack.name} has no references: give a pack that has them, or record"
                ' answers only: mode = "deferred" below [rules] of an exam file, or'
                " `snellen mcp --mode deferred`"
            )
    return Exam(packs, settings.rules, _References(packs, settings))


class _References(Mapping[str, read.References]):
    """The references of packs, read from the disk on each access.

    References that can't be opened are reported at once. Their content is only for graders: a
    server that only accepts uploads does not keep it in memory.
    """

    def __init__(self, packs: Sequence[read.Pack], settings: Settings) -> None:

        self._packs = {pack.name: pack for pack in packs}
        self._settings = settings
        for pack in packs:
            read.plain_references(pack, self._key(pack))

    def _key(self, pack: read.Pack) -> str | None:

        return find_key(self._settings.key, pack=pack.folder)

    def __getitem__(self, name: str) -> read.References:

        pack = self._packs[name]
        return read.open_references(pack, self._key(pack))

    def __contains__(self, name: object) -> bool:
        return name in self._packs

    def __iter__(self) -> Iterator[str]:
        return iter(self._packs)

    def __len__(self) -> int:
        return len(self._packs)


def references_digest(settings: Settings) -> bytes:
    """Return SHA-256 of all references of an exam, whether they are sealed or not.

    Raises:
        SnellenError: They can't be read.
    """
    whole = sha256()
    for folder in settings.packs:
        key = find_key(settings.key, pack=folder)
        whole.update(read.plain_references(read.open_pack(folder), key))
    return whole.digest()
