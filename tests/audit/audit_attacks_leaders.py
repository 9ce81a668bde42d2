"""Attacks on who leads: a winner that the log does not have, one that it has and that is passed over, a false draw."""

from dataclasses import replace

import msgspec

from referee.audit import Code
from referee.dealing.lead import dealt_leader
from referee.games import LeaderBy
from tests.audit.audit_attack import LEADING, TABLE, Attacked, begun, ended, mutation
from tests.audit.audit_builder import LogBuilder, Parts, Table, abort, settle

KEYED = replace(LEADING, keyed=True, signs_seeds=False)
FOUR = replace(LEADING, seats=4)


def played(table: Table = LEADING) -> LogBuilder:
    """Make a log in which the table has settled one round."""
    log = LogBuilder.founded()
    log.play(table)
    return log


def led(parts: Parts, seat: int, by: LeaderBy) -> None:
    """Deal a round with another leader, or for another reason, and play and settle it so."""
    parts.dealt = msgspec.structs.replace(parts.dealt, leader=seat, leader_by=by)
    settle(parts)


def drawn(parts: Parts) -> int:
    """Return the seat that the deal draws."""
    return int(dealt_leader(parts.header, parts.deal, LeaderBy.DRAW))


@mutation(Code.LEADER_MISMATCH, "a deal names a leader where nobody leads")
def leader_of_a_game_without_one() -> Attacked:
    log, parts = begun(TABLE)
    parts.dealt = msgspec.structs.replace(parts.dealt, leader=0, leader_by=LeaderBy.DRAW)
    return ended(log, parts)


@mutation(Code.LEADER_MISMATCH, "a deal names no leader where somebody leads")
def leader_left_out() -> Attacked:
    log, parts = begun(LEADING)
    parts.dealt = msgspec.structs.replace(parts.dealt, leader=msgspec.UNSET, leader_by=msgspec.UNSET)
    return ended(log, parts)


@mutation(Code.LEADER_MISMATCH, "a seat leads as the last winner where no round was won before")
def leader_claimed_without_a_win() -> Attacked:
    log = LogBuilder.founded()
    parts = log.lay_out(LEADING)
    led(parts, 1, LeaderBy.WINNER)
    return ended(log, parts)


@mutation(Code.LEADER_MISMATCH, "the leader is drawn although the winner of the last round sits at the table")
def winner_passed_over() -> Attacked:
    log = played(KEYED)
    parts = log.lay_out(KEYED)
    led(parts, drawn(parts), LeaderBy.DRAW)
    return ended(log, parts)


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


@mutation(Code.LEADER_MISMATCH, "another seat leads than the winner of the last round")
def another_seat_than_the_winner() -> Attacked:
    log = played()
    parts = log.lay_out(LEADING)
    assert isinstance(parts.dealt.leader, int)
    led(parts, 1 - parts.dealt.leader, LeaderBy.WINNER)
    return ended(log, parts)


@mutation(Code.LEADER_MISMATCH, "another seat leads than the deal drew")
def leader_drawn_by_nobody() -> Attacked:
    log = LogBuilder.founded()
    parts = log.lay_out(LEADING)
    led(parts, 1 - drawn(parts), LeaderBy.DRAW)
    return ended(log, parts)


@mutation(Code.LEADER_MISMATCH, "another seat leads than the one that was dealt the lowest card")
def lowest_card_in_another_hand() -> Attacked:
    log = LogBuilder.founded()
    parts = log.lay_out(LEADING)
    led(parts, 1 - int(dealt_leader(parts.header, parts.deal, LeaderBy.LOWEST_CARD)), LeaderBy.LOWEST_CARD)
    return ended(log, parts)


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


@mutation(Code.LEADER_MISMATCH, "the transcript is led by another seat than its deal")
def transcript_with_another_leader() -> Attacked:
    log = LogBuilder.founded()
    parts = log.lay_out(LEADING)
    honest = parts.dealt
    led(parts, 1 - drawn(parts), LeaderBy.DRAW)
    parts.dealt = honest
    return ended(log, parts)


@mutation(Code.LEADER_MISMATCH, "the transcript gives another reason for its leader than its deal")
def transcript_with_another_reason() -> Attacked:
    log = LogBuilder.founded()
    parts = log.lay_out(LEADING)
    honest = parts.dealt
    led(parts, drawn(parts), LeaderBy.WINNER)
    parts.dealt = honest
    return ended(log, parts)
