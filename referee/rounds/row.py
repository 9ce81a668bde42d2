"""Rows of the five tables. A field's description and type are the table's schema; it changes only by addition.

Every row names its round by ``round_id``, and the rows of a round are all in the day on which it ended.
"""

from typing import Annotated, Final, TypeAlias

import msgspec

from referee.dealing.abort import AbortReason


def _column(description: str) -> msgspec.Meta:
    return msgspec.Meta(description=description)


def _time(description: str) -> msgspec.Meta:
    """Describe a column of milliseconds since 1970 UTC, which becomes a timestamp."""
    return msgspec.Meta(description=description, extra={"is_time": True})


RoundId: TypeAlias = Annotated[str, _column("id of the round, 64 hex digits")]


class RoundRow(msgspec.Struct, frozen=True, kw_only=True):
    """A round that ended."""

    round_id: RoundId
    table_id: Annotated[
        str, _column("table, as the frontend names it; up to its first dot the tenant, if there is one")
    ]
    round_number: Annotated[int, _column("number of the round at its table, from 1")]
    outcome: Annotated[str, _column("`SETTLED` or `ABORTED`")]
    opened_time: Annotated[int, _time("when it was opened")]
    dealt_time: Annotated[int | None, _time("when it was dealt; null if it never was")]
    ended_time: Annotated[int, _time("when it was settled or aborted")]
    ruleset_id: Annotated[str, _column("ruleset; it begins with the name of the game")]
    ruleset_version: Annotated[str, _column("version of the ruleset")]
    ruleset_digest: Annotated[str, _column("SHA-256 of the ruleset's file, 64 hex digits")]
    randomness_suite: Annotated[int, _column("1 for committed seeds, 250 for decks given for a test")]
    is_sealed: Annotated[bool, _column("whether the table was sealed")]
    seat_count: Annotated[int, _column("number of seats")]
    currency: Annotated[str, _column("currency of all amounts of the round")]
    stake: Annotated[int, _column("the table's stake, minor units")]
    staked: Annotated[int, _column("bets before the deal, minor units: the seats' own, or the stake of each seat")]
    transferred: Annotated[int, _column("sum of the round's transfers, minor units; 0 if aborted")]
    house_net: Annotated[int, _column("what the house won (positive) or lost, minor units; 0 if aborted")]
    event_count: Annotated[int, _column("number of events; 0 if aborted")]
    board: Annotated[tuple[tuple[str, ...], ...], _column("open sections after the hands, each its cards such as `TH`")]
    results: Annotated[str | None, _column("JSON: the game's results without seats and transfers; null if aborted")]
    open_leaf: Annotated[int, _column("index of the leaf that opened it")]
    deal_leaf: Annotated[int | None, _column("index of the leaf that dealt it; null if it was not dealt")]
    end_leaf: Annotated[int, _column("index of the leaf that settled or aborted it")]


class SeatRow(msgspec.Struct, frozen=True, kw_only=True):
    """A seat of a round."""

    round_id: RoundId
    seat: Annotated[int, _column("seat, from 0")]
    seat_key: Annotated[str | None, _column("public key of the seat, 64 hex digits; null without one")]
    bet: Annotated[int | None, _column("the seat's own bet, minor units; null where all play for the table's stake")]
    side_bet: Annotated[int | None, _column("the seat's side bet, minor units; null as `bet`")]
    net: Annotated[int | None, _column("what the seat won (positive) or lost, minor units; null if aborted")]
    cards: Annotated[tuple[str, ...], _column("the hand, such as `TH`; empty if aborted")]
    result: Annotated[
        str | None, _column("JSON: the game's results of the seat; null if aborted, or if the game has none")
    ]
    is_blamed: Annotated[bool, _column("whether the round was aborted because the seat sent no seed")]


class EventRow(msgspec.Struct, frozen=True, kw_only=True):
    """An event of a settled round."""

    round_id: RoundId
    number: Annotated[int, _column("number of the event in its round, from 1")]
    seat: Annotated[int, _column("seat that acted, or for which others did")]
    kind: Annotated[str, _column("kind of the event, by the game's code")]
    event: Annotated[str, _column("JSON: the event as the transcript has it; cards are numbers, 1 to 52")]
    time: Annotated[int, _time("when it happened")]
    is_received: Annotated[bool, _column("whether the referee's clock gave the time; otherwise the frontend did")]
    is_imposed: Annotated[
        bool | None, _column("whether others reported it of the seat; null if the game is not installed")
    ]
    since_event: Annotated[int, _column("ms since the event before it, the deal or an opening of cards, the latest")]
    since_cards: Annotated[int, _column("ms since the deal or the newest opening of cards")]


class TransferRow(msgspec.Struct, frozen=True, kw_only=True):
    """A payment of a settled round."""

    round_id: RoundId
    number: Annotated[int, _column("number of the transfer in its round, from 1")]
    payer: Annotated[int | None, _column("seat that pays; null for the house")]
    payee: Annotated[int | None, _column("seat that is paid; null for the house")]
    amount: Annotated[int, _column("minor units of the round's currency")]
    reason: Annotated[str, _column("code of the reason, of the game's own list")]
    subject: Annotated[str, _column("code of the hand or bet that the reason is about; empty without one")]


class AbortRow(msgspec.Struct, frozen=True, kw_only=True):
    """A round that ended without a settlement."""

    round_id: RoundId
    reason: Annotated[AbortReason, _column("`SEED_MISSING`, `DEADLINE`, `OPERATOR` or `VOID`")]
    stage: Annotated[str, _column("`OPENED` if it was aborted before its deal, `DEALT` after it")]
    seed_count: Annotated[int, _column("number of seats whose seed was received")]
    blamed: Annotated[tuple[int, ...], _column("seats without a seed, if that is the reason")]


Row: TypeAlias = RoundRow | SeatRow | EventRow | TransferRow | AbortRow
TABLES: Final[dict[str, type[Row]]] = {
    "rounds": RoundRow,
    "seats": SeatRow,
    "events": EventRow,
    "transfers": TransferRow,
    "aborts": AbortRow,
}
"""Rows by table."""
