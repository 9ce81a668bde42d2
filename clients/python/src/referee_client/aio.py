"""The client for asyncio."""

import os
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Final, Self, TypeVar

import grpc
import grpc.aio

from referee.log.checkpoint import Checkpoint
from referee.v1 import log_pb2, ruleset_pb2, seating_pb2
from referee_client.abridging import Abridging
from referee_client.bundle import fetch_bundle
from referee_client.channel import DEFAULT_TIMEOUT, open_aio_channel
from referee_client.gathering import GATHER_SECONDS, Gathering, GatheringLine
from referee_client.journal import RoundJournal, open_journal
from referee_client.listing import list_rounds, list_seat_rounds
from referee_client.mau_binh import AsyncMauBinhRound
from referee_client.numbers import check_time, check_whole
from referee_client.repeating import Repeating, RepeatingLine
from referee_client.resuming import ResumableRound, read_logged, resume
from referee_client.round import AsyncRound
from referee_client.seat import SeatSecrets
from referee_client.session import Session
from referee_client.state import RoundState
from referee_client.terms import Terms, check_ruleset, messages_of
from referee_client.tien_len import AsyncTienLenRound
from referee_client.token import AsyncToken
from referee_client.trust import Trust
from referee_client.ultimate_texas import AsyncUltimateTexasRound

AnyRound = TypeVar("AnyRound", bound=ResumableRound[Any, Any])
KINDS: Final[Mapping[str, type[ResumableRound[Any, Any]]]] = {
    "mau_binh": AsyncMauBinhRound,
    "tien_len": AsyncTienLenRound,
    "ultimate_texas": AsyncUltimateTexasRound,
}
"""Classes of the rounds that have methods of their game's own, by the game's name."""


class AsyncClient:
    """A server, at ``HOST:PORT``, and the keys to trust; without ``trust``, the keys that the server shows first.

    Without ``credentials`` the connection is plain text, for loopback and private networks; ``tls_credentials`` makes
    some. ``timeout`` is in seconds for each call, its retries included.

    ``token`` is sent with each call. For a process that outlives it, give a function or a coroutine function, which is
    asked at the first call and again when a token has expired.

    Tables that ask at the same time share calls: while a call of a method is under way, further requests of it wait
    for at most ``gather_seconds``; 0 sends each by itself.

    ``journal`` is the path of a SQLite file or a ``RoundJournal``. It records a round before each call whose loss it
    must survive, so that ``resume`` can continue the round after a crash.

    ``on_reach`` makes the client wait for a server that is away, late or busy: a call is repeated until it is answered,
    for as long as it takes, and ``on_reach`` is called with False when the server cannot be reached, and with True when
    it can be again. Without it such a call is repeated for ``timeout`` at most, and then raises an error.
    """

    def __init__(  # noqa: PLR0913 - one parameter a setting
        self,
        address: str,
        *,
        trust: Trust | None = None,
        credentials: grpc.ChannelCredentials | None = None,
        timeout: float = DEFAULT_TIMEOUT,
        token: AsyncToken = "",
        journal: str | os.PathLike[str] | RoundJournal | None = None,
        gather_seconds: float = GATHER_SECONDS,
        on_reach: Callable[[bool], None] | None = None,
    ) -> None:
        self.channel: grpc.aio.Channel = open_aio_channel(
            address, credentials=credentials, timeout=timeout, token=token
        )
        """Channel for the stubs of ``referee_client.messages``, for methods that this client lacks."""
        self._line = GatheringLine(self.channel, seconds=gather_seconds)
        repeating = None if on_reach is None else Repeating(on_reach)
        line = self._line if repeating is None else RepeatingLine(self._line, repeating)
        self._session = Session(line, trust, open_journal(journal), repeating, timeout)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connection and the journal."""
        await self.channel.close()
        if self._session.journal is not None:
            self._session.journal.close()

    def game(self, name: str, terms: Terms, *, secrets: Sequence[SeatSecrets] | None = None) -> AsyncRound[Any, Any]:
        """Prepare the table's next round of a game, built in or of an installed package, by its name; not opened yet.

        Its events are made by ``event`` and submitted by ``accept_event``; everything is verified as in any game.

        Without ``secrets`` every seat gets new secrets without a key. ``secrets`` may be those of some seats only, or
        none. The commitments, seeds and signatures of the other seats are then given to ``open`` and ``deal``, or the
        seats send them to the shuffler themselves; their keys go into ``Terms.seat_keys``. Raise ValueError for a game
        that is not installed, and for the ruleset of another game.
        """
        return new_round(name, KINDS.get(name, ResumableRound), self._session, terms, secrets)

    def mau_binh(self, terms: Terms, *, secrets: Sequence[SeatSecrets] | None = None) -> AsyncMauBinhRound:
        """Prepare the table's next round of Mậu Binh, as ``game`` does."""
        return new_round("mau_binh", AsyncMauBinhRound, self._session, terms, secrets)

    def tien_len(self, terms: Terms, *, secrets: Sequence[SeatSecrets] | None = None) -> AsyncTienLenRound:
        """Prepare the table's next round of Tiến Lên, as ``game`` does."""
        return new_round("tien_len", AsyncTienLenRound, self._session, terms, secrets)

    def ultimate_texas(self, terms: Terms, *, secrets: Sequence[SeatSecrets] | None = None) -> AsyncUltimateTexasRound:
        """Prepare the table's next round of Ultimate Texas Hold'em, as ``game`` does."""
        return new_round("ultimate_texas", AsyncUltimateTexasRound, self._session, terms, secrets)

    async def resume(
        self, table: str, *, held: Sequence[bytes] = (), secrets: Sequence[SeatSecrets] = ()
    ) -> AsyncRound[Any, Any] | None:
        """Continue the table's unfinished round after a crash; return None if the table has none.

        With a record in the journal the round is where it was: repeat its steps, since steps that are done give the
        same answers. Without a record, ``held`` are the courses that players hold (each a ``message`` as bytes), of
        which the longest is taken; ``secrets`` are those of the seats that play through this client. Then a round whose
        seeds are all missing is aborted at once, and a round in which cards were opened lapses; see its ``stage`` and
        ``lapses``.
        """
        return await resume(self._session, KINDS, table, held=held, secrets=secrets)

    @property
    def gathering(self) -> Gathering:
        """Figures of the requests that could be sent together with those of other tables."""
        return self._line.figures

    @property
    def abridging(self) -> Abridging:
        """Figures of the requests that named their round by its course instead of carrying it."""
        return self._session.abridging

    def unfinished(self) -> list[str]:
        """Return the names of the tables with a round in the journal, sorted; ``resume`` each after a start."""
        return [] if self._session.journal is None else self._session.journal.tables()

    async def rulesets(self) -> list[ruleset_pb2.Ruleset]:
        """List the rulesets that can be played: id, version, game and names of each."""
        request, listed = ruleset_pb2.ListRulesetsRequest(), list[ruleset_pb2.Ruleset]()
        while True:
            page = await self._session.line.ask(
                "referee.v1.RulesetService/ListRulesets", request, ruleset_pb2.ListRulesetsResponse
            )
            listed += page.rulesets
            if not page.next_page_token:
                return listed
            request.page_token = page.next_page_token

    async def ruleset(self, ruleset_id: str) -> ruleset_pb2.GetRulesetResponse:
        """Fetch a ruleset's newest version with its file, ``toml``: names, clocks and prices to show to players.

        Raise NotFoundError if the server has none with this id.
        """
        request = ruleset_pb2.GetRulesetRequest(ruleset_id=ruleset_id)
        return await self._session.line.ask(
            "referee.v1.RulesetService/GetRuleset", request, ruleset_pb2.GetRulesetResponse
        )

    async def decide_seating(
        self, ruleset_id: str, persons: Sequence[seating_pb2.Person], *, now: int
    ) -> seating_pb2.DecideSeatingResponse:
        """Ask who sits, who is late and whether to deal, at a time in ms since 1970 UTC; nothing is written."""
        request = seating_pb2.DecideSeatingRequest(ruleset_id=ruleset_id, persons=persons, now_time=now)
        return await self._session.line.ask(
            "referee.v1.SeatingService/DecideSeating", request, seating_pb2.DecideSeatingResponse
        )

    async def keys(self) -> log_pb2.GetKeysResponse:
        """Fetch the log's origin and keys as the server shows them, such as to give them to a player's verifier."""
        return await self._session.keys()

    async def stage(self, table: str, number: int) -> log_pb2.RoundStage | None:
        """Return the stage of a table's round as the log has it; None for a round that was never opened."""
        found = await read_logged(self._session, table, number)
        return None if found is None else found.stage

    async def bundle(self, table: str, number: int) -> dict[str, Any]:
        """Return the proof of a finished round as JSON that the verifiers read.

        Raise RefereeError if the log has no such round, RoundNotOverError for one without its end in the log.
        """
        return await fetch_bundle(self._session, table, number)

    async def rounds(  # noqa: PLR0913 - one parameter a field
        self,
        *,
        table: str | None = None,
        table_prefix: str | None = None,
        seat_key: bytes | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        most: int = 100,
    ) -> list[log_pb2.ListedRound]:
        """List rounds of the log, newest first: of a table, of tables whose ids begin so, or in which a seat has a key.

        They were opened at ``start_time`` or later and before ``end_time``, in ms since 1970 UTC. A round that is not
        revealed yet has table, number and stage alone. The list is what the server says, without a proof; ``referee
        export`` fetches and verifies a round of it.
        """
        _check_period(start_time, end_time, most)
        request = log_pb2.ListRoundsRequest(
            table_id=table, table_prefix=table_prefix, seat_key=seat_key, start_time=start_time, end_time=end_time
        )
        return await list_rounds(self._session, request, most=most)

    async def own_rounds(
        self, private_key: bytes, *, start_time: int | None = None, end_time: int | None = None, most: int = 100
    ) -> list[log_pb2.ListedRound]:
        """List the rounds in which a seat has the key of this private one, as ``rounds`` does; it takes no token.

        The request is signed by the key, and lasts for a minute around this machine's clock.
        """
        _check_period(start_time, end_time, most)
        return await list_seat_rounds(self._session, private_key, start_time=start_time, end_time=end_time, most=most)

    async def checkpoint(self) -> Checkpoint:
        """Fetch the log's newest checkpoint and verify that it continues the earlier ones that this client has seen.

        Raise VerificationError if it does not: keep both, they prove that the log was rewritten.
        """
        return await self._session.checkpoint()


def _check_period(start_time: int | None, end_time: int | None, most: int) -> None:
    check_time("start_time", start_time)
    check_time("end_time", end_time)
    check_whole("most", most, unit="a number of rounds")


def new_round(
    game: str, kind: type[AnyRound], session: Session, terms: Terms, secrets: Sequence[SeatSecrets] | None
) -> AnyRound:
    """Prepare a round of a game; arguments and errors are those of ``AsyncClient.game``."""
    check_ruleset(terms.ruleset, game=game)
    own = [SeatSecrets.make(seat) for seat in range(terms.seats)] if secrets is None else list(secrets)
    keys = list(terms.seat_keys) or [bytes(32)] * terms.seats
    for one in own:
        if one.private_key:
            keys[one.seat] = one.public_key
    state: RoundState[Any] = RoundState(
        terms=terms,
        secrets={one.seat: one for one in own},
        seat_keys=keys if any(map(any, keys)) else [],
        message=messages_of(game).round(),
    )
    return kind(session, state)
