"""Attacks on courses: cards opened along one course and another settled, events unsigned, untimed, unseen or early."""

from dataclasses import replace
from functools import partial

import msgspec

from referee.audit import Code
from referee.cards import Seat
from referee.games import tien_len as lon
from referee.games import ultimate_texas as texas
from tests.audit import audit_attack
from tests.audit.audit_attack import Attacked, begun, changed, ended, revised, rewrite
from tests.audit.audit_builder import (
    LOG,
    REFEREE,
    SHUFFLER,
    STRANGER,
    LogBuilder,
    NamedSigner,
    Parts,
    Table,
    dealt_of,
    key_leaf,
    settle,
)
from tests.audit.audit_players import MOVE_MS, Play, Playing

attack = partial(audit_attack.attack, file="courses.jsonl")
mutation = partial(audit_attack.mutation, file="courses.jsonl")
log_attack = partial(audit_attack.log_attack, file="courses.jsonl")
BOARD = Table(name="table-1", ruleset_id="ultimate_texas.casino", seats=2, keyed=True)
TURNS = Table(name="table-1", ruleset_id="tien_len.mien_nam", seats=2, keyed=True)
SEALED = Table(name="table-1", ruleset_id="mau_binh.classic", seats=2, keyed=True, sealed=True)
TURN_MS = 30_000


def decided(parts: Parts, *decisions: texas.Decision) -> Play:
    """Play a round of the board game in which both seats decide alike on each street."""
    playing = Playing(dealt_of(parts))
    for decision in decisions:
        for seat in range(2):
            playing.do(texas.Event(Seat(seat), decision, playing.time + MOVE_MS))
    return playing.end(5)


def checked_twice() -> tuple[LogBuilder, Parts]:
    """Make a round in which every street is opened by an event of its own."""
    log, parts = begun(BOARD)
    settle(parts, play=decided(parts, texas.Decision.CHECK, texas.Decision.CHECK, texas.Decision.PLAY_1X))
    return log, parts


def turns(table: Table = TURNS) -> tuple[LogBuilder, Parts]:
    """Make a log whose first round has turns."""
    log = LogBuilder.founded()
    parts = log.prepare(table)
    assert len(parts.inputs.events) > 2
    return log, parts


def timed_out(table: Table = TURNS) -> tuple[LogBuilder, Parts]:
    """Make a round in which the second event is a seat's turn that ran out of time."""
    log = LogBuilder.founded()
    parts = log.lay_out(table)
    leader = parts.dealt.leader
    assert isinstance(leader, int)
    playing = Playing(dealt_of(parts, leader=leader))
    for _ in range(2):
        plays = lon.legal_plays(playing.state)
        if playing.moves or not plays:
            playing.do(lon.Timeout(playing.state.turn, playing.time + TURN_MS))
        else:
            playing.do(lon.Play(playing.state.turn, min(plays, key=lambda one: len(one.cards)).cards, playing.time + 1))
    while not playing.state.is_over:
        plays = lon.legal_plays(playing.state)
        time = playing.time + MOVE_MS
        playing.do(
            lon.Play(playing.state.turn, max(plays, key=lambda one: len(one.cards)).cards, time)
            if plays
            else lon.Pass(playing.state.turn, time)
        )
    settle(parts, play=playing.end(2))
    return log, parts


@attack(
    Code.UNSEAL_NOT_IN_COURSE, "cards are opened by decisions that are settled otherwise once they are seen", on=BOARD
)
def settled_another_course_than_was_opened(parts: Parts) -> None:
    settle(parts, play=decided(parts, texas.Decision.CHECK, texas.Decision.CHECK, texas.Decision.FOLD))
    seen = parts.unseals
    settle(parts, play=decided(parts, texas.Decision.PLAY_4X))
    parts.unseals = seen


@attack(
    Code.UNSEAL_NOT_IN_COURSE, "a decision that opened the house's cards is replaced after they were seen", on=BOARD
)
def rewound_after_the_last_opening(parts: Parts) -> None:
    checked = (texas.Decision.CHECK, texas.Decision.CHECK)
    settle(parts, play=decided(parts, *checked, texas.Decision.FOLD))
    seen = parts.unseals[-1]
    settle(parts, play=decided(parts, *checked, texas.Decision.PLAY_1X))
    parts.unseals = (*parts.unseals[:-1], seen)


@attack(Code.UNSEAL_NOT_IN_COURSE, "the settlement is silent about an opening", on=checked_twice)
def opening_left_out_of_the_settlement(parts: Parts) -> None:
    parts.inputs = msgspec.structs.replace(parts.inputs, unsealed=parts.inputs.unsealed[1:])
    rewrite(parts, parts.inputs.events)


@attack(Code.UNSEAL_NOT_IN_COURSE, "cards are opened before they are dealt", on=checked_twice, steps="OUDER")
def opened_before_the_deal(_parts: Parts) -> None:
    """Change nothing but the steps."""


@log_attack(Code.UNSEAL_NOT_IN_COURSE, "an opening is written down again after the end", on=checked_twice, steps="")
def opened_after_the_end(log: LogBuilder, parts: Parts) -> None:
    log.append(parts, steps="ODUE")
    log.entries += [parts.unseal_leaves[-1], parts.reveal_leaf]


@log_attack(
    Code.UNSEAL_NOT_IN_COURSE, "two courses open cards after events of the same number", on=checked_twice, steps="ER"
)
def opened_along_two_courses(log: LogBuilder, parts: Parts) -> None:
    first = parts.unseal_leaves[0]
    other = replace(parts)
    settle(other, play=decided(parts, texas.Decision.PLAY_4X))
    log.append(parts, steps="OD")
    log.entries += [first, other.unseal_leaves[0], *parts.unseal_leaves[1:]]


@attack(
    Code.OPENED_WITHOUT_UNSEAL,
    "the cards of every street are in the settlement, and the log never opened them",
    on=checked_twice,
    steps="ODER",
)
def settled_without_openings(_parts: Parts) -> None:
    """Change nothing but the steps."""


@attack(Code.UNSEAL_REFUSED, "the shuffler opens cards without a receipt of the referee", on=checked_twice)
def opened_without_a_receipt(parts: Parts) -> None:
    first, *others = parts.unseals
    forged = STRANGER.sign(b"whatever").hex()
    parts.unseals = (msgspec.structs.replace(first, receipt_signature=forged), *others)


@attack(Code.UNSEAL_REFUSED, "the shuffler opens cards by the receipt of another event", on=checked_twice)
def opened_by_the_receipt_of_another_event(parts: Parts) -> None:
    first, second, *others = parts.unseals
    parts.unseals = (msgspec.structs.replace(first, receipt_signature=second.receipt_signature), second, *others)


def receipted_by_a_key_that_went(*, steps: str) -> Attacked:
    """Make a round whose receipts are by a referee's key that came and went after these steps of the round."""
    other = NamedSigner("referee/2")
    log = LogBuilder([key_leaf(LOG, "log"), key_leaf(SHUFFLER, "shuffler"), key_leaf(other, "referee")])
    parts = log.prepare(BOARD)
    parts.judge = other
    log.append(parts, steps=steps)
    log.entries += [key_leaf(REFEREE, "referee"), key_leaf(REFEREE, "referee", action="REVOKE")]
    log.append(parts, steps="ODUER".removeprefix(steps))
    return ended(log)


@mutation(Code.UNSEAL_REFUSED, "cards open by a receipt of the referee whose key was revoked before the deal")
def opened_by_a_key_revoked_before_the_deal() -> Attacked:
    return receipted_by_a_key_that_went(steps="O")


@attack(Code.EVENT_NOT_RECEIVED, "a commitment of a sealed table has the time that the frontend reports", on=SEALED)
def commitment_only_reported(parts: Parts) -> None:
    first, *others = parts.inputs.events
    revised(parts, (msgspec.structs.replace(first, received=0), *others))


@attack(Code.EVENT_NOT_RECEIVED, "the frontend reports that a seat with a key ran out of time", on=timed_out)
def timeout_only_reported(parts: Parts) -> None:
    first, second, *others = parts.inputs.events
    revised(parts, (first, msgspec.structs.replace(second, received=0), *others))


@attack(Code.EVENT_NOT_RECEIVED, "a seat's clock starts at a time that the frontend reports", on=timed_out)
def clock_started_by_a_report(parts: Parts) -> None:
    first, *others = parts.inputs.events
    revised(parts, (msgspec.structs.replace(first, received=0), *others))


@attack(Code.EVENT_UNSIGNED, "the frontend makes up the events of a seat with a key", on=checked_twice)
def events_of_a_keyed_seat_unsigned(parts: Parts) -> None:
    parts.inputs = msgspec.structs.replace(parts.inputs, signatures=("", parts.inputs.signatures[1]))
    rewrite(parts, parts.inputs.events)


@attack(Code.EVENT_UNSIGNED, "the commitments of a sealed table are made up to see the hands", on=SEALED)
def commitment_made_up(parts: Parts) -> None:
    parts.inputs = msgspec.structs.replace(parts.inputs, signatures=("", ""))
    rewrite(parts, parts.inputs.events)


@attack(Code.EVENT_UNSIGNED, "a seat's signature is of another course, in which it decided otherwise", on=BOARD)
def signature_of_another_course(parts: Parts) -> None:
    settle(parts, play=decided(parts, texas.Decision.PLAY_3X))
    other = parts.inputs.signatures
    settle(parts, play=decided(parts, texas.Decision.PLAY_4X))
    parts.inputs = msgspec.structs.replace(parts.inputs, signatures=(parts.inputs.signatures[0], other[1]))
    rewrite(parts, parts.inputs.events)


@attack(Code.EVENT_UNSIGNED, "a seat with a key is reported to have left, in no chain that it signs", on=checked_twice)
def departure_without_what_was_seen(parts: Parts) -> None:
    *events, last = parts.inputs.events
    revised(parts, (*events, changed(last, decision="LEAVE", seen=None)))


@attack(
    Code.EVENT_UNSIGNED,
    "a seat without a key is given a signature, which nobody can verify",
    on=replace(BOARD, keyed=False),
)
def signature_without_a_key(parts: Parts) -> None:
    parts.inputs = msgspec.structs.replace(parts.inputs, signatures=("00" * 64, ""))
    rewrite(parts, parts.inputs.events)


@attack(Code.SEEN_TOO_LOW, "a seat signs a decision after the flop as if it had seen the deal alone", on=checked_twice)
def decided_without_seeing_the_flop(parts: Parts) -> None:
    events = list(parts.inputs.events)
    events[2] = changed(events[2], seen=0)
    revised(parts, tuple(events))


@attack(Code.SEEN_TOO_LOW, "a seat signs a play without having seen the one that gave it the turn", on=turns)
def played_without_seeing_the_turn(parts: Parts) -> None:
    events = list(parts.inputs.events)
    events[1] = changed(events[1], seen=0)
    revised(parts, tuple(events))


@attack(
    Code.HISTORY_ALTERED,
    "a reported event is passed off as one that the referee received",
    on=lambda: turns(replace(TURNS, received=False)),
)
def flag_raised(parts: Parts) -> None:
    *events, last = parts.inputs.events
    rewrite(parts, (*events, msgspec.structs.replace(last, received=1)))


@attack(
    Code.HISTORY_ALTERED,
    "an event that the referee received is passed off as reported, at another time",
    on=lambda: turns(replace(TURNS, keyed=False)),
)
def flag_lowered(parts: Parts) -> None:
    first, *events = parts.inputs.events
    rewrite(parts, (msgspec.structs.replace(first, received=0, time=first.time - 1), *events))


@attack(Code.HISTORY_ALTERED, "the newest receipt is signed by somebody else", on=turns)
def receipt_of_a_stranger_in_a_settlement(parts: Parts) -> None:
    assert not isinstance(parts.inputs.receipt, msgspec.UnsetType)
    forged = msgspec.structs.replace(parts.inputs.receipt, signature=STRANGER.sign(b"whatever").hex())
    parts.inputs = msgspec.structs.replace(parts.inputs, receipt=forged)
    rewrite(parts, parts.inputs.events)


@attack(Code.TIMEOUT_TOO_EARLY, "a seat is timed out a millisecond before its turn ends", on=timed_out)
def timed_out_too_early(parts: Parts) -> None:
    first, second, *others = parts.inputs.events
    revised(parts, (first, msgspec.structs.replace(second, time=second.time - 1), *others))


@attack(
    Code.TIMEOUT_TOO_EARLY, "every seat is timed out right after the deal, so that all cards open", on=checked_twice
)
def all_seats_timed_out_at_the_deal(parts: Parts) -> None:
    one, other = [changed(event, decision="TIMEOUT", seen=None) for event in parts.inputs.events[:2]]
    shown = parts.inputs.unsealed[0]
    all_of_it = msgspec.structs.replace(shown, sections=(2, 3, 4))
    parts.opens = {2: 2}
    revised(parts, (one, other), unsealed=(all_of_it,))
