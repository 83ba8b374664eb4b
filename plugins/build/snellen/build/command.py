"""The command that makes a fresh exam of pages: `build`."""

from collections import Counter
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from pydantic import Field
from rich.markup import escape

from snellen.cli import pack_output
from snellen.cli.listing import task_names
from snellen.cli.messages import report_errors
from snellen.cli.options import PROBLEMS, settings_of
from snellen.cli.pack import SealingKey, sealing_key
from snellen.cli.plain import write
from snellen.grading.errors import InputError

if TYPE_CHECKING:
    from snellen.build.build import BuildSettings, PageDone
    from snellen.build.exam import BuiltExam
    from snellen.build.pages import Pages

_INTERRUPTED = 130
_LIMITS: Mapping[str, Any] = {
    "max_height": Annotated[int, Field(ge=200, le=16_000)],
    "clicks": Annotated[int, Field(ge=0)],
}
_FEW = 10
_REASONS = 3
_WORK = ".build"
_GENERATED = "pages"
_GENERATED_LICENCE = "CC0-1.0"


def build(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The new exam's folder; must not exist.")
    ],
    pages: Annotated[
        Path | None,
        typer.Argument(
            help="A folder of HTML pages with their files; its subfolders are sites.",
            show_default=False,
        ),
    ] = None,
    generate: Annotated[
        int | None,
        typer.Option(
            help="Generate this many pages instead of reading a folder.",
            min=1,
            show_default=False,
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="The seed of all random choices.", min=0)] = 0,
    task: Annotated[
        list[str] | None,
        typer.Option(
            help="A task to create items for; may be repeated. By default all.",
            autocompletion=task_names,
            show_default=False,
        ),
    ] = None,
    jobs: Annotated[
        int, typer.Option(help="Pages to capture at a time, each in its own browser.", min=1)
    ] = 2,
    phone: Annotated[
        bool, typer.Option("--phone", help="Render pages 390 pixels wide instead of 1280.")
    ] = False,
    limits: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="A limit; may be repeated. max_height: the height from which pages are skipped, "
            "in pixels (5500); clicks: elements to click per page, for action prediction (12).",
            metavar="KEY=VALUE",
            show_default=False,
        ),
    ] = None,
    charts: Annotated[
        bool,
        typer.Option("--charts", help="Also ask about generated charts, which no page shows."),
    ] = False,
    title: Annotated[str, typer.Option(help="A one-line description.")] = "",
    licence: Annotated[str, typer.Option(help="The license or owner of the pages.")] = "",
    audit: Annotated[
        bool, typer.Option(help="Remove items that give away their answers or are ambiguous.")
    ] = True,
    webp: Annotated[
        bool,
        typer.Option("--webp", help="Store images as lossless WebP, a third of the size."),
    ] = False,
    key: SealingKey = None,
) -> None:
    """Build an exam from pages, with exact references, without annotators or a model.

    Each page is captured once in a browser without network access. After an interrupt, the
    same command resumes. Exit status: 0 if the exam was built, 1 if it was built and pages
    were skipped, 2 if nothing was built.
    """
    from snellen.build.build import BuildSettings
    from snellen.build.exam import PackOptions, Watch, build_exam
    from snellen.tasks.browser.settings import DESKTOP, MAX_HEIGHT, PHONE, BrowserSettings

    with report_errors():
        limited = settings_of(limits, _LIMITS)
        folder = output.with_name(output.name + _WORK)
        found = _pages(pages, generate, seed, folder, output)
        width, height = PHONE if phone else DESKTOP
        settings = BuildSettings(
            seed=seed,
            tasks=tuple(task or ()),
            charts=charts,
            browser=BrowserSettings(width, height, limited.pop("max_height", MAX_HEIGHT)),
            **limited,
        )
        _able(settings)
        if not licence and generate is not None:
            licence = _GENERATED_LICENCE
        with sealing_key(key, output) as secret:
            options = PackOptions(output.name, title, licence, secret, audit, webp)
            try:
                with _progress(len(found.pages)) as watch:
                    exam = build_exam(
                        found,
                        folder,
                        output,
                        settings,
                        options,
                        jobs=jobs,
                        watch=Watch(page=watch),
                    )
            except KeyboardInterrupt:
                pack_output.err.print(
                    f"stopped; to resume from {escape(str(folder))}, run the same command again",
                    soft_wrap=True,
                )
                raise typer.Exit(_INTERRUPTED) from None
        _told(exam, output, folder)
        if exam.manifest.built is not None and exam.manifest.built.skipped:
            raise typer.Exit(PROBLEMS)


def _pages(
    pages: Path | None, generate: int | None, seed: int, folder: Path, output: Path
) -> "Pages":
    from snellen.build.pages import Pages, find_pages

    if (pages is None) == (generate is None):
        raise InputError("give the pages: a folder, or --generate N to generate N pages")
    if pages is not None:
        for made in (folder, output):
            if made.resolve().is_relative_to(pages.resolve()):
                raise InputError(
                    "it is inside the folder of pages; choose another folder", file=str(made)
                )
        return find_pages(pages)
    from snellen.build.build import alone
    from snellen.build.sites import write_sites

    assert generate is not None
    made = folder / _GENERATED
    with alone(folder):
        sites = write_sites(made, pages=generate, seed=seed)
    found = (page for site in sites for page in find_pages(made / site.name).pages)
    return Pages([replace(page, generated=True) for page in found], [])


def _able(settings: "BuildSettings") -> None:
    """Refuse before anything is written what could not be done."""
    from snellen.build.build import check_tasks
    from snellen.tasks.browser.finding import find_browser, load_playwright

    check_tasks(settings.tasks)
    load_playwright()
    find_browser()


@contextmanager
def _progress(pages: int) -> "Generator[_Watch]":
    with pack_output.bar("pages", pages) as bar:
        yield _Watch(bar)


class _Watch:
    """Counts the pages that are done, and names those that are skipped as it happens."""

    def __init__(self, bar: pack_output.Bar) -> None:
        self._bar = bar
        self._done = 0

    def __call__(self, done: "PageDone") -> None:
        self._done += 1
        if done.problem is not None:
            pack_output.err.print(
                f"[yellow]skipped[/yellow] {escape(done.page)}: {escape(done.message)}",
                soft_wrap=True,
            )
        self._bar(self._done)


def _told(exam: "BuiltExam", output: Path, folder: Path) -> None:
    pack_output.made(exam.manifest, output)
    built = exam.manifest.built
    if built is None:
        return
    write(
        f"{built.pages:,} pages of {built.sites:,} sites, {len(built.skipped):,} skipped,"
        f" {len(built.unstable):,} unstable\n"
    )
    if built.struck:
        reasons = Counter(one.reason for one in built.struck)
        pack_output.out.print(f"{len(built.struck):,} items removed:")
        pack_output.table(["", f"{count:,}", reason] for reason, count in reasons.most_common())
    if built.refused:
        pack_output.out.print("pages that could not carry a task, with the most frequent reasons:")
        pack_output.table(
            [task if place == 0 else "", f"{count:,}", reason]
            for task, reasons in built.refused.items()
            for place, (reason, count) in enumerate(Counter(reasons).most_common(_REASONS))
        )
    if built.skipped:
        pack_output.out.print("pages skipped:")
        pack_output.table(["", *pair] for pair in list(built.skipped.items())[:_FEW])
        if len(built.skipped) > _FEW:
            pack_output.out.print(f"  and {len(built.skipped) - _FEW:,} more, in manifest.json")
    pack_output.out.print(
        f"{escape(str(folder))} has the exam's sources, including the answers: keep it private"
    )
