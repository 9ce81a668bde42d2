"""Environment of one player against the house, as Gymnasium's: Ultimate Texas Hold'em."""

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from referee.env.round import RoundEnv
from referee.rulesets import Ruleset, get

_BY_DEFAULT = ("CHECK", "FOLD")


class HouseEnv(gymnasium.Env[Any, Any]):
    """Rounds of one seat against the house; ``info["action_mask"]`` says which decisions are lawful. Rewards in Antes.

    A decision that the street does not offer counts as none, and the law says what a seat without a decision does: it
    checks where it may, otherwise it folds.
    """

    metadata = RoundEnv.metadata

    def __init__(
        self, ruleset: str | Ruleset = "ultimate_texas.casino", *, render_mode: str | None = None, language: str = "en"
    ) -> None:
        """Make the environment; raise ValueError for a ruleset of another game."""
        rules = get(ruleset) if isinstance(ruleset, str) else ruleset
        if rules.game != "ultimate_texas":
            raise ValueError(f"{rules.id} has no house to play against; use RoundEnv")
        self.round = RoundEnv(rules, seats=1, render_mode=render_mode, language=language)
        self.render_mode = render_mode
        (self._agent,) = self.round.possible_agents
        self.observation_space = self.round.observation_space(self._agent)
        self.action_space = self.round.action_space(self._agent)

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[NDArray[np.uint8], dict[str, Any]]:
        """Deal an episode as ``RoundEnv.reset`` does."""
        super().reset(seed=seed)
        self.round.reset(seed, options)
        return self.round.observe(self._agent), self.round.infos[self._agent]

    def step(self, action: int) -> tuple[NDArray[np.uint8], float, bool, bool, dict[str, Any]]:
        """Take a decision."""
        labels, mask = self.round.actions.labels, self.round.infos[self._agent]["action_mask"]
        by_default = [labels.index(label) for label in _BY_DEFAULT]
        self.round.step(next(number for number in (int(action), *by_default) if mask[number]))
        observation, reward, is_over, _, info = self.round.last()
        return observation, reward, is_over, False, info

    def render(self) -> str | None:
        """As ``RoundEnv.render``."""
        return self.round.render()


gymnasium.register("referee/UltimateTexas-v0", entry_point="referee.env:HouseEnv")
