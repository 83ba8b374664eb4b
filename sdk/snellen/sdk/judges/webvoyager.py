"""WebVoyager's judge: one call with the task, the answer and the last screenshots."""

from snellen.sdk.judges.profile import Ask, Profile, Verdict, picture, turns
from snellen.sdk.judges.trajectories import Trajectory


async def judge(
    trajectory: Trajectory, profile: Profile, settings: dict[str, int], ask: Ask
) -> Verdict:
    """Judge a trajectory; one without an answer fails without a call, as published.

    Raises:
        InputError: The trajectory has no field for an answer, no task or no screenshot.
    """
    trajectory.needs("answer")
    if not trajectory.answer:
        return Verdict(0.0, "", 0, {"reason": "it gave no answer; the model was not asked"})
    trajectory.needs("task", "screenshots")
    sent = settings["screenshots"]
    text = profile.text("user", task=trajectory.task, answer=trajectory.answer, num=str(sent))
    shots = trajectory.screenshots[-sent:]
    pictures = [picture(path) for path in shots]
    reply = await ask(turns(profile.text("system"), text, *pictures, profile.text("last")))
    return Verdict(read(reply), reply, 1, {"screenshots": [path.name for path in shots]})


def read(reply: str) -> float | None:
    """Return the verdict of a reply: `NOT SUCCESS` 0, else `SUCCESS` 1, neither None."""
    return None if "SUCCESS" not in reply else 0.0 if "NOT SUCCESS" in reply else 1.0
