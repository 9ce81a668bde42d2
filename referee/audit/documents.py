"""Documents that people kept of a log: log receipts, certificates, event receipts, receipted events, and bundles.

Files are classified by their content. All kinds but a log receipt are handed out during play, so these are also
searched for secrets (``exports``). A file of no known kind is rejected, so no file is left out silently.

>>> parse_documents([(b'{"payload":"","payloadType":"x","signatures":[]}', None)])
Traceback (most recent call last):
...
referee.audit.documents.DocumentError: file 0 is an envelope of type x, not of a certificate or an event receipt
"""

import base64
import binascii
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import msgspec

from referee.dealing.certificate import CERTIFICATE_TYPE, Certificate
from referee.evidence import canonical
from referee.evidence.canonical import CanonicalError, Form, Hex32, Natural, unhex
from referee.evidence.dsse import Envelope, EnvelopeError
from referee.evidence.outside import OutsideError, read_json
from referee.log.receipt import FIRST_LINE
from referee.transcript.chain import RECEIPT_TYPE
from referee.transcript.receipted import read_receipted_event

CERTIFICATE_FORM: Final = Form(Certificate)
_BASE64: Final = re.compile(rb"[A-Za-z0-9+/]{40,}={0,2}")
_HEX: Final = re.compile(rb"[0-9a-fA-F]{64}")
_DEPTH: Final = 4
"""Levels of base64 within base64 that are searched."""


class DocumentError(ValueError):
    """Error for a file that is no document of a log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptReceipt:
    """A log receipt as the text of a C2SP tlog-proof, with its leaf; the leaf is None if the holder lacks it."""

    receipt: bytes
    leaf: bytes | None = None


class HeldSeed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A seat's seed that its holder hands in; the round id and the seed are 32 bytes in lowercase hex."""

    round_id: Hex32
    seat: Natural
    seed: Hex32


@dataclass(frozen=True, slots=True, kw_only=True)
class Documents:
    """Documents by kind, in any order.

    ``certificates`` are signed envelopes, ``event_receipts`` signed envelopes or receipted events. ``exports`` are any
    bytes that were handed out while a round was played; they must not hold its secrets. ``seeds`` are of rounds that
    were given up, ``checkpoints`` earlier signed checkpoints of the log.
    """

    certificates: tuple[bytes, ...] = ()
    event_receipts: tuple[bytes, ...] = ()
    log_receipts: tuple[KeptReceipt, ...] = ()
    exports: tuple[bytes, ...] = ()
    seeds: tuple[HeldSeed, ...] = ()
    checkpoints: tuple[bytes, ...] = ()


NO_DOCUMENTS: Final = Documents()


class _BundleLeaf(msgspec.Struct, frozen=True):
    index: int
    leaf: str
    proof: tuple[str, ...]


class _Bundle(msgspec.Struct, frozen=True):
    """Members of a round's bundle that are read here."""

    checkpoint: str
    leaves: tuple[_BundleLeaf, ...]
    certificates: tuple[str, ...] = ()
    event_receipts: tuple[str, ...] = ()


def parse_documents(files: Iterable[tuple[bytes, bytes | None]]) -> Documents:
    """Parse files; raise DocumentError for a file of no known kind.

    Each file comes with the leaf that was kept beside it, or None; only a log receipt uses it.
    """
    certificates: list[bytes] = []
    event_receipts: list[bytes] = []
    log_receipts: list[KeptReceipt] = []
    exports: list[bytes] = []
    for number, (data, leaf) in enumerate(files):
        if data.startswith(FIRST_LINE.encode()):
            log_receipts.append(KeptReceipt(receipt=data, leaf=leaf))
            continue
        exports.append(data)
        bundle = _bundle(data)
        if bundle is not None:
            log_receipts += _receipts_in(bundle, number)
            certificates += [text.encode() for text in bundle.certificates]
            event_receipts += [text.encode() for text in bundle.event_receipts]
            continue
        envelope = data.rstrip(b"\n")
        if read_receipted_event(envelope) is not None:
            event_receipts.append(envelope)
            continue
        kinds = {CERTIFICATE_TYPE: certificates, RECEIPT_TYPE: event_receipts}
        kind = _payload_type(envelope, number)
        if kind not in kinds:
            msg = f"file {number} is an envelope of type {kind}, not of a certificate or an event receipt"
            raise DocumentError(msg)
        kinds[kind].append(envelope)
    return Documents(
        certificates=tuple(certificates),
        event_receipts=tuple(event_receipts),
        log_receipts=tuple(log_receipts),
        exports=tuple(exports),
    )


def by_round(documents: Documents) -> dict[bytes, Documents]:
    """Group documents, except log receipts, by the round id that they name; ``b""`` has those that name no round.

    An export is in the group of every value of 32 bytes that it holds in hex or base64.
    """
    grouped: dict[bytes, Documents] = {}

    def add(round_id: bytes, **more: tuple[Any, ...]) -> None:
        before = grouped.get(round_id, NO_DOCUMENTS)
        grouped[round_id] = replace(before, **{name: getattr(before, name) + data for name, data in more.items()})

    for data in documents.certificates:
        add(_round_id_of(data) or b"", certificates=(data,))
    for data in documents.event_receipts:
        add(_round_id_of(data) or b"", event_receipts=(data,))
    for data in documents.exports:
        for round_id in {value for layer in layers_of(data) for value in hex_values(layer)}:
            add(round_id, exports=(data,))
    for seed in documents.seeds:
        add(bytes.fromhex(seed.round_id), seeds=(seed,))
    return grouped


def parse_seeds(data: bytes) -> tuple[HeldSeed, ...]:
    """Parse seeds: on each line a JSON object with round_id, seat and seed; raise DocumentError for any other line.

    Empty lines are skipped.

    >>> parse_seeds(b"{}")
    Traceback (most recent call last):
    ...
    referee.audit.documents.DocumentError: line 1 is no seed: Object missing required field `round_id`
    """
    seeds = []
    for number, line in enumerate(data.splitlines(), 1):
        if not line.strip():
            continue
        try:
            seed: HeldSeed = read_json(line, HeldSeed)
            unhex(seed.round_id)
            unhex(seed.seed)
        except ValueError as error:
            raise DocumentError(f"line {number} is no seed: {error}") from None
        seeds.append(seed)
    return tuple(seeds)


def layers_of(data: bytes) -> tuple[bytes, ...]:
    """Return the bytes, then the bytes that base64 text in them encodes, and so on for ``_DEPTH`` levels."""
    layers, fresh = [data], [data]
    for _ in range(_DEPTH):
        fresh = [inner for layer in fresh for inner in _decoded(layer)]
        layers += fresh
    return tuple(layers)


def hex_values(layer: bytes) -> Iterator[bytes]:
    """Yield each 64 hexadecimal digits in a row as 32 bytes."""
    return (bytes.fromhex(match.group().decode()) for match in _HEX.finditer(layer))


def _decoded(layer: bytes) -> Iterator[bytes]:
    """Yield the bytes that each run of base64 letters encodes.

    A run is decoded four times, from each of its first four letters on, because its first letter may belong to another
    text before it.
    """
    for match in _BASE64.finditer(layer):
        for start in range(4):
            text = match.group()[start:].rstrip(b"=")
            text = text[: len(text) - (len(text) % 4 == 1)]  # a single letter left over encodes no byte
            yield binascii.a2b_base64(text + b"=" * (-len(text) % 4))


def _round_id_of(data: bytes) -> bytes | None:
    """Return the round id that a certificate or event receipt names, valid or not; None if it names none."""
    event = read_receipted_event(data)
    try:
        said = canonical.decode(Envelope.parse(data if event is None else event.receipt.encode()).payload)
        named = said.get("round_id") if isinstance(said, dict) else None
        return unhex(named) if isinstance(named, str) else None
    except (EnvelopeError, CanonicalError):
        return None


def _bundle(data: bytes) -> _Bundle | None:
    try:
        return read_json(data, _Bundle)
    except OutsideError:
        return None


def _receipts_in(bundle: _Bundle, number: int) -> list[KeptReceipt]:
    """Make the log receipt of each leaf of a bundle; ``number`` is the file's, for the error."""
    receipts = []
    for one in bundle.leaves:
        try:
            nodes = [base64.b64encode(bytes.fromhex(node)).decode() for node in one.proof]
        except ValueError:
            raise DocumentError(f"file {number} is a bundle with a proof that is no list of hashes") from None
        lines = [f"{FIRST_LINE}\n", f"index {one.index}\n", *(f"{node}\n" for node in nodes), "\n"]
        receipts.append(KeptReceipt(receipt="".join([*lines, bundle.checkpoint]).encode(), leaf=one.leaf.encode()))
    return receipts


def _payload_type(data: bytes, number: int) -> str:
    try:
        return Envelope.parse(data).payload_type
    except EnvelopeError as error:
        raise DocumentError(f"file {number} is no receipt, certificate or bundle: {error}") from None
