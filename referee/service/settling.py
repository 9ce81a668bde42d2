"""Settlements: judged, signed, and appended to the log.

A settlement belongs to its deal: the log takes it only where the table's slot holds a DEAL with the same round id and
deck root and no terminal leaf. The same settlement again is answered from the log, however late it is requested.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from referee.evidence.dsse import Envelope
from referee.evidence.ed25519 import Signer
from referee.log import SettleStep, SlotKey, Stage
from referee.service.appending import append_each
from referee.service.reading import ReadRound
from referee.service.verifying import VerifiedRound, check_unexpired
from referee.storage import Append, Reader, Writer
from referee.transcript.inputs import MEDIA_TYPE, Inputs
from referee.transcript.replay import write_transcript
from referee.verdict import Violation
from referee.wire.refusal import RefusedError
from referee.wire.round import fill_receipt


@dataclass(frozen=True, slots=True, kw_only=True)
class Settler:
    """Judges settlements at the referee's clock, signs their transcripts and appends them."""

    signer: Signer
    writer: Writer
    reader: Reader
    clock: Callable[[], int]
    on_settled: Callable[[], None]

    def judge(self, read: ReadRound) -> Append | tuple[Violation, ...]:
        """Return the signed settlement of a round, or the violations that keep it from being settled now.

        Refuse a round that ended before it was settled, and one of which a section is not open.
        """
        verified, now = read.verified, self.clock()
        header = verified.header
        if now > header.round_deadline and not self._is_settled(verified):
            check_unexpired(verified, now=now, field="round")
        violations = read.faults_at(now)
        if violations and self._is_settled(verified):
            now = header.round_deadline  # the clock was set back since; answer as at any later time
            violations = read.faults_at(now)
        if violations:
            return violations
        results, inputs = read.results, read.inputs(now)
        leaf = Envelope.signed(MEDIA_TYPE, write_transcript(header, inputs, results), self.signer)
        step = SettleStep(
            SlotKey(header.table_id, header.round_number), round_id=header.round_id, deck_root=verified.deck_root
        )
        return Append(leaf=leaf.to_bytes(), step=step, request_digest=_repeat_key(inputs, read.chain.last_hash))

    def append(self, settlements: Sequence[tuple[Any, Append]]) -> list[RefusedError | None]:
        """Append settlements, each independently, and fill the log receipts of their responses.

        Return for each None, or why the log refuses it.
        """
        refusals: list[RefusedError | None] = []
        logged = append_each(self.writer, [append for _, append in settlements])
        for (response, _), one in zip(settlements, logged, strict=True):
            if isinstance(one, RefusedError):
                refusals.append(one)
            else:
                fill_receipt(response.log_receipt, one)
                refusals.append(None)
        if None in refusals:
            self.on_settled()
        return refusals

    def _is_settled(self, verified: VerifiedRound) -> bool:
        found = self.reader.round(SlotKey(verified.header.table_id, verified.header.round_number))
        return found is not None and found.stage is Stage.SETTLED


def _repeat_key(inputs: Inputs, last_hash: bytes) -> bytes:
    """Return the idempotency key of a settlement (its closing time excluded)."""
    attested = tuple([(event.time, event.attested) for event in inputs.events])
    return hashlib.sha256(last_hash + repr((attested, inputs.leader, inputs.previous_winner_seat)).encode()).digest()
