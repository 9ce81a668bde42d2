r"""The texts of C2SP tlog-witness, without the network: what a log sends to a witness, and what the witness answers.

A submission is a line ``old`` with the size that the witness cosigned last, at most 63 lines of a consistency proof in
base64, an empty line, and the checkpoint. A submission has exactly one text. Sizes are decimal without leading zeros.

>>> AddCheckpoint(old_size=0, proof=(), checkpoint=b"origin\n...").format()
b'old 0\n\norigin\n...'
>>> AddCheckpoint.parse(b"old 07\n\norigin\n...")
Traceback (most recent call last):
...
referee.log.submission.SubmissionError: the first line is not "old" and a size

Source: https://c2sp.org/tlog-witness
"""

import hashlib
import re
from dataclasses import dataclass
from typing import Final, NoReturn, Self

from referee.log.checkpoint import MAX_SIZE
from referee.log.proof import parse_lines, proof_lines

SIZE_TYPE: Final = "text/x.tlog.size"
"""Media type of the answer to a conflict, which is a size."""
MAX_PROOF: Final = 63
MAX_SUBMISSION: Final = 64 * 1024
"""Most bytes of a submission that a witness accepts."""
MAX_ANSWER: Final = 16 * 1024
"""Most bytes of an answer that a log accepts."""

_OLD: Final = re.compile(rb"old (0|[1-9][0-9]{0,15})")
_SIZE: Final = re.compile(rb"(0|[1-9][0-9]{0,15})\n")


class SubmissionError(ValueError):
    """A text that is no submission, or no size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AddCheckpoint:
    """Submission: the size that the witness cosigned last, the consistency proof from it, and the signed checkpoint."""

    old_size: int
    proof: tuple[bytes, ...]
    checkpoint: bytes

    def format(self) -> bytes:
        """Encode the submission; ``parse`` reverses it."""
        lines = [f"old {self.old_size}", *proof_lines(self.proof)]
        return "".join(line + "\n" for line in lines).encode("ascii") + b"\n" + self.checkpoint

    @classmethod
    def parse(cls, text: bytes) -> Self:
        """Parse a submission, without reading its checkpoint; raise SubmissionError if the text is not a submission."""
        head, blank, checkpoint = text.partition(b"\n\n")
        if not blank:
            _refuse("there is no empty line before a checkpoint")
        first, *hashes = head.split(b"\n")
        old = _OLD.fullmatch(first)
        if old is None or int(old[1]) > MAX_SIZE:
            _refuse('the first line is not "old" and a size')
        try:
            proof = parse_lines([line.decode("ascii") for line in hashes], most=MAX_PROOF)
        except ValueError as error:
            raise SubmissionError(str(error)) from error
        return cls(old_size=int(old[1]), proof=proof, checkpoint=checkpoint)


def format_size(size: int) -> bytes:
    """Encode a size as the answer to a conflict; ``parse_size`` reverses it."""
    return f"{size}\n".encode("ascii")


def parse_size(text: bytes) -> int:
    """Parse the size in the answer to a conflict; raise SubmissionError if there is none."""
    match = _SIZE.fullmatch(text)
    if match is None or int(match[1]) > MAX_SIZE:
        _refuse("the answer is no size")
    return int(match[1])


def monitoring_path(origin: str) -> str:
    """Return the path of the checkpoint cosigned last for an origin; it is below the witness's monitoring prefix."""
    return f"/{hashlib.sha256(origin.encode('ascii')).hexdigest()}/checkpoint"


def _refuse(reason: str) -> NoReturn:
    raise SubmissionError(reason)
