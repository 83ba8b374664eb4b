"""A reference given as the answer scores the protocol's attainable maximum, for every task."""

import json
from pathlib import Path

import pytest
from miniatures import references

from snellen.grading.ceiling import attainable_maximum
from snellen.grading.errors import MetricError
from snellen.grading.protocols.base import Protocol
from snellen.grading.protocols.table import GOLDS, PROTOCOLS, gold_shape, protocol_of

pytestmark = pytest.mark.compat

REFERENCES = references()

# lmms-eval's fork divides the distinct characters by the lengths of the texts, so a text with a
# repeated character does not fully match itself: "12 exercises", "<no answer>".
BELOW = {
    # The framework's F1 adds 1e-8 to its denominator, and it scores 0 by metrics unknown to it.
    ("matrix/items", "published"): (3, 4),
    ("screenqa/short", "charset"): (0, 1, 2, 3),
    # Nothing is a refusal to it; the box of a polygon's first corners is not the polygon.
    ("osworld-g/original", "vlmevalkit"): (2,),
    ("osworld-g/refined", "vlmevalkit"): (2,),
    ("osworld-g/original", "maiui"): (1,),
    ("osworld-g/refined", "maiui"): (1,),
    ("venusbench-gd/refusal", "vlmevalkit"): (1,),
    # It counts clicks alone.
    ("androidcontrol/high", "ui-r1"): (1, 2, 3, 4, 5),
    ("androidcontrol/low", "ui-r1"): (1, 2, 3, 4, 5),
    # Its vocabulary can't open an app.
    ("androidcontrol/high", "agentcpm"): (3,),
    ("androidcontrol/low", "agentcpm"): (3,),
    # Its own name of an action has no underscore, and that of the reference keeps it.
    ("androidcontrol/high", "screensuite"): (3, 4),
    ("androidcontrol/low", "screensuite"): (3, 4),
    # Its code compares a click with the screen's corner.
    ("aitz/high", "official"): (1,),
    # Two requests to one address can't both be the last one.
    ("webarena/verified", "verified"): (3,),
    # The live site decides, or the references of these protocols are not there.
    ("webarena/verified", "webarena"): (2, 3),
    ("webarena/verified", "visualwebarena"): (2, 3),
    # One word has no bigrams, so its ROUGE-2 is 0.
    ("visualwebbench/heading_ocr", "screensuite"): (1,),
    # A target in fractions of an image of unknown size can't be written in pixels.
    ("ui-vision/basic", "pixels"): (1,),
    ("ui-vision/functional", "pixels"): (1,),
    ("ui-vision/spatial", "pixels"): (1,),
    ("ui-vision/layout", "pixels"): (1,),
    ("points/point", "pixels"): (1,),
    ("webclick/point", "pixels"): (1,),
    ("webclick/point", "paper"): (1,),
    ("mmbench-gui/l2_basic", "pixels"): (1,),
    ("mmbench-gui/l2_advanced", "pixels"): (1,),
    ("visualwebbench/element_ground_bbox", "pixels"): (1,),
    ("visualwebbench/action_ground_bbox", "pixels"): (2,),
    ("visualwebbench/action_ground_point", "pixels"): (1,),
}

ALL = [protocol for protocols in PROTOCOLS.values() for protocol in protocols]


def test_every_task_is_tried() -> None:
    assert REFERENCES.keys() == PROTOCOLS.keys() == GOLDS.keys()


@pytest.mark.parametrize("protocol", ALL, ids=lambda one: f"{one.task}-{one.id}")
def test_a_reference_given_as_the_answer_scores_the_maximum(protocol: Protocol) -> None:
    shape = gold_shape(protocol.task)
    golds = [shape.read(reference) for reference in REFERENCES[protocol.task]]
    contexts = [shape.context(gold) for gold in golds]
    found = attainable_maximum(protocol, shape.responses, golds, contexts)
    assert found.best == pytest.approx(protocol.metric.best, abs=1e-12)
    assert found.below == BELOW.get((protocol.task, protocol.id), ())
    if not found.below:
        assert found.metrics[protocol.metric.primary] == pytest.approx(found.best, abs=1e-12)


@pytest.mark.parametrize("kind", ["bbox", "point"])
def test_a_reference_in_pixels_of_an_unknown_size_can_be_given_in_pixels_alone(kind: str) -> None:
    task = f"visualwebbench/element_ground_{kind}"
    shape = gold_shape(task)
    gold = shape.read([10, 20, 30, 40])
    for name in ("official", "robust", "pixels"):
        found = attainable_maximum(protocol_of(task, name), shape.responses, [gold])
        assert (found.best, found.below) == (1.0, ())
    for name in ("unit", "thousand"):
        with pytest.raises(MetricError, match="a box in pixels needs image_size beside it"):
            attainable_maximum(protocol_of(task, name), shape.responses, [gold])


# How many references of the real data miss the maximum: those that normalize to nothing.
NOTHING_LEFT = {
    ("short_answers/test.json", "official"): 21,
    ("short_answers/validation.json", "official"): 21,
    ("complex_qa/data.json", "official"): 1,
    ("short_answers/test.json", "robust"): 0,
    ("short_answers/validation.json", "robust"): 0,
    ("complex_qa/data.json", "robust"): 0,
    ("short_answers/test.json", "multiui"): 0,
    ("short_answers/test.json", "screensuite"): 21,
}


@pytest.mark.slow
@pytest.mark.realdata
@pytest.mark.parametrize(("file", "name"), NOTHING_LEFT)
def test_on_the_real_data_only_the_listed_references_miss_it(
    screenqa_data: Path, file: str, name: str
) -> None:
    task = "screenqa/complex" if file.startswith("complex") else "screenqa/short"
    rows = json.loads((screenqa_data / file).read_text(encoding="utf-8"))
    golds = [row["ground_truth"] for row in rows]
    protocol = protocol_of(task, name)
    alone = [[reference] for gold in golds for reference in gold]
    found = attainable_maximum(protocol, gold_shape(task).responses, alone)
    assert found.best == 1.0
    assert len(found.below) == NOTHING_LEFT[file, name]
