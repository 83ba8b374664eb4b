"""The command `doctor`."""

import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple

from rich.markup import escape
from rich.table import Table

from snellen.cli.terminal import Terminal
from snellen.tasks.browser.finding import browser_status
from snellen.tasks.sandbox import check_support

_EXTRAS = {
    "fastapi": ("serving an exam over HTTP", "serve"),
    "tenacity": ("clients of hosted exams", "hosted"),
    "pyarrow": ("parquet files", "parquet"),
    "sacrebleu": ("BLEU", "captions"),
    "sentence_transformers": ("sentence embeddings", "embeddings"),
    "huggingface_hub": ("fetching from Hugging Face", "fetch"),
    "inspect_ai": ("models and Inspect's logs", "models"),
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


class _Check(NamedTuple):
    """One thing looked for: whether it is there, and its version or how to get it."""

    name: str
    present: bool
    detail: str


def _checks() -> Iterator[_Check]:
    """Look for the package itself, its extras, and what running candidate code needs."""
    yield _Check("snellen", present=True, detail=version("snellen"))
    yield _Check("Python", present=True, detail=sys.version.split()[0])
    for module, (purpose, extra) in _EXTRAS.items():
        distribution = _DISTRIBUTIONS.get(module, module)
        try:
            yield _Check(f"{distribution} ({purpose})", present=True, detail=version(distribution))
        except PackageNotFoundError:
            yield _Check(
                f"{distribution} ({purpose})",
                present=False,
                detail=f"pip install 'snellen[{extra}]'",
            )
    browser = browser_status()
    yield _Check(
        "a browser (building exams from pages)",
        present=browser.found is not None,
        detail=browser.problem or f"{browser.version} ({browser.found and browser.found.program})",
    )
    missing = check_support()
    yield _Check(
        "isolation for candidate code",
        present=not missing,
        detail="; ".join(missing) if missing else "Linux namespaces and limits",
    )


def doctor() -> None:
    """Report what is installed, what is missing, and how to install it."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for number, column in enumerate(("what", "there", "version or how to get it")):
        table.add_column(column, no_wrap=number == 0)
    for check in _checks():
        mark = "[green]yes[/green]" if check.present else "[yellow]no[/yellow]"
        table.add_row(check.name, mark, escape(check.detail))
    Terminal().print(table)
