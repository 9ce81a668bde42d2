"""Messages of Mậu Binh: arrangements and events read, outcomes and showdowns written."""

from typing import Final

from referee.cards import Seat
from referee.dealing.commitment import SEED_SIZE
from referee.evidence.canonical import Hex
from referee.games.commission import house_part
from referee.games.mau_binh.arrangement import Arrangement
from referee.games.mau_binh.event import Arrange, Commit, Event, Leave, Timeout
from referee.games.mau_binh.game import GAME
from referee.games.mau_binh.settlement import Outcome
from referee.games.mau_binh.showdown import SeatShown, Showdown
from referee.games.mau_binh.state import State
from referee.rulesets import Ruleset
from referee.v1 import mau_binh_pb2
from referee.wire.game_messages import GameMessages
from referee.wire.refusal import invalid_field, missing_choice
from referee.wire.values import numbers_of, read_cards, write_name, write_transfers, write_value


def read_arrangement(message: mau_binh_pb2.Arrangement, *, field: str) -> Arrangement:
    """Read an arrangement, lawful or not; refuse numbers that name no card."""
    return Arrangement(
        read_cards(message.back, field=f"{field}.back"),
        read_cards(message.middle, field=f"{field}.middle"),
        read_cards(message.front, field=f"{field}.front"),
    )


def read_event(message: mau_binh_pb2.MauBinhEvent, *, time: int, round_id: bytes, field: str) -> Event:
    """Read an event; refuse one without a choice, with a number that names no card, or with a misplaced nonce."""
    choice = message.WhichOneof("choice")
    if message.nonce and (choice != "arrange" or len(message.nonce) != SEED_SIZE):
        raise invalid_field(f"a nonce has {SEED_SIZE} bytes and comes with an arrangement", field=f"{field}.nonce")
    match choice:
        case "arrange":
            held = read_arrangement(message.arrange, field=f"{field}.arrange")
            nonce = Hex(message.nonce) if message.nonce else None
            return Arrange(Seat(message.seat), held.back, held.middle, held.front, time, nonce).in_round(round_id)
        case "leave":
            return Leave(Seat(message.seat), time)
        case "commit":
            if len(message.commit.commitment) != SEED_SIZE:
                raise invalid_field(
                    f"a commitment has {SEED_SIZE} bytes, not {len(message.commit.commitment)}",
                    field=f"{field}.commit.commitment",
                )
            return Commit(Seat(message.seat), Hex(message.commit.commitment), time)
        case "timeout":
            return Timeout(Seat(message.seat), time)
        case _:
            raise missing_choice("say what the seat did", message, "choice", field=field)


def write_arrangement(arrangement: Arrangement) -> mau_binh_pb2.Arrangement:
    """Write an arrangement."""
    message = mau_binh_pb2.Arrangement()
    _fill_arrangement(message, arrangement)
    return message


def write_outcome(outcome: Outcome, state: State, ruleset: Ruleset) -> bytes:
    """Return the bytes of the outcome message."""
    message = mau_binh_pb2.MauBinhOutcome(ruleset_digest=ruleset.digest, transfers=write_transfers(outcome.transfers))
    for seat, net in enumerate(outcome.net):
        result = message.seats.add(seat=seat, net_minor=net, winner=seat in outcome.winners)
        showing = outcome.showings[seat] if outcome.showings else None
        if showing is not None and not showing.left_before:
            _fill_arrangement(result.arrangement, showing.arrangement)
            result.values.extend([write_value(value, ruleset) for value in showing.values])
            result.fouled = bool(showing.fouls)
            result.defaulted = state.arrangements[seat] is None
        elif outcome.instant_wins:
            _fill_arrangement(result.arrangement, state.shown(Seat(seat)))
            if win := outcome.instant_wins[seat]:
                result.instant_win = win.pattern
        departure = state.departures[seat]
        if departure is not None:
            result.left_at = departure
    if (part := house_part(state.rules.commission, outcome.transfers)) is not None:
        message.house_net_minor = part
    return message.SerializeToString()


def _fill_arrangement(message: mau_binh_pb2.Arrangement, arrangement: Arrangement) -> None:
    message.back.extend(numbers_of(arrangement.back))
    message.middle.extend(numbers_of(arrangement.middle))
    message.front.extend(numbers_of(arrangement.front))


def write_showdown(shown: Showdown, *, start_time: int, seconds: int) -> mau_binh_pb2.Showdown:
    """Write a showdown, with times in ms since 1970 UTC; each chi is shown for ``seconds``."""
    return mau_binh_pb2.Showdown(
        start_time=start_time,
        chi=[
            mau_binh_pb2.ShownChi(
                position=chi.chi,
                name=write_name(chi.name),
                start_time=start_time + 1000 * chi.start_seconds,
                seconds=seconds,
                hands=[_write_shown(seat) for seat in chi.seats],
            )
            for chi in shown.chi
        ],
        summary_time=start_time + 1000 * shown.summary_seconds,
        summary=[
            mau_binh_pb2.ShownSummary(
                seat=line.seat,
                chi_units=line.chi_units,
                added_units=line.added_units,
                instant_win_units=line.instant_win_units,
                net_units=line.net_units,
                net_minor=line.net,
                commission_minor=line.commission or None,
                instant_win=line.pattern,
                instant_win_name=None if line.name is None else write_name(line.name),
                fouled=line.is_fouled,
                winner=line.is_winner,
            )
            for line in shown.summary
        ],
    )


def _write_shown(seat: SeatShown) -> mau_binh_pb2.ShownHand:
    return mau_binh_pb2.ShownHand(
        seat=seat.seat,
        cards=numbers_of(seat.cards),
        category=seat.category,
        name=None if seat.name is None else write_name(seat.name),
        fouled=seat.is_fouled,
        gone=seat.is_gone,
        units_won=seat.units_won,
        units_lost=seat.units_lost,
    )


MESSAGES: Final = GameMessages(
    game=GAME,
    descriptor=mau_binh_pb2.DESCRIPTOR.services_by_name["MauBinhService"],
    read_event=read_event,
    write_outcome=write_outcome,
)
"""The messages of the game."""
