"""Rounds opened and dealt on any server by its stub: what each test of a running server begins with."""

from collections.abc import Sequence
from typing import Any

from referee.v1 import round_pb2, shuffler_pb2
from tests.driver.messages import terms_of
from tests.randomness import random_from

Asked = str | shuffler_pb2.RoundTerms | round_pb2.RoundHeader | shuffler_pb2.OpenRoundRequest
"""A table, terms, a header as prepared, or a whole request."""


def opening(
    asked: Asked = "t", *, commitments: Sequence[bytes] = (), tokens: Sequence[bytes] = ()
) -> shuffler_pb2.OpenRoundRequest:
    """Return the request that opens a round."""
    match asked:
        case shuffler_pb2.OpenRoundRequest():
            return asked
        case round_pb2.RoundHeader():
            named: dict[str, Any] = {"header": asked}
        case str():
            named = {"terms": terms_of(asked)}
        case _:
            named = {"terms": asked}
    return shuffler_pb2.OpenRoundRequest(**named, client_commitments=commitments, seat_tokens=tokens)


def open_round(  # noqa: PLR0913 - a request, and how it is sent
    shuffler: Any,  # noqa: ANN401 - a stub, of a channel or of asyncio
    asked: Asked = "t",
    *,
    commitments: Sequence[bytes] = (),
    tokens: Sequence[bytes] = (),
    timeout: float | None = None,
    metadata: Sequence[tuple[str, str]] | None = None,
) -> shuffler_pb2.OpenRoundResponse:
    """Open a round."""
    request = opening(asked, commitments=commitments, tokens=tokens)
    opened: shuffler_pb2.OpenRoundResponse = shuffler.OpenRound(request, timeout=timeout, metadata=metadata)
    return opened


def deal_round(
    shuffler: Any,  # noqa: ANN401 - a stub
    opened: shuffler_pb2.OpenRoundResponse,
    seeds: Sequence[bytes] = (),
    signatures: Sequence[bytes] = (),
    *,
    timeout: float | None = None,
) -> shuffler_pb2.DealRoundResponse:
    """Deal an opened round, from these seeds or from others that only this round has."""
    header = opened.header
    luck = random_from(f"{header.round.table_id}/{header.round.round_number}")
    request = shuffler_pb2.DealRoundRequest(
        round=header.round,
        client_seeds=seeds or [luck.randbytes(32) for _ in header.seat_keys],
        seed_signatures=signatures,
    )
    dealt: shuffler_pb2.DealRoundResponse = shuffler.DealRound(request, timeout=timeout)
    return dealt
