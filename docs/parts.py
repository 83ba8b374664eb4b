# ruff: noqa: INP001  (a script's other half)
"""What the pages take from the code: each function of `PARTS` returns one part as Markdown."""

import ast
import inspect
import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

import typer.main

from snellen import sdk
from snellen.cli.app import app
from snellen.grading import errors
from snellen.grading.actions.formats import FORMATS
from snellen.grading.chance import chance_of
from snellen.grading.failures.tags import RULES, FailureGroup
from snellen.grading.guesses import NullAgents
from snellen.grading.models.scores import Score
from snellen.grading.protocols import base
from snellen.grading.protocols.golds import PageEpisodeGold
from snellen.grading.protocols.names import OWN
from snellen.grading.protocols.table import PROTOCOLS, gold_shape, protocol_of, protocols_of
from snellen.sdk import recipes
from snellen.sdk.exam.page import Mean, interval, percent
from snellen.server.exam.rules import Rules
from snellen.tasks.benchmarks.miniwob.null_agents import played as null_episodes
from snellen.tasks.benchmarks.miniwob.rules import EPISODE as MINIWOB
from snellen.tasks.benchmarks.table import benchmark_of, own_places, task_of
from snellen.tasks.samples import DEFAULT, baselines

ROOT = Path(__file__).parents[1]
METRICS = ROOT / "grading" / "snellen" / "grading" / "metrics"

# Where a module's formulas come from, unless a function's own docstring says so.
SOURCES = {
    "attempts": "Chen et al. 2021 (pass@k); tau-bench (pass^k)",
    "boxes": "the definition of IoU; Kuhn 1955 (assignment)",
    "captions": "Papineni et al. 2002; Vedantam et al. 2015",
    "code": "decisions of this project",
    "consensus": "WebRSSBench, reference answers v1 and v2",
    "efficiency": "MMBench-GUI section 3",
    "eqa": "MMBench-GUI section 3, equations 7 to 12",
    "eqa_orders": "closed forms of this project over MMBench-GUI equation 12",
    "ngrams": "Lin 2004; rouge-score 0.1.2",
    "lcs": "the textbook table walk, as rouge 1.0.1 takes it",
    "relations": "WebRSSBench appendix C.4",
    "robustness": "WebRSSBench figure 2 and table 4",
    "rouge": "Lin 2004; rouge-score 0.1.2",
    "rouge101": "rouge 1.0.1 on PyPI",
    "similarity": "WebRSSBench appendix C.4",
    "squad": "SQuAD v1.1 evaluate-v1.1.py; screen_qa code/metrics.py",
    "stemmer": "Porter 1980, in the form of NLTK",
    "taps": "see each docstring",
    "text": "see each docstring",
    "tool_calls": "decisions of this project",
    "ui_contents": "screen_qa code/metrics.py",
    "weighted_choice": "MMBench-GUI section 3, equations 3 and 4",
}


def tasks() -> str:
    """Every task: what it asks, and the shape of its answers and references."""
    rows = [
        [
            f"`{task}`",
            task_of(task).title,
            task_of(task).kind.value,
            gold_shape(task).name,
        ]
        for task in PROTOCOLS
    ]
    return _table(["task", "description", "answer", "reference"], rows)


def pages() -> dict[str, str]:
    """The page of each module of `OWN` that has one, and its title."""
    found: dict[str, str] = {}
    for module in dict.fromkeys(OWN.values()):
        page = ROOT / "docs" / f"{module}.md"
        if page.is_file():
            found[page.name] = page.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
    return found


def kept_templates() -> str:
    """The templates and pages that are kept for tests."""
    from snellen.worlds.training.splits import TEST, templates_of

    rows = [
        [f"`{name}`", ", ".join(f"`{one}`" for one in templates_of(name, "test"))] for name in TEST
    ]
    return _table(["environment", "kept for tests"], rows)


def nav() -> str:
    """The benchmarks' lines of the navigation."""
    return "".join(f'      - "{title}": {page}\n' for page, title in pages().items())


def benchmark_rows() -> str:
    """Every benchmark: its page and its tasks."""
    known = pages()
    rows = [
        [
            f"[{one.name}]({page})" if (page := f"{OWN[one.name]}.md") in known else one.name,
            ", ".join(f"`{spec.id.partition('/')[2]}`" for spec in one.tasks),
        ]
        for one in map(benchmark_of, OWN)
    ]
    return _table(["benchmark", "tasks"], rows)


def places() -> str:
    """What can be fetched: from where, at which commit, and what becomes of the images."""
    hosts = {"github.com": "GitHub", "huggingface.co": "Hugging Face"}
    rows = [
        [
            f"`{name}`",
            f"[{hosts[place.host]}]({place.page})",
            f"`{place.revision[:7]}`" if place.revision else "the first fetch",
            place.licence,
            "inside the files"
            if place.images_inside
            else ("fetched" if place.images else "not fetched"),
        ]
        for name, place in own_places().items()
    ]
    return _table(
        ["benchmark", "from", "pinned to", "license as its page states it", "images"], rows
    )


def made() -> dict[str, str]:
    """Return the pages that are made when the site is built, by the pages that they are part of."""
    found, known = dict[str, str](), pages()
    for module in dict.fromkeys(OWN.values()):
        tasks = [task for task in PROTOCOLS if OWN[task.partition("/")[0]] == module]
        title = f"# Protocols of {known.get(f'{module}.md', module).removesuffix(' data')}\n\n"
        found[f"protocols/{module}.md"] = (
            f"{title}The primary metric is in bold.\n\n{_rules(tasks)}"
        )
    group: Any = typer.main.get_command(app)
    for name, command in group.commands.items():
        several = hasattr(command, "commands")
        members = _flat(command, f"{name} ") if several else [(name, command)]
        found[f"cli/{name}.md"] = f"# snellen {name}\n\n" + "\n".join(
            (f"## snellen {one}\n\n" if several else "") + _usage(each) for one, each in members
        )
    return found


def _rules(tasks: list[str]) -> str:
    """Return every protocol of tasks; those that are scored alike stand together."""
    groups: dict[str, list[str]] = {}
    for task in tasks:
        groups.setdefault(_protocol_tables(PROTOCOLS[task]), []).append(task)
    return "\n".join(
        f"## {', '.join(f'`{task}`' for task in alike)}\n\n{tables}"
        for tables, alike in groups.items()
    )


def _protocol_tables(known: tuple[base.Protocol, ...]) -> str:
    rules = [
        [
            f"`{one.name}`{' (default)' if number == 0 else ''}",
            one.special,
            ", ".join(
                f"**{key}**" if key == one.metric.primary else key for key in one.metric.keys
            ),
            one.source,
        ]
        for number, one in enumerate(known)
    ]
    parts = [
        [
            f"`{one.id}`",
            one.parser.name,
            one.normalizer.name,
            one.metric.name,
            one.denominator.name,
        ]
        for one in known
    ]
    return (
        _table(["protocol", "special features", "metrics", "source"], rules)
        + "\n"
        + _table(["", "parser", "normalization", "metric", "denominator"], parts)
    )


# ---- one set of answers under every protocol

STORED = ("visualwebbench/webqa", "visualwebbench/action_prediction", "screenqa/short")
_SEEN = 0.0005


def side_by_side() -> str:
    """Stored answers of three tasks under every protocol, item by item, and why they part."""
    blocks = "\n\n".join(_every_answer(task) for task in STORED)
    return f"```text\n{blocks}\n```\n"


def _rescored(task: str) -> tuple[sdk.ProtocolReports, dict[str, str]]:
    """Return the stored answers' reports, and what is right for each item."""
    name, shape = task.rpartition("/")[2], gold_shape(task)
    answers, references = (
        ROOT / "examples" / "protocols" / f"{name}{end}" for end in (".jsonl", "_references.json")
    )
    right = {
        item: " or ".join(map(str, shape.responses(shape.read(reference))))
        for item, reference in json.loads(references.read_text(encoding="utf-8")).items()
    }
    return sdk.explain(answers, task=task, references=references, progress=False), right


def _every_answer(task: str) -> str:
    """Return lines as wide as a page, which a table would not be."""
    rescored, right = _rescored(task)
    first = rescored.reports[protocols_of(task)[0].id].scores
    rows = [
        ["", *("(failed)" if score.error else str(score.response) for score in first), "prints"],
        ["right", *(right[score.item_id or ""] for score in first), ""],
    ]
    notes: list[list[str]] = [[], []]
    for alike in _alike(task):
        scores = rescored.reports[alike[0].id].scores
        cells = [_cell_of(score, alike[0].denominator) for score in scores]
        rows.append([alike[0].id, *cells, _printed(rescored, alike[0])])
        others = [f"and {', '.join(one.id for one in alike[1:])}"] if len(alike) > 1 else []
        notes.append([*others, *_why(rescored, alike[0])])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [f"{task}: {task_of(task).title}"]
    for row, said in zip(rows, notes, strict=True):
        cells = [row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]
        lines += ["  ".join(cells).rstrip(), *(f"    {note}" for note in said)]
    return "\n".join(lines)


def _alike(task: str) -> list[list[base.Protocol]]:
    """Group a task's protocols by their four parts, in their order."""
    groups: dict[object, list[base.Protocol]] = {}
    for one in protocols_of(task):
        parts = (one.parser, one.normalizer, one.metric, one.denominator)
        groups.setdefault(parts, []).append(one)
    return list(groups.values())


def _cell_of(score: Score, denominator: base.Denominator) -> str:
    if score.crashed and denominator.stops_on_crash:
        return "end"
    if score.outcome in denominator.drops or (score.crashed and denominator.drops_crashed):
        return "out"
    return f"{100 * score.value:.1f}".removesuffix(".0")


def _printed(rescored: sdk.ProtocolReports, protocol: base.Protocol) -> str:
    value = rescored.reports[protocol.id].metrics[protocol.metric.primary].as_published
    return "nothing" if value is None else f"{100 * value:.1f}"


def _why(rescored: sdk.ProtocolReports, protocol: base.Protocol) -> list[str]:
    """Say what each part of a protocol adds to the number of the task's default one."""
    default = protocols_of(protocol.task)[0]
    if protocol is default:
        return []
    if _printed(rescored, protocol) == "nothing":
        return ["one answer stops the published code"]
    found = [
        f"{share.part.value} {100 * share.share:+.1f} ({share.second})"
        for share in rescored.explain(default.id, protocol.id).shares
        if abs(share.share) > _SEEN
    ]
    if not found and any(rescored.partings(default.id, protocol.id)):
        return ["different answers score, with the same total"]
    return found or ["no difference on these answers"]


class Parameter(Protocol):
    """An argument or an option: what is used of typer's own class, which has no types."""

    name: str
    opts: list[str]
    param_type_name: str
    required: bool
    default: object
    help: str | None
    envvar: str | None


class Command(Protocol):
    """A command: what is used of typer's own class."""

    help: str
    params: list[Parameter]


def commands() -> str:
    """Return a table of every command, with the first sentence of its help."""
    group: Any = typer.main.get_command(app)
    rows = [[f"`snellen {name}`", _first(command.help or "")] for name, command in _flat(group)]
    return _table(["command", "what it does"], rows)


def _usage(command: Command) -> str:
    """Return a command's help, and its arguments and options."""
    rows = [
        [_spelling(parameter), _need(parameter), parameter.help or ""]
        for parameter in command.params
        if parameter.name != "help"
    ]
    table = _table(["argument, option or variable", "required or default", "meaning"], rows)
    return f"{command.help}\n" + (f"\n{table}" if rows else "")


def _flat(
    group: Any,  # noqa: ANN401  # typer hands out groups and commands of no public type
    before: str = "",
) -> Iterator[tuple[str, Command]]:
    """Yield every command by its whole name, groups' own ones as `pack check`."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _flat(command, f"{before}{name} ")
        else:
            yield f"{before}{name}", command


def _spelling(parameter: Parameter) -> str:
    if parameter.param_type_name == "argument":
        spelled = parameter.name.upper()
    else:
        spelled = ", ".join(reversed(parameter.opts))
    return f"`{spelled}`" if parameter.envvar is None else f"`{spelled}`, `{parameter.envvar}`"


def _need(parameter: Parameter) -> str:
    if parameter.required:
        return "required"
    return str(parameter.default) if parameter.default else ""


def metrics() -> str:
    """Every public function and class of the metrics, module by module."""
    lines: list[str] = []
    for path in sorted(METRICS.glob("[a-z]*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        rows = [[f"`{name}`", line, source] for name, line, source in _members(tree, path.stem)]
        lines += [
            f"### snellen.grading.metrics.{path.stem}\n",
            f"{_first(ast.get_docstring(tree) or '')}\n",
            _table(["name", "meaning", "source"], rows),
        ]
    return "\n".join(lines)


def _members(tree: ast.Module, module: str) -> Iterator[tuple[str, str, str]]:
    found: dict[str, tuple[str, str, str]] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            text = ast.get_docstring(node) or ""
            function = isinstance(node, ast.FunctionDef)
            if text:  # an overload has none; its implementation comes last
                source = _source(text) or (SOURCES[module] if function else "")
                name = f"{node.name}()" if function else node.name
                found[node.name] = (name, _first(text), source)
    yield from found.values()


def _source(docstring: str) -> str:
    match = re.search(r"Source: (.+?)(?:\n\n|$)", docstring, re.DOTALL)
    return " ".join(match[1].split()).removesuffix(".").replace("/ ", "/") if match else ""


def _first(docstring: str) -> str:
    return " ".join(docstring.partition("\n\n")[0].split())


def _table(head: list[str], rows: list[list[str]]) -> str:
    cells = [head, ["---"] * len(head), *[[_cell(cell) for cell in row] for row in rows]]
    return "".join(f"| {' | '.join(row)} |\n" for row in cells)


def _cell(text: str) -> str:
    escaped = text.replace("|", "\\|")
    # Angle brackets outside of code would be taken for HTML.
    return escaped if "`" in escaped else escaped.replace("<", "&lt;")


def not_made() -> str:
    """Return a table of what the matrix's makers leave to the user, and why."""
    from snellen.build.writers.matrix.write import NOT_MADE

    rows = [[f"`{one.task}`", one.what, one.why] for one in NOT_MADE]
    return _table(["task type", "what", "why"], rows)


def formats() -> str:
    """Return a table of the formats that answers are read in, and a click in each."""
    rows: list[list[str]] = []
    for form in FORMATS.values():
        example = form.example if isinstance(form.example, str) else json.dumps(form.example)
        # A fence of a code block can't stand in a cell; `_table` escapes what else can't.
        shown = " ".join(example.replace("```python", "").replace("```", "").split())
        counts = form.space.words
        if form.above_one is not None:
            counts += f"; above 1, {form.above_one.words}"
        names = ", ".join(f"`{name}`" for name in (form.name, *form.aliases))
        rows.append([names, form.models, counts, f"`{shown}`"])
    return _table(["format", "models", "coordinates", "a click in the middle, for example"], rows)


def recipe_rows() -> str:
    """Return the table of recipes: where each is from, and what is known to differ."""
    rows: list[list[str]] = []
    for name in recipes.names():
        one = recipes.recipe(name)
        link = f"https://github.com/{one.source}/blob/{one.commit}/{one.path}"
        source = [f"`{name}`", f"[{one.source}]({link})", f"`{one.commit[:7]}`", one.license]
        rows.append([*source, one.verified or "unverified", one.differences])
    head = ["recipe", "source", "commit", "license", "verified on", "differences"]
    return _table(head, rows)


def null_agents() -> str:
    """Return a table of what agents that understand nothing reach on all pages of MiniWoB++."""
    rules = [protocol.id for protocol in PROTOCOLS[MINIWOB]]
    rows: list[list[str]] = []
    for agent, played in null_episodes().items():
        golds = [PageEpisodeGold(page=page) for page in played]
        cells = [f"{agent}"]
        for rule in rules:
            chance = chance_of(
                NullAgents(lambda played=played, agent=agent: {agent: played}),
                protocol_of(MINIWOB, rule),
                golds,
            )
            assert chance is not None
            raw = 2 * chance.value - 1
            cells.append(f"{raw:.2f}" if "raw" in rule else f"{100 * chance.value:.1f} %")
        rows.append(cells)
    return _table(["agent", *(f"`{rule}`" for rule in rules)], rows)


def baseline() -> str:
    """What the baseline agent scores on the default exam, by benchmark."""
    return _baseline(DEFAULT, "benchmarks")


def baseline_full() -> str:
    """The same on all items of the sample."""
    return _baseline("sample-full", "benchmarks")


def baseline_tasks() -> str:
    """The same on the default exam, by task."""
    return _baseline(DEFAULT, "tasks")


def _baseline(exam: str, part: str) -> str:
    of_benchmark = part == "benchmarks"
    second, last = ("tasks", "95 % interval") if of_benchmark else ("metric", "")
    titles = [part[:-1], second, "items", "answered", "score", last, "blind", "chance"]
    rows = [
        [
            f"`{name}`",
            str(row[second]),
            *(str(row[count]) for count in ("items", "answered")),
            percent(row["value"]),
            interval(Mean(**{field: row[field] for field in Mean._fields})),
            *(percent(row[value]) for value in ("blind", "chance")),
        ]
        for name, row in baselines()[exam][part].items()
    ]
    kept = [column for column, title in enumerate(titles) if title]
    return _table([titles[at] for at in kept], [[row[at] for at in kept] for row in rows])


def failure_tags() -> str:
    """Return a table of the failure tags for each group."""
    headed: list[str] = []
    for group in FailureGroup:
        rows = [
            [f"`{tag}`", rule.sentence, rule.advice]
            for tag, rule in RULES.items()
            if rule.group is group
        ]
        table = _table(["tag", "finding", "recommendation"], rows)
        headed.append(f"### {group.value.capitalize()}\n\n{table}")
    return "\n".join(headed)


def packages() -> str:
    """Return a table of the packages and modules of each layer, from their own docstrings."""
    layers: list[str] = []
    for layer in ("server", "sdk", "tasks", "grading"):
        rows: list[list[str]] = []
        for path in sorted((ROOT / layer / "snellen" / layer).iterdir()):
            module = path / "__init__.py" if path.is_dir() else path
            if module.suffix == ".py" and module.is_file() and path.name != "__init__.py":
                docstring = ast.get_docstring(ast.parse(module.read_text(encoding="utf-8")))
                rows.append([f"`{path.stem}`", _first(docstring or "")])
        layers.append(f"### {layer}\n\n{_table(['package or module', 'contents'], rows)}")
    return "\n".join(layers)


def arguments() -> str:
    """Return a table of the arguments of `sdk.grade`."""
    return _table(["argument", "meaning"], _entries(sdk.grade, "Args"))


def rules() -> str:
    """Return a table of the rules of an exam, with their defaults."""
    rows = [
        [name, json.dumps(Rules.model_fields[name.strip("`")].default), meaning]
        for name, meaning in _entries(Rules, "Attributes")
    ]
    return _table(["below `[rules]`", "default", "meaning"], rows).replace("| null |", "| |")


def _entries(documented: object, section: str) -> list[list[str]]:
    """Return the names and texts of a section of a docstring."""
    text = (inspect.getdoc(documented) or "").partition(f"{section}:\n")[2].partition("\n\n")[0]
    found = re.findall(r"^    (\w+): (.*(?:\n     .*)*)", text, re.MULTILINE)
    return [[f"`{name}`", " ".join(meaning.split())] for name, meaning in found]


def public_names() -> str:
    """Return a table of the public names of the SDK, without errors."""
    return _table(
        ["name", "meaning"],
        [
            [f"`sdk.{name}`", _first(inspect.getdoc(getattr(sdk, name)) or "")]
            for name in sdk.__all__
            if not name.endswith("Error")
        ],
    )


def error_classes() -> str:
    """Return a table of the errors."""
    known = {name: getattr(sdk, name) for name in sdk.__all__} | vars(errors)
    return _table(
        ["error", "condition"],
        [
            [f"`sdk.{name}`" if name in sdk.__all__ else f"`{name}`", _first(error.__doc__ or "")]
            for name, error in sorted(known.items())
            if name.endswith("Error")
        ],
    )


PARTS: Mapping[str, Callable[[], str]] = {
    "arguments": arguments,
    "baseline": baseline,
    "baseline_full": baseline_full,
    "baseline_tasks": baseline_tasks,
    "null_agents": null_agents,
    "benchmark_rows": benchmark_rows,
    "nav": nav,
    "places": places,
    "not_made": not_made,
    "commands": commands,
    "error_classes": error_classes,
    "failure_tags": failure_tags,
    "formats": formats,
    "kept_templates": kept_templates,
    "metrics": metrics,
    "packages": packages,
    "public_names": public_names,
    "recipes": recipe_rows,
    "rules": rules,
    "side_by_side": side_by_side,
    "tasks": tasks,
}
