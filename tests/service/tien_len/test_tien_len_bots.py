"""The bot plays by asking alone: always lawfully, to the end, and better than chance."""

import random
from typing import Any, TypeAlias

import pytest

from referee.cli.demo_tien_len import choose
from referee.v1 import tien_len_pb2

House: TypeAlias = Any  # of the conftest beside this file


def _play(house: House, message: tien_len_pb2.TienLenRound, *, bots: set[int], luck: random.Random) -> None:
    """Play the round to its end; the other seats choose at random."""
    while True:
        event = choose(house.referee, message)
        if event is None:
            return
        if event.seat not in bots:
            listed = house.plays(message)
            event = house.make_pass(event.seat)
            if listed.plays and (not listed.may_pass or luck.random() < 0.8):
                event = house.make_play(event.seat, luck.choice(listed.plays).cards)
        house.clock[0] += 1
        event.time = house.clock[0]
        message.events.append(event)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_bots_play_every_round_lawfully_to_its_end(house: House, seats: int) -> None:
    luck = random.Random(seats)  # noqa: S311 - the same choices in every run
    for _ in range(10):
        one = house.deal_playable(seats=seats)
        _play(house, one.round, bots=set(range(seats)), luck=luck)
        answer = house.settle(one.round)
        assert not answer.violations
        assert answer.HasField("log_receipt")


def test_bot_beats_a_player_that_chooses_at_random(house: House) -> None:
    """A fair coin shows 40 heads of 60 once in 148 runs."""
    luck, won = random.Random(1), 0  # noqa: S311 - the same choices in every run
    for number in range(60):
        one = house.deal_playable(seats=2)
        bot = number % 2
        _play(house, one.round, bots={bot}, luck=luck)
        won += house.winner_of(house.preview(one.round)) == bot
    assert won >= 40
