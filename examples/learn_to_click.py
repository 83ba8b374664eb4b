"""A learner of a table learns where the tabs of a MiniWoB++ page are, in half a minute.

It tries two places an episode, and remembers for each goal how good a place was to click.
"""

from collections import defaultdict

import gymnasium
import numpy as np
from numpy.typing import NDArray

import snellen.worlds

EPISODES = 60
PLACES = [[x, y] for y in range(240, 800, 80) for x in range(40, 640, 80)]


def main() -> None:
    """Learn, and print the mean reward of the first and the last ten episodes."""
    gymnasium.register_envs(snellen.worlds)
    env = gymnasium.make("snellen/miniwob-v0", templates=["click-tab"])
    values: defaultdict[str, NDArray[np.float64]]
    values = defaultdict(lambda: np.full(len(PLACES), 0.5))
    rewards: list[float] = []
    for episode in range(EPISODES):
        seen, _ = env.reset(seed=episode)
        value = values[seen["goal"]]
        reward = 0.0
        for _ in range(2):
            chosen = int(value.argmax())
            action = {"action": "left_click", "coordinate": PLACES[chosen]}
            _, given, terminated, _, _ = env.step(action)
            reward = float(given)
            value[chosen] += 0.9 * (reward - value[chosen])
            if terminated:
                break
        rewards.append(reward)
    env.close()
    first, last = np.mean(rewards[:10]), np.mean(rewards[-10:])
    print(f"mean reward: first ten episodes {first:.1f}, last ten {last:.1f}")


if __name__ == "__main__":
    main()
