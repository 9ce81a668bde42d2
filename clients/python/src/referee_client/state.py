"""What a frontend holds of a round: everything that it was given and has checked, and nothing that it must not know.

Cards stand here only as certificates opened them; hashes are computed, never believed.
"""

import enum
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from referee.cards import Card
from referee.dealing.header import Header
from referee.dealing.lead import Lead
from referee.games import Layout, LeaderBy, game_of
from referee.transcript.chain import Course
from referee.transcript.receipted import ReceiptedEvent
from referee.v1 import round_pb2, shuffler_pb2
from referee.v1.violation_pb2 import Violation
from referee_client.clock import ClockDifference
from referee_client.errors import VerificationError
from referee_client.event import Event, appended
from referee_client.receipts import write_receipts
from referee_client.seat import SeatSecrets
from referee_client.seat_chain import SeatChain
from referee_client.terms import Terms
from referee_client.trust import Proved

RoundMessage = TypeVar("RoundMessage")
"""The game's message of a round so far."""
Outcome = TypeVar("Outcome")


class Stage(enum.StrEnum):
    """How far a round has got, as this client knows; a round ends SETTLED or ABORTED, and is REVEALED afterwards."""

    NEW = "NEW"
    PREPARED = "PREPARED"
    OPENED = "OPENED"
    DEALT = "DEALT"
    SETTLED = "SETTLED"
    ABORTED = "ABORTED"
    REVEALED = "REVEALED"


_ORDER: Final = list(Stage)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unanswered:
    """An event that was sent and not answered, as bytes of its message: a receipt may have been given for it."""

    event: bytes
    signature: bytes
    sent_time: int
    """When it was first sent, by this machine's clock, in ms since 1970 UTC."""


@dataclass(frozen=True, slots=True)
class Settled(Generic[Outcome]):
    """A round that was settled, or ``violations`` that say why it was not; then all else is absent.

    ``receipt`` is the SETTLE leaf, shown to stand in the log. ``is_replayed`` says that the whole transcript was made
    again from what was given, by the rules, and came out the same; False only where the ruleset could not be read.
    """

    violations: tuple[Violation, ...] = ()
    outcome: Outcome | None = None
    receipt: Proved | None = None
    is_replayed: bool = False

    @property
    def result(self) -> Outcome:
        """Result of the round; ValueError if it was not settled."""
        if self.outcome is None:
            raise ValueError(f"the round was not settled: {', '.join(violation.code for violation in self.violations)}")
        return self.outcome


@dataclass(frozen=True, slots=True)
class Revealed:
    """The server's seed, shown to be the one committed to, and all cards by section, dealt again from it."""

    server_seed: bytes
    sections: tuple[tuple[Card, ...], ...]
    receipt: Proved


@dataclass(slots=True, kw_only=True)
class RoundState(Generic[RoundMessage]):
    """A round. What is not known yet is empty, None or zero."""

    terms: Terms
    secrets: Mapping[int, SeatSecrets]
    seat_keys: Sequence[bytes]
    message: RoundMessage
    header: Header | None = None
    header_message: round_pb2.RoundHeader = field(default_factory=round_pb2.RoundHeader)
    commitments: Sequence[bytes] = ()
    tokens: Sequence[bytes] = ()
    opened: shuffler_pb2.OpenRoundResponse | None = None
    open_leaf: Proved | None = None
    deal_leaf: Proved | None = None
    client_seeds: tuple[bytes, ...] = ()
    deck_root: bytes = b""
    mixed: bytes = b""
    dealt_time: int = 0
    lead: Lead | None = None
    sections: dict[int, tuple[Card, ...]] = field(default_factory=dict)
    unsealed: dict[int, int] = field(default_factory=dict)
    """When each section opened that opened after the deal."""
    chains: dict[int, SeatChain] = field(default_factory=dict)
    stage: Stage = Stage.NEW
    seeds: Sequence[bytes] = ()
    """Seeds that were given to ``deal``, and their signatures."""
    seed_signatures: Sequence[bytes] = ()
    unanswered: Unanswered | None = None
    lapses: str = ""
    """Why the round can only lapse; empty where it goes on."""
    is_partial: bool = False
    """Whether events may be missing in the course, because the round was resumed without a journal."""
    arrangements: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """Arrangements that seats of a sealed table committed to: thirteen card numbers, back, middle, front."""
    private: dict[int, tuple[bytes, tuple[Card, ...]]] = field(default_factory=dict)
    """On a sealed table, hands that their own seats opened, each with its certificate."""
    clock_differences: list[ClockDifference] = field(default_factory=list)
    receipted_events: list[ReceiptedEvent] = field(default_factory=list)
    asked_time: int = 0
    """When this client first asked for the round, by this machine's clock; 0 where another process did."""
    seeds_shown_time: int = 0
    """When it first showed a seed of its own seats; 0 before."""
    event_sent_time: int = 0
    """When it sent the newest event that it had accepted; 0 for none."""


class RoundView(Generic[RoundMessage]):
    """A round as its frontend reads it; both clients' rounds are views of the same state."""

    def __init__(self, state: RoundState[RoundMessage]) -> None:
        self.state: RoundState[RoundMessage] = state
        self._read: tuple[list[bytes], Course] | None = None
        """The events of the course that was computed last, and that course."""

    @property
    def header(self) -> Header:
        """The round's terms in full; ValueError before it was prepared."""
        if self.state.header is None:
            raise ValueError(
                f"this round of table {self.state.terms.table} was not opened by this object: call open() first, or "
                "client.resume(table) to go on with a round that was opened before"
            )
        return self.state.header

    @property
    def stage(self) -> Stage:
        """How far the round has got, as this client knows."""
        return self.state.stage

    @property
    def lapses(self) -> str:
        """Why the round can only lapse after it was resumed; empty where it goes on."""
        return self.state.lapses

    @property
    def clock_differences(self) -> Sequence[ClockDifference]:
        """Times of the round that differ from this machine's clock by more than ten seconds, in the order found.

        Such a round's clocks may have run out by a wrong clock: keep them, with the log's receipts, for a complaint.
        """
        return tuple(self.state.clock_differences)

    @property
    def receipted_events(self) -> Sequence[ReceiptedEvent]:
        """Events with a receipt of their own, in the order in which this client got them."""
        return tuple(self.state.receipted_events)

    def write_receipts(self, folder: "str | os.PathLike[str]") -> list[Path]:
        """Write each receipted event to a file of its own, which proves that the referee received the move.

        ``referee audit --receipt FILE`` takes it. A file that is there stays as it is. Give each player its own.
        """
        return write_receipts(folder, self.receipted_events, stem=f"{self.table}.round-{self.number}")

    def _reach(self, stage: Stage) -> None:
        """Note a stage; a step that is repeated changes nothing."""
        self.state.stage = max(self.state.stage, stage, key=_ORDER.index)

    @property
    def table(self) -> str:
        """The table's name."""
        return self.state.terms.table

    @property
    def number(self) -> int:
        """The round's number at its table, from 1."""
        return self.header.round_number

    @property
    def round_id(self) -> bytes:
        """The hash of the terms; 32 bytes."""
        return self.header.round_id

    @property
    def secrets(self) -> Mapping[int, SeatSecrets]:
        """The secrets of the seats that play through this client."""
        return self.state.secrets

    @property
    def is_sealed(self) -> bool:
        """Whether each seat alone sees its hand until the hands open."""
        return bool(self.state.tokens)

    @property
    def hands(self) -> dict[int, tuple[Card, ...]]:
        """The hands that lie open to this frontend, by seat, each in the order dealt."""
        return {seat: self.state.sections[seat] for seat in self.layout.hands if seat in self.state.sections}

    @property
    def board(self) -> dict[str, tuple[Card, ...]]:
        """What lies open of ``flop``, ``turn_river`` and ``house``."""
        if not self.layout.has_board:
            return {}
        places = {name: self.layout.board(name) for name in ("flop", "turn_river", "house")}
        return {name: self.state.sections[at] for name, at in places.items() if at in self.state.sections}

    @property
    def layout(self) -> Layout:
        """Which cards of the deck belong together."""
        return game_of(self.header.ruleset_id).layout(self.header.seat_count)

    @property
    def dealt_time(self) -> int:
        """When it was dealt, in ms since 1970 UTC; the game's clocks count from here. 0 before."""
        return self.state.dealt_time

    @property
    def leader(self) -> int | None:
        """The seat that leads, by the log and the deal; None in a game without a leader."""
        return None if self.state.lead is None else self.state.lead.seat

    @property
    def leader_by(self) -> LeaderBy | None:
        """Why that seat leads: it won before, was drawn, or was dealt the lowest card."""
        return None if self.state.lead is None else self.state.lead.by

    @property
    def message(self) -> RoundMessage:
        """The round as every question about it carries it; add to its events only what the referee accepted."""
        return self.state.message

    @property
    def open_receipt(self) -> Proved | None:
        """The OPEN leaf, shown to stand in the log."""
        return self.state.open_leaf

    @property
    def deal_receipt(self) -> Proved | None:
        """The DEAL leaf, shown to stand in the log."""
        return self.state.deal_leaf

    @property
    def course(self) -> Course:
        """The events so far, with the hashes that receipts and seats sign."""
        return self._course_of(self._given.events)

    @property
    def chains(self) -> Mapping[int, SeatChain]:
        """The chains of the seats that have a key in this client, from the deal on; save those that must outlive it."""
        return self.state.chains

    def restore_chain(self, seat: int, saved: bytes) -> None:
        """Go on with a seat's chain as ``SeatChain.save`` returned it."""
        self.state.chains[seat] = SeatChain.restore(self.secrets[seat], saved)

    @property
    def _given(self) -> Any:  # noqa: ANN401 - the game's own message
        return self.state.message

    def _course_of(self, events: Iterable[Event]) -> Course:
        """Compute the course of some events, from the one that was computed last if they continue it."""
        given = list(events)
        texts = [event.SerializeToString() for event in given]
        course, start = Course.begin(round_id=self.round_id, deck_root=self.state.deck_root), 0
        if (
            self._read is not None
            and self._read[1].start == course.start
            and texts[: len(self._read[0])] == self._read[0]
        ):
            course, start = self._read[1], len(self._read[0])
        try:
            for event in given[start:]:
                course = appended(course, event)
        except ValueError as error:
            raise VerificationError(f"the events make no course: {error}") from None
        self._read = texts, course
        return course
