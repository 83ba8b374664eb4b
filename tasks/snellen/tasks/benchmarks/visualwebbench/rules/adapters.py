"""VisualWebBench's post-processing, model by model, and the harness that uses one for all.

What is cut from an answer before it is scored depends on the model adapter; the rest of the
official protocol stays. Each adapter goes with a wording of the prompt: the Gemini and Claude
configurations ask for a caption after "Meta Description:".

Source: VisualWebBench model_adapters/; ScreenSuite 0.0.1.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from snellen.grading.protocols import base
from snellen.grading.protocols.texts import AS_GIVEN
from snellen.tasks.benchmarks.visualwebbench.rules import parts

_SAME = "scores as official does"


@dataclass(frozen=True, slots=True)
class _Cut:
    """What is done to the answers to one task, and what is special about it."""

    parser: base.Parser
    special: str
    denominator: base.Denominator | None = None


@dataclass(frozen=True, slots=True)
class _Adapter:
    """A model adapter: what it cuts by task; answers to other tasks stay as they are."""

    id: str  # the protocol's id
    source: str  # the published file
    cuts: Mapping[str, _Cut]  # the task's name without `visualwebbench/`, to what is cut there


_OCR = _Cut(parts.AFTER_COLON, _SAME)

_ADAPTERS = (
    _Adapter(
        "official-gemini",
        "model_adapters/gemini_adapter.py",
        MappingProxyType(
            {
                "web_caption": _Cut(
                    parts.AFTER_COLON,
                    "removes text up to the first colon, because its prompt asks for a lead-in;"
                    " keeps a tag",
                ),
                "element_ocr": _OCR,
            }
        ),
    ),
    _Adapter(
        "official-claude",
        "model_adapters/claude_adapter.py",
        MappingProxyType(
            {
                "web_caption": _Cut(
                    AS_GIVEN,
                    "keeps the lead-in that its prompt asks for; removes it in a task"
                    " that does not",
                ),
                "element_ocr": _OCR,
            }
        ),
    ),
    _Adapter(
        "official-qwen",
        "model_adapters/qwen_vl_adapter.py, which stops at an undefined name",
        MappingProxyType(
            {
                "web_caption": _Cut(parts.META_DESCRIPTION, _SAME),
                "webqa": _Cut(
                    parts.AFTER_COLON, 'removes text up to the first colon: "10:30" becomes "30"'
                ),
                "element_ocr": _OCR,
                "action_prediction": _Cut(
                    parts.FIRST_CHARACTER_OR_CRASH,
                    'reads "The answer is B" as T; an empty response stops the run',
                    base.STOP_ON_CRASH,
                ),
            }
        ),
    ),
)


def by_adapter(official: base.Protocol) -> tuple[base.Protocol, ...]:
    """Return one of the seven tasks' official protocol with each other adapter's cuts."""
    return tuple(_adapted(official, adapter) for adapter in _ADAPTERS)


def _adapted(official: base.Protocol, adapter: _Adapter) -> base.Protocol:
    uncut = _Cut(parts.CHOICE if official.metric is parts.ACCURACY else AS_GIVEN, _SAME)
    cut = adapter.cuts.get(official.task.partition("/")[2], uncut)
    return replace(
        official,
        id=adapter.id,
        source=f"{official.source}; {adapter.source}",
        special=cut.special,
        parser=cut.parser,
        denominator=cut.denominator or official.denominator,
    )


_WITHOUT_FAILED = {
    base.STOP_ON_CRASH.name: parts.DROP_FAILED_STOP_ON_CRASH,
    parts.DROP_RAISING.name: parts.DROP_FAILED_AND_RAISING,
}


def screensuite(official: base.Protocol, metric: base.Metric) -> base.Protocol:
    """Return how ScreenSuite scores one of the seven tasks: the Qwen adapter's cuts for all.

    Args:
        official: The task's official protocol.
        metric: The official metric, but the mean of ROUGE-1, 2 and L where that has all three.
    """
    qwen = next(one for one in by_adapter(official) if one.id == "official-qwen")
    crashes = qwen.parser is parts.FIRST_CHARACTER_OR_CRASH
    special = {
        "rouge_mean": "the mean of three ROUGE values; failed responses are omitted from the mean",
        "f1": 'removes text up to the first colon: "10:30" becomes "30"; failed responses'
        " are omitted from the mean",
    }.get(metric.primary, "failed responses are omitted from the mean")
    return replace(
        qwen,
        id="screensuite",
        source="ScreenSuite 0.0.1, perception/visualwebbench",
        special='reads "The answer is B" as T; failed responses are omitted from the mean'
        if crashes
        else special,
        parser=parts.FIRST_CHARACTER if crashes else qwen.parser,
        metric=metric,
        denominator=_WITHOUT_FAILED.get(official.denominator.name, base.DROP_FAILED),
    )
