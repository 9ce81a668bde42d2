"""What holds of every settlement, whatever the cards."""

import dataclasses
from collections.abc import Callable
from typing import Any, TypeAlias

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from referee.cards import Seat
from referee.games import refusals
from referee.games.mau_binh import GAME, MauBinhRules, apply, begin, check, instant_win_of
from referee.games.mau_binh.code import CHI
from referee.games.mau_binh.rules import max_units
from referee.games.mau_binh.settlement import Outcome
from referee.money import MAX_AMOUNT, Amount
from tests.budget import examples
from tests.games.rounds import hands_deal
from tests.games.rounds import settled as settled_round

RoundMaker: TypeAlias = Callable[[MauBinhRules, int], Any]
SEEDS = st.integers(min_value=0, max_value=10**9)
many = settings(max_examples=examples(75), suppress_health_check=[HealthCheck.function_scoped_fixture])


def settled(rules: MauBinhRules, sample: Any, *, stake: int = 100) -> Outcome:  # noqa: ANN401 - the fixture's own type
    is_over = any(instant_win_of(rules, hand) for hand in sample.hands)
    deal = hands_deal(sample.hands, stake=stake, dealt_time=sample.dealt_time)
    played = settled_round(GAME, rules, deal, () if is_over else sample.events, closed_time=sample.closed_time)
    assert played.violations == ()
    assert isinstance(played.outcome, Outcome)
    return played.outcome


@many
@given(seed=SEEDS)
def test_money_only_changes_hands(rules: MauBinhRules, make_round: RoundMaker, seed: int) -> None:
    """Net amounts sum to zero, are whole stakes and stay within the bound that is checked at opening."""
    outcome = settled(rules, make_round(rules, seed))
    assert sum(outcome.net) == 0
    assert all(transfer.amount > 0 and transfer.amount % 100 == 0 for transfer in outcome.transfers)
    assert all(transfer.payer != transfer.payee for transfer in outcome.transfers)
    assert max(map(abs, outcome.net)) <= 100 * max_units(rules, seat_count=len(outcome.net))


@many
@given(seed=SEEDS)
def test_twice_the_stake_doubles_every_transfer(rules: MauBinhRules, make_round: RoundMaker, seed: int) -> None:
    sample = make_round(rules, seed)
    once, twice = settled(rules, sample), settled(rules, sample, stake=200)
    assert [replace(transfer, amount=Amount(2 * transfer.amount)) for transfer in once.transfers] == list(
        twice.transfers
    )
    assert replace(once, transfers=(), net=()) == replace(twice, transfers=(), net=())


@many
@given(seed=SEEDS, data=st.data())
def test_other_seats_give_the_same_result_in_other_seats(
    rules: MauBinhRules, make_round: RoundMaker, seed: int, data: st.DataObject
) -> None:
    """Dealing the same hands to permuted seats permutes transfers, net, fouls and winners, and nothing else."""
    sample = make_round(rules, seed)
    new_seats = data.draw(st.permutations(range(len(sample.hands))))
    moved = dataclasses.replace(
        sample,
        hands=tuple(sample.hands[new_seats.index(seat)] for seat in range(len(sample.hands))),
        events=tuple(replace(event, seat=Seat(new_seats[event.seat])) for event in sample.events),
    )
    before, after = settled(rules, sample), settled(rules, moved)
    expected = {
        replace(transfer, payer=Seat(new_seats[transfer.payer]), payee=Seat(new_seats[transfer.payee]))
        for transfer in before.transfers
    }
    assert expected == set(after.transfers)
    assert len(before.transfers) == len(after.transfers)
    assert list(before.net) == [after.net[new] for new in new_seats]
    assert {new_seats[seat] for seat in before.winners} == set(after.winners)
    assert {(new_seats[foul.seat or 0], foul.code) for foul in before.fouls} == {(f.seat, f.code) for f in after.fouls}


@many
@given(seed=SEEDS)
def test_the_order_within_a_chi_means_nothing(rules: MauBinhRules, make_round: RoundMaker, seed: int) -> None:
    sample = make_round(rules, seed)
    turned = dataclasses.replace(
        sample,
        events=tuple(
            replace(event, back=event.back[::-1], middle=event.middle[::-1], front=event.front[::-1])
            if hasattr(event, "back")
            else event
            for event in sample.events
        ),
    )
    assert settled(rules, sample).transfers == settled(rules, turned).transfers


@many
@given(seed=SEEDS)
def test_events_one_by_one_are_lawful(rules: MauBinhRules, make_round: RoundMaker, seed: int) -> None:
    """``check`` accepts what ``play`` accepts, and ``apply`` never undoes a departure or the showdown."""
    sample = make_round(rules, seed)
    so_far = begin(rules, hands_deal(sample.hands, dealt_time=sample.dealt_time))
    if so_far.is_won_at_the_deal:
        return
    for event in sample.events:
        assert not refusals(GAME, check(so_far, event))
        after = apply(so_far, event)
        assert after.showdown_time <= so_far.showdown_time
        assert all(new == old for new, old in zip(after.departures, so_far.departures, strict=True) if old is not None)
        assert 0 <= max(gone or 0 for gone in after.departures) <= len(CHI)
        so_far = after


@pytest.mark.parametrize("seat_count", [2, 3, 4])
def test_highest_stake_settles_and_one_more_could_not(rules: MauBinhRules, seat_count: int) -> None:
    units = max_units(rules, seat_count=seat_count)
    most = MAX_AMOUNT // units
    for stake, faults in ((most, []), (most + 1, [("STAKE_TOO_HIGH", most)])):
        found = GAME.check_stakes(rules, seat_count=seat_count, stake=stake, seat_stakes=(), bet_unit=1)
        assert [(fault.code, fault.expected) for fault in found] == faults
