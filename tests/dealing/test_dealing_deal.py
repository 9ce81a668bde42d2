"""A deal follows from header and seeds alone, and gives nothing away by itself."""

from typing import Any

import pytest

from referee.cards import DECK, Seat
from referee.dealing import seal as seals
from referee.dealing.commitment import SeedError, client_commitment, section_keys, section_root, server_commitment
from referee.dealing.deal import Deal
from referee.dealing.header import Header
from referee.dealing.seal import SealError
from referee.evidence.hkdf import Prk
from referee.games import GAMES
from referee.games.mau_binh import arrangement_commitment
from tests.dealing.derived import header_from
from tests.randomness import random_from
from tests.vectors.dealing import dealing_derivation as second

SEED = bytes(range(32))
SEEDS = [bytes([seat]) * 32 for seat in range(4)]


def test_the_second_derivation_deals_alike():
    """Two hundred random rounds of all layouts."""
    source = random_from(20)
    for _ in range(200):
        game = source.choice(["mau_binh", "tien_len", "ultimate_texas"])
        seats = source.randint(1, 6) if game == "ultimate_texas" else source.randint(2, 4)
        value = second.header_of(
            ruleset_id=f"{game}.any",
            layout=list(GAMES[game].layout(seats).sizes),
            seat_keys=["00" * 32] * seats,
            table_id=f"t{source.random()}",
        )
        seed, seeds = source.randbytes(32), [source.randbytes(32) for _ in range(seats)]
        deal = Deal.derive(header_from(value), server_seed=seed, client_seeds=seeds)
        expected = second.derive(value, seed, seeds)
        assert deal.mixed == expected["mix"]
        assert [card.number for section in deal.sections for card in section] == expected["deck"]
        assert list(deal.roots) == expected["roots"]
        assert deal.deck_root == expected["deck_root"]
        assert deal.drawn == (expected["drawn"] if game == "tien_len" else None)


def test_every_seed_changes_every_root(header: Header):
    deal = Deal.derive(header, server_seed=SEED, client_seeds=SEEDS)
    others = [Deal.derive(header, server_seed=bytes(32), client_seeds=SEEDS)]
    for seat in range(4):
        seeds = list(SEEDS)
        seeds[seat] = b"\xff" * 32
        others.append(Deal.derive(header, server_seed=SEED, client_seeds=seeds))
    seeds = [SEEDS[1], SEEDS[0], *SEEDS[2:]]
    others.append(Deal.derive(header, server_seed=SEED, client_seeds=seeds))
    seen = set(deal.roots)
    for other in others:
        assert not seen & set(other.roots)
        seen |= set(other.roots)


def test_a_deal_has_every_card_once(header: Header):
    deal = Deal.derive(header, server_seed=SEED, client_seeds=SEEDS)
    assert sorted((card for section in deal.sections for card in section), key=DECK.index) == list(DECK)


def test_a_deal_shows_neither_keys_nor_cards(header: Header):
    deal = Deal.derive(header, server_seed=SEED, client_seeds=SEEDS)
    assert repr(deal.keys[0]) not in repr(deal)
    assert "Card." not in repr(deal)


@pytest.mark.parametrize("seeds", [SEEDS[:3], [*SEEDS, bytes(32)], [b"", *SEEDS[1:]], [bytes(31), *SEEDS[1:]]])
def test_every_seat_has_a_seed_of_32_bytes(header: Header, seeds: list[bytes]):
    with pytest.raises(SeedError):
        Deal.derive(header, server_seed=SEED, client_seeds=seeds)


@pytest.mark.parametrize("size", [0, 31, 33])
def test_only_32_bytes_can_be_committed_to(size: int):
    for commit in (
        lambda seed: server_commitment(round_id=bytes(32), seed=seed),
        lambda seed: client_commitment(round_id=bytes(32), seat=Seat(0), seed=seed),
    ):
        with pytest.raises(SeedError):
            commit(bytes(size))
    with pytest.raises(ValueError, match=f"32 bytes, not {size}"):
        arrangement_commitment(round_id=bytes(32), seat=Seat(0), cards=DECK[:13], nonce=bytes(size))


def test_commitments_of_other_rounds_seats_and_kinds_differ():
    commitments = {
        server_commitment(round_id=bytes(32), seed=SEED),
        server_commitment(round_id=SEED, seed=SEED),
        client_commitment(round_id=bytes(32), seat=Seat(0), seed=SEED),
        client_commitment(round_id=bytes(32), seat=Seat(1), seed=SEED),
        client_commitment(round_id=SEED, seat=Seat(0), seed=SEED),
        arrangement_commitment(round_id=bytes(32), seat=Seat(0), cards=DECK[:13], nonce=SEED),
        arrangement_commitment(round_id=bytes(32), seat=Seat(0), cards=DECK[12::-1], nonce=SEED),
    }
    assert len(commitments) == 7


@pytest.mark.parametrize(
    ("game", "seats", "sizes"),
    [
        ("mau_binh", 2, (13, 13, 26)),
        ("mau_binh", 3, (13, 13, 13, 13)),
        ("tien_len", 4, (13, 13, 13, 13)),
        ("ultimate_texas", 1, (2, 2, 3, 2, 43)),
        ("ultimate_texas", 6, (2, 2, 2, 2, 2, 2, 2, 3, 2, 33)),
    ],
)
def test_layouts_deal_hands_then_board_then_stock(game: str, seats: int, sizes: tuple[int, ...]):
    layout = GAMES[game].layout(seats)
    assert layout.sizes == sizes
    assert sum(layout.sizes) == 52
    named = [layout.board(name) for name in layout.names]
    assert layout.names == (("house", "flop", "turn_river") if game == "ultimate_texas" else ())
    stock = [] if layout.stock is None else [layout.stock]
    assert [*layout.hands, *named, *stock] == list(range(len(sizes)))


@pytest.mark.parametrize("size", range(1, 53))
def test_section_root_depends_on_every_card_key_index_and_round(size: int):
    cards = range(1, size + 1)

    def root(**changes: object) -> bytes:
        inputs: dict[str, Any] = {"key": SEED, "round_id": bytes(32), "section": 2, "numbers": bytes(cards)}
        return section_root(**{**inputs, **changes})

    bent = [(*cards[:place], (size + place) % 52 + 1, *cards[place + 1 :]) for place in range(size) if size < 52]
    swapped = [(*cards[:place], cards[place + 1], cards[place], *cards[place + 2 :]) for place in range(size - 1)]
    resized: list[tuple[int, ...]] = [tuple(cards[:-1]), (*cards, 1)]
    others = [root(numbers=bytes(other)) for other in (*bent, *swapped, *resized)]
    others += [root(key=bytes(32)), root(round_id=SEED), root(section=1), root(section=3)]
    assert len({root(), *others}) == len(others) + 1


def test_section_key_opens_one_section_of_one_round():
    secret = Prk.of(SEED, salt=bytes(32))
    keys = {key for rid in (bytes(32), SEED) for key in section_keys(secret, round_id=rid, count=10)}
    assert len(keys) == 20


ROUND_ID = b"\x07" * 32
COMMITMENT = server_commitment(round_id=ROUND_ID, seed=SEED)
SEALING_KEY = b"\x09" * 32


def sealed(seed: bytes = SEED) -> bytes:
    return seals.encrypt_seed(
        seed, sealing_key=SEALING_KEY, round_id=ROUND_ID, commitment=COMMITMENT, nonce=bytes(range(24))
    )


def opened(data: bytes, **changes: bytes) -> bytes:
    context = {"sealing_key": SEALING_KEY, "round_id": ROUND_ID, "commitment": COMMITMENT}
    return seals.decrypt_seed(data, **{**context, **changes})


def test_a_sealed_seed_opens_with_its_key_for_its_round():
    assert len(sealed()) == seals.SEALED_SIZE == 72
    assert opened(sealed()) == SEED
    assert SEED not in sealed()


@pytest.mark.parametrize("place", range(72))
def test_a_changed_byte_of_a_sealed_seed_is_refused(place: int):
    data = bytearray(sealed())
    data[place] ^= 1
    with pytest.raises(SealError):
        opened(bytes(data))


@pytest.mark.parametrize("data", [b"", sealed()[:-1], sealed() + b"\x00", bytes(24), bytes(40)])
def test_a_sealed_seed_of_another_size_is_refused(data: bytes):
    with pytest.raises(SealError):
        opened(data)


@pytest.mark.parametrize("name", ["sealing_key", "round_id", "commitment"])
def test_a_sealed_seed_opens_with_no_other_key_round_or_commitment(name: str):
    with pytest.raises(SealError):
        opened(sealed(), **{name: bytes(32)})


def test_a_sealed_seed_that_differs_from_its_commitment_is_refused():
    with pytest.raises(SealError):
        opened(sealed(bytes(32)))


def test_sealing_refuses_keys_nonces_and_seeds_of_another_size():
    context = {"sealing_key": SEALING_KEY, "round_id": ROUND_ID, "commitment": COMMITMENT, "nonce": bytes(24)}
    for changes in ({"nonce": bytes(23)}, {"nonce": b""}, {"sealing_key": bytes(31)}):
        with pytest.raises(SealError):
            seals.encrypt_seed(SEED, **{**context, **changes})
    with pytest.raises(SeedError):
        seals.encrypt_seed(bytes(31), **context)
    with pytest.raises(SealError):
        opened(sealed(), sealing_key=bytes(31))
