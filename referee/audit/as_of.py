"""The time as of which a log is audited: a deadline has passed if it had by then.

A running log is audited at the auditor's clock. A copy is audited as of its own newest time, because rounds that ran
when it was made have ended since: that is the newest time of its leaves, of a quorum's cosignatures, and of the
receipts and certificates that the auditor holds. This moves deadlines alone; everything else is compared with the
auditor's own clock.

>>> as_of_time(now=2_000, wanted=None, newest=1_500), as_of_time(now=2_000, wanted=1_800, newest=1_500)
(1500, 1800)
>>> as_of_time(now=2_000, wanted=1_400, newest=1_500)
Traceback (most recent call last):
...
referee.audit.as_of.AsOfError: as of 1400: what is held of this log is of 1500, so give 1500 to 2000
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from referee.audit.documents import Documents
from referee.audit.timeline import GRACE_MS
from referee.dealing.certificate import CERTIFICATE_TYPE
from referee.evidence import canonical
from referee.evidence.canonical import CanonicalError
from referee.evidence.dsse import Envelope, EnvelopeError
from referee.evidence.vkey import VerifierKey
from referee.log.keys import KeyRecord, KeyRole
from referee.transcript.chain import RECEIPT_TYPE

_SIGNERS = {CERTIFICATE_TYPE: KeyRole.SHUFFLER, RECEIPT_TYPE: KeyRole.REFEREE}


class AsOfError(ValueError):
    """A time to audit as of that is before what is held of the log, or after the auditor's clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditTime:
    """The auditor's clock ``now``, and the time ``as_of`` by which deadlines are judged, in ms since 1970 UTC.

    ``as_of`` is ``now`` for a running log. If it is None, the log is a copy, audited as of the newest time in it, in
    all that is handed in, and ``former``, the ``as_of`` of an earlier audit of this log. A deadline has passed
    ``grace`` ms after it.
    """

    now: int
    as_of: int | None = None
    former: int = 0
    grace: int = GRACE_MS

    def judged(self, newest: int = 0) -> int:
        """Return the time as of which to audit if ``newest`` is the newest time held of the log; raise AsOfError."""
        return as_of_time(now=self.now, wanted=self.as_of, newest=max(self.former, newest))


def as_of_time(*, now: int, wanted: int | None, newest: int) -> int:
    """Return the time as of which to audit, in ms; raise AsOfError for a wanted time outside ``newest`` to ``now``.

    ``newest`` is the newest time held of the log, 0 for none. Times after ``now`` are of a clock that is ahead.
    """
    newest = min(newest, now)
    if wanted is None:
        return newest or now
    if not newest <= wanted <= now:
        fault = "the auditor's clock shows" if wanted > now else "what is held of this log is of"
        raise AsOfError(f"as of {wanted}: {fault} {now if wanted > now else newest}, so give {newest} to {now}")
    return wanted


def held_times(documents: Documents, records: Sequence[KeyRecord]) -> Iterator[int]:
    """Yield the times in ms of the certificates and event receipts that a key of this log signed."""
    for data in (*documents.certificates, *documents.event_receipts):
        try:
            envelope = _envelope(data)
            role = _SIGNERS.get(envelope.payload_type)
            keys = [VerifierKey.parse(one.key).public_key for one in records if one.role is role]
            envelope.verify_any(payload_type=envelope.payload_type, public_keys=keys)
            said = canonical.decode(envelope.payload)
        except (EnvelopeError, CanonicalError):
            continue
        if isinstance(said, dict):
            sections = said.get("sections")
            parts = [said, *(sections if isinstance(sections, list) else ())]
            yield from _times(part for part in parts if isinstance(part, dict))


def _times(parts: Iterable[dict[str, object]]) -> Iterator[int]:
    for part in parts:
        for name in ("dealt_time", "received_time", "unsealed_time"):
            if isinstance(time := part.get(name), int):
                yield time


def _envelope(data: bytes) -> Envelope:
    """Read an envelope, or the receipt in a document that has more than it."""
    try:
        return Envelope.parse(data)
    except EnvelopeError:
        said = canonical.decode(data)
        receipt = said.get("receipt") if isinstance(said, dict) else None
        if not isinstance(receipt, str):
            raise
        return Envelope.parse(receipt.encode())
