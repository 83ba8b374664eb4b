"""Grade answers to the benchmarks of web and GUI understanding.

    from snellen import sdk

    report = sdk.grade("answers.jsonl", task="screenqa/short", data="path/to/screen_qa")
    report.metrics["f1"].value

Names are imported on first use, so `import sdk` is fast.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from snellen.grading.ceiling import Attainable
    from snellen.grading.errors import PluginError, SnellenError
    from snellen.grading.explain import Explanation
    from snellen.grading.judging.rubrics import Rubric
    from snellen.grading.models.items import Item
    from snellen.grading.models.raters import RaterAnswer, RaterReport
    from snellen.grading.models.scores import Outcome, Response, Score, Submission
    from snellen.grading.protocols.base import Protocol
    from snellen.grading.protocols.table import protocol_of, protocols_of
    from snellen.sdk.analysis.compare import Comparison, Comparisons, compare
    from snellen.sdk.analysis.correlate import Correlations, correlate
    from snellen.sdk.data.samples import Sample, load_sample
    from snellen.sdk.data.stratify import stratify
    from snellen.sdk.engines import EngineError
    from snellen.sdk.exam.client import (
        ExamAttempt,
        ExamClient,
        ExamItem,
        ExamRefusedError,
        ExamUnreachableError,
    )
    from snellen.sdk.hosted.client import (
        AsyncClient,
        Client,
        HostedError,
        HostedUnreachableError,
    )
    from snellen.sdk.local import attainable, grade
    from snellen.sdk.models.endpoints import Endpoint
    from snellen.sdk.models.evaluate import evaluate, evaluate_async
    from snellen.sdk.models.faults import EvaluationInterrupted, EvaluationStoppedError
    from snellen.sdk.models.judge import judge
    from snellen.sdk.models.questions import Question
    from snellen.sdk.models.settings import Decoding, Limits
    from snellen.sdk.protocol_reports import ProtocolReports, explain
    from snellen.sdk.rating import rate
    from snellen.sdk.report import Report, load_report
    from snellen.sdk.scoring import read, score
    from snellen.sdk.stored import regrade
    from snellen.sdk.summaries import summarise
    from snellen.sdk.training import Reward, reward
    from snellen.tasks.benchmarks.spec import Benchmark, TaskSpec
    from snellen.tasks.benchmarks.table import TASKS, task_of
    from snellen.tasks.benchmarks.table import load_task as load
    from snellen.tasks.models import TaskData

__all__ = [
    "TASKS",
    "AsyncClient",
    "Attainable",
    "Benchmark",
    "Client",
    "Comparison",
    "Comparisons",
    "Correlations",
    "Decoding",
    "Endpoint",
    "EngineError",
    "EvaluationInterrupted",
    "EvaluationStoppedError",
    "ExamAttempt",
    "ExamClient",
    "ExamItem",
    "ExamRefusedError",
    "ExamUnreachableError",
    "Explanation",
    "HostedError",
    "HostedUnreachableError",
    "Item",
    "Limits",
    "Outcome",
    "PluginError",
    "Protocol",
    "ProtocolReports",
    "Question",
    "RaterAnswer",
    "RaterReport",
    "Report",
    "Response",
    "Reward",
    "Rubric",
    "Sample",
    "Score",
    "SnellenError",
    "Submission",
    "TaskData",
    "TaskSpec",
    "attainable",
    "compare",
    "correlate",
    "evaluate",
    "evaluate_async",
    "explain",
    "grade",
    "judge",
    "load",
    "load_report",
    "load_sample",
    "protocol_of",
    "protocols_of",
    "rate",
    "read",
    "regrade",
    "reward",
    "score",
    "stratify",
    "summarise",
    "task_of",
]

_HOMES = {
    "AsyncClient": "snellen.sdk.hosted.client",
    "Client": "snellen.sdk.hosted.client",
    "HostedError": "snellen.sdk.hosted.client",
    "HostedUnreachableError": "snellen.sdk.hosted.client",
    "PluginError": "snellen.grading.errors",
    "Benchmark": "snellen.tasks.benchmarks.spec",
    "stratify": "snellen.sdk.data.stratify",
    "load_sample": "snellen.sdk.data.samples",
    "Sample": "snellen.sdk.data.samples",
    "judge": "snellen.sdk.models.judge",
    "Rubric": "snellen.grading.judging.rubrics",
    "Attainable": "snellen.grading.ceiling",
    "SnellenError": "snellen.grading.errors",
    "Explanation": "snellen.grading.explain",
    "Item": "snellen.grading.models.items",
    "RaterAnswer": "snellen.grading.models.raters",
    "RaterReport": "snellen.grading.models.raters",
    "rate": "snellen.sdk.rating",
    "Outcome": "snellen.grading.models.scores",
    "Response": "snellen.grading.models.scores",
    "Score": "snellen.grading.models.scores",
    "Submission": "snellen.grading.models.scores",
    "Protocol": "snellen.grading.protocols.base",
    "protocol_of": "snellen.grading.protocols.table",
    "protocols_of": "snellen.grading.protocols.table",
    "Comparison": "snellen.sdk.analysis.compare",
    "Comparisons": "snellen.sdk.analysis.compare",
    "compare": "snellen.sdk.analysis.compare",
    "Endpoint": "snellen.sdk.models.endpoints",
    "EngineError": "snellen.sdk.engines",
    "EvaluationInterrupted": "snellen.sdk.models.faults",
    "EvaluationStoppedError": "snellen.sdk.models.faults",
    "evaluate": "snellen.sdk.models.evaluate",
    "evaluate_async": "snellen.sdk.models.evaluate",
    "ExamAttempt": "snellen.sdk.exam.client",
    "ExamClient": "snellen.sdk.exam.client",
    "ExamItem": "snellen.sdk.exam.client",
    "ExamRefusedError": "snellen.sdk.exam.client",
    "ExamUnreachableError": "snellen.sdk.exam.client",
    "Question": "snellen.sdk.models.questions",
    "Decoding": "snellen.sdk.models.settings",
    "Limits": "snellen.sdk.models.settings",
    "correlate": "snellen.sdk.analysis.correlate",
    "Correlations": "snellen.sdk.analysis.correlate",
    "load_report": "snellen.sdk.report",
    "ProtocolReports": "snellen.sdk.protocol_reports",
    "explain": "snellen.sdk.protocol_reports",
    "attainable": "snellen.sdk.local",
    "grade": "snellen.sdk.local",
    "read": "snellen.sdk.scoring",
    "regrade": "snellen.sdk.stored",
    "Reward": "snellen.sdk.training",
    "reward": "snellen.sdk.training",
    "score": "snellen.sdk.scoring",
    "summarise": "snellen.sdk.summaries",
    "Report": "snellen.sdk.report",
    "TaskSpec": "snellen.tasks.benchmarks.spec",
    "task_of": "snellen.tasks.benchmarks.table",
    "TASKS": "snellen.tasks.benchmarks.table",
    "load": "snellen.tasks.benchmarks.table:load_task",
    "TaskData": "snellen.tasks.models",
}


def __getattr__(name: str) -> object:
    try:
        home, _, alias = _HOMES[name].partition(":")
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
    value = getattr(import_module(home), alias or name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
