"""Attacks on who leads: a winner that the log does not have, one that it has and that is passed over, a false draw."""

from dataclasses import replace
from functools import partial

import msgspec

from referee.audit import Code
from referee.dealing.lead import dealt_leader
from referee.games import LeaderBy
from tests.audit.audit_attack import LEADING, TABLE, Attacked, attack, ended, laid_out, mutation
from tests.audit.audit_builder import LogBuilder, Parts, Table, abort, settle

KEYED = replace(LEADING, keyed=True, signs_seeds=False)
FOUR = replace(LEADING, seats=4)
FIRST, SECOND = partial(laid_out, LEADING), partial(laid_out, LEADING, rounds=1)
"""Scenes of a table's first round and of its second."""


def played(table: Table = LEADING) -> LogBuilder:
    """Make a log in which the table has settled one round."""
    return LogBuilder.of(table)


def led(parts: Parts, seat: int, by: LeaderBy) -> None:
    """Deal a round with another leader, or for another reason, and play and settle it so."""
    parts.dealt = msgspec.structs.replace(parts.dealt, leader=seat, leader_by=by)
    settle(parts)


def drawn(parts: Parts) -> int:
    """Return the seat that the deal draws."""
    return int(dealt_leader(parts.header, parts.deal, LeaderBy.DRAW))


@attack(Code.LEADER_MISMATCH, "a deal names a leader where nobody leads", on=TABLE)
def leader_of_a_game_without_one(parts: Parts) -> None:
    parts.dealt = msgspec.structs.replace(parts.dealt, leader=0, leader_by=LeaderBy.DRAW)


@attack(Code.LEADER_MISMATCH, "a deal names no leader where somebody leads", on=LEADING)
def leader_left_out(parts: Parts) -> None:
    parts.dealt = msgspec.structs.replace(parts.dealt, leader=msgspec.UNSET, leader_by=msgspec.UNSET)


@attack(Code.LEADER_MISMATCH, "a seat leads as the last winner where no round was won before", on=FIRST)
def leader_claimed_without_a_win(parts: Parts) -> None:
    led(parts, 1, LeaderBy.WINNER)


@attack(
    Code.LEADER_MISMATCH,
    "the leader is drawn although the winner of the last round sits at the table",
    on=partial(laid_out, KEYED, rounds=1),
)
def winner_passed_over(parts: Parts) -> None:
    led(parts, drawn(parts), LeaderBy.DRAW)


@mutation(Code.LEADER_MISMATCH, "the winner is passed over behind two rounds that were aborted")
def winner_passed_over_behind_aborted_rounds() -> Attacked:
    log = played()
    for _ in range(2):
        given_up = log.lay_out(LEADING)
        abort(given_up, stage="OPENED", reason="SEED_MISSING")
        log.append(given_up, steps="OER")
    parts = log.lay_out(LEADING)
    led(parts, drawn(parts), LeaderBy.DRAW)
    return ended(log, parts)


@attack(Code.LEADER_MISMATCH, "another seat leads than the winner of the last round", on=SECOND)
def another_seat_than_the_winner(parts: Parts) -> None:
    assert isinstance(parts.dealt.leader, int)
    led(parts, 1 - parts.dealt.leader, LeaderBy.WINNER)


@attack(Code.LEADER_MISMATCH, "another seat leads than the deal drew", on=FIRST)
def leader_drawn_by_nobody(parts: Parts) -> None:
    led(parts, 1 - drawn(parts), LeaderBy.DRAW)


@attack(Code.LEADER_MISMATCH, "another seat leads than the one that was dealt the lowest card", on=FIRST)
def lowest_card_in_another_hand(parts: Parts) -> None:
    led(parts, 1 - int(dealt_leader(parts.header, parts.deal, LeaderBy.LOWEST_CARD)), LeaderBy.LOWEST_CARD)


@mutation(Code.LEADER_MISMATCH, "a round that was thrown away for a small stake makes a leader")
def leader_by_a_round_for_another_stake() -> Attacked:
    log = played()
    winner = log.winners[LEADING.name]
    parts = log.lay_out(LEADING, stake=50)
    led(parts, int(winner.seat), LeaderBy.WINNER)
    return ended(log, parts)


@mutation(Code.LEADER_MISMATCH, "a round in another currency makes a leader")
def leader_by_a_round_in_another_currency() -> Attacked:
    log = played()
    winner = log.winners[LEADING.name]
    parts = log.lay_out(LEADING, currency="GOLD")
    led(parts, int(winner.seat), LeaderBy.WINNER)
    return ended(log, parts)


@mutation(Code.LEADER_MISMATCH, "a round makes a leader in which half of the keys sat")
def leader_by_a_round_of_half_of_the_keys() -> Attacked:
    table = replace(FOUR, keyed=True, signs_seeds=False)
    log = played(table)
    winner = int(log.winners[table.name].seat)
    strangers = [f"stranger {seat}" for seat in range(4)]
    stays = {winner, (winner + 1) % 4}
    names = tuple([f"{table.name}/seat/{seat}" if seat in stays else strangers[seat] for seat in range(4)])
    parts = log.lay_out(replace(table, players=names))
    led(parts, winner, LeaderBy.WINNER)
    return ended(log, parts)


@mutation(Code.LEADER_MISMATCH, "the seat of a winner without a key leads, though it has a key now")
def leader_by_a_seat_that_has_a_key_now() -> Attacked:
    log = played()
    winner = int(log.winners[LEADING.name].seat)
    parts = log.lay_out(KEYED)
    led(parts, winner, LeaderBy.WINNER)
    return ended(log, parts)


@attack(Code.LEADER_MISMATCH, "the transcript is led by another seat than its deal", on=FIRST)
def transcript_with_another_leader(parts: Parts) -> None:
    honest = parts.dealt
    led(parts, 1 - drawn(parts), LeaderBy.DRAW)
    parts.dealt = honest


@attack(Code.LEADER_MISMATCH, "the transcript gives another reason for its leader than its deal", on=FIRST)
def transcript_with_another_reason(parts: Parts) -> None:
    honest = parts.dealt
    led(parts, drawn(parts), LeaderBy.WINNER)
    parts.dealt = honest
