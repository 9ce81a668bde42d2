"""Files that somebody holds, split into parts of one kind each; a file of no known kind is a part of its own.

>>> [part.kind.value for part in read_held("notes.txt", b"I was cheated")]
['UNKNOWN']
"""

import enum
import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import msgspec

from referee.audit.documents import NO_DOCUMENTS, DocumentError, Documents, parse_documents, parse_seeds
from referee.audit.reading import SIGNERS
from referee.evidence.canonical import Hex32, Natural
from referee.evidence.dsse import Envelope, EnvelopeError
from referee.evidence.note import Note, NoteError
from referee.evidence.outside import OutsideError, read_json
from referee.evidence.printable import printable
from referee.log import Checkpoint, CheckpointError
from referee.log.receipt import FIRST_LINE
from referee.transcript.receipted import read_receipted_event

LEAF_SUFFIX: Final = ".leaf"
_MAX_REASON: Final = 300


class HeldKind(enum.StrEnum):
    """Kind of a part of a file."""

    BUNDLE = "BUNDLE"
    LOG_RECEIPT = "LOG_RECEIPT"
    CHECKPOINT = "CHECKPOINT"
    CERTIFICATE = "CERTIFICATE"
    EVENT_RECEIPT = "EVENT_RECEIPT"
    RECEIPTED_EVENT = "RECEIPTED_EVENT"
    SEED = "SEED"
    SIGNATURE = "SIGNATURE"
    UNKNOWN = "UNKNOWN"


class HeldSignature(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A seat's signature of its seed or its moves in a round, as somebody hands it in."""

    round_id: Hex32
    seat: Natural
    signature: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{128}$")]


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldPart:
    """One part of a file, in the member that its kind names; ``reason`` says why an unknown file is none of these."""

    file: str
    sha256: str
    kind: HeldKind
    documents: Documents = NO_DOCUMENTS
    checkpoint: bytes = b""
    signature: HeldSignature | None = None
    reason: str = ""


def held_files(held: Sequence[Path]) -> Iterator[tuple[str, bytes]]:
    """Yield each file's name and bytes: all files of a folder, and beside a log receipt the file of its leaf.

    A name is the shortest end of the file's path, with as many parts as the other names, that no other file has.
    """
    paths: dict[Path, None] = {}
    for path in held:
        found = sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]
        for file in found:
            beside = file.with_suffix(LEAF_SUFFIX)
            both = [file, beside] if file.suffix != LEAF_SUFFIX and beside.is_file() else [file]
            paths |= dict.fromkeys([one.absolute() for one in both])
    depth = 1
    while len({one.parts[-depth:] for one in paths}) < len(paths):
        depth += 1
    for one in paths:
        yield "/".join(one.parts[-depth:]), one.read_bytes()


def read_held(file: str, data: bytes, leaf: bytes | None = None) -> tuple[HeldPart, ...]:
    """Split a file into its parts; ``leaf`` is what was kept beside a log receipt."""
    part = partial(HeldPart, file=printable(file), sha256=hashlib.sha256(data).hexdigest())
    try:
        documents = parse_documents([(data, leaf)])
    except DocumentError as error:
        return tuple(_other(part, data, str(error).removeprefix("file 0 is ")))
    parts = []
    if documents.log_receipts:
        kind = HeldKind.LOG_RECEIPT if data.startswith(FIRST_LINE.encode()) else HeldKind.BUNDLE
        parts.append(part(kind=kind, documents=Documents(log_receipts=documents.log_receipts)))
    parts += [
        part(kind=HeldKind.CERTIFICATE, documents=Documents(certificates=(one,))) for one in documents.certificates
    ]
    for one in documents.event_receipts:
        kind = HeldKind.EVENT_RECEIPT if read_receipted_event(one) is None else HeldKind.RECEIPTED_EVENT
        parts.append(part(kind=kind, documents=Documents(event_receipts=(one,))))
    return tuple(parts)


def read_all(files: Iterable[tuple[str, bytes]]) -> tuple[HeldPart, ...]:
    """Split files, given by name, into parts; a leaf belongs to the log receipt of the same name."""
    by_name = dict(files)
    beside = {
        name: by_name.get(_leaf_name(name)) for name, data in by_name.items() if data.startswith(FIRST_LINE.encode())
    }
    kept = {_leaf_name(name) for name, leaf in beside.items() if leaf is not None}
    parts: list[HeldPart] = []
    for name, data in by_name.items():
        if name not in kept:
            parts += read_held(name, data, beside.get(name))
    return tuple(parts)


def _leaf_name(name: str) -> str:
    return name.rpartition(".")[0] + LEAF_SUFFIX


def _other(part: Callable[..., HeldPart], data: bytes, reason: str) -> Iterable[HeldPart]:
    """Yield the parts of a file that is no document: a checkpoint, seeds, signatures, or none of them."""
    with suppress(NoteError, CheckpointError):
        Checkpoint.parse(Note.parse(data).text)
        yield part(kind=HeldKind.CHECKPOINT, checkpoint=data)
        return
    with suppress(DocumentError):
        seeds = parse_seeds(data)
        for seed in seeds:
            yield part(kind=HeldKind.SEED, documents=Documents(seeds=(seed,)))
        if seeds:
            return
    with suppress(OutsideError):
        signatures: list[HeldSignature] = [read_json(line, HeldSignature) for line in data.splitlines() if line.strip()]
        for signature in signatures:
            yield part(kind=HeldKind.SIGNATURE, signature=signature)
        if signatures:
            return
    with suppress(EnvelopeError):
        if Envelope.parse(data.rstrip(b"\n")).payload_type in SIGNERS:
            reason = "a leaf by itself, which is signed but not proved to be logged: give its receipt beside it"
    yield part(kind=HeldKind.UNKNOWN, reason=printable(reason)[:_MAX_REASON])
