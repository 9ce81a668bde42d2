"""Who leads a round on a running server: the log and the deal decide, and DEAL and certificates say so."""

import json
from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import pytest

from referee.cards import DECK, Seat
from referee.dealing import certificate
from referee.dealing.header import NO_KEY
from referee.evidence.dsse import Envelope
from referee.games import LeaderBy
from referee.v1 import shuffler_pb2, tien_len_pb2
from referee.wire.round import read_header
from tests.attacks.courses import findings_of_both
from tests.service.tien_len_house import KEYS, Dealt, TienLenHouse
from tests.vectors.dealing.dealing_derivation import derive
from tests.verifier.built import Verdicts

Row: TypeAlias = dict[str, Any]

A, B, C, D, E, F, *_ = KEYS


def by(one: Dealt) -> str:
    """Return why the answer to a deal says that its leader leads."""
    return shuffler_pb2.LeaderBy.Name(one.dealt.leader_by).removeprefix("LEADER_BY_")


def payload(leaf: bytes) -> Row:
    return dict(json.loads(Envelope.parse(leaf).payload))


def drawn(tien_len: TienLenHouse, one: Dealt) -> int:
    """Draw the leader again from the seeds that the log shows once the round has ended."""
    header = one.opened.header
    tien_len.shuffler.RevealRound(shuffler_pb2.RevealRoundRequest(round=header.round))
    opened, dealt, *_, revealed = map(payload, tien_len.steps(header))
    seeds = [bytes.fromhex(seed) for seed in dealt["client_seeds"]]
    return int(derive(opened["header"], bytes.fromhex(revealed["server_seed"]), seeds)["drawn"])


NOBODY: Final = (None,) * 4
CASES: Final[dict[str, tuple[Sequence[bytes], Sequence[bytes], Row, Sequence[int | None]]]] = {
    "same keys": ([A, B, C, D], [A, B, C, D], {}, (0, 1, 2, 3)),
    "keys moved": ([A, B, C, D], [D, C, B, A], {}, (3, 2, 1, 0)),
    "fewer seats": ([A, B, C, D], [C, A, B], {}, (1, 2, 0, None)),
    "new keys": ([A, B, C, D], [E, F, NO_KEY, NO_KEY], {}, NOBODY),
    "half of the keys": ([A, B, C, D], [A, B, E, F], {}, NOBODY),
    "no keys": ([NO_KEY] * 3, [NO_KEY] * 3, {}, (0, 1, 2)),
    "keys came": ([NO_KEY] * 3, [A, B, C], {}, NOBODY),
    "keys went": ([A, B, C], [NO_KEY] * 3, {}, NOBODY),
    "one key": ([NO_KEY, A, NO_KEY], [NO_KEY, A, NO_KEY], {}, (0, 1, 2)),
    "a key came": ([A, NO_KEY, C], [A, B, C], {}, (0, None, 2)),
    "another stake": ([A, B, C], [A, B, C], {"stake_minor": 20}, NOBODY),
    "another currency": ([A, B, C], [A, B, C], {"currency": "GOLD"}, NOBODY),
}
"""Keys before and now, the later round's terms, and by the seat that won: the seat that leads, None if it is drawn."""


@pytest.mark.parametrize("name", CASES)
def test_leader_follows_from_the_last_settled_round(tien_len: TienLenHouse, name: str) -> None:
    before, now, terms, leads = CASES[name]
    first = tien_len.deal_playable(keys=before, seats=len(before))
    seat = leads[tien_len.winner_of(tien_len.play_settled(first))]
    later = tien_len.deal(first.opened.header.round.table_id, keys=now, seats=len(now), **terms)
    assert by(later) == ("DRAW" if seat is None else "WINNER")
    assert tien_len.preview(later.round).state.leader == later.dealt.leader
    inputs = payload(tien_len.play_settled(later).log_receipt.leaf)["inputs"]
    assert (inputs["leader"], inputs["leader_by"]) == (later.dealt.leader, by(later))
    assert later.dealt.leader == (drawn(tien_len, later) if seat is None else seat)


def test_first_leader_of_a_table_is_drawn(tien_len: TienLenHouse) -> None:
    one = tien_len.deal_playable()
    tien_len.play_settled(one)
    assert (by(one), one.dealt.leader) == ("DRAW", drawn(tien_len, one))


def test_aborted_rounds_hand_the_winner_on(tien_len: TienLenHouse) -> None:
    """Also where the round after them is settled by another frontend, or under other terms in between."""
    first = tien_len.deal_playable(keys=[A, B, C], seats=3)
    won = tien_len.winner_of(tien_len.play_settled(first))
    table = first.opened.header.round.table_id
    for _ in range(2):
        tien_len.abort(tien_len.deal(table, keys=[D, E, F], seats=3, stake_minor=50))
    later = tien_len.deal(table, keys=[B, C, A], seats=3)
    assert (by(later), later.dealt.leader) == ("WINNER", (won - 1) % 3)


def test_round_of_another_game_settled_last_makes_no_leader(tien_len: TienLenHouse) -> None:
    first = tien_len.deal_playable(seats=2)
    tien_len.play_settled(first)
    table = first.opened.header.round.table_id
    tien_len.settle_mau_binh(table)
    assert by(tien_len.deal(table, seats=2)) == "DRAW"


def test_table_that_settled_nothing_has_no_winner(tien_len: TienLenHouse) -> None:
    first = tien_len.deal()
    tien_len.abort(first)
    assert by(tien_len.deal(first.opened.header.round.table_id)) == "DRAW"


def test_winner_is_remembered_by_a_server_that_starts_again(open_tien_len: Any) -> None:  # noqa: ANN401 - a fixture
    tien_len = open_tien_len()
    first = tien_len.deal_playable(keys=[A, B], seats=2)
    won = tien_len.winner_of(tien_len.play_settled(first))
    clock = tien_len.clock.now
    tien_len.close()
    tien_len = open_tien_len()
    tien_len.clock.now = clock
    later = tien_len.deal(first.opened.header.round.table_id, keys=[B, A], seats=2)
    assert (by(later), later.dealt.leader) == ("WINNER", 1 - won)


def test_certificate_says_who_leads_and_why(tien_len: TienLenHouse) -> None:
    one = tien_len.deal_playable(seats=2)
    tien_len.play_settled(one)
    later = tien_len.deal(one.opened.header.round.table_id, seats=2)
    keys = [tien_len.app.keys.signer("shuffler").public_key]
    header = read_header(later.opened.header, field="header")
    read = certificate.read(later.dealt.certificate, keys=keys, header=header)
    assert (read.leader, read.leader_by) == (later.dealt.leader, "WINNER")
    leaf = payload(tien_len.steps(later.opened.header)[1])
    assert (leaf["leader"], leaf["leader_by"]) == (read.leader, read.leader_by)


def test_certificates_that_name_two_leaders_are_refused(tien_len: TienLenHouse) -> None:
    message = tien_len.script((DECK[:13], DECK[13:26]), leader=0)
    header = read_header(message.header, field="header")
    message.certificates.append(
        certificate.issue(
            tien_len.scripted_deal(header, (DECK[:13], DECK[13:26])),
            header,
            sections=[],
            dealt_time=0,
            lead=(Seat(1), LeaderBy.DRAW),
            signer=tien_len.app.keys.signer("shuffler"),
        )
    )
    assert tien_len.refusal_of(tien_len.preview, message).reason_and_field == ("FOREIGN", "round.certificates[1]")


def test_certificate_without_a_leader_begins_no_round(tien_len: TienLenHouse) -> None:
    message = tien_len.script((DECK[:13], DECK[13:26]), leader=0)
    header = read_header(message.header, field="header")
    message.certificates[0] = certificate.issue(
        tien_len.scripted_deal(header, (DECK[:13], DECK[13:26])),
        header,
        sections=[0, 1],
        dealt_time=0,
        signer=tien_len.app.keys.signer("shuffler"),
    )
    assert tien_len.refusal_of(tien_len.preview, message).reason == "INVALID_HEADER"


def test_lowest_card_is_the_games_own_and_not_the_lowest_number(tien_len: TienLenHouse) -> None:
    """A hand with the three of spades is the lowest, though twos have lower numbers."""
    hands = [tuple(DECK[:13]), tuple(DECK[13:26])]
    assert tien_len.preview(tien_len.script(hands[::-1], leader=1)).state.leader == 1


def test_log_of_all_these_rounds_passes_both_audits(open_tien_len: Any, verdicts: Verdicts) -> None:  # noqa: ANN401 - a fixture
    """Rounds that are thrown away to choose who leads are among them: for other terms, with strangers, without keys."""
    tien_len = open_tien_len()
    for name in CASES:
        test_leader_follows_from_the_last_settled_round(tien_len, name)
    assert findings_of_both(tien_len, verdicts) == ([], [])


def test_no_message_of_a_round_names_a_leader() -> None:
    names = {field.name for field in tien_len_pb2.TienLenRound.DESCRIPTOR.fields}
    assert names == {"header", "certificates", "events", "receipt", "signatures", "course"}
