"""Attacks on times and identities: deadlines, dates of leaves, keys in seats, and tokens that changed."""

from dataclasses import replace

import msgspec

from referee.audit import Code
from referee.dealing.header import NO_KEY
from tests.audit.audit_attack import TABLE, Attacked, attack, ended, mutation
from tests.audit.audit_attacks_seats import KEYED, SEALED
from tests.audit.audit_builder import DEAL_MS, SHUFFLER, LogBuilder, Parts, Table, abort, digest, settle

HOUR_MS = 3_600_000
OTHER = replace(TABLE, name="table-2")


def opened(table: Table = TABLE, **terms: object) -> tuple[LogBuilder, Parts]:
    """Make a log with a first round of a table, whose second one has other terms, and settle that."""
    log = LogBuilder.of(table)
    parts = log.lay_out(table, **terms)
    settle(parts)
    return log, parts


def dated(parts: Parts, shift: int) -> None:
    """Move the times of a round's OPEN and DEAL, and with them its clocks."""
    parts.opened = msgspec.structs.replace(parts.opened, opened_time=parts.opened.opened_time + shift)
    parts.dealt = msgspec.structs.replace(parts.dealt, dealt_time=parts.dealt.dealt_time + shift)
    settle(parts)


@mutation(Code.DEADLINE_OUT_OF_BOUNDS, "a deal may wait for an hour, until somebody likes the seeds")
def deal_deadline_far_away() -> Attacked:
    log, parts = opened()
    far = parts.header.deal_deadline + HOUR_MS
    terms = {"deal_deadline": far, "round_deadline": far + HOUR_MS // 2}
    parts = log.lay_out(TABLE, **terms)
    parts.opened = msgspec.structs.replace(parts.opened, opened_time=log.time)
    settle(parts)
    return ended(log, parts)


@mutation(Code.DEADLINE_OUT_OF_BOUNDS, "a deal that nobody likes is never settled, aborted or shown")
def round_without_end() -> Attacked:
    return ended(*opened(round_deadline=2**53 - 1))


@mutation(Code.DEADLINE_OUT_OF_BOUNDS, "a round ends before it can be played, so a disliked hand lapses")
def round_too_short() -> Attacked:
    log = LogBuilder.founded()
    parts = log.lay_out(TABLE)
    parts = log.prepare(TABLE, round_deadline=parts.header.deal_deadline + 89_999)
    return ended(log, parts)


@attack(Code.DEADLINE_OUT_OF_BOUNDS, "a round is opened after the deadline by which it was to be dealt", on=opened)
def opened_after_the_deal_deadline(parts: Parts) -> None:
    deadline = parts.header.deal_deadline
    parts.opened = msgspec.structs.replace(parts.opened, opened_time=deadline)
    parts.dealt = msgspec.structs.replace(parts.dealt, dealt_time=deadline)
    settle(parts)


@attack(Code.TIME_OUT_OF_ORDER, "cards are dealt in 1970, so that every clock of the round has run out", on=opened)
def dealt_in_1970(parts: Parts) -> None:
    parts.dealt = msgspec.structs.replace(parts.dealt, dealt_time=1)
    settle(parts)


@mutation(Code.TIME_OUT_OF_ORDER, "a round is opened before the last one of its table had ended")
def rounds_overlap() -> Attacked:
    log, parts = opened()
    before = log.time
    shift = before - 1 - parts.opened.opened_time
    parts = log.lay_out(
        TABLE,
        deal_deadline=parts.header.deal_deadline + shift,
        round_deadline=parts.header.round_deadline + shift,
    )
    settle(parts)
    return ended(log, parts)


@mutation(Code.TIME_OUT_OF_ORDER, "a table's times are seconds behind those that the log had already")
def table_behind_the_log() -> Attacked:
    log, parts = opened()
    late = 10_001 + DEAL_MS
    other = LogBuilder.founded().lay_out(OTHER)
    parts = log.lay_out(
        OTHER,
        deal_deadline=log.time - late + DEAL_MS,
        round_deadline=log.time - late + DEAL_MS + (other.header.round_deadline - other.header.deal_deadline),
    )
    settle(parts)
    return ended(log, parts)


@mutation(Code.TIME_AHEAD, "a round is dated after the time of the audit")
def round_of_the_future() -> Attacked:
    log, parts = opened()
    return ended(log, parts, now=parts.opened.opened_time - 120_001)


def seated(*keys: bytes) -> Attacked:
    """Make a log with a round whose seats have these keys, given up before any seed."""
    log = LogBuilder.founded()
    parts = log.lay_out(TABLE, seat_keys=keys)
    abort(parts, stage="OPENED", reason="OPERATOR", time=parts.opened.opened_time)
    log.append(parts, steps="OER")
    return ended(log)


@mutation(Code.SEAT_KEY_SHARED, "one player sits in two seats under one key")
def one_key_in_two_seats() -> Attacked:
    key = KEYED.seat_key(0).public_key
    return seated(key, key)


@mutation(Code.SEAT_KEY_SHARED, "the shuffler sits in a seat, and signs for the player what the player did not do")
def shuffler_in_a_seat() -> Attacked:
    return seated(SHUFFLER.public_key, NO_KEY)


@attack(
    Code.SEAT_TOKEN_MISMATCH, "a seat's token is another's in OPEN than the one under which the seat signed", on=SEALED
)
def token_changed_after_the_seat_signed(parts: Parts) -> None:
    tokens = (digest("token of an accomplice").hex(), *parts.opened.seat_tokens[1:])  # type: ignore[index] # it is sealed
    parts.opened = msgspec.structs.replace(parts.opened, seat_tokens=tokens)


@attack(Code.STREET_OPENED_EARLY, "the deal says that a hand is closed which the frontend sees")
def hand_said_to_be_closed(parts: Parts) -> None:
    parts.dealt = msgspec.structs.replace(parts.dealt, opened_sections=(0,))


@attack(Code.STREET_OPENED_EARLY, "one hand of a sealed table is open to the frontend from the deal on", on=SEALED)
def sealed_hand_open_at_the_deal(parts: Parts) -> None:
    parts.dealt = msgspec.structs.replace(parts.dealt, opened_sections=(0,))
