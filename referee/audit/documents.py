"""Documents that people kept of a log: log receipts, certificates, event receipts, receipted events, and bundles.

Files are classified by their content. All but a log receipt were handed out during play, so they are searched for
secrets as well (``exports``). A file of no known kind is rejected, so nothing is left out silently.

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

from referee.dealing.certificate import CERTIFICATE_TYPE, CertificateJson
from referee.evidence import canonical
from referee.evidence.canonical import CanonicalError, Form, Hex32, Natural, unhex
from referee.evidence.dsse import Envelope, EnvelopeError
from referee.log.receipt import FIRST_LINE
from referee.transcript.chain import RECEIPT_TYPE
from referee.transcript.receipted import read_receipted_event

CERTIFICATE_FORM: Final = Form(CertificateJson)
_BASE64: Final = re.compile(rb"[A-Za-z0-9+/]{40,}={0,2}")
_HEX: Final = re.compile(rb"[0-9a-fA-F]{64}")
_DEPTH: Final = 4
"""Levels of base64 within base64 that are searched."""


class DocumentError(ValueError):
    """A file that is no document of a log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptReceipt:
    """A log receipt as the text of a C2SP tlog-proof, with its leaf if its holder has it."""

    receipt: bytes
    leaf: bytes | None = None


class HeldSeed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A seat's seed of a round, as somebody hands it in; ids and seeds are 32 bytes in lowercase hex."""

    round_id: Hex32
    seat: Natural
    seed: Hex32


@dataclass(frozen=True, slots=True, kw_only=True)
class Documents:
    """Documents by kind, in any order.

    ``certificates`` are signed envelopes, ``event_receipts`` signed envelopes or receipted events, ``exports`` any
    bytes that were handed out while a round was played, which must not hold its secrets, ``seeds`` seeds of rounds that
    were given up.
    """

    certificates: tuple[bytes, ...] = ()
    event_receipts: tuple[bytes, ...] = ()
    log_receipts: tuple[KeptReceipt, ...] = ()
    exports: tuple[bytes, ...] = ()
    seeds: tuple[HeldSeed, ...] = ()


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
    """Parse files, each with the leaf that was kept beside it or None; DocumentError for a file of no known kind."""
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
    """Group all but log receipts by the round id they name; those that name none under ``b""``.

    An export is listed under everything in it that could be a round id.
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
    """Parse seeds, one JSON object a line with round_id, seat and seed; raise DocumentError for anything else.

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
            seed = msgspec.json.decode(line, type=HeldSeed)
            unhex(seed.round_id)
            unhex(seed.seed)
        except (ValueError, RecursionError) as error:
            raise DocumentError(f"line {number} is no seed: {error}") from None
        seeds.append(seed)
    return tuple(seeds)


def layers_of(data: bytes) -> tuple[bytes, ...]:
    """Return the bytes, everything that base64 in them encodes, and everything that base64 in that encodes."""
    layers, fresh = [data], [data]
    for _ in range(_DEPTH):
        fresh = [inner for layer in fresh for inner in _decoded(layer)]
        layers += fresh
    return tuple(layers)


def hex_values(layer: bytes) -> Iterator[bytes]:
    """Yield every run of 64 hexadecimal digits as bytes."""
    return (bytes.fromhex(match.group().decode()) for match in _HEX.finditer(layer))


def _decoded(layer: bytes) -> Iterator[bytes]:
    """Yield what base64 in the bytes encodes, from each of the four places where a group may begin."""
    for match in _BASE64.finditer(layer):
        for start in range(4):
            text = match.group()[start:].rstrip(b"=")
            text = text[: len(text) - (len(text) % 4 == 1)]  # a letter too many spells nothing, and hides nothing
            yield binascii.a2b_base64(text + b"=" * (-len(text) % 4))


def _round_id_of(data: bytes) -> bytes | None:
    """Return the round that a certificate or event receipt names, however invalid it is; None if it names none."""
    event = read_receipted_event(data)
    try:
        said = canonical.decode(Envelope.parse(data if event is None else event.receipt.encode()).payload)
        named = said.get("round_id") if isinstance(said, dict) else None
        return unhex(named) if isinstance(named, str) else None
    except (EnvelopeError, CanonicalError):
        return None


def _bundle(data: bytes) -> _Bundle | None:
    try:
        return msgspec.json.decode(data, type=_Bundle)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _receipts_in(bundle: _Bundle, number: int) -> list[KeptReceipt]:
    """Make the log receipt of each leaf of a bundle."""
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
