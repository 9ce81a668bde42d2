"""``replay(inputs) == transcript``: the whole transcript follows from its inputs, byte for byte.

Nothing here reads a clock, a disk or a key. The game is the ruleset's, looked up in ``GAMES``.
"""

import hashlib
from collections.abc import Mapping

import msgspec

from referee.dealing.header import Header
from referee.dealing.lead import Lead
from referee.evidence.canonical import CanonicalError, encode_record, unhex
from referee.evidence.ed25519 import SIGNATURE_SIZE
from referee.games import (
    GAMES,
    Deal,
    DealError,
    EventBytesError,
    ResultValue,
    StakesError,
    UnlawfulEventError,
    under_ruleset,
)
from referee.money import house_net
from referee.rulesets import Ruleset
from referee.transcript.chain import Course
from referee.transcript.inputs import FORMAT, Inputs, TranscriptError, Unsealed
from referee.transcript.played import PlayedCourse, Playing
from referee.verdict import Violation


class UnlawfulRoundError(TranscriptError):
    """The inputs break the rules, so no transcript follows from them; ``violations`` say how."""

    def __init__(self, violations: tuple[Violation, ...], *, event_number: int) -> None:
        codes = ", ".join(violation.code for violation in violations)
        super().__init__(f"event {event_number}: {codes}" if event_number else codes)
        self.violations = violations
        self.event_number = event_number


class OpeningsError(TranscriptError):
    """Inputs in which sections open after other events than those that open them by the law of the game."""


class Replayed(msgspec.Struct, frozen=True):
    """A replayed round: its header, the round as it was played, each seat's net amount, and its payload.

    ``transferred`` is the sum of the amounts of all transfers, ``house`` what the house won or lost by them.
    """

    header: Header
    played: PlayedCourse
    net: tuple[int, ...]
    payload: bytes
    transferred: int
    house: int


def replay(inputs: Inputs, ruleset: Ruleset, *, header: Header | None = None) -> Replayed:
    """Return the transcript that follows from inputs under a ruleset.

    ``header`` is the one in ``inputs.header`` where the caller has read and checked it already. Raise
    UnlawfulRoundError where the events break the rules, EvidenceError where an event is not proved, TranscriptError
    where no round can have these inputs, and LawError for a defect of the game's law. The referee's signature in the
    receipt is for the caller to verify.
    """
    header = inputs.read_header() if header is None else header
    with under_ruleset(ruleset.id, ruleset.version):
        return _replay(inputs, ruleset, header)


def _replay(inputs: Inputs, ruleset: Ruleset, header: Header) -> Replayed:
    game = GAMES[ruleset.game]
    try:
        played = play_inputs(inputs, header, ruleset)
        if violations := game.check_closing(played.state, inputs.closed_time):
            raise UnlawfulRoundError(violations, event_number=0)
        outcome = game.settle(played.state)
        results = game.encode_results(played.state, outcome)
        payload = write_transcript(header, inputs, {**results, "events_hash": played.course.event_hash.hex()})
    except StakesError as error:
        raise UnlawfulRoundError(error.violations, event_number=0) from None
    except (DealError, EventBytesError, CanonicalError) as error:
        raise TranscriptError(str(error)) from None
    transferred = sum(transfer.amount for transfer in outcome.transfers)
    return Replayed(header, played, outcome.net, payload, transferred, house_net(outcome.transfers))


def play_inputs(inputs: Inputs, header: Header, ruleset: Ruleset) -> PlayedCourse:
    """Play the events of a round's inputs; raise as ``replay`` does, and the errors of the game's own values."""
    game, round_id = GAMES[ruleset.game], header.round_id
    begun = PlayedCourse(
        game=game,
        seat_keys=header.seat_keys,
        state=game.begin(ruleset.rules, deal_of(inputs, ruleset, round_id=round_id)),
        course=Course.begin(round_id=round_id, deck_root=unhex(inputs.deck_root)),
    )
    playing = Playing(begun)
    unsealed = {one.number: one.time for one in inputs.unsealed}
    texts, times = [bytes(one.event) for one in inputs.events], [one.time for one in inputs.events]
    events = game.events.decode_all(texts, times, round_id=round_id)
    for number, (one, event) in enumerate(zip(inputs.events, events, strict=True), 1):
        try:
            playing.play(event, received=one.received == 1)
        except UnlawfulEventError as error:
            raise UnlawfulRoundError(error.violations, event_number=number) from None
        if playing.opened is not None and number in unsealed:
            playing.unseal(unsealed[number])
    played = playing.played(texts)
    _check_evidence(inputs, played)
    return played


def unsealed_of(played: PlayedCourse) -> tuple[Unsealed, ...]:
    """Return the openings of a round as its inputs have them; those that are not open yet are left out."""
    return tuple(
        [Unsealed(one.number, tuple(sorted(one.sections)), one.time) for one in played.openings if one.time is not None]
    )


def _check_evidence(inputs: Inputs, played: PlayedCourse) -> None:
    """Verify that openings, receipt and signatures are those of the events; raise TranscriptError otherwise."""
    if played.opened is not None or inputs.unsealed != unsealed_of(played):
        openings = ", ".join(f"event {one.number} sections {sorted(one.sections)}" for one in played.openings) or "none"
        raise OpeningsError(f"inputs.unsealed is not what the events open: {openings}")
    receipt = inputs.receipt
    found = None if isinstance(receipt, msgspec.UnsetType) else (receipt.number, receipt.opens_section)
    if found != played.received:
        msg = f"inputs.receipt must be that of the last received event, number {played.course.received}, 0 for none"
        raise TranscriptError(msg)
    if len(inputs.signatures) != len(played.seat_keys):
        msg = f"inputs.signatures has {len(inputs.signatures)} members for {len(played.seat_keys)} seats"
        raise TranscriptError(msg)
    signatures = [unhex(text, SIGNATURE_SIZE) if text else b"" for text in inputs.signatures]
    played.check_signatures(signatures)


def encode_results(results: Mapping[str, ResultValue]) -> msgspec.Raw:
    """Encode results as they are written in a transcript."""
    return msgspec.Raw(encode_record(results))


def encode_inputs(inputs: Inputs) -> msgspec.Raw:
    """Encode inputs as they are written in a transcript."""
    return msgspec.Raw(encode_record(inputs))


def repeat_key(inputs: msgspec.Raw) -> bytes:
    """Return the SHA-256 of encoded inputs without closed_time, by which a settlement is known when it is repeated.

    The members are sorted, so closed_time is the first.
    """
    text = bytes(inputs)
    return hashlib.sha256(b"{" + text[text.index(b",") + 1 :]).digest()


def write_transcript(
    header: Header, inputs: Inputs | msgspec.Raw, results: Mapping[str, ResultValue] | msgspec.Raw
) -> bytes:
    """Write the payload of a SETTLE leaf."""
    return b'{"format":%d,"inputs":%b,"results":%b,"round_id":"%b"}' % (
        FORMAT,
        _text_of(inputs),
        _text_of(results),
        header.round_id.hex().encode("ascii"),
    )


def _text_of(record: object) -> bytes:
    """Return the canonical text of a record, or of what is encoded already."""
    return bytes(record) if isinstance(record, msgspec.Raw) else encode_record(record)


def deal_of(inputs: Inputs, ruleset: Ruleset, *, round_id: bytes) -> Deal:
    """Return what a round started from; raise TranscriptError where its sections or leader make no sense."""
    lead = Lead.of(inputs.leader, inputs.leader_by)
    if lead is None and (inputs.leader, inputs.leader_by) != (msgspec.UNSET, msgspec.UNSET):
        raise TranscriptError("inputs.leader and inputs.leader_by are there together, or neither")
    return Deal(
        round_id=round_id,
        seat_count=len(inputs.header.seat_keys),
        stake=inputs.header.stake,
        seat_stakes=inputs.header.seat_stakes,
        bet_unit=ruleset.bet_unit,
        sections=inputs.cards(),
        leader=None if lead is None else lead.seat,
        leader_by=None if lead is None else lead.by,
        dealt_time=inputs.dealt_time,
        is_sealed=inputs.is_sealed,
    )
