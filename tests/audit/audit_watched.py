"""Logs with witnesses: rounds, the checkpoints that were cosigned while they were played, and attacks.

The rows of ``cosigned.jsonl`` are these, which ``generate_fixtures`` writes. Beside the members of the other fixtures
they have ``witnesses`` (verifier keys), ``quorum``, ``cosigned`` (notes, smallest first),
``max_age`` (ms, null for any), ``outgrown`` (notes), and in ``expected`` the dealing levels beside the first finding.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from referee.audit import Code, MemoryLog
from referee.audit.cosignatures import Witnessing
from referee.evidence.merkle import root
from referee.evidence.note import Note, NoteSignature
from referee.evidence.vkey import Algorithm, VerifierKey
from referee.log import Checkpoint, CheckpointSigner
from referee.log.cosignature import cosign, merged, quorum_of
from tests.audit.audit_builder import (
    BETWEEN_MS,
    DEAL_MS,
    LOG,
    NOW,
    ORIGIN,
    REFEREE,
    ROOT,
    SHUFFLER,
    LogBuilder,
    NamedSigner,
    Parts,
    Table,
    key_leaf,
    newest_time,
)

SOURCE: Final = "fairness.md, What the audit must catch"
TABLE: Final = Table(name="watched", ruleset_id="mau_binh.classic", seats=2, received=False)
FIRST: Final = NamedSigner("witness.example/first")
SECOND: Final = NamedSigner("witness.example/second")
NEW_LOG: Final = NamedSigner("log.example/1/new")
NEW_LOG.name = ORIGIN  # a log's keys go by its origin
NOW_S: Final = NOW // 1000


def vkey(signer: NamedSigner, name: str = "") -> str:
    """Return a witness's verifier key."""
    return VerifierKey(name or signer.name, signer.public_key, Algorithm.COSIGNATURE_V1).text


@dataclass(slots=True, kw_only=True)
class Watched:
    """A log as given to an auditor who trusts some witnesses."""

    log: LogBuilder
    witnesses: tuple[str, ...] = (vkey(FIRST), vkey(SECOND))
    quorum: int = 2
    cosigned: list[bytes] = field(default_factory=list)
    max_age: int | None = None
    outgrown: list[bytes] = field(default_factory=list)
    kept: list[bytes] = field(default_factory=list)
    checkpoint: bytes = b""
    log_key: str = LOG.text

    @property
    def bundle(self) -> MemoryLog:
        """The log itself."""
        return MemoryLog(checkpoint=self.checkpoint or self.log.checkpoint(), entries=tuple(self.log.entries))

    @property
    def witnessing(self) -> Witnessing:
        """The auditor's witnesses and their cosigned checkpoints."""
        return Witnessing(
            quorum=quorum_of(self.witnesses, needed=self.quorum) if self.witnesses else None,
            cosigned=iter(self.cosigned),
            max_age=self.max_age,
            outgrown=tuple(self.outgrown),
        )

    def watch(self, size: int, *signers: NamedSigner, time: int | None = None) -> None:
        """Cosign the tree of that many leaves, when it had these; by both witnesses if none is named."""
        self.cosigned.append(cosigned(self.log, size, *(signers or (FIRST, SECOND)), time=time))


def note_at(log: LogBuilder, size: int, *signers: NamedSigner) -> bytes:
    """Sign the checkpoint of the first leaves by the log, or by these keys under its name."""
    head = Checkpoint(ORIGIN, size, root(log.entries[:size]))
    first, *others = signers or (LOG,)
    return CheckpointSigner(first, key_name=ORIGIN, also=others).sign(head)


def cosigned(log: LogBuilder, size: int, *signers: NamedSigner, time: int | None = None) -> bytes:
    """Make the checkpoint of the first leaves with these witnesses' cosignatures, of its newest leaf's time or another.

    Times are in seconds.
    """
    note, seen = Note.parse(note_at(log, size)), newest_time(log.entries[:size]) // 1000 + 1
    seconds = seen if time is None else time
    return merged(note, [cosign(note, name=one.name, signer=one, time=seconds) for one in signers]).format()


def carry(parts: Parts, note: bytes) -> None:
    """Let the round's DEAL carry a cosigned checkpoint."""
    parts.dealt = msgspec.structs.replace(parts.dealt, cosigned_checkpoint=note.hex())


def watched_round(log: LogBuilder, *signers: NamedSigner, table: Table = TABLE, **times: int) -> Parts:
    """Play a round whose DEAL carries the checkpoint that these witnesses cosigned with its OPEN."""
    parts = log.prepare(table)
    log.append(parts, steps="O")
    carry(parts, cosigned(log, len(log.entries), *(signers or (FIRST, SECOND)), **times))
    log.append(parts, steps="DER")
    return parts


def played(rounds: int = 2) -> Watched:
    """Play rounds of one table, OPEN at 3 and 7, DEAL at 4 and 8; each DEAL carries a cosigned checkpoint."""
    log = LogBuilder.founded()
    for _ in range(rounds):
        watched_round(log)
    watched = Watched(log=log)
    for number in range(rounds):
        watched.watch(4 + 4 * number)
    watched.watch(len(log.entries))
    return watched


def headed(log: LogBuilder) -> Watched:
    """Return a log whose head was cosigned when it had all its leaves."""
    watched = Watched(log=log)
    watched.watch(len(log.entries))
    return watched


ATTACKS: Final[dict[str, tuple[Code, str, Callable[[], Watched]]]] = {}


def attack(code: Code, why: str) -> Callable[[Callable[[], Watched]], Callable[[], Watched]]:
    """Add an attack under its function's name."""

    def enter(make: Callable[[], Watched]) -> Callable[[], Watched]:
        ATTACKS[make.__name__] = code, why, make
        return make

    return enter


def with_line(watched: Watched, place: int, line: NoteSignature) -> Watched:
    """Replace the last line of one cosigned note."""
    note = Note.parse(watched.cosigned[place])
    watched.cosigned[place] = Note(note.text, (*note.signatures[:-1], line)).format()
    return watched


@attack(Code.COSIGNATURE_REFUSED, "a line under a witness's name that somebody else signed")
def cosignature_forged() -> Watched:
    watched = played()
    note = Note.parse(watched.cosigned[0])
    mine = cosign(note, name=SECOND.name, signer=NamedSigner("somebody"), time=NOW_S)
    key = VerifierKey(SECOND.name, SECOND.public_key, Algorithm.COSIGNATURE_V1)
    return with_line(watched, 0, NoteSignature(SECOND.name, key.key_id, mine.signature))


@attack(Code.COSIGNATURE_REFUSED, "a cosignature whose time was moved forward to look fresh")
def cosignature_of_another_time() -> Watched:
    watched = played()
    line = Note.parse(watched.cosigned[-1]).signatures[-1]
    later = NOW_S.to_bytes(8, "big") + line.signature[8:]
    return with_line(watched, -1, NoteSignature(line.name, line.key_id, later))


@attack(Code.COSIGNATURE_REFUSED, "a witness that signs for tomorrow would make an old state look fresh")
def cosignature_of_a_time_to_come() -> Watched:
    watched = played()
    watched.cosigned[-1] = cosigned(watched.log, len(watched.log.entries), FIRST, SECOND, time=NOW_S + 86_400)
    return watched


@attack(Code.COSIGNATURE_REFUSED, "one of the cosigned checkpoints belongs to another log")
def cosigned_checkpoint_of_another_log() -> Watched:
    watched = played()
    text = Note.parse(watched.cosigned[0]).text.replace(ORIGIN, "log.example/2")
    note = Note(text, ())
    lines = tuple(cosign(note, name=one.name, signer=one, time=NOW_S) for one in (FIRST, SECOND))
    watched.cosigned[0] = Note(text, lines).format()
    return watched


@attack(Code.COSIGNATURE_REFUSED, "witnesses that the operator owns cosign a tree that the log never signed")
def cosigned_tree_that_the_log_never_signed() -> Watched:
    watched = played()
    other = LogBuilder(list(reversed(watched.log.entries)))
    note = Note.parse(cosigned(other, 4, FIRST, SECOND))
    watched.cosigned[0] = Note(note.text, note.signatures[1:]).format()
    return watched


@attack(Code.HISTORY_REWRITTEN, "the log was written anew behind its witnesses, who remember")
def history_that_witnesses_remember() -> Watched:
    watched = played()
    other = LogBuilder(list(reversed(watched.log.entries)))
    watched.cosigned[1] = cosigned(other, 8, FIRST, SECOND)
    return watched


@attack(Code.QUORUM_UNMET, "one of two witnesses never saw the log")
def quorum_unmet() -> Watched:
    watched = played()
    watched.cosigned = [cosigned(watched.log, size, FIRST) for size in (4, 8, len(watched.log.entries))]
    return watched


@attack(Code.QUORUM_UNMET, "the log shows no cosigned checkpoint at all")
def cosignatures_missing() -> Watched:
    watched = played()
    watched.cosigned = []
    return watched


@attack(Code.QUORUM_UNMET, "the two witnesses cosigned, but never the same checkpoint")
def witnesses_that_never_meet() -> Watched:
    watched = played()
    watched.cosigned = [cosigned(watched.log, 4, FIRST), cosigned(watched.log, 8, SECOND)]
    return watched


@attack(Code.QUORUM_UNMET, "the log's own key signs under a witness's name")
def cosigned_by_strangers() -> Watched:
    watched = played()
    stranger = NamedSigner("witness.example/third")
    watched.cosigned = [cosigned(watched.log, size, FIRST, stranger) for size in (4, 8)]
    return watched


@attack(Code.WITNESS_DOUBLED, "one key under two names would be a quorum of two")
def one_key_under_two_names() -> Watched:
    watched = played()
    watched.witnesses = (vkey(FIRST), vkey(FIRST, "other.example/first"), vkey(SECOND))
    return watched


@attack(Code.WITNESS_DOUBLED, "the shuffler's key as a witness vouches for itself")
def witness_with_a_key_of_the_log() -> Watched:
    watched = played()
    watched.witnesses = (*watched.witnesses, vkey(SHUFFLER, "witness.example/inside"))
    return watched


@attack(Code.HEAD_FROZEN, "the newest cosignatures are an hour old, and ten minutes were asked for")
def log_kept_from_moving() -> Watched:
    watched = played()
    watched.max_age = 600_000
    size = len(watched.log.entries)
    watched.cosigned = [cosigned(watched.log, size, FIRST, SECOND, time=NOW_S - 3_600)]
    return watched


@attack(Code.HEAD_FROZEN, "one witness vouches again and again, the other no more: a quorum of both is old")
def quorum_kept_from_moving() -> Watched:
    watched = played()
    watched.max_age = 600_000
    note = Note.parse(cosigned(watched.log, len(watched.log.entries), FIRST, time=NOW_S))
    old = cosign(note, name=SECOND.name, signer=SECOND, time=NOW_S - 3_600)
    watched.cosigned[-1] = merged(note, [old]).format()
    return watched


@attack(Code.HEAD_FROZEN, "the head is still the one that was seen the day before")
def log_that_has_not_grown() -> Watched:
    watched = played()
    watched.outgrown = [watched.log.checkpoint()]
    return watched


@attack(Code.COSIGNATURE_REFUSED, "the checkpoint that a deal carries has not the round's OPEN")
def carried_checkpoint_before_open() -> Watched:
    log = LogBuilder.founded()
    early = cosigned(log, len(log.entries), FIRST, SECOND)
    parts = log.prepare(TABLE)
    carry(parts, early)
    log.append(parts)
    return headed(log)


@attack(Code.COSIGNATURE_REFUSED, "the checkpoint that a deal carries is none")
def carried_checkpoint_unreadable() -> Watched:
    log = LogBuilder.founded()
    parts = log.prepare(TABLE)
    carry(parts, b"no note")
    log.append(parts)
    return headed(log)


@attack(Code.HISTORY_REWRITTEN, "a deal carries a checkpoint of a tree that the log signed and does not have")
def carried_checkpoint_of_another_tree() -> Watched:
    log = LogBuilder.founded()
    parts = log.prepare(TABLE)
    log.append(parts, steps="O")
    other = LogBuilder(list(reversed(log.entries)))
    carry(parts, cosigned(other, len(log.entries), FIRST, SECOND))
    log.append(parts, steps="DER")
    return headed(log)


@attack(Code.TIME_AHEAD, "an OPEN is dated after the time at which witnesses saw it, so that its deadlines move")
def opened_after_its_cosignature() -> Watched:
    log = LogBuilder.founded()
    watched_round(log, time=opening_seconds(log) - 11)
    return headed(log)


@attack(Code.TIME_OUT_OF_ORDER, "a DEAL is dated before the cosignature that it carries")
def dealt_before_its_cosignature() -> Watched:
    log = LogBuilder.founded()
    watched_round(log, time=opening_seconds(log) + DEAL_MS // 2000 + 11)
    return headed(log)


@attack(Code.TIME_AHEAD, "an operator's clock runs fast, so leaves are dated eleven seconds after witnesses saw them")
def leaves_after_their_cosignature() -> Watched:
    watched = headed(played().log)
    size = len(watched.log.entries)
    seconds = newest_time(watched.log.entries) // 1000 - 11
    watched.cosigned = [cosigned(watched.log, size, FIRST, SECOND, time=seconds)]
    return watched


@attack(Code.TIME_BACKDATED, "a round is dated an hour before the time at which a witness saw the log without it")
def round_backdated() -> Watched:
    watched = headed(played(1).log)
    size = len(watched.log.entries)
    note = cosigned(watched.log, size, FIRST, SECOND, time=watched.log.time // 1000 + 3_600)
    watched.log.play(TABLE)
    watched.cosigned = [note]
    return watched


@attack(Code.KEY_NOT_VALID, "a key of the log signs on alone after it was revoked")
def checkpoint_by_a_revoked_log_key() -> Watched:
    watched = played()
    watched.log.entries += [key_leaf(NEW_LOG, "log"), key_leaf(LOG, "log", action="REVOKE")]
    watched.log.play(TABLE)
    return watched


@attack(Code.KEY_NOT_VALID, "a checkpoint that somebody kept is by a key that was not the log's yet")
def checkpoint_by_a_log_key_before_its_time() -> Watched:
    watched = rotated()
    watched.kept = [note_at(watched.log, 8, NEW_LOG)]
    return watched


@attack(Code.CHECKPOINT_REFUSED, "a key that another root named signs for the log")
def checkpoint_by_a_key_that_the_root_never_named() -> Watched:
    watched = played()
    watched.log.entries.append(key_leaf(NEW_LOG, "log", by=NamedSigner("another root")))
    watched.checkpoint = note_at(watched.log, len(watched.log.entries), NEW_LOG)
    return watched


@attack(Code.KEY_NOT_VALID, "the referee's revoked key settles a round that was opened after its revocation")
def settled_after_the_revocation() -> Watched:
    watched = played()
    watched.log.entries += [
        key_leaf(NamedSigner("referee/2"), "referee"),
        key_leaf(REFEREE, "referee", action="REVOKE"),
    ]
    parts = watched.log.prepare(TABLE)
    watched.log.append(parts)
    return watched


def opening_seconds(log: LogBuilder) -> int:
    """Return the time in seconds at which the next round of a log is opened."""
    milliseconds = log.time + BETWEEN_MS
    assert milliseconds % 1000 == 0
    return milliseconds // 1000


def within_the_slack() -> Watched:
    """Make a log with an OPEN ten seconds ahead of its cosignature, and a DEAL ten seconds behind the one it has."""
    log = LogBuilder.founded()
    watched_round(log, time=opening_seconds(log) - 10)
    watched_round(log, time=opening_seconds(log) + DEAL_MS // 2000 + 10)
    return headed(log)


def rotated() -> Watched:
    """Make a log that changed its key: both sign from leaf 11 on, the new one alone from leaf 16, the revocation."""
    watched = played()
    watched.log.entries.append(key_leaf(NEW_LOG, "log"))
    watched.log.play(TABLE)
    watched.log.entries.append(key_leaf(LOG, "log", action="REVOKE"))
    watched.log.play(TABLE)
    watched.checkpoint = note_at(watched.log, len(watched.log.entries), NEW_LOG)
    return watched


SOUND: Final[dict[str, tuple[str, Callable[[], Watched], dict[str, int]]]] = {
    "watched": ("OPEN was cosigned before DEAL in both rounds", played, {"L3": 2}),
    "times_within_the_slack": (
        "an OPEN ten seconds ahead of its cosignature, and a DEAL ten seconds behind one, are no finding",
        within_the_slack,
        {"L3": 2},
    ),
    "log_key_rotated": ("the log changed its key, and the auditor knows the old one", rotated, {"L2": 2, "L3": 2}),
}


def lines() -> Iterator[str]:
    """Yield the lines of the file."""
    for name, (why, make, levels) in SOUND.items():
        yield _line(make(), id=name, why=why, source=SOURCE, expected={}, levels=levels)
    for name, (code, why, make) in ATTACKS.items():
        expected = {"code": code.value, "number": code.number, "severity": code.severity.value}
        yield _line(make(), id=name, why=why, source=f"{SOURCE}, {code.number}", expected=expected)


def _line(watched: Watched, **about: Any) -> str:  # noqa: ANN401 - members of a JSON object
    bundle = watched.bundle
    fixture = {
        **about,
        "now": NOW,
        "origin": ORIGIN,
        "log_key": watched.log_key,
        "root_key": ROOT.text,
        "checkpoint": bundle.checkpoint.decode(),
        "witnessed": [note.decode() for note in watched.kept],
        "witnesses": watched.witnesses,
        "quorum": watched.quorum,
        "cosigned": [note.decode() for note in watched.cosigned],
        "max_age": watched.max_age,
        "outgrown": [note.decode() for note in watched.outgrown],
        "leaves": [leaf.decode() for leaf in bundle.entries],
    }
    return json.dumps(fixture, ensure_ascii=False, separators=(",", ":"))
