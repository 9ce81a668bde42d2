"""Every change to the leaves of a sound log shows in its audit, even with a new tree and checkpoint."""

from hypothesis import given, settings
from hypothesis import strategies as st

from referee.audit import Code
from referee.audit.report import DealingLevel
from referee.finding import Severity
from tests.audit.audit_builder import FAR, Auditor, LogBuilder, Table, codes, dealt_from, digest, settle
from tests.budget import examples

TABLE = Table(name="felt", ruleset_id="mau_binh.classic", seats=2)
KEYS = 3


def built() -> LogBuilder:
    return LogBuilder.of(TABLE, rounds=2)


LEAVES = tuple(built().entries)


@settings(max_examples=examples(40))
@given(st.data())
def test_no_byte_of_a_round_can_be_changed_unseen(audit: Auditor, data: st.DataObject):
    """The attacker holds the log's key and signs the changed tree, but not the keys of the leaves."""
    place = data.draw(st.integers(0, len(LEAVES) - 1))
    at = data.draw(st.integers(0, len(LEAVES[place]) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda value: value != LEAVES[place][at]))
    changed = LEAVES[place][:at] + bytes((byte,)) + LEAVES[place][at + 1 :]
    report = audit(LogBuilder([*LEAVES[:place], changed, *LEAVES[place + 1 :]]).bundle())
    assert not report.is_clean


def test_no_leaf_of_a_round_can_be_left_out_unseen(audit: Auditor):
    for place in range(KEYS, len(LEAVES)):
        report = audit(LogBuilder([*LEAVES[:place], *LEAVES[place + 1 :]]).bundle(), now=FAR)
        assert not report.is_clean, place


def test_no_leaf_of_a_round_can_be_doubled_unseen(audit: Auditor):
    for place in range(KEYS, len(LEAVES)):
        report = audit(LogBuilder([*LEAVES[: place + 1], *LEAVES[place:]]).bundle(), now=FAR)
        assert not report.is_clean, place


def test_no_two_leaves_of_a_table_can_change_places_unseen(audit: Auditor):
    """But for REVEAL and the next OPEN, which may come in either order."""
    for place in range(KEYS, len(LEAVES) - 1):
        one, other = LEAVES[place : place + 2]
        report = audit(LogBuilder([*LEAVES[:place], other, one, *LEAVES[place + 2 :]]).bundle(), now=FAR)
        assert report.is_clean == (place == KEYS + 3), place


def test_no_prefix_but_whole_rounds_is_clean_after_the_deadline(audit: Auditor):
    for size in range(KEYS, len(LEAVES) + 1):
        report = audit(LogBuilder([*LEAVES[:size]]).bundle(), now=FAR)
        assert report.is_clean == ((size - KEYS) % 4 == 0), size


def test_checkpoint_kept_earlier_shows_a_round_taken_back(audit: Auditor):
    kept = LogBuilder([*LEAVES]).checkpoint()
    report = audit(LogBuilder([*LEAVES[:-4]]).bundle(), witnessed=[kept])
    assert codes(report) == [Code.LOG_TRUNCATED]
    assert report.findings[0].difference is not None
    assert report.findings[0].difference.found == kept.decode()


def test_checkpoints_kept_of_every_size_agree_with_a_sound_log(audit: Auditor):
    kept = [LogBuilder([*LEAVES[:size]]).checkpoint() for size in range(len(LEAVES) + 1)]
    assert audit(LogBuilder([*LEAVES]).bundle(), witnessed=kept).findings == ()


def test_findings_are_listed_failures_first_then_by_leaf_and_all_counted(audit: Auditor):
    """One seat uses one seed in every round, which is noted for all but the first, and one leaf is none."""
    log = LogBuilder.founded()
    for _ in range(3):
        laid_out = log.lay_out(TABLE)
        seeds = (digest("always"), laid_out.client_seeds[1])
        parts = dealt_from(TABLE, laid_out.header, server_seed=laid_out.server_seed, client_seeds=seeds)
        settle(parts)
        log.append(parts)
    log.entries.insert(13, b"no leaf")
    report = audit(log.bundle())
    places = [(finding.severity, finding.leaf_index) for finding in report.findings]
    assert places == [(Severity.FAIL, 13), (Severity.NOTE, 8), (Severity.NOTE, 12)]
    assert (report.count(Severity.FAIL), report.count(Severity.NOTE)) == (1, 2)
    assert report.dealing_levels[DealingLevel.L1] == 3
