"""A round being played, whatever the game: what a room asks of it.

A play holds the round as the referee's own message and appends to it what the referee accepts. It judges nothing: whose
turn it is, what is lawful and when it is over are the referee's answers, and clocks are the ruleset's.
"""

import base64
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import grpc
import msgspec
from referee_client.event import event_bytes

from referee.evidence.dsse import Envelope
from referee.transcript.chain import FORM, Course
from referee.transcript.receipted import receipted_event
from referee.v1 import money_pb2, round_pb2, shuffler_pb2, violation_pb2
from referee_table.bots import Thinking
from referee_table.cards import texts
from referee_table.clock import Clock
from referee_table.commands import InRound, Leave
from referee_table.judge import Answer, Judge, Request
from referee_table.laws import Law
from referee_table.signing import Signed, keep_signature, shown_course, sign_event
from referee_table.state import Round
from referee_table.wording import Code, RefusedError, present, text

Own = TypeVar("Own", bound=msgspec.Struct)

LATE: Final = frozenset({"DEADLINE_PASSED", "COMMITTING_OVER", "SHOWDOWN_STARTED", "ROUND_OVER"})
RETRY_MS: Final = 250
"""After what time the referee is asked again whether a deadline has passed, where its clock is behind the table's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Times of a table, in milliseconds. A brisk table settles without waiting for a show.

    ``sums_ms`` is how long the sums of a show stay before the round is settled, ``scene_ms`` how long a hand that wins
    at the deal is shown, and the end of any round before the clock for being ready starts.
    """

    bot_ms: int = 900
    bind_ms: int = 5_000
    ready_ms: int = 20_000
    away_ms: int = 60_000
    sums_ms: int = 4_000
    scene_ms: int = 6_000
    is_brisk: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """Parts that all rounds of a room share."""

    judge: Judge
    law: Law
    clock: Clock
    pace: Pace
    entropy: Callable[[int], bytes]
    is_sealed: bool


@dataclass(frozen=True, slots=True)
class Settled:
    """A settled round: its record for pages, and its leaf in the log. ``nets`` goes by seat, ``winner`` is one."""

    shown: dict[str, Any]
    nets: list[int]
    winner: int | None
    log_receipt: round_pb2.LogReceipt


class Play(ABC):
    """One round of one game from its deal to its settlement."""

    message: Any
    """The round so far: the game's own message."""
    state: msgspec.Struct
    """What is kept of the round besides its message: the game's own struct."""
    service: Any
    """Stub of the game's service."""
    accept_request: Callable[..., Any]
    settle_request: Callable[..., Any]
    """The game's own requests to accept an event and to settle."""

    def __init__(self, bench: Bench, played: Round) -> None:
        self.bench = bench
        self.round = played
        self.again = 0
        self.thinking = Thinking(bench.clock)
        self.header = round_pb2.RoundHeader.FromString(played.header)

    async def ask(self, call: "grpc.UnaryUnaryMultiCallable[Request, Answer]", request: Request) -> Answer:
        """Ask the referee."""
        return await self.bench.judge.ask(call, request)

    def own(self, kind: type[Own]) -> Own:
        """Return what was kept of the round besides its message; a new ``kind`` for a round that is not dealt yet."""
        kept = self.round.own
        if kept is None:
            return kind()
        return kept if isinstance(kept, kind) else msgspec.convert(kept, kind)

    @property
    def phase(self) -> str:
        """The room's phase."""
        return "PLAYING"

    @property
    @abstractmethod
    def deadline(self) -> int | None:
        """Time in ms until which seats may act; None if no seat is waited for."""

    @property
    @abstractmethod
    def wake(self) -> int:
        """Time in ms at which ``advance`` has something to do without a command."""

    @property
    @abstractmethod
    def is_over(self) -> bool:
        """Whether the round is to be settled now."""

    def skip(self) -> None:
        """End the show now."""
        raise AssertionError("this game has no show")

    @abstractmethod
    async def begin(self, dealt: shuffler_pb2.DealRoundResponse) -> None:
        """Begin the round at its deal."""

    @abstractmethod
    async def command(self, seat: int, command: InRound) -> dict[str, Any]:
        """Carry out a seat's command and return its result."""

    @abstractmethod
    async def leave(self, seat: int, move: Leave) -> None:
        """Record that the seat has left the round; one that has a key and did not sign that runs out of time."""

    @abstractmethod
    async def advance(self) -> None:
        """Do what is due now: bots' moves, one at a time, and passed deadlines."""

    async def opened(self, opened: shuffler_pb2.OpenSectionResponse) -> None:
        """Go on with cards that have opened; in this game none opens after the deal."""
        raise AssertionError(f"{opened.opened} opened in a game whose cards all open at the deal")

    async def settle(self) -> Settled | None:
        """Settle the round; return None if the referee does not find it over yet, and ask again soon."""
        settled = await self.ask(self.service.SettleRound, self.settle_request(round=self.message))
        if settled.violations:
            self.again = self.bench.clock.now() + RETRY_MS
            return None
        outcome = settled.outcome
        nets = [int(one.net_minor) for one in outcome.seats]
        return Settled(self.shown_outcome(outcome), nets, self.winner_of(outcome), settled.log_receipt)

    @abstractmethod
    def shown_outcome(self, outcome: Any) -> dict[str, Any]:  # noqa: ANN401 - the game's own outcome
        """Return the outcome of the settled round as pages read it."""

    def winner_of(self, outcome: Any) -> int | None:  # noqa: ANN401 - the game's own outcome
        """Return the seat that won; None in a game whose seats play the house."""
        return next((one.seat for one in outcome.seats if one.winner), None)

    def freeze(self) -> None:
        """Copy everything that this object has into the round's state."""
        self.round.message = self.message.SerializeToString()
        self.round.own = self.state

    def certificates(self) -> list[bytes]:
        """Return the certificates of the round so far."""
        return list(self.message.certificates)

    @abstractmethod
    def view(self, seat: int | None) -> dict[str, Any]:
        """Return what one seat sees of the round, or a spectator."""

    @abstractmethod
    def events(self) -> list[dict[str, Any]]:
        """Return the events in order, for a replay; only for a round that is over."""

    def is_bot(self, seat: int) -> bool:
        """Return whether a bot has this seat."""
        return self.round.seats[seat].is_bot

    async def hand_certificate(self, seat: int) -> tuple[bytes, list[int]]:
        """Fetch a bot's own certificate and hand on a sealed table, by the bot's token."""
        judge = self.bench.judge
        request = shuffler_pb2.OpenHandRequest(
            round={"table_id": self.round.table, "round_number": self.round.number},
            seat=seat,
            token=self.round.tokens[seat],
        )
        opened = await judge.ask(judge.shuffler.OpenHand, request)
        return opened.certificate, list(opened.hand.cards)

    @property
    def is_public(self) -> bool:
        """Whether every seat may see all events."""
        return True

    def sign(self, event: Any, move: Signed | None) -> bytes:  # noqa: ANN401 - the game's own event
        """Return the signature of an event's seat, empty for one without a key; note in the event what it had seen."""
        return sign_event(
            self.round, event, self._course(), move=move, has_seen_all=self.is_public, encode=self.event_bytes
        )

    def course(self, seat: int | None) -> dict[str, Any]:
        """Return what a seat with a key signs on; nothing for other seats and spectators."""
        if seat is None or not self.round.seats[seat].key:
            return {}
        shown = shown_course(self.round, self.message, seat, is_whole=self.is_public, encode=self.event_bytes)
        return {"course": shown}

    def event_bytes(self, event: Any) -> bytes:  # noqa: ANN401 - the game's own event
        """Return the canonical bytes of an event, as the referee's chain of events has them.

        The SDK knows the built-in games; a play of another game encodes its own events.
        """
        return event_bytes(event)

    def _course(self) -> Course:
        """Return the course that the events make."""
        course = Course.begin(round_id=self.round.round_id, deck_root=self.round.deck_root)
        for event in self.message.events:
            seen = event.seen if event.HasField("seen") else None
            encoded = self.event_bytes(event)
            course = course.append(encoded, time=event.time, received=event.received, seat=event.seat, seen=seen)
        return course

    def receipt(self) -> dict[str, Any]:
        """Return the receipt of the newest event, as the answer to the command that made it.

        ``kept`` is the file that proves the move. It holds all events so far, so it is left out while these are secret.
        """
        message, made = self.message, self.round
        number = len(message.events)
        answer = {
            "number": number,
            "receipt": base64.b64encode(message.receipt).decode(),
            "round_id": made.round_id.hex(),
        }
        return answer | ({"kept": self.kept(number, message.receipt)} if self.is_public else {})

    def kept(self, number: int, receipt: bytes) -> str:
        """Return the file that proves a seat's newest move: the events up to it, its receipt and its signature."""
        event = self.message.events[number - 1]
        signature = self.message.signatures[event.seat] if event.HasField("seen") else b""
        return receipted_event(self._course(), number, receipt, signature=signature).to_bytes().decode()

    async def submit(
        self,
        event: Any,  # noqa: ANN401 - the game's own event
        move: Signed | None = None,
        *,
        is_timeout: bool = False,
    ) -> Any:  # noqa: ANN401 - the game's own answer
        """Have the referee accept an event, which its seat signs unless its time ran out, and keep it.

        Raise RefusedError for an event that breaks rules.
        """
        signature = b"" if is_timeout else self.sign(event, move)
        request = self.accept_request(round=self.message, event=event, signature=signature)
        answer = await self.ask(self.service.AcceptEvent, request)
        if not answer.event_number:
            raise self.refusal(answer.violations)
        self._keep(answer, signature)
        return answer

    def _keep(self, answer: Any, signature: bytes) -> None:  # noqa: ANN401 - the game's own answer
        """Append an accepted event and its seat's signature to the round; its receipt replaces the one before."""
        keep_signature(self.message, answer.event.seat, signature, seats=len(self.round.seats))
        self.message.events.append(answer.event)
        self.message.receipt = answer.receipt
        receipt = FORM.read(Envelope.parse(answer.receipt).payload)
        self.round.event_hashes.append(bytes.fromhex(receipt.event_hash))
        self.round.is_opening_due = receipt.opens_section is not msgspec.UNSET

    async def open_due(self) -> None:
        """Open the cards that the newest receipt opens; the room has stored that receipt by now.

        Cards open for one course only, so a receipt that was lost with the process could not be replaced.
        """
        judge, events = self.bench.judge, self.message.events
        request = shuffler_pb2.OpenSectionRequest(
            round={"table_id": self.round.table, "round_number": self.round.number},
            steps=[
                shuffler_pb2.Step(event_hash=event_hash, time=event.time, received=event.received)
                for event_hash, event in zip(self.round.event_hashes, events, strict=True)
            ],
            receipt=self.message.receipt,
        )
        opened = await judge.ask(judge.shuffler.OpenSection, request)
        self.message.certificates[:] = [opened.certificate]
        if opened.hands:
            self.round.hands = [list(hand.cards) for hand in opened.hands]
        self.round.is_opening_due = False
        await self.opened(opened)

    def text(self, message: Any) -> dict[str, str]:  # noqa: ANN401 - a Text of the API
        """Return words of the referee with the names of this round's people."""
        return text(message, [one.name for one in self.round.seats])

    def violations(self, violations: Iterable[violation_pb2.Violation]) -> list[dict[str, Any]]:
        """Return broken rules as pages read them."""
        return [
            {"code": one.code, "text": self.text(one.text)}
            | present(one, "seat", "expected", "found", "deadline_time")
            | {name: texts(cards) for name, cards in (("cards", one.cards), ("against", one.against)) if cards}
            for one in violations
        ]

    def refusal(self, violations: Iterable[violation_pb2.Violation]) -> RefusedError:
        """Return the refusal of a command that breaks rules."""
        given = self.violations(violations)
        is_late = any(one["code"] in LATE for one in given)
        return RefusedError(Code.TOO_LATE if is_late else Code.UNLAWFUL, violations=given)

    def shown_instant_win(self, pattern: str) -> dict[str, Any]:
        """Return the name of the pattern by which a hand won at the deal; nothing for an empty one."""
        return {"instant_win_name": self.bench.law.name("pattern", pattern)} if pattern else {}

    def transfers(self, transfers: Iterable[money_pb2.Transfer]) -> list[dict[str, Any]]:
        """Return the transfers for the page, each with the name of its reason."""
        word = self.bench.law.word
        return [
            {
                "payer": one.payer,
                "payee": one.payee,
                "amount_minor": one.amount_minor,
                "reason": one.reason,
                "reason_name": word(one.reason),
            }
            | ({"subject": one.subject, "subject_name": word(one.subject)} if one.subject else {})
            for one in transfers
        ]
