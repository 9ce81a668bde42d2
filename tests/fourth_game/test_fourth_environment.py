"""The game of a package is an environment by its entry point, and its episodes are recorded like any others."""

import json
import subprocess
import sys
from pathlib import Path

from tests.fourth_game.fourth_house import SECONDS, STAKE, run
from tests.fourth_game.fourth_reference import net_of

PLAYED = """
import json, sys
from pathlib import Path
from pettingzoo.test import api_test, seed_test
from referee.env import RoundEnv
from referee.env.record import record

env, played = RoundEnv("bai_cao.classic", seats=3, render_mode="ansi"), []
api_test(env, num_cycles=20)
seed_test(lambda: RoundEnv("bai_cao.classic", seats=6))
for seed in range(4):
    env.reset(seed=seed)
    rewards = {}
    for agent in env.agent_iter():
        observation, reward, is_over, _, info = env.last()
        if is_over:
            rewards[agent] = reward
            env.step(None)
            continue
        open_cards = observation[52:].reshape(3, 52).sum(axis=1).tolist()
        played.append([agent, info["action_mask"].tolist(), open_cards])
        env.step(int(seed == 3 and agent == "seat_1"))
    hands = [[card.number for card in hand] for hand in env.episode.state.deal.sections]
    played.append([[rewards[agent] for agent in sorted(rewards)], hands])
    if not seed:
        record([env.episode], Path(sys.argv[1]))
print(json.dumps([played, env.actions.labels, env.render().splitlines()[1:4]]))
"""


def test_game_of_a_package_is_an_environment(environment: dict[str, str], tmp_path: Path) -> None:
    """Cards open as seats show them; a seat that leaves shows none. Rewards are those of the second writing."""
    command = [sys.executable, "-W", "error", "-c", PLAYED, str(tmp_path / "log")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stderr
    played, labels, lines = json.loads(done.stdout.splitlines()[-1])
    assert labels == ["SHOW", "LEAVE"]
    assert lines == ["seat 0 shows", "seat 1 leaves", "seat 2 shows"]
    rounds = [played[start : start + 4] for start in range(0, len(played), 4)]
    assert len(rounds) == 4
    for seed, (first, second, third, (rewards, hands)) in enumerate(rounds):
        assert first == ["seat_0", [1, 1], [0, 0, 0]]
        assert second == ["seat_1", [1, 1], [0, 0, 3]]
        assert third == ["seat_2", [1, 1], [0, 3, 0 if seed == 3 else 3]]
        assert [reward * STAKE for reward in rewards] == net_of(hands, STAKE)
    (audited,) = run(["audit", "--data", str(tmp_path / "log"), "--json"], environment=environment)
    report = json.loads(audited.output)
    assert (audited.code, report.get("findings", []), report["checked"]["redealt"]) == (0, [], 1)
