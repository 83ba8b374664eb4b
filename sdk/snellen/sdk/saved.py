"""Reading back a report that was saved as JSON: what it was graded against."""

from pathlib import Path

import msgspec

from snellen.grading.errors import InputError
from snellen.sdk.selection import REFERENCES


class SavedData(msgspec.Struct, frozen=True):
    """The part of a saved data pin that finds the data again."""

    path: str | None = None
    release: str = ""

    @property
    def is_references(self) -> bool:
        """Whether it was a mapping of references, not published data."""
        return self.release == REFERENCES


class SavedScore(msgspec.Struct, frozen=True):
    """The part of a saved score that says which item it is."""

    item_id: str


class SavedReport(msgspec.Struct, frozen=True):
    """The part of a saved report that grading it again needs."""

    signature: str
    task: str
    data: SavedData
    split: str | None = None
    subset: bool = False
    pass_mark: float = 1.0
    scores: list[SavedScore] | None = None

    def item_ids(self) -> list[str]:
        """Return the ids of the items it was graded on, in order."""
        return list(dict.fromkeys(score.item_id for score in self.scores or ()))

    def data_path(self, file: Path) -> str:
        """Return where its data was.

        Raises:
            InputError: It was graded against references given in memory.
        """
        if self.data.path is None:
            raise InputError(
                "it was graded against references given in memory; give references= again",
                file=str(file),
            )
        return self.data.path


def read_saved(path: Path) -> SavedReport | None:
    """Read a saved report's head, or return None for a file that is none.

    Raises:
        InputError: It is a report that was saved without scores.
    """
    if path.suffix.lower() != ".json" or not path.is_file():
        return None
    try:
        saved = msgspec.json.decode(path.read_bytes(), type=SavedReport)
    except (msgspec.DecodeError, UnicodeDecodeError):
        # Not a report: the reader of submissions says what is wrong with it, if anything is.
        return None
    if saved.scores is None:
        raise InputError(
            "the report was saved without scores; grade the answers again", file=str(path)
        )
    return saved
