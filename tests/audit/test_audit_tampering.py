"""Whatever is done to the leaves of a sound log, with a tree and checkpoint made anew, shows in the audit."""

from audit_builder import FAR, Auditor, LogBuilder, Table, settle
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.audit import Code, Severity

TABLE = Table(name="felt", ruleset_id="mau_binh.classic", seats=2)
KEYS = 3


def built() -> LogBuilder:
    log = LogBuilder.founded()
    for _ in range(2):
        log.play(TABLE)
    return log


LEAVES = tuple(built().entries)


@settings(max_examples=150, deadline=None)
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
    assert [finding.code for finding in report.findings] == [Code.LOG_TRUNCATED]
    assert report.findings[0].difference is not None
    assert report.findings[0].difference.found == kept.decode()


def test_checkpoints_kept_of_every_size_agree_with_a_sound_log(audit: Auditor):
    kept = [LogBuilder([*LEAVES[:size]]).checkpoint() for size in range(len(LEAVES) + 1)]
    assert audit(LogBuilder([*LEAVES]).bundle(), witnessed=kept).findings == ()


def test_findings_are_listed_failures_first_and_all_counted(audit: Auditor):
    """A seed that a seat uses every time is noted for each round but the first, and a forged leaf stands before that."""
    log = LogBuilder.founded()
    for _ in range(3):
        log.play(TABLE)
    bad = log.lay_out(TABLE)
    settle(bad)
    bad.judge = bad.dealer
    log.append(bad)
    log.entries.append(log.entries[-1])
    report = audit(log.bundle())
    severities = [finding.severity for finding in report.findings]
    assert severities == sorted(severities)
    assert report.count(Severity.FAIL) == 2
    assert sum(report.finding_counts.values()) == len(report.findings)
