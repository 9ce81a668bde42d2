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
Bet = Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]
Signature = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{128}$")]
Count = Annotated[int, msgspec.Meta(ge=0, le=1_000)]


class Hello(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="hello"):
    """The first message of a page."""

    protocol: int
    secret: Secret
    tab: Identifier
    person_name: Name = msgspec.field(name="name")
    language: Language
    room: str = ""
    avatar: str = ""
    seat_key: Hash | None = None


class Command(msgspec.Struct, frozen=True, kw_only=True, tag_field="name"):
    """Any command."""

    id: Identifier


class Create(Command, frozen=True, tag="create"):
    """A room to make."""

    ruleset: Identifier
    stake_minor: int
    bots: Annotated[int, msgspec.Meta(ge=0, le=5)] = 0
    sealed: bool = False
    listed: bool = True
    bot_level: LevelName = "STEADY"
    bot_pace: PaceName = "USUAL"


class Quick(Command, frozen=True, tag="quick"):
    """A seat at any table of a ruleset, ready at once; a new table with bots if none is free."""

    ruleset: Identifier
    stake_minor: int | None = None


class Preview(Command, frozen=True, tag="preview"):
    """What a room is, asked before joining it."""

    room: Identifier


class Rules(Command, frozen=True, tag="rules"):
    """The rules of a ruleset are wanted."""

    ruleset: Identifier


class Join(Command, frozen=True, tag="join"):
    """A room to go to, to play or to watch."""

    room: Identifier
    watch: bool = False


class Leave(Command, frozen=True, tag="leave"):
    """The room is left; a seat with a key signs that while its round is played."""

    round_id: Hash | None = None
    seen: Count | None = None
    signature: Signature | None = None


class Rename(Command, frozen=True, tag="rename"):
    """Command to change the person's name, language or avatar."""

    person_name: Name
    language: Language
    avatar: str | None = None


class SitOut(Command, frozen=True, tag="sit_out"):
    """Whether the person watches instead of playing."""

    is_out: bool


class AutoReady(Command, frozen=True, tag="auto_ready"):
    """Whether the person is ready for each next round without being asked."""

    is_on: bool


class Say(Command, frozen=True, tag="say"):
    """A phrase or an emote of the fixed list."""

    phrase: Identifier


class Kick(Command, frozen=True, tag="kick"):
    """The host sends somebody away."""

    person: Identifier


class Pause(Command, frozen=True, tag="pause"):
    """The host stops dealing, or goes on."""

    is_paused: bool


class Ready(Command, frozen=True, tag="ready"):
    """Whether the next round is wanted, and the bets for it."""

    is_ready: bool
    ante_minor: Bet | None = None
    trips_minor: Bet | None = None


class AddBot(Command, frozen=True, tag="add_bot"):
    """A bot takes a seat."""


class RemoveBot(Command, frozen=True, tag="remove_bot"):
    """The last bot goes."""


class Bots(Command, frozen=True, tag="bots"):
    """How well the bots play and how long they think; what is left out stays."""

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
    """Advice is wanted."""


class History(Command, frozen=True, tag="history"):
    """The finished rounds are wanted."""


class Replay(Command, frozen=True, tag="replay"):
    """One finished round is wanted."""

    table: Identifier
    number: int


class Share(Command, frozen=True, tag="share"):
    """A link to one finished round is wanted, with the names of its people or without."""

    table: Identifier
    number: int
    has_names: bool = False


class Review(Command, frozen=True, tag="review"):
    """One finished round is wanted with the seat's choices beside the best."""

    table: Identifier
    number: int


SHARED: Final[tuple[type[Command], ...]] = (
    Create,
    Quick,
    Preview,
    Rules,
    Join,
    Leave,
    Rename,
    SitOut,
    AutoReady,
    Say,
    Kick,
    Pause,
    Ready,
    AddBot,
    RemoveBot,
    Bots,
    Bind,
    Seed,
    Suggest,
    History,
    Replay,
    Share,
    Review,
)
"""The commands that are no game's own."""
