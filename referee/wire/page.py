"""Pages: the size and the token of a request, which are alike in every call that answers a list which can grow."""

import re
from typing import Final, NoReturn, TypeAlias

from referee.v1.log_pb2 import (
    GetKeysRequest,
    ListCosignedCheckpointsRequest,
    ListEntriesRequest,
    ListRoundsRequest,
    ListSeatRoundsRequest,
)
from referee.v1.ruleset_pb2 import ListRulesetsRequest
from referee.wire.refusal import invalid_field

PageRequest: TypeAlias = (
    GetKeysRequest
    | ListCosignedCheckpointsRequest
    | ListEntriesRequest
    | ListRoundsRequest
    | ListRulesetsRequest
    | ListSeatRoundsRequest
)
_PLACE: Final = re.compile(r"[1-9][0-9]{0,15}")


def read_page_size(request: PageRequest, *, most: int) -> int:
    """Return how many elements a page has at most; ``most`` for an absent size. Refuse a size that is not 1 to it."""
    if not request.HasField("page_size"):
        return most
    if not 1 <= request.page_size <= most:
        raise invalid_field(
            f"a page holds 1 to {most}, not {request.page_size}",
            field="page_size",
            limit=most,
            found=request.page_size,
        )
    return request.page_size


def read_page(request: PageRequest, *, most: int, last: int) -> tuple[int, int]:
    """Return how many elements a page has at most, and the place where it begins, which is its token; 0 without one.

    Refuse a token that is no place from 1 to ``last``.
    """
    size, start = read_page_size(request, most=most), 0
    if request.HasField("page_token"):
        start = int(request.page_token) if _PLACE.fullmatch(request.page_token) else 0
        if not 1 <= start <= last:
            refuse_token()
    return size, start


def refuse_token() -> NoReturn:
    """Refuse a page token that no answer of this server had."""
    raise invalid_field(
        "this token is of no page; give the next_page_token of the page before, or leave it out for the first page",
        field="page_token",
    )
