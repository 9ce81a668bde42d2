"""The commands of pages that are no game's own. ``games.read`` reads them strictly from their JSON."""

from typing import Annotated

import msgspec

Identifier = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
Hash = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
CardText = Annotated[str, msgspec.Meta(pattern="^[2-9TJQKA][SCDH]$")]
Cards = Annotated[list[CardText], msgspec.Meta(max_length=13)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=256)]
"""A name as it was typed."""
Secret = Annotated[str, msgspec.Meta(pattern="^[A-Za-z0-9_-]{22,128}$")]
Whole = Annotated[int, msgspec.Meta(ge=-(2**53) + 1, le=2**53 - 1)]
Bet = Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]
Signature = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{128}$")]
Count = Annotated[int, msgspec.Meta(ge=0, le=1_000)]


class Hello(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="hello"):
    """First message of a page."""

    protocol: Whole
    secret: Secret
    person_name: Name = msgspec.field(name="name")
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


class Preview(Command, frozen=True, tag="preview"):
    """Command to describe a room before joining it."""

    room: Identifier


class Join(Command, frozen=True, tag="join"):
    """Command to enter a room: to play if a seat is free, to watch otherwise."""

    room: Identifier


class Leave(Command, frozen=True, tag="leave"):
    """Command to leave the room. During a round, a seat with a key signs it."""

    round_id: Hash | None = None
    seen: Count | None = None
    signature: Signature | None = None


class SitOut(Command, frozen=True, tag="sit_out"):
    """Command to watch instead of playing, or to play again."""

    is_out: bool


class Ready(Command, frozen=True, tag="ready"):
    """Command to be ready for the next round, with the bets for it, or not to be."""

    is_ready: bool
    ante_minor: Bet | None = None
    trips_minor: Bet | None = None


class AddBot(Command, frozen=True, tag="add_bot"):
    """Command to seat a bot."""


class RemoveBot(Command, frozen=True, tag="remove_bot"):
    """Command to remove the last bot."""


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


class Skip(InRound, frozen=True, tag="skip"):
    """Command to see no more of the show."""


class Move(InRound, frozen=True, kw_only=True):
    """A command that makes an event. A seat with a key signs it and says which event it had seen."""

    seen: Count | None = None
    signature: Signature | None = None


class Suggest(InRound, frozen=True, kw_only=True, tag="suggest"):
    """Command to ask for advice."""


class History(Command, frozen=True, tag="history"):
    """Command to list the finished rounds."""


class Replay(Command, frozen=True, kw_only=True, tag="replay"):
    """Command to send a finished round."""

    table: Identifier
    number: Whole
