"""Environment of one game for several seats, as PettingZoo's AEC."""

import secrets
import sys
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from gymnasium.spaces import Box, Discrete
from numpy.typing import NDArray
from pettingzoo import AECEnv

from referee.cards import Seat
from referee.env.episode import Episode
from referee.env.registry import ACTIONS
from referee.games import refusals
from referee.rulesets import Language, Ruleset, get


class RoundEnv(AECEnv):  # type: ignore[misc] # PettingZoo ships no types
    """Rounds of a ruleset; each episode is one round. Agents are ``seat_0`` and so on.

    An observation has the bytes of ``actions.features``, and the number of an action is its place in
    ``actions.labels``; ``infos[agent]["action_mask"]`` says which actions are lawful.
    Rewards come at the end: what the seat won or lost, in stakes. Deals that a hand wins at once are passed over.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi", "human"], "name": "referee", "render_fps": 1}

    def __init__(
        self, ruleset: str | Ruleset, *, seats: int = 0, render_mode: str | None = None, language: str = "en"
    ) -> None:
        """Make the environment of a ruleset, by id or as parsed, for ``seats`` seats, or the fewest if that is 0.

        ``language`` is en or vi. Raise ValueError for a game without actions, and for seats that the rules refuse.
        """
        super().__init__()
        self.ruleset = get(ruleset) if isinstance(ruleset, str) else ruleset
        limits, game = self.ruleset.rules.seats, self.ruleset.game
        if game not in ACTIONS:
            raise ValueError(f"{game} has no actions here; there are those of {', '.join(ACTIONS)}")
        count = seats or limits.minimum
        if not limits.minimum <= count <= limits.maximum:
            raise ValueError(f"seats is {limits.minimum} to {limits.maximum} under {self.ruleset.id}, not {seats}")
        self.actions = ACTIONS[game](self.ruleset, count)
        self.render_mode, self._language = render_mode, Language(language)
        self.possible_agents = [f"seat_{seat}" for seat in range(count)]
        size, labels = sum(self.actions.features.values()), len(self.actions.labels)
        self.observation_space = {agent: Box(0, 255, (size,), np.uint8) for agent in self.possible_agents}.__getitem__
        self.action_space = {agent: Discrete(labels) for agent in self.possible_agents}.__getitem__
        self._seed, self._number = secrets.randbits(63), -1

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Deal an episode: the first of a seed, 0 to 2^63-1, the next without one. ``options`` are not read."""
        del options
        if seed is not None:
            if not 0 <= seed < 2**63:
                raise ValueError(f"a seed is 0 to 2^63-1, not {seed}")
            self._seed, self._number = seed, -1
        self.agents = list(self.possible_agents)
        seat = None
        while seat is None:
            self._number += 1
            self.episode = Episode(self.ruleset, seat_count=len(self.agents), seed=self._seed, number=self._number)
            seat = self.actions.turn(self.episode.state)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._begun: tuple[int, ...] = ()
        self._offer()

    def step(self, action: int | None) -> None:
        """Take the selected agent's action; raise ValueError if its mask refuses it, and change nothing."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        if action not in self._offered:
            lawful = ", ".join([f"{number} {self.actions.labels[number]}" for number in sorted(self._offered)])
            raise ValueError(f"{agent} cannot take action {action} now; lawful are {lawful}")
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        event = self._offered[int(action)]
        self._begun = (*self._begun, int(action)) if event is None else ()
        if event is not None:
            self.episode.apply(event)
        self._offer()
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> NDArray[np.uint8]:
        """Return what the agent knows."""
        begun = self._begun if agent == self.agent_selection else ()
        seat = Seat(self.possible_agents.index(agent))
        return np.frombuffer(self.actions.observe(self.episode.state, seat, begun), dtype=np.uint8)

    def render(self) -> str | None:
        """Return the course of the episode in the words of its game, or print it in mode ``human``."""
        text = "\n".join(self.episode.lines(self._language))
        if self.render_mode != "human":
            return text
        sys.stdout.write(f"{text}\n")
        return None

    def close(self) -> None:
        """Do nothing: an environment holds nothing open."""

    def _offer(self) -> None:
        """Select the agent that acts, and set the mask of each; at the end, set the rewards."""
        episode, seat = self.episode, self.actions.turn(self.episode.state)
        offered: Mapping[int, Any] = {}
        if seat is None:
            net = zip(self.agents, episode.settle().net, strict=True)
            self.rewards = {agent: won / episode.header.stake for agent, won in net}
            self.terminations = dict.fromkeys(self.agents, True)
        else:
            self.agent_selection = self.agents[seat]
            offered = self.actions.offers(episode.state, seat, self._begun)
        self._offered = {
            number: event
            for number, event in offered.items()
            if event is None or not refusals(episode.game, episode.game.check(episode.state, event))
        }
        masks = np.zeros((len(self.agents), len(self.actions.labels)), dtype=np.int8)
        if seat is not None:
            masks[seat, list(self._offered)] = 1
        self.infos = {agent: {"action_mask": mask} for agent, mask in zip(self.agents, masks, strict=True)}
