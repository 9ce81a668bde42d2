"""Attack 2: on a sealed table of Mậu Binh, let a clock run out, see all hands, then settle as if committed in time."""

from typing import Any

import pytest

from referee.audit import Code
from referee.v1 import mau_binh_pb2
from tests.attacks.courses import FORKED, adopt_cards, continuation, fails, forget_openings, refused, revealed
from tests.service.house import House
from tests.service.table import Table

ACCOMPLICE = 2
ARRANGING_MS = 60_000


def dealt(house: House) -> tuple[Table, list[list[Any]]]:
    """Deal a sealed round in which all but the accomplice have committed."""
    table: Table = house.sealed(seats=3)
    hands = [list(table.open_hand(seat).hand.cards) for seat in range(3)]
    for seat in range(2):
        table.commit(seat, hands[seat])
    return table, hands


def time_out(house: House, table: Table) -> None:
    """Let the accomplice's clock run out, and open the hands."""
    house.clock.now = table.dealt.dealt_time + ARRANGING_MS
    answer = table.ask(table.event(ACCOMPLICE, timeout=True))
    assert answer.opens_section == ACCOMPLICE
    assert len(table.open_section().hands) == 3


def arrange(table: Table, hands: list[list[Any]], seats: range) -> None:
    """Open the arrangements of these seats."""
    for seat in seats:
        table.accept(seat, **table.arrangement(seat, hands[seat]))


def test_commitment_kept_back_is_not_settled_once_the_hands_are_seen(house: House) -> None:
    """It was accepted in time, in a continuation that nobody was shown."""
    table, hands = dealt(house)
    other = continuation(table)
    assert other.commit(ACCOMPLICE, hands[ACCOMPLICE]).opens_section == ACCOMPLICE
    time_out(house, table)
    assert refused(house, other.open_section) == FORKED
    adopt_cards(other, table)
    arrange(other, hands, range(3))
    assert refused(house, other.settle) == FORKED
    arrange(table, hands, range(2))
    settled = table.settle()
    assert [result.defaulted for result in settled.outcome.seats] == [False, False, True]
    assert revealed(house, [table]).findings == ()


def test_commitment_after_the_clock_is_refused_and_a_reported_one_too(house: House) -> None:
    table, hands = dealt(house)
    late = continuation(table)
    time_out(house, table)
    committed = mau_binh_pb2.Commit(commitment=late.players[ACCOMPLICE].commitment(late.round_id, hands[ACCOMPLICE]))
    answer = late.ask(late.event(ACCOMPLICE, commit=committed))
    assert answer.violations
    assert (answer.event_number, answer.receipt) == (0, b"")
    now, house.clock.now = house.clock.now, table.dealt.dealt_time + ARRANGING_MS - 1
    late.report(ACCOMPLICE, commit=committed)
    house.clock.now = now
    assert refused(house, late.preview) == ("INVALID_ARGUMENT", "NOT_RECEIVED")


def test_operator_that_settles_it_all_the_same_is_found(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    table, hands = dealt(house)
    other = continuation(table)
    other.commit(ACCOMPLICE, hands[ACCOMPLICE])
    time_out(house, table)
    forget_openings(monkeypatch)
    adopt_cards(other, table)
    arrange(other, hands, range(3))
    assert other.settle().outcome.seats
    report = revealed(house, [table])
    assert fails(report)[0] is Code.UNSEAL_NOT_IN_COURSE
