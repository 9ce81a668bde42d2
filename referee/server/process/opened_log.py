"""Start of a server: open the store, verify the log, load the keys, and name the keys of a new log.

A start verifies the tree's right edge, its newest leaves and each older leaf that it uses, which costs the same for any
log; the rest is checked behind it (``log_check``), or before it on request. The rounds of a log are all dealt by drawn
seeds or all by fixed ones, and the private keys in use are those that the log names.
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Final

import structlog

from referee.dealing.leaf import KeyLeaf, sign_leaf
from referee.evidence.ed25519 import SignerUnavailableError
from referee.evidence.printable import error_words
from referee.log import Checkpoint, CheckpointSigner
from referee.server.clock import Clock
from referee.server.folder_lock import lock_folder
from referee.server.keys.folder import SEALING, KeyFolder, check_keys_exist
from referee.server.keys.guard import KeyGuard
from referee.server.keys.private_key import KeyFileError
from referee.server.keys.registry import KeyRegistry, oldest_running, running_rounds
from referee.server.keys.remote_signer import AgentClient
from referee.server.keys.rotation import CHANGING, LOCK_SECONDS, check_in_force, finish
from referee.server.keys.signed_head import HeadRecord, SignedHead
from referee.server.process.cosigner import check_witnesses, known_checkpoints
from referee.server.process.opening import open_reporting
from referee.server.process.options import ServerObserver, ServerOptions, VerifiedLog
from referee.server.process.proved_start import prove_start
from referee.server.process.start_leaf import write_start
from referee.server.process.witness_client import WitnessError
from referee.service.lost_ruleset import check_rulesets
from referee.service.opened import read_open
from referee.storage import (
    Append,
    DataLossError,
    Head,
    LogInUseError,
    NotFoundedError,
    Store,
    StoreAwayError,
    StoreBusyError,
    StoreFullError,
    Writer,
    clock_error,
    is_missing,
    log_place,
)
from referee.storage.batch import append_batch

PRIVATE_KEYS: Final = {
    "rulesets": (),
    "seating": (),
    "shuffler": ("shuffler", "log", SEALING),
    "referee": ("referee", "log"),
    "advice": (),
    "log": (),
}
"""The private keys that each of ``settings.configuration.SERVICES`` needs once the log has named its keys."""
NOTED_MS: Final = 1_000
"""Time behind the log's newest leaf by which a well-kept clock is not."""

_log = structlog.get_logger("referee.server")


PASSING: Final = (
    StoreAwayError,
    StoreBusyError,
    StoreFullError,
    LogInUseError,
    SignerUnavailableError,
    WitnessError,
)
"""Errors of ``OpenedLog.open`` that end without a change of this server's settings, keys or log."""


class _KeysNamedError(Exception):
    """Another server named the log's keys first."""


@dataclass(frozen=True, slots=True)
class OpenedLog:
    """The verified log of a server with its keys; ``writer`` is None without the log's private key."""

    store: Store
    origin: str
    keys: KeyFolder
    registry: KeyRegistry
    writer: Writer | None
    guard: KeyGuard

    @classmethod
    def open(cls, options: ServerOptions, observers: Sequence[ServerObserver], opened: ExitStack) -> "OpenedLog":
        """Open what the options name; ``opened`` closes it again, also after an error.

        Raises KeyFileError, StoreError, WitnessError, SignerUnavailableError, SuiteError, FolderInUseError,
        LostLeavesError, LostRulesetError or DataLossError. Those of ``PASSING`` may be over a while later.
        """
        settings = options.configuration
        data, database = settings.log.folder, settings.log.database or None
        opened.enter_context(lock_folder(data))
        folder, place = data / "keys", log_place(data, database)
        signed = SignedHead.read(folder, place=place, accepted=settings.log.accept_loss)
        if is_missing(data, database):  # before an empty file is made
            signed.check_no_log()
        store = open_reporting(data, database, is_first=options.verified is None)
        opened.callback(store.close)
        lock = opened.enter_context(store.lock(alone=False))
        lock.take(seconds=LOCK_SECONDS)
        record = HeadRecord(folder)
        guard = KeyGuard(store, lock, record)
        opened.callback(guard.close)
        agent = AgentClient(settings.keys.signer) if settings.keys.signer else None
        if agent is not None:
            opened.callback(agent.close)
        known = _origin_of(store)
        head, is_behind = (store.head() if known else None), False
        if head is None or not head.size:
            signed.check_no_log()
            keys = KeyFolder.open_or_make(
                folder,
                origin=known or settings.log.origin,
                entropy=options.entropy,
                root=settings.keys.root_file,
                passphrase=options.passphrase,
                agent=agent,
            )
            registry = KeyRegistry(keys.public["root"])  # a new log names none yet
        else:
            keys, registry, head, is_behind = _open_keys(store, options, agent, signed)
            record.named = registry.leaves
        keys = guard.over(keys)
        origin = known or keys.public["log"].name
        writer = _writer_of(store, keys, origin=origin, clock=options.clock, observers=observers, check=guard.check)
        if writer is not None:
            opened.callback(writer.close)
        compare_clock(store.head().newest_time, now=options.clock(), is_writing=writer is not None)
        if writer is not None:
            running = [read_open(store.leaf(index)).header for index in running_rounds(store)]
            check_rulesets(running, options.catalogue)
        witnesses = settings.witnesses.parsed()
        if witnesses is not None:
            check_witnesses(
                store,
                witnesses,
                log_keys=registry.counted("log", since=0) or (keys.public["log"],),
                warn=lambda words: _log.warning("witness has not cosigned", error=words),
                clock=options.clock,
            )
        if not registry.records and writer is not None:
            registry = name_keys(store, keys)
            record.named = registry.leaves
            head, is_behind = store.head(), True
        if writer is not None and head is not None:
            record.keep(head, is_forced=is_behind)
            guard.trust(head)
            write_start(options, keys, store, origin=origin, check=guard.check)
            record.keep(store.head())
        return cls(store, origin, keys, registry, writer, guard)

    @property
    def verified(self) -> VerifiedLog:
        """The part of the log that this process has verified, or written since."""
        head = self.store.head()
        return VerifiedLog(head.size, head.root, self.registry.leaves, is_whole=not self.store.unpassed)

    @property
    def own_keys(self) -> frozenset[bytes]:
        """Public keys of this log, revoked ones among them, which may sit in no seat."""
        named = [record.public_key for record in self.registry.records]
        return frozenset([*named, *[key.public_key for key in self.keys.public.values()]])

    def counted(self, role: str) -> list[bytes]:
        """Return the public keys of a role that are valid for rounds still running, the newest first."""
        since = oldest_running(self.store) if self.registry.has_revoked(role) else 0
        return [key.public_key for key in self.registry.counted(role, since=since)]


def compare_clock(newest_time: int, *, now: int, is_writing: bool) -> None:
    """Log how the clock compares with the log's newest leaf, both in ms; a difference that matters is a warning.

    A process that is to write waits until its clock can date a leaf: it serves what only reads, and is not ready.
    """
    if not newest_time:
        return
    error = clock_error(newest_time, now=now)
    if error is not None:
        say = _log.error if is_writing else _log.warning
        say("clock behind the log", error=error_words(error), takes_leaves_in_seconds=error.seconds)
    elif newest_time - now > NOTED_MS:
        _log.warning(
            "clock behind the log",
            behind_seconds=(newest_time - now) / 1000,
            remedy="set this machine's clock right, or the one of the server that wrote the newest leaf",
        )
    else:
        _log.info("clock ahead of the log", ahead_seconds=max(0, now - newest_time) / 1000)


def name_keys(store: Store, keys: KeyFolder) -> KeyRegistry:
    """Name the keys of an empty log in one transaction, signed by the root; return the keys that the log names.

    Where another server was first and named the same keys, its naming holds. Raises KeyFileError for other keys.
    """
    root, signer = keys.signer("root"), keys.signer("log")
    named = [KeyLeaf(action="ADD", key=keys.public[role].text, role=role) for role in CHANGING]
    appends = [Append(leaf=sign_leaf(leaf, root)) for leaf in named]
    try:
        append_batch(store, CheckpointSigner(signer, key_name=signer.name), [appends], check_head=_check_empty)
    except _KeysNamedError:
        try:
            registry = KeyRegistry.of(store, keys.public["root"])
            check_in_force(keys, registry)
        except (DataLossError, KeyFileError) as error:
            raise KeyFileError(
                f"another server has just begun this log with other keys than those in {keys.folder}: all servers of a "
                f"log have the same ones; copy its keys folder here ({error})"
            ) from None
        return registry
    return KeyRegistry.of(store, keys.public["root"])


def _check_empty(head: Head) -> None:
    if head.size:
        raise _KeysNamedError


def _origin_of(store: Store) -> str:
    """Return the origin of the store's log; empty before the first start."""
    try:
        return store.origin
    except NotFoundedError:
        return ""


def _open_keys(
    store: Store, options: ServerOptions, agent: AgentClient | None, signed: SignedHead
) -> tuple[KeyFolder, KeyRegistry, Head, bool]:
    """Verify the log as far as a start needs it, or all of it.

    Return the keys that this process needs, those that the log names, the verified head, and whether the log lacks
    leaves that the operator gives up.
    """
    settings, before = options.configuration, options.verified
    folder, root = settings.log.folder / "keys", settings.keys.root_file
    check_keys_exist(folder, origin=store.origin, leaves=store.head().size, root=root)

    def load(private: Sequence[str]) -> KeyFolder:
        return KeyFolder.open(folder, private=private, root=root, passphrase=options.passphrase, agent=agent)

    keys = load(())
    known = known_checkpoints(store)
    if before is not None:
        known.append(Checkpoint(store.origin, before.size, before.root))
    proved = prove_start(
        store, keys.public["root"], known=known, is_fixture=options.fixture_seed is not None, signed=signed
    )
    registry = proved.registry
    if store.unpassed and before is None and (settings.log.check_first or not proved.is_recorded):
        proved.check_all(store, options.progress)
    finish(keys, registry)
    keys = load(sorted({role for service in settings.serve.services for role in PRIVATE_KEYS[service]}))
    check_in_force(keys, registry)
    return keys, registry, proved.edge.head, proved.is_behind


def _writer_of(  # noqa: PLR0913 - what a writer is made of
    store: Store,
    keys: KeyFolder,
    *,
    origin: str,
    clock: Clock,
    observers: Sequence[ServerObserver],
    check: Callable[[Head], None],
) -> Writer | None:
    """Return the log's writer; None without the log's private key."""
    if not keys.has("log"):
        return None

    def probe(step: str) -> None:
        for observer in observers:
            observer.probe(step)

    def watch(requests: int) -> None:
        for observer in observers:
            observer.committed(requests)

    return Writer(
        store,
        keys.checkpoint_signer,
        origin=origin,
        clock=clock,
        check=check,
        probe=probe,
        watch=watch,
    )
