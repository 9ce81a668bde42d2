r"""What a log sends to a witness, and what the witness answers: the texts of C2SP tlog-witness, without the network.

The law: a line ``old`` with the size that the witness cosigned last, at most 63 lines of a consistency proof in base64,
an empty line, the checkpoint. One submission has one text. Sizes are decimal without leading zeros.

>>> AddCheckpoint(old_size=0, proof=(), checkpoint=b"origin\n...").format()
b'old 0\n\norigin\n...'
>>> AddCheckpoint.parse(b"old 07\n\norigin\n...")
Traceback (most recent call last):
...
referee.log.submission.SubmissionError: the first line is not "old" and a size

Source: https://c2sp.org/tlog-witness
"""

import base64
import hashlib
import re
from dataclasses import dataclass
from typing import Final, NoReturn, Self

from referee.evidence.merkle import HASH_SIZE
from referee.log.checkpoint import MAX_SIZE

SIZE_TYPE: Final = "text/x.tlog.size"
"""The media type of a conflict's answer, a size."""
MAX_PROOF: Final = 63
MAX_SUBMISSION: Final = 64 * 1024
"""Bytes of a submission that a witness reads."""
MAX_ANSWER: Final = 16 * 1024
"""Bytes of an answer that a log reads."""

_OLD: Final = re.compile(rb"old (0|[1-9][0-9]{0,15})")
_HASH: Final = re.compile(rb"[A-Za-z0-9+/]{43}=")
_SIZE: Final = re.compile(rb"(0|[1-9][0-9]{0,15})\n")


class SubmissionError(ValueError):
    """A text that is no submission, or no size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AddCheckpoint:
    """The size that the witness knows, the proof from there to the checkpoint, and the checkpoint's signed note."""

    old_size: int
    proof: tuple[bytes, ...]
    checkpoint: bytes

    def format(self) -> bytes:
        """The text; ``parse`` reads it back."""
        lines = [f"old {self.old_size}", *(base64.b64encode(node).decode("ascii") for node in self.proof)]
        return "".join(line + "\n" for line in lines).encode("ascii") + b"\n" + self.checkpoint

    @classmethod
    def parse(cls, text: bytes) -> Self:
        """The submission that a text spells; SubmissionError where it spells none. Its checkpoint is not looked at."""
        head, blank, checkpoint = text.partition(b"\n\n")
        if not blank:
            _refuse("no empty line stands before a checkpoint")
        first, *hashes = head.split(b"\n")
        old = _OLD.fullmatch(first)
        if old is None or int(old[1]) > MAX_SIZE:
            _refuse('the first line is not "old" and a size')
        if len(hashes) > MAX_PROOF or not all(_HASH.fullmatch(line) for line in hashes):
            _refuse(f"the proof is not at most {MAX_PROOF} hashes")
        proof = tuple(base64.b64decode(line) for line in hashes)
        submission = cls(old_size=int(old[1]), proof=proof, checkpoint=checkpoint)
        if any(len(node) != HASH_SIZE for node in proof) or submission.format() != text:
            _refuse("a hash of the proof is spelled otherwise than base64 does")
        return submission


def format_size(size: int) -> bytes:
    """A size as a conflict's answer; ``parse_size`` reads it back."""
    return f"{size}\n".encode("ascii")


def parse_size(text: bytes) -> int:
    """The size that a conflict's answer spells; SubmissionError where it spells none."""
    match = _SIZE.fullmatch(text)
    if match is None or int(match[1]) > MAX_SIZE:
        _refuse("the answer is no size")
    return int(match[1])


def monitoring_path(origin: str) -> str:
    """Where a witness shows the checkpoint of an origin that it cosigned last, below its monitoring prefix."""
    return f"/{hashlib.sha256(origin.encode('ascii')).hexdigest()}/checkpoint"


def _refuse(reason: str) -> NoReturn:
    raise SubmissionError(reason)
