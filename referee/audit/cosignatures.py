"""Checkpoints that witnesses cosigned, compared with the leaves while these are read.

A checkpoint is witnessed if a quorum of the named witnesses cosigned it and its root is that of the leaves. A witness
is a key, not a name: two names of one key, or a witness with one of the log's own keys, are findings. If a DEAL carries
a witnessed checkpoint whose tree has the round's OPEN, terms and commitments were fixed before the seats showed their
seeds (level L3). The latest time of a quorum bounds how old the log's state may be.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import msgspec

from referee.audit.reading import Placed
from referee.audit.timeline import Timeline
from referee.dealing.leaf import DealLeaf, OpenLeaf
from referee.evidence.note import Note, NoteError
from referee.evidence.vkey import VerifierKey
from referee.finding import Code, Difference, Finding, FindingError
from referee.log import Checkpoint, CheckpointError, SlotKey
from referee.log.cosignature import Attestation, Quorum
from referee.log.keys import KeyRecord


class CosignedCheckpoint(NamedTuple):
    """A checkpoint that witnesses may have cosigned, and its note."""

    checkpoint: Checkpoint
    note: Note


def carried_checkpoint(opened: Placed[OpenLeaf], dealt: Placed[DealLeaf]) -> CosignedCheckpoint | None:
    """Read the checkpoint that a DEAL carries, without verifying its signatures or its root; None if it carries none.

    Raise FindingError if it cannot be read, is of another log than the header's, or if its tree lacks the round's OPEN
    or has the DEAL itself.
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
    return CosignedCheckpoint(checkpoint, note)


AHEAD_SECONDS: Final = 300
"""Seconds by which a witness's clock may be ahead of the auditor's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Witnessing:
    """The witnesses that an auditor trusts, as a quorum, and the checkpoints that they cosigned, smallest first.

    ``max_age`` is the longest time in ms since the quorum last cosigned; None for no limit. ``outgrown`` are earlier
    signed checkpoints; a log that has not grown beyond each of them is reported.
    """

    quorum: Quorum | None = None
    cosigned: Iterable[bytes] = ()
    max_age: int | None = None
    outgrown: Sequence[bytes] = ()


NO_WITNESSING: Final = Witnessing()


class CosignedHeads:
    """Cosigned checkpoints of one audit, each compared with the leaves once their number is its size.

    ``kept`` are further signed notes, in any order, with or without cosignatures.
    """

    def __init__(  # noqa: PLR0913 - the terms of an audit
        self,
        witnessing: Witnessing,
        *,
        kept: Sequence[bytes],
        origin: str,
        now: int,
        report: Callable[[Finding], None],
        timeline: Timeline,
    ) -> None:
        self._timeline = timeline
        self._quorum = witnessing.quorum
        self._max_age = witnessing.max_age
        self._origin = origin
        self._now = now
        self._report = report
        self._is_witnessed = False
        self._newest: CosignedCheckpoint | None = None
        self._time = 0
        self._blamed: set[tuple[str, str]] = set()
        notes = () if witnessing.quorum is None else sorted(kept, key=_size_of)
        self._kept = self._read(notes, is_listed=False)
        self._listed = self._read(() if witnessing.quorum is None else witnessing.cosigned, is_listed=True)
        self._next_kept, self._next_listed = next(self._kept, None), next(self._listed, None)
        self.next_size = self._smallest()
        """Number of leaves at which ``compare`` must be called next; None if no checkpoint is left."""

    @property
    def newest_time(self) -> int:
        """Latest time in ms at which a quorum cosigned a tree of this log; 0 for none."""
        return 1000 * self._time

    def compare(self, size: int, root: bytes, log_keys: Sequence[VerifierKey]) -> None:
        """Compare the checkpoints of this size with the root of the first ``size`` leaves.

        A smaller checkpoint that is still waiting was listed after a larger one, which is a finding.
        """
        while self._next_kept is not None and self._next_kept.checkpoint.size <= size:
            self._judge(self._next_kept, size, root, ())
            self._next_kept = next(self._kept, None)
        while self._next_listed is not None and self._next_listed.checkpoint.size <= size:
            self._judge(self._next_listed, size, root, log_keys)
            self._next_listed = next(self._listed, None)
        self.next_size = self._smallest()

    def _smallest(self) -> int | None:
        sizes = [one.checkpoint.size for one in (self._next_kept, self._next_listed) if one is not None]
        return min(sizes, default=None)

    def vouch(
        self,
        opened: Placed[OpenLeaf],
        dealt: Placed[DealLeaf],
        *,
        root_of: Callable[[int], bytes | None],
        log_keys: Sequence[VerifierKey],
    ) -> bool:
        """Verify the checkpoint that a DEAL carries; return whether there is one that a quorum cosigned.

        ``root_of`` returns the root of the tree with this number of leaves, None if it is unknown. A checkpoint that
        cannot be read is reported by the examination of the round, not here.
        """
        try:
            carried = carried_checkpoint(opened, dealt)
        except FindingError:
            return False
        root = None if carried is None else root_of(carried.checkpoint.size)
        if carried is None or root is None:
            return False
        checkpoint, note = carried
        try:
            note.verify(log_keys)
        except NoteError:
            detail = "the log did not sign the cosigned checkpoint in the deal"
            self._report(Finding.of(Code.COSIGNATURE_REFUSED, detail, leaf_index=dealt.index))
            return False
        if checkpoint.root != root:
            difference = Difference("root", note.format().decode(), root.hex())
            detail = f"the deal carries another tree of {checkpoint.size} leaves, which the log signed"
            self._report(Finding.of(Code.HISTORY_REWRITTEN, detail, leaf_index=dealt.index, difference=difference))
            return False
        if self._quorum is None:
            return False
        attested = self._attested(self._quorum, carried)
        header = opened.leaf.header
        self._timeline.witness_deal(
            (opened.index, opened.leaf.opened_time),
            (dealt.index, dealt.leaf.dealt_time),
            SlotKey(header.table_id, header.round_number),
            [1000 * time for _, time in attested.times],
        )
        return attested.is_quorate

    def close(
        self, head: Checkpoint, records: Sequence[KeyRecord], outgrown: Sequence[tuple[Checkpoint, bytes]]
    ) -> None:
        """Report the findings about the whole log; call it once all leaves are read."""
        quorum = self._quorum
        if quorum is not None:
            self._judge_larger(quorum)
            self._check_keys(quorum, records)
            if head.size and not self._is_witnessed:
                shown = Note("", ()) if self._newest is None else self._newest.note
                missing = ", ".join(quorum.attest(shown).missing)
                detail = f"no checkpoint has the cosignatures of {quorum.words}"
                self._find(Code.QUORUM_UNMET, f"{detail}; the newest lacks {missing}" if missing else detail)
            elif self._max_age is not None and self._is_witnessed and self._now - 1000 * self._time > self._max_age:
                detail = (
                    f"witnesses vouched for the log last at {1000 * self._time}, {self._now - 1000 * self._time} ms ago"
                )
                self._find(Code.HEAD_FROZEN, detail)
        for seen, note in outgrown:
            if seen.size == head.size:
                difference = Difference("checkpoint", head.body, note.decode())
                detail = f"the log has not grown beyond {seen.size} leaves, which were seen before"
                self._report(Finding.of(Code.HEAD_FROZEN, detail, difference=difference))

    def _read(self, notes: Iterable[bytes], *, is_listed: bool) -> Iterator[CosignedCheckpoint]:
        for data in notes:
            try:
                note = Note.parse(data)
                checkpoint = Checkpoint.parse(note.text)
            except (NoteError, CheckpointError) as error:
                if is_listed:
                    self._find(Code.COSIGNATURE_REFUSED, f"a cosigned checkpoint cannot be read: {error}")
                continue
            if checkpoint.origin == self._origin:
                yield CosignedCheckpoint(checkpoint, note)
            elif is_listed:
                detail = f"a cosigned checkpoint is of {checkpoint.origin!r}, not of {self._origin!r}"
                self._find(Code.COSIGNATURE_REFUSED, detail)

    def _judge(self, shown: CosignedCheckpoint, size: int, root: bytes, log_keys: Sequence[VerifierKey]) -> None:
        quorum, checkpoint = self._quorum, shown.checkpoint
        if quorum is None:
            return
        if checkpoint.size < size:
            self._find_unordered(shown)
            return
        timely = self._attested(quorum, shown)
        if self._newest is None or checkpoint.size >= self._newest.checkpoint.size:
            self._newest = shown
        if checkpoint.root != root:
            if log_keys:  # the audit itself compares kept notes with the leaves
                self._accuse(shown, root, log_keys)
            return
        self._timeline.witness([1000 * time for _, time in timely.times])
        if timely.is_quorate:
            self._is_witnessed = True
            self._time = max(self._time, timely.time)

    def _judge_larger(self, quorum: Quorum) -> None:
        """Verify the cosignatures of checkpoints that have more leaves than the log, and their order in the list."""
        if self._next_kept is not None:
            for shown in (self._next_kept, *self._kept):
                self._attested(quorum, shown)
        if self._next_listed is None:
            return
        last = 0
        for shown in (self._next_listed, *self._listed):
            if shown.checkpoint.size < last:
                self._find_unordered(shown)
                continue
            last = shown.checkpoint.size
            self._attested(quorum, shown)

    def _find_unordered(self, shown: CosignedCheckpoint) -> None:
        detail = f"the cosigned checkpoint of {shown.checkpoint.size} leaves is listed after a larger one"
        self._find(Code.COSIGNATURE_REFUSED, detail)

    def _attested(self, quorum: Quorum, shown: CosignedCheckpoint) -> Attestation:
        """Return the valid cosignatures of a note that are not of a future time; report the others."""
        attestation = quorum.attest(shown.note)
        size = shown.checkpoint.size
        for key in attestation.forged:
            self._blame(key, f"a cosignature under {key.text} is not by that key; the first has {size} leaves")
        timely = attestation.until(self._now // 1000 + AHEAD_SECONDS)
        for key, time in attestation.times:
            if (key, time) not in timely.times:
                self._blame(key, f"a cosignature under {key.text} names {1000 * time}, a time in the future")
        return timely

    def _accuse(self, shown: CosignedCheckpoint, root: bytes, log_keys: Sequence[VerifierKey]) -> None:
        """Report a cosigned checkpoint whose root is not that of the leaves; the log's fault only if it signed it."""
        size = shown.checkpoint.size
        try:
            shown.note.verify(log_keys)
        except NoteError:
            detail = f"the cosigned checkpoint of {size} leaves is not of this log, and the log did not sign it"
            self._find(Code.COSIGNATURE_REFUSED, detail)
            return
        difference = Difference("root", shown.note.format().decode(), root.hex())
        detail = f"the log signed, and witnesses cosigned, another tree of {size} leaves"
        self._report(Finding.of(Code.HISTORY_REWRITTEN, detail, difference=difference))

    def _check_keys(self, quorum: Quorum, records: Sequence[KeyRecord]) -> None:
        for key in quorum.doubled:
            first = next(one for one in quorum.counted if one.public_key == key.public_key)
            self._find(Code.WITNESS_DOUBLED, f"{key.text} and {first.text} are one key, and count as one witness")
        held = {record.public_key: record.role for record in records}
        for key in quorum.counted:
            role = held.get(key.public_key, "witness")
            if role != "witness":
                self._find(
                    Code.WITNESS_DOUBLED, f"{key.text} is a key of the log's own {role}, which vouches for itself"
                )

    def _blame(self, key: VerifierKey, detail: str) -> None:
        """Report a fault of a witness's cosignature, once for each witness and kind of fault."""
        blamed = key.text, detail.rpartition(" is not")[0] or detail.rpartition(" names")[0]
        if blamed not in self._blamed:
            self._blamed.add(blamed)
            self._find(Code.COSIGNATURE_REFUSED, detail)

    def _find(self, code: Code, detail: str) -> None:
        self._report(Finding.of(code, detail))


def _size_of(note: bytes) -> int:
    try:
        return Checkpoint.parse(Note.parse(note).text).size
    except (NoteError, CheckpointError):
        return 0
