"""Grade answers to the benchmarks of web and GUI understanding.

    from snellen import sdk

    report = sdk.grade("answers.jsonl", task="screenqa/short", data="path/to/screen_qa")
    report.metrics["f1"].value

Names are imported on first use, so `import sdk` is fast. `__init__.pyi` lists them and their
modules, for type checkers and for this module.
"""

import re
from importlib import import_module

with open(f"{__file__}i", encoding="utf-8") as _stub:
    _HOMES = {
        name: (home, name)
        for home, name in re.findall(r"^from (\S+) import (\w+) as \2$", _stub.read(), re.MULTILINE)
    }
_HOMES["load"] = ("snellen.tasks.benchmarks.table", "load_task")

__all__ = sorted(_HOMES)  # pyright: ignore[reportUnsupportedDunderAll]  # it reads the stub's


def __getattr__(name: str) -> object:
    try:
        home, original = _HOMES[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
    value = getattr(import_module(home), original)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
