"""The blocking client, which runs the asyncio client's coroutines to their end."""

import os
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Generic, Self

import grpc

from referee.cards import Card
from referee.log.checkpoint import Checkpoint
from referee.v1 import log_pb2, mau_binh_pb2, ruleset_pb2, shuffler_pb2, tien_len_pb2, ultimate_texas_pb2
from referee.v1.ultimate_texas_pb2 import Decision
from referee_client.abridging import Abridging
from referee_client.aio import KINDS, new_round, rulesets
from referee_client.cards import Cards
from referee_client.channel import DEFAULT_TIMEOUT, open_channel
from referee_client.event import Event
from referee_client.journal import RoundJournal, open_journal
from referee_client.line import BlockingLine, finished
from referee_client.listing import list_rounds, list_seat_rounds
from referee_client.mau_binh import Arrangement, AsyncMauBinhRound
from referee_client.resuming import resume
from referee_client.round import OPERATOR, AsyncRound
from referee_client.seat import SeatSecrets
from referee_client.session import Session
from referee_client.state import Outcome, Revealed, RoundMessage, RoundView, Settled
from referee_client.terms import Terms
from referee_client.tien_len import AsyncTienLenRound
from referee_client.trust import Proved, Trust
from referee_client.ultimate_texas import AsyncUltimateTexasRound


class Round(RoundView[RoundMessage], Generic[RoundMessage, Outcome]):
    """A round: ``open``, ``deal``, play, ``settle``, ``reveal``, in this order; each step may be repeated."""

    def __init__(self, core: AsyncRound[RoundMessage, Outcome]) -> None:
        super().__init__(core.state)
        self._any = core

    def prepare(self) -> bytes:
        """As ``AsyncRound.prepare``."""
        return finished(self._any.prepare())

    def open(
        self, *, sealed: bool = False, commitments: Sequence[bytes] = (), seat_tokens: Sequence[bytes] = ()
    ) -> Proved:
        """As ``AsyncRound.open``."""
        return finished(self._any.open(sealed=sealed, commitments=commitments, seat_tokens=seat_tokens))

    def join(self, number: int = 0) -> Proved:
        """As ``AsyncRound.join``."""
        return finished(self._any.join(number))

    def contribute(self, seat: int) -> list[int]:
        """As ``AsyncRound.contribute``."""
        return finished(self._any.contribute(seat))

    def deal(self, *, seeds: Sequence[bytes] = (), signatures: Sequence[bytes] = ()) -> dict[int, tuple[Card, ...]]:
        """As ``AsyncRound.deal``."""
        return finished(self._any.deal(seeds=seeds, signatures=signatures))

    def open_hand(self, seat: int) -> tuple[Card, ...]:
        """As ``AsyncRound.open_hand``."""
        return finished(self._any.open_hand(seat))

    def sign(self, event: Event) -> bytes:
        """As ``AsyncRound.sign``."""
        return finished(self._any.sign(event))

    def accept_event(self, event: Event, *, signature: bytes = b"") -> Any:  # noqa: ANN401 - the game's own answer
        """As ``AsyncRound.accept_event``."""
        return finished(self._any.accept_event(event, signature=signature))

    def open_section(self) -> None:
        """As ``AsyncRound.open_section``."""
        finished(self._any.open_section())

    def adopt(self, saved: bytes) -> None:
        """As ``AsyncRound.adopt``."""
        finished(self._any.adopt(saved))

    def preview(self) -> Any:  # noqa: ANN401 - the game's own answer
        """As ``AsyncRound.preview``."""
        return finished(self._any.preview())

    def is_over(self) -> bool:
        """As ``AsyncRound.is_over``."""
        return finished(self._any.is_over())

    def settle(self) -> Settled[Outcome]:
        """As ``AsyncRound.settle``."""
        return finished(self._any.settle())

    def abort(self, *, reason: shuffler_pb2.AbortReason = OPERATOR) -> Proved:
        """As ``AsyncRound.abort``."""
        return finished(self._any.abort(reason=reason))

    def reveal(self) -> Revealed:
        """As ``AsyncRound.reveal``."""
        return finished(self._any.reveal())


class MauBinhRound(Round[mau_binh_pb2.MauBinhRound, mau_binh_pb2.MauBinhOutcome]):
    """A round of Mậu Binh."""

    def __init__(self, core: AsyncMauBinhRound) -> None:
        super().__init__(core)
        self._core = core

    def check(self, seat: int, arrangement: Arrangement) -> mau_binh_pb2.CheckArrangementResponse:
        """As ``AsyncMauBinhRound.check``."""
        return finished(self._core.check(seat, arrangement))

    def suggest(self, seat: int, *, count: int = 3) -> mau_binh_pb2.SuggestArrangementResponse:
        """As ``AsyncMauBinhRound.suggest``."""
        return finished(self._core.suggest(seat, count=count))

    def arrange(self, seat: int, arrangement: Arrangement) -> mau_binh_pb2.MauBinhServiceAcceptEventResponse:
        """As ``AsyncMauBinhRound.arrange``."""
        return finished(self._core.arrange(seat, arrangement))

    def commit(self, seat: int, arrangement: Arrangement) -> mau_binh_pb2.MauBinhServiceAcceptEventResponse:
        """As ``AsyncMauBinhRound.commit``."""
        return finished(self._core.commit(seat, arrangement))

    def committed(self, seat: int) -> Arrangement | None:
        """As ``AsyncMauBinhRound.committed``."""
        return self._core.committed(seat)

    def time_out(self, seat: int) -> mau_binh_pb2.MauBinhServiceAcceptEventResponse:
        """As ``AsyncMauBinhRound.time_out``."""
        return finished(self._core.time_out(seat))

    def leave(self, seat: int) -> mau_binh_pb2.MauBinhServiceAcceptEventResponse:
        """As ``AsyncMauBinhRound.leave``."""
        return finished(self._core.leave(seat))


class TienLenRound(Round[tien_len_pb2.TienLenRound, tien_len_pb2.TienLenOutcome]):
    """A round of Tiến Lên."""

    def __init__(self, core: AsyncTienLenRound) -> None:
        super().__init__(core)
        self._core = core

    def plays(self, *, grouped: bool = False) -> tien_len_pb2.ListPlaysResponse:
        """As ``AsyncTienLenRound.plays``."""
        return finished(self._core.plays(grouped=grouped))

    def check(self, seat: int, cards: Cards) -> tien_len_pb2.CheckPlayResponse:
        """As ``AsyncTienLenRound.check``."""
        return finished(self._core.check(seat, cards))

    def suggest(self, *, count: int = 3, samples: int = 0) -> tien_len_pb2.SuggestPlayResponse:
        """As ``AsyncTienLenRound.suggest``."""
        return finished(self._core.suggest(count=count, samples=samples))

    def play(self, seat: int, cards: Cards) -> tien_len_pb2.TienLenServiceAcceptEventResponse:
        """As ``AsyncTienLenRound.play``."""
        return finished(self._core.play(seat, cards))

    def pass_turn(self, seat: int) -> tien_len_pb2.TienLenServiceAcceptEventResponse:
        """As ``AsyncTienLenRound.pass_turn``."""
        return finished(self._core.pass_turn(seat))

    def time_out(self, seat: int) -> tien_len_pb2.TienLenServiceAcceptEventResponse:
        """As ``AsyncTienLenRound.time_out``."""
        return finished(self._core.time_out(seat))

    def leave(self, seat: int) -> tien_len_pb2.TienLenServiceAcceptEventResponse:
        """As ``AsyncTienLenRound.leave``."""
        return finished(self._core.leave(seat))


class UltimateTexasRound(Round[ultimate_texas_pb2.UltimateTexasRound, ultimate_texas_pb2.UltimateTexasOutcome]):
    """A round of Ultimate Texas Hold'em."""

    def __init__(self, core: AsyncUltimateTexasRound) -> None:
        super().__init__(core)
        self._core = core

    def check(self, seat: int, decision: Decision | str) -> ultimate_texas_pb2.CheckDecisionResponse:
        """As ``AsyncUltimateTexasRound.check``."""
        return finished(self._core.check(seat, decision))

    def advise(self, seat: int) -> ultimate_texas_pb2.AdviseResponse:
        """As ``AsyncUltimateTexasRound.advise``."""
        return finished(self._core.advise(seat))

    def decide(self, seat: int, decision: Decision | str) -> ultimate_texas_pb2.UltimateTexasServiceAcceptEventResponse:
        """As ``AsyncUltimateTexasRound.decide``."""
        return finished(self._core.decide(seat, decision))


class Client:
    """A server and the keys to trust; as ``AsyncClient``, but its methods block until they are done."""

    def __init__(  # noqa: PLR0913 - one parameter a setting
        self,
        address: str,
        *,
        trust: Trust | None = None,
        credentials: grpc.ChannelCredentials | None = None,
        timeout: float = DEFAULT_TIMEOUT,
        token: str = "",
        journal: str | os.PathLike[str] | RoundJournal | None = None,
    ) -> None:
        self.channel: grpc.Channel = open_channel(address, credentials=credentials, timeout=timeout, token=token)
        self._session = Session(BlockingLine(self.channel), trust, open_journal(journal))

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

    def mau_binh(self, terms: Terms, *, secrets: Sequence[SeatSecrets] | None = None) -> MauBinhRound:
        """Prepare the table's next round of Mậu Binh, not opened yet; ``secrets`` as in ``new_round``."""
        return MauBinhRound(new_round(AsyncMauBinhRound, self._session, terms, secrets))

    def tien_len(self, terms: Terms, *, secrets: Sequence[SeatSecrets] | None = None) -> TienLenRound:
        """Prepare the table's next round of Tiến Lên, not opened yet."""
        return TienLenRound(new_round(AsyncTienLenRound, self._session, terms, secrets))

    def ultimate_texas(self, terms: Terms, *, secrets: Sequence[SeatSecrets] | None = None) -> UltimateTexasRound:
        """Prepare the table's next round of Ultimate Texas Hold'em, not opened yet."""
        return UltimateTexasRound(new_round(AsyncUltimateTexasRound, self._session, terms, secrets))

    def resume(
        self, table: str, *, held: Sequence[bytes] = (), secrets: Sequence[SeatSecrets] = ()
    ) -> MauBinhRound | TienLenRound | UltimateTexasRound | None:
        """As ``AsyncClient.resume``."""
        match finished(resume(self._session, KINDS, table, held=held, secrets=secrets)):
            case AsyncMauBinhRound() as core:
                return MauBinhRound(core)
            case AsyncTienLenRound() as core:
                return TienLenRound(core)
            case AsyncUltimateTexasRound() as core:
                return UltimateTexasRound(core)
        return None

    @property
    def abridging(self) -> Abridging:
        """Figures of the requests that named their round by its course instead of carrying it."""
        return self._session.abridging

    def unfinished(self) -> list[str]:
        """As ``AsyncClient.unfinished``."""
        return [] if self._session.journal is None else self._session.journal.tables()

    def rulesets(self) -> list[ruleset_pb2.Ruleset]:
        """List the rulesets that can be played."""
        return finished(rulesets(self._session))

    def rounds(  # noqa: PLR0913 - one parameter a field
        self,
        *,
        table: str | None = None,
        table_prefix: str | None = None,
        seat_key: bytes | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        most: int = 100,
    ) -> list[log_pb2.ListedRound]:
        """As ``AsyncClient.rounds``."""
        request = log_pb2.ListRoundsRequest(
            table_id=table, table_prefix=table_prefix, seat_key=seat_key, start_time=start_time, end_time=end_time
        )
        return finished(list_rounds(self._session, request, most=most))

    def own_rounds(
        self, private_key: bytes, *, start_time: int | None = None, end_time: int | None = None, most: int = 100
    ) -> list[log_pb2.ListedRound]:
        """As ``AsyncClient.own_rounds``."""
        listing = list_seat_rounds(self._session, private_key, start_time=start_time, end_time=end_time, most=most)
        return finished(listing)

    def checkpoint(self) -> Checkpoint:
        """Fetch the log's newest checkpoint and verify that it continues the earlier ones that this client has seen."""
        return finished(self._session.checkpoint())
