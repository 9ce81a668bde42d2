"""Deals, house rules and events of Tiến Lên, as vectors write them and at random."""

import random
from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from referee.cards import DECK, Card, Seat, parse_cards
from referee.games.tien_len import Event, Leave, Pass, Play, TienLenRules, Timeout
from tests.builtin import rules_as

Hands = tuple[tuple[Card, ...], ...]
KNOB_TABLES: Final = {"chain": "chops", "quad": "chops", "out_of_time": "turn", "seconds": "turn"}


def variant(knobs: dict[str, Any]) -> TienLenRules:
    """Change the released rules as a vector's ``rules`` says."""
    data = msgspec.to_builtins(rules_as(TienLenRules, "tien_len.mien_nam"))
    for knob, value in knobs.items():
        (data[KNOB_TABLES[knob]] if knob in KNOB_TABLES else data)[knob] = value
    return msgspec.convert(data, TienLenRules)


def read_hands(texts: Sequence[str]) -> Hands:
    """Parse hands from their texts."""
    return tuple(map(parse_cards, texts))


def read_event(text: str, number: int) -> Event:
    """Parse an event of a vector: ``0 3S 3C``, ``1 pass``, ``2 leave``, ``3 timeout``, with ``@`` and a time."""
    words = text.split()
    time = int(words.pop()[1:]) if words[-1].startswith("@") else number
    seat, choice = Seat(int(words[0])), words[1]
    named: dict[str, Callable[[Seat, int], Event]] = {"pass": Pass, "leave": Leave, "timeout": Timeout}
    if choice in named:
        return named[choice](seat, time)
    return Play(seat, () if choice == "play" else parse_cards(" ".join(words[1:])), time)


def deal_evenly(chance: random.Random, seats: int) -> Hands:
    """Return a shuffled deal."""
    cards = chance.sample(DECK, 13 * seats)
    return tuple(tuple(cards[13 * seat : 13 * seat + 13]) for seat in range(seats))


def deal_in_pairs(chance: random.Random, seats: int) -> Hands:
    """Make a deal rich in runs and quads: four pairs a hand, often of neighbouring ranks, and five other cards."""
    ranks = [DECK[4 * rank : 4 * rank + 4] for rank in (*range(1, 13), 0)]
    pairs = [pair for rank in ranks for suits in [chance.sample(rank, 4)] for pair in (suits[:2], suits[2:])]
    order = sorted(range(26), key=lambda place: place + chance.gauss(0, 5))
    blocks = [[card for place in order[4 * seat : 4 * seat + 4] for card in pairs[place]] for seat in range(4)]
    loose = [card for place in order[16:] for card in pairs[place]]
    chance.shuffle(loose)
    hands = [tuple(block + loose[5 * seat : 5 * seat + 5]) for seat, block in enumerate(blocks)]
    return tuple(chance.sample(hands, seats))
