"""Who leads a round on a running server: the log and the deal decide, and DEAL and certificates say so."""

import json
from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import pytest

from referee.cards import DECK, Seat
from referee.dealing import certificate
from referee.dealing.header import NO_KEY
from referee.dealing.lead import Lead
from referee.evidence.dsse import Envelope
from referee.games import LeaderBy
from referee.v1 import shuffler_pb2, tien_len_pb2
from referee.wire.round import read_header
from tests.service.tien_len.conftest import KEYS
from tests.vectors.independent_results import winner_of
from tests.vectors.independent_round import leader, lowest, mix, round_id, winners_seat

House: TypeAlias = Any  # of the conftest beside this file
Dealt: TypeAlias = Any
Row: TypeAlias = dict[str, Any]

A, B, C, D, E, F, *_ = KEYS


def by(one: Dealt) -> str:
    """Return why the answer to a deal says that its leader leads."""
    return shuffler_pb2.LeaderBy.Name(one.dealt.leader_by).removeprefix("LEADER_BY_")


def payload(leaf: bytes) -> Row:
    return dict(json.loads(Envelope.parse(leaf).payload))


def drawn(house: House, one: Dealt) -> int:
    """Draw the leader again from the seeds that the log shows once the round has ended."""
    header = one.opened.header
    house.shuffler.RevealRound(
        shuffler_pb2.RevealRoundRequest(table_id=header.table_id, round_number=header.round_number)
    )
    opened, dealt, *_, revealed = map(payload, house.steps(header))
    rid, commitment = round_id(opened["header"]), bytes.fromhex(opened["server_commitment"])
    mixed = mix(rid, commitment, [bytes.fromhex(seed) for seed in dealt["client_seeds"]])
    return leader(rid, bytes.fromhex(revealed["server_seed"]), mixed, len(header.seat_keys))


CASES: Final[dict[str, tuple[Sequence[bytes], Sequence[bytes], Row]]] = {
    "same keys": ([A, B, C, D], [A, B, C, D], {}),
    "keys moved": ([A, B, C, D], [D, C, B, A], {}),
    "fewer seats": ([A, B, C, D], [C, A, B], {}),
    "new keys": ([A, B, C, D], [E, F, NO_KEY, NO_KEY], {}),
    "half of the keys": ([A, B, C, D], [A, B, E, F], {}),
    "no keys": ([NO_KEY] * 3, [NO_KEY] * 3, {}),
    "keys came": ([NO_KEY] * 3, [A, B, C], {}),
    "keys went": ([A, B, C], [NO_KEY] * 3, {}),
    "one key": ([NO_KEY, A, NO_KEY], [NO_KEY, A, NO_KEY], {}),
    "another stake": ([A, B, C], [A, B, C], {"stake_minor": 20}),
    "another currency": ([A, B, C], [A, B, C], {"currency": "GOLD"}),
}


@pytest.mark.parametrize("name", CASES)
def test_leader_follows_from_the_last_settled_round(house: House, name: str) -> None:
    """The expected seat comes from the third verifier, which was written from the vectors' page alone."""
    before, now, terms = CASES[name]
    first = house.deal_playable(keys=before, seats=len(before))
    settled = payload(house.play_settled(first).log_receipt.leaf)
    later = house.deal(first.opened.header.table_id, keys=now, seats=len(now), **terms)
    header = payload(house.steps(later.opened.header)[0])["header"]
    won = settled["inputs"]["header"], winner_of(settled["results"], len(before))
    seat = winners_seat(header, won)
    assert by(later) == ("DRAW" if seat is None else "WINNER")
    assert house.preview(later.round).state.leader == later.dealt.leader
    house.play_settled(later)
    assert later.dealt.leader == (drawn(house, later) if seat is None else seat)


def test_first_leader_of_a_table_is_drawn(house: House) -> None:
    one = house.deal_playable()
    house.play_settled(one)
    assert (by(one), one.dealt.leader) == ("DRAW", drawn(house, one))


def test_aborted_rounds_hand_the_winner_on(house: House) -> None:
    """Also where the round after them is settled by another frontend, or under other terms in between."""
    first = house.deal_playable(keys=[A, B, C], seats=3)
    won = house.winner_of(house.play_settled(first))
    table = first.opened.header.table_id
    for _ in range(2):
        house.abort(house.deal(table, keys=[D, E, F], seats=3, stake_minor=50))
    later = house.deal(table, keys=[B, C, A], seats=3)
    assert (by(later), later.dealt.leader) == ("WINNER", (won - 1) % 3)


def test_round_of_another_game_settled_last_makes_no_leader(house: House) -> None:
    first = house.deal_playable(seats=2)
    house.play_settled(first)
    table = first.opened.header.table_id
    house.settle_mau_binh(table)
    assert by(house.deal(table, seats=2)) == "DRAW"


def test_table_that_settled_nothing_has_no_winner(house: House) -> None:
    first = house.deal()
    house.abort(first)
    assert by(house.deal(first.opened.header.table_id)) == "DRAW"


def test_winner_is_remembered_by_a_server_that_starts_again(open_house: Any) -> None:  # noqa: ANN401 - a fixture
    house = open_house()
    first = house.deal_playable(keys=[A, B], seats=2)
    won = house.winner_of(house.play_settled(first))
    clock = house.clock[0]
    house.close()
    house = open_house()
    house.clock[0] = clock
    later = house.deal(first.opened.header.table_id, keys=[B, A], seats=2)
    assert (by(later), later.dealt.leader) == ("WINNER", 1 - won)


def test_certificate_says_who_leads_and_why(house: House) -> None:
    one = house.deal_playable(seats=2)
    house.play_settled(one)
    later = house.deal(one.opened.header.table_id, seats=2)
    keys = [house.app.keys.signer("shuffler").public_key]
    header = read_header(later.opened.header, field="header")
    read = certificate.read(later.dealt.certificate, keys=keys, header=header)
    assert read.lead is not None
    assert (read.lead.seat, read.lead.by) == (later.dealt.leader, "WINNER")
    leaf = payload(house.steps(later.opened.header)[1])
    assert (leaf["leader"], leaf["leader_by"]) == (read.lead.seat, read.lead.by)


def test_deal_asked_for_again_names_the_same_leader(house: House) -> None:
    one = house.deal_playable(seats=3)
    header = one.opened.header
    request = shuffler_pb2.DealRoundRequest(
        table_id=header.table_id,
        round_number=header.round_number,
        client_seeds=[bytes([seat + 1]) * 32 for seat in range(3)],
    )
    again = house.shuffler.DealRound(request)
    assert (again.leader, again.leader_by) == (one.dealt.leader, one.dealt.leader_by)


def test_certificates_that_name_two_leaders_are_refused(house: House) -> None:
    message = house.script((DECK[:13], DECK[13:26]), leader=0)
    header = read_header(message.header, field="header")
    message.certificates.append(
        certificate.issue(
            house.scripted_deal(header, (DECK[:13], DECK[13:26])),
            header,
            sections=[],
            dealt_time=0,
            lead=Lead(Seat(1), LeaderBy.DRAW),
            signer=house.app.keys.signer("shuffler"),
        )
    )
    refusal = house.refusal_of(lambda: house.preview(message))
    assert (refusal.reason, refusal.field) == ("FOREIGN", "round.certificates[1]")


def test_certificate_without_a_leader_begins_no_round(house: House) -> None:
    message = house.script((DECK[:13], DECK[13:26]), leader=0)
    header = read_header(message.header, field="header")
    message.certificates[0] = certificate.issue(
        house.scripted_deal(header, (DECK[:13], DECK[13:26])),
        header,
        sections=[0, 1],
        dealt_time=0,
        signer=house.app.keys.signer("shuffler"),
    )
    assert house.refusal_of(lambda: house.preview(message)).reason == "INVALID_HEADER"


def test_lowest_card_is_the_games_own_and_not_the_lowest_number(house: House) -> None:
    """A hand with the three of spades is the lowest, though twos have lower numbers."""
    hands = [tuple(DECK[:13]), tuple(DECK[13:26])]
    assert lowest([[card.number for card in hand] for hand in hands]) == 0
    assert house.preview(house.script(hands[::-1], leader=1)).state.leader == 1


def test_no_message_of_a_round_names_a_leader() -> None:
    names = {field.name for field in tien_len_pb2.TienLenRound.DESCRIPTOR.fields}
    assert names == {"header", "certificates", "events", "receipt", "signatures"}
