"""A sealed table opens no hand with anything but the last receipt."""

from typing import Any

import pytest

from referee.cards import Seat
from referee.dealing import certificate
from referee.dealing.certificate import CertificateError, CertificateFault
from referee.dealing.commitment import SeedError, seat_token_hash, seed_statement
from referee.dealing.deal import Deal
from referee.dealing.header import Header
from referee.evidence.ed25519 import Signer
from referee.games import GAMES


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_hands_without_a_board_open_with_the_last_of_them(seats: int):
    layout = GAMES["mau_binh"].layout(seats)
    assert layout.opened_until(seats - 1, is_sealed=True) == tuple(range(seats))


@pytest.mark.parametrize(("game", "seats"), [("mau_binh", 2), ("mau_binh", 4), ("ultimate_texas", 3)])
def test_no_other_section_opens(game: str, seats: int):
    """A hand before the last, the stock, and what there is none of; on an open table no hand at all."""
    layout = GAMES[game].layout(seats)
    opening = {layout.last_opened, *([layout.board("flop"), layout.board("turn_river")] if layout.has_board else [])}
    for section in set(range(-1, len(layout.sizes) + 1)) - opening:
        with pytest.raises(KeyError):
            layout.opened_until(section, is_sealed=True)
    for hand in layout.hands:
        with pytest.raises(KeyError):
            layout.opened_until(hand)


def test_certificates_of_a_sealed_and_an_open_table_are_not_of_one_deal(header: Header, shuffler: Signer):
    deal = Deal.derive(header, server_seed=bytes(32), client_seeds=[bytes(32)] * header.seat_count)
    read = [
        certificate.read(
            certificate.issue(deal, header, sections=[seat], dealt_time=1, signer=shuffler, is_sealed=is_sealed),
            keys=[shuffler.public_key],
            header=header,
        )
        for seat, is_sealed in enumerate((True, False, True))
    ]
    assert [one.is_sealed for one in read] == [True, False, True]
    assert set(certificate.join([read[0], read[2]])) == {0, 2}
    with pytest.raises(CertificateError) as caught:
        certificate.join(read)
    assert caught.value.fault is CertificateFault.FOREIGN_ROUND


def test_statement_of_a_seed_binds_all_that_it_names():
    """Another round, commitment, seat, token or seed changes the statement, another round, seat or token the hash."""
    one, two = bytes(32), bytes([1]) * 32
    seed: dict[str, Any] = {"round_id": one, "commitment": one, "seat": Seat(0), "token_hash": b"", "seed": one}
    changes = ({"round_id": two}, {"commitment": two}, {"seat": Seat(1)}, {"token_hash": one}, {"seed": two})
    others = [seed | change for change in changes]
    assert len({seed_statement(**each) for each in (seed, *others)}) == 6
    token: dict[str, Any] = {"round_id": one, "seat": Seat(0), "token": one}
    others = [token | change for change in ({"round_id": two}, {"seat": Seat(1)}, {"token": two})]
    assert len({seat_token_hash(**each) for each in (token, *others)}) == 4


@pytest.mark.parametrize("size", [0, 31, 33])
def test_seeds_and_tokens_have_32_bytes(size: int):
    with pytest.raises(SeedError):
        seed_statement(round_id=bytes(32), commitment=bytes(32), seat=Seat(0), token_hash=b"", seed=bytes(size))
    with pytest.raises(SeedError):
        seat_token_hash(round_id=bytes(32), seat=Seat(0), token=bytes(size))
