"""AgentTrek's judge in Online-Mind2Web: one call with thoughts, actions, the last screenshot."""

from snellen.sdk.judges.profile import Ask, Profile, Verdict, picture, status, turns
from snellen.sdk.judges.trajectories import Trajectory


async def judge(
    trajectory: Trajectory, profile: Profile, settings: dict[str, int], ask: Ask
) -> Verdict:
    """Judge a trajectory.

    Raises:
        InputError: The trajectory has no task, no thoughts, no actions or no screenshot.
    """
    del settings
    trajectory.needs("task", "thoughts", "actions", "screenshots")
    pairs = zip(trajectory.thoughts or (), trajectory.actions or (), strict=False)
    steps = "".join(
        f"Thought {at}: {_flat(thought)}\nAction {at}: {_flat(action)}\n\n"
        for at, (thought, action) in enumerate(pairs, 1)
    )
    text = profile.text("user", task=trajectory.task, steps=steps.strip("\n"))
    last = trajectory.screenshots[-1]
    reply = await ask(turns(profile.text("system"), text, picture(last, "high", jpeg=True)))
    return Verdict(status(reply), reply, 1, {"screenshots": [last.name]})


def _flat(text: str) -> str:
    return text.replace("\n\n", " ")
