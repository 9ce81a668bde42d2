"""The commands of pages, read strictly from their JSON.

>>> read(b'{"type":"command","id":"7","name":"ready","is_ready":true}')
Ready(is_ready=True, ante_minor=None, trips_minor=None, id='7')
"""

from typing import Annotated, Final

import msgspec

from referee_table.wording import Code, RefusedError

Identifier = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
Hash = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
CardText = Annotated[str, msgspec.Meta(pattern="^[2-9TJQKA][SCDH]$")]
Cards = Annotated[list[CardText], msgspec.Meta(max_length=13)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=256)]
"""A name as it was typed."""
Secret = Annotated[str, msgspec.Meta(pattern="^[A-Za-z0-9_-]{22,128}$")]
Language = Annotated[str, msgspec.Meta(pattern="^(vi|en)$")]
Bet = Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]


class Hello(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="hello"):
    """The first message of a page."""

    protocol: int
    secret: Secret
    tab: Identifier
    person_name: Name = msgspec.field(name="name")
    language: Language
    room: str = ""


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


class Join(Command, frozen=True, tag="join"):
    """A room to go to."""

    room: Identifier


class Leave(Command, frozen=True, tag="leave"):
    """The room is left."""


class Rename(Command, frozen=True, tag="rename"):
    """Another name."""

    person_name: Name
    language: Language


class Ready(Command, frozen=True, tag="ready"):
    """Whether the next round is wanted, and the bets for it."""

    is_ready: bool
    ante_minor: Bet | None = None
    trips_minor: Bet | None = None


class AddBot(Command, frozen=True, tag="add_bot"):
    """A bot takes a seat."""


class RemoveBot(Command, frozen=True, tag="remove_bot"):
    """The last bot goes."""


class InRound(Command, frozen=True):
    """A command about one round."""

    round_id: Hash


class Bind(InRound, frozen=True, tag="bind"):
    """What a seat is bound to before the deal."""

    seed_commitment: Hash
    token_hash: Hash | None = None


class Seed(InRound, frozen=True, tag="seed"):
    """A seat's seed."""

    seed: Hash


class Arrange(InRound, frozen=True, tag="arrange"):
    """An arrangement."""

    back: Cards
    middle: Cards
    front: Cards


class Check(InRound, frozen=True, tag="check"):
    """An arrangement to be checked."""

    back: Cards
    middle: Cards
    front: Cards


class Commit(InRound, frozen=True, tag="commit"):
    """A commitment to an arrangement."""

    commitment: Hash


class Open(InRound, frozen=True, tag="open"):
    """The arrangement that the seat is bound to."""

    back: Cards
    middle: Cards
    front: Cards
    nonce: Hash


class Play(InRound, frozen=True, tag="play"):
    """Cards put on the table."""

    cards: Annotated[Cards, msgspec.Meta(min_length=1)]


class Pass(InRound, frozen=True, tag="pass"):
    """The trick is let go."""


class Decide(InRound, frozen=True, tag="decide"):
    """A decision."""

    decision: Identifier


class Suggest(InRound, frozen=True, tag="suggest"):
    """Advice is wanted."""


class History(Command, frozen=True, tag="history"):
    """The finished rounds are wanted."""


class Replay(Command, frozen=True, tag="replay"):
    """One finished round is wanted."""

    table: Identifier
    number: int


AnyCommand = (
    Create
    | Join
    | Leave
    | Rename
    | Ready
    | AddBot
    | RemoveBot
    | Bind
    | Seed
    | Arrange
    | Check
    | Commit
    | Open
    | Play
    | Pass
    | Decide
    | Suggest
    | History
    | Replay
)

_READER: Final = msgspec.json.Decoder(AnyCommand)


def read(data: bytes) -> AnyCommand:
    """Read a command; raise BAD_COMMAND if a field is missing or invalid."""
    try:
        command: AnyCommand = _READER.decode(data)
    except (msgspec.ValidationError, msgspec.DecodeError) as error:
        raise RefusedError(Code.BAD_COMMAND, detail=str(error)) from None
    return command
