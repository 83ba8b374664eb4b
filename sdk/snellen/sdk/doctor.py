"""What is installed, what is missing, and how to get it."""

import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple

from snellen.tasks.browser.finding import browser_status
from snellen.tasks.sandbox import check_support

_EXTRAS = {
    "fastapi": ("serving an exam over HTTP", "serve"),
    "tenacity": ("models and hosted exams", "models"),
    "pyarrow": ("parquet files", "parquet"),
    "sacrebleu": ("BLEU", "captions"),
    "sentence_transformers": ("sentence embeddings", "embeddings"),
    "huggingface_hub": ("fetching from Hugging Face", "fetch"),
    "inspect_ai": ("writing logs of Inspect AI", "inspect"),
    "altair": ("a report's page", "html"),
    "jinja2": ("a report's page", "html"),
    "vl_convert": ("a report's page", "html"),
    "rapidocr": ("the baseline agent's eyes", "demo"),
    "onnxruntime": ("the baseline agent's eyes", "demo"),
    "playwright": ("building exams from pages", "build"),
    "ray": ("grading on a cluster", "ray"),
    "babel": ("building exams of generated pages", "build"),
}
_DISTRIBUTIONS = {
    "sentence_transformers": "sentence-transformers",
    "vl_convert": "vl-convert-python",
}


class Check(NamedTuple):
    """One thing looked for: whether it is there, and its version or how to get it."""

    name: str
    present: bool
    detail: str


def checks() -> Iterator[Check]:
    """Look for the package itself, its extras, and what running candidate code needs."""
    yield Check("snellen", present=True, detail=version("snellen"))
    yield Check("Python", present=True, detail=sys.version.split()[0])
    for module, (purpose, extra) in _EXTRAS.items():
        distribution = _DISTRIBUTIONS.get(module, module)
        try:
            yield Check(f"{distribution} ({purpose})", present=True, detail=version(distribution))
        except PackageNotFoundError:
            yield Check(
                f"{distribution} ({purpose})",
                present=False,
                detail=f"pip install 'snellen[{extra}]'",
            )
    browser = browser_status()
    yield Check(
        "a browser (building exams from pages)",
        present=browser.found is not None,
        detail=browser.problem or f"{browser.version} ({browser.found and browser.found.program})",
    )
    missing = check_support()
    yield Check(
        "isolation for candidate code",
        present=not missing,
        detail="; ".join(missing) if missing else "Linux namespaces and limits",
    )
