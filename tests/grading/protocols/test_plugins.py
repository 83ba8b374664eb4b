from dataclasses import replace
from types import MappingProxyType

import pytest

from snellen.grading.errors import PluginError, UnknownNameError
from snellen.grading.protocols import golds
from snellen.grading.protocols.plugins import Rules, WithPlugins, plugin, plugin_names
from snellen.grading.protocols.table import GOLDS, PROTOCOLS, gold_shape, protocol_of, protocols_of

SHORT = replace(protocol_of("screenqa/short"), task="mine/words")


def rules(**changes: object) -> Rules:
    parts: dict[str, object] = {
        "name": "mine",
        "protocols": {"mine/words": (SHORT,)},
        "golds": {"mine/words": golds.TEXTS},
        **changes,
    }
    return Rules(**parts)  # pyright: ignore[reportArgumentType]  # wrong ones are the point


def test_rules_hold_what_belongs_together() -> None:
    assert rules().protocols["mine/words"][0].name == SHORT.name


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": ""}, "'' is not a valid name of a benchmark"),
        ({"name": "a/b"}, "'a/b' is not a valid name of a benchmark"),
        ({"name": "other"}, "'mine/words' of other must be called other/"),
        ({"golds": {}}, "'mine/words' needs both protocols and a shape of references"),
        ({"protocols": {"mine/words": ()}}, "mine/words has no protocol"),
        ({"protocols": {"mine/words": (SHORT, SHORT)}}, "two protocols with the same name"),
        (
            {"protocols": {"mine/words": (protocol_of("screenqa/short"),)}},
            "mine/words has a protocol 'official' of screenqa/short",
        ),
    ],
)
def test_rules_that_do_not_belong_together(changes: dict[str, object], message: str) -> None:
    with pytest.raises(PluginError, match=message):
        rules(**changes)


def test_a_name_that_no_package_adds_is_none() -> None:
    assert plugin("nobody-adds-this") is None
    assert "nobody-adds-this" not in plugin_names()


def test_a_table_is_its_own_tasks_where_no_package_adds_any() -> None:
    table = WithPlugins(MappingProxyType({"a/b": 1, "a/c": 2}), lambda _: {})
    assert list(table.items()) == [("a/b", 1), ("a/c", 2)]
    assert len(table) == 2
    assert table.get("a/d") is None
    assert table.get("nothing/d") is None
    assert table.get("no-slash") is None


def test_every_task_has_protocols_and_a_shape() -> None:
    assert list(PROTOCOLS) == sorted(PROTOCOLS, key=list(PROTOCOLS).index)
    assert PROTOCOLS.keys() == GOLDS.keys()


@pytest.mark.parametrize("look_up", [protocols_of, gold_shape])
def test_an_unknown_task_names_the_nearest(look_up: object) -> None:
    assert callable(look_up)
    with pytest.raises(UnknownNameError, match="did you mean 'screenspot-pro/point'"):
        look_up("screenspot_pro/point")
