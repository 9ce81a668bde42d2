"""The audit of a log: bytes in, a report of everything that is wrong with them out.

An audit trusts two keys. What a log promises is defined in ``dealing``, ``log`` and ``transcript``; here its leaves are
compared with these promises, and each fault gets a stable code. Of the statistics of many rounds it knows nothing:
``suspicion`` is a reader of its rounds. In the order of an audit:

===================  =====================================================================================
``audit``            ``audit_log``: one stream of leaves through five passes
``passes``           keys, rounds, tree, witnesses and documents: each gets every leaf and is closed once
``trust``            the two keys that the auditor trusts, and those that the root named for the log
``as_of``            the auditor's clock, and the time by which deadlines are judged
``source``           where a log is read from: memory, a store, published tiles
``documents``        what people kept beside the log: checkpoints, receipts, certificates, bundles
``reading``          parses a leaf's bytes into its envelope, type and payload
``cosignatures``     checkpoints that witnesses cosigned, compared with the leaves
``log_receipts``     receipts of the log that people kept, compared with the leaves
``tables``           the order of leaves; collects the ``round_leaves`` of each round
``steps``            how each leaf changes the state of its round
``workers``          examines rounds here or in processes; ``cluster`` on a Dask cluster
``round``            one round, from OPEN to REVEAL: calls the next seven modules
``deal``             seeds, mix and leader of a DEAL
``openings``         UNSEAL leaves, compared with the settled course
``settlement``       a SETTLE leaf, recomputed from its inputs
``course``           the newest receipt and the seats' signatures of a settlement
``receipted_moves``  moves that the referee received and the settlement lacks
``round_documents``  certificates and event receipts of the round, and secrets in documents handed out
``redeal``           the deck, dealt again from the revealed seed
``round_leaves``     a round's leaves and result, which ``RoundReader`` objects get in the order of the log
``totals``           results of all rounds together; with ``seed_book``, seeds used twice
``findings``         all findings of an audit, of which the first are listed
``cause``            causes of findings, and findings left out because a wrong key or damage explains them
``explanation``      what a finding means, what to do about it, and who can have caused it
``report``           the report, which ``page`` shows as lines of text and as a page
``bundle``           one round proved from its bundle, without the log
``dispute``          a quarrel about one round, answered from what people hold
===================  =====================================================================================
"""

from referee.audit.as_of import AuditTime
from referee.audit.audit import audit_log
from referee.audit.documents import Documents
from referee.audit.report import Report
from referee.audit.round_leaves import AuditTerms
from referee.audit.source import MemoryLog, TiledLog
from referee.audit.trust import TrustedKeys
from referee.finding import Code, Finding

__all__ = [
    "AuditTerms",
    "AuditTime",
    "Code",
    "Documents",
    "Finding",
    "MemoryLog",
    "Report",
    "TiledLog",
    "TrustedKeys",
    "audit_log",
]
