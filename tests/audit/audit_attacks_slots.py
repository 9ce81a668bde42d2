"""Attacks on slots: rounds dealt again, left out, hanging, late or falsely stated."""

import msgspec

from referee.audit import Code, Documents
from referee.dealing import leaf as leaves
from referee.evidence.dsse import Envelope
from referee.evidence.merkle import leaf_hash
from tests.audit.audit_attack import TABLE, WORD, Attacked, begun, ended, mutation, receipt, with_seeds
from tests.audit.audit_builder import (
    FAR,
    SHUFFLER,
    STRANGER,
    LogBuilder,
    abort,
    change_inputs,
    digest,
    plain,
    settle,
    sign,
)


@mutation(Code.DEALT_TWICE, "the operator deals again until it likes the cards")
def dealt_again() -> Attacked:
    log, parts = begun()
    again = with_seeds(parts, (digest("another"), parts.client_seeds[1]))
    log.entries += [parts.open_leaf, parts.deal_leaf, again.deal_leaf, parts.ended, parts.reveal_leaf]
    return ended(log)


@mutation(Code.NEXT_ROUND_EARLY, "the next round begins while this one is still open to be dropped")
def next_round_early() -> Attacked:
    log, parts = begun()
    log.append(parts, steps="OD")
    log.ends[TABLE.name] = leaf_hash(parts.ended)
    following = log.lay_out(TABLE)
    log.entries += [following.open_leaf, parts.ended, parts.reveal_leaf]
    return ended(log)


@mutation(Code.WRONG_PREVIOUS_LEAF, "a round was left out between two")
def round_left_out() -> Attacked:
    log, _parts = begun()
    skipping = log.lay_out(TABLE, round_number=3)
    settle(skipping)
    return ended(log, skipping)


@mutation(Code.WRONG_PREVIOUS_LEAF, "the header names another previous round than the log holds")
def previous_leaf_of_another_history() -> Attacked:
    log, _parts = begun()
    other = log.lay_out(TABLE, previous_leaf=digest("another"))
    settle(other)
    return ended(log, other)


@mutation(Code.DEADLINE_PASSED, "a dealt round is neither settled nor aborted")
def round_left_hanging() -> Attacked:
    log, parts = begun()
    log.append(parts, steps="OD")
    return ended(log, now=FAR)


@mutation(Code.DEADLINE_PASSED, "an opened round is neither dealt nor aborted")
def opening_left_hanging() -> Attacked:
    log, parts = begun()
    log.append(parts, steps="O")
    return ended(log, now=FAR)


@mutation(Code.NEVER_REVEALED, "an aborted deck is hidden, so nobody sees whether it was aborted for its cards")
def aborted_and_never_revealed() -> Attacked:
    log, parts = begun()
    abort(parts, stage="DEALT", reason="DEADLINE")
    log.append(parts, steps="ODE")
    return ended(log, now=FAR)


@mutation(Code.ABORT_MISMATCH, "seats are blamed for missing seeds, and all seeds are there")
def abort_blames_a_seat() -> Attacked:
    log, parts = begun()
    abort(parts, stage="OPENED", reason="SEED_MISSING", missing=())
    log.append(parts, steps="OER")
    return ended(log)


@mutation(Code.ABORT_MISMATCH, "a seat committed and gave no seed, and the abort blames nobody")
def abort_hides_who_withheld() -> Attacked:
    log, parts = begun()
    abort(parts, stage="OPENED", reason="DEADLINE", missing=(1,))
    log.append(parts, steps="OER")
    return ended(log)


@mutation(Code.ABORT_MISMATCH, "a seat is blamed before the deadline by which its seed was due")
def abort_blames_a_seat_early() -> Attacked:
    log, parts = begun()
    abort(parts, stage="OPENED", reason="SEED_MISSING", missing=(1,), time=parts.header.deal_deadline)
    log.append(parts, steps="OER")
    return ended(log)


@mutation(Code.NEVER_DEALT, "a server has the seeds of all seats, lets the deal's deadline pass and gives the round up")
def every_seed_and_no_deal() -> Attacked:
    log, parts = begun()
    abort(parts, stage="OPENED", reason="DEADLINE", missing=())
    log.append(parts, steps="OER")
    return ended(log)


@mutation(Code.ABORTED_AFTER_SEED, "the operator gives a round up once a seed is there and the cards can be known")
def given_up_after_a_seed() -> Attacked:
    log, parts = begun()
    abort(parts, stage="OPENED", reason="OPERATOR", missing=(1,), time=parts.dealt.dealt_time)
    log.append(parts, steps="OER")
    return ended(log)


@mutation(Code.ABORTED_AFTER_SEED, "the operator gives a dealt round up, whose cards somebody has seen")
def given_up_after_the_deal() -> Attacked:
    log, parts = begun()
    abort(parts, stage="DEALT", reason="OPERATOR")
    log.append(parts, steps="ODER")
    return ended(log)


@mutation(Code.REVEALED_EARLY, "the seed is shown while the round is played, and with it every card")
def revealed_early() -> Attacked:
    log, parts = begun()
    log.append(parts, steps="ODRE")
    return ended(log)


@mutation(Code.LEAF_OF_NO_ROUND, "a seed is shown of a round that was never opened")
def revealed_without_a_round() -> Attacked:
    log, parts = begun()
    log.append(parts, steps="R")
    return ended(log)


@mutation(Code.DEALT_LATE, "cards are dealt after the deadline at which the round was to be aborted")
def dealt_late() -> Attacked:
    log, parts = begun()
    parts.dealt = msgspec.structs.replace(parts.dealt, dealt_time=parts.header.deal_deadline + 1)
    settle(parts)
    return ended(log, parts)


@mutation(Code.SETTLED_LATE, "a round is settled after its deadline")
def settled_late() -> Attacked:
    log, parts = begun()
    change_inputs(parts, closed_time=parts.header.round_deadline + 1)
    return ended(log, parts)


@mutation(Code.DEAL_MISMATCH, "the clocks of a round are started at another time than it was dealt")
def time_of_the_deal_edited() -> Attacked:
    log, parts = begun(WORD)
    assert parts.inputs is not None
    change_inputs(parts, dealt_time=parts.inputs.dealt_time - 1)
    return ended(log, parts)


@mutation(Code.HEADER_REFUSED, "a round is opened for a stake of nothing")
def stake_of_nothing() -> Attacked:
    log, parts = begun()
    header = msgspec.structs.replace(parts.opened.header, stake=0)
    log.entries.append(sign(leaves.OPEN_TYPE, plain(msgspec.structs.replace(parts.opened, header=header)), SHUFFLER))
    return ended(log)


@mutation(Code.RECEIPT_REFUSED, "somebody signs an event receipt without being the referee")
def event_receipt_forged() -> Attacked:
    log, parts = begun()
    forged = Envelope.parse(receipt(parts, 1))
    log.documents = Documents(event_receipts=(sign(forged.payload_type, forged.payload, STRANGER),))
    return ended(log, parts)


@mutation(Code.LEAF_TOO_LONG, "a leaf of more bytes than one may have")
def leaf_too_long() -> Attacked:
    log = LogBuilder.founded()
    log.entries.append(b'{"payload":"%b","payloadType":"x","signatures":[]}' % (b"AAAA" * 16_400))
    return ended(log)
