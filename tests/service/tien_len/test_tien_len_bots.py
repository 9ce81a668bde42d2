"""The bot plays by asking alone: always lawfully, to the end, and better than chance."""

import random

import pytest

from referee.v1 import tien_len_pb2
from tests.randomness import random_from
from tests.service.advised import suggested_event
from tests.service.tien_len_house import TienLenHouse


def _play(tien_len: TienLenHouse, message: tien_len_pb2.TienLenRound, *, bots: set[int], luck: random.Random) -> None:
    """Play the round to its end; the other seats choose at random."""
    while True:
        event = suggested_event(tien_len.advice, message)
        if event is None:
            return
        if event.seat not in bots:
            listed = tien_len.plays(message)
            event = tien_len.make_pass(event.seat)
            if listed.plays and (not listed.may_pass or luck.random() < 0.8):
                event = tien_len.make_play(event.seat, luck.choice(listed.plays).cards)
        tien_len.clock.now += 1
        event.time = tien_len.clock.now
        message.events.append(event)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_bots_play_every_round_lawfully_to_its_end(tien_len: TienLenHouse, seats: int) -> None:
    luck = random_from(seats)
    for _ in range(10):
        one = tien_len.deal_playable(seats=seats)
        _play(tien_len, one.round, bots=set(range(seats)), luck=luck)
        answer = tien_len.settle(one.round)
        assert not answer.violations
        assert answer.HasField("log_receipt")


def test_bot_beats_a_player_that_chooses_at_random(tien_len: TienLenHouse) -> None:
    """A fair coin shows 40 heads of 60 once in 148 runs."""
    luck, won = random_from(1), 0
    for number in range(60):
        one = tien_len.deal_playable(seats=2)
        bot = number % 2
        _play(tien_len, one.round, bots={bot}, luck=luck)
        won += tien_len.winner_of(tien_len.preview(one.round)) == bot
    assert won >= 40
