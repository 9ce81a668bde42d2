"""Which cards in which sizes are an arrangement at all, whatever their strength."""

import pytest

from referee.cards import DECK, Seat
from referee.evidence.canonical import Hex
from referee.games.mau_binh import Arrange, Arrangement, ViolationCode, arrangement_commitment, begin, check
from referee.games.mau_binh.arrangement import check_arrangement
from referee.games.mau_binh.game import GAME
from referee.games.mau_binh.legality import refusals_of
from referee.games.mau_binh.rules import MauBinhRules
from tests.games.rounds import hands_deal

DEALT = DECK[0:52:4]


@pytest.mark.parametrize("back", range(14))
def test_no_sizes_but_five_five_and_three_are_accepted(rules: MauBinhRules, back: int) -> None:
    """All thirteen cards are there each time; each chi of another size is named with the size it must have."""
    accepted = []
    for middle in range(14 - back):
        sizes = (back, middle, 13 - back - middle)
        placed = Arrangement(DEALT[:back], DEALT[back : back + middle], DEALT[back + middle :])
        wrong = [(found, size) for found, size in zip(sizes, (5, 5, 3), strict=True) if found != size]
        faults = [fault for fault in check_arrangement(rules, DEALT, placed) if "FOULED" not in fault.code]
        assert [(fault.found, fault.expected) for fault in faults] == wrong
        accepted += [] if faults else [sizes]
    assert accepted == ([(5, 5, 3)] if back == 5 else [])


@pytest.mark.parametrize("chi", range(3))
def test_dealt_card_that_is_placed_once_more_is_refused(rules: MauBinhRules, chi: int) -> None:
    """Every card dealt is there, so only the size and the doubled card are wrong."""
    placed = [DEALT[:5], DEALT[5:10], DEALT[10:]]
    twice = placed[chi][0]
    placed[chi] = (*placed[chi], twice)
    size, doubled = check_arrangement(rules, DEALT, Arrangement(*placed))
    assert (size.code, size.found) == (list(ViolationCode)[chi], len(placed[chi]))
    assert (doubled.code, doubled.cards) == (ViolationCode.CARD_TWICE, (twice,))


@pytest.mark.parametrize("seat", [-1, 0, 1, 2, 255, 256])
def test_opening_of_a_seat_that_no_table_has_is_read_and_refused(rules: MauBinhRules, seat: int) -> None:
    """An event's bytes can name any seat; a commitment can only be opened by seats that a byte can name."""
    data = GAME.events.encode(Arrange(Seat(seat), DEALT[:5], DEALT[5:10], DEALT[10:], 5, Hex(b"n" * 32)))
    event = GAME.events.decode(data, time=5, round_id=bytes(32))
    assert isinstance(event, Arrange)
    if 0 <= seat < 256:
        expected = arrangement_commitment(round_id=bytes(32), seat=Seat(seat), cards=DEALT, nonce=b"n" * 32)
        assert event.opens == expected
    else:
        assert event.opens == b""
    state = begin(rules, hands_deal([(), ()], is_sealed=True))
    codes = [fault.code for fault in check(state, event)]
    assert codes == [ViolationCode.STILL_SEALED if seat in {0, 1} else ViolationCode.UNKNOWN_SEAT]


@pytest.mark.parametrize(("nonce", "opens"), [(b"n" * 32, b""), (b"", b"o" * 32), (b"n" * 32, b"o" * 32)])
def test_open_table_takes_no_opening(rules: MauBinhRules, nonce: bytes, opens: bytes) -> None:
    hands = [DECK[0:26:2], DECK[26:52:2]]
    state = begin(rules, hands_deal(hands))
    chi = (hands[0][:5], hands[0][5:10], hands[0][10:])
    codes = [fault.code for fault in refusals_of(state, Arrange(Seat(0), *chi, 5, Hex(nonce), opens))]
    assert ViolationCode.NOT_SEALED in codes
    assert ViolationCode.NOT_SEALED not in [fault.code for fault in refusals_of(state, Arrange(Seat(0), *chi, 5))]
