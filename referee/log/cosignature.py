r"""Cosignatures: a witness states when it saw a checkpoint, and that this continues all that it saw of the log before.

A cosignature (C2SP tlog-cosignature, version 1) is an Ed25519 signature over ``cosignature/v1``, the time and the
checkpoint's text, on a line of the checkpoint's own note. A *quorum* is a list of witnesses and how many of them
suffice, or a group of groups as a policy names them. It counts keys, not names: the signed text does not contain the
witness's name, so one key under two names is one witness.

>>> from referee.evidence.note import Note
>>> from referee.evidence.vkey import VerifierKey
>>> witness = VerifierKey.parse("witness.example/w1+ed8c37d6+BLDvac9mmAMfo6UM3ZhuGEswRR4MUnSlB9TyBI0y+MK1")
>>> quorum = Quorum((witness,), needed=1)
>>> quorum.attest(Note("log.example/1\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n", ())).missing
('witness.example/w1',)

Source: https://c2sp.org/tlog-cosignature, https://c2sp.org/tlog-policy
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import msgspec

from referee.evidence.ed25519 import SIGNATURE_SIZE, Signer
from referee.evidence.note import Note, NoteError, NoteSignature, cosign_note
from referee.evidence.outside import pasted
from referee.evidence.vkey import Algorithm, VerifierKey
from referee.log.checkpoint import Checkpoint

MAX_WITNESSES: Final = 32
_TIME_SIZE: Final = 8


class QuorumError(ValueError):
    """Keys and a number that are no quorum."""


@dataclass(frozen=True, slots=True)
class PolicyGroup:
    """Witnesses and other groups, of which ``needed`` must agree; a group agrees if enough of its own members do.

    >>> key = VerifierKey.parse("witness.example/w1+ed8c37d6+BLDvac9mmAMfo6UM3ZhuGEswRR4MUnSlB9TyBI0y+MK1")
    >>> PolicyGroup(2, (key, PolicyGroup(1, ()))).fewest is None  # the inner group has nobody who could agree
    True
    """

    needed: int
    members: tuple["VerifierKey | PolicyGroup", ...]

    @property
    def fewest(self) -> int | None:
        """Smallest number of witnesses that can make the group agree; None if none can."""
        numbers = [1 if isinstance(one, VerifierKey) else one.fewest for one in self.members]
        possible = sorted([one for one in numbers if one is not None])
        return None if len(possible) < self.needed else sum(possible[: self.needed])

    @property
    def witnesses(self) -> tuple[VerifierKey, ...]:
        """All witnesses in the group and in the groups in it, in their order."""
        inner = [(one,) if isinstance(one, VerifierKey) else one.witnesses for one in self.members]
        return tuple([key for keys in inner for key in keys])

    def agrees(self, keys: Collection[bytes]) -> bool:
        """Return whether the group agrees if the witnesses with these public keys do."""
        return self.needed <= sum(
            one.public_key in keys if isinstance(one, VerifierKey) else one.agrees(keys) for one in self.members
        )


@dataclass(frozen=True, slots=True)
class Attestation:
    """The cosignatures that a quorum's witnesses put on one note.

    ``times`` has the newest time, in seconds since 1970 UTC, of each witness's valid cosignatures, in the quorum's
    order; ``forged`` the witnesses under whose name there is an invalid cosignature.
    """

    needed: int
    times: tuple[tuple[VerifierKey, int], ...]
    forged: tuple[VerifierKey, ...]
    missing: tuple[str, ...]
    """Names of the witnesses that did not cosign."""
    group: PolicyGroup | None = None

    @property
    def is_quorate(self) -> bool:
        """Whether enough witnesses cosigned."""
        return self._suffice([key for key, _ in self.times])

    @property
    def time(self) -> int:
        """Latest time, in seconds, at or after which enough witnesses cosigned; 0 without a quorum."""
        newest = sorted({time for _, time in self.times}, reverse=True)
        return next((one for one in newest if self._suffice([key for key, time in self.times if time >= one])), 0)

    def _suffice(self, keys: Sequence[VerifierKey]) -> bool:
        if self.group is not None:
            return self.group.agrees({key.public_key for key in keys})
        return len(keys) >= self.needed

    def until(self, latest: int) -> "Attestation":
        """Return this attestation without cosignatures of a time after ``latest``, in seconds."""
        kept = tuple((key, time) for key, time in self.times if time <= latest)
        lost = tuple(key.name for key, time in self.times if time > latest)
        return replace(self, times=kept, missing=(*self.missing, *lost))


@dataclass(frozen=True, slots=True)
class Quorum:
    """The trusted witnesses, and how many of them must agree: at least one, at most all.

    With a ``group``, whose witnesses they are, that group must agree; ``needed`` is then the fewest that can make it.
    """

    witnesses: tuple[VerifierKey, ...]
    needed: int
    group: PolicyGroup | None = None
    counted: tuple[VerifierKey, ...] = field(init=False, compare=False)
    """Witnesses that count: the first of those with the same key."""

    def __post_init__(self) -> None:
        if any(key.algorithm is not Algorithm.COSIGNATURE_V1 for key in self.witnesses):
            raise QuorumError("a witness's key is of type 0x04, cosignature/v1; a key of another type cannot cosign")
        if not 1 <= self.needed <= len(self.witnesses) or len(self.witnesses) > MAX_WITNESSES:
            raise QuorumError(
                f"{self.needed} of {len(self.witnesses)} witnesses is no quorum; "
                f"name at most {MAX_WITNESSES}, and require at least one and at most all of them"
            )
        first = {key.public_key: key for key in reversed(self.witnesses)}
        object.__setattr__(self, "counted", tuple(key for key in self.witnesses if first[key.public_key] is key))

    @property
    def doubled(self) -> tuple[VerifierKey, ...]:
        """Keys that do not count because the same public key is named before them."""
        return tuple(key for key in self.witnesses if not any(key is other for other in self.counted))

    @property
    def words(self) -> str:
        """The number of witnesses that must agree, in words."""
        return f"{self.needed} witnesses" if self.group is None else "the witnesses that the policy's groups ask for"

    def attest(self, note: Note) -> Attestation:
        """Verify this quorum's cosignatures on a note; ignore other signature lines."""
        times: dict[bytes, int] = {}
        forged: list[VerifierKey] = []
        for key in self.witnesses:
            mine = [line for line in note.signatures if (line.name, line.key_id) == (key.name, key.key_id)]
            for line in mine:
                alone = msgspec.structs.replace(note, signatures=(line,))
                try:
                    alone.verify([key])
                except NoteError:
                    forged.append(key)
                else:
                    time = alone.cosignature_times(key)[0]
                    times[key.public_key] = max(time, times.get(key.public_key, 0))
        return Attestation(
            needed=self.needed,
            times=tuple((key, times[key.public_key]) for key in self.counted if key.public_key in times),
            forged=tuple(dict.fromkeys(forged)),
            missing=tuple(key.name for key in self.counted if key.public_key not in times),
            group=self.group,
        )


def claimed_times(note: Note) -> tuple[int, ...]:
    """Return the times in seconds that cosignatures on a note name, without verifying them."""
    lines = [line.signature for line in note.signatures if len(line.signature) == _TIME_SIZE + SIGNATURE_SIZE]
    return tuple(int.from_bytes(line[:_TIME_SIZE], "big") for line in lines)


def cosign(note: Note, *, name: str, signer: Signer, time: int) -> NoteSignature:
    """Cosign a checkpoint as a witness; return the signature line. ``time`` is in seconds since 1970 UTC.

    Raises CheckpointError if the note's text is no checkpoint. The caller verifies that it continues earlier ones.
    """
    Checkpoint.parse(note.text)
    return cosign_note(note, name=name, signer=signer, time=time).signatures[-1]


def read_cosignatures(answer: bytes, note: Note, witness: VerifierKey) -> tuple[NoteSignature, ...]:
    """Return the cosignatures of the note by a witness in its answer, verified; leave out lines of other names or keys.

    Raises NoteError if the answer is no list of signature lines, a line under the witness's name is invalid, or there
    is no line of the witness.
    """
    answered = Note.parse(f"{note.text}\n".encode() + answer)
    answered.verify([witness])
    return tuple(line for line in answered.signatures if (line.name, line.key_id) == (witness.name, witness.key_id))


def merged(note: Note, lines: Iterable[NoteSignature]) -> Note:
    """Return the note with these signature lines appended; a line replaces an earlier line of the same name and key."""
    kept: dict[tuple[str, bytes], NoteSignature] = {}
    for line in (*note.signatures, *lines):
        kept.pop((line.name, line.key_id), None)
        kept[line.name, line.key_id] = line
    return msgspec.structs.replace(note, signatures=tuple(kept.values()))


def quorum_of(texts: Sequence[str], *, needed: int | None = None) -> Quorum:
    """Build the quorum of witnesses with these verifier key texts; without ``needed`` all must agree.

    Raises KeyTextError if a text is no key, QuorumError if they are no quorum.
    """
    return Quorum(tuple(VerifierKey.parse(pasted(text)) for text in texts), len(texts) if needed is None else needed)
