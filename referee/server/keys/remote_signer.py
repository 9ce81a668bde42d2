"""Signers whose private keys another process holds, asked over a Unix socket.

A request and its answer are one line of ASCII each; a connection carries any number of them in turn::

    KEY <role>              ->  OK <verifier key>
    SIGN <role> <hex>       ->  OK <signature, 128 hexadecimal digits>
                            ->  NO <why>            for anything else

Roles are ``root``, ``log``, ``shuffler`` and ``referee``; a message has at most 65,536 bytes. Signatures are verified.
A signing agent that cannot be reached or refuses raises SignerUnavailableError and is asked anew the next time.
"""

import socket
import threading
from contextlib import suppress
from pathlib import Path
from typing import Final, NoReturn

import structlog

from referee.evidence.ed25519 import SignerUnavailableError, is_signature
from referee.evidence.vkey import KeyTextError, VerifierKey
from referee.server.keys.private_key import NamedSigner
from referee.server.settings.configuration import SIGNER_SCHEME

MAX_MESSAGE: Final = 65_536
MAX_LINE: Final = 2 * MAX_MESSAGE + 64
_ANSWER_SECONDS: Final = 5.0

_log = structlog.get_logger("referee.signer")


class RemoteSigner(NamedSigner):
    """Signer for one role whose private key an agent holds, over a connection that is opened when needed."""

    def __init__(self, role: str, path: Path, *, seconds: float) -> None:
        """Ask the agent for the role's key; raise SignerUnavailableError where it cannot be fetched."""
        self._role = role
        self._path = path
        self._seconds = seconds
        self._socket: socket.socket | None = None
        self._guard = threading.Lock()
        try:
            super().__init__(VerifierKey.parse(self._ask(f"KEY {role}")))
        except SignerUnavailableError:
            self.close()
            raise
        except KeyTextError as error:
            self.close()
            _refuse(f"the signer at {path} names no key for {role}: {error}", None)

    def sign(self, message: bytes) -> bytes:
        """Return the Ed25519 signature of a message, 64 bytes; raise SignerUnavailableError without one."""
        answer = self._ask(f"SIGN {self._role} {message.hex()}")
        try:
            signature = bytes.fromhex(answer)
        except ValueError:
            signature = b""
        if not is_signature(signature, message, self.public_key):
            _refuse(f"the signer at {self._path} sent no signature by {self.verifier_key}", None)
        return signature

    def _ask(self, request: str) -> str:
        """Return the agent's answer after OK; raise SignerUnavailableError for any other answer."""
        with self._guard:
            try:
                answer = self._exchange(request)
            except OSError as error:
                self._disconnect()
                _refuse(f"the signer at {self._path} cannot be reached: {error.strerror or error}", error)
        word, _, rest = answer.partition(" ")
        if word != "OK":
            _refuse(f"the signer at {self._path} refuses: {rest if word == 'NO' else answer[:100]}", None)
        return rest

    def close(self) -> None:
        """Close the connection."""
        with self._guard:
            self._disconnect()

    def _exchange(self, request: str) -> str:
        """Return the agent's answer to a request; ask once more if it closed a connection that was open before."""
        if self._socket is not None:
            try:
                return self._ask_on(self._socket, request)
            except TimeoutError:
                raise
            except OSError:  # the agent may have restarted
                self._disconnect()
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(self._seconds)
        self._socket.connect(str(self._path))
        return self._ask_on(self._socket, request)

    @staticmethod
    def _ask_on(connection: socket.socket, request: str) -> str:
        connection.sendall(f"{request}\n".encode("ascii"))
        answer = b""
        while not answer.endswith(b"\n"):
            part = connection.recv(4096)
            if not part or len(answer) > MAX_LINE:
                raise ConnectionResetError("it closed the connection")
            answer += part
        return answer.decode("ascii", "replace").rstrip("\n")

    def _disconnect(self) -> None:
        if self._socket is not None:
            with suppress(OSError):
                self._socket.close()
            self._socket = None


class AgentClient:
    """Client of a signing agent, with a connection for each role."""

    def __init__(self, address: str, *, seconds: float = _ANSWER_SECONDS) -> None:
        self._path = Path(address.removeprefix(SIGNER_SCHEME))
        self._seconds = seconds
        self._signers: dict[str, RemoteSigner] = {}

    def signer(self, role: str) -> RemoteSigner:
        """Return the signer of a role; raise SignerUnavailableError where its key cannot be fetched."""
        if role not in self._signers:
            self._signers[role] = RemoteSigner(role, self._path, seconds=self._seconds)
        return self._signers[role]

    def close(self) -> None:
        """Close all connections."""
        for signer in self._signers.values():
            signer.close()


def _refuse(why: str, cause: OSError | None) -> NoReturn:
    """Log why nothing was signed and raise SignerUnavailableError."""
    _log.warning("not signed", error=why)
    raise SignerUnavailableError(why) from cause
