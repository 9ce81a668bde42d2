"""``replay(told) == transcript``: the whole transcript follows from what was told, byte for byte.

Nothing here reads a clock, a disk or a key. The game is the ruleset's, looked up in ``GAMES``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import msgspec

from referee.cards import Seat
from referee.dealing.header import Header
from referee.evidence import canonical
from referee.games import GAMES, Deal, DealError, EventBytesError, ResultValue, StakesError, play
from referee.rulesets import Ruleset
from referee.transcript.chain import chain_hashes
from referee.transcript.told import FORMAT, Told, TranscriptError, check_openings
from referee.verdict import Violation


class UnlawfulRoundError(TranscriptError):
    """What was told breaks the rules, so no transcript follows from it; ``violations`` say how."""

    def __init__(self, violations: tuple[Violation, ...], *, event_number: int) -> None:
        codes = ", ".join(violation.code for violation in violations)
        super().__init__(f"event {event_number}: {codes}" if event_number else codes)
        self.violations = violations
        self.event_number = event_number


@dataclass(frozen=True, slots=True)
class Replayed:
    """A replayed round: its header, the hashes h_0 to h_n of its events, and the payload that follows."""

    header: Header
    hashes: tuple[bytes, ...]
    payload: bytes


_encoder: Final = msgspec.json.Encoder(order="sorted")


def replay(told: Told, ruleset: Ruleset, *, header: Header | None = None) -> Replayed:
    """The transcript that follows from what was told under a ruleset.

    ``header`` is the one that ``told.header`` spells, where the caller has read and checked it already.

    UnlawfulRoundError where the events break the rules, TranscriptError where they are none of the game or the header
    breaks the protocol.
    """
    header = told.read_header() if header is None else header
    hashes = chain_hashes(
        round_id=header.round_id,
        deck_root=canonical.unhex(told.deck_root),
        events=[bytes(event.event) for event in told.events],
    )
    found = _found(told, ruleset, round_id=header.round_id, events_hash=hashes[-1])
    return Replayed(header, tuple(hashes), write_transcript(header, told, found))


def encode_found(found: Mapping[str, ResultValue]) -> msgspec.Raw:
    """The found part as it stands in a transcript."""
    return msgspec.Raw(_encoder.encode(found))


def write_transcript(header: Header, told: Told, found: Mapping[str, ResultValue] | msgspec.Raw) -> bytes:
    """The payload of a SETTLE leaf."""
    return b'{"format":%d,"found":%b,"round_id":"%b","told":%b}' % (
        FORMAT,
        _encoder.encode(found),
        header.round_id.hex().encode("ascii"),
        _encoder.encode(told),
    )


def deal_of(told: Told, ruleset: Ruleset, *, round_id: bytes) -> Deal:
    """Return what a round started from; raise TranscriptError where its sections or leader make no sense."""
    return Deal(
        round_id=round_id,
        seat_count=len(told.header.seat_keys),
        stake=told.header.stake,
        seat_stakes=told.header.seat_stakes,
        bet_unit=ruleset.bet_unit,
        sections=told.cards(),
        leader=_leader(told),
        dealt_time=told.dealt_time,
        is_sealed=told.is_sealed,
    )


def _found(told: Told, ruleset: Ruleset, *, round_id: bytes, events_hash: bytes) -> Mapping[str, ResultValue]:
    game, deal = GAMES[ruleset.game], deal_of(told, ruleset, round_id=round_id)
    try:
        events = [game.decode_event(bytes(event.event), time=event.time, round_id=round_id) for event in told.events]
        played = play(game, game.begin(ruleset.rules, deal), events)
        if played.violations:
            raise UnlawfulRoundError(played.violations, event_number=played.refused_event)
        check_openings(told, played.openings)
        if violations := game.check_closing(played.state, told.closed_time):
            raise UnlawfulRoundError(violations, event_number=0)
        outcome = game.settle(played.state)
    except StakesError as error:
        raise UnlawfulRoundError(error.violations, event_number=0) from None
    except (DealError, EventBytesError) as error:
        raise TranscriptError(str(error)) from None
    return {**game.encode_results(played.state, outcome), "events_hash": events_hash.hex()}


def _leader(told: Told) -> Seat | None:
    if not isinstance(told.leader, int):
        return None
    if isinstance(told.previous_winner_seat, int) and told.previous_winner_seat != told.leader:
        msg = f"seat {told.leader} led, but the previous winner sits at {told.previous_winner_seat}"
        raise TranscriptError(msg)
    return Seat(told.leader)
