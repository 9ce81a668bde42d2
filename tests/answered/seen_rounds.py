"""Rounds as an audit's reader gets them, with planted thieves, made without leaves."""

import random
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import numpy as np

from referee.advice.mau_binh.advisor import splitter_of
from referee.advice.mau_binh.splits import PAIRS
from referee.answered.tables import valuer_of
from referee.answered.values import Floats, Hand, Valuer
from referee.audit.round_leaves import ExaminedRound, RoundLeaves, RoundMoney, RoundResult
from referee.cards import DECK, Card
from referee.dealing.header import NO_KEY, SUITE_COMMITMENT
from referee.games.mau_binh import instant_win_of
from referee.games.mau_binh.arrangement import ChiCards
from referee.rulesets import get
from tests.driver.headers import header_of

CHI_NAMES = ("back", "middle", "front")
Choose = Callable[[Valuer, Sequence[Hand], int], int]
"""Function from the hands and a seat to the place of the candidate that the seat chooses."""


def key(number: int) -> bytes:
    """Return the key of a player, from 1."""
    return number.to_bytes(32, "big")


def values_of(ruleset_id: str, seats: int) -> Valuer:
    """Return the valuer of a built-in ruleset."""
    values = valuer_of(get(ruleset_id), seats)
    assert values is not None
    return values


def dealt(values: Valuer, luck: random.Random, *, keep: tuple[Card, ...] = ()) -> list[tuple[Card, ...]]:
    """Deal four hands without an instant win, the last of them ``keep`` if that is given."""
    while True:
        deck = [card for card in luck.sample(DECK, 52) if card not in keep] + [*keep]
        hands = [tuple(deck[start : start + 13]) for start in range(0, 52, 13)]
        if not any(instant_win_of(values.rules, hand) for hand in hands if hand != keep):
            return hands


def laid_out(values: Valuer, cards: Sequence[Card], strengths: Sequence[int]) -> ChiCards:
    """Lay out a hand in a lawful way with these strengths of back, middle and front."""
    splits = splitter_of(values.rules.ranker).split(tuple(sorted(cards, key=lambda card: card.number)))
    fits = (splits.backs == strengths[0]) & (splits.middles == strengths[1])
    fits &= (splits.fronts == strengths[2])[:, np.newaxis]
    front, pair = divmod(int(np.flatnonzero(fits)[0]), PAIRS)
    return splits.arrangement(front, pair).chi


def advised(_values: Valuer, _hands: Sequence[Hand], _seat: int) -> int:
    """Choose what the advice says."""
    return 0


def answering(known: int, *, by_hands: bool = False) -> Choose:
    """Return a thief who fits one hand as well as it can, compared with the others: more than it could gain by."""

    def choose(values: Valuer, hands: Sequence[Hand], seat: int) -> int:
        others = [other for other in range(len(hands)) if other != seat]
        mine, held = hands[seat].candidates, [hands[other] for other in others]
        fit: Floats = values.by_cards(hands[seat], mine, held)
        if by_hands:
            fit = values.by_hands(mine, np.stack([hand.candidates.strengths[0] for hand in held]))
        fit = fit - np.logaddexp.reduce(fit, axis=1, keepdims=True)
        return int((fit[others.index(known)] - fit.mean(axis=0)).argmax())

    return choose


def seen(  # noqa: PLR0913 - what a round depends on
    number: int,
    luck: random.Random,
    players: Sequence[int],
    chooses: Sequence[Choose],
    *,
    ruleset_id: str = "mau_binh.classic",
    table: str = "felt",
    is_given_up: bool = False,
    is_deck_known: bool = True,
) -> ExaminedRound:
    """Deal and play a round as its reader gets it; player 0 has no key. Seat 1 pays seat 0 the amount of 5."""
    ruleset, seats = get(ruleset_id), len(players)
    values = values_of(ruleset_id, seats)
    deck = dealt(values, luck)
    hands = [values.hand(cards) for cards in deck]
    events = []
    for seat, choose in enumerate(chooses):
        strengths = hands[seat].candidates.strengths[choose(values, hands, seat)].tolist()
        chi = laid_out(values, deck[seat], strengths)
        parts = {name: [card.number for card in cards] for name, cards in zip(CHI_NAMES, chi, strict=True)}
        events.append(SimpleNamespace(event=msgspec.json.encode({"kind": "ARRANGE", "seat": seat, **parts})))
    header = header_of(
        ruleset,
        seats,
        table_id=table,
        round_number=number + 1,
        randomness_suite=SUITE_COMMITMENT,
        seat_keys=tuple([key(player) if player else NO_KEY for player in players]),
    )
    results = msgspec.json.encode({"transfers": [{"from": 1, "to": 0, "amount": 5, "reason": "BACK", "subject": ""}]})
    transcript = SimpleNamespace(inputs=SimpleNamespace(events=events), results=results)
    made = SimpleNamespace(index=number, leaf=transcript)
    leaves = RoundLeaves(
        round_id=number.to_bytes(32, "big"),
        header=header,
        open=cast("Any", made),
        deal=cast("Any", made),
        settle=None if is_given_up else cast("Any", made),
        abort=cast("Any", made) if is_given_up else None,
    )
    result = RoundResult(
        findings=(),
        dealing_level=None,
        event_level=None,
        client_seeds=(),
        client_seeds_leaf=-1,
        open_leaf=number,
        server_seed=None,
        server_seed_leaf=-1,
        signatures=0,
        is_replayed=not is_given_up,
        is_redealt=True,
        money=RoundMoney(terms=("", "", "", "")),
        deck=tuple([bytes([card.number for card in cards]) for cards in deck]) if is_deck_known else (),
    )
    return ExaminedRound(leaves, result, ruleset)
