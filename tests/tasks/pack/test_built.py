"""The origin of items in a manifest; packs without it keep their old form."""

import json
from collections.abc import Callable

import pytest

from snellen.tasks.pack.check import check_pack
from snellen.tasks.pack.format import FORMAT, Built, RemovedItem
from snellen.tasks.pack.read import Pack, open_pack, open_references
from snellen.tasks.pack.seal import new_key
from snellen.tasks.pack.write import seal_pack

MakePack = Callable[..., Pack]
BUILT = Built(
    builder="snellen 0.2.0",
    seed=7,
    browser="Chromium 156.0.7204.92",
    sites=12,
    pages=40,
    thresholds={"page_area": (1.5e6, 3e6)},
    unstable=("shop/index",),
    refused={"visualwebbench/webqa": {"no facts": 3}},
    licences={"shop": "MIT"},
    struck=(RemovedItem(task="screenqa/short", item="test/7/0", reason="blurred"),),
)


def test_a_pack_says_how_it_was_built_and_goes_on_saying_it(make_pack: MakePack) -> None:
    pack = make_pack(built=BUILT)
    assert pack.manifest.built == BUILT
    seal_pack(pack, new_key())
    assert open_pack(pack.folder).manifest.built == BUILT
    assert check_pack(pack.folder).fine


def test_a_pack_that_nobody_built_has_the_manifest_it_always_had(make_pack: MakePack) -> None:
    pack = make_pack()
    words = json.loads((pack.folder / "manifest.json").read_text())
    assert "built" not in words
    assert words["format"] == FORMAT == "snellen-pack@1"


def test_how_it_was_built_is_no_part_of_what_is_asked(make_pack: MakePack) -> None:
    assert make_pack("one", built=BUILT).digest == make_pack("other").digest


def test_references_without_records_read_as_before(make_pack: MakePack) -> None:
    pack = make_pack()
    assert b'"record"' not in (pack.folder / "references.jsonl").read_bytes()
    assert open_references(pack).records == {"screenqa/short": {}}


@pytest.mark.parametrize("wrong", [{"pages": -1}, {"color": "red"}])
def test_what_is_no_such_record_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="validation error"):
        Built.model_validate(wrong)
