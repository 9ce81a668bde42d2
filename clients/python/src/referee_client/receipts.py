"""Files of receipted events, which prove that the referee received a move even if a frontend drops it.

``referee audit --receipt FILE`` reads such a file. A player keeps the files of its own moves.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from referee.evidence.dsse import Envelope
from referee.evidence.outside import read_json
from referee.transcript.chain import FORM
from referee.transcript.receipted import ReceiptedEvent


def write_receipts(folder: "str | os.PathLike[str]", kept: Sequence[ReceiptedEvent], *, stem: str) -> list[Path]:
    """Write each event durably to a file that only its owner can read, and return the paths.

    A file's name has the event's number, its seat and the beginning of its hash, so two events never share a file. A
    file that exists is left as it is.
    """
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    paths = [place / f"{stem}.{_name(one)}.receipt.json" for one in kept]
    for path, one in zip(paths, kept, strict=True):
        if path.exists():
            continue
        beside = path.with_name(f"{path.name}.new")
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(one.to_bytes())
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    _sync(place)
    return paths


def _name(one: ReceiptedEvent) -> str:
    receipt = FORM.read(Envelope.parse(one.receipt.encode()).payload)
    seat = read_json(one.event, dict[str, Any])["seat"]
    return f"event-{receipt.number}.seat-{seat}.{receipt.event_hash[:16]}"


def _sync(folder: Path) -> None:
    """Make the entries of a folder durable."""
    at = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(at)
    finally:
        os.close(at)
