"""The client for asyncio."""

import os
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Final, Self, TypeVar

import grpc
import grpc.aio

from referee.log.checkpoint import Checkpoint
from referee.v1 import log_pb2, ruleset_pb2
from referee_client.abridging import Abridging
from referee_client.channel import DEFAULT_TIMEOUT, open_aio_channel
from referee_client.gathering import GATHER_SECONDS, Gathering, GatheringLine
from referee_client.journal import RoundJournal, open_journal
from referee_client.listing import list_rounds, list_seat_rounds
from referee_client.mau_binh import AsyncMauBinhRound
from referee_client.numbers import check_time, check_whole
from referee_client.resuming import ResumableRound, resume
from referee_client.round import AsyncRound
from referee_client.seat import SeatSecrets
from referee_client.session import Session
from referee_client.state import RoundState
from referee_client.terms import Terms, check_ruleset
from referee_client.tien_len import AsyncTienLenRound
from referee_client.token import AsyncToken
from referee_client.trust import Trust
from referee_client.ultimate_texas import AsyncUltimateTexasRound

AnyRound = TypeVar("AnyRound", bound=AsyncRound[Any, Any])
KINDS: Final[Mapping[str, type[ResumableRound[Any, Any]]]] = {
    "mau_binh": AsyncMauBinhRound,
    "tien_len": AsyncTienLenRound,
    "ultimate_texas": AsyncUltimateTexasRound,
}
"""Class of a game's rounds, by the game's name."""


class AsyncClient:
    """A server and the keys to trust; without ``trust``, the keys that the server shows first.

    Without ``credentials`` the connection is plain text, for loopback and private networks. ``timeout`` is in seconds
    for each call, its retries included. Use ``channel`` with the stubs of ``referee_client.messages`` for methods that
    this client lacks.

    ``token`` is sent with each call. For a process that outlives it, give a function or a coroutine function, which is
    asked at the first call and again when a token has expired.

    Tables that ask at the same time share calls: while a call of a method is under way, further requests of it wait
    for at most ``gather_seconds``; 0 sends each by itself.

    ``journal`` is the path of a SQLite file or a ``RoundJournal``. It records a round before each call whose loss it
    must survive, so that ``resume`` can continue the round after a crash.
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
    ) -> None:
        self.channel: grpc.aio.Channel = open_aio_channel(
            address, credentials=credentials, timeout=timeout, token=token
        )
        self._line = GatheringLine(self.channel, seconds=gather_seconds)
        self._session = Session(self._line, trust, open_journal(journal))

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

    def mau_binh(self, terms: Terms, *, secrets: Sequence[SeatSecrets] | None = None) -> AsyncMauBinhRound:
        """Prepare the table's next round of Mậu Binh, not opened yet; ``secrets`` as in ``new_round``."""
        return new_round(AsyncMauBinhRound, self._session, terms, secrets)

    def tien_len(self, terms: Terms, *, secrets: Sequence[SeatSecrets] | None = None) -> AsyncTienLenRound:
        """Prepare the table's next round of Tiến Lên, not opened yet."""
        return new_round(AsyncTienLenRound, self._session, terms, secrets)

    def ultimate_texas(self, terms: Terms, *, secrets: Sequence[SeatSecrets] | None = None) -> AsyncUltimateTexasRound:
        """Prepare the table's next round of Ultimate Texas Hold'em, not opened yet."""
        return new_round(AsyncUltimateTexasRound, self._session, terms, secrets)

    async def resume(
        self, table: str, *, held: Sequence[bytes] = (), secrets: Sequence[SeatSecrets] = ()
    ) -> AsyncMauBinhRound | AsyncTienLenRound | AsyncUltimateTexasRound | None:
        """Continue the table's unfinished round after a crash; return None if the table has none.

        With a record in the journal the round is where it was: repeat its steps, since steps that are done give the
        same answers. Without a record, ``held`` are the courses that players hold (each a ``message`` as bytes), of
        which the longest is taken; ``secrets`` are those of the seats that play through this client. Then a round whose
        seeds are all missing is aborted at once, and a round in which cards were opened lapses; see its ``stage`` and
        ``lapses``.
        """
        game = await resume(self._session, KINDS, table, held=held, secrets=secrets)
        if game is None or isinstance(game, AsyncMauBinhRound | AsyncTienLenRound | AsyncUltimateTexasRound):
            return game
        raise AssertionError(game)

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
        """List the rulesets that can be played."""
        request, listed = ruleset_pb2.ListRulesetsRequest(), list[ruleset_pb2.Ruleset]()
        while True:
            page = await self._session.line.ask(
                "RulesetService/ListRulesets", request, ruleset_pb2.ListRulesetsResponse
            )
            listed += page.rulesets
            if not page.next_page_token:
                return listed
            request.page_token = page.next_page_token

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
        """Fetch the log's newest checkpoint and verify that it continues the earlier ones that this client has seen."""
        return await self._session.checkpoint()


def _check_period(start_time: int | None, end_time: int | None, most: int) -> None:
    check_time("start_time", start_time)
    check_time("end_time", end_time)
    check_whole("most", most, unit="a number of rounds")


def new_round(kind: type[AnyRound], session: Session, terms: Terms, secrets: Sequence[SeatSecrets] | None) -> AnyRound:
    """Prepare a round of these terms. Without ``secrets`` every seat gets new secrets without a key.

    ``secrets`` may be those of some seats only, or none. The commitments, seeds and signatures of the other seats are
    then given to ``open`` and ``deal``, or the seats send them to the shuffler themselves; their keys go into
    ``Terms.seat_keys``. Raise ValueError for the ruleset of another game.
    """
    check_ruleset(terms.ruleset, game=next(name for name, one in KINDS.items() if one is kind))
    own = [SeatSecrets.make(seat) for seat in range(terms.seats)] if secrets is None else list(secrets)
    keys = list(terms.seat_keys) or [bytes(32)] * terms.seats
    for one in own:
        if one.private_key:
            keys[one.seat] = one.public_key
    state: RoundState[Any] = RoundState(
        terms=terms,
        secrets={one.seat: one for one in own},
        seat_keys=keys if any(map(any, keys)) else [],
        message=kind.messages.round(),
    )
    return kind(session, state)
