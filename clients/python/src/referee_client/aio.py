"""The client for asyncio."""

from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self, TypeVar

import grpc
import grpc.aio

from referee.log.checkpoint import Checkpoint
from referee.v1 import ruleset_pb2
from referee_client.channel import DEFAULT_TIMEOUT, open_aio_channel
from referee_client.line import AioLine
from referee_client.mau_binh import AsyncMauBinhRound
from referee_client.round import AsyncRound
from referee_client.seat import SeatSecrets
from referee_client.session import Session
from referee_client.state import RoundState
from referee_client.terms import Terms
from referee_client.tien_len import AsyncTienLenRound
from referee_client.trust import Trust
from referee_client.ultimate_texas import AsyncUltimateTexasRound

AnyRound = TypeVar("AnyRound", bound=AsyncRound[Any, Any])


class AsyncClient:
    """A server and the keys to trust; without ``trust`` those that it shows first.

    Without ``credentials`` the connection is plain text, for loopback and private networks. ``timeout`` is for each
    call, its retries included. ``channel`` is open for all that this client has no word for, with the stubs of
    ``referee_client.messages``.
    """

    def __init__(
        self,
        address: str,
        *,
        trust: Trust | None = None,
        credentials: grpc.ChannelCredentials | None = None,
        timeout: float = DEFAULT_TIMEOUT,
        token: str = "",
    ) -> None:
        self.channel: grpc.aio.Channel = open_aio_channel(
            address, credentials=credentials, timeout=timeout, token=token
        )
        self._session = Session(AioLine(self.channel), trust)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connection."""
        await self.channel.close()

    def mau_binh(self, terms: Terms, *, secrets: Sequence[SeatSecrets] | None = None) -> AsyncMauBinhRound:
        """Prepare the table's next round of Mậu Binh, not opened yet; ``secrets`` as in ``new_round``."""
        return new_round(AsyncMauBinhRound, self._session, terms, secrets)

    def tien_len(self, terms: Terms, *, secrets: Sequence[SeatSecrets] | None = None) -> AsyncTienLenRound:
        """Prepare the table's next round of Tiến Lên, not opened yet."""
        return new_round(AsyncTienLenRound, self._session, terms, secrets)

    def ultimate_texas(self, terms: Terms, *, secrets: Sequence[SeatSecrets] | None = None) -> AsyncUltimateTexasRound:
        """Prepare the table's next round of Ultimate Texas Hold'em, not opened yet."""
        return new_round(AsyncUltimateTexasRound, self._session, terms, secrets)

    async def rulesets(self) -> list[ruleset_pb2.Ruleset]:
        """List the rulesets that can be played."""
        return await rulesets(self._session)

    async def checkpoint(self) -> Checkpoint:
        """Fetch the log's newest checkpoint and verify that it continues every one this client has seen."""
        return await self._session.checkpoint()


async def rulesets(session: Session) -> list[ruleset_pb2.Ruleset]:
    """List the rulesets that can be played."""
    asked, kind = ruleset_pb2.ListRulesetsRequest(), ruleset_pb2.ListRulesetsResponse
    return list((await session.line.ask("RulesetService/ListRulesets", asked, kind)).rulesets)


def new_round(kind: type[AnyRound], session: Session, terms: Terms, secrets: Sequence[SeatSecrets] | None) -> AnyRound:
    """Prepare a round of these terms. Without ``secrets`` every seat gets new ones, without keys.

    With those of some seats alone, or none, the others' commitments, seeds and signatures are brought to ``open`` and
    ``deal``, or given to the shuffler by the seats themselves; then keys of theirs go into ``Terms.seat_keys``.
    """
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
