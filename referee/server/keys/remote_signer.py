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
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NoReturn

import structlog

from referee.evidence.ed25519 import SignerUnavailableError, is_signature
from referee.evidence.vkey import KeyTextError, VerifierKey
from referee.server.settings.configuration import SIGNER_SCHEME

MAX_MESSAGE: Final = 65_536
MAX_LINE: Final = 2 * MAX_MESSAGE + 64
_ANSWER_SECONDS: Final = 5.0

_log = structlog.get_logger("referee.signer")


@dataclass(slots=True)
class _Line:
    """A connection to the signing agent, opened when needed."""

    path: Path
    seconds: float
    _socket: socket.socket | None = None
    _guard: threading.Lock = field(default_factory=threading.Lock)

    def ask(self, request: str) -> str:
        """Return the agent's answer after OK; raise SignerUnavailableError for any other answer."""
        with self._guard:
            was_open = self._socket is not None
            answer = self._asked_or_refused(request, again=was_open)
            if answer is None:  # the agent closed the connection and may have restarted
                answer = self._asked_or_refused(request, again=False)
        word, _, rest = (answer or "").partition(" ")
        if word != "OK":
            _refuse(f"the signer at {self.path} refuses: {rest if word == 'NO' else (answer or '')[:100]}", None)
        return rest

    def close(self) -> None:
        """Close the connection."""
        with self._guard:
            self._disconnect()

    def _asked_or_refused(self, request: str, *, again: bool) -> str | None:
        """Return the answer; None where the request failed and is worth repeating (``again``)."""
        try:
            return self._asked(request)
        except OSError as error:
            self._disconnect()
            if again and not isinstance(error, TimeoutError):
                return None
            _refuse(f"the signer at {self.path} cannot be reached: {error.strerror or error}", error)

    def _asked(self, request: str) -> str:
        if self._socket is None:
            self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self._socket.settimeout(self.seconds)
            self._socket.connect(str(self.path))
        self._socket.sendall(f"{request}\n".encode("ascii"))
        answer = b""
        while not answer.endswith(b"\n"):
            part = self._socket.recv(4096)
            if not part or len(answer) > MAX_LINE:
                raise ConnectionResetError("it closed the connection")
            answer += part
        return answer.decode("ascii", "replace").rstrip("\n")

    def _disconnect(self) -> None:
        if self._socket is not None:
            with suppress(OSError):
                self._socket.close()
            self._socket = None


def _refuse(why: str, cause: OSError | None) -> NoReturn:
    """Log why nothing was signed and raise SignerUnavailableError."""
    _log.warning("not signed", error=why)
    raise SignerUnavailableError(why) from cause


class RemoteSigner:
    """Signer for one role whose private key an agent holds."""

    def __init__(self, role: str, line: _Line, key: VerifierKey) -> None:
        self._role = role
        self._line = line
        self.key = key
        self.name = key.name
        self.public_key = key.public_key

    @property
    def verifier_key(self) -> str:
        """Public key as C2SP verifier key text."""
        return self.key.text

    def sign(self, message: bytes) -> bytes:
        """Return the Ed25519 signature of a message, 64 bytes; raise SignerUnavailableError without one."""
        answer = self._line.ask(f"SIGN {self._role} {message.hex()}")
        try:
            signature = bytes.fromhex(answer)
        except ValueError:
            signature = b""
        if not is_signature(signature, message, self.public_key):
            _refuse(f"the signer at {self._line.path} sent no signature by {self.verifier_key}", None)
        return signature


class AgentClient:
    """Client of a signing agent, with a connection for each role."""

    def __init__(self, address: str, *, seconds: float = _ANSWER_SECONDS) -> None:
        self._path = Path(address.removeprefix(SIGNER_SCHEME))
        self._seconds = seconds
        self._signers: dict[str, RemoteSigner] = {}
        self._lines: list[_Line] = []

    def signer(self, role: str) -> RemoteSigner:
        """Return the signer of a role; raise SignerUnavailableError where its key cannot be fetched."""
        if role not in self._signers:
            line = _Line(self._path, self._seconds)
            self._lines.append(line)
            text = line.ask(f"KEY {role}")
            try:
                key = VerifierKey.parse(text)
            except KeyTextError as error:
                _refuse(f"the signer at {self._path} names no key for {role}: {error}", None)
            self._signers[role] = RemoteSigner(role, line, key)
        return self._signers[role]

    def close(self) -> None:
        """Close all connections."""
        for line in self._lines:
            line.close()
