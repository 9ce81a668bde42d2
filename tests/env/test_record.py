"""A finished episode is played again through a referee with its own seeds, and the referee's log audits clean."""

import json
from types import SimpleNamespace

import pytest

from referee.env import RoundEnv
from referee.env.record import record
from tests.cli.printing import printed
from tests.env.playing import play
from tests.randomness import number_from

TABLES = [("mau_binh.classic", 3), ("tien_len.mien_nam", 4), ("ultimate_texas.casino", 2)]


def played(ruleset: str, *, seats: int, seed: int):
    """Return an episode that is over."""
    env = RoundEnv(ruleset, seats=seats)
    play(env, seed=number_from(seed))
    return env.episode


def test_recorded_episodes_audit_clean_with_the_seeds_of_the_environment(tmp_path):
    """Each episode is settled, replayed and dealt again from the seeds that the log reveals; a second run adds more."""
    episodes = [played(ruleset, seats=seats, seed=seed) for ruleset, seats in TABLES for seed in (1, 2)]
    leaves = [*record(episodes[:4], tmp_path), *record(episodes[4:], tmp_path)]
    assert leaves == sorted(set(leaves))
    report = json.loads(printed("audit", tmp_path, "--json"))
    assert report.get("findings", []) == []
    count = len(episodes)
    assert (report["rounds"]["settled"], report["checked"]["replayed"], report["checked"]["redealt"]) == (count,) * 3


def test_episode_that_the_log_has_is_not_recorded_again(tmp_path):
    episode = played("ultimate_texas.casino", seats=1, seed=6)
    record([episode], tmp_path)
    with pytest.raises(ValueError, match="an episode is recorded once in a log"):
        record([episode], tmp_path)
    assert json.loads(printed("audit", tmp_path, "--json"))["rounds"]["opened"] == 1


def test_referee_that_would_pay_otherwise_is_an_error(tmp_path, monkeypatch):
    episode = played("ultimate_texas.casino", seats=1, seed=3)
    assert episode.settle().transfers
    monkeypatch.setattr(episode, "settle", lambda: SimpleNamespace(transfers=()))
    with pytest.raises(RuntimeError, match="the referee dealt or paid episode"):
        record([episode], tmp_path)


def test_event_that_the_referee_refuses_is_an_error(tmp_path):
    episode = played("tien_len.mien_nam", seats=2, seed=4)
    episode.events.insert(1, episode.events[0])
    with pytest.raises(RuntimeError, match="the referee refuses Play"):
        record([episode], tmp_path)


def test_episode_that_is_not_over_is_not_recorded(tmp_path):
    env = RoundEnv("tien_len.mien_nam")
    env.reset(seed=5)
    with pytest.raises(ValueError, match="the round cannot be settled: ROUND_NOT_OVER"):
        record([env.episode], tmp_path)
