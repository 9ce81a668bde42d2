"""What a table keeps of a round of Mậu Binh."""

from typing import Any

import msgspec


class Draft(msgspec.Struct, kw_only=True):
    """An arrangement, or on a sealed table a commitment, that a page gave and that is no event yet."""

    cards: list[int] = []
    commitment: bytes = b""
    seen: int | None = None
    signature: str | None = None


class MauBinhState(msgspec.Struct, kw_only=True):
    """A round of Mậu Binh. Lists go by seat. ``planned`` are the bots' arrangements.

    ``drafts`` are the newest of each seat that the referee does not have, ``finals`` the seats that are done.
    """

    deadline: int = 0
    bot_time: int = 0
    commitments: list[bytes] = []
    planned: list[list[int]] = []
    arranged: list[list[int]] = []
    opened: list[bool] = []
    gone: list[bool] = []
    drafts: list[Draft | None] = []
    finals: list[bool] = []
    is_opening: bool = False
    showdown: dict[str, Any] | None = None
    show_end_time: int = 0
    instant_wins: list[dict[str, Any]] = []
