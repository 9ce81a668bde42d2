"""The private keys: there, closed to others, openable, those of the public keys beside them, and named by the log.

It refuses to sign anything; keys are read and let go.
"""

import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from referee.evidence.ed25519 import SignerUnavailableError
from referee.evidence.vkey import KeyTextError, VerifierKey
from referee.server.doctor.check_result import CheckResult
from referee.server.key_folder import ROLES, SEALING, is_locked_file
from referee.server.key_registry import KeyRegistry
from referee.server.keys import PASSPHRASE_VARIABLE, KeyFileError, Lock, check_file, is_locked, read_key, read_secret
from referee.server.remote_signer import AgentClient
from referee.server.settings import Configuration
from referee.server.startup import PRIVATE_KEYS


def check_keys(
    configuration: Configuration, register: KeyRegistry | None, *, environ: Mapping[str, str] = os.environ
) -> Iterator[CheckResult]:
    """What there is to say of the keys that the services need; ``register`` has what the log names, None for no log."""
    folder = Path(configuration.log.data) / "keys"
    needed = {role for service in configuration.serve.services for role in PRIVATE_KEYS[service]}
    if not folder.exists() and register is None:
        yield CheckResult.ok("folder", f"{folder} is made at the first start")
        return
    try:
        lock = Lock.of(configuration.keys.passphrase_file, environ)
    except KeyFileError as error:
        yield CheckResult.fail("passphrase", str(error), "mend the file, or name another one")
        return
    agent = AgentClient(configuration.keys.signer) if configuration.keys.signer else None
    for role in (*ROLES, SEALING):
        if role in needed:
            is_away = agent is not None and role != SEALING
            path = folder / f"{role}.key"
            found = _held_elsewhere(role, folder, agent) if agent and is_away else _held_here(role, path, lock)
            yield from (found, *_named(role, folder, register))
    yield from _root(configuration, folder)
    if agent is not None:
        agent.close()


def _held_here(role: str, path: Path, lock: Lock | None) -> CheckResult:
    if not path.exists():
        return CheckResult.fail(
            role, f"{path} is missing", "restore it from its backup; a new one would be another log's"
        )
    try:
        check_file(path)
    except KeyFileError as error:
        what, _, remedy = str(error).partition("; ")
        return CheckResult.fail(role, what, remedy)
    if is_locked_file(path) and lock is None:
        remedy = f"name the passphrase's file in keys.passphrase_file, or set {PASSPHRASE_VARIABLE}"
        return CheckResult.fail(role, f"{path} is encrypted, and no passphrase was given", remedy)
    try:
        if role == SEALING:
            read_secret(path, lock)
        else:
            signer = read_key(path, lock)
            public = _public(path.with_suffix(".pub"))
            if public is not None and public != signer.key:
                return CheckResult.fail(
                    role, f"{path} is not the private key of {path.stem}.pub", "restore the right one"
                )
    except KeyFileError as error:
        return CheckResult.fail(role, str(error), "restore the file from its backup, or give its own passphrase")
    how = "encrypted" if is_locked(path.read_text(encoding="utf-8")) else "plain"
    return CheckResult.ok(role, f"{how}, mode {stat.S_IMODE(path.stat().st_mode):o}")


def _held_elsewhere(role: str, folder: Path, agent: AgentClient) -> CheckResult:
    try:
        key = agent.signer(role).key
    except SignerUnavailableError as error:
        return CheckResult.fail(role, str(error), "start the signer: referee keys agent")
    public = _public(folder / f"{role}.pub")
    if public is not None and public != key:
        return CheckResult.fail(role, f"the signer holds {key.text}, not {public.text}", "let it hold this log's keys")
    return CheckResult.ok(role, "held by the signer")


def _named(role: str, folder: Path, register: KeyRegistry | None) -> Iterator[CheckResult]:
    """Whether the log names the key; nothing where that is not to be asked."""
    public = _public(folder / f"{role}.pub")
    if register is None or register.is_empty or role in {"root", SEALING} or public is None:
        return
    if public not in register.in_force(role):
        yield CheckResult.fail(
            f"{role} in the log",
            f"the log does not name {public.text}, or has revoked it",
            f"restore the right key, or name this one: referee keys rotate {role}",
        )
    else:
        yield CheckResult.ok(f"{role} in the log", f"named, {public.key_id.hex()}")


def _root(configuration: Configuration, folder: Path) -> Iterator[CheckResult]:
    path = folder / "root.key"
    if path.exists() and not configuration.keys.signer:
        yield CheckResult.warn(
            "root",
            f"{path} lies beside the keys that are used every day",
            "move it to a safe, and name it with --root when keys are to be changed",
        )


def _public(path: Path) -> VerifierKey | None:
    try:
        return VerifierKey.parse(path.read_text(encoding="ascii").strip())
    except (OSError, UnicodeDecodeError, KeyTextError):
        return None
