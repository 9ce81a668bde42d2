"""Audits as ``referee audit`` makes them, with the statistics of the rounds."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from referee.audit import AuditTerms, AuditTime, Documents, TrustedKeys, audit_log
from referee.audit.documents import NO_DOCUMENTS
from referee.audit.source import LogSource
from referee.audit.workers import ProcessPool
from referee.rulesets import Catalogue, load_builtin
from referee.suspicion.reader import Suspicion
from referee.suspicion.report import CountedReport

TERMS: Final = ("origin", "log_key", "root_key", "catalogue", "named_root", "now", "as_of", "former", "grace")
"""Names of what ``terms_of`` takes."""


def terms_of(  # noqa: PLR0913 - the terms of an audit
    *,
    origin: str,
    log_key: str,
    root_key: str,
    now: int,
    catalogue: Catalogue | None = None,
    named_root: str = "",
    **time: int | None,
) -> tuple[AuditTerms, TrustedKeys, AuditTime]:
    """Return the terms, keys and time of an audit, under the built-in rulesets; ``time`` is what AuditTime takes."""
    return (
        AuditTerms(origin=origin, catalogue=catalogue or load_builtin()),
        TrustedKeys(log=log_key, root=root_key, named_root=named_root),
        AuditTime(now=now, **time),  # type: ignore[arg-type] # only as_of may be None
    )


def counted(  # noqa: PLR0913 - what audit_log takes
    source: LogSource,
    terms: AuditTerms,
    keys: TrustedKeys,
    time: AuditTime,
    *,
    documents: Documents = NO_DOCUMENTS,
    witnessed: Sequence[bytes] = (),
    workers: int = 1,
    **options: Any,  # noqa: ANN401 - what audit_log takes
) -> CountedReport:
    """Audit a log as ``referee audit`` does, with the statistics of its rounds."""
    documents = replace(documents, checkpoints=tuple(witnessed))
    if workers > 1:
        options["make_pool"] = partial(ProcessPool, count=workers)
    with Suspicion(documents) as suspicion:
        report = audit_log(source, terms, keys, time, documents=documents, readers=(suspicion,), **options)
        return suspicion.complete(report)
