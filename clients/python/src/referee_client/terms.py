"""The terms of a round, and the check that the server's header has them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from referee.dealing.header import NO_KEY, NO_LEAF, Header, HeaderError
from referee.games import GAMES
from referee.rulesets import load_builtin
from referee.v1 import log_pb2
from referee.v1.money_pb2 import SeatStake
from referee.v1.round_pb2 import RoundHeader
from referee.v1.shuffler_pb2 import RoundTerms
from referee.wire.game_messages import GameMessages
from referee.wire.registry import GAME_MESSAGES
from referee_client.errors import VerificationError
from referee_client.numbers import check_time, check_whole


class Bet(NamedTuple):
    """A seat's own bets in Ultimate Texas Hold'em, in minor units; the Blind equals the Ante."""

    ante: int
    """Bet on the hand, in minor units: a multiple of the table's stake."""
    trips: int = 0
    """Side bet in minor units; 0 for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """Terms of a table's next round.

    Raise ValueError, which names the field and its unit, for an amount that is no whole number or negative, and for a
    time in seconds.
    """

    table: str
    """Your name for the table: 1 to 64 characters of ``A-Z a-z 0-9 . _ -``.

    With access control, what comes before its first dot is the caller's tenant.
    """
    ruleset: str
    """Id of the ruleset, such as ``"mau_binh.classic"``; ``Client.rulesets`` lists them."""
    seats: int
    """Number of seats that are dealt to."""
    currency: str = "CHIP"
    """Name of the currency, such as ``"VND"``: 1 to 16 printable ASCII characters."""
    stake: int = 1
    """One stake in minor units: a multiple of the ruleset's bet unit. In a game with bets, the bet unit."""
    bets: Sequence[Bet] = ()
    """Each seat's own bets, in the order of the seats; empty in a game without bets."""
    seat_keys: Sequence[bytes] = ()
    """Ed25519 public keys by seat of players who keep their keys elsewhere; zeros for a seat without one."""
    version: str = ""
    """Version of the ruleset; empty for the newest."""
    deal_deadline: int = 0
    """Last time for the deal in ms since 1970 UTC, at most ten minutes ahead; 0 for two minutes from the opening."""
    round_deadline: int = 0
    """Last time for the settlement in ms since 1970 UTC, within the ruleset's bounds after ``deal_deadline``.

    0 is fifteen minutes, or the ruleset's shortest time if that is longer.
    """

    def __post_init__(self) -> None:
        check_whole("seats", self.seats, unit="the number of seats")
        check_whole("stake", self.stake, unit="minor units of the currency, such as cents")
        for seat, bet in enumerate(self.bets):
            check_whole(f"bets[{seat}].ante", bet.ante, unit="minor units of the currency, such as cents")
            check_whole(f"bets[{seat}].trips", bet.trips, unit="minor units of the currency, such as cents")
        check_time("deal_deadline", self.deal_deadline)
        check_time("round_deadline", self.round_deadline)

    def write(self, *, seat_keys: Sequence[bytes]) -> RoundTerms:
        """Return the terms as a message; ``seat_keys`` are the public keys of all seats, or empty."""
        return RoundTerms(
            table_id=self.table,
            ruleset_id=self.ruleset,
            ruleset_version=self.version or None,
            seat_count=self.seats,
            currency=self.currency,
            stake_minor=self.stake,
            seat_stakes=[SeatStake(bet_minor=bet.ante, side_bet_minor=bet.trips or None) for bet in self.bets],
            seat_keys=[b"" if key == NO_KEY else key for key in seat_keys],
            deal_deadline_time=self.deal_deadline or None,
            round_deadline_time=self.round_deadline or None,
        )

    def check(self, header: Header, *, seat_keys: Sequence[bytes], origin: str) -> None:
        """Verify that a header has these terms; raise VerificationError, which names the first difference."""
        keys = tuple(seat_keys) or (NO_KEY,) * self.seats
        for name, asked, found in (
            ("origin", origin, header.origin),
            ("table_id", self.table, header.table_id),
            ("ruleset_id", self.ruleset, header.ruleset_id),
            ("ruleset_version", self.version or header.ruleset_version, header.ruleset_version),
            ("currency", self.currency, header.currency),
            ("stake_minor", self.stake, header.stake),
            ("seat_stakes", tuple((bet.ante, bet.trips) for bet in self.bets), header.seat_stakes),
            ("seat_keys", keys, header.seat_keys),
            ("deal_deadline_time", self.deal_deadline or header.deal_deadline, header.deal_deadline),
            ("round_deadline_time", self.round_deadline or header.round_deadline, header.round_deadline),
        ):
            if asked != found:
                raise VerificationError(f"the header has another {name} than was asked for: {found!r}, not {asked!r}")


def check_ruleset(ruleset: str, *, game: str) -> None:
    """Raise ValueError, which names what there is, for a game that is not installed, or another game's ruleset."""
    messages_of(game)
    if ruleset.partition(".")[0] == game:
        return
    fitting = sorted({one.id for one in load_builtin() if one.game == game})
    raise ValueError(
        f"{ruleset!r} is no ruleset of {GAMES[game].title}; those that fit are {', '.join(fitting)}, and any other "
        f"of the server's own whose id begins with '{game}.' (client.rulesets() lists them)"
    )


def messages_of(game: str) -> GameMessages:
    """Return the messages of a game; raise ValueError, which lists the games there are, if it is not installed."""
    if game in GAME_MESSAGES and game in GAMES:
        return GAME_MESSAGES[game]
    raise ValueError(
        f"the game {game!r} is not installed here; there are {', '.join(GAME_MESSAGES)}. The package of a game adds it "
        "by the entry points referee.games and referee.messages"
    )


def round_request(table: str, number: int) -> log_pb2.GetTableRoundRequest:
    """Return the request for a round of a table, by number or 0 for the table's latest."""
    if number:
        return log_pb2.GetTableRoundRequest(round={"table_id": table, "round_number": number})
    return log_pb2.GetTableRoundRequest(table_id=table)


def read_header(message: RoundHeader) -> Header:
    """Read the header of a message; raise VerificationError if it breaks the protocol."""
    header = Header(
        protocol=message.protocol,
        origin=message.origin,
        randomness_suite=message.randomness_suite,
        table_id=message.round.table_id,
        round_number=message.round.round_number,
        ruleset_id=message.ruleset_id,
        ruleset_version=message.ruleset_version,
        ruleset_digest_hex=message.ruleset_digest.hex(),
        layout=tuple(message.layout),
        currency=message.currency,
        stake=message.stake_minor,
        seat_stakes=tuple([(stake.bet_minor, stake.side_bet_minor) for stake in message.seat_stakes]),
        seat_keys_hex=tuple([(key or NO_KEY).hex() for key in message.seat_keys]),
        previous_leaf_hex=(message.previous_leaf_hash or NO_LEAF).hex(),
        deal_deadline=message.deal_deadline_time,
        round_deadline=message.round_deadline_time,
    )
    try:
        header.validate()
    except HeaderError as error:
        raise VerificationError(f"the header breaks the protocol: {error.field}: {error}") from None
    return header
