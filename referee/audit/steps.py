"""Steps of rounds in an audit: how each leaf changes its round's slot, and the code for a step that is refused."""

from typing import Final, TypeAlias, assert_never

from msgspec.structs import replace

from referee.dealing.leaf import AbortLeaf, DealLeaf, RevealLeaf, UnsealLeaf
from referee.finding import Code
from referee.log import (
    AbortStep,
    DealStep,
    OpenStep,
    RevealStep,
    SettleStep,
    Slot,
    SlotReason,
    Stage,
    Step,
    Unseal,
    UnsealStep,
    advance,
)
from referee.transcript.inputs import Transcript

OPEN_CODES: Final = {
    SlotReason.ALREADY_OPENED: Code.OPENED_TWICE,
    SlotReason.PREVIOUS_ROUND_OPEN: Code.NEXT_ROUND_EARLY,
    SlotReason.WRONG_PREVIOUS: Code.WRONG_PREVIOUS_LEAF,
}
_SETTLE_CODES: Final = {
    SlotReason.NOT_DEALT: Code.SETTLED_UNDEALT,
    SlotReason.DECK_ROOT_MISMATCH: Code.DECK_ROOT_MISMATCH,
}
_NO_ROOT: Final = bytes(32)

RoundLeaf: TypeAlias = DealLeaf | UnsealLeaf | Transcript | AbortLeaf | RevealLeaf
"""A leaf that follows an OPEN in its round."""


def opened_after(step: OpenStep, leaf_hash: bytes, last: Slot | None) -> Slot:
    """Return the slot of a round opened after the table's last round; raise SlotError if it cannot be opened there.

    ``last`` is that round's slot, None for the table's first round.
    """
    previous = current = None
    if last is not None and last.key.round_number >= step.key.round_number:
        current = last
    elif last is not None and last.key.round_number == step.key.round_number - 1:
        previous = last
    return advance(step, leaf_hash=leaf_hash, previous=previous, current=current)


def step_of(leaf: RoundLeaf, state: Slot) -> Step:
    """Return the step that a leaf makes in its round; ``state`` is the round's slot before it."""
    key, round_id = state.key, state.round_id
    match leaf:
        case DealLeaf():
            return DealStep(key, round_id=round_id, deck_root=bytes.fromhex(leaf.deck_root))
        case UnsealLeaf():
            unseal = Unseal(leaf.number, bytes.fromhex(leaf.history))
            course = {known.number: known.history for known in state.unseals}  # openings compares the histories
            return UnsealStep(key, round_id=round_id, unseal=unseal, course=course)
        case Transcript():
            root = bytes.fromhex(leaf.inputs.deck_root)
            return SettleStep(key, round_id=round_id, deck_root=root, unseals=state.unseals)  # compared with the course
        case AbortLeaf():
            dealt = None if leaf.stage == "OPENED" else state.deck_root or _NO_ROOT
            return AbortStep(key, round_id=round_id, deck_root=dealt)
        case RevealLeaf():
            return RevealStep(key, round_id=round_id)
        case _:
            assert_never(leaf)


def forced(step: Step, state: Slot, leaf_hash: bytes) -> Slot:
    """Return the slot of a round after a step that was refused and is applied nevertheless.

    Without this, one refused step would make every later leaf of the round a finding.
    """
    match step:
        case SettleStep():
            return replace(state, stage=Stage.SETTLED, terminal_leaf=leaf_hash)
        case AbortStep():
            return replace(state, stage=Stage.ABORTED, terminal_leaf=leaf_hash)
        case RevealStep():
            return replace(state, is_revealed=True)
        case OpenStep() | DealStep() | UnsealStep():
            return state
        case _:
            assert_never(step)


def code_of(step: Step, reason: SlotReason) -> Code:
    """Return the code of the finding about a refused step."""
    match step:
        case OpenStep():
            return OPEN_CODES[reason]
        case DealStep():
            return Code.DEALT_TWICE
        case UnsealStep():
            return Code.UNSEAL_NOT_IN_COURSE
        case SettleStep():
            return _SETTLE_CODES.get(reason, Code.ENDED_TWICE)
        case AbortStep():
            is_over = reason in {SlotReason.ALREADY_SETTLED, SlotReason.ABORTED}
            return Code.ENDED_TWICE if is_over else Code.ABORT_MISMATCH
        case RevealStep():
            return Code.REVEALED_EARLY if reason is SlotReason.NOT_TERMINAL else Code.ENDED_TWICE
        case _:
            assert_never(step)
