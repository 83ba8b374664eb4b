"""The task `snellen/judge` for Inspect AI: a profile's verdicts on the trajectories of a run."""

from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessage, GenerateConfig, ModelOutput, get_model
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from snellen.grading.errors import InputError, SnellenError, UnknownNameError
from snellen.sdk.judges import agenttrek, webjudge, webvoyager
from snellen.sdk.judges.labels import agreement, labels_of
from snellen.sdk.judges.profile import Ask, Profile, Verdict
from snellen.sdk.judges.profile import profile as profile_of
from snellen.sdk.judges.trajectories import Trajectory, trajectories

Judge = Callable[[Trajectory, Profile, dict[str, int], Ask], Coroutine[Any, Any, Verdict]]

JUDGES: dict[str, Judge] = {
    "agenttrek": agenttrek.judge,
    "webjudge": webjudge.judge,
    "webvoyager": webvoyager.judge,
}
"""The judges by the names of their profiles."""

_STORED = "verdict"


class UnfinishedError(SnellenError):
    """The provider reports that it could not finish a reply: a fault, not a verdict."""


def judge(
    run: str, profile: str, labels: str | None = None, label: str | None = None, **settings: int
) -> Task:
    """Return a task that judges the trajectories of a run, each score 1 or 0.

    A reply without a verdict is unscored; a trajectory that can't be read, and a provider's fault,
    are errors of their samples.

    Args:
        run: A folder with WebVoyager's or Online-Mind2Web's trajectories.
        profile: The judge: a name in `JUDGES`.
        labels: A file of people's verdicts, for the agreement with them among the metrics.
        label: The column of the verdict there.
        settings: The profile's settings that differ from the published ones.

    Raises:
        InputError: There are no trajectories, or the labels or a setting can't be used.
        UnknownNameError: There is no such judge.
    """
    if profile not in JUDGES:
        raise UnknownNameError("judge", profile, tuple(JUDGES))
    used = profile_of(profile)
    chosen = used.set(**settings)
    # Inspect makes a number of a folder's name if it is one.
    found = trajectories(str(run))
    known = labels_of(labels, found, label) if labels else {}
    signature = used.signature(chosen)

    async def decide(trajectory: Trajectory) -> Verdict:
        return await JUDGES[profile](trajectory, used, chosen, _ask)

    return Task(
        dataset=MemoryDataset(
            [
                Sample(id=item, input=getattr(each, "task", "") or item)
                for item, each in found.items()
            ],
            name=signature,
        ),
        solver=_judging(found, decide),
        scorer=_verdicts(signature, known),
        # A fault of one trajectory is an error of its sample, not the end of the evaluation.
        fail_on_error=False,
        metadata={"judge": signature, "source": f"{used.source}@{used.commit[:7]}/{used.path}"},
        config=GenerateConfig(**used.decoding),
    )


async def _ask(messages: list[ChatMessage]) -> str:
    output = await get_model().generate(messages)
    # Inspect has no word of its own for most faults that servers report with HTTP 200.
    if output.error or output.stop_reason == "unknown":
        raise UnfinishedError(output.error or "the provider did not finish a reply")
    return output.completion


@solver
def _judging(
    found: Mapping[str, Trajectory | InputError],
    decide: Callable[[Trajectory], Coroutine[Any, Any, Verdict]],
) -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        trajectory = found[str(state.sample_id)]
        if isinstance(trajectory, InputError):
            raise trajectory
        verdict = await decide(trajectory)
        about = {"calls": verdict.calls, "reply": verdict.reply, **verdict.about}
        state.store.set(_STORED, {"value": verdict.value, "about": about})
        state.output = ModelOutput.from_content(str(state.model), verdict.reply)
        return state

    return solve


def _verdicts(signature: str, labels: Mapping[str, float]) -> Scorer:
    @metric
    def report() -> Metric:
        def compute(scores: list[SampleScore]) -> dict[str, float]:
            # Over epochs a trajectory's verdict is that of most of them.
            values = {str(one.sample_id): one.score.as_float() for one in scores}
            verdicts = {item: float(value > 0.5) for item, value in values.items()}
            mean = {"success": sum(values.values()) / len(values)} if values else {}
            return {**mean, **(agreement(verdicts, labels) if labels else {})}

        return compute  # type: ignore[return-value]  # a protocol with overloads

    @scorer(metrics=[report()], name=signature.partition("@")[0].replace(":", "_"))
    def verdict() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            stored: dict[str, Any] = state.store.get(_STORED)
            item = str(state.sample_id)
            about = {"judge": signature, **stored["about"]}
            if item in labels:
                about["human"] = labels[item]
            if stored["value"] is None:
                why = "the reply has no verdict"
                return Score.unscored(reason="no_verdict", explanation=why, metadata=about)
            return Score(value=stored["value"], answer=about["reply"], metadata=about)

        return score

    return verdict()
