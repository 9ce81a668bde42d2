"""Attacks on moves that the referee received: a move dropped by its settlement, and receipts made afterwards.

The operator has the referee's key, so it can make any receipt after the round. A receipted event that a player of the
seat did not sign, that starts from another deal or that is dated away from the round counts for nothing.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

import msgspec

from referee.audit import Code, Documents
from referee.cards import Seat
from referee.evidence.encoding import tagged_hash
from referee.games import ultimate_texas as texas
from referee.transcript.chain import Course, sign_receipt
from referee.transcript.receipted import ReceiptedEvent
from tests.audit import audit_attack
from tests.audit.audit_attack import Attacked, begun, ended
from tests.audit.audit_attacks_courses import BOARD, TURNS, decided, timed_out
from tests.audit.audit_builder import REFEREE, STRANGER, LogBuilder, NamedSigner, Parts, Table, dealt_of, settle
from tests.audit.audit_players import Play, Playing, play_mau_binh

mutation = partial(audit_attack.mutation, file="mutations.jsonl")
EARLIER_MS: Final = 10_000
"""Time from a move that was received to the timeout in its place."""
HANDS: Final = Table(name="table-1", ruleset_id="mau_binh.classic", seats=2, keyed=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lapsed:
    """A round, settled and not yet in the log, in which a seat did not act, and an act that it could have made.

    ``events`` are those of the course before the act, which is the last of them; ``time`` is when it was received.
    """

    log: LogBuilder
    parts: Parts
    events: tuple[str, ...]
    time: int

    @property
    def seat(self) -> int:
        """Seat that did not act."""
        seat: int = msgspec.json.decode(self.events[-1])["seat"]
        return seat

    def kept(self, **changes: Any) -> ReceiptedEvent:  # noqa: ANN401 - as ``kept_event`` takes
        """Make the file of the act, as its player and an honest referee make it, or with changes."""
        return kept_event(self.parts, **{"events": self.events, "time": self.time, **changes})

    def holding(self, *kept: ReceiptedEvent) -> Attacked:
        """Return the log with the round and these files."""
        self.log.documents = Documents(event_receipts=tuple([one.to_bytes() for one in kept]))
        return ended(self.log, self.parts)


def kept_event(  # noqa: PLR0913 - what a forger may change
    parts: Parts,
    *,
    events: Sequence[str],
    time: int,
    deck_root: str = "",
    event_hash: str = "",
    referee: NamedSigner = REFEREE,
    seat_key: NamedSigner | None = None,
) -> ReceiptedEvent:
    """Make the file of the last of these events; its seat signs it if it has a key and the event has ``seen``.

    The arguments after ``time`` are for forgers: other keys, another deck root, another hash in the receipt.
    """
    root = bytes.fromhex(deck_root or parts.dealt.deck_root)
    course, members = Course.begin(round_id=parts.header.round_id, deck_root=root), {}
    for text in events:
        members = msgspec.json.decode(text)
        course = course.append(
            text.encode(), time=time, received=True, seat=members.get("seat", 0), seen=members.get("seen")
        )
    receipt = course.receipt(course.number, opens_section=None)
    receipt = msgspec.structs.replace(receipt, event_hash=event_hash or receipt.event_hash)
    seat = members.get("seat", 0)
    is_signed = parts.table.keyed and "seen" in members
    signer = seat_key or parts.table.seat_key(seat)
    signature = signer.sign(course.moves[seat]).hex() if is_signed else ""
    return ReceiptedEvent(events=tuple(events), receipt=sign_receipt(receipt, referee).decode(), signature=signature)


def events_of(parts: Parts, number: int) -> tuple[str, ...]:
    """Return the first events of a round as texts."""
    return tuple([bytes(one.event).decode() for one in parts.inputs.events[:number]])


def act(table: Table, *, seen: int = 0, **members: Any) -> str:  # noqa: ANN401 - members of an event
    """Write an event; with ``seen`` where the table's seats have keys."""
    return msgspec.json.encode(members | ({"seen": seen} if table.keyed else {}), order="sorted").decode()


def turn_lapsed(table: Table = TURNS) -> Lapsed:
    """Time out the second turn of Tien Len; its seat could have left."""
    log, parts = timed_out(table)
    timeout = parts.inputs.events[1]
    left = act(table, kind="LEAVE", seat=msgspec.json.decode(timeout.event)["seat"], seen=1)
    return Lapsed(log=log, parts=parts, events=(*events_of(parts, 1), left), time=timeout.time - EARLIER_MS)


def street_lapsed(table: Table = BOARD) -> Lapsed:
    """Time out every decision of Ultimate Texas; seat 0 could have bet before the flop."""
    log = LogBuilder.founded()
    parts = log.lay_out(table)
    playing = Playing(dealt_of(parts))
    while not playing.state.is_over:
        for seat in range(table.seats):
            playing.do(texas.Event(Seat(seat), texas.Decision.TIMEOUT, playing.state.deadline_time))
    settle(parts, play=playing.end(5))
    bet = act(table, decision="PLAY_4X", kind="DECIDE", seat=0)
    return Lapsed(log=log, parts=parts, events=(bet,), time=parts.dealt.dealt_time + 1)


def arranging_lapsed(table: Table = HANDS) -> Lapsed:
    """Settle an open round of Mau Binh without an arrangement of seat 0, which could have made one."""
    log = LogBuilder.founded()
    parts = log.lay_out(table)
    play: Play = play_mau_binh(dealt_of(parts), random.Random(1), silent=(0,))  # noqa: S311 - the same in every run
    settle(parts, play=play)
    cards = [card.number for card in parts.deal.sections[0]]
    arranged = act(table, back=cards[:5], front=cards[10:], kind="ARRANGE", middle=cards[5:10], seat=0)
    return Lapsed(log=log, parts=parts, events=(arranged,), time=parts.dealt.dealt_time + 1)


def committing_lapsed(table: Table) -> Lapsed:
    """Time out the commitment of seat 2 on a sealed table of Mau Binh, which could have made one."""
    log = LogBuilder.founded()
    parts = log.prepare(table)
    committed = act(table, commitment="11" * 32, kind="COMMIT", seat=2)
    return Lapsed(log=log, parts=parts, events=(committed,), time=parts.dealt.dealt_time + 1)


def kept_moves() -> Attacked:
    """Make a sound log, and the file of each event of its round, a timeout among them."""
    lapsed = turn_lapsed()
    parts = lapsed.parts
    numbers = range(1, len(parts.inputs.events) + 1)
    return lapsed.holding(
        *[
            kept_event(parts, events=events_of(parts, number), time=parts.inputs.events[number - 1].time)
            for number in numbers
        ]
    )


@mutation(Code.MOVE_DROPPED, "a move that the referee received is dropped, and its seat's timeout settled in its place")
def received_move_dropped() -> Attacked:
    lapsed = turn_lapsed()
    return lapsed.holding(lapsed.kept())


@mutation(Code.MOVE_DROPPED, "an arrangement that the referee received is dropped, and the cards count as dealt")
def received_arrangement_dropped() -> Attacked:
    lapsed = arranging_lapsed()
    return lapsed.holding(lapsed.kept())


@mutation(Code.FORKED_RECEIPTS, "a move is received after the timeout that the settlement has in its place")
def move_received_after_its_timeout() -> Attacked:
    lapsed = turn_lapsed()
    return lapsed.holding(lapsed.kept(time=lapsed.time + EARLIER_MS + 1))


@mutation(Code.EVENTS_ALTERED, "a move that the referee received comes after the last event of the settlement")
def move_after_the_last_event() -> Attacked:
    log, parts = begun(BOARD)
    settle(parts, play=decided(parts, texas.Decision.CHECK, texas.Decision.CHECK, texas.Decision.PLAY_1X))
    events = events_of(parts, len(parts.inputs.events))
    settle(parts, play=decided(parts, texas.Decision.PLAY_4X))
    kept = kept_event(parts, events=events, time=parts.inputs.closed_time)
    return Lapsed(log=log, parts=parts, events=events, time=0).holding(kept)


@mutation(Code.FORKED_RECEIPTS, "a receipt after the last event of the settlement comes without the move")
def receipt_after_the_last_event() -> Attacked:
    attacked = move_after_the_last_event()
    kept = msgspec.json.decode(attacked.documents.event_receipts[0], type=ReceiptedEvent)
    return replace(attacked, documents=Documents(event_receipts=(kept.receipt.encode(),)))


@mutation(Code.RECEIPT_REFUSED, "a receipt is shown beside another event than its own")
def receipt_beside_another_event() -> Attacked:
    lapsed = turn_lapsed()
    kept = lapsed.kept()
    events = (*kept.events[:-1], kept.events[-1].replace("LEAVE", "PASS"))
    return lapsed.holding(msgspec.structs.replace(kept, events=events))


@mutation(Code.RECEIPT_REFUSED, "the operator makes a receipt of a move after another deal than this round's")
def receipt_after_another_deal() -> Attacked:
    lapsed = turn_lapsed()
    return lapsed.holding(lapsed.kept(deck_root=tagged_hash("deck-root", b"").hex()))


@mutation(Code.RECEIPT_REFUSED, "the operator makes a receipt of a hash of zeros")
def receipt_of_zeros() -> Attacked:
    lapsed = turn_lapsed()
    return lapsed.holding(lapsed.kept(event_hash="00" * 32))


@mutation(Code.RECEIPT_REFUSED, "the operator dates a receipt to 1970, so that every timeout is later")
def receipt_of_1970() -> Attacked:
    lapsed = turn_lapsed()
    return lapsed.holding(lapsed.kept(time=1))


@mutation(Code.RECEIPT_REFUSED, "the operator makes a receipt of bytes that are no event of a seat")
def receipt_of_junk() -> Attacked:
    lapsed = turn_lapsed()
    return lapsed.holding(lapsed.kept(events=(*lapsed.events[:-1], '{"kind":"JUNK"}')))


@mutation(Code.RECEIPT_REFUSED, "the operator makes a receipt of a move that the seat never signed")
def receipt_without_the_seat() -> Attacked:
    lapsed = turn_lapsed()
    return lapsed.holding(lapsed.kept(seat_key=STRANGER))


@mutation(Code.RECEIPT_REFUSED, "the operator makes a receipt of a move that does not say what its seat had seen")
def receipt_without_what_was_seen() -> Attacked:
    lapsed = turn_lapsed()
    passed = msgspec.json.encode({"kind": "PASS", "seat": lapsed.seat}, order="sorted").decode()
    return lapsed.holding(lapsed.kept(events=(*lapsed.events[:-1], passed)))
