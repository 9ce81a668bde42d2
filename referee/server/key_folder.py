"""The keys of one deployment: which roles there are, where their keys are, and how one follows another.

Each role has its own key: ``root`` names all others in the log, ``log`` signs checkpoints, ``shuffler`` signs deals,
``referee`` signs settlements. ``sealing`` is no signing key: it seals server seeds, and losing it leaves open rounds
unrevealable, which an audit cannot tell from foul play. Back the folder up.

Beside each signing key stands its public key, ``<role>.pub``, so that a process has the private keys that it signs with
and no more: the others may live elsewhere, the root's in a safe. All of them may live in another process that signs
when it is asked; then only ``sealing`` is in the folder.

While keys change, ``<role>.next.key`` is one that the log does not name yet, and ``log.retiring.key`` one that signs
checkpoints beside the new one. A folder whose keys are encrypted gets no key that is not.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Final, Self

from referee.evidence.vkey import KeyTextError, VerifierKey
from referee.server.keys import (
    SEED_SIZE,
    KeyFileError,
    KeySigner,
    Lock,
    NamedSigner,
    force,
    is_locked,
    read_key,
    read_secret,
    write_key,
    write_secret,
)
from referee.server.remote_signer import AgentClient

ROLES: Final = ("root", "log", "shuffler", "referee")
SEALING: Final = "sealing"
EVERY: Final = (*ROLES, SEALING)
"""All private keys of a deployment."""


@dataclass(frozen=True, slots=True)
class KeyFolder:
    """The keys of one deployment in one folder: the public ones of all roles, the private ones that were asked for."""

    folder: Path
    public: Mapping[str, VerifierKey]
    """The verifier key of each role."""
    _signers: Mapping[str, NamedSigner] = field(repr=False)
    _sealing: bytes = field(repr=False)
    retiring: tuple[KeySigner, ...] = field(default=(), repr=False)
    """Keys that sign checkpoints beside the log's, until the log revokes them."""
    lock: Lock | None = field(default=None, repr=False)
    """What new keys are encrypted with, where they are."""

    @classmethod
    def open_or_make(  # noqa: PLR0913 - where keys are and what opens them
        cls,
        folder: Path,
        *,
        origin: str,
        entropy: Callable[[int], bytes],
        private: Iterable[str] = EVERY,
        root: Path | None = None,
        lock: Lock | None = None,
        agent: AgentClient | None = None,
    ) -> Self:
        """The keys in the folder, those of ``private`` loaded; where there is none at all, new ones for the origin.

        New ones are made from ``entropy(32)``. The root's private key is at ``root``, or in the folder. A folder that
        lacks one that is asked for is refused: a key that went missing must not be replaced unseen. ``lock`` opens keys
        that are encrypted, and encrypts new ones. An ``agent`` signs in the place of all signing keys of the folder.
        """
        paths = {role: folder / f"{role}.key" for role in EVERY}
        paths["root"] = root or paths["root"]
        if not any(path.exists() for path in (*paths.values(), *(folder / f"{role}.pub" for role in ROLES))):
            _make_all(paths, origin=origin, entropy=entropy, lock=lock, agent=agent)
        wanted = set(private)
        here = wanted if agent is None else wanted - set(ROLES)
        missing = sorted(f"{role}.key" for role in here if not paths[role].exists())
        if missing:
            msg = f"{folder} lacks {', '.join(missing)}; restore it from its backup, or say where it is"
            raise KeyFileError(msg)
        signers: dict[str, NamedSigner] = {role: read_key(paths[role], lock) for role in ROLES if role in here}
        if agent is not None:
            signers |= {role: agent.signer(role) for role in ROLES if role in wanted}
        public: dict[str, VerifierKey] = {
            role: _public(folder, role, signers.get(role), paths[role], lock=lock) for role in ROLES
        }
        retiring = folder / "log.retiring.key"
        return cls(
            folder=folder,
            public=MappingProxyType(public),
            _signers=MappingProxyType(signers),
            _sealing=_sealing_key(read_secret(paths[SEALING], lock)) if SEALING in wanted else b"",
            retiring=(read_key(retiring, lock),) if "log" in here and retiring.exists() else (),
            lock=lock if any(is_locked_file(path) for path in paths.values()) else None,
        )

    def signer(self, role: str) -> NamedSigner:
        """What signs for a role; KeyFileError where its private key was not asked for."""
        if role not in self._signers:
            msg = f"the private key of the {role} was not loaded"
            raise KeyFileError(msg)
        return self._signers[role]

    @property
    def log(self) -> NamedSigner:
        """What signs checkpoints."""
        return self.signer("log")

    @property
    def shuffler(self) -> NamedSigner:
        """What signs deals."""
        return self.signer("shuffler")

    @property
    def referee(self) -> NamedSigner:
        """What signs settlements."""
        return self.signer("referee")

    @property
    def sealing(self) -> bytes:
        """The key that seals server seeds, 32 bytes; KeyFileError where it was not asked for."""
        if not self._sealing:
            msg = "the sealing key was not loaded"
            raise KeyFileError(msg)
        return self._sealing

    def has(self, role: str) -> bool:
        """Whether the private key of a role was loaded."""
        return role in self._signers

    def next(self, role: str, entropy: Callable[[int], bytes]) -> KeySigner:
        """The key that shall follow a role's, made and kept where none waits yet."""
        path = self._next_path(role)
        if not path.exists():
            write_key(path, KeySigner(self.public[role].name, entropy(SEED_SIZE)), self.lock)
        return read_key(path, self.lock)

    def waiting(self, role: str) -> KeySigner | None:
        """The key that was made to follow a role's, None where none was."""
        path = self._next_path(role)
        return read_key(path, self.lock) if path.exists() else None

    def _next_path(self, role: str) -> Path:
        return self.folder / f"{role}.next.key"

    def adopt(self, role: str) -> None:
        """The key that waits is the role's own from the next start on; a log's old one goes on beside it.

        Each step can be done again, so a process that dies in between leaves nothing that the next one cannot finish.
        """
        own, retiring = self.folder / f"{role}.key", self.folder / "log.retiring.key"
        _write_public(self.folder, role, read_key(self._next_path(role), self.lock).key)
        if role == "log" and own.exists() and not retiring.exists():
            own.replace(retiring)
            force(self.folder)
        self._next_path(role).replace(own)
        force(self.folder)

    def retire(self) -> None:
        """The log's old key signs no more."""
        (self.folder / "log.retiring.key").unlink(missing_ok=True)
        force(self.folder)


def read_public_keys(folder: Path) -> dict[str, str]:
    """The verifier key of each role in a key folder; KeyFileError where one is missing or unreadable."""
    return {role: _public(folder, role, None, folder / f"{role}.key", lock=None, keep=False).text for role in ROLES}


def is_locked_file(path: Path) -> bool:
    """Whether a key file is there and encrypted; it is not read further."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return is_locked(file.read(64))
    except OSError:
        return False


def _make_all(
    paths: Mapping[str, Path],
    *,
    origin: str,
    entropy: Callable[[int], bytes],
    lock: Lock | None,
    agent: AgentClient | None,
) -> None:
    here = EVERY if agent is None else (SEALING,)
    folder = paths[SEALING].parent
    for role in here:
        paths[role].parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    for role in ROLES:
        if agent is None:
            signer = KeySigner(origin if role == "log" else f"{origin}/{role}", entropy(SEED_SIZE))
            write_secret(paths[role], signer.to_text(), lock)
            _write_public(folder, role, signer.key)
        else:
            _write_public(folder, role, agent.signer(role).key)
    write_secret(paths[SEALING], entropy(SEED_SIZE).hex(), lock)
    force(folder)


def _public(  # noqa: PLR0913 - a role's two files, and how to open the private one
    folder: Path, role: str, signer: NamedSigner | None, path: Path, *, lock: Lock | None, keep: bool = True
) -> VerifierKey:
    """The public key of a role, from its file or else from the private key, which is kept in a file then."""
    public = folder / f"{role}.pub"
    if public.exists():
        try:
            key = VerifierKey.parse(public.read_text(encoding="ascii").strip())
        except (OSError, UnicodeDecodeError, KeyTextError) as error:
            msg = f"{public} cannot be read: {error}"
            raise KeyFileError(msg) from None
        if signer is not None and signer.key != key:
            msg = f"{path} is not the private key of {public}"
            raise KeyFileError(msg)
        return key
    key = (signer or read_key(path, lock)).key
    if keep:
        _write_public(folder, role, key)
    return key


def _write_public(folder: Path, role: str, key: VerifierKey) -> None:
    draft = folder / f"{role}.pub.new"
    draft.write_text(key.text + "\n", encoding="ascii")
    draft.replace(folder / f"{role}.pub")


def _sealing_key(text: str) -> bytes:
    try:
        key = bytes.fromhex(text.strip())
    except ValueError:
        key = b""
    if len(key) != SEED_SIZE:
        msg = "sealing.key does not hold 64 hexadecimal digits; restore it from its backup"
        raise KeyFileError(msg)
    return key
