r"""A cosignature says: a witness saw this checkpoint at this time, continuing every one of the log that it saw before.

The law is C2SP tlog-cosignature, version 1: an Ed25519 signature over ``cosignature/v1``, the time and the checkpoint's
text, on a line of the checkpoint's own note. A *quorum* names witnesses and says how many of them suffice. It counts
keys, not names: what is signed does not hold the witness's name, so one key under two names is one witness.

It refuses to know the time, networks, and what a log says.

>>> from referee.evidence.note import Note
>>> from referee.evidence.vkey import VerifierKey
>>> witness = VerifierKey.parse("witness.example/w1+ed8c37d6+BLDvac9mmAMfo6UM3ZhuGEswRR4MUnSlB9TyBI0y+MK1")
>>> quorum = Quorum((witness,), needed=1)
>>> quorum.attest(Note("log.example/1\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n", ())).missing
('witness.example/w1',)

Source: https://c2sp.org/tlog-cosignature, https://c2sp.org/tlog-policy
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from referee.evidence.ed25519 import Signer
from referee.evidence.note import Note, NoteError, NoteSignature, cosign_note
from referee.evidence.vkey import Algorithm, VerifierKey
from referee.log.checkpoint import Checkpoint

MAX_WITNESSES: Final = 32


class QuorumError(ValueError):
    """Keys and a number that make no quorum."""


@dataclass(frozen=True, slots=True)
class Attestation:
    """What the witnesses of a quorum say on one note.

    ``times`` has the newest time, in seconds since 1970 UTC, that each witness's good cosignatures name, in the
    quorum's order; ``forged`` the witnesses under whose name a cosignature stands that is not theirs.
    """

    needed: int
    times: tuple[tuple[VerifierKey, int], ...]
    forged: tuple[VerifierKey, ...]
    missing: tuple[str, ...]
    """The names of the witnesses that did not cosign."""

    @property
    def is_quorate(self) -> bool:
        """Whether enough witnesses cosigned."""
        return len(self.times) >= self.needed

    @property
    def time(self) -> int:
        """The latest time at which a quorum vouched for the checkpoint; 0 where none did."""
        newest = sorted((time for _, time in self.times), reverse=True)
        return newest[self.needed - 1] if self.is_quorate else 0

    def until(self, latest: int) -> "Attestation":
        """What remains where cosignatures of a time after ``latest``, in seconds, count for nothing."""
        kept = tuple(one for one in self.times if one[1] <= latest)
        lost = tuple(key.name for key, time in self.times if time > latest)
        return replace(self, times=kept, missing=(*self.missing, *lost))


@dataclass(frozen=True, slots=True)
class Quorum:
    """Which witnesses are believed, and how many of them must agree; at least one, at most all that are named."""

    witnesses: tuple[VerifierKey, ...]
    needed: int
    counted: tuple[VerifierKey, ...] = field(init=False, compare=False)
    """The witnesses that count: of those with one key, the first."""

    def __post_init__(self) -> None:
        if any(key.algorithm is not Algorithm.COSIGNATURE_V1 for key in self.witnesses):
            msg = "a witness's key is of type 0x04, cosignature/v1; another's cannot cosign"
            raise QuorumError(msg)
        if not 1 <= self.needed <= len(self.witnesses) or len(self.witnesses) > MAX_WITNESSES:
            msg = (
                f"{self.needed} of {len(self.witnesses)} witnesses is no quorum; "
                f"name at most {MAX_WITNESSES} and need at least one"
            )
            raise QuorumError(msg)
        first = {key.public_key: key for key in reversed(self.witnesses)}
        object.__setattr__(self, "counted", tuple(key for key in self.witnesses if first[key.public_key] is key))

    @property
    def doubled(self) -> tuple[VerifierKey, ...]:
        """The keys that do not count because the same public key is named before."""
        return tuple(key for key in self.witnesses if not any(key is one for one in self.counted))

    def attest(self, note: Note) -> Attestation:
        """What this quorum's witnesses say on a note; other lines are passed over."""
        times: dict[bytes, int] = {}
        forged: list[VerifierKey] = []
        for key in self.witnesses:
            mine = [line for line in note.signatures if (line.name, line.key_id) == (key.name, key.key_id)]
            for line in mine:
                alone = replace(note, signatures=(line,))
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
        )


def cosign(note: Note, *, name: str, signer: Signer, time: int) -> NoteSignature:
    """The line by which a witness vouches for a checkpoint; ``time`` is in seconds since 1970 UTC.

    Raises CheckpointError where the note's text is no checkpoint. That it continues what was seen before is the
    caller's to know.
    """
    Checkpoint.parse(note.text)
    return cosign_note(note, name=name, signer=signer, time=time).signatures[-1]


def read_cosignatures(answer: bytes, note: Note, witness: VerifierKey) -> tuple[NoteSignature, ...]:
    """The lines of a witness's answer by which it vouches for the note, others left out.

    Raises NoteError where the answer is no list of signature lines, where a line under the witness's name is not its
    own, and where none is.
    """
    answered = Note.parse(f"{note.text}\n".encode() + answer)
    answered.verify([witness])
    return tuple(line for line in answered.signatures if (line.name, line.key_id) == (witness.name, witness.key_id))


def merged(note: Note, lines: Iterable[NoteSignature]) -> Note:
    """The note with these lines below its own; a line takes the place of one by the same name and key before it."""
    kept: dict[tuple[str, bytes], NoteSignature] = {}
    for line in (*note.signatures, *lines):
        kept.pop((line.name, line.key_id), None)
        kept[line.name, line.key_id] = line
    return replace(note, signatures=tuple(kept.values()))


def quorum_of(texts: Sequence[str], *, needed: int | None = None) -> Quorum:
    """The quorum of witnesses with these verifier key texts; all of them where no number is said.

    Raises KeyTextError where a text spells no key, QuorumError where no quorum comes of them.
    """
    return Quorum(tuple(VerifierKey.parse(text) for text in texts), len(texts) if needed is None else needed)
