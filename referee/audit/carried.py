"""The cosigned checkpoint that a DEAL carries, which shows that OPEN was witnessed before the deal (level L3)."""

from typing import NamedTuple

import msgspec

from referee.audit.finding import Code, FindingError
from referee.audit.reading import Placed
from referee.dealing.leaf import DealLeaf, OpenLeaf
from referee.evidence.note import Note, NoteError
from referee.log import Checkpoint, CheckpointError


class Carried(NamedTuple):
    """A checkpoint and its note."""

    checkpoint: Checkpoint
    note: Note


def carried_checkpoint(opened: Placed[OpenLeaf], dealt: Placed[DealLeaf]) -> Carried | None:
    """Read the checkpoint that a DEAL carries, None if it has none; verify no signature and no root.

    Raise FindingError unless it is one of the header's log and of a tree that has the round's OPEN and not its DEAL.
    """
    text = dealt.leaf.cosigned_checkpoint
    if isinstance(text, msgspec.UnsetType):
        return None
    try:
        note = Note.parse(bytes.fromhex(text))
        checkpoint = Checkpoint.parse(note.text)
    except (NoteError, CheckpointError) as error:
        detail = f"the cosigned checkpoint in the deal cannot be read: {error}"
        raise FindingError(Code.COSIGNATURE_REFUSED, detail) from None
    origin, size = opened.leaf.header.origin, checkpoint.size
    if checkpoint.origin != origin:
        detail = f"the cosigned checkpoint in the deal is of {checkpoint.origin!r}, not of {origin!r}"
        raise FindingError(Code.COSIGNATURE_REFUSED, detail)
    if not opened.index < size <= dealt.index:
        detail = f"the cosigned checkpoint in the deal has {size} leaves, and OPEN is leaf {opened.index}"
        raise FindingError(Code.COSIGNATURE_REFUSED, detail)
    return Carried(checkpoint, note)
