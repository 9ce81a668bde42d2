"""Checks of private keys: present, closed to other users, decryptable, matching their public keys, named by the log."""

import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from referee.evidence.ed25519 import SignerUnavailableError
from referee.server.doctor.check_result import CheckResult
from referee.server.doctor.store import StoreFacts, public_key_of
from referee.server.keys.folder import ROLES, SEALING, has_keys, is_encrypted_file
from referee.server.keys.private_key import (
    PASSPHRASE_VARIABLE,
    KeyFileError,
    Passphrase,
    check_file,
    is_encrypted,
    read_key,
    read_secret,
)
from referee.server.keys.registry import KeyRegistry
from referee.server.keys.remote_signer import AgentClient
from referee.server.process.opened_log import PRIVATE_KEYS
from referee.server.settings.configuration import Configuration


def check_keys(
    configuration: Configuration, stored: StoreFacts, *, environ: Mapping[str, str] = os.environ
) -> Iterator[CheckResult]:
    """Check each private key that the configured services need; yield the results.

    A key must be readable from its file or held by the signer. Each signing key but the root must also be named by the
    log, once the log has KEY leaves. Then a ``root.key`` beside the others is warned of. A folder without keys, and a
    passphrase file that cannot be read, give one result and end the checks.
    """
    folder, registry = Path(configuration.log.data) / "keys", stored.registry
    needed = {role for service in configuration.serve.services for role in PRIVATE_KEYS[service]}
    root = Path(configuration.keys.root) if configuration.keys.root else None
    if not has_keys(folder, root=root):
        yield _without_keys(folder, stored)
        return
    try:
        passphrase = Passphrase.of(configuration.keys.passphrase_file, environ)
    except KeyFileError as error:
        yield CheckResult.fail("passphrase", str(error), "repair the file, or give another one")
        return
    agent = AgentClient(configuration.keys.signer) if configuration.keys.signer else None
    for role in (*ROLES, SEALING):
        if role in needed:
            is_away = agent is not None and role != SEALING
            path = folder / f"{role}.key"
            found = _held_elsewhere(role, folder, agent) if agent and is_away else _held_here(role, path, passphrase)
            yield from (found, *_named(role, folder, registry))
    yield from _root(configuration, folder)
    if agent is not None:
        agent.close()


def _without_keys(folder: Path, stored: StoreFacts) -> CheckResult:
    if not stored.origin:
        return CheckResult.ok("folder", f"{folder} is filled at the first start")
    return CheckResult.fail(
        "folder",
        f"{folder} has no keys, and only its own keys can continue the log of {stored.origin}",
        "copy the keys folder from its own backup, or from another server of this log",
    )


def _held_here(role: str, path: Path, passphrase: Passphrase | None) -> CheckResult:
    if not path.exists():
        return CheckResult.fail(
            role, f"{path} is missing", "restore it from a backup; a new one would not belong to this log"
        )
    try:
        check_file(path)
    except KeyFileError as error:
        what, _, remedy = str(error).partition("; ")
        return CheckResult.fail(role, what, remedy)
    if is_encrypted_file(path) and passphrase is None:
        remedy = f"give the passphrase's file in keys.passphrase_file, or set {PASSPHRASE_VARIABLE}"
        return CheckResult.fail(role, f"{path} is encrypted, and no passphrase was given", remedy)
    try:
        if role == SEALING:
            read_secret(path, passphrase)
        else:
            signer = read_key(path, passphrase)
            public = public_key_of(path.with_suffix(".pub"))
            if public is not None and public != signer.key:
                return CheckResult.fail(
                    role, f"{path} is not the private key of {path.stem}.pub", "restore the right one"
                )
    except KeyFileError as error:
        return CheckResult.fail(role, str(error), "restore the file from a backup, or give its passphrase")
    how = "encrypted" if is_encrypted(path.read_text(encoding="utf-8")) else "plain"
    return CheckResult.ok(role, f"{how}, mode {stat.S_IMODE(path.stat().st_mode):o}")


def _held_elsewhere(role: str, folder: Path, agent: AgentClient) -> CheckResult:
    try:
        key = agent.signer(role).key
    except SignerUnavailableError as error:
        return CheckResult.fail(role, str(error), "start the signer: referee keys agent")
    public = public_key_of(folder / f"{role}.pub")
    if public is not None and public != key:
        return CheckResult.fail(role, f"the signer holds {key.text}, not {public.text}", "give it this log's keys")
    return CheckResult.ok(role, "held by the signer")


def _named(role: str, folder: Path, registry: KeyRegistry | None) -> Iterator[CheckResult]:
    """Check that the log names the key; yield nothing if the log names no key yet, or if the role is not in it."""
    public = public_key_of(folder / f"{role}.pub")
    if registry is None or not registry.records or role in {"root", SEALING} or public is None:
        return
    if public not in registry.in_force(role):
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
            f"{path} is beside the keys in daily use",
            "move it offline, and give it to `referee keys rotate` with --root",
        )
