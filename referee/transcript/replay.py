"""``replay(told) == transcript``: the whole transcript follows from what was told, byte for byte.

Nothing here reads a clock, a disk or a key, so anybody can do it again. Which module judges is decided by the type of
the ruleset's rules; a new game is one more branch.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import msgspec

from referee.dealing.header import Header
from referee.evidence import canonical
from referee.games.mau_binh.rules import MauBinhRules
from referee.games.tien_len import TienLenRules
from referee.games.ultimate_texas import UltimateTexasRules
from referee.rulesets import Ruleset
from referee.transcript import mau_binh, tien_len, ultimate_texas
from referee.transcript.chain import chain_hashes
from referee.transcript.found import FoundValue
from referee.transcript.told import FORMAT, Told, TranscriptError
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


def encode_found(found: Mapping[str, FoundValue]) -> msgspec.Raw:
    """The found part as it stands in a transcript."""
    return msgspec.Raw(_encoder.encode(found))


def write_transcript(header: Header, told: Told, found: Mapping[str, FoundValue] | msgspec.Raw) -> bytes:
    """The payload of a SETTLE leaf."""
    return b'{"format":%d,"found":%b,"round_id":"%b","told":%b}' % (
        FORMAT,
        _encoder.encode(found),
        header.round_id.hex().encode("ascii"),
        _encoder.encode(told),
    )


def _found(told: Told, ruleset: Ruleset, *, round_id: bytes, events_hash: bytes) -> Mapping[str, FoundValue]:
    if isinstance(ruleset.rules, MauBinhRules):
        events = [
            mau_binh.decode_event(bytes(event.event), time=event.time, round_id=round_id) for event in told.events
        ]
        outcome = mau_binh.judge(ruleset.rules, told, events)
        if outcome.violations:
            raise UnlawfulRoundError(outcome.violations, event_number=outcome.refused_event)
        return mau_binh.found_json(outcome, events_hash=events_hash)
    if isinstance(ruleset.rules, TienLenRules):
        if told.is_sealed:
            msg = "told.sealed: no table of Tiến Lên is sealed"
            raise TranscriptError(msg)
        made = [tien_len.decode_event(bytes(event.event), time=event.time) for event in told.events]
        played = tien_len.judge(ruleset.rules, told, made)
        if played.violations:
            raise UnlawfulRoundError(played.violations, event_number=played.refused_event)
        return tien_len.found_json(played, events_hash=events_hash)
    if isinstance(ruleset.rules, UltimateTexasRules):
        decided = [ultimate_texas.decode_event(bytes(event.event), time=event.time) for event in told.events]
        judged = ultimate_texas.judge(ruleset.rules, told, decided, bet_unit=ruleset.bet_unit)
        if judged.settled is None:
            raise UnlawfulRoundError(judged.violations, event_number=judged.refused_event)
        return ultimate_texas.found_json(judged.settled, events_hash=events_hash)
    msg = f"no rounds of {ruleset.game} can be replayed"
    raise TranscriptError(msg)
