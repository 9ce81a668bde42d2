"""``replay(inputs) == transcript``: the whole transcript follows from its inputs, byte for byte.

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
from referee.transcript.inputs import FORMAT, Inputs, TranscriptError, check_openings
from referee.verdict import Violation


class UnlawfulRoundError(TranscriptError):
    """The inputs break the rules, so no transcript follows from them; ``violations`` say how."""

    def __init__(self, violations: tuple[Violation, ...], *, event_number: int) -> None:
        codes = ", ".join(violation.code for violation in violations)
        super().__init__(f"event {event_number}: {codes}" if event_number else codes)
        self.violations = violations
        self.event_number = event_number


@dataclass(frozen=True, slots=True)
class Replayed:
    """A replayed round: its header, the hashes h_0 to h_n of its events, and its payload."""

    header: Header
    hashes: tuple[bytes, ...]
    payload: bytes


_encoder: Final = msgspec.json.Encoder(order="sorted")


def replay(inputs: Inputs, ruleset: Ruleset, *, header: Header | None = None) -> Replayed:
    """Return the transcript that follows from inputs under a ruleset.

    ``header`` is the one in ``inputs.header`` where the caller has read and checked it already. Raise
    UnlawfulRoundError where the events break the rules, TranscriptError where no round can have these inputs.
    """
    header = inputs.read_header() if header is None else header
    hashes = chain_hashes(
        round_id=header.round_id,
        deck_root=canonical.unhex(inputs.deck_root),
        events=[bytes(event.event) for event in inputs.events],
    )
    results = _results(inputs, ruleset, round_id=header.round_id, events_hash=hashes[-1])
    return Replayed(header, tuple(hashes), write_transcript(header, inputs, results))


def encode_results(results: Mapping[str, ResultValue]) -> msgspec.Raw:
    """Encode results as they are written in a transcript."""
    return msgspec.Raw(_encoder.encode(results))


def write_transcript(header: Header, inputs: Inputs, results: Mapping[str, ResultValue] | msgspec.Raw) -> bytes:
    """Write the payload of a SETTLE leaf."""
    return b'{"format":%d,"inputs":%b,"results":%b,"round_id":"%b"}' % (
        FORMAT,
        _encoder.encode(inputs),
        _encoder.encode(results),
        header.round_id.hex().encode("ascii"),
    )


def deal_of(inputs: Inputs, ruleset: Ruleset, *, round_id: bytes) -> Deal:
    """Return what a round started from; raise TranscriptError where its sections or leader make no sense."""
    return Deal(
        round_id=round_id,
        seat_count=len(inputs.header.seat_keys),
        stake=inputs.header.stake,
        seat_stakes=inputs.header.seat_stakes,
        bet_unit=ruleset.bet_unit,
        sections=inputs.cards(),
        leader=_leader(inputs),
        dealt_time=inputs.dealt_time,
        is_sealed=inputs.is_sealed,
    )


def _results(inputs: Inputs, ruleset: Ruleset, *, round_id: bytes, events_hash: bytes) -> Mapping[str, ResultValue]:
    game, deal = GAMES[ruleset.game], deal_of(inputs, ruleset, round_id=round_id)
    try:
        events = [game.decode_event(bytes(event.event), time=event.time, round_id=round_id) for event in inputs.events]
        played = play(game, game.begin(ruleset.rules, deal), events)
        if played.violations:
            raise UnlawfulRoundError(played.violations, event_number=played.refused_event)
        check_openings(inputs, played.openings)
        if violations := game.check_closing(played.state, inputs.closed_time):
            raise UnlawfulRoundError(violations, event_number=0)
        outcome = game.settle(played.state)
    except StakesError as error:
        raise UnlawfulRoundError(error.violations, event_number=0) from None
    except (DealError, EventBytesError) as error:
        raise TranscriptError(str(error)) from None
    return {**game.encode_results(played.state, outcome), "events_hash": events_hash.hex()}


def _leader(inputs: Inputs) -> Seat | None:
    if not isinstance(inputs.leader, int):
        return None
    if isinstance(inputs.previous_winner_seat, int) and inputs.previous_winner_seat != inputs.leader:
        msg = f"seat {inputs.leader} led, but the previous winner sits at {inputs.previous_winner_seat}"
        raise TranscriptError(msg)
    return Seat(inputs.leader)
