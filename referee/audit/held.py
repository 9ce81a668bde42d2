"""Files that people hold of a log, told apart by what is in them: what an auditor is handed besides the log.

The law: a file is a log receipt (a C2SP tlog-proof, its leaf beside it where the holder has one), a certificate, an
event receipt, or a round's bundle, whose every leaf comes with its own receipt. All but a log receipt were handed out,
so they are looked through for secrets as well. A file that is none of these is refused: nothing is left out unsaid.

It refuses to know whether anything in the files holds; the audit finds that.

>>> exhibits_of([(b'{"payload":"","payloadType":"x","signatures":[]}', None)])
Traceback (most recent call last):
...
referee.audit.held.HeldError: file 0 is an envelope of type x, which nobody is handed
"""

import base64
from collections.abc import Iterable

import msgspec

from referee.audit.source import Exhibits, Promise
from referee.dealing.certificate import CERTIFICATE_TYPE
from referee.evidence.dsse import Envelope, EnvelopeError
from referee.log.receipt import FIRST_LINE
from referee.transcript.receipt import RECEIPT_TYPE


class HeldError(ValueError):
    """A file that is nothing that people hold of a log."""


class _BundleLeaf(msgspec.Struct, frozen=True):
    index: int
    leaf: str
    proof: tuple[str, ...]


class _Bundle(msgspec.Struct, frozen=True):
    """The members of a bundle that count here; others may stand beside them."""

    checkpoint: str
    leaves: tuple[_BundleLeaf, ...]
    certificates: tuple[str, ...] = ()
    event_receipts: tuple[str, ...] = ()


def exhibits_of(files: Iterable[tuple[bytes, bytes | None]]) -> Exhibits:
    """What the files hold, in their order; each with the leaf that stood beside it, None for none.

    HeldError, with the file's number, for one that is none of what people hold.
    """
    certificates: list[bytes] = []
    event_receipts: list[bytes] = []
    promises: list[Promise] = []
    exports: list[bytes] = []
    for number, (data, leaf) in enumerate(files):
        if data.startswith(FIRST_LINE.encode()):
            promises.append(Promise(receipt=data, leaf=leaf))
            continue
        exports.append(data)
        bundle = _bundle(data)
        if bundle is not None:
            promises += _promises(bundle, number)
            certificates += [text.encode() for text in bundle.certificates]
            event_receipts += [text.encode() for text in bundle.event_receipts]
            continue
        envelope = data.rstrip(b"\n")
        kinds = {CERTIFICATE_TYPE: certificates, RECEIPT_TYPE: event_receipts}
        kind = _payload_type(envelope, number)
        if kind not in kinds:
            msg = f"file {number} is an envelope of type {kind}, which nobody is handed"
            raise HeldError(msg)
        kinds[kind].append(envelope)
    return Exhibits(
        certificates=tuple(certificates),
        event_receipts=tuple(event_receipts),
        promises=tuple(promises),
        exports=tuple(exports),
    )


def _bundle(data: bytes) -> _Bundle | None:
    try:
        return msgspec.json.decode(data, type=_Bundle)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _promises(bundle: _Bundle, number: int) -> list[Promise]:
    """The log receipt of each leaf of a bundle."""
    promises = []
    for one in bundle.leaves:
        try:
            nodes = [base64.b64encode(bytes.fromhex(node)).decode() for node in one.proof]
        except ValueError:
            msg = f"file {number} is a bundle with a proof that is no list of hashes"
            raise HeldError(msg) from None
        lines = [f"{FIRST_LINE}\n", f"index {one.index}\n", *(f"{node}\n" for node in nodes), "\n"]
        promises.append(Promise(receipt="".join([*lines, bundle.checkpoint]).encode(), leaf=one.leaf.encode()))
    return promises


def _payload_type(data: bytes, number: int) -> str:
    try:
        return Envelope.parse(data).payload_type
    except EnvelopeError as error:
        msg = f"file {number} is no receipt, certificate or bundle: {error}"
        raise HeldError(msg) from None
