"""``replay(inputs) == transcript``: the whole transcript follows from its inputs, byte for byte.

Nothing here reads a clock, a disk or a key. The game is the ruleset's, looked up in ``GAMES``.
"""

from typing import NamedTuple

import msgspec

from referee.dealing.header import Header
from referee.dealing.lead import read_lead
from referee.evidence.canonical import CanonicalError, unhex
from referee.evidence.ed25519 import SIGNATURE_SIZE
from referee.games import DealError, EventBytesError, StakesError, under_ruleset
from referee.rulesets import Ruleset
from referee.transcript.inputs import Inputs, TranscriptError
from referee.transcript.round import Round, write_transcript
from referee.verdict import Violation


class UnlawfulRoundError(TranscriptError):
    """The inputs break the rules, so no transcript follows from them; ``violations`` say how."""

    def __init__(self, violations: tuple[Violation, ...], *, event_number: int) -> None:
        codes = ", ".join(violation.code for violation in violations)
        super().__init__(f"event {event_number}: {codes}" if event_number else codes)
        self.violations = violations
        self.event_number = event_number


class OpeningsError(TranscriptError):
    """Inputs whose ``unsealed`` differs from the sections that the events open by the law of the game."""


class Replayed(NamedTuple):
    """A replayed round and the payload of its SETTLE."""

    round: Round
    payload: bytes


def replay(inputs: Inputs, ruleset: Ruleset, *, header: Header | None = None) -> Replayed:
    """Return the transcript that follows from inputs under a ruleset.

    ``header`` is the header of ``inputs``, if the caller has read it already. Raise UnlawfulRoundError if the events
    break the rules, EvidenceError if an event is not proved, TranscriptError if no round can have these inputs, and
    LawError for a defect of the game's law. The referee's signature in the receipt is not verified here.
    """
    header = inputs.read_header() if header is None else header
    with under_ruleset(ruleset.id, ruleset.version):
        try:
            replayed = _play(inputs, header, ruleset)
            if violations := replayed.game.check_closing(replayed.state, inputs.closed_time):
                raise UnlawfulRoundError(violations, event_number=0)
            return Replayed(replayed, write_transcript(header, inputs, replayed.results))
        except StakesError as error:
            raise UnlawfulRoundError(error.violations, event_number=0) from None
        except (DealError, EventBytesError, CanonicalError) as error:
            raise TranscriptError(str(error)) from None


def _play(inputs: Inputs, header: Header, ruleset: Ruleset) -> Round:
    """Return the round of the inputs with all its events, not yet settled.

    Raise TranscriptError or EvidenceError as ``replay`` does; StakesError, DealError and EventBytesError pass as they
    are.
    """
    lead = read_lead(inputs.leader, inputs.leader_by)
    if lead is None and (inputs.leader, inputs.leader_by) != (msgspec.UNSET, msgspec.UNSET):
        raise TranscriptError("inputs.leader and inputs.leader_by are there together, or neither")
    begun = Round.begin(
        header,
        ruleset,
        sections=inputs.cards(),
        deck_root=unhex(inputs.deck_root),
        dealt_time=inputs.dealt_time,
        lead=lead,
        is_sealed=inputs.is_sealed,
    )
    times = {unsealed.number: unsealed.time for unsealed in inputs.unsealed}

    texts = [bytes(entry.event) for entry in inputs.events]
    events = begun.game.events.decode_all(texts, [entry.time for entry in inputs.events], round_id=header.round_id)
    received = [entry.received == 1 for entry in inputs.events]
    played = begun.play(zip(events, received, strict=True), unsealed_time=times.get, texts=texts)
    if played.refused_event is not None:
        raise UnlawfulRoundError(played.violations, event_number=played.refused_event)
    _check_proof(inputs, played)
    return played


def _check_proof(inputs: Inputs, played: Round) -> None:
    """Verify that the inputs' ``unsealed``, receipt and signatures fit the events; raise TranscriptError otherwise."""
    if played.is_pending or inputs.unsealed != played.unsealed:
        opened = [f"event {opening.number} sections {sorted(opening.sections)}" for opening in played.openings]
        raise OpeningsError(f"inputs.unsealed is not what the events open: {', '.join(opened) or 'none'}")
    receipt = inputs.receipt
    receipted = None
    if not isinstance(receipt, msgspec.UnsetType):
        receipted = receipt.number, receipt.opens_section if isinstance(receipt.opens_section, int) else None
    if receipted != played.received:
        msg = f"inputs.receipt must be that of the last received event, number {played.course.received}, 0 for none"
        raise TranscriptError(msg)
    seat_count = played.header.seat_count
    if len(inputs.signatures) != seat_count:
        msg = f"inputs.signatures has {len(inputs.signatures)} members for {seat_count} seats"
        raise TranscriptError(msg)
    played.check_signatures([unhex(text, SIGNATURE_SIZE) if text else b"" for text in inputs.signatures])
