"""What a frontend can say about the winner of the round before, and what is refused because it is not proved."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from grpc import StatusCode

from referee.cards import DECK
from referee.dealing.header import NO_KEY
from referee.evidence.dsse import Envelope
from referee.evidence.merkle import leaf_hash
from referee.v1 import tien_len_pb2

House: TypeAlias = Any  # of the conftest beside this file
Dealt: TypeAlias = Any

KEYS: Final = [
    Ed25519PrivateKey.from_private_bytes(bytes([seat + 1]) * 32)
    .public_key()
    .public_bytes(Encoding.Raw, PublicFormat.Raw)
    for seat in range(4)
]


@dataclass
class Sequel:
    """A settled round, an aborted one after it, and one that is to be led."""

    settled: Dealt
    settled_leaf: bytes
    winner: int
    aborted: Dealt
    aborted_leaf: bytes
    later: Dealt

    @property
    def message(self) -> tien_len_pb2.TienLenRound:
        """The later round with the whole proof."""
        message = tien_len_pb2.TienLenRound()
        message.CopyFrom(self.later.round)
        message.previous_rounds.add(terminal_leaf=self.aborted_leaf, header=self.aborted.opened.header)
        message.previous_rounds.add(terminal_leaf=self.settled_leaf, header=self.settled.opened.header)
        message.previous_winner_seat = self.winner
        return message


@pytest.fixture(scope="module")
def sequel(house: House) -> Sequel:
    settled = house.deal_playable(keys=KEYS)
    answer = house.play_settled(settled)
    table = settled.opened.header.table_id
    aborted = house.deal(table, keys=KEYS)
    leaf = house.abort(aborted).log_receipt.leaf
    return Sequel(
        settled=settled,
        settled_leaf=answer.log_receipt.leaf,
        winner=house.winner_of(answer),
        aborted=aborted,
        aborted_leaf=leaf,
        later=house.deal(table, keys=KEYS),
    )


def _resigned(leaf: bytes, house: House, role: str) -> bytes:
    envelope = Envelope.parse(leaf)
    return Envelope.signed(envelope.payload_type, envelope.payload, house.app.keys.signer(role)).to_bytes()


Change: TypeAlias = Callable[[tien_len_pb2.TienLenRound, Sequel, House], None]


def _leaf_of_another_round(message: tien_len_pb2.TienLenRound, sequel: Sequel, _: House) -> None:
    message.previous_rounds[0].terminal_leaf = sequel.settled_leaf


def _edited_leaf(message: tien_len_pb2.TienLenRound, _: Sequel, __: House) -> None:
    leaf = bytearray(message.previous_rounds[1].terminal_leaf)
    leaf[100] ^= 1
    message.previous_rounds[1].terminal_leaf = bytes(leaf)


def _leaf_signed_by_another_role(message: tien_len_pb2.TienLenRound, sequel: Sequel, house: House) -> None:
    message.previous_rounds[1].terminal_leaf = _resigned(sequel.settled_leaf, house, "shuffler")


def _header_of_another_round(message: tien_len_pb2.TienLenRound, sequel: Sequel, _: House) -> None:
    message.previous_rounds[1].header.CopyFrom(sequel.aborted.opened.header)


def _header_of_no_round(message: tien_len_pb2.TienLenRound, _: Sequel, __: House) -> None:
    message.previous_rounds[0].header.protocol = 9


def _proof_that_ends_too_early(message: tien_len_pb2.TienLenRound, _: Sequel, __: House) -> None:
    del message.previous_rounds[1:]


def _proof_that_is_missing(message: tien_len_pb2.TienLenRound, _: Sequel, __: House) -> None:
    del message.previous_rounds[:]


def _round_behind_the_settled_one(message: tien_len_pb2.TienLenRound, _: Sequel, __: House) -> None:
    message.previous_rounds.add().CopyFrom(message.previous_rounds[0])


def _too_many_rounds(message: tien_len_pb2.TienLenRound, _: Sequel, __: House) -> None:
    for _number in range(255):
        message.previous_rounds.add().CopyFrom(message.previous_rounds[0])


def _seat_beyond_the_table(message: tien_len_pb2.TienLenRound, _: Sequel, __: House) -> None:
    message.previous_winner_seat = 4


def _seat_of_another_key(message: tien_len_pb2.TienLenRound, sequel: Sequel, _: House) -> None:
    message.previous_winner_seat = (sequel.winner + 1) % 4


def _winner_said_to_be_gone_whose_key_has_a_seat(message: tien_len_pb2.TienLenRound, _: Sequel, __: House) -> None:
    message.ClearField("previous_winner_seat")


@pytest.mark.parametrize(
    ("change", "reason", "field"),
    [
        (_leaf_of_another_round, "FOREIGN", "round.previous_rounds[0].terminal_leaf"),
        (_edited_leaf, "FOREIGN", "round.previous_rounds[1].terminal_leaf"),
        (_leaf_signed_by_another_role, "FOREIGN", "round.previous_rounds[1].terminal_leaf"),
        (_header_of_another_round, "FOREIGN", "round.previous_rounds[1].header"),
        (_header_of_no_round, "INVALID_HEADER", "round.previous_rounds[0].header.protocol"),
        (_proof_that_ends_too_early, "MISSING_FIELD", "round.previous_rounds[1]"),
        (_proof_that_is_missing, "MISSING_FIELD", "round.previous_rounds"),
        (_round_behind_the_settled_one, "INVALID_FIELD", "round.previous_rounds[2]"),
        (_too_many_rounds, "INVALID_FIELD", "round.previous_rounds"),
        (_seat_beyond_the_table, "INVALID_SEAT", "round.previous_winner_seat"),
        (_seat_of_another_key, "INVALID_FIELD", "round.previous_winner_seat"),
        (_winner_said_to_be_gone_whose_key_has_a_seat, "MISSING_FIELD", "round.previous_winner_seat"),
    ],
    ids=lambda value: value.__name__.strip("_") if callable(value) else "",
)
def test_a_winner_that_is_not_proved_is_refused(
    house: House, sequel: Sequel, change: Change, reason: str, field: str
) -> None:
    assert house.preview(sequel.message).state.leader == sequel.winner
    message = sequel.message
    change(message, sequel, house)
    size = house.log_size()
    refusal = house.refusal_of(lambda: house.settle(message))
    assert (StatusCode.INVALID_ARGUMENT, reason, field) == (refusal.code, refusal.reason, refusal.field)
    assert house.log_size() == size


def test_the_first_round_of_a_table_has_no_winner_before_it(house: House) -> None:
    one = house.deal_playable()
    one.round.previous_winner_seat = 0
    refusal = house.refusal_of(lambda: house.preview(one.round))
    assert (refusal.reason, refusal.field) == ("INVALID_FIELD", "round.previous_winner_seat")
    one.round.ClearField("previous_winner_seat")
    one.round.previous_rounds.add(terminal_leaf=b"{}", header=one.opened.header)
    refusal = house.refusal_of(lambda: house.preview(one.round))
    assert (refusal.reason, refusal.field) == ("INVALID_FIELD", "round.previous_rounds[0]")


def test_a_table_that_settled_nothing_has_no_winner(house: House) -> None:
    first = house.deal()
    leaf = house.abort(first).log_receipt.leaf
    later = house.deal(first.opened.header.table_id)
    house.follow(later.round, first, leaf)
    assert house.preview(later.round).state.leader == later.dealt.leader
    later.round.previous_winner_seat = 0
    refusal = house.refusal_of(lambda: house.preview(later.round))
    assert (refusal.reason, refusal.field) == ("INVALID_FIELD", "round.previous_winner_seat")


def test_a_round_of_another_game_settled_last_makes_no_leader(house: House) -> None:
    table = house.new_table()
    leaf, header = house.settle_mau_binh(table)
    later = house.deal(table)
    later.round.previous_rounds.add(terminal_leaf=leaf, header=header)
    assert house.preview(later.round).state.leader == later.dealt.leader
    later.round.previous_winner_seat = 0
    refusal = house.refusal_of(lambda: house.preview(later.round))
    assert (refusal.reason, refusal.field) == ("INVALID_FIELD", "round.previous_winner_seat")


@pytest.mark.parametrize(("role", "reason"), [("referee", ""), ("shuffler", "FORGED"), ("log", "FORGED")])
def test_only_the_referees_signature_makes_a_winner(house: House, role: str, reason: str) -> None:
    """The hash that a header names is not enough."""
    first = house.deal_playable(seats=2)
    settled = house.play_settled(first)
    leaf = _resigned(settled.log_receipt.leaf, house, role)
    later = house.script((DECK[0:26:2], DECK[26:52:2]), leader=0, round_number=2, previous_leaf=leaf_hash(leaf))
    later.previous_rounds.add(terminal_leaf=leaf, header=first.opened.header)
    later.previous_winner_seat = 1
    if reason:
        refusal = house.refusal_of(lambda: house.preview(later))
        expected = (StatusCode.PERMISSION_DENIED, reason, "round.previous_rounds[0].terminal_leaf")
        assert expected == (refusal.code, refusal.reason, refusal.field)
    else:
        assert house.preview(later).state.leader == 1


def test_a_key_that_no_seat_has_is_gone(house: House) -> None:
    first = house.deal_playable(keys=KEYS)
    settled = house.play_settled(first)
    keys = [NO_KEY if seat == house.winner_of(settled) else key for seat, key in enumerate(KEYS)]
    later = house.deal(first.opened.header.table_id, keys=keys)
    house.follow(later.round, first, settled.log_receipt.leaf)
    assert house.preview(later.round).state.leader == later.dealt.leader
