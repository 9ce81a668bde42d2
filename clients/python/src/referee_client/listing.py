"""Lists of rounds, fetched page by page. They are what the server says; a round's leaves, which they name, prove it."""

from collections.abc import Awaitable, Callable

from nacl.signing import SigningKey

from referee.log.listing_statement import listing_statement
from referee.v1.log_pb2 import (
    ListedRound,
    ListRoundsRequest,
    ListRoundsResponse,
    ListSeatRoundsRequest,
    ListSeatRoundsResponse,
)
from referee_client.clock import now
from referee_client.session import Session

_PAGE = 100


async def list_rounds(session: Session, request: ListRoundsRequest, *, most: int) -> list[ListedRound]:
    """List at most ``most`` of the rounds that a request asks for, newest first."""

    async def ask(page_size: int, token: str | None) -> ListRoundsResponse:
        page = ListRoundsRequest(page_size=page_size, page_token=token)
        page.MergeFrom(request)
        return await session.line.ask("referee.v1.LogService/ListRounds", page, ListRoundsResponse)

    return await _collect(ask, most=most)


async def list_seat_rounds(
    session: Session, private_key: bytes, *, start_time: int | None, end_time: int | None, most: int
) -> list[ListedRound]:
    """List the rounds in which a seat has the key of this private one; sign each page at this machine's clock."""
    key, origin = SigningKey(private_key), (await session.believed()).origin

    async def ask(page_size: int, token: str | None) -> ListSeatRoundsResponse:
        page = ListSeatRoundsRequest(
            seat_key=bytes(key.verify_key),
            start_time=start_time,
            end_time=end_time,
            signed_time=now(),
            page_size=page_size,
            page_token=token,
        )
        statement = listing_statement(
            origin=origin,
            seat_key=page.seat_key,
            start_time=page.start_time,
            end_time=page.end_time,
            signed_time=page.signed_time,
        )
        page.signature = key.sign(statement).signature
        return await session.line.ask("referee.v1.LogService/ListSeatRounds", page, ListSeatRoundsResponse)

    return await _collect(ask, most=most)


async def _collect(
    ask: Callable[[int, str | None], Awaitable[ListRoundsResponse | ListSeatRoundsResponse]], *, most: int
) -> list[ListedRound]:
    listed: list[ListedRound] = []
    token: str | None = None
    while len(listed) < most:
        page = await ask(min(_PAGE, most - len(listed)), token)
        listed += page.rounds
        if not page.next_page_token:
            break
        token = page.next_page_token
    return listed
