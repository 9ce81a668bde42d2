"""The blocking client, which runs the asyncio client's coroutines to their end."""

import functools
import os
from collections.abc import Callable, Coroutine, Mapping, Sequence
from types import TracebackType
from typing import Any, Concatenate, Final, Generic, ParamSpec, Self, TypeVar, cast

import grpc

from referee.v1 import mau_binh_pb2, tien_len_pb2, ultimate_texas_pb2
from referee_client.abridging import Abridging
from referee_client.aio import KINDS, AsyncClient, new_round
from referee_client.channel import DEFAULT_TIMEOUT, open_channel
from referee_client.journal import RoundJournal, open_journal
from referee_client.line import BlockingLine, finished
from referee_client.mau_binh import Arrangement, AsyncMauBinhRound
from referee_client.resuming import ResumableRound, resume
from referee_client.round import AsyncRound
from referee_client.seat import SeatSecrets
from referee_client.session import Session
from referee_client.state import Outcome, RoundMessage, RoundView, Settled
from referee_client.terms import Terms
from referee_client.tien_len import AsyncTienLenRound
from referee_client.token import Token
from referee_client.trust import Trust
from referee_client.ultimate_texas import AsyncUltimateTexasRound

P = ParamSpec("P")
Answer = TypeVar("Answer")


def blocking(
    method: Callable[Concatenate[Any, P], Coroutine[Any, Any, Answer]],
) -> Callable[Concatenate[Any, P], Answer]:
    """Return the method that runs a method for asyncio to its end."""

    @functools.wraps(method)
    def run(self: Any, *args: P.args, **kwargs: P.kwargs) -> Answer:  # noqa: ANN401 - a round or a client
        return finished(method(self._core, *args, **kwargs))

    return cast("Callable[Concatenate[Any, P], Answer]", run)


class Round(RoundView[RoundMessage], Generic[RoundMessage, Outcome]):
    """A round: ``open``, ``deal``, play, ``settle``, ``reveal``, in this order; each step may be repeated.

    ``Client.game`` makes it. Each step verifies the server's answer, and raises ``VerificationError`` if it is false.
    """

    def __init__(self, core: AsyncRound[RoundMessage, Outcome]) -> None:
        super().__init__(core.state)
        self._core = core

    prepare = blocking(AsyncRound.prepare)
    open = blocking(AsyncRound.open)
    join = blocking(AsyncRound.join)
    contribute = blocking(AsyncRound.contribute)

    def check_seed(self, seat: int, seed: bytes, *, signature: bytes = b"") -> None:
        """As ``AsyncRound.check_seed``."""
        self._core.check_seed(seat, seed, signature=signature)

    deal = blocking(AsyncRound.deal)
    open_hand = blocking(AsyncRound.open_hand)
    sign = blocking(AsyncRound.sign)
    accept_event = blocking(AsyncRound.accept_event)
    open_section = blocking(AsyncRound.open_section)
    adopt = blocking(AsyncRound.adopt)
    preview = blocking(AsyncRound.preview)
    is_over = blocking(AsyncRound.is_over)
    abort = blocking(AsyncRound.abort)
    reveal = blocking(AsyncRound.reveal)

    def ask(self, method: str, **fields: Any) -> Any:  # noqa: ANN401 - as there
        """As ``AsyncRound.ask``."""
        return finished(self._core.ask(method, **fields))

    def event(self, **fields: Any) -> Any:  # noqa: ANN401 - as there
        """As ``AsyncRound.event``."""
        return self._core.event(**fields)

    def settle(self) -> Settled[Outcome]:
        """As ``AsyncRound.settle``."""
        return finished(self._core.settle())


class MauBinhRound(Round[mau_binh_pb2.MauBinhRound, mau_binh_pb2.MauBinhOutcome]):
    """A round of Mậu Binh."""

    check = blocking(AsyncMauBinhRound.check)
    suggest = blocking(AsyncMauBinhRound.suggest)
    arrange = blocking(AsyncMauBinhRound.arrange)
    commit = blocking(AsyncMauBinhRound.commit)
    time_out = blocking(AsyncMauBinhRound.time_out)
    leave = blocking(AsyncMauBinhRound.leave)

    def committed(self, seat: int) -> Arrangement | None:
        """As ``AsyncMauBinhRound.committed``."""
        return AsyncMauBinhRound.committed(cast("AsyncMauBinhRound", self._core), seat)


class TienLenRound(Round[tien_len_pb2.TienLenRound, tien_len_pb2.TienLenOutcome]):
    """A round of Tiến Lên."""

    plays = blocking(AsyncTienLenRound.plays)
    check = blocking(AsyncTienLenRound.check)
    suggest = blocking(AsyncTienLenRound.suggest)
    play = blocking(AsyncTienLenRound.play)
    pass_turn = blocking(AsyncTienLenRound.pass_turn)
    time_out = blocking(AsyncTienLenRound.time_out)
    leave = blocking(AsyncTienLenRound.leave)


class UltimateTexasRound(Round[ultimate_texas_pb2.UltimateTexasRound, ultimate_texas_pb2.UltimateTexasOutcome]):
    """A round of Ultimate Texas Hold'em."""

    check = blocking(AsyncUltimateTexasRound.check)
    suggest = blocking(AsyncUltimateTexasRound.suggest)
    decide = blocking(AsyncUltimateTexasRound.decide)


_BLOCKING: Final[Mapping[type[AsyncRound[Any, Any]], type[Round[Any, Any]]]] = {
    AsyncMauBinhRound: MauBinhRound,
    AsyncTienLenRound: TienLenRound,
    AsyncUltimateTexasRound: UltimateTexasRound,
}
"""Classes that block, by their classes for asyncio, of rounds that have methods of their game's own."""


def _blocking_round(core: AsyncRound[Any, Any]) -> Round[Any, Any]:
    return _BLOCKING.get(type(core), Round)(core)


class Client:
    """A server and the keys to trust; its methods block until they are done.

    ``address`` is ``HOST:PORT``. Without ``trust`` the keys that the server shows first are trusted. Without
    ``credentials`` the connection is plain text, for loopback and private networks; ``tls_credentials`` makes some.
    ``timeout`` is in seconds for each call, its retries included.

    ``token`` is sent with each call. For a process that outlives it, give a function, which is asked at the first call
    and again when a token has expired. ``journal`` is the path of a SQLite file or a ``RoundJournal``, from which
    ``resume`` continues rounds after a crash. Each call raises the errors of a refused or lost call: ``RefereeError``.
    """

    def __init__(  # noqa: PLR0913 - one parameter a setting
        self,
        address: str,
        *,
        trust: Trust | None = None,
        credentials: grpc.ChannelCredentials | None = None,
        timeout: float = DEFAULT_TIMEOUT,
        token: Token = "",
        journal: str | os.PathLike[str] | RoundJournal | None = None,
    ) -> None:
        self.channel: grpc.Channel = open_channel(address, credentials=credentials, timeout=timeout, token=token)
        """Channel for the stubs of ``referee_client.messages``, for methods that this client lacks."""
        self._session = Session(BlockingLine(self.channel), trust, open_journal(journal), timeout=timeout)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection and the journal."""
        self.channel.close()
        if self._session.journal is not None:
            self._session.journal.close()

    def game(self, name: str, terms: Terms, *, secrets: Sequence[SeatSecrets] | None = None) -> Round[Any, Any]:
        """As ``AsyncClient.game``."""
        return _blocking_round(new_round(name, KINDS.get(name, ResumableRound), self._session, terms, secrets))

    def mau_binh(self, terms: Terms, *, secrets: Sequence[SeatSecrets] | None = None) -> MauBinhRound:
        """Prepare the table's next round of Mậu Binh, as ``game`` does."""
        return MauBinhRound(new_round("mau_binh", AsyncMauBinhRound, self._session, terms, secrets))

    def tien_len(self, terms: Terms, *, secrets: Sequence[SeatSecrets] | None = None) -> TienLenRound:
        """Prepare the table's next round of Tiến Lên, as ``game`` does."""
        return TienLenRound(new_round("tien_len", AsyncTienLenRound, self._session, terms, secrets))

    def ultimate_texas(self, terms: Terms, *, secrets: Sequence[SeatSecrets] | None = None) -> UltimateTexasRound:
        """Prepare the table's next round of Ultimate Texas Hold'em, as ``game`` does."""
        return UltimateTexasRound(new_round("ultimate_texas", AsyncUltimateTexasRound, self._session, terms, secrets))

    def resume(
        self, table: str, *, held: Sequence[bytes] = (), secrets: Sequence[SeatSecrets] = ()
    ) -> Round[Any, Any] | None:
        """As ``AsyncClient.resume``."""
        core = finished(resume(self._session, KINDS, table, held=held, secrets=secrets))
        return None if core is None else _blocking_round(core)

    @property
    def abridging(self) -> Abridging:
        """Figures of the requests that named their round by its course instead of carrying it."""
        return self._session.abridging

    def unfinished(self) -> list[str]:
        """As ``AsyncClient.unfinished``."""
        return [] if self._session.journal is None else self._session.journal.tables()

    @property
    def _core(self) -> Self:
        return self  # the methods below ask by the session alone

    rulesets = blocking(AsyncClient.rulesets)
    ruleset = blocking(AsyncClient.ruleset)
    decide_seating = blocking(AsyncClient.decide_seating)
    keys = blocking(AsyncClient.keys)
    stage = blocking(AsyncClient.stage)
    bundle = blocking(AsyncClient.bundle)
    rounds = blocking(AsyncClient.rounds)
    own_rounds = blocking(AsyncClient.own_rounds)
    checkpoint = blocking(AsyncClient.checkpoint)
