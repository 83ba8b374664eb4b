"""WebJudge of Online-Mind2Web: key points, a score for each screenshot, a verdict from the best."""

import re

from inspect_ai.util import collect

from snellen.sdk.judges.profile import Ask, Profile, Verdict, picture, status, turns
from snellen.sdk.judges.trajectories import Trajectory


async def judge(
    trajectory: Trajectory, profile: Profile, settings: dict[str, int], ask: Ask
) -> Verdict:
    """Judge a trajectory in n + 2 calls for n screenshots.

    Raises:
        InputError: The trajectory has no task, no actions or no screenshot.
    """
    trajectory.needs("task", "actions", "screenshots")
    task, shots = trajectory.task, trajectory.screenshots
    system, text = profile.text("key_points_system"), profile.text("key_points_user", task=task)
    points = key_points(await ask(turns(system, text)))

    system = profile.text("image_system")
    text = profile.text("image_user", task=task, key_points=points)
    pictures = [picture(path, "high", jpeg=True) for path in shots]
    replies = await collect(*(ask(turns(system, text, shot)) for shot in pictures))

    scored = [score(reply) for reply in replies]
    kept = [at for at, (points_of, _) in enumerate(scored) if points_of >= settings["threshold"]]
    thoughts = [scored[at][1] for at in kept if scored[at][1]][: settings["max_images"]]
    kept = kept[: settings["max_images"]]
    text = profile.text(
        "verdict_user" if kept else "verdict_user_without_images",
        task=task,
        key_points=points,
        actions=_numbered(trajectory.actions or ()),
        thoughts=_numbered(thoughts),
    )
    system = profile.text("verdict_system")
    reply = await ask(turns(system, text, *(pictures[at] for at in kept)))
    about = {
        "key_points": points,
        "scores": [points_of for points_of, _ in scored],
        "screenshots": [shots[at].name for at in kept],
    }
    return Verdict(status(reply), reply, len(shots) + 2, about)


def key_points(reply: str) -> str:
    """Return the list in the first reply, without indentation."""
    reply = reply.replace("\n\n", "\n")
    _, *after = reply.split("**Key Points**:")
    points = after[0] if after else reply.split("Key Points:")[-1]
    return "\n".join(line.lstrip() for line in points.splitlines())


def score(reply: str) -> tuple[int, str]:
    """Return a screenshot's score and the reason for it; 0, never kept, for a reply without one."""
    # Only what is between the first two mentions of the word is searched, as published.
    _, *after = reply.split("Score")
    digit = re.search("[1-5]", after[0]) if after else None
    reason = reply.split("**Reasoning**:")[-1].strip().split("\n\n")[0].replace("\n", " ")
    return (int(digit[0]), reason) if digit else (0, "")


def _numbered(lines: tuple[str, ...] | list[str]) -> str:
    return "\n".join(f"{at}. {line}" for at, line in enumerate(lines, 1))
