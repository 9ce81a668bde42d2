"""Every attack on a log that the audit must name: a healthy log with one thing changed, and the code expected first.

Each attacker has the keys that the attack needs: the changed leaf is signed again, the tree and the checkpoint are made
again, and whatever honest code would have derived from the change is derived again. So the one broken promise is all
that is left to find. ``number`` is the place in the list of what an audit must catch.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, Final

import msgspec

from referee.audit import Code, Documents, MemoryLog
from referee.audit.documents import NO_DOCUMENTS
from referee.cards import Card
from referee.dealing import certificate
from referee.dealing.commitment import deck_root, section_root
from referee.dealing.deal import Deal
from referee.evidence.dsse import Envelope
from referee.transcript.inputs import InputEvent
from referee.transcript.round import write_transcript
from tests.audit.audit_builder import (
    SHUFFLER,
    LogBuilder,
    NamedSigner,
    Parts,
    Table,
    attest,
    course_of,
    dealt_from,
    digest,
    opened_sections,
    receipt_of,
    settle,
    sign,
)

TABLE: Final = Table(name="table-1", ruleset_id="mau_binh.classic", seats=2)
WORD: Final = replace(TABLE, received=False)
LEADING: Final = replace(WORD, ruleset_id="tien_len.mien_nam")
KEYED_TABLES: Final = (
    replace(TABLE, name="signed", keyed=True),
    replace(TABLE, name="sealed", keyed=True, sealed=True, seats=3),
    replace(TABLE, name="board", keyed=True, ruleset_id="ultimate_texas.casino"),
    replace(TABLE, name="sealed.board", keyed=True, sealed=True, ruleset_id="ultimate_texas.casino"),
    replace(TABLE, name="turns", keyed=True, ruleset_id="tien_len.mien_nam"),
)
GROUP_ORDER: Final = 2**252 + 27742317777372353535851937790883648493


@dataclass(frozen=True, slots=True, kw_only=True)
class Attacked:
    """A log after an attack, with what an auditor has besides it."""

    bundle: MemoryLog
    documents: Documents = NO_DOCUMENTS
    witnessed: tuple[bytes, ...] = ()
    now: int
    is_copy: bool = False
    """Whether the log is audited as of its own newest time, and not at ``now``."""

    @property
    def as_of(self) -> int | None:
        """The time by which deadlines are judged; None for that of a copy."""
        return None if self.is_copy else self.now


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutation:
    """An attack: its id, its number in the list, the code expected first, why it matters, and how it is done.

    ``file`` is the fixture file that holds it.
    """

    id: str
    number: int
    code: Code
    why: str
    attack: Callable[[], Attacked]
    file: str = "mutations.jsonl"


ENTERED: Final[dict[str, Mutation]] = {}
"""All attacks by id, as their modules enter them."""


def mutation(
    code: Code, why: str, *, file: str = "mutations.jsonl", number: int | None = None
) -> Callable[[Callable[[], Attacked]], Callable[[], Attacked]]:
    """Add an attack to the list under its function's name."""

    def enter(attack: Callable[[], Attacked]) -> Callable[[], Attacked]:
        name = attack.__name__
        placed = code.number if number is None else number
        ENTERED[name] = Mutation(id=name, number=placed, code=code, why=why, attack=attack, file=file)
        return attack

    return enter


Scene = Callable[[], tuple[LogBuilder, Parts]]
"""Makes a log and its next round, settled and not yet in the log."""


def begun(table: Table = TABLE) -> tuple[LogBuilder, Parts]:
    """Make a log in which the table has played one round, and its next round, settled and not yet in the log."""
    log = LogBuilder.of(table)
    parts = log.prepare(table)
    while not parts.inputs.events:  # an instant win leaves no event to attack
        seed = digest("again", parts.server_seed.hex())
        parts = dealt_from(table, parts.header, server_seed=seed, client_seeds=parts.client_seeds, winner=parts.winner)
        settle(parts)
    return log, parts


def laid_out(table: Table, *, rounds: int = 0) -> tuple[LogBuilder, Parts]:
    """Make a log in which the table has played so many rounds, and its next round, dealt and not settled."""
    log = LogBuilder.of(table, rounds=rounds)
    return log, log.lay_out(table)


def log_attack(  # noqa: PLR0913 - of which most have a default
    code: Code,
    why: str,
    *,
    on: Scene | Table = TABLE,
    steps: str = "ODUER",
    file: str = "mutations.jsonl",
    number: int | None = None,
    now: int | None = None,
    is_copy: bool = False,
) -> Callable[[Callable[[LogBuilder, Parts], None]], Callable[[], Attacked]]:
    """Add an attack that changes a log and its next round before these steps of it are appended to the log."""

    def enter(change: Callable[[LogBuilder, Parts], None]) -> Callable[[], Attacked]:
        @wraps(change)
        def attacked() -> Attacked:
            log, parts = begun(on) if isinstance(on, Table) else on()
            change(log, parts)
            if steps:
                log.append(parts, steps=steps)
            return replace(ended(log, now=now), is_copy=is_copy)

        return mutation(code, why, file=file, number=number)(attacked)

    return enter


def attack(code: Code, why: str, **how: Any) -> Callable[[Callable[[Parts], None]], Callable[[], Attacked]]:  # noqa: ANN401 - as log_attack takes
    """Add an attack that changes a settled round and nothing else of its log."""

    def enter(change: Callable[[Parts], None]) -> Callable[[], Attacked]:
        return log_attack(code, why, **how)(wraps(change)(lambda _log, parts: change(parts)))

    return enter


def ended(log: LogBuilder, parts: Parts | None = None, *, now: int | None = None) -> Attacked:
    """Make the attacked log as an auditor gets it, at the time of its newest leaf or at another."""
    if parts is not None:
        log.append(parts)
    return Attacked(bundle=log.bundle(), documents=log.documents, now=log.time if now is None else now)


def healthy() -> Attacked:
    """Make a sound log: two rounds of one table, and one each of tables with keys, sealed and of other games.

    It has a certificate and an event receipt of the second round.
    """
    log, parts = begun()
    log.append(parts)
    for table in KEYED_TABLES:
        log.play(table)
    log.documents = Documents(certificates=(certified(parts),), event_receipts=(receipt(parts, 1),))
    return ended(log)


def certified(parts: Parts, *, signer: NamedSigner = SHUFFLER, deal: Deal | None = None) -> bytes:
    """Make the certificate of all hands."""
    return certificate.issue(
        deal or parts.deal,
        parts.header,
        sections=range(parts.header.seat_count),
        dealt_time=parts.dealt.dealt_time,
        signer=signer,
    )


def receipt(parts: Parts, number: int, *, event: bytes | None = None) -> bytes:
    """Make the referee's receipt of an event of a round, or of another in its place."""
    if event is None:
        return receipt_of(parts, number, course_of(parts))
    events = list(parts.inputs.events)
    events[number - 1] = msgspec.structs.replace(events[number - 1], event=msgspec.Raw(event))
    other = replace(parts, inputs=msgspec.structs.replace(parts.inputs, events=tuple(events)))
    return receipt_of(other, number, course_of(other))


def forged_payload(data: bytes, signer: NamedSigner, **changes: object) -> bytes:
    """Change members of a signed envelope's payload and sign it again."""
    envelope = Envelope.parse(data)
    payload = msgspec.json.decode(envelope.payload)
    payload.update(changes)
    return sign(envelope.payload_type, msgspec.json.encode(payload, order="sorted"), signer)


def redealt(parts: Parts, sections: tuple[tuple[Card, ...], ...]) -> Deal:
    """Make the deal with other cards, with a valid commitment to them."""
    deal = parts.deal
    numbers = tuple([bytes([card.number for card in section]) for section in sections])
    roots = tuple(
        [
            section_root(key=key, round_id=deal.round_id, section=index, numbers=dealt)
            for index, (key, dealt) in enumerate(zip(deal.keys, numbers, strict=True))
        ]
    )
    root = deck_root(
        round_id=deal.round_id, commitment=deal.commitment, mixed=deal.mixed, layout=parts.header.layout, roots=roots
    )
    return msgspec.structs.replace(deal, sections=sections, numbers=numbers, roots=roots, deck_root=root)


def adopt(parts: Parts, deal: Deal) -> None:
    """Deal, play and settle the round with another deal."""
    parts.deal = deal
    opened = opened_sections(parts.table, deal)
    parts.dealt = msgspec.structs.replace(parts.dealt, deck_root=deal.deck_root.hex(), opened_sections=opened)
    settle(parts)


def with_seeds(parts: Parts, seeds: tuple[bytes, ...]) -> Parts:
    """Deal the round from other seeds, with unchanged commitments."""
    other = dealt_from(
        parts.table, parts.header, server_seed=parts.server_seed, client_seeds=seeds, winner=parts.winner
    )
    other.opened = parts.opened
    settle(other)
    return other


def written_id(parts: Parts) -> bytes:
    """Return the round's id as a transcript writes it."""
    return parts.header.round_id.hex().encode()


def rewrite(parts: Parts, events: tuple[InputEvent, ...], **found: object) -> None:
    """Write the transcript with other events, their hash, and the old result but for some members."""
    parts.inputs = msgspec.structs.replace(parts.inputs, events=events)
    result = msgspec.json.decode(parts.transcript)["results"]
    result |= {"events_hash": course_of(parts).event_hash.hex(), **found}
    parts.transcript = write_transcript(parts.header, parts.inputs, result)


def revised(parts: Parts, events: tuple[InputEvent, ...], **inputs: object) -> None:
    """Write the transcript with other events, attested as they are now, and the old result; UNSEALs follow too."""
    parts.inputs = msgspec.structs.replace(parts.inputs, events=events, **inputs)
    attest(parts)
    rewrite(parts, parts.inputs.events)


def changed(event: InputEvent, **members: object) -> InputEvent:
    """Change members of an event's bytes; None leaves one out."""
    found = msgspec.json.decode(event.event) | members
    kept = {name: value for name, value in found.items() if value is not None}
    return msgspec.structs.replace(event, event=msgspec.Raw(msgspec.json.encode(kept, order="sorted")))
