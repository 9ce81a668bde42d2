"""A round being played, whatever the game: what a room asks of it.

A play has the SDK's round and what pages see of it. It judges nothing: whose turn it is, what is lawful and when it is
over are the referee's answers, and clocks are the ruleset's.
"""

import base64
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import msgspec
from referee_client import AsyncClient, Proved

from referee.v1 import money_pb2, violation_pb2
from referee_table.bots import Thinking
from referee_table.cards import texts
from referee_table.clock import Clock
from referee_table.commands import InRound, Leave
from referee_table.laws import Law
from referee_table.signing import Signed, shown_course
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
class Setup:
    """What all rounds of a room share."""

    client: AsyncClient
    law: Law
    clock: Clock
    pace: Pace
    entropy: Callable[[int], bytes]
    is_sealed: bool
    tenant: str = ""


@dataclass(frozen=True, slots=True)
class Settled:
    """A settled round: its record for pages, each seat's net amount, and its leaf in the log."""

    shown: dict[str, Any]
    nets: list[int]
    leaf: Proved


class Play(ABC):
    """One round of one game from its deal to its settlement. ``game`` is the SDK's round, ``message`` its message."""

    state: msgspec.Struct
    """What is kept of the round besides the SDK's journal: the game's own struct."""

    def __init__(self, setup: Setup, made: Round, game: Any) -> None:  # noqa: ANN401 - the SDK's round of the game
        self.setup, self.round, self.game, self.message = setup, made, game, game.message
        self.again = 0
        self.thinking = Thinking(setup.clock)
        self.on_move: Callable[[int, int], None] = lambda _seat, _number: None
        """Called with seat and number of an event before the referee is asked to accept it."""

    def own(self, kind: type[Own]) -> Own:
        """Return what was kept of the round; a new ``kind`` for a round that is not dealt yet."""
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
        """Time in ms until which seats may act, or the show lasts; None if no seat is waited for."""

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
    async def begin(self) -> None:
        """Begin the round at its deal."""

    @abstractmethod
    async def catch_up(self) -> None:
        """Take over what the SDK's journal has and the kept state lacks, after a restart."""

    @abstractmethod
    async def command(self, seat: int, command: InRound) -> dict[str, Any]:
        """Carry out a seat's command and return its result."""

    @abstractmethod
    async def leave(self, seat: int, move: Leave) -> None:
        """Record that the seat has left the round; one that has a key and did not sign that runs out of time."""

    @abstractmethod
    async def advance(self) -> None:
        """Do what is due now: bots' moves, one at a time, and passed deadlines."""

    async def settle(self) -> Settled | None:
        """Settle the round; return None if the referee does not find it over yet, and ask again soon."""
        settled = await self.game.settle()
        if settled.violations:
            self.again = self.setup.clock.now() + RETRY_MS
            return None
        nets = [int(one.net_minor) for one in settled.result.seats]
        return Settled(self.shown_outcome(settled.result), nets, settled.receipt)

    @abstractmethod
    def shown_outcome(self, outcome: Any) -> dict[str, Any]:  # noqa: ANN401 - the game's own outcome
        """Return the outcome of the settled round as pages read it."""

    @abstractmethod
    def view(self, seat: int | None) -> dict[str, Any]:
        """Return what one seat sees of the round, or a spectator."""

    @abstractmethod
    def events(self) -> list[dict[str, Any]]:
        """Return the events in order, for a replay; only for a round that is over."""

    @property
    def hands(self) -> list[list[int]]:
        """The hands by seat, as numbers of cards; empty while they are sealed."""
        return [[card.number for card in hand] for _, hand in sorted(self.game.hands.items())]

    def is_bot(self, seat: int) -> bool:
        """Return whether a bot has this seat."""
        return self.round.seats[seat].is_bot

    @property
    def is_public(self) -> bool:
        """Whether every seat may see all events."""
        return True

    async def submit(self, event: Any, move: Signed | None = None, *, is_timeout: bool = False) -> Any:  # noqa: ANN401 - the game's own
        """Have the referee accept an event; the SDK keeps it, and opens the cards that it opens.

        ``move`` has what the page of a seat with a key signed. Raise UNSIGNED without it, and the refusal of an event
        that breaks rules.
        """
        signature = b""
        if self.round.seats[event.seat].key and event.seat not in self.game.secrets and not is_timeout:
            if move is None or move.signature is None or move.seen is None:
                raise RefusedError(Code.UNSIGNED)
            event.seen, signature = move.seen, bytes.fromhex(move.signature)
        self.on_move(event.seat, len(self.message.events) + 1)
        return self.accepted(await self.game.accept_event(event, signature=signature))

    def accepted(self, answer: Any) -> Any:  # noqa: ANN401 - the game's own answer
        """Return the answer to an event that was accepted; raise the refusal of one that was not."""
        if not answer.event_number:
            raise self.refusal(answer.violations)
        return answer

    def course(self, seat: int | None) -> dict[str, Any]:
        """Return what a seat with a key signs on; nothing for other seats and spectators."""
        if seat is None or not self.round.seats[seat].key:
            return {}
        return {"course": shown_course(self.game, seat, is_whole=self.is_public)}

    def receipt(self) -> dict[str, Any]:
        """Return the receipt of the newest event, as the answer to the command that made it.

        ``kept`` is the file that proves the move. It holds all events so far, so it is left out while these are secret.
        """
        number = len(self.message.events)
        answer = {
            "number": number,
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
        return {"instant_win_name": self.setup.law.name("pattern", pattern)} if pattern else {}

    def transfers(self, transfers: Iterable[money_pb2.Transfer]) -> list[dict[str, Any]]:
        """Return the transfers for the page, each with the name of its reason."""
        word = self.setup.law.word
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
