"""What witnesses add to an audit: level L3, and faults of cosignatures, quorums, age and a log's changing key."""

from collections.abc import Callable

import pytest

from referee.audit import Code, MemoryLog, Report
from referee.audit.cosignatures import Witnessing
from referee.audit.report import DealingLevel
from referee.evidence.note import Note
from referee.evidence.vkey import VerifierKey
from referee.log import Checkpoint, CheckpointSigner
from referee.log.cosignature import cosign, merged
from tests.audit import audit_watched
from tests.audit.audit_builder import (
    LOG,
    NOW,
    ORIGIN,
    ROOT,
    START,
    Auditor,
    LogBuilder,
    NamedSigner,
    Table,
    codes,
    dealt_from,
    key_leaf,
    settle,
)
from tests.audit.audit_watched import FIRST, NEW_LOG, NOW_S, SECOND, Watched, cosigned, note_at, played, rotated, vkey


def judged(watched: Watched, audit: Auditor) -> Report:
    return audit(watched.bundle, witnessing=watched.witnessing, witnessed=watched.kept, now=NOW)


def carrying(note_of: Callable[[LogBuilder], bytes]) -> Watched:
    """Make a log whose second round, OPEN at 7 and DEAL at 8, carries a note made before its DEAL."""
    watched = played(1)
    log = watched.log
    parts = log.prepare(audit_watched.TABLE)
    log.append(parts, steps="O")
    audit_watched.carry(parts, note_of(log))
    log.append(parts, steps="DER")
    watched.watch(len(log.entries))
    return watched


@pytest.mark.parametrize("size", range(1, 9))
def test_round_is_level_three_only_if_its_deal_carries_a_cosigned_open(size: int, audit: Auditor):
    """OPEN is leaf 7: of all the sizes before DEAL only 8 has it, and a deal that carries another claims too much."""
    report = judged(carrying(lambda log: cosigned(log, size, FIRST, SECOND)), audit)
    assert codes(report) == ([] if size == 8 else [Code.COSIGNATURE_REFUSED])
    assert report.dealing_levels[DealingLevel.L3] == (2 if size == 8 else 1)


def test_cosigned_checkpoints_beside_the_log_raise_no_round(audit: Auditor):
    """What proves level three is in the published leaves."""
    log = LogBuilder.of(audit_watched.TABLE)
    watched = Watched(log=log)
    watched.watch(4)
    watched.watch(7)
    assert judged(watched, audit).findings == ()
    assert judged(watched, audit).dealing_levels[DealingLevel.L2] == 1


def test_interleaved_rounds_share_a_cosigned_checkpoint(audit: Auditor):
    """Three tables open at 3 to 5, the checkpoint of 6, then they deal: one cosigned checkpoint serves all."""
    log = LogBuilder.founded()
    tables = [Table(name=f"t-{n}", ruleset_id="mau_binh.classic", seats=2, received=False) for n in range(3)]
    rounds = [log.lay_out(table) for table in tables]
    for parts in rounds:
        settle(parts)
        log.append(parts, steps="O")
    note = cosigned(log, 6, FIRST, SECOND)
    for step in "DER":
        for parts in rounds:
            audit_watched.carry(parts, note)
            log.append(parts, steps=step)
    watched = Watched(log=log)
    watched.watch(6)
    assert judged(watched, audit).dealing_levels[DealingLevel.L3] == 3


def test_level_three_needs_the_whole_quorum_on_the_carried_checkpoint(audit: Auditor):
    report = judged(carrying(lambda log: cosigned(log, 8, FIRST)), audit)
    assert report.findings == ()
    assert (report.dealing_levels[DealingLevel.L3], report.dealing_levels[DealingLevel.L2]) == (1, 1)


@pytest.mark.parametrize("key", [LOG, NEW_LOG], ids=["a key of the log", "a key of nobody"])
def test_carried_checkpoint_is_by_a_key_of_the_log(key: NamedSigner, audit: Auditor):
    def note_of(log: LogBuilder) -> bytes:
        note = Note.parse(note_at(log, 8, key))
        return merged(
            note, [cosign(note, name=one.name, signer=one, time=log.time // 1000) for one in (FIRST, SECOND)]
        ).format()

    assert codes(judged(carrying(note_of), audit)) == ([] if key is LOG else [Code.COSIGNATURE_REFUSED])


def test_without_a_quorum_nobody_is_asked(audit: Auditor):
    watched = played()
    report = audit(watched.bundle, witnessing=Witnessing(cosigned=watched.cosigned))
    assert report.findings == ()
    assert report.dealing_levels[DealingLevel.L2] == 2


def test_round_without_commitments_is_not_raised(audit: Auditor):
    log = LogBuilder.of(Table(name="bare", ruleset_id="mau_binh.classic", seats=2, commits=False, received=False))
    watched = Watched(log=log)
    watched.watch(4)
    assert judged(watched, audit).dealing_levels[DealingLevel.L1] == 1


def test_repeated_seeds_lower_a_watched_round(audit: Auditor):
    """Two rounds with the same seats' seeds, both witnessed: both fall to L1, and the counts still add up."""
    log = LogBuilder.founded()
    first = log.prepare(audit_watched.TABLE)
    log.append(first)
    second = log.lay_out(audit_watched.TABLE)
    second = dealt_from(
        audit_watched.TABLE, second.header, server_seed=second.server_seed, client_seeds=first.client_seeds
    )
    settle(second)
    log.append(second)
    watched = Watched(log=log)
    watched.watch(4)
    watched.watch(8)
    report = judged(watched, audit)
    assert {finding.code for finding in report.findings} == {Code.CLIENT_SEED_REPEATED}
    assert {level: count for level, count in report.dealing_levels.items() if count} == {DealingLevel.L1: 2}


def test_several_processes_give_the_same_levels(audit: Auditor):
    watched = played(6)
    alone, together = judged(watched, audit), audit(watched.bundle, witnessing=watched.witnessing, now=NOW, workers=2)
    assert alone == together
    assert alone.dealing_levels[DealingLevel.L3] == 6


def test_cosigned_checkpoints_beyond_the_head_are_left_for_later(audit: Auditor):
    """A running log moves on while it is audited."""
    watched = played()
    shorter = MemoryLog(checkpoint=note_at(watched.log, 9), entries=tuple(watched.log.entries[:9]))
    report = audit(shorter, witnessing=watched.witnessing)
    assert report.findings == ()


def test_kept_checkpoint_that_is_cosigned_counts_for_the_quorum(audit: Auditor):
    watched = played()
    watched.kept, watched.cosigned = [watched.cosigned[1]], []
    assert judged(watched, audit).findings == ()


def test_cosigned_head_that_the_log_itself_shows_counts(audit: Auditor):
    watched = played()
    watched.cosigned, watched.checkpoint = [], watched.cosigned[-1]
    assert judged(watched, audit).findings == ()


def test_checkpoints_out_of_order_are_refused_without_comparison(audit: Auditor):
    watched = played()
    watched.cosigned.reverse()
    assert codes(judged(watched, audit)) == [Code.COSIGNATURE_REFUSED] * 2


def beyond(watched: Watched) -> bytes:
    """Return a cosigned checkpoint of more leaves than the log has."""
    longer = played(3).log
    assert len(longer.entries) > len(watched.log.entries)
    return cosigned(longer, len(longer.entries), FIRST, SECOND)


def test_checkpoint_listed_after_one_beyond_the_log_is_refused(audit: Auditor):
    watched = played(1)
    watched.cosigned = [beyond(watched), watched.cosigned[-1]]
    assert codes(judged(watched, audit)) == [
        Code.COSIGNATURE_REFUSED,
        Code.QUORUM_UNMET,
    ]


@pytest.mark.parametrize("is_listed", [True, False])
def test_cosignatures_of_a_checkpoint_beyond_the_log_are_verified(audit: Auditor, *, is_listed: bool):
    watched = played(1)
    watched.cosigned.append(beyond(watched))
    assert judged(watched, audit).findings == ()
    text, signatures = Note.parse(watched.cosigned.pop()).text, Note.parse(watched.cosigned[-1]).signatures
    (watched.cosigned if is_listed else watched.kept).append(Note(text, signatures).format())
    assert Code.COSIGNATURE_REFUSED in {finding.code for finding in judged(watched, audit).findings}


@pytest.mark.parametrize("age", [0, 599, 600, 601, 100_000])
def test_age_is_that_of_the_newest_quorum(age: int, audit: Auditor):
    watched = played()
    watched.max_age = 600_000
    watched.cosigned = [cosigned(watched.log, len(watched.log.entries), FIRST, SECOND, time=NOW_S - age)]
    assert codes(judged(watched, audit)) == ([Code.HEAD_FROZEN] if age > 600 else [])


def test_log_that_grew_is_not_frozen(audit: Auditor):
    watched = played()
    watched.outgrown = [note_at(watched.log, len(watched.log.entries) - 1)]
    assert judged(watched, audit).findings == ()


def test_log_smaller_than_a_seen_checkpoint_is_reported_as_truncated(audit: Auditor):
    watched = played()
    watched.outgrown = [watched.log.checkpoint()]
    shorter = MemoryLog(checkpoint=note_at(watched.log, 7), entries=tuple(watched.log.entries[:7]))
    report = audit(shorter, witnessing=watched.witnessing)
    assert codes(report) == [Code.LOG_TRUNCATED]


def test_one_forger_is_blamed_once_however_often(audit: Auditor):
    """A thousand lines under one name are one finding, so that a report stays readable."""
    watched = played(6)
    for place in range(len(watched.cosigned)):
        line = Note.parse(watched.cosigned[place]).signatures[-1]
        audit_watched.with_line(watched, place, type(line)(line.name, line.key_id, bytes(72)))
    assert codes(judged(watched, audit)) == [
        Code.COSIGNATURE_REFUSED,
        Code.QUORUM_UNMET,
    ]


@pytest.mark.parametrize("known", [LOG, NEW_LOG], ids=["old", "new"])
@pytest.mark.parametrize("size", range(12, 22))
def test_log_key_is_followed_from_either_side_at_every_size(size: int, known: NamedSigner, audit: Auditor):
    """Before the rotation the old key signs, then both, then the new one alone: from leaf 11 and 16."""
    watched = rotated()
    signers = [LOG, NEW_LOG] if size <= 16 else [NEW_LOG]
    bundle = MemoryLog(checkpoint=note_at(watched.log, size, *signers), entries=tuple(watched.log.entries[:size]))
    log_key = VerifierKey(ORIGIN, known.public_key).text
    assert audit(bundle, log_key=log_key).findings == ()


def test_kept_checkpoints_by_either_key_are_compared_with_the_leaves(audit: Auditor):
    watched = rotated()
    watched.kept = [note_at(watched.log, 9), note_at(watched.log, 14, LOG, NEW_LOG), note_at(watched.log, 19, NEW_LOG)]
    assert judged(watched, audit).findings == ()
    other = LogBuilder(list(reversed(watched.log.entries)))
    watched.kept = [note_at(other, 9)]
    assert codes(judged(watched, audit)) == [Code.HISTORY_REWRITTEN]


def test_log_key_that_the_root_did_not_name_is_reported(audit: Auditor):
    """The key that the auditor was given signs everything, but the root named another key for the log."""
    log = LogBuilder([key_leaf(NEW_LOG, "log"), *LogBuilder.founded().entries[1:]])
    log.play(audit_watched.TABLE)
    assert codes(audit(log.bundle())) == [Code.LOG_KEY_UNREGISTERED]


@pytest.mark.parametrize("text", ["", "not a note", "log.example/1\n3\n", ROOT.text])
def test_text_that_is_no_cosigned_checkpoint_is_a_finding(text: str, audit: Auditor):
    watched = played()
    watched.cosigned[0] = text.encode()
    assert codes(judged(watched, audit)) == [Code.COSIGNATURE_REFUSED]


def test_unsigned_checkpoint_of_a_huge_log_is_refused_at_once(audit: Auditor):
    """No known key signed the note, so no memory is allocated for its size."""
    huge = Checkpoint(ORIGIN, 2**53 - 1, bytes(32))
    note = CheckpointSigner(NamedSigner("somebody"), key_name=ORIGIN).sign(huge)
    report = audit(MemoryLog(checkpoint=note, entries=tuple(played().log.entries)))
    assert codes(report) == [Code.CHECKPOINT_REFUSED]


def test_witnesses_are_identified_by_key_and_not_by_name(audit: Auditor):
    """Two witnesses with one name count as two."""
    watched = played()
    watched.witnesses = (vkey(FIRST, "same"), vkey(SECOND, "same"))
    note = Note.parse(note_at(watched.log, 4))
    signed = [cosign(note, name="same", signer=one, time=START // 1000 + 60) for one in (FIRST, SECOND)]
    watched.cosigned = [merged(note, signed).format()]
    assert judged(watched, audit).findings == ()
