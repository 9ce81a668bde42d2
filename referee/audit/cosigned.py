"""What witnesses say of a log: checkpoints that they cosigned, held against the leaves while these go by.

The law: a checkpoint counts as witnessed if enough of the named witnesses cosigned it and its root is that of the
leaves. A witness is a key, not a name: two names of one key, or a witness with a key of the log's own, are findings.
One that was witnessed with OPEN in it and DEAL not yet shows that a round's terms and commitments stood before its
seats showed their seeds (level L3). The newest time at which a quorum vouched says how old the log's state may be.

It refuses to know which witnesses deserve trust, and where cosigned checkpoints are kept; they come smallest first.
"""

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from referee.audit.finding import Code, Difference, Finding
from referee.audit.keys import KeyRecord
from referee.evidence.note import Note, NoteError
from referee.evidence.vkey import VerifierKey
from referee.log import Checkpoint, CheckpointError
from referee.log.cosignature import Attestation, Quorum

AHEAD_SECONDS: Final = 300
"""How far a witness's clock may be ahead of the auditor's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Witnessing:
    """What an auditor knows of witnesses: the quorum, and the checkpoints that they cosigned, smallest first.

    ``max_age`` is how many ms ago the quorum may have vouched last; ``outgrown`` are signed checkpoints that somebody
    saw, and that the log must have grown beyond by now.
    """

    quorum: Quorum | None = None
    cosigned: Iterable[bytes] = ()
    max_age: int | None = None
    outgrown: Sequence[bytes] = ()


NO_WITNESSING: Final = Witnessing()


class _Shown(NamedTuple):
    """A cosigned checkpoint as it was handed over."""

    checkpoint: Checkpoint
    note: Note


class CosignedHeads:
    """The cosigned checkpoints of one audit. ``kept`` are single notes that may be cosigned as well, in any order."""

    def __init__(
        self,
        witnessing: Witnessing,
        *,
        kept: Sequence[bytes],
        origin: str,
        now: int,
        hear: Callable[[Finding], None],
    ) -> None:
        self._quorum = witnessing.quorum
        self._max_age = witnessing.max_age
        self._origin = origin
        self._now = now
        self._hear = hear
        self._sizes = array("q")
        self._newest: _Shown | None = None
        self._time = 0
        self._blamed: set[tuple[str, str]] = set()
        notes = () if witnessing.quorum is None else sorted(kept, key=_size_of)
        self._kept = self._read(notes, is_told=False)
        self._told = self._read(() if witnessing.quorum is None else witnessing.cosigned, is_told=True)
        self._next_kept, self._next_told = next(self._kept, None), next(self._told, None)
        self.next_size = self._smallest()
        """The size at which the leaves are to be compared next; None where nothing waits."""

    def compare(self, size: int, root: bytes, log_keys: Sequence[VerifierKey]) -> None:
        """The checkpoints of this size are held against the root of that many leaves; smaller ones are out of order."""
        while self._next_kept is not None and self._next_kept.checkpoint.size <= size:
            self._judge(self._next_kept, size, root, ())
            self._next_kept = next(self._kept, None)
        while self._next_told is not None and self._next_told.checkpoint.size <= size:
            self._judge(self._next_told, size, root, log_keys)
            self._next_told = next(self._told, None)
        self.next_size = self._smallest()

    def _smallest(self) -> int | None:
        sizes = [one.checkpoint.size for one in (self._next_kept, self._next_told) if one is not None]
        return min(sizes, default=None)

    def is_witnessed_between(self, *, opened: int, dealt: int) -> bool:
        """Whether a witnessed checkpoint has the leaf ``opened`` and has not the leaf ``dealt``."""
        place = bisect_right(self._sizes, dealt)
        return place > 0 and self._sizes[place - 1] > opened

    def close(
        self, head: Checkpoint, records: Sequence[KeyRecord], outgrown: Sequence[tuple[Checkpoint, bytes]]
    ) -> None:
        """What is to be said of the whole log, once all its leaves went by."""
        quorum = self._quorum
        if quorum is not None:
            self._check_keys(quorum, records)
            if head.size and not self._sizes:
                shown = Note("", ()) if self._newest is None else self._newest.note
                missing = ", ".join(quorum.attest(shown).missing)
                detail = f"no checkpoint has the cosignatures of {quorum.needed} witnesses"
                self._find(Code.QUORUM_UNMET, f"{detail}; the newest lacks {missing}" if missing else detail)
            elif self._max_age is not None and self._sizes and self._now - 1000 * self._time > self._max_age:
                detail = f"witnesses vouched for the log last at {1000 * self._time}, {self._age(self._time)} ms ago"
                self._find(Code.HEAD_FROZEN, detail)
        for seen, note in outgrown:
            if seen.size == head.size:
                difference = Difference("checkpoint", head.body, note.decode())
                detail = f"the log has not grown beyond {seen.size} leaves, which were seen before"
                self._hear(Finding.of(Code.HEAD_FROZEN, detail, difference=difference))

    def _age(self, time: int) -> int:
        return self._now - 1000 * time

    def _read(self, notes: Iterable[bytes], *, is_told: bool) -> Iterator[_Shown]:
        for data in notes:
            try:
                note = Note.parse(data)
                checkpoint = Checkpoint.parse(note.text)
            except (NoteError, CheckpointError) as error:
                if is_told:
                    self._find(Code.COSIGNATURE_REFUSED, f"what stands as a cosigned checkpoint is none: {error}")
                continue
            if checkpoint.origin == self._origin:
                yield _Shown(checkpoint, note)
            elif is_told:
                detail = f"a cosigned checkpoint is of {checkpoint.origin!r}, not of {self._origin!r}"
                self._find(Code.COSIGNATURE_REFUSED, detail)

    def _judge(self, shown: _Shown, size: int, root: bytes, log_keys: Sequence[VerifierKey]) -> None:
        quorum, checkpoint = self._quorum, shown.checkpoint
        if quorum is None:
            return
        if checkpoint.size < size:
            detail = f"the cosigned checkpoint of {checkpoint.size} leaves stands behind a larger one"
            self._find(Code.COSIGNATURE_REFUSED, detail)
            return
        timely = self._attested(quorum, shown)
        if self._newest is None or checkpoint.size >= self._newest.checkpoint.size:
            self._newest = shown
        if checkpoint.root != root:
            if log_keys:  # what was kept is held against the log by itself
                self._accuse(shown, root, log_keys)
        elif timely.is_quorate:
            if not self._sizes or self._sizes[-1] < size:
                self._sizes.append(size)
            self._time = max(self._time, timely.time)

    def _attested(self, quorum: Quorum, shown: _Shown) -> Attestation:
        """What the witnesses say on a note, without what is forged or of a time to come, which are findings."""
        said = quorum.attest(shown.note)
        size = shown.checkpoint.size
        for key in said.forged:
            self._blame(key, f"a cosignature under {key.text} is not by that key; the first has {size} leaves")
        timely = said.until(self._now // 1000 + AHEAD_SECONDS)
        for key, time in said.times:
            if (key, time) not in timely.times:
                self._blame(key, f"a cosignature under {key.text} names {1000 * time}, a time to come")
        return timely

    def _accuse(self, shown: _Shown, root: bytes, log_keys: Sequence[VerifierKey]) -> None:
        """A cosigned checkpoint is not of these leaves: the log's fault if it signed it."""
        size = shown.checkpoint.size
        try:
            shown.note.verify(log_keys)
        except NoteError:
            detail = f"the cosigned checkpoint of {size} leaves is not of this log, and the log did not sign it"
            self._find(Code.COSIGNATURE_REFUSED, detail)
            return
        difference = Difference("root", shown.note.format().decode(), root.hex())
        detail = f"the log signed, and witnesses cosigned, another tree of {size} leaves"
        self._hear(Finding.of(Code.HISTORY_REWRITTEN, detail, difference=difference))

    def _check_keys(self, quorum: Quorum, records: Sequence[KeyRecord]) -> None:
        for key in quorum.doubled:
            first = next(one for one in quorum.counted if one.public_key == key.public_key)
            self._find(Code.WITNESS_DOUBLED, f"{key.text} and {first.text} are one key, and count as one witness")
        held = {VerifierKey.parse(record.key).public_key: record.role for record in records}
        for key in quorum.counted:
            role = held.get(key.public_key, "witness")
            if role != "witness":
                self._find(
                    Code.WITNESS_DOUBLED, f"{key.text} is a key of the log's own {role}, which vouches for itself"
                )

    def _blame(self, key: VerifierKey, detail: str) -> None:
        """One finding for each witness and kind of fault, however often it shows."""
        blamed = key.text, detail.rpartition(" is not")[0] or detail.rpartition(" names")[0]
        if blamed not in self._blamed:
            self._blamed.add(blamed)
            self._find(Code.COSIGNATURE_REFUSED, detail)

    def _find(self, code: Code, detail: str) -> None:
        self._hear(Finding.of(code, detail))


def _size_of(note: bytes) -> int:
    try:
        return Checkpoint.parse(Note.parse(note).text).size
    except (NoteError, CheckpointError):
        return 0
