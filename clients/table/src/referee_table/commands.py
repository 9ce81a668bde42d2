"""The commands of pages that are no game's own. ``reading`` reads them strictly from their JSON."""

from typing import Annotated, Final

import msgspec

from referee_table.bots import LevelName, PaceName

Identifier = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
Hash = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
CardText = Annotated[str, msgspec.Meta(pattern="^[2-9TJQKA][SCDH]$")]
Cards = Annotated[list[CardText], msgspec.Meta(max_length=13)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=256)]
"""A name as it was typed."""
Secret = Annotated[str, msgspec.Meta(pattern="^[A-Za-z0-9_-]{22,128}$")]
Language = Annotated[str, msgspec.Meta(pattern="^(vi|en)$")]
Whole = Annotated[int, msgspec.Meta(ge=-(2**53) + 1, le=2**53 - 1)]
Bet = Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]
Signature = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{128}$")]
Count = Annotated[int, msgspec.Meta(ge=0, le=1_000)]


class Hello(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="hello"):
    """First message of a page."""

    protocol: Whole
    secret: Secret
    tab: Identifier
    person_name: Name = msgspec.field(name="name")
    language: Language
    room: str = ""
    avatar: str = ""
    seat_key: Hash | None = None


class Command(msgspec.Struct, frozen=True, kw_only=True, tag_field="name"):
    """Base of all commands."""

    id: Identifier


class Create(Command, frozen=True, tag="create"):
    """Command to make a room."""

    ruleset: Identifier
    stake_minor: Whole
    bots: Annotated[int, msgspec.Meta(ge=0, le=5)] = 0
    sealed: bool = False
    listed: bool = True
    bot_level: LevelName = "STEADY"
    bot_pace: PaceName = "USUAL"


class Quick(Command, frozen=True, tag="quick"):
    """Command for a seat, ready at once, at any table of a ruleset; at a new table with bots if no seat is free."""

    ruleset: Identifier
    stake_minor: Whole | None = None


class Preview(Command, frozen=True, tag="preview"):
    """Command to describe a room before joining it."""

    room: Identifier


class Rules(Command, frozen=True, tag="rules"):
    """Command to send the rules of a ruleset."""

    ruleset: Identifier


class Join(Command, frozen=True, tag="join"):
    """Command to enter a room, to play or to watch."""

    room: Identifier
    watch: bool = False


class Leave(Command, frozen=True, tag="leave"):
    """Command to leave the room. During a round, a seat with a key signs it."""

    round_id: Hash | None = None
    seen: Count | None = None
    signature: Signature | None = None


class Rename(Command, frozen=True, tag="rename"):
    """Command to change the person's name, language or avatar."""

    person_name: Name
    language: Language
    avatar: str | None = None


class SitOut(Command, frozen=True, tag="sit_out"):
    """Command to watch instead of playing, or to play again."""

    is_out: bool


class AutoReady(Command, frozen=True, tag="auto_ready"):
    """Command to be ready for each next round without asking, or no longer."""

    is_on: bool


class Say(Command, frozen=True, tag="say"):
    """Command to say a phrase or show an emote of the fixed list."""

    phrase: Identifier


class Kick(Command, frozen=True, tag="kick"):
    """Command by which the host sends a person away."""

    person: Identifier


class Pause(Command, frozen=True, tag="pause"):
    """Command by which the host stops dealing, or goes on."""

    is_paused: bool


class Ready(Command, frozen=True, tag="ready"):
    """Command to be ready for the next round, with the bets for it, or not to be."""

    is_ready: bool
    ante_minor: Bet | None = None
    trips_minor: Bet | None = None


class AddBot(Command, frozen=True, tag="add_bot"):
    """Command to seat a bot."""


class RemoveBot(Command, frozen=True, tag="remove_bot"):
    """Command to remove the last bot."""


class Bots(Command, frozen=True, tag="bots"):
    """Command to set how well the bots play and how long they think. An absent member changes nothing."""

    bot_level: LevelName | None = None
    bot_pace: PaceName | None = None


class InRound(Command, frozen=True):
    """A command about one round."""

    round_id: Hash


class Bind(InRound, frozen=True, kw_only=True, tag="bind"):
    """Command with a seat's commitment to its seed and, on a sealed table, the hash of its token."""

    seed_commitment: Hash
    token_hash: Hash | None = None


class Seed(InRound, frozen=True, kw_only=True, tag="seed"):
    """A seat's seed; signed by a seat with a key."""

    seed: Hash
    signature: Signature | None = None


class Move(InRound, frozen=True, kw_only=True):
    """A command that makes an event. A seat with a key signs it and says which event it had seen."""

    seen: Count | None = None
    signature: Signature | None = None


class Suggest(InRound, frozen=True, kw_only=True, tag="suggest"):
    """Command to ask for advice."""


class AtTable(Command, frozen=True, kw_only=True):
    """A command about the person's room, or about a kept table that the person is a member of."""

    room: str = ""


class History(AtTable, frozen=True, tag="history"):
    """Command to list the finished rounds."""


class Members(AtTable, frozen=True, tag="members"):
    """Command to list the members of a kept table, with their scores and nets."""


class Keep(AtTable, frozen=True, kw_only=True, tag="keep"):
    """Command to be remembered by the table, or no longer. The host's first one makes it a kept table."""

    is_kept: bool


class HandOver(AtTable, frozen=True, kw_only=True, tag="hand_over"):
    """Command by which the host of a kept table makes another member its host."""

    person: Identifier


class Unkeep(AtTable, frozen=True, tag="unkeep"):
    """Command by which the host closes a kept table: it forgets its members, and closes when it is empty."""


class Replay(AtTable, frozen=True, kw_only=True, tag="replay"):
    """Command to send a finished round."""

    table: Identifier
    number: Whole


class Share(AtTable, frozen=True, kw_only=True, tag="share"):
    """Command to make a link to a finished round, with the names of its people or without."""

    table: Identifier
    number: Whole
    has_names: bool = False


class DeviceScores(Command, frozen=True, tag="scores"):
    """Command to send the device's scores over all rooms."""


class ForgetScores(Command, frozen=True, tag="forget_scores"):
    """Command to delete the device's scores."""


class Review(AtTable, frozen=True, kw_only=True, tag="review"):
    """Command to send a finished round with the seat's choices beside the best."""

    table: Identifier
    number: Whole


SHARED: Final[tuple[type[Command], ...]] = tuple(
    kind
    for kind in list(globals().values())
    if isinstance(kind, type) and issubclass(kind, Command) and kind not in {Command, InRound, Move, AtTable}
)
"""The commands that are no game's own."""
