"""START of a server: what judges, written into the log where it differs from the last START of the same instance.

A server with the referee's key writes it, and of several workers the first one alone.
"""

import hashlib
import platform
from collections.abc import Callable
from typing import Final

import structlog

from referee.dealing.deadlines import DEAL_MS, LONGEST_DEAL_MS
from referee.dealing.leaf import StartLeaf, StartRuleset, parse, sign_leaf
from referee.evidence import canonical
from referee.evidence.dsse import Envelope
from referee.log.installed import installed_files
from referee.log.noted import Noted, NotedKind, noted_leaf
from referee.log.times import SLACK_MS
from referee.server.keys.folder import KeyFolder
from referee.server.process.options import ServerOptions
from referee.storage import Append, DataLossError, Head, Store
from referee.storage.batch import append_batch

MAX_RULESETS: Final = 200
"""Rulesets of one server: a START names all of them, and a leaf holds no more for certain."""
_log = structlog.get_logger("referee.server")


class TooManyRulesetsError(RuntimeError):
    """More rulesets than a START can name."""


def settings_of(options: ServerOptions, *, origin: str) -> dict[str, canonical.Writable]:
    """Return the settings that matter to a round, as a START hashes them: bounds, clocks, and the levels they allow."""
    settings = options.configuration
    witnesses = settings.witnesses
    return {
        "callers_are_authenticated": int(settings.access.is_on),
        "clock_slack_ms": SLACK_MS,
        "deal_ms": DEAL_MS,
        "longest_deal_ms": LONGEST_DEAL_MS,
        "origin": origin,
        "overdue_rounds_are_aborted": int(options.sweep),
        "randomness_suite": options.suite,
        "witness_keys": list(witnesses.keys),
        "witness_quorum": witnesses.quorum,
        "witnesses_are_required": int(witnesses.required),
    }


def start_of(options: ServerOptions, *, origin: str) -> StartLeaf:
    """Return what a server would say of itself now."""
    if len(options.catalogue) > MAX_RULESETS:
        msg = f"{len(options.catalogue)} rulesets are too many for a START, which names {MAX_RULESETS}: serve fewer"
        raise TooManyRulesetsError(msg)
    installed = installed_files()
    rulesets = [StartRuleset(one.digest.hex(), one.id, one.version) for one in options.catalogue]
    settings = canonical.encode(settings_of(options, origin=origin))
    return StartLeaf(
        instance=options.configuration.log.instance,
        package=installed.digest,
        python=platform.python_version(),
        rulesets=tuple(sorted(rulesets, key=lambda one: (one.id, one.version))),
        settings=hashlib.sha256(settings).hexdigest(),
        started_time=options.clock(),
        version=installed.version,
    )


def _last(store: Store, instance: str) -> StartLeaf | None:
    index = store.last_start(instance)
    if index is None:
        return None
    data = store.leaf(index)
    if noted_leaf(data) != Noted(NotedKind.START, instance):
        raise DataLossError(f"the store names leaf {index} as the last START of {instance}, and it is none")
    return parse(Envelope.parse(data).payload, StartLeaf)


def write_start(
    options: ServerOptions,
    keys: KeyFolder,
    store: Store,
    *,
    origin: str,
    check: Callable[[Head], None],
) -> None:
    """Append the START of a server that judges, unless the last one of its instance says the same.

    ``check`` gets the head that the leaf follows, and may raise. Raises DataLossError if the store names a leaf as the
    last START that is none of this instance, and as ``append_batch`` does.
    """
    judges = "referee" in options.configuration.serve.services and keys.has("referee")
    if not judges or options.verified is not None:
        return
    leaf = start_of(options, origin=origin)
    last = _last(store, leaf.instance)
    if last is not None and last.judges_as(leaf):
        return
    data = sign_leaf(leaf, keys.signer("referee"))
    append_batch(
        store, keys.checkpoint_signer, [[Append(leaf=data, names_keys=False, instance=leaf.instance)]], check_head=check
    )
    _log.info("start written", instance=leaf.instance, version=leaf.version, package=leaf.package)
