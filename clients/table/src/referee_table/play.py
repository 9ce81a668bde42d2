"""A round being played, whatever the game: what a room asks of it.

A play has the SDK's round and what pages see of it. It judges nothing: whose turn it is, what is lawful and when it is
over are the referee's answers, and clocks are the ruleset's.
"""

import base64
import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Final

import grpc
import msgspec
from referee_client import AsyncClient, Proved, RefereeError, event_bytes

from referee.v1 import money_pb2, violation_pb2
from referee_table.clock import Clock, SystemClock
from referee_table.commands import InRound, Leave, Move
from referee_table.law import Law
from referee_table.shown import fields, texts
from referee_table.state import PlayState, Round
from referee_table.thinking import Thinking
from referee_table.words import RefusedError, Text, for_people

LATE: Final = frozenset({"DEADLINE_PASSED", "COMMITTING_OVER", "SHOWDOWN_STARTED", "ROUND_OVER"})
PAGE: Final = Path(__file__).parent / "page"
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
class Plan:
    """Options of a table server. ``folder`` is where rooms are stored, ``page`` that of the page that it serves.

    ``token`` and ``credentials`` are for a referee that asks for them, as the SDK has them; ``tenant`` is whom they
    act for. ``hosts`` are names that it answers for, besides those of this machine and each connection's address.
    """

    referee: str
    folder: Path
    gateway: str | None = None
    token: str = ""
    tenant: str = ""
    credentials: grpc.ChannelCredentials | None = None
    page: Path = PAGE
    hosts: tuple[str, ...] = ()
    pace: Pace = field(default_factory=Pace)
    clock: Clock = field(default_factory=SystemClock)
    entropy: Callable[[int], bytes] = secrets.token_bytes


@dataclass(frozen=True, slots=True)
class Setup:
    """What all rounds of a room share."""

    plan: Plan
    client: AsyncClient
    law: Law
    is_sealed: bool


class Play(ABC):
    """One round of one game from its deal to its settlement. The class is the game's registration at the table.

    ``game`` is the SDK's round, ``message`` its message.
    """

    name: ClassVar[str]
    """Name of the game's rulesets, of the SDK's game, and of its member of views."""
    can_seal: ClassVar[bool] = False
    """Whether a table may deal hands that only their seats can open."""
    is_seated_by_referee: ClassVar[bool] = False
    """Whether its rulesets have rules of seating and a clock for being ready."""
    has_bets: ClassVar[bool] = False
    """Whether each seat chooses an Ante and Trips before the deal, which are its stakes."""
    leaving: ClassVar[Mapping[str, Any]] = {"leave": {}}
    """Fields of the event by which a seat leaves."""
    round_ms: ClassVar[int | None] = None
    """How long a round may last, if longer than the referee's limit."""
    state_type: ClassVar[type[PlayState]] = PlayState

    def __init__(self, setup: Setup, made: Round, game: Any) -> None:  # noqa: ANN401 - the SDK's round of the game
        self.setup, self.round, self.game, self.message = setup, made, game, game.message
        self.state: Any = self.state_type() if made.own is None else msgspec.convert(made.own, self.state_type)
        self.again = 0
        self.thinking = Thinking(setup.plan.clock)
        self.mover: tuple[str, str] | None = None
        """Whose command is being carried out, with its id."""
        self.on_move: Callable[[], None] = lambda: None
        """Called once the round names the command that is about to become an event and its number; none of a bot."""

    @property
    def phase(self) -> str:
        """The room's phase."""
        return "PLAYING"

    @property
    @abstractmethod
    def deadline(self) -> int | None:
        """Time in ms until which seats may act, or the show lasts; None if no seat is waited for."""

    @property
    @abstractmethod
    def is_decided(self) -> bool:
        """Whether no seat can act any more, so that the round is settled once its show is over."""

    @property
    @abstractmethod
    def bots(self) -> list[int]:
        """Seats of bots that have a move to make."""

    @property
    def wake(self) -> int:
        """Time in ms at which ``advance`` has something to do without a command: a bot's move, or a passed deadline."""
        show_end_time: int = self.state.show_end_time
        if self.is_decided:
            return max(show_end_time, self.again)
        return self.thinking.wake(self.state.bot_time) if self._bots_in_time else max(self.deadline or 0, self.again)

    @property
    def is_over(self) -> bool:
        """Whether the round is to be settled now."""
        return self.is_decided and self.wake <= self.setup.plan.clock.now()

    @property
    def _bots_in_time(self) -> list[int]:
        is_late = self.deadline is not None and self.setup.plan.clock.now() >= self.deadline
        return [] if is_late else self.bots

    @abstractmethod
    async def begin(self) -> None:
        """Begin the round at its deal."""

    @abstractmethod
    async def catch_up(self) -> None:
        """Take over what the SDK's journal has and the kept state lacks, after a restart."""

    @abstractmethod
    async def command(self, seat: int, command: InRound) -> dict[str, Any]:
        """Carry out a seat's command and return its result."""

    async def leave(self, seat: int, move: Leave) -> None:
        """Record that the seat has left the round; one that has a key and did not sign that runs out of time."""
        await self.take(self.game.event(seat=seat, **self.leaving), move)

    @abstractmethod
    async def take(self, event: Any, move: Move | Leave | None = None, *, is_timeout: bool = False) -> None:  # noqa: ANN401 - the game's own
        """Have the referee accept an event, and take over what follows from it."""

    async def advance(self) -> None:
        """Do what is due now: the move of one bot, or what a passed deadline asks for."""
        if self.is_decided or self.setup.plan.clock.now() < self.wake:
            return
        if bots := self._bots_in_time:
            await self.move_bot(bots[0])
        else:
            await self.run_out()

    @abstractmethod
    async def move_bot(self, seat: int) -> None:
        """Make a bot's move once it has thought: by its advice, or without any."""

    @abstractmethod
    async def run_out(self) -> None:
        """Apply the deadline, which has passed."""

    @abstractmethod
    def shown_outcome(self, outcome: Any) -> dict[str, Any]:  # noqa: ANN401 - the game's own outcome
        """Return what pages read of the outcome of the settled round, besides its transfers."""

    @abstractmethod
    def view(self, seat: int | None) -> dict[str, Any]:
        """Return what one seat sees of the round, or a spectator."""

    @abstractmethod
    def replay(self) -> dict[str, Any]:
        """Return the ``events`` in order and what else a replay shows; only for a round that is over."""

    async def settle(self) -> tuple[dict[str, Any], Proved] | None:
        """Settle the round; return its outcome for pages and its leaf in the log.

        Return None if the referee does not find it over yet, and ask again soon.
        """
        settled = await self.game.settle()
        if settled.violations:
            self.again = self.setup.plan.clock.now() + RETRY_MS
            return None
        outcome, transfers = settled.result, [self._transfer(one) for one in settled.result.transfers]
        shown = self.shown_outcome(outcome) | fields(outcome, "house_net_minor?")
        return shown | {"transfers": transfers}, settled.receipt

    def skip(self) -> None:
        """End the show now."""
        self.state.show_end_time = self.setup.plan.clock.now()

    def show_instant_win(self, seat: int, pattern: str) -> None:
        """Add a hand that won at the deal to what is shown."""
        name = self.setup.law.name("pattern", pattern)
        self.state.instant_wins.append({"seat": seat, "name": name, "cards": texts(self.hands[seat])})

    def named_instant_win(self, pattern: str) -> dict[str, Any]:
        """Return the name of the pattern by which a hand won at the deal; nothing for an empty one."""
        return {"instant_win_name": self.setup.law.name("pattern", pattern)} if pattern else {}

    @property
    def hands(self) -> list[list[int]]:
        """The hands by seat, as numbers of cards; empty while they are sealed."""
        return [[card.number for card in hand] for _, hand in sorted(self.game.hands.items())]

    @property
    def is_public(self) -> bool:
        """Whether every seat may see all events."""
        return True

    def is_bot(self, seat: int) -> bool:
        """Return whether a bot has this seat."""
        return self.round.seats[seat].is_bot

    def needs_signature(self, seat: int) -> bool:
        """Return whether the seat has a key that its page holds."""
        return bool(self.round.seats[seat].key) and seat not in self.game.secrets

    async def submit(self, event: Any, move: Move | Leave | None = None, *, is_timeout: bool = False) -> Any:  # noqa: ANN401 - the game's own
        """Have the referee accept an event; the SDK keeps it, and opens the cards that it opens.

        ``move`` has what the page of a seat with a key signed. Raise UNSIGNED without it, and the refusal of an event
        that breaks rules.
        """
        signature = b""
        if self.needs_signature(event.seat) and not is_timeout:
            if move is None or move.signature is None or move.seen is None:
                raise RefusedError("UNSIGNED")
            event.seen, signature = move.seen, bytes.fromhex(move.signature)
        self.round.moved = None if self.mover is None else (*self.mover, len(self.message.events) + 1)
        self.on_move()
        return self.accepted(await self.game.accept_event(event, signature=signature))

    async def time_out(self, event: Any) -> bool:  # noqa: ANN401 - the game's own
        """Report that a seat's time has run out; return False if by the referee's clock it is not time yet."""
        try:
            await self.take(event, is_timeout=True)
        except RefusedError:
            self.again = self.setup.plan.clock.now() + RETRY_MS
            return False
        return True

    def accepted(self, answer: Any) -> Any:  # noqa: ANN401 - the game's own answer
        """Return the answer to an event that was accepted; raise the refusal of one that was not."""
        if not answer.event_number:
            violations = self.violations(answer.violations)
            is_late = any(one["code"] in LATE for one in violations)
            raise RefusedError("TOO_LATE" if is_late else "UNLAWFUL", violations=violations)
        return answer

    async def advice(self, **question: Any) -> Any:  # noqa: ANN401 - the game's own question and answer
        """Return the referee's advice; refuse with NO_ADVICE if there is none for this ruleset."""
        try:
            return await self.game.suggest(**question)
        except RefereeError as error:
            raise RefusedError("NO_ADVICE", reason=error.reason) from None

    def course(self, seat: int | None) -> dict[str, Any]:
        """Return what a seat with a key signs on, nothing for others; its own events alone while these are secret."""
        if seat is None or not self.round.seats[seat].key:
            return {}
        signature = self.message.signatures[seat] if self.message.signatures else b""
        course = {
            "deck_root": self.game.deck_root.hex(),
            "is_whole": self.is_public,
            "events": [
                {"event": event_bytes(event).decode(), "time": event.time, "received": event.received}
                for event in self.message.events
                if self.is_public or event.seat == seat
            ],
            "signature": signature.hex(),
            "receipt": base64.b64encode(self.message.receipt).decode(),
        }
        return {"course": course}

    def receipt(self) -> dict[str, Any]:
        """Return the receipt of the newest event, as the answer to the command that made it.

        ``kept`` is the file that proves the move. It holds all events so far, so it is left out while these are secret.
        """
        answer = {
            "number": len(self.message.events),
            "receipt": base64.b64encode(self.message.receipt).decode(),
            "round_id": self.round.round_id.hex(),
        }
        kept = self.kept(self.message.events[-1].seat) if self.is_public else None
        return answer | ({} if kept is None else {"kept": kept})

    def kept(self, seat: int) -> str | None:
        """Return the file that proves a seat's newest move; None without one."""
        for one in reversed(self.game.receipted_events):
            if self.message.events[len(one.events) - 1].seat == seat:
                return str(one.to_bytes().decode())
        return None

    def reason_name(self, transfer: money_pb2.Transfer) -> Text:
        """Return what players call the reason of a payment."""
        return self.setup.law.word(transfer.reason)

    def text(self, message: Any) -> Text:  # noqa: ANN401 - a Text of the API
        """Return words of the referee with the names of this round's people."""
        return self.setup.law.respelled(for_people(message, [one.name for one in self.round.seats]))

    def violations(self, violations: Iterable[violation_pb2.Violation]) -> list[dict[str, Any]]:
        """Return broken rules as pages read them."""
        return [{"code": one.code, "text": self.text(one.text)} for one in violations]

    def _transfer(self, one: money_pb2.Transfer) -> dict[str, Any]:
        """Return a transfer for the page, with the name of its reason."""
        subject = {"subject_name": self.setup.law.word(one.subject)} if one.subject else {}
        return fields(one, "payer payee amount_minor reason") | {"reason_name": self.reason_name(one)} | subject
