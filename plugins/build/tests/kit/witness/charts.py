"""Answers about a chart, recomputed from the numbers in its record.

The question determines which numbers are used. A question that can't be parsed is not checked.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import isclose
from types import MappingProxyType
from typing import Any, cast

import msgspec

from snellen.build.charts.tables import NAMES
from witness.faults import Fault
from witness.views import Evidence, View

_NUMBER = r"-?\d[\d.]*\d|\d"
_STRAIGHT = re.compile(r'"([^"]*)"')


class Chart(msgspec.Struct, frozen=True):
    """A chart's kind, labels, and values by series."""

    kind: str
    labels: list[str]
    series: dict[str, list[float]]

    @property
    def first(self) -> Sequence[float]:
        """The values of the first series."""
        return next(iter(self.series.values()))

    def named(self, names: Sequence[str]) -> Sequence[float]:
        """Return the series with one of some names, or the first one."""
        return next((self.series[name] for name in names if name in self.series), self.first)

    def at(self, names: Sequence[str]) -> list[int]:
        """Return the indices of the labels among some names, in the order of the names."""
        return [self.labels.index(name) for name in names if name in self.labels]


Answer = Callable[[Chart, View], object]
"""Computes an answer: a number, a label or a document; None if the question can't be parsed."""


def check_chart(view: View) -> Iterator[Evidence]:
    """Compare a reference with the result from the chart's numbers."""
    gold, chart = view.matrix, chart_of(view)
    if gold is None or chart is None:
        return
    own: object = view.right_text if gold.metric == "accuracy" else gold.answer
    if own is None:
        return
    yield from _stored(view, own)
    work_out = _said if "said" in view.record else _ANSWERS.get(view.kind)
    right = None if work_out is None else work_out(chart, view)
    if right is not None and not _agree(right, own):
        fault = Fault.WRONG_OPTION if gold.metric == "accuracy" else Fault.CHART
        yield Evidence(fault, _text(right), _text(own))


def chart_of(view: View) -> Chart | None:
    """Return the chart of an item's record; None if there is none."""
    try:
        chart = msgspec.convert(view.record.get("chart"), Chart)
    except msgspec.ValidationError:
        return None
    fits = all(len(values) == len(chart.labels) for values in chart.series.values())
    return chart if chart.series and chart.labels and fits else None


def _stored(view: View, own: object) -> Iterator[Evidence]:
    """Compare the answer with the record's."""
    recorded = view.record.get("counterfactual")
    if recorded is not None and not _agree(recorded, own):
        yield Evidence(Fault.RECORD, _text(recorded), _text(own))
    truth = view.record.get("true")
    if isinstance(truth, bool) and own in ("yes", "no") and truth is not (own == "yes"):
        yield Evidence(Fault.RECORD, "yes" if truth else "no", _text(own))


def _agree(right: object, own: object) -> bool:
    if isinstance(right, bool):
        return own in ("yes", "no") and right is (own == "yes")
    if isinstance(right, int | float) and isinstance(own, int | float):
        return isclose(right, own, rel_tol=1e-4, abs_tol=1e-4)
    if isinstance(right, Mapping) and isinstance(own, Mapping):
        first_map, second_map = cast("Mapping[str, Any]", right), cast("Mapping[str, Any]", own)
        return first_map.keys() == second_map.keys() and all(
            _agree(first_map[key], second_map[key]) for key in first_map
        )
    if isinstance(right, list | tuple) and isinstance(own, list | tuple):
        first, second = cast("Sequence[object]", right), cast("Sequence[object]", own)
        return len(first) == len(second) and all(map(_agree, first, second))
    return right == own


def _text(value: object) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _asked(view: View) -> str:
    """Return the question; for some items it is in the picture."""
    return str(view.record.get("asked") or view.prompt.partition("\nOptions:")[0])


def _number(pattern: str, view: View) -> float | None:
    match = re.search(pattern, _asked(view))
    return None if match is None else float(match[1])


# ---- values ------------------------------------------------------------------------------------


def _value(chart: Chart, view: View) -> object:
    places = chart.at(view.quoted)
    return chart.named(view.quoted)[places[0]] if places else None


def _value_in_picture(chart: Chart, view: View) -> object:
    question = _asked(view)
    label = re.search(r" at (.+?), in ", question)
    if label is None or label[1] not in chart.labels:
        return None
    return chart.named(_STRAIGHT.findall(question))[chart.labels.index(label[1])]


def _extreme(pick: Callable[[Sequence[float]], float]) -> Answer:
    def work_out(chart: Chart, view: View) -> object:
        values = chart.named(view.quoted)
        offered = view.item.options
        if "of all" in view.prompt or set(offered) >= set(chart.labels):
            return chart.labels[values.index(pick(values))]
        kept = [n for n, label in enumerate(chart.labels) if label in offered]
        best = pick([values[place] for place in kept]) if kept else None
        return next((chart.labels[n] for n in kept if values[n] == best), None)

    return work_out


def _difference(chart: Chart, view: View) -> object:
    places = chart.at(view.quoted)
    values = chart.named(view.quoted)
    return values[places[0]] - values[places[1]] if len(places) == 2 else None


def _growth(chart: Chart, view: View) -> object:
    places = chart.at(view.quoted)
    if len(places) != 2:
        return None
    return 100 * (chart.first[places[1]] / chart.first[places[0]] - 1)


def _share(chart: Chart, view: View) -> object:
    places = chart.at(view.quoted)
    return 100 * chart.first[places[0]] / sum(chart.first) if places else None


def _count(chart: Chart, view: View) -> object:
    match = re.search(rf"(above|below) ({_NUMBER})", _asked(view))
    if match is None:
        return None
    limit = float(match[2])
    above = match[1] == "above"
    return sum((value > limit) if above else (value < limit) for value in chart.first)


def _extrapolation(chart: Chart, view: View) -> object:
    ahead = _number(r"would it be (\d+) ", view)
    if ahead is None:
        return None
    return chart.first[-1] + ahead * (chart.first[-1] - chart.first[-2])


# ---- several steps -----------------------------------------------------------------------------


def _widest_gap(chart: Chart, view: View) -> object:
    names = [name for name in view.quoted if name in chart.series]
    if len(names) != 2:
        return None
    gaps = [abs(a - b) for a, b in zip(*(chart.series[name] for name in names), strict=True)]
    return chart.labels[gaps.index(max(gaps))]


def _largest_rise(chart: Chart, view: View) -> object:
    rises = [second - first for first, second in pairwise(chart.first)]
    place = rises.index(max(rises))
    return f"{chart.labels[place]} to {chart.labels[place + 1]}"


def _largest_total(chart: Chart, view: View) -> object:
    return max(chart.series, key=lambda name: sum(chart.series[name]))


def _sum_of_extremes(chart: Chart, view: View) -> object:
    return max(chart.first) + min(chart.first)


# ---- sentences ---------------------------------------------------------------------------------


def _said(chart: Chart, view: View) -> object:
    """Return whether a sentence about a chart is true."""
    sentence = str(view.record["said"])
    truth = _comparison(chart, sentence)
    return _sentence(chart, view, sentence) if truth is None else truth


def _sentence(chart: Chart, view: View, said: str) -> object:
    match = re.fullmatch(rf"At (.+), (?:\"(.+)\"|the value) is (about )?({_NUMBER}) (?:.+)\.", said)
    if match is None or match[1] not in chart.labels:
        return None
    value = chart.named([match[2] or ""])[chart.labels.index(match[1])]
    step = view.record.get("step")
    near = 0.25 * step if match[3] and isinstance(step, int | float) else 0.006
    return abs(value - float(match[4])) <= near


def _comparison(chart: Chart, said: str) -> object:
    match = re.fullmatch(r"At (.+), (?:\"(.+)\"|the value) is higher than at (.+)\.", said)
    if match is None or not {match[1], match[3]} <= set(chart.labels):
        return None
    values = chart.named([match[2] or ""])
    return values[chart.labels.index(match[1])] > values[chart.labels.index(match[3])]


def _caption(chart: Chart, view: View) -> object:
    truths = {option: _is_true(option, chart) for option in view.item.options}
    if None in truths.values():
        return None
    true = [option for option, truth in truths.items() if truth]
    return true[0] if len(true) == 1 else f"{len(true)} of the sentences are true"


def _is_true(sentence: str, chart: Chart) -> bool | None:
    values = dict(zip(chart.labels, chart.first, strict=True))
    ends = re.search(r": the highest value is that of (.+), the lowest that of (.+)\.$", sentence)
    if ends is not None:
        # A sentence with labels of another chart is not true of this one.
        return (values.get(ends[1]), values.get(ends[2])) == (
            max(chart.first),
            min(chart.first),
        )
    pairs = re.search(
        r": (.+) has (more|less) than (.+), and (.+) has (more|less) than (.+)\.$", sentence
    )
    if pairs is None:
        return None
    if not {pairs[1], pairs[3], pairs[4], pairs[6]} <= values.keys():
        return False
    return all(
        (values[label] > values[other_label]) is (way == "more")
        for label, way, other_label in (
            (pairs[1], pairs[2], pairs[3]),
            (pairs[4], pairs[5], pairs[6]),
        )
    )


# ---- counterfactuals ---------------------------------------------------------------------------


def _changed_value(chart: Chart, view: View) -> object:
    match = re.search(r"had been (\d+) percent (more|less)", _asked(view))
    places = chart.at(view.quoted)
    if match is None or not places:
        return None
    share = float(match[1]) / 100
    factor = 1 + share if match[2] == "more" else 1 - share
    return chart.named(view.quoted)[places[0]] * factor


def _turned_change(chart: Chart, view: View) -> object:
    places = chart.at(view.quoted)
    if len(places) < 2:
        return None
    first, second = (chart.first[place] for place in places[:2])
    return first - (second - first)


def _raised_total(chart: Chart, view: View) -> object:
    least = _number(rf"every value below ({_NUMBER})", view)
    return None if least is None else sum(max(value, least) for value in chart.first)


def _halved_maximum(chart: Chart, view: View) -> object:
    match = re.search(r"the (highest|lowest) value .+ the (highest|lowest) value", _asked(view))
    if match is None:
        return None
    halved, right = ((max if word == "highest" else min) for word in match.groups())
    place = chart.first.index(halved(chart.first))
    values = [v / 2 if number == place else v for number, v in enumerate(chart.first)]
    return chart.labels[values.index(right(values))]


# ---- data and calls ----------------------------------------------------------------------------


def _as_data(chart: Chart, view: View) -> object:
    return {"kind": chart.kind, "labels": chart.labels, "series": chart.series}


def _series_as_data(chart: Chart, view: View) -> object:
    return dict(zip(chart.labels, chart.named(view.quoted), strict=True))


def _series_in_order(chart: Chart, view: View) -> object:
    pairs = zip(chart.labels, chart.named(view.quoted), strict=True)
    return [list(pair) for pair in sorted(pairs, key=lambda pair: -pair[1])]


def _gaps_in_order(chart: Chart, view: View) -> object:
    names = [name for name in view.quoted if name in chart.series]
    if len(names) != 2:
        return None
    first, second = (chart.series[name] for name in names)
    gaps = [(label, abs(a - b)) for label, a, b in zip(chart.labels, first, second, strict=True)]
    return [list(gap) for gap in sorted(gaps, key=lambda gap: -gap[1])]


def _raised(chart: Chart, view: View) -> object:
    least = _number(rf"value below ({_NUMBER})", view)
    aim = _number(rf"raised to ({_NUMBER})", view)
    if least is None or aim is None:
        return None
    return [
        {"name": "raise", "arguments": {"label": label, "by": aim - value}}
        for label, value in zip(chart.labels, chart.first, strict=True)
        if value < least
    ]


def _kind(chart: Chart, view: View) -> object:
    return NAMES.get(chart.kind)


def _odd_one(chart: Chart, view: View) -> object:
    marked = view.record.get("marked")
    return chart.labels[marked] if isinstance(marked, int) and marked < len(chart.labels) else None


_ANSWERS: Mapping[str, Answer] = MappingProxyType(
    {
        "value": _value,
        "value, asked in the picture": _value_in_picture,
        "maximum": _extreme(max),
        "minimum": _extreme(min),
        "difference": _difference,
        "growth": _growth,
        "share": _share,
        "count": _count,
        "extrapolation": _extrapolation,
        "widest gap": _widest_gap,
        "largest rise": _largest_rise,
        "largest total": _largest_total,
        "sum of extremes": _sum_of_extremes,
        "extremes": _caption,
        "comparisons": _caption,
        "one value changed": _changed_value,
        "change turned round": _turned_change,
        "least value raised": _raised_total,
        "maximum halved": _halved_maximum,
        "chart as data": _as_data,
        "one series as data": _series_as_data,
        "one series in order": _series_in_order,
        "differences in order": _gaps_in_order,
        "raise what is low": _raised,
        "chart kind": _kind,
        "odd color": _odd_one,
    }
)
"""The computation by the kind of question."""
