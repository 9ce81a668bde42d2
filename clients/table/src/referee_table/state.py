"""State of a room, as its file has it between two starts of the table server.

Whatever the referee has signed is kept as the bytes that came. A room's file is written before any page sees what
it says, so that a table server that is started again goes on from what pages have seen.
"""

from typing import Any

import msgspec


class Done(msgspec.Struct):
    """A command that was answered, for a page that asks again."""

    id: str
    answer: dict[str, Any]


class Person(msgspec.Struct, kw_only=True):
    """Somebody at a table. ``key`` is the hash of what a page shows to be this person, empty for a bot.

    Times are milliseconds since 1970 UTC, None for not: when they came in, had a seat, were ready, lost their stream.
    """

    person: str
    key: str
    name: str
    language: str = "vi"
    is_bot: bool = False
    room: str = ""
    came_time: int = 0
    seated_time: int | None = None
    ready_time: int | None = None
    away_time: int | None = None
    kick_time: int | None = None
    score_minor: int = 0
    ante_minor: int = 0
    trips_minor: int = 0
    done: list[Done] = []


class RoundSeat(msgspec.Struct):
    """Who sits in one seat of a round."""

    person: str
    name: str
    is_bot: bool


class MauBinhState(msgspec.Struct, kw_only=True):
    """A round of Mậu Binh. Lists go by seat. ``nonces`` and ``planned`` are the bots' own."""

    deadline: int = 0
    bot_time: int = 0
    commitments: list[bytes] = []
    planned: list[list[int]] = []
    nonces: list[bytes] = []
    arranged: list[list[int]] = []
    opened: list[bool] = []
    gone: list[bool] = []
    is_opening: bool = False
    showdown: dict[str, Any] | None = None


class TienLenState(msgspec.Struct, kw_only=True):
    """A round of Tiến Lên. ``state`` is the referee's TienLenState, as its bytes."""

    state: bytes = b""
    deadline: int = 0
    bot_time: int = 0
    legal: dict[str, Any] | None = None
    played: list[int] = []
    trick: list[dict[str, Any]] = []
    last_trick: list[dict[str, Any]] = []


class UltimateTexasState(msgspec.Struct, kw_only=True):
    """A round of Ultimate Texas Hold'em. ``state`` is the referee's UltimateTexasState, as its bytes."""

    state: bytes = b""
    deadline: int = 0
    bot_time: int = 0
    board: list[int] = []
    house: list[int] = []


class Round(msgspec.Struct, kw_only=True):
    """A round that was prepared. Lists go by seat; what is not known yet is empty.

    ``tokens`` are the bots' own. ``message`` is the round so far, as the referee's message for the game, in bytes;
    ``event_hashes`` are those of its events, as their receipts name them. ``is_opening_due``: the newest receipt opens
    cards that were not asked for yet.
    """

    number: int
    table: str
    round_id: bytes
    header: bytes
    seats: list[RoundSeat]
    commitments: list[bytes]
    token_hashes: list[bytes]
    seeds: list[bytes]
    tokens: list[bytes]
    server_commitment: bytes = b""
    dealt_time: int = 0
    leader: int | None = None
    hands: list[list[int]] = []
    message: bytes = b""
    event_hashes: list[bytes] = []
    is_opening_due: bool = False
    mau_binh: MauBinhState | None = None
    tien_len: TienLenState | None = None
    ultimate_texas: UltimateTexasState | None = None


class RoomState(msgspec.Struct, kw_only=True):
    """A room.

    ``generation`` counts the tables in the log that it has used. ``previous`` are that table's rounds back to the last
    settled one, newest first, for the game whose winner leads.
    """

    room: str
    ruleset: str
    stake_minor: int
    is_sealed: bool
    is_listed: bool
    made_time: int
    version: int = 0
    generation: int = 1
    phase: str = "LOBBY"
    deadline: int | None = None
    people: list[Person] = []
    round: Round | None = None
    last: dict[str, Any] | None = None
    previous: list[bytes] = []
    previous_winner: str = ""
