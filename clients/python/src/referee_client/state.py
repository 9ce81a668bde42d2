"""A frontend's state of a round: data that it received and verified.

Cards are here only if a certificate opened them; hashes are computed, never taken from the server.
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
from referee_client.errors import BadRequestError, VerificationError
from referee_client.event import Event, appended
from referee_client.receipts import write_receipts
from referee_client.seat import SeatSecrets
from referee_client.seat_chain import SeatChain
from referee_client.terms import Terms
from referee_client.trust import Proved

RoundMessage = TypeVar("RoundMessage")
"""A game's message class for a round."""
Outcome = TypeVar("Outcome")


class Stage(enum.StrEnum):
    """Stage of a round that this client knows of; a round ends SETTLED or ABORTED, and is REVEALED afterwards."""

    NEW = "NEW"
    """Nothing was asked of the server."""
    PREPARED = "PREPARED"
    """The header is known; nothing is in the log."""
    OPENED = "OPENED"
    """OPEN is in the log."""
    DEALT = "DEALT"
    """DEAL is in the log, and the round is played."""
    SETTLED = "SETTLED"
    """SETTLE is in the log."""
    ABORTED = "ABORTED"
    """ABORT is in the log."""
    REVEALED = "REVEALED"
    """The server's seed is public."""


_ORDER: Final = list(Stage)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unanswered:
    """An event that was sent and not answered, as bytes of its message; the referee may have given a receipt for it."""

    event: bytes
    signature: bytes
    sent_time: int
    """Time at which it was first sent, by this machine's clock, in ms since 1970 UTC."""


@dataclass(frozen=True, slots=True)
class Settled(Generic[Outcome]):
    """Result of ``settle``: the settled round, or ``violations`` that say why it was not settled.

    With ``violations`` all other members are absent.
    """

    violations: tuple[Violation, ...] = ()
    """Reasons why the round cannot be settled yet, each with its text in Vietnamese and English."""
    outcome: Outcome | None = None
    """The game's outcome, with ``transfers`` and ``seats``; amounts in minor units."""
    receipt: Proved | None = None
    """The SETTLE leaf, which is proved to be in the log."""
    is_replayed: bool = False
    """Whether this client computed the transcript again by the rules, with an equal result.

    False only if the ruleset could not be read.
    """

    @property
    def result(self) -> Outcome:
        """Outcome of the round; raise ValueError if it was not settled."""
        if self.outcome is None:
            raise ValueError(f"the round was not settled: {', '.join(violation.code for violation in self.violations)}")
        return self.outcome


@dataclass(frozen=True, slots=True)
class Revealed:
    """Result of ``reveal``: the server's seed, and the cards that it deals again."""

    server_seed: bytes
    """The server's seed of 32 bytes, verified against its commitment in OPEN."""
    sections: tuple[tuple[Card, ...], ...]
    """All cards by section, dealt again from the seeds: the hands in the order of the seats, then the board.

    Empty for a round that was not dealt.
    """
    receipt: Proved
    """The REVEAL leaf, which is proved to be in the log."""


@dataclass(slots=True, kw_only=True)
class RoundState(Generic[RoundMessage]):
    """State of a round. Members that are not known yet are empty, None or zero."""

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
    """Times in ms at which sections were opened after the deal, by section."""
    chains: dict[int, SeatChain] = field(default_factory=dict)
    stage: Stage = Stage.NEW
    seeds: Sequence[bytes] = ()
    """Seeds that the caller gave to ``deal``; the next member has their signatures."""
    seed_signatures: Sequence[bytes] = ()
    unanswered: Unanswered | None = None
    lapses: str = ""
    """Reason why the round can only lapse; empty if it can continue."""
    is_partial: bool = False
    """Whether the course may lack events, because the round was resumed without a journal."""
    arrangements: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """Arrangements that seats of a sealed table committed to, by seat: thirteen card numbers, back, middle, front."""
    private: dict[int, tuple[bytes, tuple[Card, ...]]] = field(default_factory=dict)
    """Hands of a sealed table that seats of this client opened, by seat: the certificate and the cards."""
    clock_differences: list[ClockDifference] = field(default_factory=list)
    receipted_events: list[ReceiptedEvent] = field(default_factory=list)
    asked_time: int = 0
    """Time at which this client first called for the round, by this machine's clock; 0 if another process did."""
    seeds_shown_time: int = 0
    """Time at which it first sent a seed of its own seats; 0 before."""
    event_sent_time: int = 0
    """Time at which it sent its newest accepted event; 0 if there is none."""


class RoundView(Generic[RoundMessage]):
    """Properties of a round for its frontend, read from the state; the base of both clients' rounds."""

    def __init__(self, state: RoundState[RoundMessage]) -> None:
        self.state: RoundState[RoundMessage] = state
        self._read: tuple[list[bytes], Course] | None = None
        """The events of the course that was computed last, and that course."""

    @property
    def header(self) -> Header:
        """The round's header with its full terms; raise ValueError before the round was prepared."""
        if self.state.header is None:
            raise ValueError(
                f"this round of table {self.state.terms.table} was not opened by this object: call open() first, or "
                "client.resume(table) to go on with a round that was opened before"
            )
        return self.state.header

    @property
    def stage(self) -> Stage:
        """The round's stage, as far as this client knows."""
        return self.state.stage

    @property
    def lapses(self) -> str:
        """Reason why the resumed round can only lapse; empty if it can continue."""
        return self.state.lapses

    @property
    def clock_differences(self) -> Sequence[ClockDifference]:
        """Times of the round that differ from this machine's clock by more than ten seconds, in the order found.

        They may mean that a wrong clock timed out a seat: keep them, with the log's receipts, as evidence for a
        complaint.
        """
        return tuple(self.state.clock_differences)

    @property
    def receipted_events(self) -> Sequence[ReceiptedEvent]:
        """Events with a receipt of their own, in the order in which this client received them."""
        return tuple(self.state.receipted_events)

    def write_receipts(self, folder: "str | os.PathLike[str]") -> list[Path]:
        """Write each receipted event to a file, which proves that the referee received the move; return the paths.

        ``referee audit --receipt FILE`` reads such a file. A file that exists is left as it is. Give each player the
        files of its own moves.
        """
        return write_receipts(folder, self.receipted_events, stem=f"{self.table}.round-{self.number}")

    def _reach(self, stage: Stage) -> None:
        """Set the stage, unless the round has reached a later one."""
        self.state.stage = max(self.state.stage, stage, key=_ORDER.index)

    @property
    def table(self) -> str:
        """Id of the table."""
        return self.state.terms.table

    @property
    def number(self) -> int:
        """The round's number at its table, from 1."""
        return self.header.round_number

    @property
    def ref(self) -> round_pb2.RoundRef:
        """Table and number as a message, which names the round in a request."""
        return round_pb2.RoundRef(table_id=self.table, round_number=self.number)

    @property
    def round_id(self) -> bytes:
        """Hash of the header; 32 bytes."""
        return self.header.round_id

    @property
    def secrets(self) -> Mapping[int, SeatSecrets]:
        """The secrets of the seats that play through this client."""
        return self.state.secrets

    @property
    def is_sealed(self) -> bool:
        """Whether the table is sealed: each hand is shown only to its own seat until all hands open."""
        return bool(self.state.tokens)

    @property
    def hands(self) -> dict[int, tuple[Card, ...]]:
        """The hands that are open to this frontend, by seat, each in the order dealt."""
        return {seat: self.state.sections[seat] for seat in self.layout.hands if seat in self.state.sections}

    @property
    def board(self) -> dict[str, tuple[Card, ...]]:
        """The open cards by name: ``flop``, ``turn_river`` and ``house``; empty in a game without a board."""
        if not self.layout.has_board:
            return {}
        places = {name: self.layout.board(name) for name in ("flop", "turn_river", "house")}
        return {name: self.state.sections[at] for name, at in places.items() if at in self.state.sections}

    @property
    def layout(self) -> Layout:
        """The layout: which places of the deck form each hand and the board."""
        return game_of(self.header.ruleset_id).layout(self.header.seat_count)

    @property
    def dealt_time(self) -> int:
        """Time of the deal in ms since 1970 UTC, from which the game's clocks count; 0 before it."""
        return self.state.dealt_time

    @property
    def leader(self) -> int | None:
        """The seat that leads, as DEAL names it; None before the deal and in a game without a leader."""
        return None if self.state.lead is None else self.state.lead[0]

    @property
    def leader_by(self) -> LeaderBy | None:
        """Reason of the lead: the seat won the last round, was drawn, or has the lowest card. None without a leader."""
        return None if self.state.lead is None else self.state.lead[1]

    @property
    def message(self) -> RoundMessage:
        """The round's message, which calls about the round send; append only events that the referee accepted."""
        return self.state.message

    @property
    def server_commitment(self) -> bytes:
        """The server's commitment to its seed, from OPEN; 32 bytes. Raise ValueError before the round was opened."""
        if self.state.opened is None:
            raise ValueError("the round was not opened")
        return self.state.opened.server_commitment

    @property
    def deck_root(self) -> bytes:
        """Root of the tree of the deck's cards, from DEAL; 32 bytes, empty before the deal."""
        return self.state.deck_root

    @property
    def unsealed_time(self) -> int:
        """Time in ms since 1970 UTC at which cards were opened last after the deal; 0 before any were."""
        return max(self.state.unsealed.values(), default=0)

    @property
    def open_receipt(self) -> Proved | None:
        """The OPEN leaf, which is proved to be in the log; None before it."""
        return self.state.open_leaf

    @property
    def deal_receipt(self) -> Proved | None:
        """The DEAL leaf, which is proved to be in the log; None before it."""
        return self.state.deal_leaf

    @property
    def course(self) -> Course:
        """The course so far: the events with the hashes that receipts and seats sign."""
        return self._course_of(self._given.events)

    @property
    def chains(self) -> Mapping[int, SeatChain]:
        """By seat, the chains of the seats with a key in this client; empty before the deal."""
        return self.state.chains

    def restore_chain(self, seat: int, saved: bytes) -> None:
        """Restore a seat's chain from the bytes of ``SeatChain.save``; raise ValueError for those of another seat."""
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
        except (BadRequestError, ValueError) as error:
            raise VerificationError(f"the events make no course: {error}") from None
        self._read = texts, course
        return course
