"""How WebArena's tasks are scored: by WebArena-Verified, and by the two rules before it.

Sources: WebArena-Verified 1.2.3 (ServiceNow/webarena-verified 6473f72), whose rules are those of
its release candidates of 1.0 with the types of `post_data`, cookies and JSONPath added; WebArena
(Zhou et al., 2023); VisualWebArena (Koh et al., 2024).
"""

from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, cast

import msgspec

from snellen.grading.protocols import base
from snellen.grading.protocols.golds import GoldShape
from snellen.tasks.benchmarks.webarena.rules.answers import DATA, OBJECT, TEXT, WebAnswer, as_text
from snellen.tasks.benchmarks.webarena.rules.golds import ResponseCheck, WebTask, responses
from snellen.tasks.benchmarks.webarena.rules.requests import (
    RequestCheck,
    RequestQuery,
    Sites,
    events_of,
)
from snellen.tasks.benchmarks.webarena.rules.strings import Original, visualwebarena, webarena
from snellen.tasks.benchmarks.webarena.rules.values import STRING, Reading, SchemaError, same

VERIFIED = "webarena/verified"


def _verified(
    answer: WebAnswer, gold: WebTask, _: base.Normalize, *, fixed: bool
) -> tuple[float, float]:
    """Return whether all checks hold, and whether that of the answer does."""
    try:
        right = _has_response(answer.response, gold, fixed=fixed)
    except (SchemaError, RecursionError):
        if not fixed:
            raise base.PublishedCrashError from None
        right = False
    if not gold.requests:
        return float(right), float(right)
    if answer.network is None:
        raise base.UnjudgeableError(
            "the task is judged by the browser's requests, and there is no network log: put the"
            " HAR beside the answer (docs/webarena.md)"
        )
    events = events_of(answer.network)
    sites = Sites.of(gold.sites, answer.environments, events)
    navigates = gold.response.expected.task_type.lower() == "navigate"
    # Two requests to one address can't both be the last one.
    addresses = Counter(_address(check, navigates=navigates) for check in gold.requests)
    try:
        found = [
            RequestQuery(check, sites, fixed=fixed).succeeds(
                events,
                navigates=navigates,
                anywhere=fixed and addresses[_address(check, navigates=navigates)] > 1,
            )
            for check in gold.requests
        ]
    except (SchemaError, RecursionError):
        if not fixed:
            raise base.PublishedCrashError from None
        found = [False]
    return float(right and all(found)), float(right)


def _address(check: RequestCheck, *, navigates: bool) -> str:
    expected = check.expected
    page = navigates and expected.http_method == "GET"
    return f"{expected.http_method} {'' if page else expected.url}"


def _has_response(said: base.AnswerValue, gold: WebTask, *, fixed: bool) -> bool:
    """Whether an answer's type, status and data are right.

    Raises:
        SchemaError: The published code raises.
    """
    if not isinstance(said, dict):
        # Another protocol's parser reads text, too.
        return False
    response = cast("Mapping[str, Any]", said)
    check, expected = gold.response, gold.response.expected
    answers = Reading(strict=False, fixed=fixed, literal=fixed)
    for name in ("task_type", "status"):
        key = name
        if name == "task_type" and name not in response:
            key = "performed_operation"
        if key not in response:
            return False
        if not isinstance(response[key], str):
            raise SchemaError(f"{key} is no text")
        value = answers.single(response[key].strip(), STRING)
        if not same(_text(getattr(expected, name)), value, fixed=fixed):
            return False
    if expected.retrieved_data is msgspec.UNSET and not fixed:
        # Published code then drops the field of the answer, and misses it.
        return False
    if expected.task_type.lower() != "retrieve":
        return True
    wanted = None if expected.retrieved_data is msgspec.UNSET else expected.retrieved_data
    given = _data(answers, response.get(DATA), check)
    reference = _data(Reading(strict=True, fixed=fixed), wanted, check)
    return same(reference, given, ordered=check.ordered, fixed=fixed)


def _text(value: str) -> base.AnswerValue:
    return Reading(strict=True).single(value, STRING)


def _data(reading: Reading, value: base.AnswerValue, check: ResponseCheck) -> base.AnswerValue:
    if not value and not isinstance(value, int | float):
        return None
    several = cast("list[Any]", value) if isinstance(value, list) else [value]
    return reading.array(several, check.results_schema) or None


def _original(gold: WebTask) -> Original:
    if gold.original is None:
        raise base.UnjudgeableError(
            "WebArena's own references are not there: put its test.raw.json beside"
            " webarena-verified.json"
        )
    return gold.original


def _checked(gold: WebTask) -> WebTask:
    """Check that a task has a rule for its types, and that its references are of them."""
    if not any(isinstance(one, ResponseCheck) for one in gold.eval):
        raise ValueError("there is no AgentResponseEvaluator in eval")
    expected = gold.response.expected
    if expected.task_type.lower() == "retrieve" and isinstance(expected.retrieved_data, list):
        _data(Reading(strict=True), expected.retrieved_data, gold.response)
    return gold


def _text_metric(name: str, rule: Callable[[str, Original], float]) -> base.Metric:
    def compare(answer: WebAnswer, gold: WebTask, _: base.Normalize) -> tuple[float, ...]:
        return (rule(as_text(answer), _original(gold)),)

    return base.pairwise(name, ("success",), "success", compare)


def _checks(name: str, *, fixed: bool) -> base.Metric:
    return base.pairwise(name, ("success", "response"), "success", partial(_verified, fixed=fixed))


PROTOCOLS: Mapping[str, tuple[base.Protocol, ...]] = {
    VERIFIED: (
        base.Protocol(
            VERIFIED,
            "verified",
            1,
            "webarena-verified 1.2.3 (6473f72), core/evaluation",
            "typed values and the browser's requests; an answer may hold regular expressions and"
            " alternatives; $1,234 is 1.234",
            OBJECT,
            base.AS_IS,
            _checks("the answer's fields by type, and the expected requests", fixed=False),
        ),
        base.Protocol(
            VERIFIED,
            "robust",
            1,
            "ours",
            "as verified, but an answer is plain text without alternatives, $1,234 is 1234, and"
            " of several requests to one address each may be any; 13 tasks become possible",
            OBJECT,
            base.AS_IS,
            _checks("the same, with answers as plain text", fixed=True),
        ),
        base.Protocol(
            VERIFIED,
            "webarena",
            1,
            "web-arena-x/webarena f62e0b9, evaluation_harness/evaluators.py",
            "texts that the answer must include; tasks that need a language model or the live"
            " site are errors",
            TEXT,
            base.AS_IS,
            _text_metric("exact_match and must_include of WebArena", webarena),
        ),
        base.Protocol(
            VERIFIED,
            "visualwebarena",
            1,
            "web-arena-x/visualwebarena 89f5af2, evaluation_harness/evaluators.py",
            "a reference of one word must be a word of the answer, not a part of one",
            TEXT,
            base.AS_IS,
            _text_metric("exact_match and must_include of VisualWebArena", visualwebarena),
        ),
    )
}
GOLDS: Mapping[str, GoldShape] = {
    VERIFIED: GoldShape("an object {sites, eval, original}", WebTask, _checked, responses)
}
