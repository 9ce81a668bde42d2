"""Episodes that are played at random, by the seed of the run."""

from collections.abc import Callable

import numpy as np

from referee.env import RoundEnv
from tests.randomness import random_from


def play(env: RoundEnv, *, seed: int, before_each: Callable[[str], None] = lambda _agent: None) -> dict[str, float]:
    """Play the first episode of a seed with random lawful actions; return what each agent won.

    ``before_each`` is called with the agent before each action.
    """
    luck = random_from(f"{env.ruleset.id} {seed}")
    env.reset(seed=seed)
    won: dict[str, float] = {}
    for agent in env.agent_iter():
        _, reward, is_over, _, info = env.last()
        if is_over:
            won[agent] = reward
            env.step(None)
            continue
        before_each(agent)
        env.step(luck.choice(np.flatnonzero(info["action_mask"]).tolist()))
    return won
