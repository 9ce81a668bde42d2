"""Keys count from the leaf that adds them to the leaf that revokes them, and only under the root's signature."""

from referee.audit import Code
from tests.audit.audit_builder import REFEREE, SHUFFLER, Auditor, LogBuilder, NamedSigner, Table, codes, key_leaf

TABLE = Table(name="felt", ruleset_id="mau_binh.classic", seats=2, received=False)
SECOND = NamedSigner("log.example/1/referee/2")


def append_settled_by(log: LogBuilder, signer: NamedSigner) -> None:
    parts = log.prepare(TABLE)
    parts.judge = signer
    log.append(parts)


def test_key_may_be_changed_between_rounds(audit: Auditor):
    log = LogBuilder.founded()
    append_settled_by(log, REFEREE)
    log.entries += [key_leaf(SECOND, "referee"), key_leaf(REFEREE, "referee", action="REVOKE")]
    append_settled_by(log, SECOND)
    report = audit(log.bundle())
    assert report.findings == ()
    lives = {record.key: (record.added_leaf, record.revoked_leaf) for record in report.keys}
    assert lives[REFEREE.text] == (2, 8)
    assert lives[SECOND.text] == (7, None)


def test_key_counts_only_behind_the_leaf_that_adds_it(audit: Auditor):
    log = LogBuilder.founded()
    append_settled_by(log, SECOND)
    log.entries.append(key_leaf(SECOND, "referee"))
    report = audit(log.bundle())
    assert codes(report) == [Code.SIGNATURE_FORGED]


def test_revoked_key_counts_no_longer(audit: Auditor):
    log = LogBuilder.founded()
    log.entries += [key_leaf(SECOND, "referee"), key_leaf(SECOND, "referee", action="REVOKE")]
    append_settled_by(log, SECOND)
    report = audit(log.bundle())
    assert codes(report) == [Code.KEY_NOT_VALID]


def test_revoked_key_never_comes_back(audit: Auditor):
    log = LogBuilder.founded()
    log.entries += [key_leaf(REFEREE, "referee", action="REVOKE"), key_leaf(REFEREE, "referee")]
    assert codes(audit(log.bundle())) == [Code.KEY_REUSED]


def test_no_key_but_the_roots_names_keys(audit: Auditor):
    log = LogBuilder.founded()
    log.entries.append(key_leaf(SECOND, "referee", by=SHUFFLER))
    append_settled_by(log, SECOND)
    assert codes(audit(log.bundle())) == [Code.WRONG_ROLE, Code.SIGNATURE_FORGED]


def test_receipts_of_a_key_revoked_before_the_settlement_still_hold(audit: Auditor):
    """The key that signs event receipts may differ from the key that signs the settlement."""
    log = LogBuilder.founded()
    table = Table(name="felt", ruleset_id="mau_binh.classic", seats=2)
    parts = log.prepare(table)
    parts.judge = SECOND
    log.append(parts, steps="OD")
    log.entries += [key_leaf(SECOND, "referee"), key_leaf(REFEREE, "referee", action="REVOKE")]
    log.append(parts, steps="ER")
    assert audit(log.bundle()).findings == ()
