"""Rules, deals at random, and rounds played at random by the law."""

import random
from collections.abc import Callable, Iterator
from typing import Final

import msgspec
import pytest

from referee.cards import DECK, Card, Seat, parse_cards
from referee.games.commission import NoCommission
from referee.games.tien_len import Leave, Pass, Play, State, TienLenRules, apply, begin, legal_plays, may_pass
from referee.rulesets import load_examples
from tests.builtin import rules_as
from tests.games.rounds import hands_deal


@pytest.fixture(scope="session")
def rules() -> TienLenRules:
    """Return the rules as released."""
    return rules_as(TienLenRules, "tien_len.mien_nam")


@pytest.fixture(scope="session")
def chain_rules(rules: TienLenRules) -> TienLenRules:
    """Return a variant: each victim of a chain pays its own chopper, and runs of three pairs do not chop another."""
    data = msgspec.to_builtins(rules)
    data["chops"]["chain"] = "EACH_VICTIM_PAYS"
    data["chops"]["pair_run_3"] = ["TWO"]
    return msgspec.convert(data, TienLenRules)


@pytest.fixture(scope="session")
def house_rules() -> TienLenRules:
    """Return an example of a house's rules, without its commission, which no playout counts."""
    found = rules_as(TienLenRules, load_examples().get("tien_len.house_example"))
    return msgspec.structs.replace(found, commission=NoCommission())


RICH: Final = ("3S 3C 4S 4C 5S 5C 6S 6C 2S", "3D 3H 4D 4H 5D 5H 7S 7C 7D 7H 2C", "8S 8C 8D 8H 9S 9C TS TC JS JC 2D")


def deal_hands(chance: random.Random, seats: int) -> list[tuple[Card, ...]]:
    """Deal hands: even, or such that can chop one another."""
    if chance.random() < 0.5:
        cards = chance.sample(DECK, 13 * seats)
        return [tuple(cards[13 * seat : 13 * seat + 13]) for seat in range(seats)]
    rich = [list(parse_cards(text)) for text in (*RICH, "2H")]
    rest = [card for card in DECK if not any(card in hand for hand in rich)]
    chance.shuffle(rest)
    hands = [(*hand, *[rest.pop() for _ in range(13 - len(hand))]) for hand in rich]
    return chance.sample(hands[:3] if seats < 4 else hands, seats)


@pytest.fixture(scope="session")
def play_at_random() -> Callable[..., Iterator[tuple[State, Play | Pass | Leave]]]:
    """Play rounds at random; yield every state with the next event, and nothing if a hand wins at the deal.

    At each event some seat leaves with the chance ``leaving``.
    """

    def play(
        rules: TienLenRules, chance: random.Random, seats: int, *, leaving: float = 0
    ) -> Iterator[tuple[State, Play | Pass | Leave]]:
        state = begin(rules, hands_deal(deal_hands(chance, seats), leader=Seat(chance.randrange(seats))))
        passing = chance.choice((0.05, 0.3, 0.6))
        while not state.is_over:
            plays = legal_plays(state)
            wanted = {"PAIR_RUN_3", "PAIR_RUN_4", "QUAD"}
            chops = [one for one in plays if one.kind in wanted or one.top_card.text[0] == "2"]
            event: Play | Pass | Leave = Pass(state.turn, 0)
            if leaving and chance.random() < leaving:
                event = Leave(chance.choice([seat for seat in map(Seat, range(seats)) if not state.has_left(seat)]), 0)
            elif chops and chance.random() < 0.7:
                event = Play(state.turn, chance.choice(chops).cards, 0)
            elif not may_pass(state) or (plays and chance.random() > passing):
                event = Play(state.turn, chance.choice(plays).cards, 0)
            yield state, event
            state = apply(state, event)

    return play
