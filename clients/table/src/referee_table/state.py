"""State of a room, as its file has it between two starts of the table server.

Whatever the referee has signed is kept as the bytes that came. A room's file is written before any page sees what
it says, so that a table server that is started again goes on from what pages have seen.
"""

from typing import Any

import msgspec

from referee_table.bots import LevelName, PaceName


class Done(msgspec.Struct):
    """A command that was answered, for a page that asks again."""

    id: str
    answer: dict[str, Any]


class Stats(msgspec.Struct, kw_only=True):
    """Settled rounds of somebody: how many, how many won, what they brought in all, the best and the worst of them."""

    rounds: int = 0
    won: int = 0
    net_minor: int = 0
    best_minor: int = 0
    worst_minor: int = 0

    def add(self, net: int) -> None:
        """Add a round."""
        self.merge(Stats(rounds=1, won=int(net > 0), net_minor=net, best_minor=net, worst_minor=net))

    def merge(self, other: "Stats") -> None:
        """Add other rounds."""
        self.best_minor = max(self.best_minor, other.best_minor) if self.rounds else other.best_minor
        self.worst_minor = min(self.worst_minor, other.worst_minor) if self.rounds else other.worst_minor
        self.rounds += other.rounds
        self.won += other.won
        self.net_minor += other.net_minor


class Said(msgspec.Struct):
    """A phrase or an emote that somebody said last."""

    code: str
    time: int


class Person(msgspec.Struct, kw_only=True):
    """Somebody at a table. ``key`` is the hash of what a page shows to be this person, empty for a bot.

    Times are milliseconds since 1970 UTC, None for not: when they came in, had a seat, were ready, lost their stream,
    and when they are sent out unless they are ready. ``seat_key`` is the public key that their page signs with, a bot's
    ``signing_key`` its private one. ``back`` is the room that they were sent out of. ``wants_ready``: ready once as
    soon as seated; ``has_acted``: in the round being played.
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
    ante_minor: int = 0
    trips_minor: int = 0
    done: list[Done] = []
    avatar: str = ""
    seat_key: bytes = b""
    signing_key: bytes = b""
    back: str = ""
    is_sitting_out: bool = False
    is_auto_ready: bool = False
    wants_ready: bool = False
    has_acted: bool = False
    said: Said | None = None
    said_times: list[int] = []
    stats: Stats = msgspec.field(default_factory=Stats)


class RoundSeat(msgspec.Struct):
    """Who sits in one seat of a round, with the seat's public key, and a bot's private one, where it has them.

    ``device`` is the hash of the person's secret, whose scores the round counts for; empty for a bot, never shown.
    """

    person: str
    name: str
    is_bot: bool
    key: bytes = b""
    signing_key: bytes = b""
    device: str = ""


class Round(msgspec.Struct, kw_only=True):
    """A round that was prepared. Lists go by seat; what is not known yet is empty.

    ``tokens`` are the bots' own. ``message`` is the round so far, as the referee's message for the game, in bytes;
    ``event_hashes`` are those of its events, as their receipts name them. ``is_opening_due``: the newest receipt opens
    cards that were not asked for yet. ``own`` is what the game's play keeps besides: its own struct, or that struct as
    JSON has it after a restart. ``bot_level`` and ``bot_pace`` are the room's when the round was prepared.
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
    seed_signatures: list[bytes] = []
    deck_root: bytes = b""
    server_commitment: bytes = b""
    dealt_time: int = 0
    leader: int | None = None
    hands: list[list[int]] = []
    message: bytes = b""
    event_hashes: list[bytes] = []
    is_opening_due: bool = False
    own: Any = None
    bot_level: LevelName = "STEADY"
    bot_pace: PaceName = "USUAL"


class Member(msgspec.Struct, kw_only=True):
    """Somebody whom a kept table remembers. ``key`` is the hash of the device's secret, ``person`` the public name."""

    key: str
    person: str
    name: str
    avatar: str
    stats: Stats


class Net(msgspec.Struct):
    """What one member has paid another in all, as public names; negative for what it was paid."""

    payer: str
    payee: str
    amount_minor: int = 0


class Kept(msgspec.Struct, kw_only=True):
    """What makes a room a kept table: until when it stays without a round, and whom it remembers.

    The first member is its host.
    """

    until: int
    members: list[Member] = []
    nets: list[Net] = []


class RoomState(msgspec.Struct, kw_only=True):
    """A room. ``kept`` is None for one that closes when its last person leaves.

    Until ``scene_until`` the end of the last round is shown, and no clock runs against anyone. ``banned`` are the keys
    of people whom the host sent away. ``generation`` counts the tables in the log that it has used. ``previous`` are
    that table's rounds back to the last settled one, newest first, for the game whose winner leads.
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
    is_paused: bool = False
    scene_until: int | None = None
    banned: list[str] = []
    kept: Kept | None = None
    bot_level: LevelName = "STEADY"
    bot_pace: PaceName = "USUAL"
