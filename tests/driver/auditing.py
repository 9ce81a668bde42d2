"""Audits as ``referee audit`` makes them, with the statistics of the rounds."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from referee.audit import AuditTerms, AuditTime, Documents, TrustedKeys, audit_log
from referee.audit.documents import NO_DOCUMENTS
from referee.audit.source import LogSource
from referee.audit.workers import ProcessPool
from referee.rulesets import Catalogue, load_builtin
from referee.suspicion.reader import Suspicion
from referee.suspicion.report import CountedReport


def terms_of(
    *,
    origin: str,
    log_key: str,
    root_key: str,
    now: int,
    catalogue: Catalogue | None = None,
    **more: Any,  # noqa: ANN401
) -> tuple[AuditTerms, TrustedKeys, AuditTime]:
    """Return the terms, keys and time of an audit; of ``more`` the members of ``AuditTime`` and ``TrustedKeys``."""
    time = {name: more[name] for name in ("as_of", "former", "grace") if name in more}
    return (
        AuditTerms(origin=origin, catalogue=catalogue or load_builtin()),
        TrustedKeys(log=log_key, root=root_key, named_root=more.get("named_root", "")),
        AuditTime(now=now, **time),
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
    **more: Any,  # noqa: ANN401
) -> CountedReport:
    """Audit a log as ``referee audit`` does, with the statistics of its rounds."""
    documents = replace(documents, checkpoints=tuple(witnessed))
    options = {name: more[name] for name in ("witnessing", "make_pool", "progress") if name in more}
    if workers > 1:
        options["make_pool"] = partial(ProcessPool, count=workers)
    with Suspicion(documents) as suspicion:
        report = audit_log(source, terms, keys, time, documents=documents, readers=(suspicion,), **options)
        return suspicion.complete(report)
