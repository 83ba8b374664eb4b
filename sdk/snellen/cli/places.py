"""Where this machine keeps what it makes, and the packs that a server is given."""

import os
from collections.abc import Sequence
from pathlib import Path

from snellen.cli.plain import tell
from snellen.grading.errors import InputError
from snellen.tasks.pack import MANIFEST
from snellen.tasks.samples import DEFAULT, exam_folder, is_generated


def home() -> Path:
    """Return the folder that attempts are kept in: `$SNELLEN_HOME` or the user's data folder."""
    from platformdirs import user_data_path

    named = os.environ.get("SNELLEN_HOME")
    return Path(named) if named else user_data_path("snellen", appauthor=False)


def default_store() -> Path:
    """Return the store that is used where none is named."""
    return home() / "exams.sqlite"


def store_here(exam: Path | None = None) -> str:
    """Return the store of an exam file, by default of `exam.toml` in the current folder.

    Without one, it is the store in the user's data folder.

    Raises:
        InputError: The exam file can't be read, or is not valid.
    """
    from snellen.server.exam.file import read_exam_file

    file = exam or Path("exam.toml")
    if exam is None and not file.is_file():
        return str(default_store())
    store = read_exam_file(file).store
    tell(f"the store is {store}, by {file}")
    return store


def episode_folder(what: str) -> Path:
    """Return where this machine keeps a pack of interactive tasks, or will.

    Raises:
        UnknownNameError: There is none of this name.
    """
    from snellen.tasks.samples.generated import generated_exam

    generated_exam(what)
    return home() / "episodes" / what


def episode_pack(what: str) -> Path:
    """Return the folder of a pack of interactive tasks; it is made where it is not there.

    Raises:
        SnellenError: It can't be made.
    """
    # Its seed is drawn and kept nowhere: no two machines have the same tasks.
    folder = episode_folder(what)
    if (folder / MANIFEST).is_file():
        return folder
    import secrets

    from filelock import FileLock

    from snellen.tasks.samples.generated import generated_exam

    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"can't create the folder: {error.strerror}", file=str(folder)) from error
    # Another server may be making it.
    with FileLock(folder.with_suffix(".lock")):
        if not (folder / MANIFEST).is_file():
            tell(f"making {what}, once: its tasks are kept in {folder}")
            generated_exam(what).make(folder, seed=secrets.randbits(48))
    return folder


def pack_folders(packs: Sequence[Path] | None) -> tuple[Path, ...]:
    """Return folders that are packs: those given, by path or name, or the default exam's.

    Raises:
        InputError: One is no pack.
    """
    folders = tuple(
        episode_folder(str(pack)) if is_generated(str(pack)) else exam_folder(pack)
        for pack in packs or (DEFAULT,)
    )
    for folder in folders:
        if not (folder / MANIFEST).is_file():
            raise InputError(
                f"it is not a pack: it has no {MANIFEST}; `snellen pack create` makes packs",
                file=str(folder),
            )
    return folders
