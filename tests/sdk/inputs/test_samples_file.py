"""Samples as files: frozen, read back, and refused when they were altered."""

import json
from pathlib import Path
from typing import Any

import pytest

from snellen import sdk
from snellen.grading.errors import InputError
from snellen.grading.models.base import digest_of
from snellen.sdk.inputs.samples import Sample, load_sample
from snellen.sdk.inputs.stratify import stratify

DATA = sdk.load("screenqa/short", Path(__file__).parents[3] / "examples" / "screen_qa")


def draw(**options: Any) -> Sample:
    return stratify(DATA, by="question_word", n=5, core=["which"], **options)


@pytest.mark.parametrize("whole", [None, "screen"])
def test_a_saved_sample_is_the_same_when_read_back(tmp_path: Path, whole: str | None) -> None:
    screens = {item_id: {"screen": f"s{place}"} for place, item_id in enumerate(DATA.ids)}
    sample = draw(whole=whole, seed=4, tags=screens)
    path = sample.save(tmp_path / "sample.json")
    assert load_sample(path) == sample
    assert json.loads(path.read_text())["sha256"] == sample.sha256
    assert draw(whole=whole, seed=4, tags=screens).sha256 == sample.sha256
    assert draw(whole=whole, seed=5, tags=screens).sha256 != sample.sha256


def test_iterating_gives_the_ids_and_every_id_has_its_weight() -> None:
    sample = draw()
    assert tuple(sample) == sample.ids
    assert len(sample) == len(sample.ids) == 6
    assert sample.weights.keys() == set(sample)
    assert sum(sample.weights.values()) == pytest.approx(len(DATA))


def test_a_sealed_file_of_an_impossible_stratum_is_refused_with_its_field(tmp_path: Path) -> None:
    path = draw().save(tmp_path / "sample.json")
    content = json.loads(path.read_text())
    del content["sha256"]
    content["strata"][0]["items"] = 0
    path.write_text(json.dumps({**content, "sha256": digest_of(content)}))
    with pytest.raises(InputError, match=r"sample\.json: it is not a sample of items: items: .* 0"):
        load_sample(path)


def test_an_altered_or_foreign_file_is_refused(tmp_path: Path) -> None:
    path = draw().save(tmp_path / "sample.json")
    path.write_text(path.read_text().replace('"items": 5', '"items": 6'))
    with pytest.raises(InputError, match="changed after it was drawn"):
        load_sample(path)
    path = draw().save(tmp_path / "sample.json")
    path.write_text(path.read_text().replace('"items": 5', '"items": 0'))
    with pytest.raises(InputError, match="changed after it was drawn"):
        load_sample(path)
    path.write_text('{"format": "another/1"}')
    with pytest.raises(InputError, match=r"sample\.json: it is not a sample of items"):
        load_sample(path)
    with pytest.raises(InputError, match="can't read it"):
        load_sample(tmp_path / "none.json")
