"""What the sandbox shows of this machine: the interpreter, its standard library, their libraries.

Found by asking an isolated interpreter of the same installation, so that the view is exact:
installed packages (this one with its references among them), /etc, /home and the working folder
stay outside.
"""

import functools
import json
import os
import subprocess
import sys
from dataclasses import dataclass

from snellen.grading.errors import ExecutionError

# Loads every extension module of the standard library and lists what the loader then holds.
# _tkinter is left out: it would show the window system's libraries.
_QUESTION = """
import ctypes, json, os, sys
folders = [entry for entry in sys.path if os.path.exists(entry)]
for folder in folders:
    if os.path.isdir(folder):
        for name in os.listdir(folder):
            if name.endswith(".so") and not name.startswith("_tkinter"):
                try:
                    ctypes.CDLL(os.path.join(folder, name), os.RTLD_LAZY)
                except OSError:
                    pass
try:
    ctypes.CDLL("libgcc_s.so.1")
except OSError:
    pass
class Info(ctypes.Structure):
    _fields_ = [("address", ctypes.c_void_p), ("name", ctypes.c_char_p)]
names = []
@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Info), ctypes.c_size_t, ctypes.c_void_p)
def visit(info, size, data):
    names.append(os.fsdecode(info.contents.name or b""))
    return 0
ctypes.CDLL(None).dl_iterate_phdr(visit, None)
print(json.dumps({"folders": folders, "names": names}))
"""
_PATIENCE_SECONDS = 60


@dataclass(frozen=True, slots=True)
class View:
    """Paths that appear in the sandbox, read-only, where they are outside.

    Attributes:
        executable: The interpreter.
        shown: Folders and files, the outermost folder only where one holds another.
        hidden: Folders inside them to cover: the installed packages.
        library_folders: Where the loader is to look for the libraries among them.
    """

    executable: str
    shown: tuple[str, ...]
    hidden: tuple[str, ...]
    library_folders: tuple[str, ...]


@functools.cache
def python_view() -> View:
    """Return what this interpreter needs to run its standard library.

    Raises:
        ExecutionError: The interpreter can't say, as when it was built without ctypes.
    """
    executable = os.path.realpath(sys.executable)
    try:
        answer = subprocess.run(
            [executable, "-I", "-S", "-B", "-W", "ignore", "-c", _QUESTION],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
            timeout=_PATIENCE_SECONDS,
            env={},
            cwd="/",
        )
        found = json.loads(answer.stdout)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise ExecutionError(f"{executable} can't list its own libraries: {error}") from error
    folders = _outermost(found["folders"])
    # Paths as the loader knows them, without the `..` of relative search paths.
    libraries = {os.path.normpath(name) for name in found["names"] if os.path.isabs(name)}
    outside = [path for path in (executable, *sorted(libraries)) if not _within(path, folders)]
    return View(
        executable=executable,
        shown=(*folders, *dict.fromkeys(outside)),
        hidden=tuple(
            place
            for folder in folders
            for place in (f"{folder}/site-packages", f"{folder}/dist-packages")
            if os.path.isdir(place)
        ),
        library_folders=tuple(sorted({os.path.dirname(path) for path in outside[1:]})),
    )


def _outermost(folders: list[str]) -> tuple[str, ...]:
    kept: list[str] = []
    for folder in sorted(map(os.path.normpath, folders), key=len):
        if not _within(folder, kept):
            kept.append(folder)
    return tuple(kept)


def _within(path: str, folders: tuple[str, ...] | list[str]) -> bool:
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)
