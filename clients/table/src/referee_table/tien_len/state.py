"""What a table keeps of a round of Tiến Lên."""

from typing import Any

import msgspec


class TienLenState(msgspec.Struct, kw_only=True):
    """A round of Tiến Lên. ``state`` is the referee's TienLenState, as its bytes."""

    state: bytes = b""
    deadline: int = 0
    bot_time: int = 0
    legal: dict[str, Any] | None = None
    played: list[int] = []
    trick: list[dict[str, Any]] = []
    last_trick: list[dict[str, Any]] = []
    plays: list[dict[str, Any]] = []
    instant_wins: list[dict[str, Any]] = []
    show_end_time: int = 0
