"""Attacks on courses: cards opened along one course and another settled, events unsigned, untimed, unseen or early."""

from dataclasses import replace

import msgspec

from referee.audit import Code
from referee.cards import Seat
from referee.games import tien_len as lon
from referee.games import ultimate_texas as texas
from tests.audit.audit_attack import Attacked, begun, changed, ended, mutation, revised, rewrite
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

FILE = "courses.jsonl"
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


def turns(table: Table) -> tuple[LogBuilder, Parts]:
    """Make a log whose first round has turns."""
    log = LogBuilder.founded()
    parts = log.lay_out(table)
    settle(parts)
    assert parts.inputs is not None
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


@mutation(
    Code.UNSEAL_NOT_IN_COURSE, "cards are opened by decisions that are settled otherwise once they are seen", FILE
)
def settled_another_course_than_was_opened() -> Attacked:
    log, parts = begun(BOARD)
    settle(parts, play=decided(parts, texas.Decision.CHECK, texas.Decision.CHECK, texas.Decision.FOLD))
    seen = parts.unseals
    settle(parts, play=decided(parts, texas.Decision.PLAY_4X))
    parts.unseals = seen
    return ended(log, parts)


@mutation(Code.UNSEAL_NOT_IN_COURSE, "a decision that opened the house's cards is replaced after they were seen", FILE)
def rewound_after_the_last_opening() -> Attacked:
    log, parts = begun(BOARD)
    checked = (texas.Decision.CHECK, texas.Decision.CHECK)
    settle(parts, play=decided(parts, *checked, texas.Decision.FOLD))
    seen = parts.unseals[-1]
    settle(parts, play=decided(parts, *checked, texas.Decision.PLAY_1X))
    parts.unseals = (*parts.unseals[:-1], seen)
    return ended(log, parts)


@mutation(Code.UNSEAL_NOT_IN_COURSE, "the settlement is silent about an opening", FILE)
def opening_left_out_of_the_settlement() -> Attacked:
    log, parts = checked_twice()
    assert parts.inputs is not None
    parts.inputs = msgspec.structs.replace(parts.inputs, unsealed=parts.inputs.unsealed[1:])
    rewrite(parts, parts.inputs.events)
    return ended(log, parts)


@mutation(Code.UNSEAL_NOT_IN_COURSE, "cards are opened before they are dealt", FILE)
def opened_before_the_deal() -> Attacked:
    log, parts = checked_twice()
    log.append(parts, steps="OUDER")
    return ended(log)


@mutation(Code.UNSEAL_NOT_IN_COURSE, "an opening is written down again after the end", FILE)
def opened_after_the_end() -> Attacked:
    log, parts = checked_twice()
    log.append(parts, steps="ODUE")
    log.entries += [parts.unseal_leaves[-1], parts.reveal_leaf]
    return ended(log)


@mutation(Code.UNSEAL_NOT_IN_COURSE, "two courses open cards after events of the same number", FILE)
def opened_along_two_courses() -> Attacked:
    log, parts = checked_twice()
    first = parts.unseal_leaves[0]
    other = replace(parts)
    settle(other, play=decided(parts, texas.Decision.PLAY_4X))
    log.append(parts, steps="OD")
    log.entries += [first, other.unseal_leaves[0], *parts.unseal_leaves[1:]]
    log.append(parts, steps="ER")
    return ended(log)


@mutation(
    Code.OPENED_WITHOUT_UNSEAL, "the cards of every street are in the settlement, and the log never opened them", FILE
)
def settled_without_openings() -> Attacked:
    log, parts = checked_twice()
    log.append(parts, steps="ODER")
    return ended(log)


@mutation(Code.UNSEAL_REFUSED, "the shuffler opens cards without a receipt of the referee", FILE)
def opened_without_a_receipt() -> Attacked:
    log, parts = checked_twice()
    first, *others = parts.unseals
    forged = STRANGER.sign(b"whatever").hex()
    parts.unseals = (msgspec.structs.replace(first, receipt_signature=forged), *others)
    return ended(log, parts)


@mutation(Code.UNSEAL_REFUSED, "the shuffler opens cards by the receipt of another event", FILE)
def opened_by_the_receipt_of_another_event() -> Attacked:
    log, parts = checked_twice()
    first, second, *others = parts.unseals
    parts.unseals = (msgspec.structs.replace(first, receipt_signature=second.receipt_signature), second, *others)
    return ended(log, parts)


def receipted_by_a_key_that_went(*, steps: str) -> Attacked:
    """Make a round whose receipts are by a referee's key that came and went after these steps of the round."""
    other = NamedSigner("referee/2")
    log = LogBuilder([key_leaf(LOG, "log"), key_leaf(SHUFFLER, "shuffler"), key_leaf(other, "referee")])
    parts = log.lay_out(BOARD)
    settle(parts)
    parts.judge = other
    log.append(parts, steps=steps)
    log.entries += [key_leaf(REFEREE, "referee"), key_leaf(REFEREE, "referee", action="REVOKE")]
    log.append(parts, steps="ODUER".removeprefix(steps))
    return ended(log)


@mutation(Code.UNSEAL_REFUSED, "cards open by a receipt of the referee whose key was revoked before the deal", FILE)
def opened_by_a_key_revoked_before_the_deal() -> Attacked:
    return receipted_by_a_key_that_went(steps="O")


@mutation(Code.EVENT_NOT_RECEIVED, "a commitment of a sealed table has the time that the frontend reports", FILE)
def commitment_only_reported() -> Attacked:
    log, parts = begun(SEALED)
    assert parts.inputs is not None
    first, *others = parts.inputs.events
    revised(parts, (msgspec.structs.replace(first, received=0), *others))
    return ended(log, parts)


@mutation(Code.EVENT_NOT_RECEIVED, "the frontend reports that a seat with a key ran out of time", FILE)
def timeout_only_reported() -> Attacked:
    log, parts = timed_out()
    assert parts.inputs is not None
    first, second, *others = parts.inputs.events
    revised(parts, (first, msgspec.structs.replace(second, received=0), *others))
    return ended(log, parts)


@mutation(Code.EVENT_NOT_RECEIVED, "a seat's clock starts at a time that the frontend reports", FILE)
def clock_started_by_a_report() -> Attacked:
    log, parts = timed_out()
    assert parts.inputs is not None
    first, *others = parts.inputs.events
    revised(parts, (msgspec.structs.replace(first, received=0), *others))
    return ended(log, parts)


@mutation(Code.EVENT_UNSIGNED, "the frontend makes up the events of a seat with a key", FILE)
def events_of_a_keyed_seat_unsigned() -> Attacked:
    log, parts = checked_twice()
    assert parts.inputs is not None
    parts.inputs = msgspec.structs.replace(parts.inputs, signatures=("", parts.inputs.signatures[1]))
    rewrite(parts, parts.inputs.events)
    return ended(log, parts)


@mutation(Code.EVENT_UNSIGNED, "the commitments of a sealed table are made up to see the hands", FILE)
def commitment_made_up() -> Attacked:
    log, parts = begun(SEALED)
    assert parts.inputs is not None
    parts.inputs = msgspec.structs.replace(parts.inputs, signatures=("", ""))
    rewrite(parts, parts.inputs.events)
    return ended(log, parts)


@mutation(Code.EVENT_UNSIGNED, "a seat's signature is of another course, in which it decided otherwise", FILE)
def signature_of_another_course() -> Attacked:
    log, parts = begun(BOARD)
    settle(parts, play=decided(parts, texas.Decision.PLAY_3X))
    assert parts.inputs is not None
    other = parts.inputs.signatures
    settle(parts, play=decided(parts, texas.Decision.PLAY_4X))
    parts.inputs = msgspec.structs.replace(parts.inputs, signatures=(parts.inputs.signatures[0], other[1]))
    rewrite(parts, parts.inputs.events)
    return ended(log, parts)


@mutation(Code.EVENT_UNSIGNED, "a seat with a key is reported to have left, in no chain that it signs", FILE)
def departure_without_what_was_seen() -> Attacked:
    log, parts = checked_twice()
    assert parts.inputs is not None
    *events, last = parts.inputs.events
    revised(parts, (*events, changed(last, decision="LEAVE", seen=None)))
    return ended(log, parts)


@mutation(Code.EVENT_UNSIGNED, "a seat without a key is given a signature, which nobody can verify", FILE)
def signature_without_a_key() -> Attacked:
    log, parts = begun(replace(BOARD, keyed=False))
    assert parts.inputs is not None
    parts.inputs = msgspec.structs.replace(parts.inputs, signatures=("00" * 64, ""))
    rewrite(parts, parts.inputs.events)
    return ended(log, parts)


@mutation(Code.SEEN_TOO_LOW, "a seat signs a decision after the flop as if it had seen the deal alone", FILE)
def decided_without_seeing_the_flop() -> Attacked:
    log, parts = checked_twice()
    assert parts.inputs is not None
    events = list(parts.inputs.events)
    events[2] = changed(events[2], seen=0)
    revised(parts, tuple(events))
    return ended(log, parts)


@mutation(Code.SEEN_TOO_LOW, "a seat signs a play without having seen the one that gave it the turn", FILE)
def played_without_seeing_the_turn() -> Attacked:
    log, parts = turns(TURNS)
    assert parts.inputs is not None
    events = list(parts.inputs.events)
    events[1] = changed(events[1], seen=0)
    revised(parts, tuple(events))
    return ended(log, parts)


@mutation(Code.HISTORY_ALTERED, "a reported event is passed off as one that the referee received", FILE)
def flag_raised() -> Attacked:
    log, parts = turns(replace(TURNS, received=False))
    assert parts.inputs is not None
    *events, last = parts.inputs.events
    rewrite(parts, (*events, msgspec.structs.replace(last, received=1)))
    return ended(log, parts)


@mutation(Code.HISTORY_ALTERED, "an event that the referee received is passed off as reported, at another time", FILE)
def flag_lowered() -> Attacked:
    log, parts = turns(replace(TURNS, keyed=False))
    assert parts.inputs is not None
    first, *events = parts.inputs.events
    rewrite(parts, (msgspec.structs.replace(first, received=0, time=first.time - 1), *events))
    return ended(log, parts)


@mutation(Code.HISTORY_ALTERED, "the newest receipt is signed by somebody else", FILE)
def receipt_of_a_stranger_in_a_settlement() -> Attacked:
    log, parts = turns(TURNS)
    assert parts.inputs is not None
    assert not isinstance(parts.inputs.receipt, msgspec.UnsetType)
    forged = msgspec.structs.replace(parts.inputs.receipt, signature=STRANGER.sign(b"whatever").hex())
    parts.inputs = msgspec.structs.replace(parts.inputs, receipt=forged)
    rewrite(parts, parts.inputs.events)
    return ended(log, parts)


@mutation(Code.TIMEOUT_TOO_EARLY, "a seat is timed out a millisecond before its turn ends", FILE)
def timed_out_too_early() -> Attacked:
    log, parts = timed_out()
    assert parts.inputs is not None
    first, second, *others = parts.inputs.events
    revised(parts, (first, msgspec.structs.replace(second, time=second.time - 1), *others))
    return ended(log, parts)


@mutation(Code.TIMEOUT_TOO_EARLY, "every seat is timed out right after the deal, so that all cards open", FILE)
def all_seats_timed_out_at_the_deal() -> Attacked:
    log, parts = checked_twice()
    assert parts.inputs is not None
    one, other = [changed(event, decision="TIMEOUT", seen=None) for event in parts.inputs.events[:2]]
    shown = parts.inputs.unsealed[0]
    all_of_it = msgspec.structs.replace(shown, sections=(2, 3, 4))
    parts.opens = {2: 2}
    revised(parts, (one, other), unsealed=(all_of_it,))
    return ended(log, parts)
