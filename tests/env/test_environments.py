"""Environments keep the contracts of PettingZoo and Gymnasium, deal as the shuffler does and pay as the law says."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, seed_test

from referee.cards import Seat
from referee.dealing.commitment import mix, server_commitment
from referee.dealing.deck import deal_order
from referee.env import HouseEnv, RoundEnv
from referee.games.ultimate_texas import Decision, Event
from referee.rulesets import load_builtin
from tests.env.playing import play
from tests.randomness import number_from

RULESETS = [ruleset.id for ruleset in load_builtin()]
TABLES = [("mau_binh.chi_2020", 3), ("tien_len.mien_nam", 2), ("tien_len.mien_nam", 4), ("ultimate_texas.casino", 6)]


@pytest.mark.parametrize("ruleset", RULESETS)
def test_environment_keeps_the_contract_of_pettingzoo(ruleset):
    """Each warning of PettingZoo's own test is an error here."""
    api_test(RoundEnv(ruleset), num_cycles=20)


@pytest.mark.parametrize(("ruleset", "seats"), TABLES)
def test_same_seed_gives_the_same_episodes(ruleset, seats):
    seed_test(lambda: RoundEnv(ruleset, seats=seats), num_cycles=40)


def test_house_environment_keeps_the_contract_of_gymnasium(capsys):
    env: Any = gymnasium.make("referee/UltimateTexas-v0", ruleset="ultimate_texas.two_plus_three")
    check_env(env.unwrapped)
    assert "seat" not in capsys.readouterr().err


@pytest.mark.parametrize(("ruleset", "seats"), TABLES)
def test_deck_is_the_shufflers_by_the_same_seeds(ruleset, seats):
    """The deck is derived here step by step from the header and the seeds alone."""
    env = RoundEnv(ruleset, seats=seats)
    env.reset(seed=number_from(1))
    for _ in range(5):
        episode = env.episode
        round_id, seed = episode.header.round_id, episode.server_seed
        mixed = mix(
            round_id=round_id,
            commitment=server_commitment(round_id=round_id, seed=seed),
            client_seeds=episode.client_seeds,
        )
        dealt = [card for section in episode.deal.sections for card in section]
        assert dealt == list(deal_order(seed=seed, mixed=mixed, round_id=round_id))
        assert episode.state.deal.sections == episode.deal.sections[: len(episode.state.deal.sections)]
        env.reset()


def test_next_episode_of_a_seed_is_another_and_the_seed_begins_again():
    env = RoundEnv("tien_len.mien_nam")
    tables = []
    for seed in (7, None, None, 7):
        env.reset(seed=seed)
        tables.append(env.episode.header.table_id)
    assert tables[0] == tables[3]
    assert len(set(tables)) == 3


def test_deal_that_is_won_at_once_is_passed_over():
    """Of many deals of Tiến Lên with four seats some are won at once; no episode begins with one."""
    env = RoundEnv("tien_len.mien_nam", seats=4)
    env.reset(seed=number_from(2))
    for _ in range(300):
        assert not env.episode.state.is_over
        env.reset()
    passed_over = env._number - 300  # noqa: SLF001 - the number of deals of the seed
    assert passed_over > 0


@pytest.mark.parametrize(("ruleset", "seats"), TABLES)
def test_rewards_are_the_settlement_in_stakes(ruleset, seats):
    env = RoundEnv(ruleset, seats=seats)
    rewarded = 0
    for seed in range(6):
        rewards = play(env, seed=number_from(seed))
        episode = env.episode
        net = episode.game.settle(episode.state).net
        stake = episode.header.seat_stakes[0][0] if episode.header.seat_stakes else episode.header.stake
        assert rewards == {f"seat_{seat}": amount / stake for seat, amount in enumerate(net)}
        rewarded += any(rewards.values())
    assert rewarded


def test_house_rewards_are_in_antes():
    """A fold on the river loses Ante and Blind."""
    env = HouseEnv()
    _, info = env.reset(seed=number_from(3))
    labels = env.round.actions.labels
    for name in ("CHECK", "CHECK", "FOLD"):
        assert info["action_mask"][labels.index(name)]
        _, reward, is_over, _, info = env.step(labels.index(name))
    assert (reward, is_over) == (-2.0, True)


def test_house_environment_takes_a_decision_that_is_not_offered_as_none():
    """The seat checks, and on the river it folds."""
    env = HouseEnv()
    env.reset(seed=number_from(4))
    labels = env.round.actions.labels
    for name in ("FOLD", "PLAY_4X", "CHECK"):
        env.step(labels.index(name))
    events: list[Any] = env.round.episode.events
    assert [event.decision for event in events] == [Decision.CHECK, Decision.CHECK, Decision.FOLD]


def test_action_that_the_mask_refuses_is_named_and_changes_nothing():
    env = RoundEnv("ultimate_texas.casino", seats=2)
    env.reset(seed=number_from(5))
    before = env.episode.state
    fold = env.actions.labels.index("FOLD")
    with pytest.raises(ValueError, match=r"seat_0 cannot take action 5 now; lawful are 0 CHECK, 1 PLAY_4X, 2 PLAY_3X$"):
        env.step(fold)
    assert env.episode.state is before
    assert env.episode.events == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"seats": 5}, "seats is 2 to 4 under tien_len.mien_nam, not 5"),
        ({"language": "fr"}, "fr"),
    ],
)
def test_table_that_the_rules_refuse_is_no_environment(arguments, words):
    with pytest.raises(ValueError, match=words):
        RoundEnv("tien_len.mien_nam", **arguments)


def test_ruleset_of_another_game_has_no_house():
    with pytest.raises(ValueError, match="has no house to play against; use RoundEnv"):
        HouseEnv("tien_len.mien_nam")


def test_seed_out_of_range_is_refused():
    env = RoundEnv("tien_len.mien_nam")
    with pytest.raises(ValueError, match="a seed is 0 to 2"):
        env.reset(seed=2**63)


def test_episode_that_is_not_over_is_not_settled():
    env = RoundEnv("ultimate_texas.casino")
    env.reset(seed=number_from(6))
    with pytest.raises(ValueError, match="ROUND_NOT_OVER"):
        env.episode.settle()
    env.episode.apply(Event(Seat(0), Decision.PLAY_4X, env.episode.state.last_time))
    assert env.episode.settle().net


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", ["Ultimate Texas Hold'em, best five of seven ", "seat 0 decides check", "seat 0 decides fold"]),
        (
            "vi",
            ["Ultimate Texas Hold'em (5 lá tốt nhất trong 7 lá) ", "ghế 0 quyết định Check", "ghế 0 trả nhà cái"],
        ),
    ],
)
def test_rendering_has_the_words_of_the_game(language, words):
    env = HouseEnv(render_mode="ansi", language=language)
    env.reset(seed=11)
    for name in ("CHECK", "CHECK", "FOLD"):
        env.step(env.round.actions.labels.index(name))
    lines = str(env.render()).splitlines()
    assert [word for word in words if not any(line.startswith(word) for line in lines)] == []


def test_human_mode_prints_what_ansi_returns(capsys):
    for mode in ("human", "ansi"):
        env = RoundEnv("tien_len.mien_nam", render_mode=mode)
        play(env, seed=12)
        capsys.readouterr()
        returned = env.render()
        printed = capsys.readouterr().out
        if mode == "human":
            shown = printed
    assert (shown, printed) == (f"{returned}\n", "")


def test_observations_are_bytes_in_the_space():
    env = RoundEnv("tien_len.mien_nam", seats=3)
    env.reset(seed=13)
    for agent in env.agents:
        observed = env.observe(agent)
        assert observed.dtype == np.uint8
        assert observed.shape == (sum(env.actions.features.values()),)
        assert env.observation_space(agent).contains(observed)
