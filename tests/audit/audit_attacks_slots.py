"""Attacks on slots: rounds dealt again, left out, hanging, late or falsely stated."""

import msgspec

from referee.audit import Code, Documents
from referee.dealing import leaf as leaves
from referee.evidence.dsse import Envelope
from referee.evidence.merkle import leaf_hash
from tests.audit.audit_attack import (
    TABLE,
    WORD,
    Attacked,
    attack,
    begun,
    ended,
    log_attack,
    mutation,
    receipt,
    with_seeds,
)
from tests.audit.audit_builder import (
    FAR,
    SHUFFLER,
    STRANGER,
    LogBuilder,
    Parts,
    abort,
    change_inputs,
    digest,
    plain,
    settle,
    sign,
)


@log_attack(Code.DEALT_TWICE, "the operator deals again until it likes the cards", steps="")
def dealt_again(log: LogBuilder, parts: Parts) -> None:
    again = with_seeds(parts, (digest("another"), parts.client_seeds[1]))
    log.entries += [parts.open_leaf, parts.deal_leaf, again.deal_leaf, parts.ended, parts.reveal_leaf]


@log_attack(Code.NEXT_ROUND_EARLY, "the next round begins while this one is still open to be dropped", steps="")
def next_round_early(log: LogBuilder, parts: Parts) -> None:
    log.append(parts, steps="OD")
    log.ends[TABLE.name] = leaf_hash(parts.ended)
    following = log.lay_out(TABLE)
    log.entries += [following.open_leaf, parts.ended, parts.reveal_leaf]


@mutation(Code.WRONG_PREVIOUS_LEAF, "a round was left out between two")
def round_left_out() -> Attacked:
    log, _parts = begun()
    skipping = log.prepare(TABLE, round_number=3)
    return ended(log, skipping)


@mutation(Code.WRONG_PREVIOUS_LEAF, "the header names another previous round than the log holds")
def previous_leaf_of_another_history() -> Attacked:
    log, _parts = begun()
    other = log.prepare(TABLE, previous_leaf=digest("another"))
    return ended(log, other)


@attack(Code.DEADLINE_PASSED, "a dealt round is neither settled nor aborted", steps="OD", now=FAR)
def round_left_hanging(_parts: Parts) -> None:
    """Change nothing but the steps."""


@attack(Code.DEADLINE_PASSED, "an opened round is neither dealt nor aborted", steps="O", now=FAR)
def opening_left_hanging(_parts: Parts) -> None:
    """Change nothing but the steps."""


@attack(
    Code.NEVER_REVEALED,
    "an aborted deck is hidden, so nobody sees whether it was aborted for its cards",
    steps="ODE",
    now=FAR,
)
def aborted_and_never_revealed(parts: Parts) -> None:
    abort(parts, stage="DEALT", reason="DEADLINE")


@attack(Code.UNFINISHED_IN_COPY, "a copy was made while a round ran", steps="OD", now=FAR, is_copy=True)
def copied_while_a_round_ran(_parts: Parts) -> None:
    """Change nothing but the steps."""


@attack(
    Code.UNFINISHED_IN_COPY,
    "a copy was made before a seed was revealed",
    steps="ODE",
    now=FAR,
    number=9,
    is_copy=True,
)
def copied_before_a_seed_was_revealed(parts: Parts) -> None:
    abort(parts, stage="DEALT", reason="DEADLINE")


@attack(Code.ABORT_MISMATCH, "seats are blamed for missing seeds, and all seeds are there", steps="OER")
def abort_blames_a_seat(parts: Parts) -> None:
    abort(parts, stage="OPENED", reason="SEED_MISSING", missing=())


@attack(Code.ABORT_MISMATCH, "a seat committed and gave no seed, and the abort blames nobody", steps="OER")
def abort_hides_who_withheld(parts: Parts) -> None:
    abort(parts, stage="OPENED", reason="DEADLINE", missing=(1,))


@attack(Code.ABORT_MISMATCH, "a seat is blamed before the deadline by which its seed was due", steps="OER")
def abort_blames_a_seat_early(parts: Parts) -> None:
    abort(parts, stage="OPENED", reason="SEED_MISSING", missing=(1,), time=parts.header.deal_deadline)


@attack(
    Code.NEVER_DEALT,
    "a server has the seeds of all seats, lets the deal's deadline pass and gives the round up",
    steps="OER",
)
def every_seed_and_no_deal(parts: Parts) -> None:
    abort(parts, stage="OPENED", reason="DEADLINE", missing=())


@attack(
    Code.ABORTED_AFTER_SEED,
    "the operator gives a round up once a seed is there and the cards can be known",
    steps="OER",
)
def given_up_after_a_seed(parts: Parts) -> None:
    abort(parts, stage="OPENED", reason="OPERATOR", missing=(1,), time=parts.dealt.dealt_time)


@attack(Code.ABORTED_AFTER_SEED, "the operator gives a dealt round up, whose cards somebody has seen", steps="ODER")
def given_up_after_the_deal(parts: Parts) -> None:
    abort(parts, stage="DEALT", reason="OPERATOR")


@attack(Code.REVEALED_EARLY, "the seed is shown while the round is played, and with it every card", steps="ODRE")
def revealed_early(_parts: Parts) -> None:
    """Change nothing but the steps."""


@attack(Code.LEAF_OF_NO_ROUND, "a seed is shown of a round that was never opened", steps="R")
def revealed_without_a_round(_parts: Parts) -> None:
    """Change nothing but the steps."""


@attack(Code.DEALT_LATE, "cards are dealt after the deadline at which the round was to be aborted")
def dealt_late(parts: Parts) -> None:
    parts.dealt = msgspec.structs.replace(parts.dealt, dealt_time=parts.header.deal_deadline + 1)
    settle(parts)


@attack(Code.SETTLED_LATE, "a round is settled after its deadline")
def settled_late(parts: Parts) -> None:
    change_inputs(parts, closed_time=parts.header.round_deadline + 1)


@attack(Code.DEAL_MISMATCH, "the clocks of a round are started at another time than it was dealt", on=WORD)
def time_of_the_deal_edited(parts: Parts) -> None:
    change_inputs(parts, dealt_time=parts.inputs.dealt_time - 1)


@log_attack(Code.HEADER_REFUSED, "a round is opened for a stake of nothing", steps="")
def stake_of_nothing(log: LogBuilder, parts: Parts) -> None:
    header = msgspec.structs.replace(parts.opened.header, stake=0)
    log.entries.append(sign(leaves.OPEN_TYPE, plain(msgspec.structs.replace(parts.opened, header=header)), SHUFFLER))


@log_attack(Code.RECEIPT_REFUSED, "somebody signs an event receipt without being the referee")
def event_receipt_forged(log: LogBuilder, parts: Parts) -> None:
    forged = Envelope.parse(receipt(parts, 1))
    log.documents = Documents(event_receipts=(sign(forged.payload_type, forged.payload, STRANGER),))


@mutation(Code.LEAF_TOO_LONG, "a leaf of more bytes than one may have")
def leaf_too_long() -> Attacked:
    log = LogBuilder.founded()
    log.entries.append(b'{"payload":"%b","payloadType":"x","signatures":[]}' % (b"AAAA" * 16_400))
    return ended(log)
