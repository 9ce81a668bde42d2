"""State of a room, as its file has it between two starts of the table server.

A room's file is written before any page sees what it says, so that a table server that is started again goes on from
what pages have seen. What the referee has signed is in the SDK's journal.
"""

from typing import Any, Final

import msgspec

REMEMBERED: Final = 64
"""Commands of each person whose answers a room remembers."""


class Person(msgspec.Struct, kw_only=True):
    """Somebody at a table. ``key`` is the hash of what a page shows to be this person, empty for a bot.

    Times are milliseconds since 1970 UTC, None for not: when they came in, had a seat, were ready, lost their stream,
    and when they sit out unless they are ready. ``seat_key`` is the public key that their page signs with, a bot's
    ``signing_key`` its private one. ``score_minor`` is what they won here, ``answers`` are those to their
    newest commands, by id.
    """

    person: str
    key: str
    name: str
    is_bot: bool = False
    room: str = ""
    came_time: int = 0
    seated_time: int | None = None
    ready_time: int | None = None
    away_time: int | None = None
    sit_out_time: int | None = None
    ante_minor: int = 0
    trips_minor: int = 0
    answers: dict[str, dict[str, Any]] = {}
    seat_key: bytes = b""
    signing_key: bytes = b""
    is_sitting_out: bool = False
    score_minor: int = 0

    def remember(self, command: str, answer: dict[str, Any]) -> None:
        """Keep the answer to a command, once, and forget the oldest."""
        self.answers.setdefault(command, answer)
        for oldest in list(self.answers)[:-REMEMBERED]:
            del self.answers[oldest]


class RoundSeat(msgspec.Struct):
    """Who sits in one seat of a round, with the seat's public key where it has one."""

    person: str
    name: str
    is_bot: bool
    key: bytes = b""


class Round(msgspec.Struct, kw_only=True):
    """A round that was prepared. Lists go by seat; what is not known yet is empty.

    The SDK's journal has the round from its opening on. ``own`` is the game's PlayState, or as JSON has it after a
    restart; None before the deal. ``moved`` names the newest command that was about to become an event, by which its
    answer is found after a kill: the person, the command's id, the event's number.
    """

    number: int
    table: str
    round_id: bytes
    seats: list[RoundSeat]
    commitments: list[bytes] = []
    token_hashes: list[bytes] = []
    seeded: list[bool] = []
    own: Any = None
    moved: tuple[str, str, int] | None = None

    def seat_of(self, person: Person) -> int | None:
        """Return the seat of a person in this round; None without one."""
        return next((seat for seat, one in enumerate(self.seats) if one.person == person.person), None)


class PlayState(msgspec.Struct, kw_only=True):
    """What is kept of a round that is played, besides the SDK's journal; each game adds its own.

    ``bot_time`` is when the next bot begins to think, ``show_end_time`` when the show ends. ``instant_wins`` are the
    hands that won at the deal, as pages are shown them.
    """

    bot_time: int = 0
    show_end_time: int = 0
    instant_wins: list[dict[str, Any]] = []


class RoomState(msgspec.Struct, kw_only=True):
    """A room. ``generation`` counts the tables in the log that it has used.

    ``used_time`` is when somebody was here last; ``skipped`` are the people who have seen enough of the show.
    """

    room: str
    ruleset: str
    stake_minor: int
    is_sealed: bool
    used_time: int
    version: int = 0
    generation: int = 1
    phase: str = "LOBBY"
    phase_end_time: int | None = None
    people: list[Person] = []
    round: Round | None = None
    last: dict[str, Any] | None = None
    skipped: list[str] = []
