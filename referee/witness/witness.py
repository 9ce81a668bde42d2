"""The rules of a witness: it cosigns a checkpoint that its log signed and that continues the one cosigned last.

=====  ==================================================================================================
200    cosigned; the answer is the cosignature's line
400    no submission, no checkpoint of three lines, or an old size above the checkpoint's
403    no trusted key of the origin signed it, or a line under such a key's name is forged
404    the origin is unknown
409    the old size is not the size cosigned last, which is answered; or another root of that size
422    the proof does not hold, or the root of an empty tree is not SHA-256 of no bytes
=====  ==================================================================================================

The checks come in the specification's order. A cosignature is stored durably before it is sent. A checkpoint with lines
after the root is rejected, because nobody could audit those lines. Source: https://c2sp.org/tlog-witness
"""

import hashlib
import re
from collections.abc import Callable
from typing import Final, NamedTuple

from referee.evidence.ed25519 import Signer
from referee.evidence.merkle import ProofError, verify_consistency
from referee.evidence.note import Note, NoteError
from referee.evidence.vkey import Algorithm, VerifierKey
from referee.log import Checkpoint, CheckpointError
from referee.log.cosignature import cosign, merged
from referee.log.submission import SIZE_TYPE, AddCheckpoint, SubmissionError, format_size
from referee.witness.state import SeenCheckpoint, WitnessState
from referee.witness.trust import Trusted

_TEXT: Final = "text/plain; charset=utf-8"
_EMPTY_TREE: Final = re.compile(r"[^\n]+\n0\n[A-Za-z0-9+/]{43}=\n")
STEPS: Final = ("JUDGED", "SIGNED", "KEPT")
"""The points at which ``probe`` is called, in order."""


class WitnessAnswer(NamedTuple):
    """HTTP status, body and media type."""

    status: int
    body: bytes
    media_type: str = _TEXT


class _RefusedError(Exception):
    """A submission that is not cosigned."""

    def __init__(self, answer: WitnessAnswer) -> None:
        super().__init__(answer.body.decode())
        self.answer = answer


class Witness:
    """Witness called ``name``. ``clock`` returns seconds since 1970 UTC. Crash tests set ``probe``, called at STEPS."""

    def __init__(  # noqa: PLR0913 - the parts of a witness
        self,
        state: WitnessState,
        signer: Signer,
        *,
        name: str,
        trusted: Trusted,
        clock: Callable[[], int],
        probe: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.key = VerifierKey(name, signer.public_key, Algorithm.COSIGNATURE_V1)
        self._state = state
        self._signer = signer
        self._trusted = trusted
        self._clock = clock
        self._probe = probe
        self._origins = {hashlib.sha256(origin.encode()).hexdigest(): origin for origin in trusted}

    @property
    def now(self) -> int:
        """Time in seconds since 1970 UTC by the clock that dates cosignatures."""
        return self._clock()

    def add_checkpoint(self, submission: bytes) -> WitnessAnswer:
        """Answer a submission; raise WitnessStateError if the state could not be used; a retry is safe."""
        try:
            return self._add(submission)
        except _RefusedError as refused:
            return refused.answer

    def checkpoint(self, origin_digest: str) -> WitnessAnswer:
        """Answer with the note cosigned last for the origin whose SHA-256, in hex, is given; 404 if there is none."""
        origin = self._origins.get(origin_digest)
        seen = None if origin is None else self._state.last(origin)
        return _refusal(404, "nothing was cosigned for this origin") if seen is None else WitnessAnswer(200, seen.note)

    def _add(self, submission: bytes) -> WitnessAnswer:
        try:
            request = AddCheckpoint.parse(submission)
            note = Note.parse(request.checkpoint)
        except (SubmissionError, NoteError) as error:
            raise _RefusedError(_refusal(400, str(error))) from None
        checkpoint = self._read(note)
        if request.old_size > checkpoint.size:
            raise _RefusedError(_refusal(400, "the old size is above the checkpoint's"))
        last = self._state.last(checkpoint.origin)
        if request.old_size != (0 if last is None else last.size):
            raise _RefusedError(_conflict(last))
        _check_growth(last, checkpoint, request.proof)
        self._probe("JUDGED")
        line = cosign(note, name=self.key.name, signer=self._signer, time=self._clock())
        self._probe("SIGNED")
        kept = SeenCheckpoint(checkpoint.size, checkpoint.root, merged(self._own_lines(note), [line]).format())
        if not self._state.move(checkpoint.origin, last, kept):
            raise _RefusedError(_conflict(self._state.last(checkpoint.origin)))
        self._probe("KEPT")
        return WitnessAnswer(200, line.format().encode())

    def _read(self, note: Note) -> Checkpoint:
        """Return the checkpoint of a note; reject a note that no trusted key of its origin signed."""
        keys = self._trusted.get(note.text.partition("\n")[0])
        if keys is None:
            raise _RefusedError(_refusal(404, "the origin is unknown here"))
        try:
            note.verify(keys)
        except NoteError as error:
            raise _RefusedError(_refusal(403, str(error))) from None
        try:
            return Checkpoint.parse(note.text)
        except CheckpointError as error:
            status = 422 if _EMPTY_TREE.fullmatch(note.text) else 400
            raise _RefusedError(_refusal(status, str(error))) from None

    def _own_lines(self, note: Note) -> Note:
        """Return the note with its log's signatures only."""
        keys = self._trusted[note.text.partition("\n")[0]]
        signers = {(key.name, key.key_id) for key in keys}
        return Note(note.text, tuple(line for line in note.signatures if (line.name, line.key_id) in signers))


def _check_growth(last: SeenCheckpoint | None, checkpoint: Checkpoint, proof: tuple[bytes, ...]) -> None:
    """Verify that the checkpoint continues the one cosigned last; reject it otherwise."""
    if last is None or last.size == 0:
        if proof:
            raise _RefusedError(_refusal(422, "a proof from an empty tree must be empty"))
        return
    if last.size == checkpoint.size:
        if proof:
            raise _RefusedError(_refusal(422, "a proof between equal sizes must be empty"))
        if last.root != checkpoint.root:
            raise _RefusedError(_refusal(409, f"another root of size {last.size} was cosigned before"))
        return
    try:
        verify_consistency(
            old_size=last.size, new_size=checkpoint.size, old_root=last.root, new_root=checkpoint.root, proof=proof
        )
    except ProofError as error:
        raise _RefusedError(_refusal(422, str(error))) from None


def _conflict(last: SeenCheckpoint | None) -> WitnessAnswer:
    return WitnessAnswer(409, format_size(0 if last is None else last.size), SIZE_TYPE)


def _refusal(status: int, reason: str) -> WitnessAnswer:
    return WitnessAnswer(status, f"{reason}\n".encode())
