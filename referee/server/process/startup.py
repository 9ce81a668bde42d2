"""Start of a server: open the store, verify the log, load the keys, and name the keys of a new log.

A log is verified whole before it is served. Its rounds are all dealt by drawn seeds or all by fixed ones, and the
private keys in use are those that the log names.
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Final

import structlog

from referee.dealing.header import SUITE_COMMITMENT
from referee.dealing.leaf import OPEN_TYPE, KeyLeaf, sign_leaf
from referee.evidence.dsse import Envelope
from referee.evidence.ed25519 import SignerUnavailableError
from referee.evidence.printable import error_words
from referee.log import Checkpoint, CheckpointSigner
from referee.log.starts import StartHistory
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
from referee.server.process.starting import write_start
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
    check_store,
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
    "log": (),
}
"""The private keys that each of ``settings.configuration.SERVICES`` needs once the log has named its keys."""
_MARK: Final = OPEN_TYPE.encode("ascii")
_DRAWN: Final = b'"randomness_suite":%d,' % SUITE_COMMITMENT
"""A member of canonical JSON: inside a string its quotes would be escaped."""

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


class SuiteError(RuntimeError):
    """Error for a log with a round of the other randomness suite than this server's: drawn seeds or fixed ones."""


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
        known, starts, read = _origin_of(store), StartHistory(), 0
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
            keys, registry, head = _open_keys(store, options, agent, starts)
            read = head.size
            is_behind = signed.check_log(store, head)
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
            head, is_behind = store.head(), True
        if writer is not None and head is not None:
            record.keep(head, is_forced=is_behind)
            guard.trust(head)
            write_start(options, keys, store, starts, origin=origin, read=read, check=guard.check)
            record.keep(store.head())
        return cls(store, origin, keys, registry, writer, guard)

    @property
    def verified(self) -> VerifiedLog:
        """The part of the log that this process has verified, or written since."""
        head = self.store.head()
        return VerifiedLog(head.size, head.root, self.registry.leaves)

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


def check_suite(index: int, leaf: bytes, *, is_fixture: bool) -> None:
    """Raise SuiteError if a leaf is the OPEN of a round of the other randomness suite than this server's.

    ``is_fixture``: whether this server deals from fixed seeds, for tests.
    """
    if _MARK not in leaf:
        return
    is_drawn = _DRAWN in Envelope.parse(leaf).payload
    if is_drawn != is_fixture:
        return
    kind = (
        "from a drawn seed, and this server deals from fixed ones"
        if is_drawn
        else "from a fixed seed for tests, which is never fair"
    )
    msg = f"leaf {index} opens a round dealt {kind}; serve this log as it was served before, or use another log"
    raise SuiteError(msg)


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
    store: Store, options: ServerOptions, agent: AgentClient | None, starts: StartHistory
) -> tuple[KeyFolder, KeyRegistry, Head]:
    """Verify the log; return the keys that this process needs, those that the log names, and the verified head.

    ``starts`` reads the START leaves, unless another worker has verified the log.
    """
    settings = options.configuration
    folder, root = settings.log.folder / "keys", settings.keys.root_file
    check_keys_exist(folder, origin=store.origin, leaves=store.head().size, root=root)

    def load(private: Sequence[str]) -> KeyFolder:
        return KeyFolder.open(folder, private=private, root=root, passphrase=options.passphrase, agent=agent)

    keys = load(())
    registry = KeyRegistry(keys.public["root"])

    def visit(index: int, leaf: bytes) -> None:
        check_suite(index, leaf, is_fixture=options.fixture_seed is not None)
        registry.read(index, leaf)
        starts.visit(leaf, leaf_index=index)

    before = options.verified
    for index in () if before is None else before.key_leaves:
        registry.read(index, store.leaf(index))
    head = check_store(
        store,
        known=known_checkpoints(store),
        verified=None if before is None else Checkpoint(store.origin, before.size, before.root),
        progress=options.progress,
        visit=visit,
    )
    finish(keys, registry)
    keys = load(sorted({role for service in settings.serve.services for role in PRIVATE_KEYS[service]}))
    check_in_force(keys, registry)
    return keys, registry, head


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
