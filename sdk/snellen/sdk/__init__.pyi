"""The public names of the SDK: type checkers read them here, and `__init__.py` their modules."""

from snellen.grading.ceiling import Attainable as Attainable
from snellen.grading.errors import DataError as DataError
from snellen.grading.errors import ExecutionError as ExecutionError
from snellen.grading.errors import InputError as InputError
from snellen.grading.errors import InputWarning as InputWarning
from snellen.grading.errors import MetricError as MetricError
from snellen.grading.errors import MissingExtraError as MissingExtraError
from snellen.grading.errors import PluginError as PluginError
from snellen.grading.errors import SnellenError as SnellenError
from snellen.grading.errors import SubmissionError as SubmissionError
from snellen.grading.errors import UnknownNameError as UnknownNameError
from snellen.grading.explain import Explanation as Explanation
from snellen.grading.models.items import Item as Item
from snellen.grading.models.reports import UnreadableError as UnreadableError
from snellen.grading.models.scores import Outcome as Outcome
from snellen.grading.models.scores import Response as Response
from snellen.grading.models.scores import Score as Score
from snellen.grading.models.scores import Submission as Submission
from snellen.grading.protocols.base import Protocol as Protocol
from snellen.grading.protocols.table import protocol_of as protocol_of
from snellen.grading.protocols.table import protocols_of as protocols_of
from snellen.sdk.analysis.compare import Comparison as Comparison
from snellen.sdk.analysis.compare import Comparisons as Comparisons
from snellen.sdk.analysis.compare import compare as compare
from snellen.sdk.engines import EngineError as EngineError
from snellen.sdk.exam.client import ExamAttempt as ExamAttempt
from snellen.sdk.exam.client import ExamClient as ExamClient
from snellen.sdk.exam.client import ExamItem as ExamItem
from snellen.sdk.exam.client import ExamRefusedError as ExamRefusedError
from snellen.sdk.exam.client import ExamUnreachableError as ExamUnreachableError
from snellen.sdk.hosted.client import AsyncClient as AsyncClient
from snellen.sdk.hosted.client import Client as Client
from snellen.sdk.hosted.client import HostedError as HostedError
from snellen.sdk.hosted.client import HostedUnreachableError as HostedUnreachableError
from snellen.sdk.inputs.samples import Sample as Sample
from snellen.sdk.inputs.samples import load_sample as load_sample
from snellen.sdk.inputs.stratify import stratify as stratify
from snellen.sdk.local import attainable as attainable
from snellen.sdk.local import grade as grade
from snellen.sdk.models.evaluate import evaluate as evaluate
from snellen.sdk.models.evaluate import evaluate_async as evaluate_async
from snellen.sdk.models.settings import Decoding as Decoding
from snellen.sdk.models.settings import Endpoint as Endpoint
from snellen.sdk.models.settings import EvaluationStoppedError as EvaluationStoppedError
from snellen.sdk.models.settings import Limits as Limits
from snellen.sdk.models.settings import Question as Question
from snellen.sdk.protocol_reports import ProtocolReports as ProtocolReports
from snellen.sdk.protocol_reports import explain as explain
from snellen.sdk.recipes.recipe import messages as messages
from snellen.sdk.report import Report as Report
from snellen.sdk.report import load_report as load_report
from snellen.sdk.scoring import read as read
from snellen.sdk.scoring import score as score
from snellen.sdk.stored import regrade as regrade
from snellen.sdk.summaries import summarise as summarise
from snellen.sdk.training import Reward as Reward
from snellen.sdk.training import reward as reward
from snellen.tasks.benchmarks.spec import Benchmark as Benchmark
from snellen.tasks.benchmarks.spec import TaskSpec as TaskSpec
from snellen.tasks.benchmarks.table import TASKS as TASKS
from snellen.tasks.benchmarks.table import load_task
from snellen.tasks.benchmarks.table import task_of as task_of
from snellen.tasks.models import TaskData as TaskData

load = load_task
__all__: list[str]
