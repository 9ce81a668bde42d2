"""A sealed round has the outcome of an open one in which each seat that kept its arrangement shut has fouled."""

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from referee.cards import Seat, parse_cards
from referee.evidence.canonical import Hex
from referee.games import DealError, UnlawfulEventError
from referee.games.mau_binh import (
    GAME,
    Arrange,
    Commit,
    Event,
    Leave,
    MauBinhRules,
    ViolationCode,
    apply,
    begin,
    check,
)
from referee.games.mau_binh.event import Timeout, arrangement_commitment
from referee.rulesets import Ruleset
from tests.builtin import rules_as
from tests.games.mau_binh.test_mau_binh_slow_settlement import SHEETS, STAKE, slow_settle
from tests.games.rounds import hands_deal, settled
from tests.randomness import random_from

ROUNDS = 150
HANDS = (parse_cards("KS KC KD 5S 5C 9S TH JS QD KH 2S 2H 2D"), parse_cards("8S 8C 6D 4C 3S 7S 7C 5D 4S 3C JD 9C 3D"))


def sealed_events(
    sample: Any,  # noqa: ANN401 - of conftest
    rules: MauBinhRules,
    luck: random.Random,
) -> tuple[list[Event], list[Event], frozenset[int]]:
    """Make the events of a random sealed round and of its equal open round, and the seats that never opened.

    Of an open round's last arrangements some are committed to and opened, some committed to and never opened, some
    never committed to; seats that leave do so while others commit.
    """
    seats = [Seat(seat) for seat in range(len(sample.hands))]
    arranged = {event.seat: event for event in sample.events if isinstance(event, Arrange)}
    ways = [luck.choice(["open", "open", "hide", "late", "leave"]) if seat in arranged else "late" for seat in seats]
    deadline = sample.dealt_time + rules.arranging_ms
    sealed: list[Event] = []
    plain: list[Event] = []
    for seat, way in enumerate(ways):
        time = sample.dealt_time + seat
        if way == "leave":
            sealed.append(Leave(Seat(seat), time))
            plain.append(Leave(Seat(seat), time))
        elif way != "late":
            sealed.append(Commit(Seat(seat), Hex(bytes([seat]) * 32), time))
    late = [seat for seat, way in zip(seats, ways, strict=True) if way == "late"]
    sealed += [Timeout(seat, deadline) for seat in late]
    opened = sealed[-1].time
    for seat in [seat for seat, way in zip(seats, ways, strict=True) if way == "open"]:
        arrange = msgspec.structs.replace(arranged[seat], time=opened)
        sealed.append(msgspec.structs.replace(arrange, nonce=Hex(b"n" * 32), opens=bytes([seat]) * 32))
        plain.append(msgspec.structs.replace(arrange, time=sample.dealt_time + len(seats)))
    shut = [seat for seat, way in zip(seats, ways, strict=True) if way == "hide"]
    sealed += [Timeout(seat, opened + rules.opening_ms) for seat in shut]
    return sealed, plain, frozenset(shut)


def test_sealed_round_has_the_outcome_of_its_open_equal(
    ruleset: Ruleset, rules: MauBinhRules, make_round: Callable[..., Any]
) -> None:
    """What each pair pays, the fouls and the winners are those of the second settlement of the open equal."""
    shut_seats = prices = 0
    for seed in range(ROUNDS):
        sample = make_round(rules, seed)
        if begin(rules, hands_deal(sample.hands)).is_won_at_the_deal:
            continue
        sealed, plain, shut = sealed_events(sample, rules, random_from(seed))
        deal = hands_deal(sample.hands, stake=STAKE, dealt_time=sample.dealt_time, is_sealed=True)
        played = settled(GAME, rules, deal, sealed, closed_time=sealed[-1].time)
        assert played.violations == (), seed
        outcome, paid = played.outcome, Counter[tuple[int, int]]()
        for transfer in outcome.transfers:
            paid[transfer.payer, transfer.payee] += transfer.amount
        slow = slow_settle(SHEETS[ruleset.id], sample.hands, plain, sample.dealt_time, unopened=shut)
        assert {pair: units * STAKE for pair, units in slow["owed"].items()} == dict(paid), seed
        assert slow["winners"] == list(outcome.winners), seed
        assert slow["fouled"] == {foul.seat for foul in outcome.fouls}, seed
        assert shut == {foul.seat for foul in outcome.fouls if foul.code is ViolationCode.NOT_OPENED}, seed
        shut_seats += len(shut)
        prices += any(payer in shut for payer, _ in paid)
    assert shut_seats > ROUNDS // 3
    assert prices > ROUNDS // 6


def test_hands_that_are_not_open_are_no_fault_before_the_settlement(
    rules: MauBinhRules, make_round: Callable[..., Any]
) -> None:
    """A sealed round begins without them; an open one does not, and no round is settled without."""
    sample = make_round(rules, 1)
    hidden = ((),) * len(sample.hands)
    assert begin(rules, hands_deal(hidden, is_sealed=True)).instant_wins == (None,) * len(hidden)
    with pytest.raises(DealError):
        begin(rules, hands_deal(hidden))
    with pytest.raises(DealError):
        GAME.settle(begin(rules, hands_deal(hidden, is_sealed=True)))


def test_sealed_round_that_a_known_hand_wins_has_no_events(rules: MauBinhRules, make_round: Callable[..., Any]) -> None:
    sample = next(
        sample
        for sample in (make_round(rules, seed) for seed in range(1_000))
        if begin(rules, hands_deal(sample.hands)).is_won_at_the_deal
    )
    state = begin(rules, hands_deal(sample.hands, dealt_time=sample.dealt_time, is_sealed=True))
    with pytest.raises(UnlawfulEventError, match="ROUND_OVER"):
        apply(state, Commit(Seat(0), Hex(bytes(32)), sample.dealt_time))


def opened_by_each(rules: MauBinhRules, events: list[Event], *, is_sealed: bool) -> list[tuple[int, ...]]:
    """Return which hands each event opens to all seats."""
    state, found = begin(rules, hands_deal(HANDS, is_sealed=is_sealed)), []
    for event in events:
        after = apply(state, event)
        found.append(GAME.later.opens(state, after))
        state = after
    return found


def test_hands_open_once_with_the_event_that_ends_committing(rules: MauBinhRules) -> None:
    """The arrangements that follow open no hand again, and in an open round there is nothing to open."""
    plain = [Arrange(Seat(seat), hand[:5], hand[5:10], hand[10:], 10) for seat, hand in enumerate(HANDS)]
    commitments = [Commit(Seat(seat), Hex(bytes([seat]) * 32), 5) for seat in (0, 1)]
    openings = [msgspec.structs.replace(one, nonce=Hex(b"n" * 32), opens=bytes([one.seat]) * 32) for one in plain]
    assert opened_by_each(rules, [*commitments, *openings], is_sealed=True) == [(), (0, 1), (), ()]
    assert opened_by_each(rules, list(plain), is_sealed=False) == [(), ()]


@pytest.mark.parametrize(
    ("units", "paid"),
    [
        (1, [("BACK", 1), ("MIDDLE", 1), ("FRONT", 3), ("SWEEP", 2)]),
        (6, [("BACK", 1), ("MIDDLE", 1), ("FRONT", 3), ("SWEEP", 2)]),
        (7, [("FOUL", 7)]),
        (8, [("FOUL", 8)]),
    ],
)
def test_arrangement_that_stays_shut_costs_the_foul_or_the_sweep(units: int, paid: list[tuple[str, int]]) -> None:
    """Whichever is dearer; where both cost the same it is the foul."""
    rules = rules_as(MauBinhRules, "mau_binh.classic")
    rules = msgspec.structs.replace(rules, foul=msgspec.structs.replace(rules.foul, units=units))
    arranged = Arrange(Seat(0), HANDS[0][:5], HANDS[0][5:10], HANDS[0][10:], 2, Hex(b"n" * 32), b"\0" * 32)
    events = [*(Commit(Seat(seat), Hex(bytes([seat]) * 32), seat) for seat in (0, 1)), arranged]
    events.append(Timeout(Seat(1), 1 + 30_000))
    played = settled(GAME, rules, hands_deal(HANDS, is_sealed=True), events, closed_time=40_000)
    assert played.violations == ()
    assert [(one.reason, one.amount) for one in played.outcome.transfers] == paid


def test_only_a_seat_that_does_not_open_in_time_has_fouled() -> None:
    """One that does not commit in time is without an arrangement of its own, which is no foul."""
    rules = rules_as(MauBinhRules, "mau_binh.classic")
    begun = begin(rules, hands_deal(HANDS, is_sealed=True))
    assert check(begun, Commit(Seat(0), Hex(bytes(32)), 1)) == ()
    late = Timeout(Seat(0), 60_000)
    assert check(begun, late) == ()
    assert check(apply(begun, Commit(Seat(0), Hex(bytes(32)), 1)), Timeout(Seat(1), 60_000)) == ()
    opening = apply(apply(begun, Commit(Seat(0), Hex(bytes(32)), 1)), Commit(Seat(1), Hex(bytes(32)), 2))
    assert [fault.code for fault in check(opening, Timeout(Seat(0), 2 + 30_000))] == ["NOT_OPENED"]


@pytest.mark.parametrize("size", [0, 31, 33])
def test_nonce_of_another_length_commits_to_nothing(size: int) -> None:
    with pytest.raises(ValueError, match=f"a nonce has 32 bytes, not {size}"):
        arrangement_commitment(round_id=bytes(32), seat=Seat(0), cards=HANDS[0], nonce=bytes(size))
